//! [`Evaluator`]: what a position is worth to the side to move.

use std::sync::Arc;

use super::accumulator::Accumulator;
use super::activity::Ahead;
use super::holders::{Holders, holder_reach, holder_worth};
use super::pair::Pair;
use super::parameters::{Parameters, all_worth};
use super::pawn_table::{Known, PawnTable};
use super::pawns::{Files, Pawns};
use super::prospects::{Gains, Prospects};
use super::sampling::Samples;
use super::terms::{GRAINS, Sink, Term, danger, once};
use super::weights as w;
use crate::attacks::Occupancy;
use crate::bitboard::Bitboard;
use crate::movegen::Reaches;
use crate::position::{Compiled, Position};
use crate::search::Score;
use crate::simd::kernels;
use crate::types::{Colour, Kind, Square};
use crate::variant::rule_set::CountResult;

/// How much parts of the evaluation count, in percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Style {
    pub mobility: i32,
    pub king_safety: i32,
}

kernels! {
    /// The kernel of evaluation.
    struct Kernels<N> {
        /// What a position is worth, or a guess far outside a window.
        fn assess(
            evaluator: &Evaluator<N>,
            position: &Position<N>,
            sum: &Accumulator,
            memory: Memory<'_, N>,
            window: (i32, i32)
        ) -> Result<i32, i32> = Evaluator::assess;
    }
}

/// What evaluation remembers from other positions.
#[derive(Clone, Copy)]
pub(crate) struct Memory<'a, const N: usize> {
    pub reaches: &'a Reaches<N>,
    pub pawns: &'a PawnTable<N>,
    /// A key of the squares and types of the pawns.
    pub key: u64,
}

/// The evaluation of a variant's positions.
pub(crate) struct Evaluator<const N: usize> {
    pub(super) parameters: Arc<Parameters>,
    pub(super) holders: Holders,
    pub(super) style: Style,
    pub(super) prospects: Prospects<N>,
    /// By square: the king's steps from it and itself.
    pub(super) zone: Vec<Bitboard<N>>,
    /// By square: what is within two steps of it.
    pub(super) near: Vec<Bitboard<N>>,
    pub(super) files: Files<N>,
    /// By colour and square of the king: what lies ahead of it.
    pub(super) shelter: [Vec<Ahead<N>>; 2],
    pub(super) pawn_kinds: Vec<Kind>,
    /// Pawns capture by leaps alone: what they attack does not depend on what stands where.
    pub(super) pawns_leap: bool,
    pub(super) mirror: Vec<Square>,
    pub(super) phase: [i32; Kind::MAX],
    /// What the lightest type but pawns is worth.
    lightest: i32,
    brouhaha: Bitboard<N>,
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
            near: board
                .all()
                .map(|s| {
                    board
                        .all()
                        .filter(|&other| {
                            board.file(s).abs_diff(board.file(other)) <= 2
                                && board.rank_index(s).abs_diff(board.rank_index(other)) <= 2
                        })
                        .collect()
                })
                .collect(),
            files: Files::new(board),
            shelter: Colour::ALL.map(|c| board.all().map(|s| Ahead::new(board, c, s)).collect()),
            pawn_kinds: compiled.pawns().collect(),
            pawns_leap: compiled.pawns().all(|kind| {
                let leaps = |c| compiled.tables.kind(c, kind).captures_by_leaps();
                Colour::ALL.into_iter().all(leaps)
            }),
            mirror: board
                .all()
                .map(|s| board.mirrored(s).unwrap_or(s))
                .collect(),
            phase: parameters.phase,
            lightest: parameters
                .phase
                .into_iter()
                .filter(|&p| p > 0)
                .min()
                .unwrap_or(0),
            brouhaha: board.all().filter(|&s| board.is_brouhaha(s)).collect(),
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

    /// What a man of a type is worth with powers (bits as in a position), standing aside, in centipawns.
    pub fn holder_worth(&self, compiled: &Compiled<N>, kind: Kind, powers: u16) -> i32 {
        let samples = Samples::new(compiled);
        let reach = holder_reach(compiled, &samples, kind, powers);
        let mean = samples.mean(&reach);
        let worth = holder_worth(compiled, &self.parameters, kind, powers, &mean);
        (worth.mg + worth.eg) / 2
    }

    /// What a position is worth to the side to move, in centipawns.
    pub fn evaluate(
        &self,
        position: &Position<N>,
        sum: &Accumulator,
        memory: Memory<'_, N>,
    ) -> i32 {
        let all = (-2 * Score::INFINITE, 2 * Score::INFINITE);
        let looked = self.evaluate_within(position, sum, memory, all);
        looked.unwrap_or_else(|guess| guess)
    }

    /// The same, but `Err` with a guess if that is so far outside a window that activity would not matter.
    pub fn evaluate_within(
        &self,
        position: &Position<N>,
        sum: &Accumulator,
        memory: Memory<'_, N>,
        window: (i32, i32),
    ) -> Result<i32, i32> {
        Kernels::at(position.level).assess(self, position, sum, memory, window)
    }

