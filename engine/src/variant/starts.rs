//! Start positions by set-up number.

use std::sync::Arc;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::diagram::Diagram;
use super::{Variant, VariantError};
use crate::game::Game;
use crate::types::{Colour, Kind, Piece};

/// The numbers of a variant's set-ups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setups {
    /// The smallest number.
    pub first: u64,
    /// How many there are; at least 1.
    pub count: u64,
}

impl Setups {
    /// The largest number.
    #[must_use]
    pub const fn last(&self) -> u64 {
        self.first + self.count - 1
    }
}

impl Variant {
    /// The numbers of the set-ups.
    ///
    /// ```
    /// let catalog = engine::variant::Catalog::builtin();
    /// let setups = catalog.get("grand-apothecary-modern").unwrap().setups();
    /// assert_eq!((setups.first, setups.last()), (0, 575));
    /// ```
    #[must_use]
    pub fn setups(&self) -> Setups {
        let start = &self.rules.start;
        Setups {
            first: start.first,
            count: start
                .choices
                .iter()
                .map(|c| c.options.len() as u64)
                .product(),
        }
    }

    /// The FEN of a set-up.
    ///
    /// # Errors
    /// The number is outside [`setups`](Self::setups).
    pub fn start_fen(&self, number: u64) -> Result<String, VariantError> {
        let setups = self.setups();
        if number < setups.first || number > setups.last() {
            return Err(VariantError::SetupNumber {
                variant: self.id.clone(),
                number,
                first: setups.first,
                last: setups.last(),
            });
        }
        let start = &self.rules.start;
        let split = start.fen.find(['[', ' ']).unwrap_or(start.fen.len());
        let (board, rest) = start.fen.split_at(split);
        // The board was read when the variant was resolved.
        let Ok(mut diagram) = Diagram::parse(&self.rules, board) else {
            return Ok(start.fen.clone());
        };
        let mut index = number - setups.first;
        for choice in start.choices.iter().rev() {
            let option = &choice.options[(index % choice.options.len() as u64) as usize];
            index /= choice.options.len() as u64;
            for (i, &kind) in option.iter().enumerate() {
                for square in [Some(choice.squares[i]), choice.twins.get(i).copied()]
                    .into_iter()
                    .flatten()
                {
                    diagram.men[square.index()] = Piece::new(Colour::White, kind);
                    if let Some(mirror) = self.rules.geometry.mirrored(square) {
                        diagram.men[mirror.index()] = Piece::new(Colour::Black, kind);
                    }
                }
            }
        }
        Ok(diagram.write(&self.rules) + rest)
    }

    /// The FEN of a random start: in a game with a set-up phase random armies, else a random set-up.
    ///
    /// The same seed gives the same armies everywhere (ChaCha8).
    ///
    /// # Errors
    /// None for a variant that has been resolved.
    pub fn army_fen(self: &Arc<Self>, seed: u64) -> Result<String, VariantError> {
        let setups = self.setups();
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let number = setups.first + below(&mut random, setups.count);
        let mut fen = self.start_fen(number)?;
        if self.rules.augment.is_some()
            && let Ok(mut game) = Game::new(self.clone(), &fen)
        {
            while game.in_setup() {
                game.play_random(&mut random);
            }
            fen = game.fen();
        }
        Ok(fen)
    }

    /// Every start position must be playable, so that no tournament finds out later.
    pub(super) fn check_starts(self: &Arc<Self>, origin: &str) -> Result<(), VariantError> {
        let setups = self.setups();
        // All of few; of many the first, the last and some between.
        let step = (setups.count / 64).max(1);
        for i in (0..setups.count)
            .step_by(step as usize)
            .chain([setups.count - 1])
        {
            let fen = self.start_fen(setups.first + i)?;
            let fail = |reason: String| {
                Err(VariantError::Key {
                    origin: origin.to_owned(),
                    key: "start.fen".to_owned(),
                    reason,
                })
            };
            let number = setups.first + i;
            let game = match Game::new(self.clone(), &fen) {
                Ok(game) => game,
                Err(e) => return fail(format!("set-up {number} is no position: {e} ({fen})")),
            };
            // What reading drops, such as a castling right without its rook, was not meant.
            if game.fen() != fen {
                return fail(format!(
                    "set-up {number} is `{fen}`, which stands for `{}`; write that",
                    game.fen()
                ));
            }
        }
        Ok(())
    }

    /// The king's type; every variant has one.
    #[must_use]
    pub fn king(&self) -> Kind {
        self.rules.king
    }
}

/// A number below `bound`, each equally likely: 64-bit draws above the largest multiple of `bound` are thrown away.
pub(crate) fn below(random: &mut impl Rng, bound: u64) -> u64 {
    let limit = u64::MAX - u64::MAX % bound.max(1);
    loop {
        let draw = random.next_u64();
        if draw < limit {
            return draw % bound.max(1);
        }
    }
}
