//! The tie-breaks of a tournament: chosen in its file, fixed when it is made, and all columns in every row. Expected numbers
//! are added up here game by game.

use std::collections::{BTreeMap, BTreeSet};

use proto::v1::{self, FormatKind, TieBreak, cross_table_part, rating_scope::Kind};
use tonic::Code;

use super::{
    harness::{Running, config, varied},
    rating_past::{Reported, play_all},
    worker::Worker,
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

/// The ratings that a tournament's games give, in hundredths of an Elo, as the rating service has them.
async fn hundredths(running: &Running, id: u64) -> BTreeMap<String, i64> {
    let scope = Some(v1::RatingScope {
        kind: Some(Kind::TournamentId(id)),
    });
    let request = v1::GetRatingsRequest {
        scope,
        ..Default::default()
    };
    let list = running.ratings().await.get(request).await.unwrap();
    let list = list.into_inner().ratings.into_iter();
    list.map(|rating| (rating.name, (rating.elo * 100.0).round() as i64))
        .collect()
}

/// The rating at which the points are expected from these opponents, one a game, by halving.
fn performance(opponents: &[f64], points: f64) -> f64 {
    let (mut low, mut high) = (-1e4, 1e4);
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        let expected = opponents
            .iter()
            .map(|elo| 1.0 / (1.0 + 10f64.powf((elo - middle) / 400.0)));
        match expected.sum::<f64>() < points {
            true => low = middle,
            false => high = middle,
        }
    }
    low
}

/// Mean rating of the opponents and performance in hundredths of an Elo, game by game.
fn rated(
    games: &[(&str, u64, bool)],
    ratings: &BTreeMap<String, i64>,
) -> (Option<i64>, Option<i64>) {
    if games.is_empty() {
        return (None, None);
    }
    let opponents = games.iter().map(|(opponent, ..)| ratings[*opponent]);
    let sum: i64 = opponents.clone().sum();
    let mean = (sum as f64 / games.len() as f64).round() as i64;
    let mut opponents: Vec<f64> = opponents.map(|rating| rating as f64 / 100.0).collect();
    let quarters: u64 = games.iter().map(|game| game.1).sum();
    let mut points = quarters as f64 / 4.0;
    if quarters == 0 || quarters == 4 * games.len() as u64 {
        opponents.push(sum as f64 / 100.0 / games.len() as f64);
        points += 0.5;
    }
    let performance = performance(&opponents, points);
    (Some(mean), Some((performance * 100.0).round() as i64))
}

/// Points against those with equal points, where all have met equally often.
fn direct_encounter(reported: &[Reported], player: &str) -> Option<u64> {
    let own = points(reported, player);
    let mutual = games_of(reported, player).into_iter();
    let mutual: Vec<u64> = mutual
        .filter(|game| points(reported, game.0) == own)
        .map(|game| game.1)
        .collect();
    (!mutual.is_empty()).then(|| mutual.iter().sum())
}

