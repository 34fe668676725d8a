//! Make a tournament, or find the one that the same specification made before.

use std::{num::NonZeroU32, sync::Arc};

use proto::{
    store::{ArtifactAdded, EngineRegistered, TournamentCreated, VariantAdded, record::Change},
    v1,
};

use super::{Coordinator, Error, book::BookFile, definition, openings::Book};
use crate::{
    model::{
        Digest, EngineSource, FormatKind, Openings, Player, SpecError, Sprt, TournamentId,
        TournamentSpec, normal, wire,
    },
    rules::{self, Variant},
    store::{Answer, Artifacts as _},
    telemetry::unix_ms,
};

/// Batches that a tournament is cut into when its author does not say, and bounds of their size.
const BATCHES: u64 = 64;
const BATCH_PAIRS: std::ops::RangeInclusive<u64> = 1..=8;

/// A specification with everything that it resolves to.
pub(super) struct Resolved {
    pub(super) spec: TournamentSpec,
    pub(super) variant: Arc<Variant>,
    pub(super) players: Vec<Player>,
    hash: Digest,
}

/// What to do when the specification was seen before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// Return that tournament, unless it was cancelled.
    Return,
    /// Make another one.
    MakeNew,
}

/// The tournament that was made or found.
#[derive(Clone, Debug)]
pub struct Created {
    /// The tournament.
    pub tournament: v1::Tournament,
    /// Whether it was there before.
    pub existed: bool,
    /// What was noticed that is no error, for people.
    pub notes: Vec<String>,
}

impl Coordinator {
    /// Makes a tournament, or returns the one that the same specification made before.
    pub async fn create_tournament(
        self: &Arc<Self>,
        spec: TournamentSpec,
        existing: Existing,
    ) -> Result<Created, Error> {
        let resolved = self.query(move |this| this.resolve(spec)).await?;
        // Before others are kept waiting: a large book takes minutes to be checked.
        let book = self.checked_file(&resolved, existing).await?;
        let _creating = self.creating.lock().await;
        if existing == Existing::Return
            && let Some(found) = self.find(&resolved.hash)
        {
            return Ok(Created {
                tournament: found,
                existed: true,
                notes: Vec::new(),
            });
        }
        self.check_in_use(&resolved.players).await?;
        let resolved = self.query(move |this| this.seeded(resolved)).await?;
        let id = {
            let mut state = self.state();
            let id = state.next_tournament;
            state.next_tournament += 1;
            TournamentId(id)
        };
        self.make_known(&resolved).await?;
        let record = record(id, &resolved)?;
        let definition = Arc::new(definition::Definition::from_record(&record)?);
        let this = self.clone();
        let book = match book {
            Some(book) => book,
            None => {
                tokio::task::spawn_blocking(move || this.book(&resolved.variant, &resolved.spec))
                    .await??
            }
        };
        let notes = book.notes();
        self.state()
            .prepared
            .insert(id, (definition, Arc::new(book)));
        let stored = self.commit(Change::TournamentCreated(record)).await;
        self.state().prepared.remove(&id);
        match stored? {
            Answer::Done(_) => {}
            Answer::Exists(_) => {
                return Err(Error::Internal(format!("tournament {id} exists already")));
            }
        }
        self.shared.wake.notify_one();
        Ok(Created {
            tournament: self.tournament(id)?,
            existed: false,
            notes,
        })
    }

    /// The openings of a tournament that is to be made from a book that was uploaded; none for other openings.
    async fn checked_file(
        self: &Arc<Self>,
        resolved: &Resolved,
        existing: Existing,
    ) -> Result<Option<Book>, Error> {
        if !matches!(resolved.spec.openings, Openings::Book(_))
            || (existing == Existing::Return && self.find(&resolved.hash).is_some())
        {
            return Ok(None);
        }
        let (variant, spec) = (resolved.variant.clone(), resolved.spec.clone());
        let checked = self.blocking(&self.books, move |this| this.book(&variant, &spec));
        checked.await.map(Some)
    }

