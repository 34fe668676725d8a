//! Finds what a batch needs: variant, engines, options.

use std::ffi::OsString;
use std::sync::Arc;

use engine::search::EngineOptions;
use engine::variant::Variant;
use proto::v1;

use super::batch::{Batch, PlayerSpec, Source};
use super::variants::Variants;
use crate::artifacts::{ArtifactError, Artifacts};
use crate::client::Stub;
use crate::config::{CommandEngine, Commands};
use crate::play::child::ChildProgram;

/// A batch that can be worked on.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The batch.
    pub batch: Arc<Batch>,
    /// Its rules.
    pub variant: Arc<Variant>,
    /// What to start for each of its players.
    pub programs: Vec<Program>,
}

/// What to start for a player.
#[derive(Clone, Debug)]
pub enum Program {
    /// The engine in this process.
    Builtin {
        /// The rules, with the weights that it plays by.
        variant: Arc<Variant>,
        /// Its options.
        options: Box<EngineOptions>,
    },
    /// An engine in a process of its own.
    Child(Box<ChildProgram>),
}

/// Why a batch is given back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The kind.
    pub reason: v1::FailureReason,
    /// For people.
    pub message: String,
}

impl Failure {
    /// A failure.
    pub fn new(reason: v1::FailureReason, message: impl Into<String>) -> Self {
        Self {
            reason,
            message: message.into(),
        }
    }
}

/// Where a worker finds what batches need.
#[derive(Clone)]
pub struct Supplies {
    /// Variants.
    pub variants: Variants,
    /// Engines of its own configuration.
    pub commands: Arc<Commands>,
    /// What external engines are started through.
    pub launcher: Arc<[OsString]>,
    /// Engine files.
    pub artifacts: Artifacts,
    /// Identity of the built-in engine's build.
    pub build: &'static str,
}

impl Supplies {
    /// Makes a batch ready, asking the coordinator for what is not here.
    ///
    /// # Errors
    /// Something is not to be had, or is not what the batch says.
    pub async fn prepare(&self, batch: Arc<Batch>, stub: Stub) -> Result<Prepared, Failure> {
        let variant = self.variant(&batch.variant, &stub).await?;
        let mut programs = Vec::with_capacity(batch.players.len());
        for player in &batch.players {
            programs.push(self.program(player, &variant, &stub).await?);
        }
        Ok(Prepared {
            batch,
            variant,
            programs,
        })
    }

    async fn variant(&self, wanted: &v1::VariantRef, stub: &Stub) -> Result<Arc<Variant>, Failure> {
        let failure = |message: String| {
            Failure::new(
                v1::FailureReason::Variant,
                format!("variant `{}`: {message}", wanted.id),
            )
        };
        let (variants, id, hash) = (
            self.variants.clone(),
            wanted.id.clone(),
            wanted.hash.clone(),
        );
        // Compiling takes its time.
        let known = blocking(move || variants.find(&id, &hash)).await?;
        if let Some(variant) = known {
            return Ok(variant);
        }
        let definition = stub.fetch_variant(&wanted.hash).await.map_err(|status| {
            failure(format!(
                "its definition cannot be fetched: {}",
                status.message()
            ))
        })?;
        let (variants, hash) = (self.variants.clone(), wanted.hash.clone());
        blocking(move || variants.add(&hash, &definition))
            .await?
            .map_err(failure)
    }

    async fn program(
        &self,
        player: &PlayerSpec,
        variant: &Arc<Variant>,
        stub: &Stub,
    ) -> Result<Program, Failure> {
        let start = |message: String| {
            Failure::new(
                v1::FailureReason::EngineStart,
                format!("engine `{}`: {message}", player.name),
            )
        };
        let command = match &player.source {
            Source::Builtin { build, .. } if build != self.build => {
                return Err(start(format!(
                    "is of build {build}, this worker has {}",
                    self.build
                )));
            }
            Source::Builtin { evaluation, .. } => {
                let options = EngineOptions::from_map(&player.options)
                    .map_err(|error| start(error.to_string()))?;
                options
                    .check_memory()
                    .map_err(|error| start(error.to_string()))?;
                let variant = match evaluation.clone() {
                    None => variant.clone(),
                    Some(text) => {
                        let (variants, variant) = (self.variants.clone(), variant.clone());
                        // Deriving what the file does not say takes its time.
                        blocking(move || variants.with_evaluation(&variant, text))
                            .await?
                            .map_err(|error| start(error.to_string()))?
                    }
                };
                return Ok(Program::Builtin {
                    variant,
                    options: Box::new(options),
                });
            }
            Source::Command(name) => {
                let command = self.commands.get(name).cloned();
                command.ok_or_else(|| {
                    start(format!(
                        "this worker has no engine `{name}`; start it with --engine {name}=PATH"
                    ))
                })?
            }
            Source::Artifact(hash) => {
                let artifact = |error: ArtifactError| {
                    Failure::new(v1::FailureReason::Artifact, error.to_string())
                };
                let path = match self.artifacts.find(hash).map_err(artifact)? {
                    Some(path) => path,
                    None => {
                        let chunks = stub.download(hash).await.map_err(|status| {
                            artifact(ArtifactError::Fetch {
                                hash: hash.clone(),
                                status: Box::new(status),
                            })
                        })?;
                        self.artifacts.take(hash, chunks).await.map_err(artifact)?
                    }
                };
                CommandEngine::new(path)
            }
        };
        Ok(Program::Child(Box::new(ChildProgram {
            name: player.name.clone(),
            command,
            launcher: self.launcher.clone(),
            options: player.options.clone(),
            variant: variant.id().to_owned(),
        })))
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Failure> {
    tokio::task::spawn_blocking(work).await.map_err(|error| {
        Failure::new(
            v1::FailureReason::Internal,
            format!("a task failed: {error}"),
        )
    })
}
