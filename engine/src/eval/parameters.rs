//! [`Parameters`]: values of types and squares, derived once for a variant from the moves of its pieces.

use super::file::EvaluationError;
use super::pair::Pair;
use super::sampling::{Reach, Samples, files_from_centre, steps_from_centre};
use super::terms::{GRAINS, MOST_REACHED, Own, Terms, root};
use super::weights as w;
use crate::game::AnyPosition;
use crate::position::{Compiled, Position};
use crate::types::{Colour, Kind, Piece, Square};
use crate::variant::{AnyCompiled, RuleSet, Variant};

/// What is derived once for a variant, and the weights of its terms.
#[derive(Clone, Debug)]
pub(crate) struct Parameters {
    pub(super) squares: usize,
    pub(crate) terms: Terms,
    /// The weight of each term in grains.
    pub(crate) weights: Vec<Pair>,
    /// What a man of a type is worth, in centipawns.
    pub(super) worth: [Pair; Kind::MAX],
    /// The same for exchanges, one number a type.
    pub(crate) exchange: [i32; Kind::MAX],
    /// By type: squares that it reaches on average, in 64ths, middle game and endgame.
    pub(super) reach: [[i32; 2]; Kind::MAX],
    /// By type: the usual number of squares reached.
    pub(super) centre: [usize; Kind::MAX],
    /// By man and square: worth and standing in grains, positive for White, negative for Black.
    table: Vec<Pair>,
    /// By type and squares reached: what that is worth, in grains.
    mobility: Vec<Pair>,
    /// The types worth more than the average man at the start.
    pub(super) heavy: [bool; Kind::MAX],
    /// What a man of a type counts for the phase of the game; kings and pawns nothing.
    pub(super) phase: [i32; Kind::MAX],
    /// The sum of that in the start position.
    pub(super) start_material: i32,
    /// What the men of a side are worth on average at the start, but the king.
    pub(super) start_mean: i32,
}

impl Parameters {
    /// The parameters of a variant: derived from its rules, then as an evaluation file says.
    ///
    /// # Errors
    /// The evaluation file does not fit the variant.
    pub(crate) fn new(
        variant: &Variant,
        file: Option<&str>,
    ) -> Result<Parameters, EvaluationError> {
        let mut parameters = Parameters::derived(variant);
        if let Some(text) = file {
            super::file::read(text, variant, &parameters.terms, &mut parameters.weights)?;
            parameters.settle(variant.rules());
        }
        Ok(parameters)
    }

    /// The parameters of a variant, from its rules alone.
    pub(crate) fn derived(variant: &Variant) -> Parameters {
        let start = variant.start_fen(variant.setups().first).ok();
        let start = start.and_then(|fen| AnyPosition::from_fen(variant, &fen).ok());
        match (variant.compiled(), start) {
            (AnyCompiled::One(c), Some(AnyPosition::One(p))) => derive(c, Some(&p)),
            (AnyCompiled::Two(c), Some(AnyPosition::Two(p))) => derive(c, Some(&p)),
            (AnyCompiled::Four(c), Some(AnyPosition::Four(p))) => derive(c, Some(&p)),
            // Start positions are checked when a variant is resolved.
            (AnyCompiled::One(c), _) => derive(c, None),
            (AnyCompiled::Two(c), _) => derive(c, None),
            (AnyCompiled::Four(c), _) => derive(c, None),
        }
    }

    /// Worth and standing of a man without powers on a square in grains, positive for White.
    #[inline(always)]
    pub fn man(&self, man: Piece, square: Square) -> Pair {
        self.table[man.code() as usize * self.squares + square.index()]
    }

    /// What reaching so many squares is worth to a type, in grains.
    #[inline(always)]
    pub fn mobility(&self, kind: Kind, reached: usize) -> Pair {
        self.mobility[kind.index() * (MOST_REACHED + 1) + reached.min(MOST_REACHED)]
    }

    /// The weight of a type's own term.
    pub(super) fn own(&self, own: Own, kind: Kind) -> Pair {
        self.weights[self.terms.own(own, kind)]
    }