    /// The tournament that the same specification made before.
    pub async fn find_tournament(
        self: &Arc<Self>,
        spec: TournamentSpec,
    ) -> Result<v1::Tournament, Error> {
        let resolved = self.query(move |this| this.resolve(spec)).await?;
        self.find(&resolved.hash)
            .ok_or_else(|| Error::NotFound("a tournament of this specification".to_owned()))
    }

    /// The newest tournament of a specification that was not cancelled.
    fn find(&self, hash: &Digest) -> Option<v1::Tournament> {
        let state = self.state();
        let found = state.tournaments.values().rev().find(|tournament| {
            tournament.definition.spec_hash == *hash
                && tournament.wished != crate::model::TournamentState::Cancelled
        });
        found.map(|tournament| state.describe(tournament))
    }

    /// Checks a specification with the rules and resolves its players. Blocks.
    fn resolve(&self, mut spec: TournamentSpec) -> Result<Resolved, Error> {
        for (index, engine) in spec.engines.iter_mut().enumerate() {
            self.look_up(engine, &format!("engine[{index}]"))?;
        }
        let variant = self.variants.resolve(
            self.store.view(),
            &spec.variant.id,
            spec.variant.text.as_deref(),
        )?;
        self.admit_variant(&variant)?;
        let players: Vec<Player> = spec
            .engines
            .iter()
            .enumerate()
            .map(|(index, engine)| self.player(engine, spec.limit, &format!("engine[{index}]")))
            .collect::<Result<_, _>>()?;
        for (index, player) in players.iter().enumerate() {
            self.check_weights(&variant, player, &format!("engine[{index}]"))?;
        }
        let hash = normal::spec_hash(&spec, &rules::hash(&variant), &players);
        Ok(Resolved {
            spec,
            variant,
            players,
            hash,
        })
    }

    /// The player that an engine resolves to; `field` is where it stands. Blocks.
    pub(super) fn player(
        &self,
        engine: &crate::model::EngineSpec,
        general: Option<crate::model::Limit>,
        field: &str,
    ) -> Result<Player, Error> {
        if let EngineSource::Artifact(files) = &engine.source {
            for hash in files.files.values() {
                if self.store.artifacts().size(hash)?.is_none() {
                    let problem = format!("{hash} is not in the store: upload the file first");
                    return Err(SpecError::new(format!("{field}.artifact"), problem).into());
                }
            }
        }
        Player::resolve(engine, general, &self.config.builtin_build)
            .ok_or_else(|| SpecError::new(format!("{field}.limit"), "is missing").into())
    }

    /// Refuses an evaluation that does not fit the variant; `field` is where its player stands. That of another build is
    /// left to the workers that have it. Blocks.
    pub(super) fn check_weights(
        &self,
        variant: &Variant,
        player: &Player,
        field: &str,
    ) -> Result<(), Error> {
        if let EngineSource::Builtin {
            build: Some(build),
            evaluation: Some(text),
        } = &player.source
            && *build == self.config.builtin_build
            && let Some(check) = &self.config.evaluation_check
        {
            check(variant, text).map_err(|problem| {
                let problem = format!("of engine `{}`: {problem}", player.name);
                SpecError::new(format!("{field}.evaluation_file"), problem)
            })?;
        }
        Ok(())
    }

    /// Enters the variant and the engine versions, so that they can be fetched and listed.
    async fn make_known(&self, resolved: &Resolved) -> Result<(), Error> {
        self.make_variant_known(&resolved.variant).await?;
        // The engines of a tuning are its own: their options change from iteration to iteration.
        let is_tuning = matches!(resolved.spec.format.kind, FormatKind::Spsa(_));
        for player in resolved.players.iter().filter(|_| !is_tuning) {
            self.make_engine_known(player).await?;
        }
        Ok(())
    }

    /// Enters a variant.
    pub(super) async fn make_variant_known(&self, variant: &Variant) -> Result<(), Error> {
        let definition = variant.definition().to_owned();
        let added = VariantAdded {
            variant: Some(rules::reference(variant)),
            definition,
        };
        self.commit(Change::VariantAdded(added)).await?;
        Ok(())
    }

