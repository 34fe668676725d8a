//! A tuning by SPSA: its parameters follow from the results of its games, and its players from its parameters.

use std::sync::Arc;

use proto::v1;

use super::{Coordinator, Error, definition::Definition, tournament::Tournament};
use crate::{
    model::{EngineSpec, FormatKind, GameIndex, Player, TournamentId, wire},
    schedule::{Perturbed, Spsa, Walk},
};

/// Points of a history, unless asked otherwise, and at most.
const POINTS: (u32, u32) = (1000, 10_000);
/// Most values of a history, points times parameters, so that its message stays small.
const VALUES: usize = 100_000;

/// The parameters of a tuning by the results so far.
pub(super) struct Tuning {
    spsa: Arc<Spsa>,
    walk: Walk,
}

impl Tuning {
    /// Without results; none if the tournament is no tuning.
    pub(super) fn of(definition: &Definition) -> Option<Self> {
        let spsa = definition.spsa.clone()?;
        let walk = Walk::new(&spsa);
        Some(Self { spsa, walk })
    }
}

impl Tournament {
    /// Takes in the results of iterations that are complete, in order of index.
    pub(super) fn advance_tuning(&mut self) {
        let Some(mut tuning) = self.tuning.take() else {
            return;
        };
        let spsa = tuning.spsa.clone();
        while tuning.walk.applied() < spsa.iterations()
            && let Some(quarters) = self.plus_quarters(&spsa, tuning.walk.applied())
        {
            let games = self.games_of(&spsa, tuning.walk.applied()).len() as u64;
            tuning.walk.apply(&spsa, difference(quarters, games));
        }
        self.tuning = Some(tuning);
    }

    /// Games of an iteration.
    fn games_of(&self, spsa: &Spsa, iteration: u64) -> std::ops::Range<u32> {
        let pairs = spsa.pairs_of(iteration);
        let game = |pair: u64| u32::try_from(2 * pair).unwrap_or(u32::MAX);
        game(pairs.start)..game(pairs.end)
    }

    /// Points of the first engine in an iteration, in quarters; none if one of its games is missing.
    fn plus_quarters(&self, spsa: &Spsa, iteration: u64) -> Option<u64> {
        let quarters = self.games_of(spsa, iteration).map(GameIndex).map(|game| {
            let first_quarters = u64::from(self.score(game)?.first_quarters.min(4));
            let [first, _] = self.definition.movers(game)?;
            Some(match first {
                0 => first_quarters,
                _ => 4 - first_quarters,
            })
        });
        quarters.sum()
    }

    /// Batches that may be leased: those of iterations whose parameters are known. None if all may.
    pub(super) fn released_batches(&self) -> Option<u32> {
        let Tuning { spsa, walk } = self.tuning.as_ref()?;
        let next = self.games_of(spsa, walk.open(spsa)).start;
        let batch = self.definition.batch_of(GameIndex(next));
        Some(batch.map_or(self.definition.batch_count(), |batch| batch.0))
    }

    /// Both players of a game of a tuning, plus first; none in other tournaments.
    ///
    /// # Errors
    /// Says what is not known of them.
    pub(super) fn tuned_players(&self, game: GameIndex) -> Option<Result<[Player; 2], String>> {
        let Tuning { spsa, walk } = self.tuning.as_ref()?;
        let iteration = spsa.iteration_of(u64::from(game.0) / 2);
        let values = walk.perturbed(spsa, iteration);
        Some(match values {
            Some(values) => players(&self.definition, spsa, &values),
            None => Err(format!(
                "the parameters of iteration {iteration} are not known"
            )),
        })
    }
}

