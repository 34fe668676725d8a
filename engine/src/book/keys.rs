//! [`Keys`]: counts duplicates among any number of positions, in bounded memory.
//!
//! The keys (64-bit hashes) go to a temporary file, which is then read several times: each time those keys are sorted that lie
//! in one part of the range. Two different positions are taken for one with a probability of about n^2 / 2^65: 3 in a
//! million for ten million positions.

use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};

/// Keys that are sorted at a time, about: 8 MiB of them.
const AT_A_TIME: u64 = 1 << 20;

/// Keys of positions, on disk.
pub(super) struct Keys<F: Read + Write + Seek> {
    file: BufWriter<F>,
    count: u64,
    at_a_time: u64,
}

impl<F: Read + Write + Seek> Keys<F> {
    /// No keys, to be kept in an empty file.
    pub(super) fn new(file: F) -> Self {
        Self {
            file: BufWriter::new(file),
            count: 0,
            at_a_time: AT_A_TIME,
        }
    }

    /// Adds a key.
    pub(super) fn push(&mut self, key: u64) -> io::Result<()> {
        self.count += 1;
        self.file.write_all(&key.to_le_bytes())
    }

    /// How many keys came after an equal one.
    pub(super) fn duplicates(self) -> io::Result<u64> {
        let passes = self.count.div_ceil(self.at_a_time).max(1);
        let mut file = self.file.into_inner().map_err(|error| error.into_error())?;
        let mut duplicates = 0;
        for pass in 0..passes {
            file.seek(SeekFrom::Start(0))?;
            let mut reader = BufReader::with_capacity(1 << 16, &mut file);
            let mut keys = Vec::new();
            let mut bytes = [0; 8];
            for _ in 0..self.count {
                reader.read_exact(&mut bytes)?;
                let key = u64::from_le_bytes(bytes);
                if part(key, passes) == pass {
                    keys.push(key);
                }
            }
            keys.sort_unstable();
            duplicates += keys.windows(2).filter(|two| two[0] == two[1]).count() as u64;
        }
        Ok(duplicates)
    }
}

/// Which of `parts` equal parts of the range a key lies in.
fn part(key: u64, parts: u64) -> u64 {
    ((u128::from(key) * u128::from(parts)) >> 64) as u64
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::io::Cursor;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn duplicates_are_those_that_a_set_finds(
            keys in proptest::collection::vec(0_u64..50, 0..120),
            at_a_time in 1_u64..40,
        ) {
            // Spread over the range, so that every part has some.
            let keys: Vec<u64> = keys.into_iter().map(|key| key * (u64::MAX / 49)).collect();
            let mut counted = Keys { at_a_time, ..Keys::new(Cursor::new(Vec::new())) };
            for &key in &keys {
                counted.push(key).unwrap();
            }
            let different: HashSet<u64> = keys.iter().copied().collect();
            prop_assert_eq!(counted.duplicates().unwrap(), (keys.len() - different.len()) as u64);
        }
    }
}
