//! Stored games, page by page or one after the other.

use std::sync::Arc;

use proto::v1;

use super::{Coordinator, Error};
use crate::model::{GameIndex, PlayingKey, TournamentId};

/// Games read at a time while streaming.
const CHUNK: usize = 64;

impl Coordinator {
    /// Stored games from an index on, at most so many, and where to go on.
    pub async fn list_games(
        self: &Arc<Self>,
        id: TournamentId,
        from: GameIndex,
        most: usize,
    ) -> Result<(Vec<v1::GameSummary>, Option<GameIndex>), Error> {
        let (keys, next) = self.stored_keys(id, from, most)?;
        let games = self
            .query(move |this| {
                let view = this.store.view();
                let summary = |key: &PlayingKey| {
                    let entry = view
                        .game(key)?
                        .ok_or_else(|| Error::Internal(format!("{} is missing", key.game)))?;
                    Ok(entry.summary.unwrap_or_default())
                };
                keys.iter().map(summary).collect::<Result<_, Error>>()
            })
            .await?;
        Ok((games, next))
    }

    /// Stored games with all moves from an index on, a few at a time, and where to go on.
    pub async fn read_games(
        self: &Arc<Self>,
        id: TournamentId,
        from: GameIndex,
    ) -> Result<(Vec<v1::Game>, Option<GameIndex>), Error> {
        let (keys, next) = self.stored_keys(id, from, CHUNK)?;
        let games = self
            .query(move |this| {
                let view = this.store.view();
                let game = |key: &PlayingKey| {
                    let entry = view
                        .game(key)?
                        .ok_or_else(|| Error::Internal(format!("{} is missing", key.game)))?;
                    Ok(view.game_record(entry.location)?.game.unwrap_or_default())
                };
                keys.iter().map(game).collect::<Result<_, Error>>()
            })
            .await?;
        Ok((games, next))
    }

    /// Keys of stored games from an index on, and the index of the next one after them.
    fn stored_keys(
        &self,
        id: TournamentId,
        from: GameIndex,
        most: usize,
    ) -> Result<(Vec<PlayingKey>, Option<GameIndex>), Error> {
        let state = self.state();
        let tournament = state.tournament(id)?;
        let mut stored = tournament.scores_from(from).map(|(game, _)| game);
        let keys = stored
            .by_ref()
            .take(most)
            .filter_map(|game| tournament.key(game))
            .collect();
        Ok((keys, stored.next()))
    }
}
