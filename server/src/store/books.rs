//! The index of a checked book: where its openings begin, on disk beside the artifact.
//!
//! A file of the offsets of every [`STRIDE`]th opening, 8 bytes each, little-endian, behind a header and before a checksum. It is
//! derived: one that is missing, cut, damaged or of another check is made again from the book.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Read, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use engine::book::{BookFormat, Summary};

use super::{StoreError, artifacts::ArtifactFiles, directory::sync_folder};
use crate::model::Digest;

/// Every how many openings an offset is kept: of ten million some 160,000, 1.2 MB.
pub const STRIDE: u64 = 64;

const MAGIC: &[u8; 8] = b"BRHBOOK1";

/// Numbers of the header: format, lines, openings, duplicates, White to move, Black to move.
const NUMBERS: usize = 6;

/// Bytes of the header: magic, identity, numbers.
const HEADER: u64 = 8 + 32 + 8 * NUMBERS as u64;

/// Bytes of the checksum.
const CHECKSUM: u64 = 4;

/// What a check of a book is of: book, rules, and the way it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookIdentity {
    /// SHA-256 of the book.
    pub sha256: Digest,
    /// Hash of the variant.
    pub variant: Digest,
    /// The format that was asked for; none = told by how the book begins.
    pub format: Option<BookFormat>,
    /// Plies that are played of each game of a PGN; 0 = all.
    pub plies: u32,
}

impl BookIdentity {
    fn hash(&self) -> [u8; 32] {
        let mut hash = blake3::Hasher::new_derive_key("brouhaha book index 1");
        hash.update(&self.sha256.0);
        hash.update(&self.variant.0);
        hash.update(&[self.format.map_or(0, number_of)]);
        hash.update(&self.plies.to_le_bytes());
        *hash.finalize().as_bytes()
    }
}

fn number_of(format: BookFormat) -> u8 {
    match format {
        BookFormat::Lines => 1,
        BookFormat::Pgn => 2,
    }
}

/// An index that is open.
#[derive(Debug)]
pub struct BookIndex {
    path: PathBuf,
    file: Mutex<File>,
    /// How the book is written.
    pub format: BookFormat,
    /// What the book has.
    pub summary: Summary,
}

/// An index that is being made. Dropped unfinished, nothing remains.
pub struct BookIndexer {
    folder: PathBuf,
    path: PathBuf,
    file: Checked,
    temporary: Temporary,
    openings: u64,
}

/// A file that goes with its owner.
struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        // A finished index has another name by now.
        let _ = fs::remove_file(&self.0);
    }
}

/// Writes and keeps the checksum of what was written after the header.
struct Checked {
    file: BufWriter<File>,
    checksum: u32,
}

/// A temporary file for anything, without a name where the system allows it.
pub struct Scratch {
    /// The file, open to write and read.
    pub file: File,
    _temporary: Temporary,
}

impl ArtifactFiles {
    fn index_path(&self, identity: &BookIdentity) -> PathBuf {
        let hash = blake3::Hash::from_bytes(identity.hash()).to_hex();
        let short = &hash.as_str()[..16];
        self.folder()
            .join(format!("{}-{short}.index", identity.sha256))
    }

    /// The index of a book; none when there is none that can be used.
    pub fn book_index(&self, identity: &BookIdentity) -> Result<Option<BookIndex>, StoreError> {
        let path = self.index_path(identity);
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(StoreError::io("read", &path)(error)),
        };
        BookIndex::read(file, &path, identity).map_err(StoreError::io("read", &path))
    }

    /// Begins an index.
    pub fn index_book(&self, identity: &BookIdentity) -> Result<BookIndexer, StoreError> {
        let (file, temporary) = self.temporary("index")?;
        let mut file = Checked {
            file: BufWriter::new(file),
            checksum: 0,
        };
        // The numbers of the header are known at the end.
        let header = [0; HEADER as usize];
        file.file
            .write_all(&header)
            .map_err(StoreError::io("write", &temporary.0))?;
        Ok(BookIndexer {
            folder: self.folder().to_owned(),
            path: self.index_path(identity),
            file,
            temporary,
            openings: 0,
        })
    }

    /// An empty file that goes when it is dropped.
    pub fn scratch(&self) -> Result<Scratch, StoreError> {
        let (file, temporary) = self.temporary("scratch")?;
        Ok(Scratch {
            file,
            _temporary: temporary,
        })
    }

    fn temporary(&self, what: &str) -> Result<(File, Temporary), StoreError> {
        let path = self.temporary_path(what);
        let mut options = File::options();
        let file = options.read(true).write(true).create(true).truncate(true);
        let file = file.open(&path).map_err(StoreError::io("create", &path))?;
        Ok((file, Temporary(path)))
    }
}

