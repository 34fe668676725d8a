//! [`Evaluator`]: what a position is worth to the side to move.

use std::sync::Arc;

use super::accumulator::Accumulator;
use super::holders::{Holders, holder_reach, holder_worth};
use super::pair::Pair;
use super::parameters::Parameters;
use super::pawns::Files;
use super::prospects::Prospects;
use super::sampling::Samples;
use super::weights as w;
use crate::movegen::Reaches;
use crate::position::{Compiled, Position};
use crate::search::Score;
use crate::types::{Colour, Kind, Square};

/// How much parts of the evaluation count, in percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Style {
    pub mobility: i32,
    pub king_safety: i32,
}

/// The evaluation of a variant's positions.
pub(crate) struct Evaluator<const N: usize> {
    pub(super) parameters: Arc<Parameters>,
    pub(super) holders: Holders,
    pub(super) style: Style,
    pub(super) prospects: Prospects<N>,
    /// By square: the king's steps from it and itself.
    pub(super) zone: Vec<crate::bitboard::Bitboard<N>>,
    pub(super) files: Files<N>,
    /// By colour and square of the king: where pawns shelter it.
    pub(super) shelter: [Vec<crate::bitboard::Bitboard<N>>; 2],
    pub(super) pawn_kinds: Vec<Kind>,
    pub(super) mirror: Vec<Square>,
    pub(super) phase: [i32; Kind::MAX],
    /// All types but the imitator, the cheapest first, the king last.
    by_worth: Vec<Kind>,
    /// The types whose mobility counts: all but king, pawns and the imitator.
    pub(super) active: Vec<Kind>,
}

impl<const N: usize> Evaluator<N> {
    /// The evaluation of a variant.
    pub fn new(compiled: &Compiled<N>, parameters: Arc<Parameters>, style: Style) -> Evaluator<N> {
        let board = &compiled.rules.geometry;
        let mut by_worth = compiled.plain_kinds.clone();
        by_worth.sort_by_key(|k| parameters.exchange[k.index()]);
        let active = compiled.plain_kinds.iter().copied();
        let active = active
            .filter(|&k| k != compiled.rules.king && !compiled.is_pawn(k))
            .collect();
        let steps = [
            (-1, -1),
            (-1, 0),
            (-1, 1),
            (0, -1),
            (0, 0),
            (0, 1),
            (1, -1),
            (1, 0),
            (1, 1),
        ];
        Evaluator {
            holders: Holders::default(),
            style,
            prospects: Prospects::new(compiled, &parameters),
            zone: board
                .all()
                .map(|s| {
                    steps
                        .iter()
                        .filter_map(|&step| board.step(s, step))
                        .collect()
                })
                .collect(),
            files: Files::new(board),
            shelter: Colour::ALL.map(|c| board.all().map(|s| shelter(board, c, s)).collect()),
            pawn_kinds: compiled.pawns().collect(),
            mirror: board
                .all()
                .map(|s| board.mirrored(s).unwrap_or(s))
                .collect(),
            phase: parameters.phase,
            by_worth,
            active,
            parameters,
        }
    }

    /// All types but the imitator, the cheapest first, the king last.
    pub fn by_worth(&self) -> &[Kind] {
        &self.by_worth
    }

    /// Prepares for the men of a position: powers do not change after the set-up phase.
    pub fn prepare(&mut self, position: &Position<N>) {
        self.holders.learn(&self.parameters, position);
    }

    /// Forgets the men of the game before.
    pub fn forget(&mut self) {
        self.holders = Holders::default();
    }

    /// What a man of a type is worth with powers (bits as in a position), standing aside.
    pub fn holder_worth(&self, compiled: &Compiled<N>, kind: Kind, powers: u16) -> i32 {
        let samples = Samples::new(compiled);
        let reach = holder_reach(compiled, &samples, kind, powers);
        let worth = holder_worth(compiled, &self.parameters, kind, &samples.mean(&reach));
        (worth.mg + worth.eg) / 2
    }

    /// What a position is worth to the side to move.
    pub fn evaluate(&self, position: &Position<N>, sum: &Accumulator, reaches: &Reaches<N>) -> i32 {
        let occupancy = position.occupancy();
        let pawns = self.pawns(position, &occupancy);
        let quick = sum.balance + self.structure(&pawns) + self.prospects(position, &pawns);
        self.score(
            position,
            sum,
            quick + self.activity(position, &occupancy, &pawns, reaches),
        )
    }

    /// The same, but `Err` with a guess if that is so far outside a window that activity would not matter.
    pub fn evaluate_within(
        &self,
        position: &Position<N>,
        sum: &Accumulator,
        reaches: &Reaches<N>,
        (alpha, beta): (i32, i32),
    ) -> Result<i32, i32> {
        let occupancy = position.occupancy();
        let pawns = self.pawns(position, &occupancy);
        let quick = sum.balance + self.structure(&pawns) + self.prospects(position, &pawns);
        let guess = self.score(position, sum, quick);
        if guess + w::MOST_ACTIVITY <= alpha || guess - w::MOST_ACTIVITY >= beta {
            return Err(guess);
        }
        let activity = self.activity(position, &occupancy, &pawns, reaches);
        Ok(self.score(position, sum, quick + activity))
    }

    /// The score of the side to move from White's pair.
    fn score(&self, position: &Position<N>, sum: &Accumulator, pair: Pair) -> i32 {
        let phase = self.phase(sum);
        let mut white = (pair.mg * phase + pair.eg * (256 - phase)) / 256;
        white += self.lone_king(position, sum);
        let us = position.side_to_move();
        let score = w::TEMPO + if us == Colour::White { white } else { -white };
        let score = self.outlook(position, score);
        score.clamp(-Score::LARGEST_EVALUATION, Score::LARGEST_EVALUATION)
    }

    /// 256 with all men on the board, 0 with kings and pawns only.
    fn phase(&self, sum: &Accumulator) -> i32 {
        let left = i64::from(sum.material[0] + sum.material[1]);
        (left * 256 / i64::from(self.parameters.start_material)).clamp(0, 256) as i32
    }

    /// Drives a lone king to the edge.
    fn lone_king(&self, position: &Position<N>, sum: &Accumulator) -> i32 {
        let lone = |c: Colour| sum.material[c.index()] == 0 && position.all_men(c).count() == 1;
        let board = &position.compiled().rules.geometry;
        for weak in Colour::ALL {
            if lone(weak) && sum.material[(!weak).index()] > 0 {
                let (king, hunter) = (position.king(weak), position.king(!weak));
                let edge = super::sampling::steps_from_centre(board, king);
                let apart = |a: u8, b: u8| i32::from(a.abs_diff(b));
                let far = apart(board.file(king), board.file(hunter))
                    .max(apart(board.rank_index(king), board.rank_index(hunter)));
                let bonus = edge * w::LONE_KING_EDGE - far * w::LONE_KING_NEAR;
                return if weak == Colour::Black { bonus } else { -bonus };
            }
        }
        0
    }
}

/// The squares next to a king and two ranks before it, on its file and those beside.
fn shelter<const N: usize>(
    board: &crate::geometry::Geometry,
    us: Colour,
    king: Square,
) -> crate::bitboard::Bitboard<N> {
    let near = |&s: &Square| {
        let ahead = board.relative_rank(us, s) - board.relative_rank(us, king);
        board.file(s).abs_diff(board.file(king)) <= 1 && (0..=2).contains(&ahead) && s != king
    };
    board.all().filter(near).collect()
}
