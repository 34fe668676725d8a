//! Games: results, playings kept aside, voided ones.

use prost::Message as _;
use proto::{
    store::{GameKept, GameKey as WireKey, GameStored, GameVoided},
    v1,
};

use crate::{
    model::{BatchIndex, Digest, GameIndex, GameKey, PlayingKey, TournamentId},
    store::{
        Location, StoreError,
        keys::{self, Key},
        state::Overlay,
    },
};

/// A stored game, without its moves.
#[derive(Clone, PartialEq, prost::Message)]
pub struct GameEntry {
    /// Players and result.
    #[prost(message, optional, tag = "1")]
    pub summary: Option<v1::GameSummary>,
    /// Hash of the moves, by which a duplicate is told from another playing.
    #[prost(bytes = "vec", tag = "2")]
    pub moves: Vec<u8>,
    /// The attempt that played it.
    #[prost(message, optional, tag = "3")]
    pub attempt: Option<v1::Attempt>,
    /// The record with everything.
    #[prost(message, optional, tag = "4")]
    pub location: Option<Location>,
    /// When it was stored, milliseconds since 1970 by the coordinator's clock; 0 = not known.
    #[prost(uint64, tag = "5")]
    pub stored_unix_ms: u64,
}

/// A playing kept aside.
#[derive(Clone, PartialEq, prost::Message)]
pub struct KeptEntry {
    /// Why.
    #[prost(enumeration = "proto::store::KeptReason", tag = "1")]
    pub reason: i32,
    /// The record with everything.
    #[prost(message, optional, tag = "2")]
    pub location: Option<Location>,
}

/// A voided game.
#[derive(Clone, PartialEq, prost::Message)]
pub struct VoidedEntry {
    /// The record that says why.
    #[prost(message, optional, tag = "1")]
    pub location: Option<Location>,
}

/// Hash of a game's moves.
pub fn moves_digest(moves: &[String]) -> Digest {
    let mut hash = blake3::Hasher::new();
    for text in moves {
        hash.update(text.as_bytes());
        hash.update(b" ");
    }
    Digest(*hash.finalize().as_bytes())
}

/// The playing that a record names.
pub fn playing_key(key: Option<&WireKey>) -> Result<PlayingKey, StoreError> {
    let key =
        key.ok_or_else(|| StoreError::unreadable("a game's record", "it does not say which game"))?;
    let replica = u8::try_from(key.replica)
        .map_err(|error| StoreError::unreadable("a game's replica", error))?;
    let game = GameKey {
        tournament: TournamentId(key.tournament),
        batch: BatchIndex(key.batch),
        game: GameIndex(key.game),
        generation: key.generation,
    };
    Ok(PlayingKey { game, replica })
}

impl From<PlayingKey> for WireKey {
    fn from(key: PlayingKey) -> Self {
        Self {
            tournament: key.game.tournament.0,
            batch: key.game.batch.0,
            game: key.game.game.0,
            generation: key.game.generation,
            replica: key.replica.into(),
        }
    }
}

pub(super) fn unique(change: &GameStored) -> Result<Key, StoreError> {
    Ok(keys::game(&playing_key(change.key.as_ref())?))
}

pub(super) fn stored(
    change: &GameStored,
    at: Location,
    index: &mut Overlay<'_>,
) -> Result<(), StoreError> {
    let game = change.game.as_ref();
    let entry = GameEntry {
        summary: game.and_then(|game| game.summary.clone()),
        moves: moves_digest(game.map_or(&[], |game| &game.moves))
            .0
            .to_vec(),
        attempt: change.attempt,
        location: Some(at),
        stored_unix_ms: change.stored_unix_ms,
    };
    index.set(unique(change)?, entry.encode_to_vec())
}

pub(super) fn kept(
    change: &GameKept,
    at: Location,
    index: &mut Overlay<'_>,
) -> Result<(), StoreError> {
    let key = playing_key(
        change
            .playing
            .as_ref()
            .and_then(|playing| playing.key.as_ref()),
    )?;
    let entry = KeptEntry {
        reason: change.reason,
        location: Some(at),
    };
    index.set(keys::kept(&key, at.sequence), entry.encode_to_vec())
}

pub(super) fn voided(
    change: &GameVoided,
    at: Location,
    index: &mut Overlay<'_>,
) -> Result<(), StoreError> {
    let key = playing_key(change.key.as_ref())?;
    index.set(
        keys::voided(&key),
        VoidedEntry { location: Some(at) }.encode_to_vec(),
    )
}