    /// Fills in what follows from the weights.
    pub(super) fn settle(&mut self, rules: &RuleSet) {
        for kind in (0..rules.pieces.len()).map(|k| Kind(k as u8)) {
            let worth = self.own(Own::Worth, kind);
            self.worth[kind.index()] = Pair::new(worth.mg / GRAINS, worth.eg / GRAINS);
            self.exchange[kind.index()] = (worth.mg + worth.eg) / (2 * GRAINS);
            for colour in Colour::ALL {
                let sign = if colour == Colour::White { 1 } else { -1 };
                for square in rules.geometry.all() {
                    let place = self.terms.place(rules, colour, square);
                    let standing = self.terms.standing(kind, place);
                    let value = standing.iter().fold(worth, |sum, &t| sum + self.weights[t]);
                    let man = Piece::new(colour, kind).code() as usize;
                    self.table[man * self.squares + square.index()] = value * sign;
                }
            }
            let centre = self.centre[kind.index()];
            for reached in 0..=MOST_REACHED {
                let more = reached as i32 - centre as i32;
                let rooted = root(reached) - root(centre);
                let value = self.own(Own::Mobility, kind) * more
                    + self.own(Own::MobilityRoot, kind) * rooted;
                self.mobility[kind.index() * (MOST_REACHED + 1) + reached] = value;
            }
        }
        // A king in an exchange is worth more than anything it could gain.
        self.exchange[rules.king.index()] = KING_EXCHANGE;
    }
}

/// What a king counts in an exchange.
const KING_EXCHANGE: i32 = 10_000;

fn derive<const N: usize>(compiled: &Compiled<N>, start: Option<&Position<N>>) -> Parameters {
    let rules = &compiled.rules;
    let samples = Samples::new(compiled);
    let terms = Terms::new(rules, compiled.powers);
    let mut parameters = Parameters {
        squares: rules.geometry.squares(),
        weights: vec![Pair::ZERO; terms.count()],
        terms,
        worth: [Pair::ZERO; Kind::MAX],
        exchange: [0; Kind::MAX],
        reach: [[0; 2]; Kind::MAX],
        centre: [0; Kind::MAX],
        table: vec![Pair::ZERO; 2 * Kind::MAX * rules.geometry.squares()],
        mobility: vec![Pair::ZERO; Kind::MAX * (MOST_REACHED + 1)],
        heavy: [false; Kind::MAX],
        phase: [0; Kind::MAX],
        start_material: 1,
        start_mean: 0,
    };
    w::fill_once(&mut parameters.weights);
    let mut reaches: Vec<Vec<Reach>> = vec![Vec::new(); rules.pieces.len()];
    for &kind in &compiled.plain_kinds {
        let movers = [compiled.tables.kind(Colour::White, kind)];
        let board = &rules.geometry;
        reaches[kind.index()] = board.all().map(|s| samples.reach(&movers, s)).collect();
    }
    if let Some(imitator) = rules.imitator {
        reaches[imitator.index()] = imitator_reach(compiled, &samples, start);
    }
    for (i, reach) in reaches.iter().enumerate() {
        parameters.reach[i] = samples.mean(reach).plain;
        parameters.centre[i] = usual(parameters.reach[i]);
    }
    for (i, reach) in reaches.iter().enumerate() {
        let kind = Kind(i as u8);
        let worth = worth(&parameters, rules, kind);
        parameters.worth[i] = worth;
        if kind != rules.king && !compiled.is_pawn(kind) {
            parameters.phase[i] = worth.mg.max(w::LEAST_PHASE);
        }
        parameters.set_own(Own::Worth, kind, worth * GRAINS);
        if kind != rules.king && !compiled.is_pawn(kind) {
            parameters.set_own(Own::Mobility, kind, w::MOBILITY);
            parameters.set_own(Own::UnitAttacker, kind, Pair::new(w::UNIT_ATTACKER, 0));
            parameters.set_own(Own::UnitHit, kind, Pair::new(w::UNIT_HIT, 0));
        }
        parameters.place(compiled, &samples, kind, reach);
    }
    parameters.settle(rules);
    if let Some(start) = start {
        parameters.start_material = material(&parameters, start).max(1);
        let (worth, men) = all_worth(&parameters, start, Colour::White);
        parameters.start_mean = worth / men.max(1);
    }
    let mean = parameters.start_material / 2 / start.map_or(1, |p| officers(&parameters, p)).max(1);
    for &kind in &compiled.plain_kinds {
        parameters.heavy[kind.index()] = parameters.phase[kind.index()] > mean;
    }
    parameters
}

