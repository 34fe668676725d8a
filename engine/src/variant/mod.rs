//! Variants: the files, their inheritance, and what they resolve to.

mod catalog;
mod diagram;
mod error;
mod merge;
mod place;
mod resolve;
pub mod rule_set;
mod spec;
mod starts;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

pub use catalog::Catalog;
pub use diagram::{Diagram, DiagramError};
pub use error::VariantError;
pub use rule_set::RuleSet;
pub use starts::Setups;

#[cfg(feature = "search")]
pub use crate::eval::EvaluationError;

pub(crate) use diagram::sorted_set;
pub(crate) use starts::below;

use crate::geometry::Geometry;
use crate::position::Compiled;

/// A game: its rules and everything compiled from them. Immutable; nothing fails later because of it.
pub struct Variant {
    id: String,
    name: String,
    hash: VariantHash,
    definition: String,
    rules: Arc<RuleSet>,
    compiled: AnyCompiled,
    #[cfg(feature = "search")]
    evaluation: std::sync::OnceLock<Arc<crate::eval::Parameters>>,
}

/// The tables for the number of words that the board needs.
#[derive(Clone)]
pub(crate) enum AnyCompiled {
    /// Up to 64 squares.
    One(Arc<Compiled<1>>),
    /// Up to 128 squares.
    Two(Arc<Compiled<2>>),
    /// Up to 256 squares.
    Four(Arc<Compiled<4>>),
}

impl Variant {
    pub(crate) fn assemble(
        id: String,
        name: String,
        definition: String,
        rules: RuleSet,
        origin: &str,
    ) -> Result<Arc<Variant>, VariantError> {
        let rules = Arc::new(rules);
        let limit = |e: crate::attacks::LimitExceeded| VariantError::Key {
            origin: origin.to_owned(),
            key: "piece".to_owned(),
            reason: e.to_string(),
        };
        let compiled = match rules.geometry.squares() {
            0..=64 => AnyCompiled::One(Arc::new(Compiled::new(rules.clone()).map_err(limit)?)),
            65..=128 => AnyCompiled::Two(Arc::new(Compiled::new(rules.clone()).map_err(limit)?)),
            _ => AnyCompiled::Four(Arc::new(Compiled::new(rules.clone()).map_err(limit)?)),
        };
        let hash = VariantHash(*blake3::hash(definition.as_bytes()).as_bytes());
        let variant = Arc::new(Variant {
            id,
            name,
            hash,
            definition,
            rules,
            compiled,
            #[cfg(feature = "search")]
            evaluation: std::sync::OnceLock::new(),
        });
        variant.check_starts(origin)?;
        Ok(variant)
    }

    /// The variant of a canonical definition.
    ///
    /// ```
    /// use engine::variant::{Catalog, Variant};
    /// let chess = Catalog::builtin().get("chess").unwrap();
    /// let copy = Variant::from_definition(chess.definition()).unwrap();
    /// assert_eq!(copy.hash(), chess.hash());
    /// ```
    ///
    /// # Errors
    /// The text is no definition.
    pub fn from_definition(text: &str) -> Result<Arc<Variant>, VariantError> {
        resolve::from_definition(text)
    }

    /// The variant's id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The variant's name, for people.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The hash of the definition: two variants are the same game if it is equal.
    #[must_use]
    pub fn hash(&self) -> VariantHash {
        self.hash
    }

    /// The canonical definition: inheritance flattened, comments gone, JSON with sorted keys.
    #[must_use]
    pub fn definition(&self) -> &str {
        &self.definition
    }

    /// The rules.
    #[must_use]
    pub fn rules(&self) -> &RuleSet {
        &self.rules
    }

    /// The board.
    #[must_use]
    pub fn geometry(&self) -> &Geometry {
        &self.rules.geometry
    }

    pub(crate) fn compiled(&self) -> &AnyCompiled {
        &self.compiled
    }

    /// What evaluation derives from the rules and reads from the built-in evaluation file, once.
    #[cfg(feature = "search")]
    pub(crate) fn evaluation(&self) -> &Arc<crate::eval::Parameters> {
        self.evaluation.get_or_init(|| {
            let file = catalog::evaluation(self);
            // A test reads every built-in file, so that an error here cannot reach a user.
            let parameters = crate::eval::Parameters::new(self, file)
                .unwrap_or_else(|_| crate::eval::Parameters::derived(self));
            Arc::new(parameters)
        })
    }
}

#[cfg(feature = "search")]
impl Variant {
    /// The same variant, played by the weights of an evaluation file (the text of one).
    ///
    /// # Errors
    /// The text is no evaluation file, or one for other rules.
    pub fn with_evaluation(
        &self,
        text: &str,
    ) -> Result<Arc<Variant>, crate::eval::EvaluationError> {
        let parameters = crate::eval::Parameters::new(self, Some(text))?;
        Ok(Arc::new(Variant {
            id: self.id.clone(),
            name: self.name.clone(),
            hash: self.hash,
            definition: self.definition.clone(),
            rules: self.rules.clone(),
            compiled: self.compiled.clone(),
            evaluation: std::sync::OnceLock::from(Arc::new(parameters)),
        }))
    }
}

impl fmt::Debug for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Variant")
            .field("id", &self.id)
            .field("hash", &self.hash)
            .finish_non_exhaustive()
    }
}

/// blake3 of a variant's canonical definition; 64 hexadecimal digits as text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VariantHash([u8; 32]);

impl VariantHash {
    /// The hash of 32 bytes that were one.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> VariantHash {
        VariantHash(bytes)
    }

    /// The 32 bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for VariantHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&blake3::Hash::from_bytes(self.0).to_hex())
    }
}

impl fmt::Debug for VariantHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VariantHash({self})")
    }
}

/// A text that is no hash.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is no variant hash: it has 64 hexadecimal digits")]
pub struct HashError(String);

impl FromStr for VariantHash {
    type Err = HashError;
    fn from_str(text: &str) -> Result<Self, HashError> {
        let hash =
            blake3::Hash::from_hex(text).map_err(|_| HashError(text.chars().take(80).collect()))?;
        Ok(VariantHash(*hash.as_bytes()))
    }
}
