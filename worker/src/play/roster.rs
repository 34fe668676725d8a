//! The players that a slot keeps from game to game, so that an engine is started once and not for each game.

use super::{Player, PlayerError};

/// Most idle players that a slot keeps: an engine may hold much memory.
pub const MOST_IDLE: u32 = 4;

/// Names a player's engine: two seats of one game never share one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// Identity of the player.
    pub player: String,
    /// Hash of the variant.
    pub variant: String,
    /// 1 = the second of a player that meets itself, else 0.
    pub seat: usize,
}

/// Idle players of one slot, least recently used first.
#[derive(Default)]
pub struct Roster(Vec<(Key, Box<dyn Player>)>);

impl Roster {
    /// The idle player of a key, or a new one.
    ///
    /// # Errors
    /// As `make`.
    pub fn take(
        &mut self,
        key: &Key,
        make: impl FnOnce() -> Result<Box<dyn Player>, PlayerError>,
    ) -> Result<Box<dyn Player>, PlayerError> {
        match self.0.iter().position(|(idle, _)| idle == key) {
            Some(index) => Ok(self.0.remove(index).1),
            None => {
                // Room is made before a new one takes memory.
                self.shrink(MOST_IDLE as usize - 1);
                make()
            }
        }
    }

    /// Keeps a healthy player for later.
    pub fn give_back(&mut self, key: Key, player: Box<dyn Player>) {
        self.0.push((key, player));
        self.shrink(MOST_IDLE as usize);
    }

    fn shrink(&mut self, most: usize) {
        let excess = self.0.len().saturating_sub(most);
        self.0.drain(..excess);
    }
}
