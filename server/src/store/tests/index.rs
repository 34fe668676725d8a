//! The index lost, cut and garbled: it is rebuilt equal, and nothing that was acknowledged is missing.

use std::{fs, path::Path};

use prost::Message as _;

use super::*;
use crate::{
    model::TournamentId,
    store::{keys, maintenance},
};

/// A closed store with two tournaments and 30 games.
fn filled(path: &Path) {
    let store = start(path);
    assert!(matches!(commit(&store, tournament(7)), Answer::Done(_)));
    assert!(matches!(commit(&store, tournament(8)), Answer::Done(_)));
    for number in 0..30 {
        assert!(matches!(
            commit(&store, game(number, &format!("a1a2 b{number}b3"))),
            Answer::Done(_)
        ));
    }
}

fn games(opened: &Opened) -> Vec<(u32, Vec<String>)> {
    let view = opened.view();
    let mut games = Vec::new();
    view.games(TournamentId(7), |key, entry| {
        let record = view.game_record(entry.location)?;
        games.push((key.game.game.0, record.game.unwrap_or_default().moves));
        Ok(())
    })
    .unwrap();
    games
}

#[track_caller]
fn assert_complete(path: &Path, expected: &BTreeMap<Vec<u8>, Vec<u8>>) -> Opened {
    let opened = open(path).unwrap();
    assert_eq!(&entries(&opened), expected);
    let games = games(&opened);
    assert_eq!(games.len(), 30);
    assert_eq!(games[12], (12, vec!["a1a2".to_owned(), "b12b3".to_owned()]));
    opened
}

#[test]
fn an_index_deleted_cut_or_garbled_is_rebuilt_equal() {
    let source = tempfile::tempdir().unwrap();
    filled(source.path());
    let expected = entries(&open(source.path()).unwrap());
    assert!(expected.len() > 30);

    type Damage<'a> = &'a dyn Fn(&Path);
    let cases: [(&str, Damage<'_>); 6] = [
        ("deleted", &|state| fs::remove_dir_all(state).unwrap()),
        ("emptied", &|state| {
            fs::write(state.join("db"), b"").unwrap()
        }),
        ("cut", &|state| cut(&state.join("db"), 3000)),
        ("cut to a few bytes", &|state| cut(&state.join("db"), 30)),
        ("zeroed", &|state| {
            garble(&state.join("db"), |byte| *byte = 0)
        }),
        ("flipped", &|state| {
            garble(&state.join("db"), |byte| *byte ^= 0x10)
        }),
    ];
    for (name, damage) in cases {
        let copied = tempfile::tempdir().unwrap();
        copy(source.path(), copied.path());
        damage(&copied.path().join("state"));
        let opened = assert_complete(copied.path(), &expected);
        assert!(opened.rebuilt.is_some(), "{name}: {:?}", opened.rebuilt);
        drop(opened);
        // The next start finds it in order.
        assert_eq!(
            assert_complete(copied.path(), &expected).rebuilt,
            None,
            "{name}"
        );
    }
}

#[test]
fn an_index_of_an_earlier_release_is_rebuilt_with_the_times_of_games() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path());
    let expected = entries(&open(folder.path()).unwrap());
    {
        let opened = open(folder.path()).unwrap();
        let meta = crate::store::state::Meta {
            schema: 1,
            ..opened.meta.clone()
        };
        let changes = [(keys::meta(), Some(meta.encode_to_vec()))];
        opened.state.apply(&changes.into()).unwrap();
    }
    let opened = assert_complete(folder.path(), &expected);
    assert_eq!(opened.rebuilt.as_deref(), Some("it has schema 1"));
    let mut times = Vec::new();
    let view = opened.view();
    view.games(TournamentId(7), |_, entry| {
        times.push(entry.stored_unix_ms);
        Ok(())
    })
    .unwrap();
    assert_eq!(times, (1_000..1_030).collect::<Vec<_>>());
}

fn cut(path: &Path, to: u64) {
    let file = fs::File::options().write(true).open(path).unwrap();
    file.set_len(to).unwrap();
}

fn garble(path: &Path, change: impl Fn(&mut u8)) {
    let mut bytes = fs::read(path).unwrap();
    bytes.iter_mut().skip(100).step_by(97).for_each(change);
    fs::write(path, bytes).unwrap();
}

