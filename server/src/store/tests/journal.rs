//! The journal alone: every cut, every flipped bit, every hole in the last group.

use std::{fs, path::Path};

use proptest::prelude::*;
use tempfile::TempDir;

use crate::store::{
    StoreError,
    journal::{Journal as _, JournalReader, recover},
};

/// Writes groups of records into a new folder; gives each record's payload and where each group ends.
fn write(folder: &Path, groups: &[usize], segment_bytes: u64) -> (Vec<Vec<u8>>, Vec<u64>) {
    let (mut journal, _) = recover::open(folder, segment_bytes, 0).unwrap();
    let mut payloads = Vec::new();
    let mut ends = Vec::new();
    for (number, &size) in groups.iter().enumerate() {
        let mut group = journal.begin().unwrap();
        for index in 0..size {
            let payload = format!(
                "group {number} record {index} {}",
                "x".repeat(number * 5 + index)
            )
            .into_bytes();
            group.push(&payload).unwrap();
            payloads.push(payload);
        }
        journal.write(group).unwrap();
        ends.push(
            fs::metadata(folder.join("0000000001.journal"))
                .unwrap()
                .len(),
        );
    }
    (payloads, ends)
}

fn records(folder: &Path) -> Result<Vec<Vec<u8>>, StoreError> {
    let mut records = Vec::new();
    JournalReader::new(folder).scan(None, |_, payload| {
        records.push(payload.to_vec());
        Ok(())
    })?;
    Ok(records)
}

/// A folder whose only segment has these bytes.
fn folder_with(bytes: &[u8]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("0000000001.journal"), bytes).unwrap();
    folder
}

#[test]
fn a_journal_cut_at_any_byte_opens_with_the_records_before_the_cut() {
    let source = tempfile::tempdir().unwrap();
    let (payloads, _) = write(source.path(), &[1, 3, 2], 1 << 20);
    let bytes = fs::read(source.path().join("0000000001.journal")).unwrap();
    let mut seen = Vec::new();
    for cut in 0..=bytes.len() {
        let folder = folder_with(&bytes[..cut]);
        let (mut journal, recovered) = recover::open(folder.path(), 1 << 20, 0).unwrap();
        let kept = records(folder.path()).unwrap();
        assert_eq!(kept, payloads[..kept.len()], "cut at {cut}");
        seen.push(kept.len());
        // What was cut off is reported, and nothing else.
        let lost = recovered.map_or(0, |recovered| recovered.bytes);
        let size = fs::metadata(folder.path().join("0000000001.journal"))
            .unwrap()
            .len();
        assert!(
            size + lost == cut as u64 || cut < 20,
            "cut at {cut}: {size} + {lost}"
        );
        // It goes on from there.
        let mut group = journal.begin().unwrap();
        group.push(b"after").unwrap();
        journal.write(group).unwrap();
        assert_eq!(records(folder.path()).unwrap().last().unwrap(), b"after");
    }
    // All numbers of records occur, in order.
    seen.dedup();
    assert_eq!(seen, [0, 1, 2, 3, 4, 5, 6]);
}

#[test]
fn a_cut_below_an_acknowledged_record_is_an_error_that_names_file_and_offset() {
    let source = tempfile::tempdir().unwrap();
    write(source.path(), &[1, 3, 2], 1 << 20);
    let bytes = fs::read(source.path().join("0000000001.journal")).unwrap();
    for cut in 0..bytes.len() {
        let folder = folder_with(&bytes[..cut]);
        let error = recover::open(folder.path(), 1 << 20, 6).unwrap_err();
        let StoreError::Damaged { path, offset, .. } = &error else {
            panic!("{error}")
        };
        assert!(
            path.ends_with("0000000001.journal") && *offset <= cut as u64,
            "{error}"
        );
        assert!(error.to_string().contains("brouhaha store rebuild"));
    }
    assert!(recover::open(folder_with(&bytes).path(), 1 << 20, 6).is_ok());
}