impl BookIndexer {
    /// Adds the next opening by its offset.
    pub fn push(&mut self, offset: u64) -> io::Result<()> {
        if self.openings.is_multiple_of(STRIDE) {
            self.file.write(&offset.to_le_bytes())?;
        }
        self.openings += 1;
        Ok(())
    }

    /// Makes the index safe under its name.
    pub fn finish(
        self,
        identity: &BookIdentity,
        format: BookFormat,
        summary: &Summary,
    ) -> Result<(), StoreError> {
        let temporary = self.temporary;
        let finish = || {
            let mut header = Vec::with_capacity(HEADER as usize);
            header.extend(MAGIC);
            header.extend(identity.hash());
            for number in [
                number_of(format).into(),
                summary.lines,
                summary.openings,
                summary.duplicates,
                summary.white,
                summary.black,
            ] {
                header.extend(u64::to_le_bytes(number));
            }
            let offsets = self.file.checksum;
            let checksum = crc32c::crc32c_append(offsets, &header);
            let mut file = self.file.file;
            file.write_all(&checksum.to_le_bytes())?;
            let mut file = file.into_inner().map_err(|error| error.into_error())?;
            file.seek(SeekFrom::Start(0))?;
            file.write_all(&header)?;
            file.sync_all()
        };
        finish().map_err(StoreError::io("write", &temporary.0))?;
        fs::rename(&temporary.0, &self.path).map_err(StoreError::io("rename", &temporary.0))?;
        sync_folder(&self.folder)
    }
}

impl Checked {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.checksum = crc32c::crc32c_append(self.checksum, bytes);
        self.file.write_all(bytes)
    }
}

impl BookIndex {
    /// Reads the header and checks the rest; none when it is not whole, or not of this check.
    fn read(mut file: File, path: &Path, identity: &BookIdentity) -> io::Result<Option<Self>> {
        let size = file.metadata()?.len();
        if size < HEADER + CHECKSUM {
            return Ok(None);
        }
        let mut header = [0; HEADER as usize];
        file.read_exact(&mut header)?;
        let (magic, rest) = header.split_at(8);
        let (hash, numbers) = rest.split_at(32);
        let number = |at: usize| {
            let bytes = numbers.get(8 * at..8 * at + 8);
            bytes
                .and_then(|bytes| bytes.try_into().ok())
                .map_or(0, u64::from_le_bytes)
        };
        let [format, lines, openings, duplicates, white, black] = [0, 1, 2, 3, 4, 5].map(number);
        let format = match format {
            1 => BookFormat::Lines,
            2 => BookFormat::Pgn,
            _ => return Ok(None),
        };
        let offsets = openings.div_ceil(STRIDE).checked_mul(8);
        let whole = offsets.and_then(|offsets| offsets.checked_add(HEADER + CHECKSUM));
        if magic != MAGIC || hash != identity.hash() || whole != Some(size) {
            return Ok(None);
        }
        let checksum = checksum(&mut file, size - HEADER - CHECKSUM)?;
        let mut stored = [0; CHECKSUM as usize];
        file.read_exact(&mut stored)?;
        if crc32c::crc32c_append(checksum, &header) != u32::from_le_bytes(stored) {
            return Ok(None);
        }
        Ok(Some(Self {
            path: path.to_owned(),
            file: Mutex::new(file),
            format,
            summary: Summary {
                lines,
                openings,
                duplicates,
                white,
                black,
                ..Summary::default()
            },
        }))
    }

