//! Tie-breaks to and from their messages.

use proto::v1;

use crate::model::{
    FormatKind, SpecError,
    standings::{Standings, TieBreak, Unplayed},
};

/// The message of a tournament's tie-breaks.
pub fn standings_to_wire(standings: &Standings) -> v1::StandingsRules {
    let tie_breaks = standings.tie_breaks.iter().copied();
    v1::StandingsRules {
        tie_breaks: tie_breaks
            .map(|tie_break| tie_break_to_wire(tie_break).into())
            .collect(),
        unplayed: unplayed_to_wire(standings.unplayed).into(),
    }
}

/// The checked tie-breaks of a message, for a tournament of a format.
pub(super) fn standings_from_wire(
    message: &v1::StandingsRules,
    kind: &FormatKind,
) -> Result<Standings, SpecError> {
    let tie_breaks = (0..).zip(&message.tie_breaks);
    let tie_breaks = tie_breaks
        .map(|(index, &number): (usize, _)| tie_break_from_wire(number, index))
        .collect::<Result<_, _>>()?;
    let unplayed = match v1::UnplayedRounds::try_from(message.unplayed) {
        Ok(v1::UnplayedRounds::Unspecified | v1::UnplayedRounds::NotCounted) => {
            Unplayed::NotCounted
        }
        Ok(v1::UnplayedRounds::Dummy) => Unplayed::Dummy,
        Err(_) => {
            let problem = format!("{} is not known", message.unplayed);
            return Err(SpecError::new("standings.unplayed", problem));
        }
    };
    Standings::new(tie_breaks, unplayed, kind)
}

/// The protocol's value of a rule for rounds not played.
pub fn unplayed_to_wire(unplayed: Unplayed) -> v1::UnplayedRounds {
    match unplayed {
        Unplayed::NotCounted => v1::UnplayedRounds::NotCounted,
        Unplayed::Dummy => v1::UnplayedRounds::Dummy,
    }
}

/// The protocol's value of a tie-break.
pub fn tie_break_to_wire(tie_break: TieBreak) -> v1::TieBreak {
    match tie_break {
        TieBreak::DirectEncounter => v1::TieBreak::DirectEncounter,
        TieBreak::SonnebornBerger => v1::TieBreak::SonnebornBerger,
        TieBreak::Wins => v1::TieBreak::Wins,
        TieBreak::WinsSecond => v1::TieBreak::WinsSecond,
        TieBreak::Buchholz => v1::TieBreak::Buchholz,
        TieBreak::BuchholzCut1 => v1::TieBreak::BuchholzCut1,
        TieBreak::MedianBuchholz => v1::TieBreak::MedianBuchholz,
        TieBreak::GamesSecond => v1::TieBreak::GamesSecond,
        TieBreak::Koya => v1::TieBreak::Koya,
        TieBreak::Progressive => v1::TieBreak::Progressive,
        TieBreak::FewerForfeits => v1::TieBreak::FewerForfeits,
        TieBreak::MeanOpponentRating => v1::TieBreak::MeanOpponentRating,
        TieBreak::Performance => v1::TieBreak::Performance,
    }
}

fn tie_break_from_wire(number: i32, index: usize) -> Result<TieBreak, SpecError> {
    let mut all = TieBreak::ALL.iter().copied();
    let found = all.find(|&tie_break| i32::from(tie_break_to_wire(tie_break)) == number);
    found.ok_or_else(|| {
        let known = TieBreak::ALL.iter().copied().map(tie_break_to_wire);
        let known: Vec<_> = known.map(|value| value.as_str_name()).collect();
        SpecError::new(
            format!("standings.tie_breaks[{index}]"),
            format!("{number} is not known; there are {}", known.join(", ")),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Journals hold the numbers, so that none may ever mean something else.
    #[test]
    fn numbers_in_journals_keep_their_meaning() {
        let stored = [
            (1, "direct-encounter"),
            (2, "sonneborn-berger"),
            (3, "wins"),
            (4, "wins-second"),
            (5, "buchholz"),
            (6, "buchholz-cut-1"),
            (7, "median-buchholz"),
            (8, "games-second"),
            (9, "koya"),
            (10, "progressive"),
            (11, "fewer-forfeits"),
            (12, "mean-opponent-rating"),
            (13, "performance"),
        ];
        assert_eq!(stored.len(), TieBreak::ALL.len());
        for (number, name) in stored {
            let read = tie_break_from_wire(number, 0).unwrap();
            assert_eq!(read.text(), name);
        }
        // A tournament as an older program stored it, byte by byte: field 1 packed, field 2.
        let bytes: &[u8] = &[0x0a, 3, 6, 1, 11, 0x10, 2];
        let message = <v1::StandingsRules as prost::Message>::decode(bytes).unwrap();
        let read = standings_from_wire(&message, &FormatKind::HeadToHead).unwrap();
        let names: Vec<_> = read.tie_breaks.iter().map(|own| own.text()).collect();
        assert_eq!(
            (names, read.unplayed),
            (
                vec!["buchholz-cut-1", "direct-encounter", "fewer-forfeits"],
                Unplayed::Dummy
            )
        );
    }
}
