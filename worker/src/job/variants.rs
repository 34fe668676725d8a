//! The variants a worker knows, by hash.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use engine::variant::{Catalog, EvaluationError, Variant, VariantHash};

/// Most variants that are kept beside the built-in ones.
const MOST_KEPT: usize = 32;

/// Built-in variants and those fetched from the coordinator.
#[derive(Clone, Default)]
pub struct Variants {
    fetched: Kept<String>,
    /// Those played by the weights of an evaluation file, by hash and the file's text.
    weighted: Kept<(VariantHash, Arc<str>)>,
}

/// Variants that are kept, so that not every batch compiles them again.
type Kept<K> = Arc<Mutex<BTreeMap<K, Arc<Variant>>>>;

fn keep<K: Ord>(kept: &Kept<K>, key: K, variant: &Arc<Variant>) {
    let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
    if kept.len() >= MOST_KEPT {
        // Whichever goes can be had again.
        kept.pop_first();
    }
    kept.insert(key, variant.clone());
}

fn kept<K: Ord>(kept: &Kept<K>, key: &K) -> Option<Arc<Variant>> {
    let kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
    kept.get(key).cloned()
}

impl Variants {
    /// The variant of an id and a hash, if it is known. The first call for a built-in one compiles it.
    pub fn find(&self, id: &str, hash: &str) -> Option<Arc<Variant>> {
        let builtin = Catalog::builtin()
            .get(id)
            .filter(|variant| variant.hash().to_string() == hash);
        builtin.or_else(|| kept(&self.fetched, &hash.to_owned()))
    }

    /// A variant played by the weights of an evaluation file.
    ///
    /// # Errors
    /// The text is no evaluation file, or one for other rules.
    pub fn with_evaluation(
        &self,
        variant: &Variant,
        text: Arc<str>,
    ) -> Result<Arc<Variant>, EvaluationError> {
        let key = (variant.hash(), text);
        if let Some(variant) = kept(&self.weighted, &key) {
            return Ok(variant);
        }
        let weighted = variant.with_evaluation(&key.1)?;
        keep(&self.weighted, key, &weighted);
        Ok(weighted)
    }

    /// Compiles a fetched definition and keeps it; the error says why it is not the one asked for.
    pub fn add(&self, hash: &str, definition: &str) -> Result<Arc<Variant>, String> {
        let variant = Variant::from_definition(definition).map_err(|error| error.to_string())?;
        let found = variant.hash().to_string();
        if found != hash {
            return Err(format!(
                "its definition has the hash {found} here; use the same release on worker and coordinator"
            ));
        }
        keep(&self.fetched, found, &variant);
        Ok(variant)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variant_is_known_by_its_hash_and_not_by_its_name() {
        let variants = Variants::default();
        let chess = Catalog::builtin().get("chess").unwrap();
        let hash = chess.hash().to_string();
        assert!(variants.find("chess", &hash).is_some());
        let other = "0".repeat(64);
        assert!(variants.find("chess", &other).is_none());
        assert!(variants.find("my-chess", &hash).is_none());
        assert!(
            variants
                .add(&other, chess.definition())
                .unwrap_err()
                .contains(&hash)
        );
        assert!(variants.add(&hash, "{}").is_err());
        assert_eq!(
            variants.add(&hash, chess.definition()).unwrap().id(),
            "chess"
        );
        assert!(variants.find("my-chess", &hash).is_some());
    }

    #[test]
    fn weights_belong_to_the_text_of_their_file_and_the_rules() {
        let variants = Variants::default();
        let catalog = Catalog::builtin();
        let chess = catalog.get("chess").unwrap();
        let file = |origin: &str| -> Arc<str> {
            let hash = chess.hash();
            format!("schema = 1\nvariant_hash = \"{hash}\"\norigin = \"{origin}\"\n").into()
        };
        let of = |text: Arc<str>| variants.with_evaluation(&chess, text).unwrap();
        let one = of(file("one"));
        assert!(Arc::ptr_eq(&one, &of(file("one"))));
        assert!(!Arc::ptr_eq(&one, &of(file("other"))));
        assert!(!Arc::ptr_eq(&one, &chess));
        let other = catalog.get("apothecary-modern").unwrap();
        let error = variants.with_evaluation(&other, file("one")).unwrap_err();
        assert!(error.to_string().contains("`apothecary-modern`"), "{error}");
        // The one without such a file is as it was.
        let hash = chess.hash().to_string();
        assert!(Arc::ptr_eq(&variants.find("chess", &hash).unwrap(), &chess));
    }
}
