//! The columns of standings for people: the same heads, names, cells and words wherever a table is printed.

use proto::v1::{self, StandingsOrder, TieBreak};

use crate::ratings::{Quarters, elo::EloHundredths};

/// Which tie-breaks have a column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shown {
    /// Those of the tournament's list.
    #[default]
    List,
    /// Those of the list in its order, then all others.
    All,
}

/// A tie-break as a column.
pub struct Column {
    /// The tie-break.
    pub tie_break: TieBreak,
    /// Its head in a table.
    pub head: &'static str,
    /// Its name for people.
    pub name: &'static str,
    /// Its cell in a player's row; a hyphen where it is void.
    pub cell: fn(&v1::StandingColumns) -> String,
}

const fn column(
    tie_break: TieBreak,
    head: &'static str,
    name: &'static str,
    cell: fn(&v1::StandingColumns) -> String,
) -> Column {
    Column {
        tie_break,
        head,
        name,
        cell,
    }
}

/// All tie-breaks.
const COLUMNS: [Column; 13] = [
    column(TieBreak::DirectEncounter, "DE", "direct encounter", |row| {
        row.direct_encounter_quarters.map_or_else(void, points)
    }),
    column(TieBreak::SonnebornBerger, "SB", "Sonneborn-Berger", |row| {
        sixteenths(row.sonneborn_berger_sixteenths)
    }),
    column(TieBreak::Wins, "W", "wins", |row| row.wins.to_string()),
    column(TieBreak::WinsSecond, "W2", "wins as second", |row| {
        row.wins_second.to_string()
    }),
    column(TieBreak::Buchholz, "BH", "Buchholz", |row| {
        points(row.buchholz_quarters)
    }),
    column(TieBreak::BuchholzCut1, "BC1", "Buchholz Cut-1", |row| {
        points(row.buchholz_cut1_quarters)
    }),
    column(TieBreak::MedianBuchholz, "MBH", "median Buchholz", |row| {
        points(row.median_buchholz_quarters)
    }),
    column(TieBreak::GamesSecond, "G2", "games as second", |row| {
        row.games_second.to_string()
    }),
    column(
        TieBreak::Koya,
        "Koya",
        "points against those with half of theirs",
        |row| points(row.koya_quarters),
    ),
    column(TieBreak::Progressive, "PS", "progressive score", |row| {
        row.progressive_quarters.map_or_else(void, points)
    }),
    column(
        TieBreak::FewerForfeits,
        "FF",
        "games forfeited, the fewer the better",
        |row| {
            row.forfeits
                .map_or_else(void, |forfeits| forfeits.to_string())
        },
    ),
    column(
        TieBreak::MeanOpponentRating,
        "ARO",
        "average rating of the opponents",
        |row| row.mean_opponent_hundredths.map_or_else(void, elo),
    ),
    column(TieBreak::Performance, "TPR", "performance rating", |row| {
        row.performance_hundredths.map_or_else(void, elo)
    }),
];

fn void() -> String {
    "-".to_owned()
}

fn points(quarters: u64) -> String {
    Quarters(quarters).to_string()
}

fn elo(hundredths: i64) -> String {
    EloHundredths(hundredths).to_string()
}

fn sixteenths(value: u64) -> String {
    let text = format!("{}.{:04}", value / 16, value % 16 * 625);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The columns of a list of tie-breaks, in its order.
fn listed(tie_breaks: &[TieBreak]) -> impl Iterator<Item = &'static Column> + '_ {
    let column = |own: &TieBreak| COLUMNS.iter().find(|column| column.tie_break == *own);
    tie_breaks.iter().filter_map(column)
}

/// The columns that a table has beside those of outcomes, among which wins are.
pub fn columns(tie_breaks: &[TieBreak], shown: Shown) -> Vec<&'static Column> {
    let others = COLUMNS.iter().filter(|column| match shown {
        Shown::List => false,
        Shown::All => !tie_breaks.contains(&column.tie_break),
    });
    listed(tie_breaks)
        .chain(others)
        .filter(|column| column.tie_break != TieBreak::Wins)
        .collect()
}

