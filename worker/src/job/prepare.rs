//! Finds what a batch needs: variant, engines, options.

use std::collections::BTreeMap;
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
use crate::executable::Fingerprints;
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
    /// Hashes of their executables.
    pub fingerprints: Arc<Fingerprints>,
    /// Those that the worker registered with, by the engine's name; empty = it could not be read.
    pub registered: Arc<BTreeMap<String, String>>,
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
                return Err(Failure::new(
                    v1::FailureReason::OtherBuild,
                    format!(
                        "engine `{}`: is of build {build}, this worker has {}: use the same release",
                        player.name, self.build
                    ),
                ));
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
            Source::Command { name, sha256 } => {
                let command = self.commands.get(name).cloned();
                let command = command.ok_or_else(|| {
                    start(format!(
                        "this worker has no engine `{name}`; start it with --engine {name}=PATH"
                    ))
                })?;
                self.check_executable(name, &command, sha256.as_deref())
                    .await?
                    .map_err(start)?;
                command
            }
            Source::Artifact { files, protocol } => {
                let own = crate::executable::platform();
                let fits = |(platform, _): &&(Option<String>, String)| {
                    platform.as_ref().is_none_or(|platform| *platform == own)
                };
                let (_, hash) = files.iter().find(fits).ok_or_else(|| {
                    Failure::new(
                        v1::FailureReason::OtherPlatform,
                        format!("engine `{}`: no file of it is for {own}", player.name),
                    )
                })?;
                let artifact = |error: ArtifactError| {
                    Failure::new(v1::FailureReason::Artifact, error.to_string())
                };
                let path = match self.artifacts.find(hash).map_err(artifact)? {
                    Some(path) => path,
                    None => {
                        let chunks = |offset| stub.download(hash, offset);
                        self.artifacts.take(hash, chunks).await.map_err(artifact)?
                    }
                };
                CommandEngine {
                    protocol: *protocol,
                    ..CommandEngine::new(path)
                }
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

impl Supplies {
    /// Refuses an executable that is another one than the batch says or than this worker registered with. The inner error is
    /// that it cannot be read.
    async fn check_executable(
        &self,
        name: &str,
        command: &CommandEngine,
        wanted: Option<&str>,
    ) -> Result<Result<(), String>, Failure> {
        let (known, program) = (self.fingerprints.clone(), command.clone());
        let found = match blocking(move || known.of(&program)).await? {
            Ok(found) => found,
            Err(error) => {
                let path = command.path.display();
                return Ok(Err(format!("`{path}` cannot be read: {error}")));
            }
        };
        let other = |problem: String| {
            let reason = v1::FailureReason::OtherExecutable;
            Err(Failure::new(reason, format!("engine `{name}`: {problem}")))
        };
        let registered = self.registered.get(name);
        if registered.is_some_and(|registered| !registered.is_empty() && *registered != found) {
            return other(
                "its executable has changed since this worker started: restart the worker".into(),
            );
        }
        match wanted.filter(|wanted| *wanted != found) {
            Some(wanted) => other(format!(
                "the executable {wanted} is wanted, by its SHA-256; this worker has {found}"
            )),
            None => Ok(Ok(())),
        }
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
