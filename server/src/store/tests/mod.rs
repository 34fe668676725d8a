//! The store under damage: torn writes, flipped bits, lost indexes.

mod index;
mod journal;
mod writer;

use std::{collections::BTreeMap, fs, ops::ControlFlow, path::Path};

use proto::{
    store::{GameKey, GameStored, record::Change},
    v1,
};

use super::{Answer, Committed, OpenOptions, Opened, Store, StoreError, state::State as _};

/// Options for small stores.
fn options(path: &Path) -> OpenOptions {
    OpenOptions {
        segment_bytes: 600,
        cache_bytes: 1 << 20,
        queue: 16,
        ..OpenOptions::new(path)
    }
}

fn open(path: &Path) -> Result<Opened, StoreError> {
    super::open::open(&options(path))
}

fn start(path: &Path) -> Store {
    open(path).unwrap().start(|_: &Committed<'_>| {}).unwrap()
}

/// Game `game` of tournament 7 with these moves.
fn game(game: u32, moves: &str) -> Change {
    let stored_unix_ms = 1_000 + u64::from(game);
    let key = GameKey {
        tournament: 7,
        batch: game / 4,
        game,
        generation: 0,
        replica: 0,
    };
    let summary = v1::GameSummary {
        game,
        batch: game / 4,
        plies: 3,
        worker: "w".into(),
        ..Default::default()
    };
    let game = v1::Game {
        summary: Some(summary),
        opening_fen: "startpos".into(),
        moves: moves.split(' ').map(str::to_owned).collect(),
        ..Default::default()
    };
    Change::GameStored(GameStored {
        key: Some(key),
        game: Some(game),
        stored_unix_ms,
        ..Default::default()
    })
}

fn tournament(id: u64) -> Change {
    Change::TournamentCreated(proto::store::TournamentCreated {
        id,
        spec_hash: vec![id as u8; 32],
        ..Default::default()
    })
}

fn commit(store: &Store, change: Change) -> Answer {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(store.commit(change)).unwrap()
}

/// All entries of the index, the position included.
fn entries(opened: &Opened) -> BTreeMap<Vec<u8>, Vec<u8>> {
    let mut entries = BTreeMap::new();
    opened
        .state
        .scan(&[], &mut |key, value| {
            entries.insert(key.to_vec(), value.to_vec());
            Ok(ControlFlow::Continue(()))
        })
        .unwrap();
    entries
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