/// The usual number of squares reached, from the means of both phases in 64ths.
pub(super) fn usual(reach: [i32; 2]) -> usize {
    ((reach[0] + reach[1] + 64) / 128).clamp(0, MOST_REACHED as i32) as usize
}

/// Men of White that count for the phase.
fn officers<const N: usize>(parameters: &Parameters, position: &Position<N>) -> i32 {
    let kinds = (0..position.compiled().rules.pieces.len()).map(|i| Kind(i as u8));
    kinds
        .filter(|k| parameters.phase[k.index()] > 0)
        .map(|k| position.men(Colour::White, k).count() as i32)
        .sum()
}

/// What the men of a side but the king are worth together, and how many they are.
pub(super) fn all_worth<const N: usize>(
    parameters: &Parameters,
    position: &Position<N>,
    colour: Colour,
) -> (i32, i32) {
    let king = position.compiled().rules.king;
    let kinds = position
        .compiled()
        .plain_kinds
        .iter()
        .filter(|&&k| k != king);
    kinds.fold((0, 0), |(worth, men), &k| {
        let count = position.men(colour, k).count() as i32;
        (worth + count * parameters.worth[k.index()].mg, men + count)
    })
}

impl Parameters {
    fn set_own(&mut self, own: Own, kind: Kind, value: Pair) {
        let term = self.terms.own(own, kind);
        self.weights[term] = value;
    }

    /// Sets the terms of a type's squares to what it reaches from them, both wings and both sides alike.
    fn place<const N: usize>(
        &mut self,
        compiled: &Compiled<N>,
        samples: &Samples<'_, N>,
        kind: Kind,
        reach: &[Reach],
    ) {
        let rules = &compiled.rules;
        let board = &rules.geometry;
        let mean = samples.mean(reach);
        let mut sums = vec![(Pair::ZERO, 0); self.weights.len()];
        let mut note = |parameters: &Parameters, colour, square, value: Pair| {
            let place = parameters.terms.place(rules, colour, square);
            let slot = &mut sums[parameters.terms.standing(kind, place)[2]];
            *slot = (slot.0 + value * GRAINS, slot.1 + 1);
        };
        let there = |s: Square| board.is_main(s) || board.is_brouhaha(s);
        for square in board.all().filter(|&s| there(s)) {
            let value = standing(compiled, kind, &reach[square.index()], &mean, square);
            note(self, Colour::White, square, value);
            // Black's brouhaha squares whose mirror is none, from Black's own moves.
            let lopsided = board.is_brouhaha(square) && !board.mirrored(square).is_some_and(there);
            if lopsided && Some(kind) != rules.imitator && kind != rules.king {
                let reach = samples.reach(&[compiled.tables.kind(Colour::Black, kind)], square);
                let value = standing(compiled, kind, &reach, &mean, square);
                note(self, Colour::Black, square, value);
            }
        }
        for (weight, (sum, count)) in self.weights.iter_mut().zip(sums) {
            if count > 0 {
                *weight = Pair::new(sum.mg / count, sum.eg / count);
            }
        }
    }
}

/// What the men of both sides count for the phase of the game.
fn material<const N: usize>(parameters: &Parameters, position: &Position<N>) -> i32 {
    let kinds = (0..position.compiled().rules.pieces.len()).map(|i| Kind(i as u8));
    kinds
        .map(|k| {
            let men: u32 = Colour::ALL
                .iter()
                .map(|&c| position.men(c, k).count())
                .sum();
            men as i32 * parameters.phase[k.index()]
        })
        .sum()
}