/// All columns, slowly, where all have met equally often and the list does not have direct encounter.
fn columns(
    reported: &[Reported],
    player: &str,
    ratings: &BTreeMap<String, i64>,
) -> v1::StandingColumns {
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
    let (mean_opponent_hundredths, performance_hundredths) = rated(&games, ratings);
    v1::StandingColumns {
        mean_opponent_hundredths,
        performance_hundredths,
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
        direct_encounter_quarters: direct_encounter(reported, player),
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
    let ratings = hundredths(&running, made.id).await;
    for row in &table.rows {
        assert_eq!(
            row.columns,
            Some(columns(&reported, &row.name, &ratings)),
            "{}",
            row.name
        );
        assert_eq!(row.quarters, points(&reported, &row.name));
    }
    let value = |row: &v1::StandingsRow| {
        let own = columns(&reported, &row.name, &ratings);
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
fn value(row: &v1::StandingsRow, tie_break: TieBreak) -> Option<i64> {
    let columns = row.columns.unwrap();
    let whole = match tie_break {
        TieBreak::Unspecified => return None,
        TieBreak::MeanOpponentRating => return columns.mean_opponent_hundredths,
        TieBreak::Performance => return columns.performance_hundredths,
        TieBreak::DirectEncounter => columns.direct_encounter_quarters?,
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
    };
    Some(i64::try_from(whole).unwrap())
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
    let (mut ties, mut told_apart) = (0, BTreeSet::new());
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
            let expected = direct_encounter(&reported, &row.name);
            ties += usize::from(expected.is_some());
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

#[tokio::test(flavor = "multi_thread")]
async fn ratings_of_opponents_count_games_and_wait_until_all_compare() {
    let folder = tempfile::tempdir().unwrap();
    let mut running = Running::start(config(folder.path())).await;
    let list = [TieBreak::MeanOpponentRating, TieBreak::Performance];
    let mut wanted = v1::TournamentSpec {
        standings: rules(&list, v1::UnplayedRounds::Dummy),
        batch_pairs: 1,
        max_plies: 120,
        ..varied(FormatKind::Swiss, 5, 1)
    };
    wanted.format.as_mut().unwrap().rounds = 4;
    let id = running.create(wanted).await.id;
    let mut worker = Worker::join(&running, "one").await;
    let (mut apart, mut together, mut told_apart) = (0, 0, BTreeSet::new());
    while running.tournament(id).await.state() == v1::TournamentState::Running {
        let batch = worker.batch().await;
        worker.play(&batch, 0..batch.games.len()).await;
        // One leaves after two rounds; its games stay, and an opponent that it would have met has the points.
        if running.tournament(id).await.stored_games == 8 {
            let name = "engine 4".to_owned();
            let request = v1::WithdrawEngineRequest { id, name };
            let mut client = running.tournaments().await;
            client.withdraw_engine(request).await.unwrap();
            running.stop().await;
            running = Running::start(config(folder.path())).await;
            worker = Worker::join(&running, "two").await;
        }
        let table = running.standings(id).await;
        let games = running.games(id).await;
        let names: BTreeMap<u32, &str> = (table.rows.iter())
            .map(|row| (row.player, row.name.as_str()))
            .collect();
        let played: Vec<Reported> = games
            .iter()
            .map(|game| {
                let game = game.summary.as_ref().unwrap();
                Reported {
                    tournament: id,
                    first: names[&game.first].to_owned(),
                    second: names[&game.second].to_owned(),
                    quarters: game.first_quarters.into(),
                }
            })
            .collect();
        let compares = is_joined(&played);
        let ratings = hundredths(&running, id).await;
        for row in &table.rows {
            let columns = row.columns.unwrap();
            let found = (
                columns.mean_opponent_hundredths,
                columns.performance_hundredths,
            );
            let own = games_of(&played, &row.name);
            let expected = match compares {
                true => rated(&own, &ratings),
                false => (None, None),
            };
            assert_eq!(found, expected, "{} after {}", row.name, played.len());
        }
        match compares {
            true => together += 1,
            false => apart += 1,
        }
        for two in table.rows.windows(2) {
            let [a, b] = [&two[0], &two[1]];
            let points = |row: &v1::StandingsRow| row.quarters + row.given_quarters;
            let tied = || {
                let all = table.rows.iter();
                all.filter(|row| points(row) == points(a))
            };
            assert!(points(a) >= points(b));
            if points(a) == points(b) {
                // Void for one of the tied is void for all of them.
                let value = |row: &v1::StandingsRow, own| match tied()
                    .all(|row| value(row, own).is_some())
                {
                    true => value(row, own),
                    false => None,
                };
                let key = |row| {
                    let last = std::cmp::Reverse(v1::StandingsRow::clone(row).player);
                    (value(row, list[0]), value(row, list[1]), last)
                };
                assert!(key(a) > key(b), "{a:?} {b:?}");
                let differs = |own: &&TieBreak| value(a, **own) != value(b, **own);
                told_apart.extend(list.iter().find(differs).map(|own| own.as_str_name()));
            }
        }
    }
    assert!(apart > 0 && together > 0, "{apart} {together}");
    assert!(!told_apart.is_empty());
    let table = running.standings(id).await;
    let gifts = table.rows.iter().map(|row| row.given_quarters);
    assert!(gifts.sum::<u64>() > 8, "byes and a walkover: {table:?}");
    running.stop().await;
}

/// Whether games join all players that have some.
fn is_joined(played: &[Reported]) -> bool {
    let mut joined = vec![played[0].first.as_str()];
    loop {
        let next = played.iter().find_map(|game| {
            let [first, second] = [game.first.as_str(), game.second.as_str()];
            match (joined.contains(&first), joined.contains(&second)) {
                (true, false) => Some(second),
                (false, true) => Some(first),
                _ => None,
            }
        });
        match next {
            Some(player) => joined.push(player),
            None => break,
        }
    }
    let all = played.iter().flat_map(|game| [&game.first, &game.second]);
    all.into_iter()
        .all(|player| joined.contains(&player.as_str()))
}
