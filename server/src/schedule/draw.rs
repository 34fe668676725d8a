//! Formats whose pairings follow from results: what they look at, and what they draw.
//!
//! Such a format is a pure function of its options, the seed, the entries and the results so far, all in a [`History`], to
//! a [`Step`]. The coordinator asks again whenever results have come, stores what was drawn, and asks with that; so a
//! tournament resumes from its records, and every draw can be made again from what it was made from.

use crate::ratings::PairTable;

/// One player as a format sees it. Players are numbered from 0 in seed order; those who came later follow.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Entry {
    /// Takes part in no further encounter.
    pub withdrawn: bool,
}

/// Encounters that can be played now, side by side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draw {
    /// Round, from 0. Several draws may belong to one round.
    pub round: u64,
    /// The players of each encounter, by number; the first one moves first in the first game of each pair.
    pub encounters: Vec<[usize; 2]>,
    /// Game pairs of each encounter, at least 1.
    pub pairs: u64,
    /// Players who take part in the round and have no opponent in it.
    pub byes: Vec<usize>,
    /// Number of the opening of each encounter's first pair, after which the next ones follow; empty = every pair has the
    /// number of its index.
    ///
    /// A format in which every encounter has its own consequences numbers openings itself, so that the same encounters are
    /// played from the same openings whatever is over first.
    pub openings: Vec<u64>,
}

impl Draw {
    /// The encounter of the pair of this index within the draw, and how many pairs of it come before.
    ///
    /// All encounters are played once, then all again, so that early tables compare. Where every encounter has its own
    /// consequences one is played to its end before the next.
    pub fn place_of(&self, pair: u64) -> Option<(usize, u64)> {
        let encounters = self.encounters.len() as u64;
        let (at, cycle) = if self.openings.is_empty() {
            (pair.checked_rem(encounters)?, pair.checked_div(encounters)?)
        } else {
            (pair.checked_div(self.pairs)?, pair.checked_rem(self.pairs)?)
        };
        let at = usize::try_from(at).ok()?;
        (at < self.encounters.len()).then_some((at, cycle))
    }
}

/// A draw and what has come of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drawn {
    /// What was drawn.
    pub draw: Draw,
    /// What became of each encounter, in their order.
    pub results: Vec<Played>,
}

/// The games of one encounter so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Played {
    /// Results, seen by the encounter's first player.
    pub table: PairTable,
    /// Games that are still to come; 0 = the encounter is over. Games of a withdrawn player that were not played never come.
    pub missing: u64,
}

/// Everything that a format looks at.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct History {
    /// The tournament's seed.
    pub seed: u64,
    /// The players.
    pub entries: Vec<Entry>,
    /// The draws so far, oldest first.
    pub draws: Vec<Drawn>,
}

/// What a format does next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// These encounters are determined: play them.
    Draw(Draw),
    /// Results are missing from which the next pairings follow.
    Wait,
    /// Everything was drawn.
    Over,
}

impl History {
    /// All encounters with their round, in the order in which they were drawn.
    pub fn encounters(&self) -> impl Iterator<Item = (u64, [usize; 2], &Played)> + '_ {
        self.draws.iter().flat_map(|drawn| {
            let encounters = drawn.draw.encounters.iter().zip(&drawn.results);
            encounters.map(|(&players, played)| (drawn.draw.round, players, played))
        })
    }

    /// Whether games of what was drawn are still to come.
    pub fn is_waiting(&self) -> bool {
        self.encounters().any(|(_, _, played)| played.missing > 0)
    }

    /// Numbers of the players who have not withdrawn, in seed order.
    pub fn active(&self) -> impl Iterator<Item = usize> + '_ {
        let entries = self.entries.iter().enumerate();
        entries.filter_map(|(player, entry)| (!entry.withdrawn).then_some(player))
    }
}
