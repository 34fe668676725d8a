//! Variants: the compiled ones at hand, and what clients ask about them.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use proto::v1;

use super::{Coordinator, Error};
use crate::{
    model::{Digest, wire},
    rules::{self, Variant},
    store::View,
};

/// Most user variants that a store takes.
const MAX_VARIANTS: usize = 10_000;
/// Most compiled user variants kept in memory.
const MAX_CACHED: usize = 256;
/// Most moves of a request for legal moves.
const MAX_MOVES: usize = 4000;

/// Compiled variants by hash.
#[derive(Default)]
pub(super) struct VariantCache {
    compiled: Mutex<HashMap<Digest, Arc<Variant>>>,
}

impl VariantCache {
    fn get(&self, hash: &Digest) -> Option<Arc<Variant>> {
        self.compiled
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(hash)
            .cloned()
    }

    fn keep(&self, variant: &Arc<Variant>) {
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        if compiled.len() >= MAX_CACHED {
            compiled.clear();
        }
        compiled.insert(rules::hash(variant), variant.clone());
    }

    /// The variant of a hash: compiled before, built in, or from the store. Blocks.
    pub(super) fn by_hash(&self, view: &View, hash: &Digest) -> Result<Arc<Variant>, Error> {
        if let Some(variant) = self.get(hash) {
            return Ok(variant);
        }
        let mut builtin = rules::builtin_ids()
            .into_iter()
            .filter_map(|id| rules::builtin(&id));
        let variant = match builtin.find(|variant| rules::hash(variant) == *hash) {
            Some(variant) => variant,
            None => {
                let stored = view
                    .variant(hash)?
                    .ok_or_else(|| Error::NotFound(format!("a variant with the hash {hash}")))?;
                let variant = rules::from_definition(&stored.definition).map_err(|error| {
                    Error::Precondition(format!(
                        "variant {hash} is not understood any more: {error}"
                    ))
                })?;
                if rules::hash(&variant) != *hash {
                    return Err(Error::Precondition(format!(
                        "variant {hash} was defined under other rules"
                    )));
                }
                variant
            }
        };
        self.keep(&variant);
        Ok(variant)
    }

    /// The variant of an id, or of a user's file. Blocks.
    pub(super) fn resolve(
        &self,
        view: &View,
        id: &str,
        text: Option<&str>,
    ) -> Result<Arc<Variant>, Error> {
        if let Some(text) = text {
            let variant = rules::from_file_text(text)
                .map_err(|error| Error::Invalid(format!("variant_file: {error}")))?;
            if !id.is_empty() && id != variant.id() {
                let message = format!(
                    "variant: is `{id}`, but the file defines `{}`: leave one of them out",
                    variant.id()
                );
                return Err(Error::Invalid(message));
            }
            self.keep(&variant);
            return Ok(variant);
        }
        if let Some(variant) = rules::builtin(id) {
            return Ok(variant);
        }
        let stored = view.variants()?;
        let mut named = stored
            .iter()
            .filter_map(|stored| stored.variant.as_ref())
            .filter(|variant| variant.id == id);
        match (named.next(), named.next()) {
            (Some(variant), None) => {
                let hash = variant
                    .hash
                    .parse()
                    .map_err(|error| Error::Internal(format!("{error}")))?;
                self.by_hash(view, &hash)
            }
            (Some(_), Some(_)) => Err(Error::Precondition(format!(
                "variant: there are several definitions of `{id}`: give its file"
            ))),
            (None, _) => {
                let known = rules::builtin_ids().join(", ");
                Err(Error::Invalid(format!(
                    "variant: `{id}` is not known: give one of {known}, or a file of your own"
                )))
            }
        }
    }
}

impl Coordinator {
    /// The compiled variant of a hash. Blocks.
    pub(super) fn variant(&self, hash: &Digest) -> Result<Arc<Variant>, Error> {
        self.variants.by_hash(self.store.view(), hash)
    }

    /// Refuses one more user variant when the store has too many. Blocks.
    pub(super) fn admit_variant(&self, variant: &Variant) -> Result<(), Error> {
        let stored = self.store.view().variants()?;
        let hash = rules::hash(variant).to_string();
        let is_known = stored
            .iter()
            .filter_map(|stored| stored.variant.as_ref())
            .any(|stored| stored.hash == hash);
        if !is_known && stored.len() >= MAX_VARIANTS {
            return Err(Error::Exhausted(format!(
                "there are already {MAX_VARIANTS} variants in this store"
            )));
        }
        Ok(())
    }

