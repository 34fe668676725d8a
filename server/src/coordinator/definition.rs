//! What is fixed about a tournament: its specification and format; and its players and pairs so far, which only grow.

use std::{num::NonZeroU32, sync::Arc};

use proto::{store::TournamentCreated, v1};

use crate::{
    model::{
        AdaptiveGoal, BatchIndex, Digest, FormatKind, GameIndex, Player, SpecError, TournamentId,
        TournamentSpec, wire,
    },
    schedule::{
        Adaptive, Course, Director, Draw, Format, Goal, Knockout, Ladder, LateEntries, Meets,
        Pairing, Plan, Spsa, Swiss, ThirdPlace, UntilDecided,
    },
};

/// What is known of a tournament beforehand. A copy is cheap.
#[derive(Clone)]
pub(super) struct Definition {
    pub(super) id: TournamentId,
    pub(super) spec: Arc<TournamentSpec>,
    pub(super) spec_hash: Digest,
    pub(super) variant: v1::VariantRef,
    pub(super) variant_hash: Digest,
    /// Those of the specification, then those who came in later.
    pub(super) players: Arc<Vec<Player>>,
    pub(super) limit_class: String,
    pub(super) created_unix_ms: u64,
    pub(super) director: Arc<Director>,
    /// What is tuned, if it is a tuning.
    pub(super) spsa: Option<Arc<Spsa>>,
    course: Course,
}

impl Definition {
    /// The definition that a record holds; the error says what is wrong with it.
    pub(super) fn from_record(record: &TournamentCreated) -> Result<Self, SpecError> {
        let bad = |what: &str| {
            SpecError::new(
                format!("tournament {}", record.id),
                format!("has no {what}"),
            )
        };
        let spec = wire::spec_from_wire(record.spec.as_ref().ok_or_else(|| bad("specification"))?)?;
        let variant = record.variant.clone().ok_or_else(|| bad("variant"))?;
        let players = record
            .players
            .iter()
            .map(wire::player_from_wire)
            .collect::<Result<Vec<_>, _>>()?;
        let batch_pairs = spec.batch_pairs.ok_or_else(|| bad("batch size"))?;
        let plan = plan(&spec)?;
        let director = Arc::new(director(&spec, plan.as_ref()));
        Ok(Self {
            id: TournamentId(record.id),
            spec_hash: Digest(
                record
                    .spec_hash
                    .as_slice()
                    .try_into()
                    .map_err(|_| bad("hash"))?,
            ),
            variant_hash: variant.hash.parse().map_err(|_| bad("variant hash"))?,
            variant,
            players: Arc::new(players),
            limit_class: record.limit_class.clone(),
            created_unix_ms: record.created_unix_ms,
            director,
            spsa: spsa(&spec).map(Arc::new),
            course: Course::new(plan, batch_pairs),
            spec: Arc::new(spec),
        })
    }

    /// The same with the pairs of a draw behind the others.
    pub(super) fn with_draw(&self, draw: Draw) -> Self {
        let mut longer = self.clone();
        longer.course.extend(draw);
        longer
    }

    /// The same with more players behind the others.
    pub(super) fn with_players(&self, players: Vec<Player>) -> Self {
        let mut larger = self.clone();
        Arc::make_mut(&mut larger.players).extend(players);
        larger
    }

    /// The draws so far, each with the index of its first pair.
    pub(super) fn draws(&self) -> impl Iterator<Item = (&Draw, u64)> + '_ {
        self.course.draws()
    }

    /// Number of games so far.
    pub(super) fn games(&self) -> u32 {
        u32::try_from(self.course.total_pairs().saturating_mul(2)).unwrap_or(u32::MAX)
    }

    /// Number of batches so far.
    pub(super) fn batch_count(&self) -> u32 {
        u32::try_from(self.course.batch_count()).unwrap_or(u32::MAX)
    }

    /// Games of a batch, in order.
    pub(super) fn games_of(&self, batch: BatchIndex) -> std::ops::Range<u32> {
        let pairs = self.course.batch(batch.0.into()).unwrap_or(0..0);
        let game = |pair: u64| u32::try_from(2 * pair).unwrap_or(u32::MAX);
        game(pairs.start)..game(pairs.end)
    }

    /// The batch of a game.
    pub(super) fn batch_of(&self, game: GameIndex) -> Option<BatchIndex> {
        let batch = self.course.batch_of(u64::from(game.0) / 2)?;
        u32::try_from(batch).ok().map(BatchIndex)
    }

    /// The pairing that a game belongs to.
    pub(super) fn pairing(&self, game: GameIndex) -> Option<Pairing> {
        self.course.pair(u64::from(game.0) / 2)
    }

    /// First and second mover of a game, as indices of players.
    pub(super) fn movers(&self, game: GameIndex) -> Option<[usize; 2]> {
        let pairing = self.pairing(game)?;
        let movers = [pairing.first, pairing.second];
        Some(if game.0.is_multiple_of(2) {
            movers
        } else {
            [movers[1], movers[0]]
        })
    }

    /// Whether a game of these players is the same wherever it is played.
    pub(super) fn is_deterministic(&self, game: GameIndex) -> bool {
        let movers = self.movers(game).into_iter().flatten();
        movers
            .into_iter()
            .filter_map(|index| self.players.get(index))
            .all(Player::is_deterministic)
    }
}

