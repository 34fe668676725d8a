//! [`Tuner`]: from games to an evaluation file.

use std::sync::Arc;

use super::fit::{Problem, best_scale};
use super::prior::deviations;
use super::samples::{Sample, packed, unpacked};
use crate::eval::{Evaluator, Pair, Parameters, Style, Trace, write_file};
use crate::game::{AnyPosition, Game, PlayError};
use crate::movegen::Reaches;
use crate::notation::parse_move;
use crate::position::FenError;
use crate::position::Position;
use crate::types::Colour;
use crate::variant::{AnyCompiled, Variant};

/// A game to learn from.
#[derive(Clone, Debug)]
pub struct GameRecord<'a> {
    /// The position it began with.
    pub opening_fen: &'a str,
    /// Its moves in the notation of the coordinator.
    pub moves: &'a [String],
    /// What the mover thought of each position in centipawns, where it said so. As long as `moves`, or empty.
    pub scores: &'a [Option<i32>],
    /// Points of White: 0, 0.25, 0.5, 0.75 or 1.
    pub white_points: f64,
}

/// How to fit.
#[derive(Clone, Copy, Debug)]
pub struct TuneOptions {
    /// Steps of the descent.
    pub iterations: usize,
    /// Threads that sum up slopes; the result does not depend on it.
    pub threads: usize,
    /// Part of a position's target that is the mover's own score instead of the game's result, 0 to 1.
    pub blend: f64,
    /// Positions that count as one independent observation against the prior.
    pub alike: f64,
    /// What the fitted weights are multiplied by, in percent: search has margins in centipawns, which suit
    /// games whose men are worth about what those of orthodox chess are.
    pub percent: u32,
}

impl Default for TuneOptions {
    fn default() -> Self {
        TuneOptions {
            iterations: 1000,
            threads: 1,
            blend: 0.7,
            alike: 2.0,
            percent: 100,
        }
    }
}

/// A game that cannot be learnt from.
#[derive(Debug, thiserror::Error)]
pub enum TuneError {
    /// Its opening is no position of the variant.
    #[error("the opening cannot be read")]
    Opening(#[source] FenError),
    /// A move is not legal.
    #[error("move {ply} (`{text}`) cannot be played")]
    Move {
        /// Number of the move, from 1.
        ply: usize,
        /// Its text.
        text: String,
        /// What is wrong with it.
        #[source]
        source: PlayError,
    },
    /// Points that are no result.
    #[error("{0} points are no result; use 0, 0.25, 0.5, 0.75 or 1")]
    Points(f64),
    /// There is nothing to learn from.
    #[error("no quiet position in {0} games; give more games, or longer ones")]
    NoPositions(usize),
}

/// What a fit came to.
#[derive(Clone, Debug)]
pub struct TuneReport {
    /// Games read, and positions taken from them.
    pub games: usize,
    /// Positions fitted to, and those held out.
    pub positions: [usize; 2],
    /// Centipawns that stand for odds of ten to one, as results were before the fit.
    pub scale: f32,
    /// Mean logarithmic loss of the held-out positions before and after.
    pub held_out: [f64; 2],
    /// The same of the positions fitted to.
    pub fitted: [f64; 2],
    /// Types by letter with their worth in centipawns, middle game and endgame.
    pub worth: Vec<(char, String, [f64; 2])>,
}

/// Collects positions of games and fits the weights of evaluation to the games' results.
pub struct Tuner {
    variant: Arc<Variant>,
    core: AnyCore,
    parameters: Arc<Parameters>,
    samples: Vec<Sample>,
    /// What the movers thought, where they said so, beside each sample.
    opinions: Vec<Option<i32>>,
    games: usize,
}

enum AnyCore {
    One(Evaluator<1>, Reaches<1>),
    Two(Evaluator<2>, Reaches<2>),
    Four(Evaluator<4>, Reaches<4>),
}

/// One game of so many is held out.
const HELD_OUT: usize = 10;
/// Positions that the mover thinks decided teach nothing.
const DECIDED: i32 = 1500;

impl Tuner {
    /// A tuner that begins with the variant's weights as they are: derived, or of the built-in file.
    #[must_use]
    pub fn new(variant: Arc<Variant>) -> Tuner {
        let parameters = variant.evaluation().clone();
        Tuner::with(variant, parameters)
    }

    /// A tuner that begins with the weights that follow from the variant's rules alone.
    #[must_use]
    pub fn from_rules(variant: Arc<Variant>) -> Tuner {
        let parameters = Arc::new(Parameters::derived(&variant));
        Tuner::with(variant, parameters)
    }