#[test]
fn every_flipped_bit_is_found() {
    let source = tempfile::tempdir().unwrap();
    let (payloads, ends) = write(source.path(), &[1, 3, 2], 1 << 20);
    let bytes = fs::read(source.path().join("0000000001.journal")).unwrap();
    for at in 0..bytes.len() {
        for bit in [0x01, 0x80] {
            let mut damaged = bytes.clone();
            damaged[at] ^= bit;
            let folder = folder_with(&damaged);
            // When the index knows all records, any damage is an error.
            let error = recover::open(folder.path(), 1 << 20, 6)
                .map(drop)
                .unwrap_err();
            let StoreError::Damaged { offset, .. } = error else {
                panic!("{error}")
            };
            assert!(offset <= at as u64, "flipped at {at}, said {offset}");
            // When it does not, damage before the last group is an error; in the last group it is taken for a cut.
            match recover::open(folder.path(), 1 << 20, 0) {
                Err(StoreError::Damaged { .. }) => {
                    assert!((at as u64) < ends[1], "flipped at {at}")
                }
                Err(error) => panic!("{error}"),
                Ok(_) => {
                    assert!(at as u64 >= ends[1], "flipped at {at}");
                    let kept = records(folder.path()).unwrap();
                    assert!((4..6).contains(&kept.len()) && kept == payloads[..kept.len()]);
                }
            }
        }
    }
}

#[test]
fn segments_follow_each_other_and_a_missing_one_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let (payloads, _) = write(folder.path(), &[2; 40], 300);
    let files = fs::read_dir(folder.path()).unwrap().count();
    assert!(files > 5, "{files} segments");
    assert_eq!(records(folder.path()).unwrap(), payloads);
    // Single reads find the same records.
    let reader = JournalReader::new(folder.path());
    let mut locations = Vec::new();
    reader
        .scan(None, |at, _| {
            locations.push(at);
            Ok(())
        })
        .unwrap();
    for (at, payload) in locations.iter().zip(&payloads) {
        assert_eq!(&reader.read(*at).unwrap(), payload);
    }
    // A scan may begin anywhere.
    for (index, at) in locations.iter().enumerate() {
        let mut rest = 0;
        reader
            .scan(Some(*at), |_, _| {
                rest += 1;
                Ok(())
            })
            .unwrap();
        assert_eq!(rest, payloads.len() - index - 1);
    }
    fs::remove_file(folder.path().join("0000000003.journal")).unwrap();
    let error = recover::open(folder.path(), 300, 0)
        .map(drop)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("0000000003.journal") && error.contains("missing"),
        "{error}"
    );
}

#[test]
fn a_segment_that_was_only_begun_is_begun_anew() {
    for header in [&b""[..], b"BRHJ", &[0; 20]] {
        let folder = tempfile::tempdir().unwrap();
        let (payloads, _) = write(folder.path(), &[2, 2], 1 << 20);
        fs::write(folder.path().join("0000000002.journal"), header).unwrap();
        let (mut journal, _) = recover::open(folder.path(), 1, 4).unwrap();
        let mut group = journal.begin().unwrap();
        group.push(b"after").unwrap();
        journal.write(group).unwrap();
        assert_eq!(
            records(folder.path()).unwrap(),
            [payloads, vec![b"after".to_vec()]].concat()
        );
    }
}

proptest! {
    /// Loss of power while the last group was written: of its sectors any may be there, torn or not.
    #[test]
    fn any_part_of_an_unfinished_group_may_be_on_disk(
        sizes in proptest::collection::vec(1usize..6, 2..5),
        sectors in proptest::collection::vec(any::<bool>(), 64),
        sector in 1usize..200,
        kept_length in 0.0f64..=1.0,
    ) {
        let source = tempfile::tempdir().unwrap();
        let (payloads, ends) = write(source.path(), &sizes, 1 << 20);
        let mut bytes = fs::read(source.path().join("0000000001.journal")).unwrap();
        let safe = ends[ends.len() - 2] as usize;
        for (number, chunk) in bytes[safe..].chunks_mut(sector).enumerate() {
            if !sectors[number % sectors.len()] {
                chunk.fill(0);
            }
        }
        bytes.truncate(safe + ((bytes.len() - safe) as f64 * kept_length) as usize);
        let acknowledged: usize = sizes[..sizes.len() - 1].iter().sum();
        let folder = folder_with(&bytes);
        let opened = recover::open(folder.path(), 1 << 20, acknowledged as u64);
        prop_assert!(opened.is_ok(), "{:?}", opened.err());
        let kept = records(folder.path()).unwrap();
        prop_assert!(kept.len() >= acknowledged);
        prop_assert_eq!(&kept[..], &payloads[..kept.len()]);
    }
}
