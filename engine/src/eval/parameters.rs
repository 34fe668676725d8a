//! [`Parameters`]: values of types and squares, derived once for a variant from the moves of its pieces.

use super::pair::Pair;
use super::sampling::{Reach, Samples, files_from_centre, steps_from_centre};
use super::weights as w;
use crate::game::AnyPosition;
use crate::geometry::Geometry;
use crate::position::{Compiled, Position};
use crate::types::{Colour, Kind, Piece, Square};
use crate::variant::{AnyCompiled, RuleSet, Variant};

/// What is derived once for a variant.
#[derive(Clone, Debug)]
pub(crate) struct Parameters {
    pub(super) squares: usize,
    /// What a man of a type is worth.
    pub(super) worth: [Pair; Kind::MAX],
    /// The same for exchanges, one number a type.
    pub(crate) exchange: [i32; Kind::MAX],
    /// By type: squares that it reaches on average, in 64ths, middle game and endgame.
    pub(super) reach: [[i32; 2]; Kind::MAX],
    /// By man and square: worth and standing, positive for White, negative for Black.
    pub(super) table: Vec<Pair>,
    /// What a man of a type counts for the phase of the game; kings and pawns nothing.
    pub(super) phase: [i32; Kind::MAX],
    /// The sum of that in the start position.
    pub(super) start_material: i32,
}

impl Parameters {
    /// The parameters of a variant.
    pub(crate) fn derive(variant: &Variant) -> Parameters {
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

    /// Worth and standing of a man without powers on a square, positive for White.
    #[inline(always)]
    pub fn man(&self, man: Piece, square: Square) -> Pair {
        self.table[man.code() as usize * self.squares + square.index()]
    }
}

fn derive<const N: usize>(compiled: &Compiled<N>, start: Option<&Position<N>>) -> Parameters {
    let rules = &compiled.rules;
    let samples = Samples::new(compiled);
    let mut parameters = Parameters {
        squares: rules.geometry.squares(),
        worth: [Pair::ZERO; Kind::MAX],
        exchange: [0; Kind::MAX],
        reach: [[0; 2]; Kind::MAX],
        table: vec![Pair::ZERO; 2 * Kind::MAX * rules.geometry.squares()],
        phase: [0; Kind::MAX],
        start_material: 1,
    };
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
    }
    for (i, reach) in reaches.iter().enumerate() {
        let kind = Kind(i as u8);
        let mean = samples.mean(reach);
        parameters.worth[i] = worth(&parameters, rules, kind);
        parameters.exchange[i] = (parameters.worth[i].mg + parameters.worth[i].eg) / 2;
        if kind != rules.king && !compiled.is_pawn(kind) {
            parameters.phase[i] = parameters.worth[i].mg.max(w::LEAST_PHASE);
        }
        let standing = |s: Square| standing(compiled, kind, &reach[s.index()], &mean, s);
        parameters.fill(&rules.geometry, kind, standing);
        if Some(kind) != rules.imitator && kind != rules.king {
            parameters.fill_lopsided(compiled, &samples, kind, &mean);
        }
    }
    // A king in an exchange is worth more than anything it could gain.
    parameters.exchange[rules.king.index()] = 10_000;
    parameters.start_material = start.map_or(1, |p| material(&parameters, p)).max(1);
    parameters
}

impl Parameters {
    /// Fills the table of a type from its worth and its standing as White's man.
    fn fill(&mut self, board: &Geometry, kind: Kind, standing: impl Fn(Square) -> Pair) {
        for square in board.all() {
            let value = self.worth[kind.index()] + standing(square);
            self.set(Piece::new(Colour::White, kind), square, value);
            if let Some(mirror) = board.mirrored(square) {
                self.set(Piece::new(Colour::Black, kind), mirror, -value);
            }
        }
    }

    /// Fills in Black's brouhaha squares whose mirror is none, from Black's own moves.
    fn fill_lopsided<const N: usize>(
        &mut self,
        compiled: &Compiled<N>,
        samples: &Samples<'_, N>,
        kind: Kind,
        mean: &Reach,
    ) {
        let board = &compiled.rules.geometry;
        let there = |s: Square| board.is_main(s) || board.is_brouhaha(s);
        for square in board.all().filter(|&s| board.is_brouhaha(s)) {
            if board.mirrored(square).is_some_and(there) {
                continue;
            }
            let reach = samples.reach(&[compiled.tables.kind(Colour::Black, kind)], square);
            let value = self.worth[kind.index()] + standing(compiled, kind, &reach, mean, square);
            self.set(Piece::new(Colour::Black, kind), square, -value);
        }
    }

    fn set(&mut self, man: Piece, square: Square, value: Pair) {
        self.table[man.code() as usize * self.squares + square.index()] = value;
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
    let mut value = Pair::new(stand(0, w::STANDING.mg), stand(1, w::STANDING.eg));
    if board.is_brouhaha(square) {
        value += w::UNDEVELOPED;
    }
    value
}
