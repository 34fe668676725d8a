//! The tie-breaks of a tournament: chosen in its file, fixed when it is made, and all columns in every row. Expected numbers
//! are added up here game by game.

use proto::v1::{self, FormatKind, TieBreak, cross_table_part, rating_scope::Kind};
use tonic::Code;

use super::{
    harness::{Running, config, varied},
    rating_past::{Reported, play_all},
};

fn rules(tie_breaks: &[TieBreak], unplayed: v1::UnplayedRounds) -> Option<v1::StandingsRules> {
    Some(v1::StandingsRules {
        tie_breaks: tie_breaks.iter().map(|&one| one.into()).collect(),
        unplayed: unplayed.into(),
    })
}

/// One player's games: (opponent, own quarters, whether it moved first), in order of storing, which is that of rounds.
fn games_of<'a>(reported: &'a [Reported], player: &'a str) -> Vec<(&'a str, u64, bool)> {
    let own = |game: &'a Reported| match () {
        () if game.first == player => Some((game.second.as_str(), game.quarters, true)),
        () if game.second == player => Some((game.first.as_str(), 4 - game.quarters, false)),
        () => None,
    };
    reported.iter().filter_map(own).collect()
}

fn points(reported: &[Reported], player: &str) -> u64 {
    games_of(reported, player).iter().map(|game| game.1).sum()
}

