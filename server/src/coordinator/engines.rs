//! Engine versions and their files: known, looked up, taken out of use.

use std::sync::Arc;

use proto::{
    store::{EngineNamed, EngineRetired, record::Change},
    v1,
};

use super::{Coordinator, Error, watch::without_evaluation};
use crate::{
    model::{Digest, EngineSource, EngineSpec, Limit, Player, SpecError, check, wire},
    store::{Artifacts as _, artifacts::Upload},
    telemetry::unix_ms,
};

/// Digits of a version's hash that are enough to look for it.
const LEAST_DIGITS: usize = 4;
/// Versions that a message names at most.
const SHOWN: usize = 5;

/// Whether versions out of use are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retired {
    /// Too.
    Included,
    /// Not.
    LeftOut,
}

/// Most bytes read at a time from an artifact.
pub const ARTIFACT_CHUNK: usize = 256 * 1024;

impl Coordinator {
    /// All engine versions in use, or retired ones too, in order of name and version. Evaluations are left out.
    pub async fn list_engines(
        self: &Arc<Self>,
        retired: Retired,
    ) -> Result<Vec<v1::EngineVersion>, Error> {
        self.query(move |this| {
            let mut engines = this.store.view().engines()?;
            engines.retain(|engine| retired == Retired::Included || !engine.retired);
            for engine in &mut engines {
                this.describe_build(engine);
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
        check_registered_name(&engine.name)?;
        let name = engine.name.clone();
        check::check_options("engine.options", engine.options.iter())?;
        check::check_evaluation("engine", &engine)?;
        if matches!(engine.source, EngineSource::Version(_)) {
            let problem = "is registered already: give builtin, command or artifact";
            return Err(SpecError::new("engine.version", problem).into());
        }
        // A version has no limit, a player must have one: any will do.
        let player = self
            .query(move |this| this.player(&engine, Some(Limit::Depth(1)), "engine"))
            .await?;
        // Before the version is known, so that nothing is left of a refusal; it is found out once more below.
        let version = player.version.to_string();
        let taken = |other: &str| {
            let problem = format!(
                "`{name}` is version {} already: give another name",
                short(other)
            );
            Err(Error::Precondition(format!("engine.name: {problem}")))
        };
        match self.holder_of(&name).await? {
            Some(other) if other != version => return taken(&other),
            _ => {}
        }
        self.make_engine_known(&player).await?;
        let named = EngineNamed {
            version: version.clone(),
            name: name.clone(),
        };
        self.commit(Change::EngineNamed(named)).await?;
        match self.holder_of(&name).await? {
            Some(other) if other != version => return taken(&other),
            _ => {}
        }
        self.query(move |this| this.known_engine(&player.version))
            .await
    }

    /// The hash of the version that has a name.
    async fn holder_of(self: &Arc<Self>, name: &str) -> Result<Option<String>, Error> {
        let name = name.to_owned();
        self.query(move |this| Ok(this.store.view().engine_named(&name)?))
            .await
    }

    /// Takes a version out of use or back into it.
    pub async fn retire_engine(
        self: &Arc<Self>,
        version: String,
        retired: bool,
    ) -> Result<v1::EngineVersion, Error> {
        let found = self
            .query(move |this| this.find_engine(&version, "version"))
            .await?;
        let version = digest(&found)?;
        if found.retired != retired {
            let change = EngineRetired {
                version: found.version,
                retired,
                unix_ms: unix_ms(),
            };
            self.commit(Change::EngineRetired(change)).await?;
        }
        self.query(move |this| this.known_engine(&version)).await
    }

    /// Puts the source and options of a version that is only named into a specification; `field` is where it stands. Blocks.
    pub(super) fn look_up(&self, engine: &mut EngineSpec, field: &str) -> Result<(), Error> {
        let EngineSource::Version(wanted) = &engine.source else {
            return Ok(());
        };
        let field = format!("{field}.version");
        let known = self.find_engine(wanted, &field)?;
        let written = v1::EngineSpec {
            name: engine.name.clone(),
            source: known.source,
            options: known.options,
            limit: None,
        };
        let known = wire::engine_from_wire(&written, &field)?;
        engine.source = known.source;
        for (name, value) in known.options {
            engine.options.entry(name).or_insert(value);
        }
        Ok(())
    }

    /// Refuses players whose versions are retired.
    pub(super) async fn check_in_use(self: &Arc<Self>, players: &[Player]) -> Result<(), Error> {
        let versions: Vec<Digest> = players.iter().map(|player| player.version).collect();
        let retired = self
            .query(move |this| {
                for version in versions {
                    let known = this.store.view().engine(&version)?;
                    if let Some(known) = known.filter(|known| known.retired) {
                        return Ok(Some(known));
                    }
                }
                Ok(None)
            })
            .await?;
        match retired {
            None => Ok(()),
            Some(known) => Err(Error::Precondition(format!(
                "engine version {} (`{}`) is retired: take another one, or take it back into use (`brouhaha engine retire --undo`)",
                short(&known.version),
                known.name
            ))),
        }
    }

    /// A version by its hash, with its evaluation. Blocks.
    fn known_engine_whole(&self, version: &Digest) -> Result<v1::EngineVersion, Error> {
        let known = self.store.view().engine(version)?;
        known.ok_or_else(|| Error::NotFound(format!("engine version {version}")))
    }

    /// A version by its hash. Blocks.
    fn known_engine(&self, version: &Digest) -> Result<v1::EngineVersion, Error> {
        let mut engine = self.known_engine_whole(version)?;
        self.describe_build(&mut engine);
        without_evaluation(&mut engine.source);
        Ok(engine)
    }

    /// The version of a name, or whose hash begins so; `field` is where that stands. Of versions of one name those in use come
    /// before retired ones. Blocks.
    fn find_engine(&self, wanted: &str, field: &str) -> Result<v1::EngineVersion, Error> {
        // A registered name is of one version; names of tournaments' players may be of several.
        if let Some(version) = self.store.view().engine_named(wanted)? {
            let version = version.parse();
            let version = version
                .map_err(|error| Error::Internal(format!("a stored engine name: {error}")))?;
            return self.known_engine_whole(&version);
        }
        let is_hash = wanted.len() >= LEAST_DIGITS && wanted.bytes().all(|b| b.is_ascii_hexdigit());
        let mut found = self.store.view().engines()?;
        found.retain(|one| one.name == wanted || (is_hash && one.version.starts_with(wanted)));
        if found.iter().any(|one| !one.retired) {
            found.retain(|one| !one.retired);
        }
        match <[v1::EngineVersion; 1]>::try_from(found) {
            Ok([one]) => Ok(one),
            Err(none) if none.is_empty() => Err(Error::NotFound(format!(
                "{field}: engine version `{}` (`brouhaha engine list` shows all)",
                wanted.escape_debug()
            ))),
            Err(several) => {
                let versions: Vec<&str> = several
                    .iter()
                    .take(SHOWN)
                    .map(|one| short(&one.version))
                    .collect();
                let problem = format!(
                    "`{}` is {} versions ({}{}): give the beginning of one's hash, or register one under a name of its own",
                    wanted.escape_debug(),
                    several.len(),
                    versions.join(", "),
                    if several.len() > SHOWN { ", …" } else { "" }
                );
                Err(SpecError::new(field, problem).into())
            }
        }
    }

    /// Says of a version of the coordinator's own build what sources it was made from.
    fn describe_build(&self, engine: &mut v1::EngineVersion) {
        let source = engine.source.as_ref();
        if let Some(v1::engine_source::Kind::Builtin(builtin)) =
            source.and_then(|source| source.kind.as_ref())
            && builtin.build == self.config.builtin_build
        {
            engine.revision = self.config.revision.clone();
            engine.bench_signature = self.config.bench_signature;
        }
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

/// A registered name must be one that a tournament file and a command line can say, and that is no beginning of a hash.
fn check_registered_name(name: &str) -> Result<(), SpecError> {
    let field = "engine.name";
    check::check_name(field, name, 64)?;
    if name.contains([':', ',', '=']) {
        let problem = format!(
            "`{name}` has `:`, `,` or `=` in it, which a command line cannot say: leave them out"
        );
        return Err(SpecError::new(field, problem));
    }
    if name.len() >= LEAST_DIGITS && name.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        let problem = format!("`{name}` looks like the beginning of a hash: give another name");
        return Err(SpecError::new(field, problem));
    }
    Ok(())
}

fn short(version: &str) -> &str {
    version.get(..12).unwrap_or(version)
}

fn digest(engine: &v1::EngineVersion) -> Result<Digest, Error> {
    let parsed = engine.version.parse();
    parsed.map_err(|error| Error::Internal(format!("a stored engine version: {error}")))
}
