//! Tournaments from creation to table, in every format.

use proto::v1::{self, FormatKind};
use tonic::Code;

use super::{
    harness::{Running, nodes, spec},
    worker::{Worker, assert_each_once},
};

#[tokio::test(flavor = "multi_thread")]
async fn every_format_plays_exactly_the_games_it_asks_for() {
    let (running, _folder) = Running::fresh().await;
    for (kind, engines, pairs, games) in [
        (FormatKind::RoundRobin, 4, 3, 36),
        (FormatKind::Gauntlet, 4, 3, 18),
        (FormatKind::HeadToHead, 2, 5, 10),
    ] {
        let tournament = running.create(spec(kind, engines, pairs)).await;
        assert_eq!(
            (tournament.total_games, tournament.state()),
            (games, v1::TournamentState::Running)
        );
        let given = Worker::join(&running, "one").await.work().await;
        assert_each_once(&given, games);

        let after = running.tournament(tournament.id).await;
        assert_eq!(
            (after.stored_games, after.state()),
            (games, v1::TournamentState::Finished)
        );
        let stored = running.games(tournament.id).await;
        let indices: Vec<u32> = stored
            .iter()
            .map(|game| game.summary.as_ref().unwrap().game)
            .collect();
        assert_eq!(indices, (0..games).collect::<Vec<_>>());
        check_pairs(&stored);

        let table = running.standings(tournament.id).await;
        // Each game shares four quarters between two players.
        assert_eq!(
            table.rows.iter().map(|row| row.quarters).sum::<u64>(),
            u64::from(4 * games)
        );
        assert_eq!(
            table.rows.iter().map(|row| row.games).sum::<u32>(),
            2 * games
        );
        let outcomes = |row: &v1::StandingsRow| {
            row.wins + row.advantages + row.draws + row.disadvantages + row.losses
        };
        assert!(
            table
                .rows
                .iter()
                .all(|row| outcomes(row) == row.games && row.rating.is_some())
        );
        assert_eq!(
            table.reasons.iter().map(|reason| reason.games).sum::<u32>(),
            games
        );
        check_points(&table, &stored);
    }
    running.stop().await;
}

/// Both games of a pair have one opening and reversed players.
fn check_pairs(games: &[v1::Game]) {
    for pair in games.chunks(2) {
        let [one, other] = [0, 1].map(|index| pair[index].summary.as_ref().unwrap());
        assert_eq!(pair[0].opening_fen, pair[1].opening_fen);
        assert_eq!((one.first, one.second), (other.second, other.first));
        assert_eq!(one.first_colour(), v1::Colour::White);
    }
    let openings: std::collections::BTreeSet<_> =
        games.iter().map(|game| &game.opening_fen).collect();
    assert!(openings.len() > 1, "the openings vary");
}

