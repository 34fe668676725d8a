//! The variants a program knows: the built-in ones and those a user has loaded.

use std::io::Read;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use super::resolve;
use super::{Variant, VariantError};

/// The files of the built-in variants, parents before children.
const BUILT_IN: [(&str, &str); 6] = [
    ("chess", include_str!("../../variants/chess.toml")),
    (
        "apothecary-modern",
        include_str!("../../variants/apothecary-modern.toml"),
    ),
    (
        "grand-apothecary-modern",
        include_str!("../../variants/grand-apothecary-modern.toml"),
    ),
    (
        "grand-apothecary-modern-2021",
        include_str!("../../variants/grand-apothecary-modern-2021.toml"),
    ),
    (
        "war-of-the-roses",
        include_str!("../../variants/war-of-the-roses.toml"),
    ),
    ("augmenters", include_str!("../../variants/augmenters.toml")),
];

/// The evaluation files of the built-in variants, each for the rules that it names by their hash.
#[cfg(feature = "search")]
const EVALUATIONS: [&str; 6] = [
    include_str!("../../evaluation/chess.toml"),
    include_str!("../../evaluation/apothecary-modern.toml"),
    include_str!("../../evaluation/augmenters.toml"),
    include_str!("../../evaluation/grand-apothecary-modern.toml"),
    include_str!("../../evaluation/grand-apothecary-modern-2021.toml"),
    include_str!("../../evaluation/war-of-the-roses.toml"),
];

/// The built-in evaluation file for a variant's rules.
#[cfg(feature = "search")]
pub(super) fn evaluation(variant: &Variant) -> Option<&'static str> {
    EVALUATIONS
        .iter()
        .copied()
        .find(|text| crate::eval::is_for(text, variant))
}

/// Largest variant file in bytes.
const LARGEST_FILE: u64 = 256 * 1024;
/// Largest evaluation file in bytes.
#[cfg(feature = "search")]
const LARGEST_EVALUATION: u64 = 4 * 1024 * 1024;

/// A set of variants by id.
///
/// ```
/// use engine::variant::Catalog;
/// let chess = Catalog::builtin().get("chess").unwrap();
/// assert_eq!(chess.id(), "chess");
/// ```
#[derive(Clone)]
pub struct Catalog {
    entries: Vec<Arc<Entry>>,
}

struct Entry {
    id: String,
    source: toml::Table,
    variant: OnceLock<Arc<Variant>>,
}

impl Catalog {
    /// The built-in variants. Each is compiled when it is first asked for.
    #[must_use]
    pub fn builtin() -> Catalog {
        static SHARED: OnceLock<Catalog> = OnceLock::new();
        SHARED.get_or_init(Catalog::read_builtin).clone()
    }

    fn read_builtin() -> Catalog {
        let mut catalog = Catalog {
            entries: Vec::new(),
        };
        for (id, text) in BUILT_IN {
            // A test loads every built-in, so that an error here cannot reach a user.
            if let Ok((_, source)) = catalog.read(text, id) {
                catalog.entries.push(Arc::new(Entry {
                    id: id.to_owned(),
                    source,
                    variant: OnceLock::new(),
                }));
            }
        }
        catalog
    }

