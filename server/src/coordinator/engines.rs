//! Engine versions and their files.

use std::sync::Arc;

use proto::v1;

use super::{Coordinator, Error, watch::without_evaluation};
use crate::{
    model::{Digest, EngineSpec, Limit, SpecError, check},
    store::{Artifacts as _, artifacts::Upload},
};

/// Most bytes read at a time from an artifact.
pub const ARTIFACT_CHUNK: usize = 256 * 1024;

impl Coordinator {
    /// All engine versions, in order of name and version. Evaluations are left out.
    pub async fn list_engines(self: &Arc<Self>) -> Result<Vec<v1::EngineVersion>, Error> {
        self.query(|this| {
            let mut engines = this.store.view().engines()?;
            for engine in &mut engines {
                without_evaluation(&mut engine.source);
            }
            engines.sort_by(|one, other| {
                (&one.name, &one.version).cmp(&(&other.name, &other.version))
            });
            Ok(engines)
        })
        .await
    }

    /// Makes an engine version known.
    pub async fn register_engine(
        self: &Arc<Self>,
        engine: EngineSpec,
    ) -> Result<v1::EngineVersion, Error> {
        if engine.limit.is_some() {
            return Err(
                SpecError::new("engine.limit", "is no part of a version: leave it out").into(),
            );
        }
        if engine.name.trim().is_empty() || engine.name.chars().count() > 64 {
            return Err(SpecError::new("engine.name", "must have 1 to 64 characters").into());
        }
        check::check_options("engine.options", engine.options.iter())?;
        check::check_evaluation("engine", &engine)?;
        // A version has no limit, a player must have one: any will do.
        let player = self
            .query(move |this| this.player(&engine, Some(Limit::Depth(1)), "engine"))
            .await?;
        self.make_engine_known(&player).await
    }

    /// Begins to take an engine file.
    pub fn begin_upload(&self) -> Result<Upload, Error> {
        Ok(self.store.artifacts().upload()?)
    }

    /// Makes an uploaded file safe and known.
    pub async fn finish_upload(self: &Arc<Self>, upload: Upload) -> Result<(Digest, u64), Error> {
        let (sha256, size) = tokio::task::spawn_blocking(move || upload.finish()).await??;
        self.make_artifact_known(sha256, size).await?;
        Ok((sha256, size))
    }

    /// Bytes of an artifact from an offset; empty at the end.
    pub async fn read_artifact(
        self: &Arc<Self>,
        sha256: Digest,
        offset: u64,
    ) -> Result<Vec<u8>, Error> {
        self.query(move |this| {
            let artifacts = this.store.artifacts();
            let size = artifacts
                .size(&sha256)?
                .ok_or_else(|| Error::NotFound(format!("artifact {sha256}")))?;
            if offset > size {
                return Err(Error::Invalid(format!(
                    "offset: is {offset}, the artifact has {size} bytes"
                )));
            }
            Ok(artifacts.read(&sha256, offset, ARTIFACT_CHUNK)?)
        })
        .await
    }
}