/// The plan of a specification; none where all pairings follow from results.
pub(super) fn plan(spec: &TournamentSpec) -> Result<Option<Plan>, SpecError> {
    let mut pairs = spec.format.pairs;
    let format = match &spec.format.kind {
        FormatKind::Spsa(spsa) => {
            pairs = spsa.total_pairs;
            Format::HeadToHead
        }
        FormatKind::RoundRobin => Format::RoundRobin,
        FormatKind::HeadToHead => Format::HeadToHead,
        FormatKind::Pyramid => Format::Pyramid,
        FormatKind::Gauntlet { challengers } => Format::Gauntlet {
            challengers: challengers.clone(),
        },
        FormatKind::Swiss { .. }
        | FormatKind::Knockout { .. }
        | FormatKind::Ladder { .. }
        | FormatKind::Adaptive { .. } => return Ok(None),
    };
    Plan::new(&format, spec.engines.len(), pairs.get())
        .map(Some)
        .map_err(|error| SpecError::new("format", error.to_string()))
}

/// The tuning of a specification; none if it is no tuning.
fn spsa(spec: &TournamentSpec) -> Option<Spsa> {
    let FormatKind::Spsa(spsa) = &spec.format.kind else {
        return None;
    };
    Some(Spsa {
        seed: spec.seed,
        parameters: spsa.parameters.clone(),
        pairs: spec.format.pairs.get().into(),
        total_pairs: spsa.total_pairs.get().into(),
        ahead: spsa.ahead.get().into(),
    })
}

/// What decides the course of a tournament beyond its plan.
pub(super) fn director(spec: &TournamentSpec, plan: Option<&Plan>) -> Director {
    let pairs = u64::from(spec.format.pairs.get());
    let rounds = |rounds: Option<NonZeroU32>, usual: usize| {
        rounds.map_or(usual as u64, |rounds| rounds.get().into())
    };
    let open = |meets| {
        Director::Open(LateEntries {
            planned: spec.engines.len(),
            meets,
            pairs,
            rounds: plan.map_or(0, Plan::rounds),
        })
    };
    match &spec.format.kind {
        // A test is of its two engines.
        _ if spec.sprt.is_some() => Director::Planned,
        FormatKind::HeadToHead | FormatKind::Spsa(_) => Director::Planned,
        FormatKind::RoundRobin | FormatKind::Pyramid => open(Meets::Everyone),
        FormatKind::Gauntlet { challengers } => open(Meets::Challengers(challengers.clone())),
        FormatKind::Ladder { rounds: wanted } => Director::Ladder(Ladder {
            rounds: rounds(*wanted, spec.engines.len()),
            pairs,
        }),
        &FormatKind::Knockout {
            tie_pairs,
            third_place,
            until,
        } => Director::Knockout(Knockout {
            pairs,
            tie_pairs: tie_pairs.into(),
            third_place: if third_place {
                ThirdPlace::Played
            } else {
                ThirdPlace::Shared
            },
            until: until.map(|until| UntilDecided {
                elo: until.elo.get(),
                most_pairs: until.most_pairs.get().into(),
            }),
        }),
        FormatKind::Swiss { rounds: wanted } => Director::Swiss(Swiss {
            rounds: wanted.map_or_else(
                || Swiss::usual_rounds(spec.engines.len()),
                |rounds| rounds.get().into(),
            ),
            pairs,
        }),
        &FormatKind::Adaptive {
            total_pairs,
            random_percent,
            goal,
        } => Director::Adaptive(Adaptive {
            pairs,
            budget: total_pairs.get().into(),
            random_percent,
            goal: match goal {
                AdaptiveGoal::Ratings => Goal::Ratings,
                AdaptiveGoal::Volume => Goal::Volume,
                AdaptiveGoal::Order => Goal::Order,
            },
        }),
    }
}