    /// The variant of an id.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<Arc<Variant>> {
        let entry = self.entries.iter().find(|e| e.id == id)?;
        if let Some(found) = entry.variant.get() {
            return Some(found.clone());
        }
        let compiled = resolve::variant(&entry.source, id).ok()?;
        Some(entry.variant.get_or_init(|| compiled).clone())
    }

    /// The ids, built-in ones first.
    pub fn ids(&self) -> Vec<&str> {
        self.entries.iter().map(|e| e.id.as_str()).collect()
    }

    /// Adds the variant of a file's text; `origin` names the file in errors.
    ///
    /// # Errors
    /// The file is not valid, or its id is taken.
    pub fn load_text(&mut self, text: &str, origin: &str) -> Result<Arc<Variant>, VariantError> {
        self.load_located(text, origin)
            .map_err(|error| error.located(text))
    }

    fn load_located(&mut self, text: &str, origin: &str) -> Result<Arc<Variant>, VariantError> {
        let (id, source) = self.read(text, origin)?;
        if self.entries.iter().any(|e| e.id == id) {
            return Err(VariantError::Key {
                origin: origin.to_owned(),
                key: "id".to_owned(),
                reason: format!("`{id}` is taken by another variant; choose another id"),
            });
        }
        let variant = resolve::variant(&source, origin)?;
        self.entries.push(Arc::new(Entry {
            id,
            source,
            variant: OnceLock::from(variant.clone()),
        }));
        Ok(variant)
    }

    /// Adds the variant of a file.
    ///
    /// # Errors
    /// The file cannot be read or is not valid, or its id is taken.
    pub fn load_file(&mut self, path: &Path) -> Result<Arc<Variant>, VariantError> {
        let origin = path.display().to_string();
        let text = read_text(path, LARGEST_FILE, "a variant file")?;
        self.load_text(&text, &origin)
    }

    /// Plays a variant by the weights of an evaluation file from now on; gives the variant.
    ///
    /// # Errors
    /// The file cannot be read, is no evaluation file, or is for rules that are not known here.
    #[cfg(feature = "search")]
    pub fn load_evaluation_file(&mut self, path: &Path) -> Result<Arc<Variant>, VariantError> {
        let text = read_text(path, LARGEST_EVALUATION, "an evaluation file")?;
        let refuse = |message: String| VariantError::Toml {
            origin: path.display().to_string(),
            message,
        };
        let mut found = None;
        for (i, entry) in self.entries.iter().enumerate() {
            if let Some(variant) = self.get(&entry.id)
                && crate::eval::is_for(&text, &variant)
            {
                found = Some((i, variant));
            }
        }
        let (i, variant) = found.ok_or_else(|| {
            refuse(
                "is no evaluation file for the rules of a variant that is known here; \
                    load the variant first, or tune a file with `brouhaha tune evaluation`"
                    .to_owned(),
            )
        })?;
        let variant = variant
            .with_evaluation(&text)
            .map_err(|e| refuse(e.to_string()))?;
        self.entries[i] = Arc::new(Entry {
            id: self.entries[i].id.clone(),
            source: self.entries[i].source.clone(),
            variant: OnceLock::from(variant.clone()),
        });
        Ok(variant)
    }

    /// Checks a file's shape and lays it over the one it extends.
    fn read(&self, text: &str, origin: &str) -> Result<(String, toml::Table), VariantError> {
        resolve::read(text, origin, |parent| {
            self.entries
                .iter()
                .find(|e| e.id == parent)
                .map(|e| e.source.clone())
                .ok_or_else(|| self.ids().join(", "))
        })
    }
}

/// The text of a regular file that is not too large; `what` says what kind of file it should be.
fn read_text(path: &Path, largest: u64, what: &str) -> Result<String, VariantError> {
    let origin = path.display().to_string();
    let read_error = |source| VariantError::Read {
        origin: origin.clone(),
        source,
    };
    let refuse = |message: String| VariantError::Toml {
        origin: origin.clone(),
        message,
    };
    if !std::fs::metadata(path).map_err(read_error)?.is_file() {
        return Err(refuse("is no regular file".to_owned()));
    }
    let mut text = String::new();
    let file = std::fs::File::open(path).map_err(read_error)?;
    file.take(largest + 1)
        .read_to_string(&mut text)
        .map_err(read_error)?;
    if text.len() as u64 > largest {
        return Err(refuse(format!(
            "is larger than {largest} bytes, the most {what} has"
        )));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "search")]
    #[test]
    #[cfg(feature = "search")]
    fn every_example_evaluation_is_for_an_example_variant() {
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
        for name in ["capablanca", "grand-chess"] {
            let file = |folder: &str| examples.join(folder).join(format!("{name}.toml"));
            let mut catalog = Catalog::builtin();
            let variant = catalog.load_file(&file("variants")).unwrap();
            let tuned = catalog.load_evaluation_file(&file("evaluation")).unwrap();
            assert_eq!(tuned.hash(), variant.hash());
            assert_ne!(tuned.evaluation().weights, variant.evaluation().weights);
        }
    }

    #[test]
    fn every_builtin_evaluation_is_for_a_builtin_variant() {
        let catalog = Catalog::builtin();
        for text in EVALUATIONS {
            let variants = catalog.ids().into_iter().filter_map(|id| catalog.get(id));
            let fitting: Vec<_> = variants
                .filter(|v| crate::eval::is_for(text, v))
                .map(|v| v.with_evaluation(text))
                .collect();
            assert_eq!(
                fitting.len(),
                1,
                "{}",
                text.lines().nth(2).unwrap_or_default()
            );
            assert!(fitting[0].is_ok(), "{:?}", fitting[0]);
        }
    }

    #[test]
    fn every_builtin_resolves() {
        let mut catalog = Catalog {
            entries: Vec::new(),
        };
        for (id, text) in BUILT_IN {
            let variant = catalog.load_text(text, id).unwrap_or_else(|e| {
                panic!(
                    "{id}: {e} {:?}",
                    std::error::Error::source(&e).map(ToString::to_string)
                )
            });
            assert_eq!(variant.id(), id);
        }
    }
}
