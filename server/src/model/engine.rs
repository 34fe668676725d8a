//! Engines as written, and the versions and players they resolve to.

use std::collections::BTreeMap;

use super::{ArtifactEngine, Digest, EngineProtocol, EngineSource, Limit};

/// One engine of a tournament as its author wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineSpec {
    /// Name shown in tables, unique within the tournament.
    pub name: String,
    /// Where the engine comes from.
    pub source: EngineSource,
    /// UCI options to set, by name.
    pub options: BTreeMap<String, String>,
    /// Own limit, which replaces the tournament's.
    pub limit: Option<Limit>,
}

impl EngineSpec {
    /// The text of its own evaluation file, if it is a built-in engine that has one.
    pub fn evaluation(&self) -> Option<&str> {
        match &self.source {
            EngineSource::Builtin { evaluation, .. } => evaluation.as_deref(),
            _ => None,
        }
    }
}

/// A rated player: an engine version with the limit it plays under.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Player {
    /// Hash of version and own limit.
    pub id: Digest,
    /// Hash of all that decides how the engine plays.
    pub version: Digest,
    /// Name shown in tables.
    pub name: String,
    /// Where the engine comes from; a built-in one names its build.
    pub source: EngineSource,
    /// UCI options to set, by name.
    pub options: BTreeMap<String, String>,
    /// The limit it plays under.
    pub limit: Limit,
}

impl Player {
    /// Resolves an engine: fills in the build and the limit and derives the identities.
    ///
    /// `general` is the tournament's limit; none is returned when neither it nor the engine has one. A version that is only
    /// named has to be looked up before.
    pub fn resolve(spec: &EngineSpec, general: Option<Limit>, own_build: &str) -> Option<Self> {
        let source = match &spec.source {
            EngineSource::Builtin { build, evaluation } => EngineSource::Builtin {
                build: Some(build.clone().unwrap_or_else(|| own_build.to_owned())),
                evaluation: evaluation.clone(),
            },
            other => other.clone(),
        };
        let version = version(&source, &spec.options);
        let mut identity = Hasher::new("brouhaha player 1");
        identity.field(&version.0);
        if let Some(own) = spec.limit {
            identity.field(own.to_string().as_bytes());
        }
        Some(Self {
            id: identity.finish(),
            version,
            name: spec.name.clone(),
            source,
            options: spec.options.clone(),
            limit: spec.limit.or(general)?,
        })
    }

    /// Whether this player plays the same moves again from the same opening against a player of the same kind.
    pub fn is_deterministic(&self) -> bool {
        matches!(self.source, EngineSource::Builtin { .. })
            && self.limit.is_deterministic()
            && !self.has_several_threads()
    }

    /// Threads of one search race for their common table. A number that cannot be read counts as several.
    fn has_several_threads(&self) -> bool {
        let threads = |(name, value): (&String, &String)| {
            name.eq_ignore_ascii_case("Threads") && value.trim().parse() != Ok(1u32)
        };
        self.options.iter().any(threads)
    }
}

/// Identity of an engine version: two versions never share results because they share a name.
fn version(source: &EngineSource, options: &BTreeMap<String, String>) -> Digest {
    let mut identity = Hasher::new("brouhaha engine version 1");
    match source {
        EngineSource::Builtin { build, evaluation } => {
            // Versions without an evaluation of their own keep the identity that they are stored with.
            identity.field(match evaluation {
                None => b"builtin",
                Some(_) => b"builtin with evaluation",
            });
            identity.field(build.as_deref().unwrap_or_default().as_bytes());
            if let Some(text) = evaluation {
                identity.field(text.as_bytes());
            }
        }
        EngineSource::Command { name, sha256 } => {
            identity.field(match sha256 {
                None => b"command",
                Some(_) => b"pinned command",
            });
            identity.field(name.as_bytes());
            if let Some(sha256) = sha256 {
                identity.field(&sha256.0);
            }
        }
        EngineSource::Artifact(engine) => match engine.as_single() {
            // As stores have it from before there were platforms and protocols.
            Some(digest) => {
                identity.field(b"artifact");
                identity.field(&digest.0);
            }
            None => files(&mut identity, engine),
        },
        EngineSource::Version(name) => {
            identity.field(b"version");
            identity.field(name.as_bytes());
        }
    }
    for (name, value) in options {
        identity.field(name.as_bytes());
        identity.field(value.as_bytes());
    }
    identity.finish()
}

fn files(identity: &mut Hasher, engine: &ArtifactEngine) {
    identity.field(match engine.protocol {
        EngineProtocol::Uci => b"files",
        EngineProtocol::Xboard => b"files of an xboard engine",
    });
    identity.field(&(engine.files.len() as u64).to_le_bytes());
    for (platform, digest) in &engine.files {
        identity.field(platform.as_str().as_bytes());
        identity.field(&digest.0);
    }
}

/// blake3 over fields with their lengths, so that no two lists of fields give the same bytes.
pub(super) struct Hasher(blake3::Hasher);

impl Hasher {
    /// Begins a hash of its own kind.
    pub(super) fn new(kind: &str) -> Self {
        let mut hasher = Self(blake3::Hasher::new());
        hasher.field(kind.as_bytes());
        hasher
    }