    fn with(variant: Arc<Variant>, parameters: Arc<Parameters>) -> Tuner {
        let style = Style {
            mobility: 100,
            king_safety: 100,
        };
        let squares = variant.geometry().squares();
        let core = match variant.compiled() {
            AnyCompiled::One(c) => AnyCore::One(
                Evaluator::new(c, parameters.clone(), style),
                Reaches::new(squares),
            ),
            AnyCompiled::Two(c) => AnyCore::Two(
                Evaluator::new(c, parameters.clone(), style),
                Reaches::new(squares),
            ),
            AnyCompiled::Four(c) => AnyCore::Four(
                Evaluator::new(c, parameters.clone(), style),
                Reaches::new(squares),
            ),
        };
        Tuner {
            variant,
            core,
            parameters,
            samples: Vec::new(),
            opinions: Vec::new(),
            games: 0,
        }
    }

    /// Takes the quiet positions of a game: nobody in check, and the move played no capture or promotion.
    ///
    /// # Errors
    /// The game cannot be replayed. Nothing of it is taken then.
    pub fn add(&mut self, record: &GameRecord<'_>) -> Result<usize, TuneError> {
        let points = record.white_points;
        if !(0.0..=1.0).contains(&points) || (points * 4.0).fract() != 0.0 {
            return Err(TuneError::Points(points));
        }
        let before = self.samples.len();
        let held_out = self.games % HELD_OUT == HELD_OUT - 1;
        let result = self.take(record, points as f32, held_out);
        if result.is_err() {
            self.samples.truncate(before);
            self.opinions.truncate(before);
        } else {
            self.games += 1;
        }
        result.map(|()| self.samples.len() - before)
    }

    fn take(
        &mut self,
        record: &GameRecord<'_>,
        points: f32,
        held_out: bool,
    ) -> Result<(), TuneError> {
        let mut game =
            Game::new(self.variant.clone(), record.opening_fen).map_err(TuneError::Opening)?;
        for (i, text) in record.moves.iter().enumerate() {
            let score = record.scores.get(i).copied().flatten();
            if score.is_none_or(|s| s.abs() < DECIDED)
                && let Some(trace) = self.look(game.position(), text)
            {
                self.samples.push(Sample::new(&trace, points, held_out));
                let white = game.side_to_move() == Colour::White;
                self.opinions
                    .push(score.map(|s| if white { s } else { -s }));
            }
            game.play(text).map_err(|source| TuneError::Move {
                ply: i + 1,
                text: text.clone(),
                source,
            })?;
        }
        Ok(())
    }

    /// The terms of a position, if it is quiet.
    fn look(&mut self, position: &AnyPosition, played: &str) -> Option<Trace> {
        match (&mut self.core, position) {
            (AnyCore::One(e, r), AnyPosition::One(p)) => look(e, r, p, played),
            (AnyCore::Two(e, r), AnyPosition::Two(p)) => look(e, r, p, played),
            (AnyCore::Four(e, r), AnyPosition::Four(p)) => look(e, r, p, played),
            // The same variant has boards of the same width.
            _ => None,
        }
    }

    /// Fits the weights. `progress` gets the number of steps done and the loss of the held-out positions.
    ///
    /// # Errors
    /// There are no positions.
    pub fn fit(
        mut self,
        options: &TuneOptions,
        progress: &mut dyn FnMut(usize, f64),
    ) -> Result<(TuneReport, TunedWeights), TuneError> {
        if self.samples.is_empty() {
            return Err(TuneError::NoPositions(self.games));
        }
        let centre = unpacked(&self.parameters.weights);
        let values = self.samples.iter();
        let values: Vec<(f32, f32)> = values.map(|s| (s.value(&centre), s.target)).collect();
        let scale = best_scale(&values);
        let opinions = self.samples.iter().zip(&self.opinions);
        let opinions = opinions.filter_map(|(s, opinion)| Some(((*opinion)? as f32, s.target)));
        // Players have centipawns of their own.
        let theirs = best_scale(&opinions.collect::<Vec<_>>());
        for (sample, opinion) in self.samples.iter_mut().zip(&self.opinions) {
            if let Some(score) = opinion {
                let thought = super::fit::expected(*score as f32, theirs);
                sample.target += options.blend as f32 * (thought - sample.target);
            }
        }
        let held_out = self.samples.iter().filter(|s| s.held_out).count();
        let fitted = self.samples.len() - held_out;
        let problem = Problem {
            samples: &self.samples,
            deviations: deviations(&self.parameters.terms),
            centre,
            scale,
            independent: (fitted as f64 / options.alike.max(1.0)) as f32,
            threads: options.threads,
        };
        let weights = problem.descend(options.iterations, progress);
        let loss = |held| {
            [
                problem.loss(&problem.centre, held),
                problem.loss(&weights, held),
            ]
        };
        let mut report = TuneReport {
            games: self.games,
            positions: [fitted, held_out],
            scale,
            held_out: loss(true),
            fitted: loss(false),
            worth: Vec::new(),
        };
        let weights = self.scaled(&self.balanced(weights), options.percent);
        for (i, piece) in self.variant.rules().pieces.iter().enumerate() {
            let kind = crate::types::Kind(i as u8);
            if kind != self.variant.rules().king {
                let worth = weights[self.parameters.terms.worth(kind)];
                let worth =
                    [worth.mg, worth.eg].map(|g| f64::from(g) / f64::from(crate::eval::GRAINS));
                report
                    .worth
                    .push((char::from(piece.letter), piece.name.clone(), worth));
            }
        }
        Ok((
            report,
            TunedWeights {
                variant: self.variant,
                parameters: self.parameters,
                weights,
            },
        ))
    }

