//! Every table of a tournament has the same players in the same order: standings, cross-table now and then, page.

use proto::v1::{self, FormatKind, TournamentState, cross_table_part, rating_scope::Kind};

use super::{
    harness::{Running, varied},
    pages::page,
    worker::Worker,
};

async fn cross_table(
    running: &Running,
    id: u64,
    games: Option<u32>,
) -> (v1::CrossTableHead, Vec<v1::CrossTableRow>) {
    let as_of = games.map(|games| v1::AsOf {
        point: Some(v1::as_of::Point::Games(games.into())),
    });
    let request = v1::CrossTableRequest {
        scope: Some(v1::RatingScope {
            kind: Some(Kind::TournamentId(id)),
        }),
        as_of,
        players: Vec::new(),
    };
    let parts = running.ratings().await.cross_table(request).await;
    let mut parts = parts.unwrap().into_inner();
    let (mut head, mut rows) = (None, Vec::new());
    while let Some(part) = parts.message().await.unwrap() {
        match part.part.unwrap() {
            cross_table_part::Part::Head(first) => head = Some(first),
            cross_table_part::Part::Row(row) => rows.push(row),
        }
    }
    (head.unwrap(), rows)
}

/// What tables have in common: what the order rests on, and each row's place, player, points, gifts, mark and columns.
type Common = (
    v1::StandingsOrder,
    bool,
    Vec<(u32, String, [u64; 3], bool, v1::StandingColumns)>,
);

fn of_standings(table: &v1::StandingsResponse) -> Common {
    let row = |row: &v1::StandingsRow| {
        let numbers = [row.games.into(), row.quarters, row.given_quarters];
        let columns = row.columns.unwrap();
        (row.rank, row.name.clone(), numbers, row.withdrawn, columns)
    };
    let rows = table.rows.iter().map(row).collect();
    (table.ordered_by(), table.by_percentage, rows)
}

fn of_cross_table((head, rows): &(v1::CrossTableHead, Vec<v1::CrossTableRow>)) -> Common {
    let row = |row: &v1::CrossTableRow| {
        let numbers = [row.games, row.quarters, row.given_quarters];
        let columns = row.columns.unwrap();
        (row.rank, row.name.clone(), numbers, row.withdrawn, columns)
    };
    let rows = rows.iter().map(row).collect();
    (head.ordered_by(), head.by_percentage, rows)
}

/// Rank and name of the rows of a page.
fn of_page(page: &str) -> Vec<(u32, String)> {
    let rows = page.split("<tr><td>").skip(1);
    let row = |row: &str| {
        let (rank, rest) = row.split_once("</td><td class=\"l\">").unwrap();
        let name = rest.split_once("</td>").unwrap().0;
        let name = name.trim_end_matches(" (withdrawn)");
        (rank.parse().unwrap(), name.to_owned())
    };
    rows.map(row).collect()
}

/// Compares all tables as they are now; gives the standings.
async fn agreed(running: &Running, id: u64) -> v1::StandingsResponse {
    loop {
        let before = running.standings(id).await;
        let cross = cross_table(running, id, None).await;
        let (_, page) = page(running.address, &format!("/tournaments/{id}")).await;
        let table = running.standings(id).await;
        // A round may be drawn between two questions.
        if before != table {
            continue;
        }
        assert_eq!(of_cross_table(&cross), of_standings(&table));
        let places = table.rows.iter().map(|row| (row.rank, row.name.clone()));
        assert_eq!(of_page(&page), places.collect::<Vec<_>>());
        for (row, own) in table.rows.iter().zip(&cross.1) {
            for cell in &own.cells {
                let other = table.rows[cell.column as usize].player;
                let met = table
                    .cross_table
                    .iter()
                    .find(|met| (met.player, met.opponent) == (row.player, other));
                let met = met.unwrap();
                assert_eq!(
                    (u64::from(met.games), met.quarters),
                    (cell.games, cell.quarters)
                );
            }
        }
        return table;
    }
}

/// Whether points a game would give another order.
fn differs_from_points(table: &v1::StandingsResponse) -> bool {
    let share = |row: &v1::StandingsRow| {
        f64::from(row.games > 0) * row.quarters as f64 / f64::from(row.games.max(1))
    };
    !table.rows.is_sorted_by(|a, b| share(a) >= share(b))
}

#[tokio::test(flavor = "multi_thread")]
async fn all_tables_of_a_tournament_have_one_order_then_and_now() {
    let (running, _folder) = Running::fresh().await;
    let mut others = 0;
    for (kind, players) in [
        (FormatKind::Swiss, 5),
        (FormatKind::Knockout, 8),
        (FormatKind::Ladder, 4),
        (FormatKind::Adaptive, 5),
        (FormatKind::RoundRobin, 4),
        (FormatKind::Gauntlet, 4),
    ] {
        let mut wanted = v1::TournamentSpec {
            batch_pairs: 1,
            max_plies: 100,
            ..varied(kind, players, 1)
        };
        if kind == FormatKind::Adaptive {
            wanted.format.as_mut().unwrap().total_pairs = 12;
        }
        let id = running.create(wanted).await.id;
        let mut worker = Worker::join(&running, &format!("{kind:?}")).await;
        let (mut past, mut differ, mut leaves) = (Vec::new(), 0, kind == FormatKind::Swiss);
        while running.tournament(id).await.state() == TournamentState::Running {
            let batch = worker.batch().await;
            let drawn = running.course(id).await.draws.len();
            worker.play(&batch, 0..batch.games.len()).await;
            let table = agreed(&running, id).await;
            differ += u32::from(differs_from_points(&table));
            // What is drawn after a game was not there when the game was stored.
            if running.course(id).await.draws.len() == drawn {
                past.push(table);
            }
            if leaves && past.len() == 2 {
                leaves = false;
                let name = past[1].rows[0].name.clone();
                let request = v1::WithdrawEngineRequest { id, name };
                let mut client = running.tournaments().await;
                client.withdraw_engine(request).await.unwrap();
            }
        }
        assert!(!past.is_empty(), "{kind:?}");
        assert!(!leaves, "one has left the Swiss tournament");
        for table in past {
            let then = cross_table(&running, id, Some(table.stored_games)).await;
            assert_eq!(of_cross_table(&then), of_standings(&table), "{kind:?}");
        }
        agreed(&running, id).await;
        others += u32::from(differ > 0);
    }
    assert!(
        others >= 3,
        "{others} formats have another order than points a game"
    );
    running.stop().await;
}
