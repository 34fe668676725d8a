//! The variants a worker knows, by hash.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use engine::variant::{Catalog, Variant};

/// Most variants that are kept beside the built-in ones.
const MOST_KEPT: usize = 32;

/// Built-in variants and those fetched from the coordinator.
#[derive(Clone, Default)]
pub struct Variants(Arc<Mutex<BTreeMap<String, Arc<Variant>>>>);

impl Variants {
    /// The variant of an id and a hash, if it is known. The first call for a built-in one compiles it.
    pub fn find(&self, id: &str, hash: &str) -> Option<Arc<Variant>> {
        let builtin = Catalog::builtin()
            .get(id)
            .filter(|variant| variant.hash().to_string() == hash);
        builtin.or_else(|| {
            self.0
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .get(hash)
                .cloned()
        })
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
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MOST_KEPT {
            // Whichever goes can be fetched again.
            kept.pop_first();
        }
        kept.insert(found, variant.clone());
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
}
