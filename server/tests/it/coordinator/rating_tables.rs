//! Tables beside the rating list: superiority, cross-table.

use std::collections::BTreeMap;

use proto::v1::{self, FormatKind, cross_table_part, rating_scope::Kind, superiority_part};
use tonic::{Code, Status};

use super::{
    harness::{Running, engines, varied},
    rating_past::{Reported, play_all},
};

fn tournament(id: u64) -> Option<v1::RatingScope> {
    Some(v1::RatingScope {
        kind: Some(Kind::TournamentId(id)),
    })
}

/// Probability that a standard normal number is below x, by Simpson's rule.
fn normal(x: f64) -> f64 {
    let steps = 2_000;
    let width = x / f64::from(steps);
    let density = |at: f64| (-at * at / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let weight = |step: i32| match step {
        0 => 1.0,
        step if step == steps => 1.0,
        step if step % 2 == 1 => 4.0,
        _ => 2.0,
    };
    let sum: f64 = (0..=steps)
        .map(|step| weight(step) * density(f64::from(step) * width))
        .sum();
    0.5 + sum * width / 3.0
}

async fn superiority(
    running: &Running,
    request: v1::SuperiorityRequest,
) -> Result<(v1::RatingList, Vec<v1::SuperiorityRow>), Status> {
    let mut parts = running
        .ratings()
        .await
        .superiority(request)
        .await?
        .into_inner();
    let (mut list, mut rows) = (None, Vec::new());
    while let Some(part) = parts.message().await? {
        match part.part.unwrap() {
            superiority_part::Part::List(first) => assert!(list.replace(first).is_none()),
            superiority_part::Part::Row(row) => rows.push(row),
        }
    }
    Ok((list.unwrap(), rows))
}

async fn cross_table(
    running: &Running,
    request: v1::CrossTableRequest,
) -> Result<(v1::CrossTableHead, Vec<v1::CrossTableRow>), Status> {
    let mut parts = running
        .ratings()
        .await
        .cross_table(request)
        .await?
        .into_inner();
    let (mut head, mut rows) = (None, Vec::new());
    while let Some(part) = parts.message().await? {
        match part.part.unwrap() {
            cross_table_part::Part::Head(first) => assert!(head.replace(first).is_none()),
            cross_table_part::Part::Row(row) => rows.push(row),
        }
    }
    Ok((head.unwrap(), rows))
}

/// Two groups of players of one pool who never meet: 3 and 2 players.
pub async fn two_groups(running: &Running) -> Vec<Reported> {
    running.create(varied(FormatKind::RoundRobin, 3, 4)).await;
    let others = v1::TournamentSpec {
        engines: engines(5).split_off(3),
        ..varied(FormatKind::HeadToHead, 2, 4)
    };
    running.create(others).await;
    play_all(running).await
}

#[tokio::test(flavor = "multi_thread")]
async fn superiority_is_a_matrix_with_holes_between_groups() {
    let (running, _folder) = Running::fresh().await;
    two_groups(&running).await;
    let (list, rows) = superiority(&running, v1::SuperiorityRequest::default())
        .await
        .unwrap();
    assert_eq!((list.ratings.len(), rows.len()), (5, 5));
    let group = |name: &str| ["engine 3", "engine 4"].contains(&name);
    for (i, (row, own)) in rows.iter().zip(&list.ratings).enumerate() {
        assert_eq!(row.player, own.player);
        assert_eq!(row.cells.len(), 5);
        for (j, (cell, other)) in row.cells.iter().zip(&list.ratings).enumerate() {
            // Four pairs between each two of a group.
            let met = u64::from(i != j && group(&own.name) == group(&other.name));
            assert_eq!(cell.games, 8 * met, "{i} {j}");
            if met == 0 {
                assert_eq!(*cell, v1::SuperiorityCell::default(), "{i} {j}");
                continue;
            }
            let (los, difference) = (cell.los.unwrap(), cell.difference.unwrap());
            assert!((difference - (own.elo - other.elo)).abs() < 1e-9);
            // 1.959964 standard errors are half an interval of 95 %.
            let error = cell.interval.unwrap() / 1.959_963_985;
            assert!((los - normal(difference / error)).abs() < 1e-7, "{los}");
            let back = &rows[j].cells[i];
            assert!((back.los.unwrap() + los - 1.0).abs() < 1e-12);
            assert_eq!(back.difference, Some(-difference));
        }
    }
    // Two players who are alone: half the difference is each one's interval, as the mean is 0.
    let alone = list.ratings.iter().position(|r| group(&r.name)).unwrap();
    let other = list.ratings.iter().rposition(|r| group(&r.name)).unwrap();
    let interval = rows[alone].cells[other].interval.unwrap();
    assert!((interval - 2.0 * list.ratings[alone].interval.unwrap()).abs() < 1e-9);

    // Some of them, with their ranks in the whole list and the likelihood over the next of them.
    let request = v1::SuperiorityRequest {
        players: vec![
            "engine 2".into(),
            list.ratings
                .iter()
                .find(|r| r.name == "engine 0")
                .unwrap()
                .player
                .clone(),
        ],
        ..Default::default()
    };
    let (some, some_rows) = superiority(&running, request).await.unwrap();
    assert_eq!((some.ratings.len(), some_rows.len()), (2, 2));
    let in_list = |name: &str| list.ratings.iter().position(|r| r.name == name).unwrap();
    let places = [0, 1].map(|k| in_list(&some.ratings[k].name));
    assert_eq!(
        [0, 1].map(|k| some.ratings[k].rank),
        places.map(|place| list.ratings[place].rank)
    );
    // Ranks are those of a group, as ratings of different groups do not compare.
    let ranks = |of: fn(&str) -> bool| {
        let own = list.ratings.iter().filter(|rating| of(&rating.name));
        own.map(|rating| rating.rank).collect::<Vec<_>>()
    };
    assert_eq!(
        ranks(|name| ["engine 3", "engine 4"].contains(&name)),
        [1, 2]
    );
    assert_eq!(
        ranks(|name| !["engine 3", "engine 4"].contains(&name)),
        [1, 2, 3]
    );
    assert!(
        list.notes.iter().any(|note| note.contains("2 groups")),
        "{:?}",
        list.notes
    );
    assert_eq!(some_rows[0].cells[1], rows[places[0]].cells[places[1]]);
    assert_eq!(some.ratings[0].los_next, some_rows[0].cells[1].los);

    for (players, code, word) in [
        (vec!["engine 0", "nobody"], Code::NotFound, "nobody"),
        (vec!["engine 0", "engine 0"], Code::InvalidArgument, "twice"),
        (vec![""], Code::InvalidArgument, "empty"),
        (vec!["x"; 2_001], Code::InvalidArgument, "2000"),
    ] {
        let players: Vec<String> = players.into_iter().map(str::to_owned).collect();
        let request = v1::SuperiorityRequest {
            players: players.clone(),
            ..Default::default()
        };
        let status = superiority(&running, request).await.unwrap_err();
        assert!(
            status.code() == code && status.message().contains(word),
            "{status}"
        );
        let request = v1::CrossTableRequest {
            players,
            ..Default::default()
        };
        let status = cross_table(&running, request).await.unwrap_err();
        assert!(
            status.code() == code && status.message().contains(word),
            "{status}"
        );
    }
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cross_table_adds_up_to_the_games() {
    let (running, _folder) = Running::fresh().await;
    let reported = two_groups(&running).await;
    let (head, rows) = cross_table(&running, v1::CrossTableRequest::default())
        .await
        .unwrap();
    assert_eq!((head.games, head.stored_games, head.rows), (32, 32, 5));
    // Sixteen games each of the three, eight of the two.
    assert!(head.by_percentage);
    let mut expected: BTreeMap<(&str, &str), [u64; 5]> = BTreeMap::new();
    for game in &reported {
        let (first, second) = (game.first.as_str(), game.second.as_str());
        expected.entry((first, second)).or_default()[game.quarters as usize] += 1;
        expected.entry((second, first)).or_default()[4 - game.quarters as usize] += 1;
    }
    let mut cells = 0;
    for row in &rows {
        for cell in &row.cells {
            let other = rows[cell.column as usize].name.as_str();
            let outcomes = expected[&(row.name.as_str(), other)];
            assert_eq!(cell.outcomes, outcomes);
            assert_eq!(cell.games, outcomes.iter().sum::<u64>());
            assert_eq!(
                cell.quarters,
                (0..).zip(outcomes).map(|(q, n)| q * n).sum::<u64>()
            );
            cells += 1;
        }
        let sum = |value: fn(&v1::CrossTableCell) -> u64| row.cells.iter().map(value).sum::<u64>();
        assert_eq!(
            (row.games, row.quarters),
            (sum(|c| c.games), sum(|c| c.quarters))
        );
        assert_eq!(row.outcomes.iter().sum::<u64>(), row.games);
    }
    assert_eq!(cells, expected.len());
    let shares: Vec<f64> = rows
        .iter()
        .map(|row| row.quarters as f64 / row.games as f64)
        .collect();
    assert!(shares.is_sorted_by(|a, b| a >= b), "{shares:?}");
    assert_eq!(
        rows.iter().map(|row| row.rank).collect::<Vec<_>>(),
        [1, 2, 3, 4, 5]
    );

    // Some players: their standings are of all games, their cells only of each other.
    let request = v1::CrossTableRequest {
        scope: tournament(1),
        as_of: Some(v1::AsOf {
            point: Some(v1::as_of::Point::Games(12)),
        }),
        players: vec!["engine 1".into(), "engine 0".into()],
    };
    let (head, rows) = cross_table(&running, request).await.unwrap();
    assert_eq!((head.games, head.rows), (12, 2));
    let early = || reported.iter().filter(|game| game.tournament == 1).take(12);
    for row in &rows {
        let own = early().filter(|game| [&game.first, &game.second].contains(&&row.name));
        assert_eq!(row.games, own.count() as u64);
        let mutual = early().filter(|game| game.first != "engine 2" && game.second != "engine 2");
        assert_eq!(row.cells[0].games, mutual.count() as u64);
        assert_eq!(row.cells.len(), 1);
    }
    running.stop().await;
}
