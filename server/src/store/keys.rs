//! Keys of the index: a kind byte, then big-endian numbers, so that scans come in order.

use crate::model::{AnalysisId, Digest, GameIndex, GameKey, JobId, PlayingKey, TournamentId};

/// A key of the index.
pub type Key = Vec<u8>;

/// The first byte of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// The journal position applied; one entry.
    Meta = b'm',
    /// The newest epoch; one entry.
    Epoch = b'c',
    /// Variants by hash.
    Variant = b'v',
    /// Tournaments by number.
    Tournament = b't',
    /// Tournaments by specification hash and number.
    SpecHash = b'h',
    /// Games by playing.
    Game = b'g',
    /// Playings kept aside, by playing and sequence.
    Kept = b'k',
    /// Voided games by playing.
    Voided = b'x',
    /// Changes of a tournament's course by tournament and number.
    Course = b'o',
    /// Parked batches by job and index.
    Parked = b'p',
    /// Quarantines by sequence.
    Quarantine = b'q',
    /// Engine versions by hash.
    Engine = b'e',
    /// Artifacts by hash.
    Artifact = b'f',
    /// Analysis jobs by number.
    Analysis = b'a',
    /// Analysed positions by job and index.
    Analysed = b'r',
    /// Engine versions by registered name.
    Name = b'n',
    /// Executables that engine versions are bound to, by version.
    Bound = b'b',
    /// Engines stopped by their own faults, by tournament and sequence.
    Stopped = b'z',
}

/// The prefix of all keys of a kind.
pub fn all(kind: Kind) -> Key {
    vec![kind as u8]
}

/// The applied journal position.
pub fn meta() -> Key {
    all(Kind::Meta)
}

/// The newest epoch.
pub fn epoch() -> Key {
    all(Kind::Epoch)
}

/// A variant.
pub fn variant(hash: &Digest) -> Key {
    hashed(Kind::Variant, hash)
}

/// A tournament.
pub fn tournament(id: TournamentId) -> Key {
    numbered(Kind::Tournament, id.0)
}

/// The tournaments of a specification.
pub fn spec_hash(hash: &Digest) -> Key {
    hashed(Kind::SpecHash, hash)
}

/// One tournament of a specification.
pub fn spec_hash_of(hash: &Digest, id: TournamentId) -> Key {
    let mut key = spec_hash(hash);
    key.extend(id.0.to_be_bytes());
    key
}

/// A playing of a game.
pub fn game(key: &PlayingKey) -> Key {
    playing(Kind::Game, key)
}

/// All playings of a tournament's games.
pub fn games_of(id: TournamentId) -> Key {
    numbered(Kind::Game, id.0)
}

/// A playing kept aside.
pub fn kept(key: &PlayingKey, sequence: u64) -> Key {
    let mut key = playing(Kind::Kept, key);
    key.extend(sequence.to_be_bytes());
    key
}

/// All playings of a tournament that were kept aside.
pub fn kept_of(id: TournamentId) -> Key {
    numbered(Kind::Kept, id.0)
}

/// A voided playing.
pub fn voided(key: &PlayingKey) -> Key {
    playing(Kind::Voided, key)
}

/// All voided playings of a tournament.
pub fn voided_of(id: TournamentId) -> Key {
    numbered(Kind::Voided, id.0)
}

/// All changes of a tournament's course.
pub fn course_of(id: TournamentId) -> Key {
    numbered(Kind::Course, id.0)
}

/// A change of a tournament's course.
pub fn course(id: TournamentId, number: u32) -> Key {
    let mut key = course_of(id);
    key.extend(number.to_be_bytes());
    key
}

/// All parked batches of a job.
pub fn parked_of(job: JobId) -> Key {
    match job {
        JobId::Tournament(id) => numbered(Kind::Parked, id.0),
        JobId::Analysis(id) => {
            let mut key = all(Kind::Parked);
            // Tournament numbers never reach the upper half.
            key.extend((id.0 | 1 << 63).to_be_bytes());
            key
        }
    }
}

/// A parked batch.
pub fn parked(job: JobId, batch: u32) -> Key {
    let mut key = parked_of(job);
    key.extend(batch.to_be_bytes());
    key
}

/// A quarantine.
pub fn quarantine(sequence: u64) -> Key {
    numbered(Kind::Quarantine, sequence)
}

/// All engines that were stopped in a tournament.
pub fn stopped_of(id: TournamentId) -> Key {
    numbered(Kind::Stopped, id.0)
}

/// An engine that was stopped in a tournament.
pub fn stopped(id: TournamentId, sequence: u64) -> Key {
    let mut key = stopped_of(id);
    key.extend(sequence.to_be_bytes());
    key
}

/// An engine version.
pub fn engine(version: &Digest) -> Key {
    hashed(Kind::Engine, version)
}

/// The executable that an engine version is bound to. The version need not be known otherwise: those of tunings are not.
pub fn bound(version: &Digest) -> Key {
    hashed(Kind::Bound, version)
}

/// An engine version by a name under which it was registered.
pub fn engine_name(name: &str) -> Key {
    let mut key = all(Kind::Name);
    key.extend(name.as_bytes());
    key
}

/// An artifact.
pub fn artifact(hash: &Digest) -> Key {
    hashed(Kind::Artifact, hash)
}

/// An analysis job.
pub fn analysis(id: AnalysisId) -> Key {
    numbered(Kind::Analysis, id.0)
}

/// All analysed positions of a job.
pub fn analysed_of(id: AnalysisId) -> Key {
    numbered(Kind::Analysed, id.0)
}

/// An analysed position.
pub fn analysed(id: AnalysisId, position: u32) -> Key {
    let mut key = analysed_of(id);
    key.extend(position.to_be_bytes());
    key
}

/// The playing that a game's, voided game's or kept playing's key names.
pub fn read_playing(key: &[u8]) -> Option<PlayingKey> {
    let (tournament, rest) = key.get(1..)?.split_first_chunk()?;
    let (batch, rest) = rest.split_first_chunk()?;
    let (game, rest) = rest.split_first_chunk()?;
    let (generation, rest) = rest.split_first_chunk()?;
    let game = GameKey {
        tournament: TournamentId(u64::from_be_bytes(*tournament)),
        batch: crate::model::BatchIndex(u32::from_be_bytes(*batch)),
        game: GameIndex(u32::from_be_bytes(*game)),
        generation: u32::from_be_bytes(*generation),
    };
    Some(PlayingKey {
        game,
        replica: *rest.first()?,
    })
}

/// The number at the end of a key.
pub fn last_u32(key: &[u8]) -> Option<u32> {
    key.last_chunk().map(|bytes| u32::from_be_bytes(*bytes))
}

fn numbered(kind: Kind, number: u64) -> Key {
    let mut key = all(kind);
    key.extend(number.to_be_bytes());
    key
}

fn hashed(kind: Kind, hash: &Digest) -> Key {
    let mut key = all(kind);
    key.extend(hash.0);
    key
}

fn playing(kind: Kind, key: &PlayingKey) -> Key {
    let mut bytes = numbered(kind, key.game.tournament.0);
    bytes.extend(key.game.batch.0.to_be_bytes());
    bytes.extend(key.game.game.0.to_be_bytes());
    bytes.extend(key.game.generation.to_be_bytes());
    bytes.push(key.replica);
    bytes
}
