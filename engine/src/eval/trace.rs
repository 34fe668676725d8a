//! [`Trace`]: the terms of a position, one by one, for tuning.

use super::evaluator::Evaluator;
use super::holders::powers_of;
use super::pair::Pair;
use super::parameters::Parameters;
use super::terms::{GRAINS, MOST_REACHED, Own, Sink, Term, root};
use crate::movegen::Reaches;
use crate::position::Position;
use crate::types::{Colour, Kind};

/// The terms of a position, White's less Black's.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trace {
    /// Terms and how often they occur; a term may stand there more than once.
    pub terms: Vec<(Term, i32)>,
    /// Units of danger that each side makes.
    pub units: [Vec<(Term, i32)>; 2],
    /// What no term stands for, in grains.
    pub fixed: Pair,
    /// Part of the middle game in 256ths.
    pub phase: i32,
    /// Part of the sum that counts, in 64ths.
    pub scale: i32,
}

struct Tracer<'a> {
    trace: Trace,
    parameters: &'a Parameters,
}

impl Sink for Tracer<'_> {
    fn add(&mut self, term: Term, count: i32) {
        if count != 0 {
            self.trace.terms.push((term, count));
        }
    }

    fn mobility(&mut self, kind: Kind, reached: usize, centre: usize, sign: i32) {
        let terms = &self.parameters.terms;
        let reached = reached.min(MOST_REACHED);
        self.add(
            terms.own(Own::Mobility, kind),
            sign * (reached as i32 - centre as i32),
        );
        self.add(
            terms.own(Own::MobilityRoot, kind),
            sign * (root(reached) - root(centre)),
        );
    }

    fn danger(&mut self, side: usize, term: Term, count: i32) {
        self.trace.units[side].push((term, count));
    }
}

impl<const N: usize> Evaluator<N> {
    /// The terms of a position; `None` where evaluation does more than to sum them up.
    pub fn trace(&self, position: &Position<N>, reaches: &Reaches<N>) -> Option<Trace> {
        let sum = self.accumulate(position);
        let ends = &position.compiled().rules.ends;
        let near_end = ends
            .n_move
            .is_some_and(|rule| position.halfmove() > rule.plies / 4);
        if near_end || self.lone_king(position, &sum) != 0 {
            return None;
        }
        let mut tracer = Tracer {
            trace: Trace::default(),
            parameters: &self.parameters,
        };
        for colour in Colour::ALL {
            self.men(position, colour, &mut tracer);
        }
        let occupancy = position.occupancy();
        let pawns = self.pawns(position, &occupancy);
        let gains = self.gains(position);
        self.standing(&pawns, &gains, &mut tracer);
        self.quick(position, &occupancy, (&pawns, &gains), &mut tracer);
        self.activity(position, &occupancy, &pawns, reaches, &mut tracer);
        let mut trace = tracer.trace;
        trace.phase = self.phase(&sum);
        let value = trace.value(&self.parameters.weights);
        trace.scale = self.scale(position, &sum, value);
        Some(trace)
    }

    fn men(&self, position: &Position<N>, colour: Colour, tracer: &mut Tracer<'_>) {
        let rules = &position.compiled().rules;
        let terms = &self.parameters.terms;
        let sign = if colour == Colour::White { 1 } else { -1 };
        for square in position.all_men(colour) {
            let (man, powers) = (position.man_on(square), position.powers(square));
            let kind = man.kind();
            tracer.add(terms.own(Own::Worth, kind), sign);
            for term in terms.standing(kind, terms.place(rules, colour, square)) {
                tracer.add(term, sign);
            }
            if powers == 0 {
                continue;
            }
            let mut fixed = self.man(man, powers, square) - self.parameters.man(man, square);
            for bit in powers_of(position.compiled().powers, powers) {
                let term = terms.power(bit, kind == rules.king);
                tracer.add(term, sign);
                fixed -= self.parameters.weights[term] * sign;
            }
            tracer.trace.fixed += fixed;
        }
    }
}

impl Trace {
    /// What the terms come to in centipawns, before scaling.
    pub fn value(&self, weights: &[Pair]) -> i32 {
        let linear = self
            .terms
            .iter()
            .fold(self.fixed, |sum, &(t, n)| sum + weights[t] * n);
        let units = [0, 1].map(|side: usize| {
            self.units[side]
                .iter()
                .map(|&(t, n)| weights[t].mg * n)
                .sum::<i32>()
        });
        let pair = linear + super::terms::danger(units[0]) - super::terms::danger(units[1]);
        (pair.mg * self.phase + pair.eg * (256 - self.phase)) / (256 * GRAINS)
    }
}
