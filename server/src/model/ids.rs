//! Numbers and hashes that name things.

use std::{fmt, str::FromStr};

/// Declares a number that names one kind of thing.
macro_rules! number {
    ($(#[$doc:meta])* $name:ident($inner:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub $inner);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

number! {
    /// Number of a tournament in this store, from 1.
    TournamentId(u64)
}
number! {
    /// Number of an analysis job in this store, from 1.
    AnalysisId(u64)
}
number! {
    /// Index of a batch in its tournament or job, from 0.
    BatchIndex(u32)
}
number! {
    /// Index of a game in its tournament, from 0. Games 2n and 2n + 1 are one pair.
    GameIndex(u32)
}
number! {
    /// Number of a worker within one epoch of the coordinator, from 1.
    WorkerId(u64)
}
number! {
    /// Opens a worker's streams; a later registration of the same worker process ends it.
    SessionId(u64)
}

/// What batches belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum JobId {
    /// Games of a tournament.
    Tournament(TournamentId),
    /// Positions of an analysis job.
    Analysis(AnalysisId),
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tournament(id) => write!(f, "tournament {id}"),
            Self::Analysis(id) => write!(f, "analysis job {id}"),
        }
    }
}

/// One lease of a batch. Never used twice: the epoch grows with every start of the coordinator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Attempt {
    /// Start number of the coordinator, from 1.
    pub epoch: u64,
    /// Number of the lease within the epoch, from 1.
    pub counter: u64,
}

impl fmt::Display for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.epoch, self.counter)
    }
}

/// Names a game of a tournament in its present generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameKey {
    /// The tournament.
    pub tournament: TournamentId,
    /// The batch.
    pub batch: BatchIndex,
    /// The game.
    pub game: GameIndex,
    /// Grows when a game is voided; only the newest counts.
    pub generation: u32,
}

impl fmt::Display for GameKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "game {} of tournament {} (batch {}",
            self.game, self.tournament, self.batch
        )?;
        if self.generation > 0 {
            write!(f, ", generation {}", self.generation)?;
        }
        f.write_str(")")
    }
}

/// Names one playing of a game: the result or an audit play of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlayingKey {
    /// The game.
    pub game: GameKey,
    /// 0 = the result; others are audit plays.
    pub replica: u8,
}

/// A 32-byte hash: SHA-256 of an artifact, else blake3.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(pub [u8; 32]);

impl Digest {
    /// The blake3 of bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// The first eight hexadecimal digits, for people.
    pub fn short(&self) -> String {
        self.to_string().chars().take(8).collect()
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

/// A text that is no hash.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a hash: 64 lower-case hexadecimal digits are expected")]
pub struct DigestError(String);

impl FromStr for Digest {
    type Err = DigestError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || DigestError(text.chars().take(80).collect());
        let digits = text.as_bytes();
        if digits.len() != 64 {
            return Err(error());
        }
        let digit = |byte: u8| match byte {
            b'0'..=b'9' => Some(byte - b'0'),
            b'a'..=b'f' => Some(byte - b'a' + 10),
            _ => None,
        };
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            let (high, low) = (digit(pair[0]), digit(pair[1]));
            *byte = high
                .zip(low)
                .map(|(high, low)| high << 4 | low)
                .ok_or_else(error)?;
        }
        Ok(Self(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_reads_what_it_prints_and_nothing_else() {
        let text = "00ff10a5".repeat(8);
        let digest: Digest = text.parse().unwrap();
        assert_eq!(digest.0[..4], [0x00, 0xff, 0x10, 0xa5]);
        assert_eq!(digest.to_string(), text);
        assert_eq!(digest.short(), "00ff10a5");
        for bad in [
            "",
            "00",
            &text[1..],
            &text.to_uppercase(),
            &format!("{}zz", &text[2..]),
        ] {
            assert!(bad.parse::<Digest>().is_err(), "{bad}");
        }
    }
}