    /// An offset at or before that of an opening, and how many openings lie between.
    pub fn before(&self, opening: u64) -> Result<(u64, u64), StoreError> {
        let mut bytes = [0; 8];
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(HEADER + 8 * (opening / STRIDE)))
            .and_then(|_| file.read_exact(&mut bytes))
            .map_err(StoreError::io("read", &self.path))?;
        Ok((u64::from_le_bytes(bytes), opening % STRIDE))
    }
}

/// The checksum of the next bytes of a file.
fn checksum(file: &mut File, mut bytes: u64) -> io::Result<u32> {
    let mut buffer = vec![0; 64 * 1024];
    let mut checksum = 0;
    while bytes > 0 {
        let part = bytes.min(buffer.len() as u64) as usize;
        file.read_exact(&mut buffer[..part])?;
        checksum = crc32c::crc32c_append(checksum, &buffer[..part]);
        bytes -= part as u64;
    }
    Ok(checksum)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity() -> BookIdentity {
        BookIdentity {
            sha256: Digest([7; 32]),
            variant: Digest([8; 32]),
            format: None,
            plies: 0,
        }
    }

    fn made(files: &ArtifactFiles, openings: u64) -> Summary {
        let mut indexer = files.index_book(&identity()).unwrap();
        for opening in 0..openings {
            indexer.push(opening * 10 + 3).unwrap();
        }
        let summary = Summary {
            lines: openings + 1,
            openings,
            duplicates: 2,
            white: openings,
            ..Summary::default()
        };
        indexer
            .finish(&identity(), BookFormat::Lines, &summary)
            .unwrap();
        summary
    }

    #[test]
    fn an_index_tells_where_each_opening_begins() {
        let folder = tempfile::tempdir().unwrap();
        let files = ArtifactFiles::new(folder.path());
        for openings in [1, 63, 64, 65, 1000] {
            let summary = made(&files, openings);
            let index = files.book_index(&identity()).unwrap().unwrap();
            assert_eq!(
                (index.format, &index.summary),
                (BookFormat::Lines, &summary)
            );
            for opening in 0..openings {
                let (offset, between) = index.before(opening).unwrap();
                assert_eq!((offset - 3) / 10 + between, opening);
                assert!(between < STRIDE);
            }
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        // A file beside the artifacts is no damaged artifact.
        assert!(files.damaged().unwrap().is_empty());
    }

    #[test]
    fn an_index_of_anything_else_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let files = ArtifactFiles::new(folder.path());
        assert!(files.book_index(&identity()).unwrap().is_none());
        made(&files, 200);
        for other in [
            BookIdentity {
                variant: Digest([9; 32]),
                ..identity()
            },
            BookIdentity {
                plies: 1,
                ..identity()
            },
            BookIdentity {
                format: Some(BookFormat::Lines),
                ..identity()
            },
        ] {
            assert!(files.book_index(&other).unwrap().is_none());
            // Not even under the right name.
            fs::copy(files.index_path(&identity()), files.index_path(&other)).unwrap();
            assert!(files.book_index(&other).unwrap().is_none());
        }
        let path = files.index_path(&identity());
        let whole = fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 4;
            fs::write(&path, damaged).unwrap();
            assert!(
                files.book_index(&identity()).unwrap().is_none(),
                "byte {at}"
            );
            fs::write(&path, &whole[..at]).unwrap();
            assert!(
                files.book_index(&identity()).unwrap().is_none(),
                "{at} bytes"
            );
        }
        fs::write(&path, whole).unwrap();
        assert!(files.book_index(&identity()).unwrap().is_some());
    }

    #[test]
    fn nothing_remains_of_what_is_not_finished() {
        let folder = tempfile::tempdir().unwrap();
        let files = ArtifactFiles::new(folder.path());
        let indexer = files.index_book(&identity()).unwrap();
        let scratch = files.scratch().unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
        drop((indexer, scratch));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
