//! What a worker is told: coordinator, slots, external engines.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    num::NonZeroU32,
    path::{Path, PathBuf},
    time::Duration,
};

use serde::Deserialize;
use tokio_util::sync::CancellationToken;

use crate::WorkerError;
use crate::play::child::{Patience, PatienceSettings};

/// Most slots of a worker; the protocol's limit.
pub const MAX_SLOTS: u32 = 4096;

/// Settings of a worker.
#[derive(Clone, Debug)]
pub struct WorkerConfig {
    /// Where the coordinator is, e.g. `http://10.0.0.5:7700`.
    pub coordinator: String,
    /// Token to show to the coordinator; none = it asks for none.
    pub token: Option<String>,
    /// Name for people, e.g. the host's name; 1 to 128 characters.
    pub name: String,
    /// Games or positions at the same time, at most [`MAX_SLOTS`].
    pub slots: NonZeroU32,
    /// External engines that may be started, by name.
    pub commands: Commands,
    /// Program and first arguments that external engines are started through; empty = directly.
    pub launcher: Vec<OsString>,
    /// Where engine files of the coordinator are kept.
    pub artifacts: PathBuf,
    /// Most bytes of these files together; those not used for longest are dropped.
    pub artifact_room: u64,
    /// How long games in flight may go on after a stop before they are given back. Default: not at all.
    pub finish_within: Duration,
    /// Cancelled when the worker is to end at once: nothing is given back and no answer is waited for.
    pub abandon: CancellationToken,
    /// How long an engine may be silent under a limit that is no time before it counts as hanging; a nodes limit adds
    /// a second for each 2000 nodes, a depth limit makes it ten times as long.
    pub hang_after: Duration,
    /// How long an external engine is waited for outside of its moves.
    pub patience: Patience,
    /// How long to look for a coordinator before giving up, at the start and after each break; none = for ever.
    pub give_up_after: Option<Duration>,
}

impl WorkerConfig {
    /// Settings with everything else at its default: name `worker`, no token, no external engines, for ever.
    pub fn new(coordinator: impl Into<String>, slots: NonZeroU32) -> Self {
        Self {
            coordinator: coordinator.into(),
            token: None,
            name: "worker".to_owned(),
            slots,
            commands: Commands::default(),
            launcher: Vec::new(),
            artifacts: std::env::temp_dir().join("brouhaha-artifacts"),
            artifact_room: crate::artifacts::USUAL_ROOM,
            finish_within: Duration::ZERO,
            abandon: CancellationToken::new(),
            hang_after: Duration::from_secs(60),
            patience: Patience::default(),
            give_up_after: None,
        }
    }

    /// Checks what a type does not.
    pub(crate) fn check(&self) -> Result<(), WorkerError> {
        let bad = |setting: &str, problem: String| WorkerError::Config {
            setting: setting.to_owned(),
            problem,
        };
        if self.slots.get() > MAX_SLOTS {
            return Err(bad(
                "slots",
                format!("are {}: at most {MAX_SLOTS} are possible", self.slots),
            ));
        }
        let length = self.name.chars().count();
        if length == 0 || length > 128 || self.name.chars().any(char::is_control) {
            return Err(bad(
                "name",
                "must have 1 to 128 characters, none of them a control character".to_owned(),
            ));
        }
        Ok(())
    }
}

/// How to start an external engine. The way to it never comes from the coordinator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandEngine {
    /// The executable: a path, or a name that the system looks up.
    pub path: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// Its working directory; none = the worker's.
    pub directory: Option<PathBuf>,
    /// Environment variables to set.
    pub environment: BTreeMap<String, String>,
    /// What it speaks.
    pub protocol: Protocol,
    /// How long it is waited for, where not as long as others.
    pub patience: PatienceSettings,
}

/// What an external engine speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// UCI.
    #[default]
    Uci,
    /// The Chess Engine Communication Protocol, version 2.
    Xboard,
}

impl CommandEngine {
    /// An engine without arguments.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            args: Vec::new(),
            directory: None,
            environment: BTreeMap::new(),
            protocol: Protocol::Uci,
            patience: PatienceSettings::default(),
        }
    }
}

/// External engines by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Commands(BTreeMap<String, CommandEngine>);

/// The shape of an engines file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EnginesFile {
    #[serde(default)]
    engine: Vec<EngineEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EngineEntry {
    name: String,
    path: PathBuf,
    #[serde(default)]
    args: Vec<String>,
    directory: Option<PathBuf>,
    #[serde(default)]
    environment: BTreeMap<String, String>,
    #[serde(default)]
    protocol: Protocol,
    #[serde(default)]
    patience: PatienceSettings,
}

impl Commands {
    /// The engine of a name.
    pub fn get(&self, name: &str) -> Option<&CommandEngine> {
        self.0.get(name)
    }

    /// The longest that one of them is waited for when told to quit, or others like these.
    pub fn longest_quit(&self, others: Patience) -> Duration {
        let quits = self.0.values();
        quits
            .map(|engine| engine.patience.over(others).quit)
            .fold(others.quit, Duration::max)
    }