    /// All variants: the built-in ones and those of tournaments, in order of id.
    pub async fn list_variants(self: &Arc<Self>) -> Result<Vec<v1::VariantInfo>, Error> {
        self.query(|this| {
            let mut known: Vec<_> = rules::builtin_ids()
                .into_iter()
                .filter_map(|id| rules::builtin(&id))
                .collect();
            for stored in this.store.view().variants()? {
                let hash = stored.variant.and_then(|variant| variant.hash.parse().ok());
                // One that is not understood any more cannot be described.
                known.extend(hash.and_then(|hash| this.variant(&hash).ok()));
            }
            known.sort_by_cached_key(|variant| (variant.id().to_owned(), rules::hash(variant)));
            known.dedup_by_key(|variant| rules::hash(variant));
            Ok(known.iter().map(|variant| describe(variant)).collect())
        })
        .await
    }

    /// The resolved definition of a variant.
    pub async fn variant_definition(
        self: &Arc<Self>,
        hash: Digest,
    ) -> Result<(v1::VariantRef, String), Error> {
        self.query(move |this| {
            let variant = this.variant(&hash)?;
            Ok((rules::reference(&variant), variant.definition().to_owned()))
        })
        .await
    }

    /// The shape of a variant's board.
    pub async fn variant_geometry(
        self: &Arc<Self>,
        variant: Option<v1::VariantRef>,
    ) -> Result<v1::VariantGeometryResponse, Error> {
        self.query(move |this| {
            let variant = this.named(variant.as_ref())?;
            let geometry = variant.geometry();
            let start_fen = variant
                .start_fen(variant.setups().first)
                .map_err(|error| Error::Internal(error.to_string()))?;
            Ok(v1::VariantGeometryResponse {
                variant: Some(rules::reference(&variant)),
                files: geometry.files().into(),
                ranks: geometry.ranks().into(),
                lowest_rank: geometry.first_rank().into(),
                start_fen,
            })
        })
        .await
    }

    /// Legal moves of a position.
    pub async fn legal_moves(
        self: &Arc<Self>,
        request: v1::LegalMovesRequest,
    ) -> Result<v1::LegalMovesResponse, Error> {
        if request.moves.len() > MAX_MOVES {
            return Err(Error::Invalid(format!("moves: more than {MAX_MOVES}")));
        }
        self.query(move |this| {
            let variant = this.named(request.variant.as_ref())?;
            let mut game = rules::begin(&variant, &request.fen)
                .map_err(|problem| Error::Invalid(format!("fen: {problem}")))?;
            for (index, text) in request.moves.iter().enumerate() {
                game.play(text)
                    .map_err(|error| Error::Invalid(format!("moves[{index}]: {error}")))?;
            }
            let end = rules::board_end(&game);
            Ok(v1::LegalMovesResponse {
                fen: game.fen(),
                moves: if end.is_some() {
                    Vec::new()
                } else {
                    game.legal_moves()
                },
                check: game.in_check(),
                side_to_move: rules::side_to_move(&game).to_wire().into(),
                result: end.as_ref().map(wire::result_to_wire),
            })
        })
        .await
    }

    fn named(&self, variant: Option<&v1::VariantRef>) -> Result<Arc<Variant>, Error> {
        let variant = variant.ok_or_else(|| Error::Invalid("variant: is missing".to_owned()))?;
        if variant.hash.is_empty() {
            return self.variants.resolve(self.store.view(), &variant.id, None);
        }
        let hash = variant
            .hash
            .parse()
            .map_err(|error| Error::Invalid(format!("variant.hash: {error}")))?;
        self.variant(&hash)
    }
}

fn describe(variant: &Variant) -> v1::VariantInfo {
    let (geometry, setups) = (variant.geometry(), variant.setups());
    v1::VariantInfo {
        variant: Some(rules::reference(variant)),
        name: variant.name().to_owned(),
        files: geometry.files().into(),
        ranks: geometry.ranks().into(),
        first_setup: setups.first,
        setups: setups.count,
    }
}