/// What the order of a table rests on, as a sentence.
pub fn order(by: StandingsOrder, is_by_percentage: bool, tie_breaks: &[TieBreak]) -> String {
    let points = match is_by_percentage {
        true => "points a game",
        false => "points",
    };
    let mut order = match by {
        StandingsOrder::Course => vec!["how far they came", points],
        StandingsOrder::Rating => vec!["rating, since some had harder opponents than others"],
        StandingsOrder::PointsPerGame | StandingsOrder::Points | StandingsOrder::Unspecified => {
            vec![points]
        }
    };
    if by != StandingsOrder::Rating {
        order.extend(listed(tie_breaks).map(|column| column.head));
    }
    format!("Order by {}, then in order of entry.", order.join(", "))
}

/// What the heads of columns mean, as a sentence; empty without columns.
pub fn meanings(columns: &[&Column]) -> String {
    let meanings: Vec<_> = columns
        .iter()
        .map(|column| format!("{}: {}", column.head, column.name))
        .collect();
    match &meanings[..] {
        [] => String::new(),
        meanings => format!("{}.", meanings.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{standings as model, wire};

    #[test]
    fn every_tie_break_has_a_column_of_its_own() {
        let all = model::TieBreak::ALL.iter();
        let all: Vec<TieBreak> = all.map(|own| wire::tie_break_to_wire(*own)).collect();
        assert_eq!(listed(&all).count(), all.len());
        assert_eq!(COLUMNS.len(), all.len());
        let heads: std::collections::BTreeSet<_> = COLUMNS.iter().map(|own| own.head).collect();
        assert_eq!(heads.len(), COLUMNS.len());
        // Each value shows in one column only, and in the right one.
        let row = v1::StandingColumns {
            wins: 1,
            wins_second: 2,
            games_second: 3,
            sonneborn_berger_sixteenths: 65,
            buchholz_quarters: 21,
            buchholz_cut1_quarters: 22,
            median_buchholz_quarters: 23,
            koya_quarters: 28,
            progressive_quarters: Some(32),
            direct_encounter_quarters: Some(36),
            forfeits: Some(10),
            points_per_game: None,
            mean_opponent_hundredths: Some(-1105),
            performance_hundredths: Some(1230),
        };
        let cells = COLUMNS
            .iter()
            .map(|column| (column.head, (column.cell)(&row)));
        let expected = [
            ("DE", "9"),
            ("SB", "4.0625"),
            ("W", "1"),
            ("W2", "2"),
            ("BH", "5.25"),
            ("BC1", "5.5"),
            ("MBH", "5.75"),
            ("G2", "3"),
            ("Koya", "7"),
            ("PS", "8"),
            ("FF", "10"),
            ("ARO", "-11.05"),
            ("TPR", "12.30"),
        ];
        assert!(cells.eq(expected.map(|(head, cell)| (head, cell.to_owned()))));
        let void = v1::StandingColumns::default();
        for head in ["DE", "PS", "FF", "ARO", "TPR"] {
            let column = COLUMNS.iter().find(|column| column.head == head).unwrap();
            assert_eq!((column.cell)(&void), "-");
        }
        assert_eq!([0, 8, 16, 160].map(sixteenths), ["0", "0.5", "1", "10"]);
    }

    #[test]
    fn the_list_comes_first_and_wins_only_in_the_sentence() {
        let list = [TieBreak::Koya, TieBreak::Wins, TieBreak::Performance];
        let heads = |shown| -> Vec<_> {
            let columns = columns(&list, shown);
            columns.iter().map(|column| column.head).collect()
        };
        assert_eq!(heads(Shown::List), ["Koya", "TPR"]);
        assert_eq!(
            heads(Shown::All),
            [
                "Koya", "TPR", "DE", "SB", "W2", "BH", "BC1", "MBH", "G2", "PS", "FF", "ARO"
            ]
        );
        for (by, is_by_percentage, sentence) in [
            (
                StandingsOrder::Points,
                false,
                "points, Koya, W, TPR, then in order of entry.",
            ),
            (
                StandingsOrder::PointsPerGame,
                true,
                "points a game, Koya, W, TPR, then in order of entry.",
            ),
            (
                StandingsOrder::Course,
                true,
                "how far they came, points a game, Koya, W, TPR, then in order of entry.",
            ),
            (
                StandingsOrder::Rating,
                true,
                "rating, since some had harder opponents than others, then in order of entry.",
            ),
        ] {
            let found = order(by, is_by_percentage, &list);
            assert_eq!(found, format!("Order by {sentence}"));
        }
        assert_eq!(
            meanings(&columns(&list, Shown::List)),
            "Koya: points against those with half of theirs, TPR: performance rating."
        );
        assert_eq!(meanings(&[]), "");
    }
}