    /// All weights, multiplied; units of danger by the square root, since they are squared.
    fn scaled(&self, weights: &[Pair], percent: u32) -> Vec<Pair> {
        let linear = f64::from(percent) / 100.0;
        let mut scaled = weights.to_vec();
        for group in self.parameters.terms.groups() {
            let by = if group.is_danger() {
                linear.sqrt()
            } else {
                linear
            };
            let times = |w: i32| (f64::from(w) * by).round() as i32;
            for weight in &mut scaled[group.first..group.first + group.count] {
                *weight = Pair::new(times(weight.mg), times(weight.eg));
            }
        }
        scaled
    }

    /// Moves what a type's squares are worth on average in the samples over to its worth.
    fn balanced(&self, mut weights: [Vec<f32>; 2]) -> Vec<Pair> {
        let terms = &self.parameters.terms;
        for kind in (0..self.variant.rules().pieces.len()).map(|k| crate::types::Kind(k as u8)) {
            let worth = terms.worth(kind);
            let standing = terms.standing_of(kind);
            let mut means = [0f64; 2];
            for phase in 0..2 {
                let (mut sum, mut count) = (0.0, 0.0);
                for sample in &self.samples {
                    let part = f64::from(if phase == 0 {
                        sample.phase()
                    } else {
                        1.0 - sample.phase()
                    });
                    for &(term, n) in sample.terms() {
                        if standing.squares.contains(&usize::from(term)) {
                            let place = usize::from(term) - standing.squares.start;
                            let (rank, file) =
                                (place / standing.files.len(), place % standing.files.len());
                            let value = weights[phase][usize::from(term)]
                                + weights[phase][standing.ranks.start + rank]
                                + weights[phase][standing.files.start + file];
                            let n = f64::from(n.unsigned_abs()) * part;
                            sum += f64::from(value) * n;
                            count += n;
                        }
                    }
                }
                means[phase] = if count > 0.0 { sum / count } else { 0.0 };
            }
            if kind == self.variant.rules().king {
                continue;
            }
            for phase in 0..2 {
                let mean = means[phase] as f32;
                weights[phase][worth] += mean;
                for rank in standing.ranks.clone() {
                    weights[phase][rank] -= mean;
                }
            }
        }
        packed(&weights)
    }
}

#[cfg(test)]
impl Tuner {
    pub(super) fn weights(&self) -> &[Pair] {
        &self.parameters.weights
    }

    pub(super) fn samples(&self) -> &[Sample] {
        &self.samples
    }

    pub(super) fn deviations(&self) -> [Vec<f32>; 2] {
        deviations(&self.parameters.terms)
    }

    pub(super) fn worth_term(&self, kind: crate::types::Kind) -> usize {
        self.parameters.terms.worth(kind)
    }
}

#[cfg(test)]
impl TunedWeights {
    pub(super) fn weights(&self) -> &[Pair] {
        &self.weights
    }
}

fn look<const N: usize>(
    evaluator: &mut Evaluator<N>,
    reaches: &Reaches<N>,
    position: &Position<N>,
    played: &str,
) -> Option<Trace> {
    if position.setup().is_some() || position.in_check() {
        return None;
    }
    let mv = parse_move(position, played)?;
    if mv.promotion().is_some() || !position.man_on(mv.to()).is_none() {
        return None;
    }
    evaluator.prepare(position);
    evaluator.trace(position, reaches)
}

/// Fitted weights.
pub struct TunedWeights {
    variant: Arc<Variant>,
    parameters: Arc<Parameters>,
    weights: Vec<Pair>,
}

impl TunedWeights {
    /// The evaluation file, with words about where its numbers come from.
    #[must_use]
    pub fn to_text(&self, origin: &str) -> String {
        write_file(&self.variant, &self.parameters.terms, &self.weights, origin)
    }
}