    /// Adds one field.
    pub(super) fn field(&mut self, bytes: &[u8]) {
        self.0.update(&(bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    /// The hash of all fields.
    pub(super) fn finish(self) -> Digest {
        Digest(*self.0.finalize().as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(options: &[(&str, &str)], limit: Option<Limit>) -> EngineSpec {
        EngineSpec {
            name: "x".into(),
            source: EngineSource::Builtin {
                build: None,
                evaluation: None,
            },
            options: options
                .iter()
                .map(|(name, value)| ((*name).into(), (*value).into()))
                .collect(),
            limit,
        }
    }

    #[test]
    fn identity_follows_what_decides_the_play_and_not_the_name() {
        let general = Some(Limit::Depth(5));
        let base = Player::resolve(&spec(&[("Hash", "16")], None), general, "b1").unwrap();
        let renamed = EngineSpec {
            name: "y".into(),
            ..spec(&[("Hash", "16")], None)
        };
        assert_eq!(
            Player::resolve(&renamed, general, "b1").unwrap().id,
            base.id
        );

        for (other, build) in [
            (spec(&[("Hash", "32")], None), "b1"),
            (spec(&[], None), "b1"),
            (spec(&[("Hash", "16")], None), "b2"),
            // The same bytes cut differently.
            (spec(&[("Hash1", "6")], None), "b1"),
        ] {
            let other = Player::resolve(&other, general, build).unwrap();
            assert_ne!(other.version, base.version);
            assert_ne!(other.id, base.id);
        }
        let own_limit = Player::resolve(
            &spec(&[("Hash", "16")], Some(Limit::Depth(5))),
            general,
            "b1",
        )
        .unwrap();
        assert_eq!(own_limit.version, base.version);
        assert_ne!(own_limit.id, base.id);
        assert!(Player::resolve(&spec(&[], None), None, "b1").is_none());
    }

    #[test]
    fn an_evaluation_makes_another_version_and_none_leaves_it_as_it_was() {
        let version = |evaluation: Option<&str>| {
            let source = EngineSource::Builtin {
                build: None,
                evaluation: evaluation.map(str::to_owned),
            };
            let spec = EngineSpec {
                source,
                ..spec(&[("Hash", "16")], Some(Limit::Depth(5)))
            };
            let player = Player::resolve(&spec, None, "b1").unwrap();
            (player.version, player.id)
        };
        // As stores have it from before there were such evaluations.
        let mut before = Hasher::new("brouhaha engine version 1");
        for field in ["builtin", "b1", "Hash", "16"] {
            before.field(field.as_bytes());
        }
        let (none, one, other) = (version(None), version(Some("a")), version(Some("b")));
        assert_eq!(none.0, before.finish());
        assert_eq!(version(Some("a")), one);
        assert!(none.0 != one.0 && none.1 != one.1);
        assert!(one.0 != other.0 && one.1 != other.1);
    }

    #[test]
    fn files_and_executables_are_part_of_the_version() {
        let version = |source: EngineSource| {
            let spec = EngineSpec {
                source,
                ..spec(&[], Some(Limit::Depth(5)))
            };
            Player::resolve(&spec, None, "b1").unwrap().version
        };
        let (one, two) = (Digest([1; 32]), Digest([2; 32]));
        let single = ArtifactEngine::single(one);
        // As stores have them from before there were platforms, protocols and executables that are named.
        let before = |fields: &[&[u8]]| {
            let mut identity = Hasher::new("brouhaha engine version 1");
            fields.iter().for_each(|field| identity.field(field));
            identity.finish()
        };
        let artifact = before(&[b"artifact", &one.0]);
        assert_eq!(version(EngineSource::Artifact(single.clone())), artifact);
        let command = before(&[b"command", b"sf"]);
        assert_eq!(version(EngineSource::command("sf")), command);

        let pinned = |sha256| EngineSource::Command {
            name: "sf".into(),
            sha256: Some(sha256),
        };
        let xboard = ArtifactEngine {
            protocol: EngineProtocol::Xboard,
            ..single
        };
        let on = |platforms: &[(&str, Digest)]| {
            let file = |&(platform, file): &(&str, Digest)| (platform.parse().unwrap(), file);
            EngineSource::Artifact(ArtifactEngine {
                protocol: EngineProtocol::Uci,
                files: platforms.iter().map(file).collect(),
            })
        };
        let versions = std::collections::BTreeSet::from([
            artifact,
            command,
            version(EngineSource::command("fs")),
            version(pinned(one)),
            version(pinned(two)),
            version(EngineSource::Artifact(xboard)),
            version(on(&[("linux-x86_64", one)])),
            version(on(&[("linux-x86_64", two)])),
            version(on(&[("macos-x86_64", one)])),
            version(on(&[("linux-x86_64", one), ("macos-x86_64", two)])),
        ]);
        assert_eq!(versions.len(), 10);
    }

    #[test]
    fn several_threads_are_not_deterministic() {
        let plays_again = |options: &[(&str, &str)]| {
            let limit = Some(Limit::Depth(5));
            Player::resolve(&spec(options, limit), None, "b1")
                .unwrap()
                .is_deterministic()
        };
        assert!(plays_again(&[]) && plays_again(&[("Threads", "1")]));
        assert!(!plays_again(&[("threads", "2")]));
    }
}