#[test]
fn an_index_that_lags_behind_replays_the_tail() {
    let source = tempfile::tempdir().unwrap();
    filled(source.path());
    let lagging = tempfile::tempdir().unwrap();
    copy(source.path(), lagging.path());
    let store = start(source.path());
    for number in 30..35 {
        commit(&store, game(number, "a1a2"));
    }
    drop(store);
    let expected = entries(&open(source.path()).unwrap());
    // The newer journal with the older index.
    fs::remove_dir_all(lagging.path().join("journal")).unwrap();
    copy(
        &source.path().join("journal"),
        &lagging.path().join("journal"),
    );
    // As after any crash: nothing is wrong.
    let report = maintenance::check(&options(lagging.path())).unwrap();
    assert_eq!(report.problems, [""; 0]);
    assert!(
        report.notes[0].starts_with("6 records will be entered"),
        "{:?}",
        report.notes
    );
    let opened = open(lagging.path()).unwrap();
    assert_eq!(opened.rebuilt, None);
    // The five games and the new epoch.
    assert_eq!(opened.replayed, 6);
    assert_eq!(entries(&opened), expected);
}

#[test]
fn an_index_of_another_journal_is_rebuilt() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    filled(one.path());
    let store = start(other.path());
    for number in 0..5 {
        commit(&store, game(number, "h1h2 h3h4 h5h6"));
    }
    drop(store);
    let expected = entries(&open(one.path()).unwrap());
    fs::remove_dir_all(one.path().join("state")).unwrap();
    copy(&other.path().join("state"), &one.path().join("state"));
    assert!(assert_complete(one.path(), &expected).rebuilt.is_some());
}

#[test]
fn check_finds_what_is_wrong_and_rebuild_mends_it() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path());
    let expected = entries(&open(folder.path()).unwrap());
    let report = maintenance::check(&options(folder.path())).unwrap();
    assert!(report.problems.is_empty(), "{:?}", report.problems);
    // Two tournaments, thirty games, one epoch.
    assert_eq!(
        (report.journal.records, report.index_entries),
        (33, expected.len() as u64)
    );
    assert!(report.journal.segments > 1);

    // An entry that disagrees with the journal.
    let opened = open(folder.path()).unwrap();
    let key = expected.keys().find(|key| key[0] == b'g').unwrap().clone();
    opened
        .state
        .apply(&BTreeMap::from([(key, Some(b"wrong".to_vec()))]))
        .unwrap();
    drop(opened);
    let report = maintenance::check(&options(folder.path())).unwrap();
    assert!(
        report.problems[0].contains("1 different"),
        "{:?}",
        report.problems
    );
    let rebuilt = maintenance::rebuild(&options(folder.path())).unwrap();
    assert_eq!((rebuilt.records, rebuilt.removed.len()), (33, 0));
    assert_eq!(entries(&open(folder.path()).unwrap()), expected);

    // Damage in the middle of the journal: named by check, given up by rebuild.
    let first = folder.path().join("journal/0000000001.journal");
    let mut bytes = fs::read(&first).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&first, bytes).unwrap();
    let report = maintenance::check(&options(folder.path())).unwrap();
    assert!(
        report.problems[0].contains("0000000001.journal` at byte"),
        "{:?}",
        report.problems
    );
    let rebuilt = maintenance::rebuild(&options(folder.path())).unwrap();
    assert!(rebuilt.records > 0 && rebuilt.records < 33 && !rebuilt.removed.is_empty());
    let opened = open(folder.path()).unwrap();
    assert!(opened.rebuilt.is_none());
    assert!(
        maintenance::check(&options(folder.path())).is_err(),
        "the directory is in use"
    );
    drop(opened);
    assert!(
        maintenance::check(&options(folder.path()))
            .unwrap()
            .problems
            .is_empty()
    );
}

/// Names and contents of all files, those of the index left out.
fn files(path: &Path) -> BTreeMap<std::path::PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(path).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            if entry.file_name() != "state" {
                files.extend(self::files(&entry.path()));
            }
        } else {
            files.insert(entry.path(), fs::read(entry.path()).unwrap());
        }
    }
    files
}

