//! One segment file: its name, its header, and the frames in it.
//!
//! Header: `"BRHJRNL1" | first sequence u64 | crc32c u32`, little-endian, the checksum over what precedes it.

use std::{
    fs::{self, File},
    io::Write as _,
    path::{Path, PathBuf},
};

use super::frame::{self, Frame};
use crate::store::{StoreError, directory::sync_folder};

/// Bytes before the first frame.
pub(super) const HEADER: usize = 20;
const MAGIC: [u8; 8] = *b"BRHJRNL1";

/// The file of a segment.
pub(super) fn path(folder: &Path, number: u32) -> PathBuf {
    folder.join(format!("{number:010}.journal"))
}

/// Numbers of the segments in a folder, in order.
pub(super) fn found(folder: &Path) -> Result<Vec<u32>, StoreError> {
    let mut numbers = Vec::new();
    for entry in fs::read_dir(folder).map_err(StoreError::io("read", folder))? {
        let entry = entry.map_err(StoreError::io("read", folder))?;
        let name = entry.file_name();
        let stem = name.to_str().and_then(|name| name.strip_suffix(".journal"));
        numbers.extend(stem.and_then(|stem| stem.parse::<u32>().ok()));
    }
    numbers.sort_unstable();
    Ok(numbers)
}

/// Numbers of the segments in a folder, in order; a gap is damage.
pub(super) fn list(folder: &Path) -> Result<Vec<u32>, StoreError> {
    let numbers = found(folder)?;
    for (expected, &found) in (1..).zip(&numbers) {
        if found != expected {
            let problem = "the file is missing".to_owned();
            return Err(StoreError::Damaged {
                path: path(folder, expected),
                offset: 0,
                problem,
            });
        }
    }
    Ok(numbers)
}

/// Makes a new segment, safe on disk, and gives it open for appending.
pub(super) fn create(folder: &Path, number: u32, first_sequence: u64) -> Result<File, StoreError> {
    let path = path(folder, number);
    let mut file = File::options()
        .append(true)
        .create_new(true)
        .open(&path)
        .map_err(StoreError::io("create", &path))?;
    let written = file
        .write_all(&header(first_sequence))
        .and_then(|()| file.sync_all());
    if let Err(error) = written {
        // On a full disk one goes on later: the name must be free then. What stays is cut off at the next start.
        let _ = fs::remove_file(&path);
        return Err(StoreError::io("create", &path)(error));
    }
    sync_folder(folder)?;
    Ok(file)
}

fn header(first_sequence: u64) -> [u8; HEADER] {
    let mut bytes = [0; HEADER];
    bytes[..8].copy_from_slice(&MAGIC);
    bytes[8..16].copy_from_slice(&first_sequence.to_le_bytes());
    let crc = crc32c::crc32c(&bytes[..16]);
    bytes[16..].copy_from_slice(&crc.to_le_bytes());
    bytes
}

/// The first sequence in a segment's header; the error says what is wrong.
pub(super) fn first_sequence(bytes: &[u8]) -> Result<u64, &'static str> {
    let found = bytes
        .first_chunk::<HEADER>()
        .ok_or("the segment's header is cut off")?;
    let first = found[8..]
        .first_chunk()
        .map_or(0, |bytes| u64::from_le_bytes(*bytes));
    if *found != header(first) {
        return Err("the segment's header is wrong");
    }
    Ok(first)
}

/// Why a walk over frames ended before the end of the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// Offset of the frame that is wrong.
    pub(super) offset: usize,
    /// The sequence that should stand there.
    pub(super) expected: u64,
    /// What is wrong.
    pub(super) problem: &'static str,
}

/// Walks the frames from an offset, where `expected` should stand. Gives the next sequence, or the fault that ended it.
pub(super) fn walk<'a>(
    bytes: &'a [u8],
    mut offset: usize,
    mut expected: u64,
    mut visit: impl FnMut(usize, Frame<'a>) -> Result<(), StoreError>,
) -> Result<Result<u64, Fault>, StoreError> {
    while offset < bytes.len() {
        let fault = |problem| Fault {
            offset,
            expected,
            problem,
        };
        let frame = match frame::decode(&bytes[offset..]) {
            Ok(frame) if frame.sequence == expected => frame,
            Ok(_) => {
                return Ok(Err(fault(
                    "the frame is another one than the one that belongs here",
                )));
            }
            Err(problem) => return Ok(Err(fault(problem))),
        };
        visit(offset, frame)?;
        offset += frame.size();
        expected += 1;
    }
    Ok(Ok(expected))
}

/// Whether a group that was begun after this fault's record stands anywhere after it.
///
/// A group is begun only when the one before is safe, so the faulty record had been acknowledged: it is damaged. Without
/// such a group it belongs to the last write, which never finished.
pub(super) fn later_group_exists(bytes: &[u8], fault: &Fault) -> bool {
    let plausible = fault.expected + 1..=fault.expected + bytes.len() as u64;
    (fault.offset + 1..bytes.len()).any(|offset| {
        let rest = &bytes[offset..];
        frame::claimed(rest).is_some_and(|(sequence, group)| {
            plausible.contains(&sequence) && group > fault.expected
        }) && frame::decode(rest).is_ok()
    })
}