/// The table's points are those of the games.
fn check_points(table: &v1::StandingsResponse, games: &[v1::Game]) {
    for row in &table.rows {
        let points = games.iter().filter_map(|game| {
            let summary = game.summary.as_ref().unwrap();
            let result = summary.result.unwrap();
            let white = match (result.outcome(), result.winner()) {
                (v1::Outcome::Win, v1::Colour::White) => 4,
                (v1::Outcome::Advantage, v1::Colour::White) => 3,
                (v1::Outcome::Draw, _) => 2,
                (v1::Outcome::Advantage, _) => 1,
                _ => 0,
            };
            // White moved first.
            match row.player {
                player if player == summary.first => Some(white),
                player if player == summary.second => Some(4 - white),
                _ => None,
            }
        });
        assert_eq!(points.sum::<u64>(), row.quarters, "{}", row.name);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_specification_is_the_same_tournament() {
    let (running, _folder) = Running::fresh().await;
    let mut client = running.tournaments().await;
    let base = spec(FormatKind::HeadToHead, 2, 2);
    let mut create = async |spec: v1::TournamentSpec, existing: v1::ExistingMode| {
        let request = v1::CreateTournamentRequest {
            spec: Some(spec),
            existing: existing.into(),
        };
        let created = client.create(request).await.unwrap().into_inner();
        (created.tournament.unwrap().id, created.existed)
    };
    let returned = v1::ExistingMode::Return;
    assert_eq!(create(base.clone(), returned).await, (1, false));
    assert_eq!(create(base.clone(), returned).await, (1, true));
    // Written out defaults change nothing.
    let setups = v1::openings::Source::Setups(v1::SetupOpenings::default());
    let openings = Some(v1::Openings {
        source: Some(setups),
    });
    assert_eq!(
        create(
            v1::TournamentSpec {
                openings,
                ..base.clone()
            },
            returned
        )
        .await,
        (1, true)
    );
    // Anything else is another tournament.
    assert_eq!(
        create(
            v1::TournamentSpec {
                seed: 8,
                ..base.clone()
            },
            returned
        )
        .await,
        (2, false)
    );
    assert_eq!(
        create(
            v1::TournamentSpec {
                limit: nodes(101),
                ..base.clone()
            },
            returned
        )
        .await,
        (3, false)
    );
    assert_eq!(
        create(base.clone(), v1::ExistingMode::New).await,
        (4, false)
    );
    assert_eq!(create(base.clone(), returned).await, (4, true));

    let find = v1::FindTournamentRequest {
        spec: Some(v1::TournamentSpec {
            seed: 8,
            ..base.clone()
        }),
    };
    assert_eq!(
        running
            .tournaments()
            .await
            .find(find)
            .await
            .unwrap()
            .into_inner()
            .id,
        2
    );
    let find = v1::FindTournamentRequest {
        spec: Some(v1::TournamentSpec {
            seed: 9,
            ..base.clone()
        }),
    };
    assert_eq!(
        running
            .tournaments()
            .await
            .find(find)
            .await
            .unwrap_err()
            .code(),
        Code::NotFound
    );
    // A cancelled one is not taken up again.
    running
        .tournaments()
        .await
        .cancel(v1::CancelTournamentRequest { id: 2 })
        .await
        .unwrap();
    let request = v1::CreateTournamentRequest {
        spec: Some(v1::TournamentSpec { seed: 8, ..base }),
        existing: 0,
    };
    assert!(
        !running
            .tournaments()
            .await
            .create(request)
            .await
            .unwrap()
            .into_inner()
            .existed
    );
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_specification_names_its_field() {
    let (running, _folder) = Running::fresh().await;
    let base = spec(FormatKind::HeadToHead, 2, 2);
    let list = |fen: &str| {
        let list = v1::ListOpenings {
            fens: vec![fen.to_owned()],
            order: 0,
        };
        Some(v1::Openings {
            source: Some(v1::openings::Source::List(list)),
        })
    };
    let artifact = v1::EngineSource {
        kind: Some(v1::engine_source::Kind::Artifact("ab".repeat(32))),
    };
    let mut missing_file = base.clone();
    missing_file.engines[1].source = Some(artifact);
    let cases = [
        (
            v1::TournamentSpec {
                variant: "no-such-game".into(),
                ..base.clone()
            },
            "variant: `no-such-game` is not known",
        ),
        (
            v1::TournamentSpec {
                openings: list("nonsense"),
                ..base.clone()
            },
            "openings.fens[0]: ",
        ),
        (
            v1::TournamentSpec {
                max_plies: 9999,
                ..base.clone()
            },
            "max_plies: ",
        ),
        (
            v1::TournamentSpec {
                limit: None,
                ..base.clone()
            },
            "engine[0].limit: ",
        ),
        (
            v1::TournamentSpec {
                variant_text: "id = 3".into(),
                ..base.clone()
            },
            "variant_file: ",
        ),
        (missing_file, "engine[1].artifact: "),
        (spec(FormatKind::HeadToHead, 3, 2), "format.kind: "),
    ];
    for (spec, expected) in cases {
        let request = v1::CreateTournamentRequest {
            spec: Some(spec),
            existing: 0,
        };
        let status = running
            .tournaments()
            .await
            .create(request)
            .await
            .unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument, "{status}");
        assert!(
            status.message().starts_with(expected),
            "expected `{expected}`, got `{}`",
            status.message()
        );
    }
    let listed = running
        .tournaments()
        .await
        .list(v1::ListTournamentsRequest::default())
        .await
        .unwrap()
        .into_inner();
    assert!(listed.tournaments.is_empty(), "nothing was made");
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_come_in_pages() {
    let (running, _folder) = Running::fresh().await;
    for seed in 0..3 {
        running
            .create(v1::TournamentSpec {
                seed,
                ..spec(FormatKind::HeadToHead, 2, 3)
            })
            .await;
    }
    let mut client = running.tournaments().await;
    let mut token = String::new();
    let mut ids = Vec::new();
    loop {
        let page = Some(v1::Page { size: 2, token });
        let listed = client
            .list(v1::ListTournamentsRequest { page })
            .await
            .unwrap()
            .into_inner();
        ids.extend(listed.tournaments.iter().map(|tournament| tournament.id));
        token = listed.next_token;
        if token.is_empty() {
            break;
        }
    }
    assert_eq!(ids, [3, 2, 1]);

    Worker::join(&running, "one").await.work().await;
    let mut games = Vec::new();
    loop {
        let page = Some(v1::Page { size: 4, token });
        let listed = client
            .list_games(v1::ListGamesRequest { id: 2, page })
            .await
            .unwrap()
            .into_inner();
        games.extend(listed.games.iter().map(|game| game.game));
        token = listed.next_token;
        if token.is_empty() {
            break;
        }
    }
    assert_eq!(games, [0, 1, 2, 3, 4, 5]);
    let page = Some(v1::Page {
        size: 5000,
        token: String::new(),
    });
    let status = client
        .list_games(v1::ListGamesRequest { id: 2, page })
        .await
        .unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument);
    running.stop().await;
}
