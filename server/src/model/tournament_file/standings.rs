//! The table `[standings]`.

use super::raw;
use crate::model::{
    FormatKind, SpecError,
    standings::{Standings, TieBreak, Unplayed},
};

/// The tie-breaks of a file, for a tournament of a format.
pub(super) fn from_raw(raw: raw::Standings, kind: &FormatKind) -> Result<Standings, SpecError> {
    let tie_breaks = raw.tie_breaks.map(|names| TieBreak::of_names(&names));
    let unplayed = match raw.unplayed {
        raw::Unplayed::NotCounted => Unplayed::NotCounted,
        raw::Unplayed::Dummy => Unplayed::Dummy,
    };
    Standings::new(tie_breaks.transpose()?.unwrap_or_default(), unplayed, kind)
}

/// The table that [`from_raw`] reads as these tie-breaks.
pub(super) fn to_raw(standings: &Standings) -> raw::Standings {
    let names = standings.tie_breaks.iter();
    raw::Standings {
        tie_breaks: Some(names.map(|tie_break| tie_break.text().to_owned()).collect()),
        unplayed: match standings.unplayed {
            Unplayed::NotCounted => raw::Unplayed::NotCounted,
            Unplayed::Dummy => raw::Unplayed::Dummy,
        },
    }
}