    /// Enters an engine version.
    pub(super) async fn make_engine_known(
        &self,
        player: &Player,
    ) -> Result<v1::EngineVersion, Error> {
        let engine = v1::EngineVersion {
            version: player.version.to_string(),
            name: player.name.clone(),
            source: Some(wire::source_to_wire(&player.source)),
            options: player.options.clone(),
            ..v1::EngineVersion::default()
        };
        self.commit(Change::EngineRegistered(EngineRegistered {
            engine: Some(engine.clone()),
        }))
        .await?;
        Ok(engine)
    }

    /// Enters an artifact.
    pub(super) async fn make_artifact_known(&self, sha256: Digest, size: u64) -> Result<(), Error> {
        self.commit(Change::ArtifactAdded(ArtifactAdded {
            sha256: sha256.to_string(),
            size,
        }))
        .await?;
        Ok(())
    }

    /// The openings of a specification. Blocks; a book that was not checked before is checked now.
    pub(super) fn book(
        &self,
        variant: &Arc<Variant>,
        spec: &TournamentSpec,
    ) -> Result<Book, Error> {
        if let Openings::Book(openings) = &spec.openings {
            let stop = || self.state().stopping;
            let files = self.store.artifacts();
            let file = BookFile::open(variant.clone(), openings, spec.seed, files, &stop)?;
            return Ok(Book::of_file(variant.clone(), spec.seed, file));
        }
        Ok(Book::new(
            variant.clone(),
            &spec.openings,
            spec.seed,
            self.config.opening_score.as_ref(),
        )?)
    }
}

/// The largest batch that an iteration of a tuning consists of without a rest.
fn whole_part(pairs: u64) -> u64 {
    let divides = |size: &u64| pairs.is_multiple_of(*size);
    BATCH_PAIRS.rev().find(divides).unwrap_or(1)
}

fn record(id: TournamentId, resolved: &Resolved) -> Result<TournamentCreated, SpecError> {
    let plan = definition::plan(&resolved.spec)?;
    let director = definition::director(&resolved.spec, plan.as_ref());
    let engines = resolved.spec.engines.len();
    let pairs = plan.map_or_else(
        || director.expected_pairs(engines, 0, 0),
        |plan| plan.total_pairs(),
    );
    let at_once = director.pairs_at_once(engines).unwrap_or(pairs);
    let chosen = match resolved.spec.format.kind {
        FormatKind::Spsa(_) => whole_part(resolved.spec.format.pairs.get().into()),
        _ => (at_once / BATCHES).clamp(*BATCH_PAIRS.start(), *BATCH_PAIRS.end()),
    };
    let chosen = u32::try_from(chosen).ok().and_then(NonZeroU32::new);
    let batch_pairs = resolved.spec.batch_pairs.or(chosen);
    let in_strides = batch_pairs.is_some_and(|pairs| pairs.get() > 1);
    let spec = TournamentSpec {
        batch_pairs,
        standings: Some(resolved.spec.standings()),
        sprt: resolved.spec.sprt.map(|sprt| Sprt {
            overshoot_correction: Some(sprt.overshoot_correction.unwrap_or(in_strides)),
            ..sprt
        }),
        ..resolved.spec.clone()
    };
    let too_many = || SpecError::new("format.pairs", "gives too many games");
    let batch_pairs = u64::from(spec.batch_pairs.map_or(1, NonZeroU32::get));
    Ok(TournamentCreated {
        id: id.0,
        spec_hash: resolved.hash.0.to_vec(),
        variant: Some(rules::reference(&resolved.variant)),
        players: resolved.players.iter().map(wire::player_to_wire).collect(),
        total_games: u32::try_from(2 * pairs).map_err(|_| too_many())?,
        total_batches: u32::try_from(pairs.div_ceil(batch_pairs)).map_err(|_| too_many())?,
        created_unix_ms: unix_ms(),
        limit_class: spec.limit_class(),
        spec: Some(wire::spec_to_wire(&spec)),
    })
}
