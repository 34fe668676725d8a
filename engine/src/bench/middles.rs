//! A middle game of each built-in variant, taken from the rule vectors.

use crate::game::Game;
use crate::variant::Catalog;

/// Variant, perft depth and FEN, separated by tabs.
const POSITIONS: &str = include_str!("middles.tsv");

/// A middle game.
#[derive(Clone)]
pub struct Middle {
    /// Id of the variant.
    pub variant: &'static str,
    /// Depth of perft that gives a million leaves or a few.
    pub depth: u32,
    /// The game that begins at the position.
    pub game: Game,
}

/// The middle games, one a built-in variant.
///
/// ```
/// assert!(engine::bench::middles().iter().all(|m| m.game.legal_moves().len() > 30));
/// ```
#[must_use]
pub fn middles() -> Vec<Middle> {
    POSITIONS.lines().filter_map(read).collect()
}

/// The middle game of a variant.
///
/// ```
/// assert!(engine::bench::middle("augmenters").is_some());
/// ```
#[must_use]
pub fn middle(variant: &str) -> Option<Middle> {
    let line = POSITIONS
        .lines()
        .find(|line| line.split('\t').next() == Some(variant))?;
    read(line)
}

fn read(line: &'static str) -> Option<Middle> {
    let mut fields = line.split('\t');
    let (variant, depth, fen) = (fields.next()?, fields.next()?, fields.next()?);
    Some(Middle {
        variant,
        depth: depth.parse().ok()?,
        game: Game::new(Catalog::builtin().get(variant)?, fen).ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_variant_has_one() {
        let all: Vec<&str> = middles().iter().map(|m| m.variant).collect();
        let catalog = Catalog::builtin();
        let wanted = catalog.ids();
        assert_eq!(all.len(), wanted.len());
        assert!(wanted.iter().all(|id| all.contains(id)));
    }
}