/// What an imitator reaches: the mean of what it may imitate, each type as often as the opponent has it.
fn imitator_reach<const N: usize>(
    compiled: &Compiled<N>,
    samples: &Samples<'_, N>,
    start: Option<&Position<N>>,
) -> Vec<Reach> {
    let board = &compiled.rules.geometry;
    let count = |k| start.map_or(1, |p| p.men(Colour::Black, k).count() as i32);
    let models: Vec<(Kind, i32)> = compiled
        .plain_kinds
        .iter()
        .map(|&k| (k, count(k)))
        .filter(|&(_, n)| n > 0)
        .collect();
    let all: i32 = models.iter().map(|m| m.1).sum::<i32>().max(1);
    board
        .all()
        .map(|square| {
            let mut sum = Reach::default();
            for &(kind, n) in &models {
                let mover = compiled.tables.imitation(Colour::White, kind);
                let reach = samples.reach(&[mover], square);
                for phase in 0..2 {
                    sum.plain[phase] += n * reach.plain[phase];
                    sum.weighted[phase] += n * reach.weighted[phase];
                }
            }
            Reach {
                plain: sum.plain.map(|s| s / all),
                weighted: sum.weighted.map(|s| s / all),
            }
        })
        .collect()
}

/// Worth of the squares that a man reaches on average, middle game and endgame, `reach` in 64ths.
pub(super) fn worth_of_reach(reach: [i32; 2]) -> Pair {
    let [closed, open] = reach.map(|reach| {
        let r = i64::from(reach);
        ((i64::from(w::LINEAR) * r * 64 + i64::from(w::QUADRATIC) * r * r / 256) / 4096) as i32
    });
    Pair::new(closed, closed + (open - closed) / w::OPEN_PART)
}

fn worth(parameters: &Parameters, rules: &RuleSet, kind: Kind) -> Pair {
    if kind == rules.king {
        return Pair::ZERO;
    }
    if rules.piece(kind).pawn {
        return w::PAWN;
    }
    let mut worth = worth_of_reach(parameters.reach[kind.index()]);
    if rules.imitator == Some(kind) {
        worth = worth.percent(w::IMITATOR_PERCENT);
    }
    if let Some(points) = &rules.points {
        let points = match points.imitator {
            Some((more, otherwise)) if rules.imitator == Some(kind) => {
                (more + otherwise) as i32 * w::POINT / 2
            }
            _ => points.values[kind.index()] as i32 * w::POINT,
        };
        worth = Pair::new((worth.mg + points) / 2, (worth.eg + points) / 2);
    }
    worth
}

/// What a square is worth to White's man of a type.
fn standing<const N: usize>(
    compiled: &Compiled<N>,
    kind: Kind,
    reach: &Reach,
    mean: &Reach,
    square: Square,
) -> Pair {
    let rules = &compiled.rules;
    let board = &rules.geometry;
    let rank = i32::from(board.relative_rank(Colour::White, square)) - 1;
    if kind == rules.king {
        let half = i32::from(board.files().max(board.main_ranks())) / 2;
        let near = half - steps_from_centre(board, square);
        let scale = |p: Pair| Pair::new(p.mg * 8 / half.max(1) / 2, p.eg * 8 / half.max(1) / 2);
        return w::KING_RANK * rank.clamp(0, 4) + scale(w::KING_CENTRE) * near;
    }
    if rules.piece(kind).pawn {
        let near = i32::from(board.files()) / 2 - files_from_centre(board, square);
        return w::PAWN_RANK * rank.max(0) + w::PAWN_CENTRE * near.clamp(0, 3);
    }
    let stand = |phase: usize, weight: i32| {
        let more = reach.weighted[phase] - mean.weighted[phase];
        (more * weight / (64 * 16)).clamp(-w::STANDING_MOST, w::STANDING_MOST)
    };
    Pair::new(stand(0, w::STANDING.mg), stand(1, w::STANDING.eg))
}