/// All columns but direct encounter, slowly.
fn columns(reported: &[Reported], player: &str) -> v1::StandingColumns {
    let games = games_of(reported, player);
    let mut opponents: Vec<u64> = games
        .iter()
        .map(|(opponent, ..)| points(reported, opponent))
        .collect();
    let total: u64 = opponents.iter().sum();
    opponents.sort_unstable();
    let count = |is: &dyn Fn(&(&str, u64, bool)) -> bool| {
        games.iter().filter(|game| is(game)).count() as u64
    };
    // A round is a pair of games: both count in it and in all rounds after it.
    let rounds = games.len() / 2;
    let progressive = games.iter().enumerate();
    let progressive = progressive.map(|(index, game)| game.1 * (rounds - index / 2) as u64);
    let strong = |opponent: &str| {
        2 * points(reported, opponent) >= 4 * games_of(reported, opponent).len() as u64
    };
    v1::StandingColumns {
        wins: count(&|game| game.1 == 4),
        wins_second: count(&|game| game.1 == 4 && !game.2),
        games_second: count(&|game| !game.2),
        sonneborn_berger_sixteenths: games
            .iter()
            .map(|(opponent, own, _)| own * points(reported, opponent))
            .sum(),
        buchholz_quarters: total,
        buchholz_cut1_quarters: total - opponents[0],
        median_buchholz_quarters: total - opponents[0] - opponents[opponents.len() - 1],
        koya_quarters: games
            .iter()
            .filter(|(opponent, ..)| strong(opponent))
            .map(|game| game.1)
            .sum(),
        progressive_quarters: Some(progressive.sum()),
        direct_encounter_quarters: None,
        forfeits: Some(0),
        points_per_game: Some(points(reported, player) as f64 / 4.0 / games.len() as f64),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_row_has_all_columns_and_the_list_decides() {
    let folder = tempfile::tempdir().unwrap();
    let running = Running::start(config(folder.path())).await;
    let list = [
        TieBreak::Wins,
        TieBreak::SonnebornBerger,
        TieBreak::Progressive,
    ];
    let made = running
        .create(v1::TournamentSpec {
            standings: rules(&list, v1::UnplayedRounds::Unspecified),
            batch_pairs: 1,
            ..varied(FormatKind::RoundRobin, 6, 1)
        })
        .await;
    let reported = play_all(&running).await;
    // It is stored with the tournament.
    running.stop().await;
    let running = Running::start(config(folder.path())).await;
    let stored = running.tournament(made.id).await.spec.unwrap().standings;
    assert_eq!(stored, rules(&list, v1::UnplayedRounds::NotCounted));
    let table = running.standings(made.id).await;
    assert_eq!(table.tie_breaks().collect::<Vec<_>>(), list);
    assert_eq!(
        (table.unplayed(), table.by_percentage),
        (v1::UnplayedRounds::NotCounted, false)
    );
    for row in &table.rows {
        assert_eq!(
            row.columns,
            Some(columns(&reported, &row.name)),
            "{}",
            row.name
        );
        assert_eq!(row.quarters, points(&reported, &row.name));
    }
    let value = |row: &v1::StandingsRow| {
        let own = columns(&reported, &row.name);
        let last = std::cmp::Reverse(row.player);
        (
            row.quarters,
            own.wins,
            own.sonneborn_berger_sixteenths,
            own.progressive_quarters,
            last,
        )
    };
    assert!(
        table
            .rows
            .is_sorted_by_key(|row| std::cmp::Reverse(value(row)))
    );

    // The cross-table of the tournament says the same.
    let request = v1::CrossTableRequest {
        scope: Some(v1::RatingScope {
            kind: Some(Kind::TournamentId(made.id)),
        }),
        ..Default::default()
    };
    let mut parts = running
        .ratings()
        .await
        .cross_table(request)
        .await
        .unwrap()
        .into_inner();
    let Some(cross_table_part::Part::Head(head)) = parts.message().await.unwrap().unwrap().part
    else {
        panic!("no head")
    };
    assert_eq!(head.tie_breaks().collect::<Vec<_>>(), list);
    for row in &table.rows {
        let Some(cross_table_part::Part::Row(cross)) = parts.message().await.unwrap().unwrap().part
        else {
            panic!("no row")
        };
        assert_eq!(
            (cross.rank, &cross.name, cross.columns),
            (row.rank, &row.name, row.columns)
        );
    }
    running.stop().await;
}

/// The value of a tie-break, by the row's columns; more is better.
fn value(row: &v1::StandingsRow, tie_break: TieBreak) -> Option<u64> {
    let columns = row.columns.unwrap();
    Some(match tie_break {
        TieBreak::Unspecified => return None,
        TieBreak::DirectEncounter => return columns.direct_encounter_quarters,
        TieBreak::SonnebornBerger => columns.sonneborn_berger_sixteenths,
        TieBreak::Wins => columns.wins,
        TieBreak::WinsSecond => columns.wins_second,
        TieBreak::Buchholz => columns.buchholz_quarters,
        TieBreak::BuchholzCut1 => columns.buchholz_cut1_quarters,
        TieBreak::MedianBuchholz => columns.median_buchholz_quarters,
        TieBreak::GamesSecond => columns.games_second,
        TieBreak::Koya => columns.koya_quarters,
        TieBreak::Progressive => columns.progressive_quarters?,
        TieBreak::FewerForfeits => 99 - columns.forfeits?,
    })
}

/// Tournaments with many ties: many players, few games. Those whose values are equal for all who are tied when everyone has
/// met everyone are left out.
#[tokio::test(flavor = "multi_thread")]
async fn equal_points_are_told_apart_by_the_list_of_the_tournament() {
    let (running, _folder) = Running::fresh().await;
    let all = [
        TieBreak::DirectEncounter,
        TieBreak::SonnebornBerger,
        TieBreak::Koya,
        TieBreak::Progressive,
    ];
    let (mut ties, mut told_apart) = (0, std::collections::BTreeSet::new());
    for (seed, &first) in (0..).zip(&all) {
        let list = [first, all[(seed as usize + 1) % all.len()]];
        let made = running
            .create(v1::TournamentSpec {
                seed,
                standings: rules(&list, v1::UnplayedRounds::Dummy),
                max_plies: 120,
                ..varied(FormatKind::RoundRobin, 8, 1)
            })
            .await;
        let reported = play_all(&running).await;
        let table = running.standings(made.id).await;
        assert_eq!(table.unplayed(), v1::UnplayedRounds::Dummy);
        assert_eq!(table.tie_breaks().collect::<Vec<_>>(), list);
        for two in table.rows.windows(2) {
            let key = |row: &v1::StandingsRow| {
                let last = std::cmp::Reverse(row.player);
                (row.quarters, value(row, list[0]), value(row, list[1]), last)
            };
            // A direct encounter asked for second is of those who are still tied then.
            assert!(key(&two[0]) > key(&two[1]), "{list:?} {two:?}");
            if two[0].quarters == two[1].quarters && value(&two[0], first) != value(&two[1], first)
            {
                told_apart.insert(first as i32);
            }
        }
        if first != TieBreak::DirectEncounter {
            continue;
        }
        for row in &table.rows {
            let tied = |name: &str| {
                let same = table
                    .rows
                    .iter()
                    .filter(|other| other.quarters == row.quarters);
                same.into_iter()
                    .any(|other| other.name == name && name != row.name)
            };
            let mutual = games_of(&reported, &row.name).into_iter();
            let mutual: Vec<u64> = mutual
                .filter(|game| tied(game.0))
                .map(|game| game.1)
                .collect();
            // All have met equally often, so that it is void for nobody who is tied.
            let expected = (!mutual.is_empty()).then(|| mutual.iter().sum());
            ties += mutual.len();
            assert_eq!(row.columns.unwrap().direct_encounter_quarters, expected);
        }
    }
    assert!(ties > 0);
    assert_eq!(told_apart.len(), all.len(), "{told_apart:?}");
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_tie_breaks_are_refused_and_usual_ones_change_nothing() {
    let (running, _folder) = Running::fresh().await;
    let plain = running.create(varied(FormatKind::HeadToHead, 2, 1)).await;
    let usual = [
        TieBreak::DirectEncounter,
        TieBreak::SonnebornBerger,
        TieBreak::Wins,
        TieBreak::WinsSecond,
    ];
    assert_eq!(
        plain.spec.unwrap().standings,
        rules(&usual, v1::UnplayedRounds::NotCounted)
    );
    for same in [
        rules(&usual, v1::UnplayedRounds::NotCounted),
        rules(&[], v1::UnplayedRounds::Unspecified),
    ] {
        let same = running.create(v1::TournamentSpec {
            standings: same,
            ..varied(FormatKind::HeadToHead, 2, 1)
        });
        assert_eq!(same.await.id, plain.id);
    }
    let other = rules(&[TieBreak::Koya], v1::UnplayedRounds::NotCounted);
    let other = v1::TournamentSpec {
        standings: other,
        ..varied(FormatKind::HeadToHead, 2, 1)
    };
    assert_eq!(running.create(other).await.id, plain.id + 1);

    let twice = rules(&[TieBreak::Wins, TieBreak::Wins], v1::UnplayedRounds::Dummy);
    let unknown = |tie_breaks, unplayed| {
        Some(v1::StandingsRules {
            tie_breaks,
            unplayed,
        })
    };
    for (standings, words) in [
        (twice, ["standings.tie_breaks[1]", "`wins` twice"]),
        (
            unknown(vec![1, 77], 0),
            ["standings.tie_breaks[1]", "TIE_BREAK_BUCHHOLZ_CUT1"],
        ),
        (
            unknown(vec![0], 0),
            ["standings.tie_breaks[0]", "0 is not known"],
        ),
        (unknown(vec![], 9), ["standings.unplayed", "9 is not known"]),
    ] {
        let spec = Some(v1::TournamentSpec {
            standings,
            ..varied(FormatKind::HeadToHead, 2, 1)
        });
        let request = v1::CreateTournamentRequest { spec, existing: 0 };
        let status = running
            .tournaments()
            .await
            .create(request)
            .await
            .unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument);
        for word in words {
            assert!(status.message().contains(word), "{status}");
        }
    }
    running.stop().await;
}