/// Both engines of an iteration: the engine of the specification with the values of either side.
fn players(
    definition: &Definition,
    spsa: &Spsa,
    values: &[Perturbed],
) -> Result<[Player; 2], String> {
    let side = |index: usize, value: fn(&Perturbed) -> i64| {
        let engine = definition.spec.engines.get(index);
        let (Some(engine), Some(player)) = (engine, definition.players.get(index)) else {
            return Err("it has not two engines".to_owned());
        };
        let tuned = spsa.parameters.iter().zip(values);
        let tuned =
            tuned.map(|(parameter, values)| (parameter.name.clone(), value(values).to_string()));
        let mut options = engine.options.clone();
        options.extend(tuned);
        let engine = EngineSpec {
            // That of the player names the build.
            source: player.source.clone(),
            options,
            ..engine.clone()
        };
        Player::resolve(&engine, definition.spec.limit, "").ok_or("it has no limit".to_owned())
    };
    Ok([
        side(0, |values| values.plus)?,
        side(1, |values| values.minus)?,
    ])
}

/// Points of plus less those of minus.
fn difference(plus_quarters: u64, games: u64) -> f64 {
    plus_quarters as f64 / 2.0 - games as f64
}

impl Coordinator {
    /// How a tuning goes.
    pub async fn tuning(
        self: &Arc<Self>,
        request: v1::GetTuningRequest,
    ) -> Result<v1::Tuning, Error> {
        let (usual, most) = POINTS;
        let points = match request.points {
            0 => usual,
            points if points <= most => points,
            _ => return Err(Error::Invalid(format!("points: must be at most {most}"))),
        };
        self.query(move |this| this.tuning_of(TournamentId(request.tournament_id), points))
            .await
    }

    fn tuning_of(&self, id: TournamentId, points: u32) -> Result<v1::Tuning, Error> {
        let (definition, spsa, results) = {
            let state = self.state();
            let tournament = state.tournament(id)?;
            let tuning = tournament.tuning.as_ref().ok_or_else(|| {
                Error::Precondition(format!(
                    "tournament {id} is no tuning; `brouhaha tune spsa` makes one"
                ))
            })?;
            let spsa = tuning.spsa.clone();
            let applied = 0..tuning.walk.applied();
            let results: Vec<(std::ops::Range<u32>, u64)> = applied
                .map_while(|iteration| {
                    let quarters = tournament.plus_quarters(&spsa, iteration)?;
                    Some((tournament.games_of(&spsa, iteration), quarters))
                })
                .collect();
            (tournament.definition.clone(), spsa, results)
        };
        let FormatKind::Spsa(tuned) = &definition.spec.format.kind else {
            return Err(Error::Internal(format!(
                "tournament {id} has no parameters"
            )));
        };
        let count = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        let applied = results.len() as u64;
        let most = VALUES / spsa.parameters.len().max(1);
        let points = u64::from(points).min(most as u64).max(1);
        // Every so many iterations, the last one among them.
        let every = applied.div_ceil(points).max(1);
        let mut walk = Walk::new(&spsa);
        let mut history = Vec::new();
        for (iteration, (games, plus_quarters)) in (0..).zip(results) {
            let is_shown = (applied - iteration - 1).is_multiple_of(every);
            let values = is_shown.then(|| walk.perturbed(&spsa, iteration)).flatten();
            let difference = difference(plus_quarters, games.len() as u64);
            walk.apply(&spsa, difference);
            if let Some(values) = values {
                history.push(v1::TuningPoint {
                    iteration: count(iteration + 1),
                    first_game: games.start,
                    games: count(games.len() as u64),
                    plus_quarters,
                    values: values
                        .iter()
                        .map(|value| shown(value, difference, games.len()))
                        .collect(),
                    theta: walk.theta().to_vec(),
                });
            }
        }
        Ok(v1::Tuning {
            tournament_id: id.0,
            spsa: Some(wire::spsa_to_wire(tuned)),
            pairs: count(spsa.pairs),
            iterations: count(spsa.iterations()),
            applied: count(applied),
            theta: walk.theta().to_vec(),
            history,
        })
    }
}

/// A parameter in an iteration, with Spall's estimate of the slope: (y+ - y-) / (2 c D), y in points a game.
fn shown(value: &Perturbed, difference: f64, games: usize) -> v1::TuningValue {
    let by_game = difference / games.max(1) as f64;
    v1::TuningValue {
        plus: value.plus,
        minus: value.minus,
        gradient: by_game / (2.0 * value.c * value.sign),
    }
}