    /// The names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &String> {
        self.0.keys()
    }

    /// The engines with their names, sorted.
    pub fn iter(&self) -> impl Iterator<Item = (&String, &CommandEngine)> {
        self.0.iter()
    }

    /// Adds an engine.
    ///
    /// # Errors
    /// The name is taken or no name, or a path with a folder in it leads to no file.
    pub fn add(&mut self, name: &str, engine: CommandEngine) -> Result<(), WorkerError> {
        let bad = |problem: String| {
            Err(WorkerError::Config {
                setting: format!("engine `{}`", name.escape_debug()),
                problem,
            })
        };
        let length = name.chars().count();
        if length == 0 || length > 128 || name.chars().any(char::is_control) {
            return bad(
                "its name must have 1 to 128 characters, none of them a control character"
                    .to_owned(),
            );
        }
        // A bare name is looked up by the system when the engine is started.
        if engine.path.components().count() > 1 && !engine.path.is_file() {
            return bad(format!("`{}` is no file", engine.path.display()));
        }
        if self.0.contains_key(name) {
            return bad("is given twice: names must differ".to_owned());
        }
        self.0.insert(name.to_owned(), engine);
        Ok(())
    }

    /// Adds the engine of a text `name=path`, or `name=xboard:path` of one that speaks the XBoard protocol.
    ///
    /// # Errors
    /// The text has no `=`, or as for [`Commands::add`].
    pub fn add_text(&mut self, text: &str) -> Result<(), WorkerError> {
        let Some((name, path)) = text.split_once('=') else {
            return Err(WorkerError::Config {
                setting: "engine".to_owned(),
                problem: format!("`{}` is not of the form name=path", text.escape_debug()),
            });
        };
        let engine = match path.strip_prefix("xboard:") {
            Some(path) => CommandEngine {
                protocol: Protocol::Xboard,
                ..CommandEngine::new(path)
            },
            None => CommandEngine::new(path.strip_prefix("uci:").unwrap_or(path)),
        };
        self.add(name, engine)
    }

    /// Adds the engines of a TOML file with a list `[[engine]]` of `name`, `path`, `args`, `directory`, `environment`,
    /// `protocol` (`uci`, or `xboard`) and `patience` (see [`Patience`], in seconds).
    /// Paths with a folder in them are relative to the file's own folder.
    ///
    /// # Errors
    /// The file cannot be read or is not of that shape, or as for [`Commands::add`].
    pub fn add_file(&mut self, path: &Path) -> Result<(), WorkerError> {
        let text = std::fs::read_to_string(path).map_err(|source| WorkerError::File {
            path: path.to_owned(),
            source,
        })?;
        let file: EnginesFile = toml::from_str(&text).map_err(|error| WorkerError::Config {
            setting: path.display().to_string(),
            problem: error.to_string().trim_end().to_owned(),
        })?;
        let folder = path.parent().unwrap_or(Path::new("."));
        for entry in file.engine {
            let bare = entry.path.components().count() == 1;
            let engine = CommandEngine {
                path: if bare {
                    entry.path
                } else {
                    folder.join(entry.path)
                },
                args: entry.args,
                directory: entry.directory.map(|directory| folder.join(directory)),
                environment: entry.environment,
                protocol: entry.protocol,
                patience: entry.patience,
            };
            self.add(&entry.name, engine)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_come_from_a_file_and_from_texts() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("bin/engine");
        std::fs::create_dir(folder.path().join("bin")).unwrap();
        std::fs::write(&program, "").unwrap();
        let file = folder.path().join("engines.toml");
        let text = "[[engine]]\nname = \"a\"\npath = \"bin/engine\"\nargs = [\"x\"]\npatience = { start = 60 }\n[[engine]]\nname = \"b\"\npath = \"bare\"\n";
        std::fs::write(&file, text).unwrap();
        let mut commands = Commands::default();
        commands.add_file(&file).unwrap();
        commands
            .add_text(&format!("c={}", program.display()))
            .unwrap();
        assert_eq!(commands.names().collect::<Vec<_>>(), ["a", "b", "c"]);
        let a = commands.get("a").unwrap();
        assert_eq!(
            (a.path.as_path(), &a.args[..]),
            (program.as_path(), &["x".to_owned()][..])
        );
        let waits = PatienceSettings::from_text("start=60").unwrap();
        assert_eq!(a.patience, waits);
        assert_eq!(commands.get("b").unwrap().path, Path::new("bare"));
        assert!(commands.get("d").is_none());

        // The error names the engine and what is wrong with it.
        for (text, part) in [
            ("c=bare", "twice"),
            ("nothing", "name=path"),
            ("=x", "1 to 128"),
            ("d=/no/such", "/no/such"),
        ] {
            let error = commands.add_text(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
        std::fs::write(&file, "[[engine]]\nname = \"z\"\npth = \"bin/engine\"\n").unwrap();
        let error = commands.add_file(&file).unwrap_err().to_string();
        assert!(error.contains("pth") && error.contains("line 3"), "{error}");
    }
}