    #[inline(always)]
    fn assess(
        &self,
        position: &Position<N>,
        sum: &Accumulator,
        memory: Memory<'_, N>,
        (alpha, beta): (i32, i32),
    ) -> Result<i32, i32> {
        let occupancy = position.occupancy();
        let gains = self.gains(position);
        let find = || {
            let pawns = self.pawns(position, &occupancy);
            let mut total = self.total();
            self.standing(&pawns, &gains, &mut total);
            Known {
                pawns,
                sum: total.sum,
            }
        };
        let known = if self.pawns_leap {
            let key = memory.key ^ self.prospects.key(&gains);
            memory.pawns.get(key, find)
        } else {
            find()
        };
        let pawns = known.pawns;
        let mut total = self.total();
        total.sum = known.sum;
        self.quick(position, &occupancy, (&pawns, &gains), &mut total);
        let phase = self.phase(sum);
        let guess = self.score(position, sum, phase, &total);
        if guess + w::MOST_ACTIVITY <= alpha || guess - w::MOST_ACTIVITY >= beta {
            return Err(guess);
        }
        self.activity(position, &occupancy, &pawns, memory.reaches, &mut total);
        Ok(self.score(position, sum, phase, &total))
    }

    fn total(&self) -> Total<'_> {
        Total {
            parameters: &self.parameters,
            sum: Pair::ZERO,
            mobility: Pair::ZERO,
            units: [0; 2],
        }
    }

    /// Notes the terms that where the pawns stand and what they gain by promotion decide alone.
    #[inline(always)]
    pub(super) fn standing<S: Sink>(&self, pawns: &Pawns<N>, gains: &Gains, sink: &mut S) {
        self.structure(pawns, sink);
        self.distant_hopes(pawns, gains, sink);
    }

    /// Notes the other terms that need no look at where men reach, but material and squares.
    #[inline(always)]
    pub(super) fn quick<S: Sink>(
        &self,
        position: &Position<N>,
        occupancy: &Occupancy<N>,
        (pawns, gains): (&Pawns<N>, &Gains),
        sink: &mut S,
    ) {
        self.near_hopes(position, occupancy, (pawns, gains), sink);
        let white = |colour| if colour == Colour::White { 1 } else { -1 };
        sink.add(once::TEMPO, white(position.side_to_move()));
        let rules = &position.compiled().rules;
        let rights = rules
            .castling
            .iter()
            .enumerate()
            .filter(|(i, _)| position.has_right(*i));
        sink.add(
            once::CASTLING,
            rights.map(|(_, right)| white(right.colour)).sum(),
        );
        if let Some(imitator) = rules.imitator {
            for us in Colour::ALL {
                let count = position.men(us, imitator).count() as i32;
                if count > 0 {
                    let (worth, men) = all_worth(&self.parameters, position, !us);
                    let more = worth / men.max(1) - self.parameters.start_mean;
                    sink.add(once::MODELS, white(us) * count * more / 16);
                }
            }
        }
        if self.brouhaha.any() {
            let on = |c| (position.all_men(c) & self.brouhaha).count() as i32;
            sink.add(once::UNDEVELOPED, on(Colour::White) - on(Colour::Black));
        }
    }

    /// The score of the side to move from White's terms.
    #[inline(always)]
    fn score(
        &self,
        position: &Position<N>,
        sum: &Accumulator,
        phase: i32,
        total: &Total<'_>,
    ) -> i32 {
        let mut pair = sum.balance + total.sum + total.mobility.percent(self.style.mobility);
        let [white, black] = total.units.map(danger);
        pair += (white - black).percent(self.style.king_safety);
        let mut white = (pair.mg * phase + pair.eg * (256 - phase)) / (256 * GRAINS);
        white = white * self.scale(position, sum, white) / 64;
        white += self.lone_king(position, sum);
        let us = position.side_to_move();
        let score = self.outlook(position, if us == Colour::White { white } else { -white });
        score.clamp(-Score::LARGEST_EVALUATION, Score::LARGEST_EVALUATION)
    }

    /// What part of a lead counts, in 64ths: a side without pawns that leads by less than a light man
    /// hardly wins, where nothing but mate does.
    pub(super) fn scale(&self, position: &Position<N>, sum: &Accumulator, white: i32) -> i32 {
        let ends = &position.compiled().rules.ends;
        if ends
            .n_move
            .is_some_and(|rule| rule.result == CountResult::Points)
        {
            return 64;
        }
        let leader = if white > 0 {
            Colour::White
        } else {
            Colour::Black
        };
        let pawns = self
            .pawn_kinds
            .iter()
            .any(|&k| position.men(leader, k).any());
        let lead = sum.material(leader) - sum.material(!leader);
        if pawns || lead > self.lightest + w::LEAST_PHASE / 3 {
            64
        } else if sum.material(leader) <= self.lightest + w::LEAST_PHASE / 3 {
            4
        } else {
            16
        }
    }

    /// 256 with all men on the board, 0 with kings and pawns only.
    pub(super) fn phase(&self, sum: &Accumulator) -> i32 {
        let left = i64::from(sum.material[0] + sum.material[1]);
        (left * 256 / i64::from(self.parameters.start_material)).clamp(0, 256) as i32
    }

    /// Drives a lone king to the edge.
    pub(super) fn lone_king(&self, position: &Position<N>, sum: &Accumulator) -> i32 {
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

/// What a position comes to.
struct Total<'a> {
    parameters: &'a Parameters,
    sum: Pair,
    mobility: Pair,
    units: [i32; 2],
}

impl Sink for Total<'_> {
    #[inline(always)]
    fn add(&mut self, term: Term, count: i32) {
        self.sum += self.parameters.weights[term] * count;
    }

    #[inline(always)]
    fn mobility(&mut self, kind: Kind, reached: usize, centre: usize, sign: i32) {
        let mut value = self.parameters.mobility(kind, reached);
        if centre != self.parameters.centre[kind.index()] {
            value -= self.parameters.mobility(kind, centre);
        }
        self.mobility += value * sign;
    }

    #[inline(always)]
    fn danger(&mut self, side: usize, term: Term, count: i32) {
        self.units[side] += self.parameters.weights[term].mg * count;
    }
}
