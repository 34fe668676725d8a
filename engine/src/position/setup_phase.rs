//! The set-up phase of games with augmenters.

use super::{Position, State};
use crate::types::{Colour, Move, MoveKind, Square};

/// The set-up action that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetupStage {
    /// A side picks its regent's bases.
    Bases(Colour),
    /// A side places its augmenters.
    Augmenters(Colour),
}

impl SetupStage {
    /// Whose turn it is.
    #[must_use]
    pub fn side(self) -> Colour {
        match self {
            SetupStage::Bases(colour) | SetupStage::Augmenters(colour) => colour,
        }
    }

    fn next(self) -> Option<SetupStage> {
        match self {
            SetupStage::Bases(Colour::White) => Some(SetupStage::Bases(Colour::Black)),
            SetupStage::Bases(Colour::Black) => Some(SetupStage::Augmenters(Colour::White)),
            SetupStage::Augmenters(Colour::White) => Some(SetupStage::Augmenters(Colour::Black)),
            SetupStage::Augmenters(Colour::Black) => None,
        }
    }
}

impl<const N: usize> Position<N> {
    /// A side's holder squares with the number of augmenters of each, White's squares in order (or their mirrors).
    pub(crate) fn slots(&self, colour: Colour) -> Vec<(Square, u8)> {
        let rules = &self.compiled.rules;
        let slots = rules.augment.iter().flat_map(|a| a.slots.iter().copied());
        slots
            .filter_map(|(square, count)| match colour {
                Colour::White => Some((square, count)),
                Colour::Black => rules.geometry.mirrored(square).map(|s| (s, count)),
            })
            .collect()
    }

    /// The square of a side's regent on its start square.
    fn regent_home(&self, colour: Colour) -> Option<Square> {
        let regent = self.compiled.rules.augment.as_ref()?.regent.as_ref()?;
        self.slots(colour).into_iter().map(|(s, _)| s).find(|&s| {
            let man = self.man_on(s);
            !man.is_none() && man.kind() == regent.kind && man.colour() == colour
        })
    }

    pub(super) fn make_setup(&mut self, mv: Move) {
        let us = self.side;
        match mv.kind() {
            MoveKind::PickBases => {
                if let Some(square) = self.regent_home(us) {
                    self.set_powers(us, square, mv.payload() as u16);
                }
            }
            _ => {
                for (square, powers) in self.placement(us, mv.payload()) {
                    let bases = self.powers(square);
                    self.set_powers(us, square, bases | powers);
                }
            }
        }
        self.state.setup = self.state.setup.and_then(SetupStage::next);
        self.set_side(!us);
    }

    pub(super) fn unmake_setup(&mut self, mv: Move, before: &State) {
        let us = !self.side;
        let base_mask = self
            .compiled
            .rules
            .augment
            .as_ref()
            .map_or(0, |a| a.base_mask());
        match mv.kind() {
            MoveKind::PickBases => {
                if let Some(square) = self.regent_home(us) {
                    self.set_powers(us, square, 0);
                }
            }
            _ => {
                for (square, _) in self.slots(us) {
                    let bases = self.powers(square) & base_mask;
                    self.set_powers(us, square, bases);
                }
            }
        }
        self.side = us;
        self.state = *before;
    }

    /// Number of ways to place the augmenters.
    pub(crate) fn placements(&self) -> u32 {
        let mut left = self
            .slots(Colour::White)
            .iter()
            .map(|s| u32::from(s.1))
            .sum::<u32>();
        let mut ways: u32 = 1;
        for (_, count) in self.slots(Colour::White) {
            ways = ways.saturating_mul(binomial(left, u32::from(count)));
            left -= u32::from(count);
        }
        ways
    }

    /// The placement of a number: what each holder square gets.
    ///
    /// Slots in order, each a combination of the augmenters left, in lexicographic order; the first slot is
    /// the most significant.
    pub(crate) fn placement(&self, colour: Colour, number: u32) -> Vec<(Square, u16)> {
        let slots = self.slots(colour);
        let mut left: Vec<u16> = (0..slots.iter().map(|s| u16::from(s.1)).sum()).collect();
        let mut ways = self.placements();
        let mut rest = number % ways.max(1);
        let mut out = Vec::new();
        for (square, count) in slots {
            let combinations = binomial(left.len() as u32, u32::from(count));
            ways /= combinations.max(1);
            let chosen = combination(&left, usize::from(count), rest / ways.max(1));
            rest %= ways.max(1);
            left.retain(|a| !chosen.contains(a));
            out.push((square, chosen.iter().fold(0, |set, a| set | 1 << a)));
        }
        out
    }

    /// The number of a placement given by the sets of each slot, if it places every augmenter once.
    pub(crate) fn placement_number(&self, sets: &[u16]) -> Option<u32> {
        let slots = self.slots(Colour::White);
        if sets.len() != slots.len() {
            return None;
        }
        let mut left: Vec<u16> = (0..slots.iter().map(|s| u16::from(s.1)).sum()).collect();
        let mut number: u32 = 0;
        for (&set, (_, count)) in sets.iter().zip(slots) {
            if set.count_ones() != u32::from(count) {
                return None;
            }
            let ways = binomial(left.len() as u32, u32::from(count));
            let rank = (0..ways).find(|&r| {
                combination(&left, usize::from(count), r)
                    .iter()
                    .fold(0, |s, a| s | 1u16 << a)
                    == set
            })?;
            number = number * ways + rank;
            left.retain(|a| set >> a & 1 == 0);
        }
        Some(number)
    }
}

/// Number of ways to choose `k` of `n`.
fn binomial(n: u32, k: u32) -> u32 {
    if k > n {
        return 0;
    }
    (0..k).fold(1u64, |ways, i| ways * u64::from(n - i) / u64::from(i + 1)) as u32
}

/// The combination of a rank in lexicographic order.
fn combination(items: &[u16], size: usize, mut rank: u32) -> Vec<u16> {
    let mut chosen = Vec::new();
    let mut start = 0;
    while chosen.len() < size && start < items.len() {
        let with = binomial(
            (items.len() - start - 1) as u32,
            (size - chosen.len() - 1) as u32,
        );
        if rank < with {
            chosen.push(items[start]);
        } else {
            rank -= with;
        }
        start += 1;
    }
    chosen
}