#[test]
fn an_unfinished_tail_and_a_missing_index_are_no_damage_and_check_leaves_them() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path());
    fs::remove_dir_all(folder.path().join("state")).unwrap();
    fs::remove_file(folder.path().join("lock")).unwrap();
    let journal = folder.path().join("journal");
    let last = fs::read_dir(&journal).unwrap().count() as u32;
    let path = |number: u32| journal.join(format!("{number:010}.journal"));
    let mut bytes = fs::read(path(last)).unwrap();
    let whole = bytes.len();
    bytes.extend_from_slice(b"half a frame");
    fs::write(path(last), bytes).unwrap();
    fs::write(path(last + 1), b"BRHJ").unwrap();
    let before = files(folder.path());
    let report = maintenance::check(&options(folder.path())).unwrap();
    assert_eq!(report.problems, [""; 0]);
    assert_eq!(report.journal.records, 33);
    let notes = report.notes.join("\n");
    for expected in [
        format!("12 bytes of `{}` after byte {whole}", path(last).display()),
        format!("4 bytes of `{}` after byte 0", path(last + 1).display()),
        "the index is missing: the next start rebuilds it".to_owned(),
    ] {
        assert!(notes.contains(&expected), "{expected} in {notes}");
    }
    assert_eq!(files(folder.path()), before);
    assert!(!folder.path().join("state").exists());
    // The start does what was said.
    drop(open(folder.path()).unwrap());
    let report = maintenance::check(&options(folder.path())).unwrap();
    assert_eq!((report.problems.len(), report.notes.len()), (0, 0));
}

#[test]
fn a_directory_that_is_not_there_is_not_made() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("typo");
    let errors = || {
        [
            maintenance::check(&options(&path)).map(drop).unwrap_err(),
            maintenance::rebuild(&options(&path)).map(drop).unwrap_err(),
        ]
    };
    for error in errors() {
        assert!(
            error
                .to_string()
                .starts_with("there is no data directory at `"),
            "{error}"
        );
    }
    assert!(!path.exists());
    // Nor is an empty one begun.
    fs::create_dir(&path).unwrap();
    for error in errors() {
        assert!(matches!(error, StoreError::Missing(_)), "{error}");
    }
    assert_eq!(fs::read_dir(&path).unwrap().count(), 0);
}

#[test]
fn a_file_where_the_old_index_goes_is_no_obstacle() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path());
    fs::write(folder.path().join("state.aside"), "in the way").unwrap();
    let rebuilt = maintenance::rebuild(&options(folder.path())).unwrap();
    assert_eq!(rebuilt.records, 33);
    assert!(rebuilt.aside.is_dir());
}

#[test]
fn a_missing_segment_is_named_and_given_up_only_by_rebuild() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path());
    let missing = folder.path().join("journal/0000000002.journal");
    fs::remove_file(&missing).unwrap();
    let error = open(folder.path()).map(drop).unwrap_err().to_string();
    assert!(error.contains("0000000002.journal"), "{error}");
    let report = maintenance::check(&options(folder.path())).unwrap();
    assert!(report.problems[0].contains("0000000002.journal"));
    let rebuilt = maintenance::rebuild(&options(folder.path())).unwrap();
    assert!(rebuilt.records > 0 && rebuilt.records < 33 && !rebuilt.removed.is_empty());
    drop(start(folder.path()));
    assert!(
        maintenance::check(&options(folder.path()))
            .unwrap()
            .problems
            .is_empty()
    );
}

#[test]
fn damage_in_the_middle_of_the_last_segment_refuses_to_open() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path());
    let last = fs::read_dir(folder.path().join("journal"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .max()
        .unwrap();
    let mut bytes = fs::read(&last).unwrap();
    bytes[60] ^= 1;
    fs::write(&last, bytes).unwrap();
    let error = open(folder.path()).map(drop).unwrap_err().to_string();
    assert!(
        error.contains(last.to_str().unwrap()) && error.contains("at byte 20"),
        "{error}"
    );
}

#[test]
fn a_directory_that_is_not_ours_or_in_use_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("letter.txt"), "dear").unwrap();
    let error = open(folder.path()).map(drop).unwrap_err();
    assert!(matches!(error, StoreError::NotAStore(_)), "{error}");
    assert!(!folder.path().join("journal").exists());

    let folder = tempfile::tempdir().unwrap();
    let held = open(folder.path()).unwrap();
    let error = open(folder.path()).map(drop).unwrap_err();
    assert!(matches!(error, StoreError::InUse(_)), "{error}");
    drop(held);
    drop(open(folder.path()).unwrap());

    fs::write(
        folder.path().join("brouhaha-store"),
        "brouhaha store, schema 2\n",
    )
    .unwrap();
    let error = open(folder.path()).map(drop).unwrap_err();
    assert!(error.to_string().contains("has store schema 2"), "{error}");
}
