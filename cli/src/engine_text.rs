//! Engines and limits as a command line writes them: `builtin:Hash=8,Contempt=10`, `command:fairy`, `nodes=20000`; and
//! how engines are shown.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use engine::search::EngineOptions;
use proto::v1::{self, engine_source, limit::Kind};
use server::model::{Digest, tournament_file};

/// An engine without name and limit.
#[derive(Clone, Debug, PartialEq)]
pub struct EngineText {
    /// Where it comes from.
    pub source: engine_source::Kind,
    /// UCI options.
    pub options: BTreeMap<String, String>,
}

impl EngineText {
    /// The specification of an engine.
    pub fn spec(&self, name: &str, limit: Option<v1::Limit>) -> v1::EngineSpec {
        v1::EngineSpec {
            name: name.to_owned(),
            source: Some(v1::EngineSource {
                kind: Some(self.source.clone()),
            }),
            options: self.options.clone(),
            limit,
        }
    }
}

/// Reads `builtin`, `command:NAME`, `artifact:SHA256`, `artifact:xboard:SHA256` or `version:NAME`, each with `:OPTION=VALUE,OPTION=VALUE` behind it or not.
///
/// `EvalFile` of a built-in engine is no option of it but a file that is read here, and whose text goes with the engine.
///
/// # Errors
/// The text is no engine, or the evaluation file cannot be read.
pub fn engine(text: &str) -> Result<EngineText> {
    let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
    let (mut source, options) = match kind {
        "builtin" => (
            engine_source::Kind::Builtin(v1::BuiltinEngine::default()),
            rest,
        ),
        "command" | "artifact" | "version" => {
            let xboard = rest.strip_prefix("xboard:").filter(|_| kind == "artifact");
            let rest = xboard.unwrap_or(rest);
            let (name, options) = rest.split_once(':').unwrap_or((rest, ""));
            if name.is_empty() {
                bail!("`{text}`: the name is missing, as in `{kind}:NAME`");
            }
            let name = name.to_owned();
            let source = match (kind, xboard) {
                ("command", _) => engine_source::Kind::Command(name),
                ("version", _) => engine_source::Kind::Version(name),
                (_, None) => engine_source::Kind::Artifact(name),
                (_, Some(_)) => engine_source::Kind::Files(v1::ArtifactEngine {
                    protocol: v1::EngineProtocol::Xboard.into(),
                    files: vec![v1::ArtifactFile {
                        platform: String::new(),
                        sha256: name,
                    }],
                }),
            };
            (source, options)
        }
        _ => bail!(
            "`{text}` is no engine: write builtin, builtin:OPTION=VALUE,…, command:NAME, artifact:SHA256 or version:NAME"
        ),
    };
    let texts = options.split(',').filter(|option| !option.is_empty());
    let mut options = self::options(texts).map_err(|error| anyhow!("`{text}`: {error}"))?;
    if let engine_source::Kind::Builtin(builtin) = &mut source {
        builtin.evaluation = evaluation(&mut options)?;
    }
    Ok(EngineText { source, options })
}

/// Reads options, each `OPTION=VALUE`.
///
/// # Errors
/// One is not of that form.
pub fn options(
    texts: impl IntoIterator<Item = impl AsRef<str>>,
) -> Result<BTreeMap<String, String>> {
    let option = |text: &str| {
        let (name, value) = text
            .split_once('=')
            .ok_or_else(|| anyhow!("`{text}` is not of the form OPTION=VALUE"))?;
        Ok((name.trim().to_owned(), value.trim().to_owned()))
    };
    texts
        .into_iter()
        .map(|text| option(text.as_ref()))
        .collect()
}

/// Takes `EvalFile` out of the options of a built-in engine and reads that file; without it there is no text.
fn evaluation(options: &mut BTreeMap<String, String>) -> Result<String> {
    let is_file = |name: &&String| name.eq_ignore_ascii_case("EvalFile");
    let names: Vec<String> = options.keys().filter(is_file).cloned().collect();
    let mut text = String::new();
    for name in names {
        let Some(path) = options.remove(&name) else {
            continue;
        };
        // In one line, since an argument's error is shown without its causes.
        text = tournament_file::load_evaluation(Path::new(&path))
            .map_err(|error| anyhow!("{name}: {:#}", anyhow::Error::from(error)))?;
        if text.is_empty() {
            bail!("{name}: `{path}` is empty; name a file with weights");
        }
    }
    Ok(text)
}

/// An engine's origin and options for people; an evaluation of its own by the beginning of its text's hash.
pub fn shown(player: &v1::Player) -> String {
    shown_source(player.source.as_ref(), &player.options)
}

/// The same of an engine that is no player.
pub fn shown_source(
    source: Option<&v1::EngineSource>,
    options: &BTreeMap<String, String>,
) -> String {
    let mut words = vec![match source.and_then(|source| source.kind.as_ref()) {
        Some(engine_source::Kind::Command(name)) => format!("command:{name}"),
        Some(engine_source::Kind::Pinned(command)) => {
            let short = command.sha256.get(..8).unwrap_or(&command.sha256);
            format!("command:{} ({short})", command.name)
        }
        Some(engine_source::Kind::Artifact(hash)) => format!("artifact:{hash}"),
        Some(engine_source::Kind::Files(engine)) => shown_files(engine),
        Some(engine_source::Kind::Version(version)) => format!("version:{version}"),
        Some(engine_source::Kind::Builtin(builtin)) if !builtin.evaluation.is_empty() => {
            let hash = Digest::of(builtin.evaluation.as_bytes());
            format!("builtin with evaluation {}", hash.short())
        }
        Some(engine_source::Kind::Builtin(_)) | None => "builtin".to_owned(),
    }];
    let options = options.iter();
    words.extend(options.map(|(name, value)| format!("{name}={value}")));
    words.join(" ")
}

fn shown_files(engine: &v1::ArtifactEngine) -> String {
    let protocol = match engine.protocol() {
        v1::EngineProtocol::Xboard => "xboard:",
        v1::EngineProtocol::Unspecified | v1::EngineProtocol::Uci => "",
    };
    let shown = |file: &v1::ArtifactFile| match file.platform.as_str() {
        "" => file.sha256.clone(),
        platform => format!(
            "{}@{platform}",
            file.sha256.get(..12).unwrap_or(&file.sha256)
        ),
    };
    let files: Vec<String> = engine.files.iter().map(shown).collect();
    format!("artifact:{protocol}{}", files.join("+"))
}

/// Checks the options of built-in engines, which a coordinator takes as they are and only workers know.
///
/// # Errors
/// An option is not known or its value does not fit; the engine and the option are named.
pub fn check_builtin_options(engines: &[v1::EngineSpec]) -> Result<()> {
    for engine in engines {
        let source = engine.source.as_ref();
        let source = source.and_then(|source| source.kind.as_ref());
        if let Some(engine_source::Kind::Builtin(builtin)) = source
            && (builtin.build.is_empty() || builtin.build == engine::BUILD)
        {
            EngineOptions::from_map(&engine.options)
                .with_context(|| format!("engine `{}`", engine.name))?;
        }
    }
    Ok(())
}

/// Reads `nodes=20000`, `depth=8`, `movetime=100ms` or `clock=10+0.1`.
pub fn limit(text: &str) -> Result<v1::Limit> {
    let bad = || {
        anyhow!(
            "`{text}` is no limit: write nodes=20000, depth=8, movetime=100ms or clock=10+0.1 (seconds)"
        )
    };
    let (kind, amount) = text.split_once('=').ok_or_else(bad)?;
    let kind = match kind {
        "nodes" => Kind::Nodes(amount.parse().map_err(|_| bad())?),
        "depth" => Kind::Depth(amount.parse().map_err(|_| bad())?),
        "movetime" => {
            let ms = amount.strip_suffix("ms").unwrap_or(amount);
            Kind::MovetimeMs(ms.parse().map_err(|_| bad())?)
        }
        "clock" | "tc" => {
            let clock: server::model::limit::Clock = amount.parse().map_err(|_| bad())?;
            Kind::Clock(v1::ClockLimit {
                base_ms: clock.base_ms,
                increment_ms: clock.increment_ms,
            })
        }
        _ => return Err(bad()),
    };
    Ok(v1::Limit { kind: Some(kind) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_evaluation_file_of_a_built_in_engine_is_read() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let path = file.path().display();
        let empty = engine(&format!("builtin:EvalFile={path}")).unwrap_err();
        assert!(empty.to_string().contains("is empty"), "{empty}");
        std::fs::write(file.path(), "schema = 1\n").unwrap();
        let read = engine(&format!("builtin:Hash=8,evalFILE={path}")).unwrap();
        let engine_source::Kind::Builtin(builtin) = &read.source else {
            panic!("{read:?}")
        };
        assert_eq!(builtin.evaluation, "schema = 1\n");
        assert_eq!(read.options.keys().collect::<Vec<_>>(), ["Hash"]);
        // An external engine reads its own files.
        let external = engine("command:fairy:EvalFile=x").unwrap();
        assert_eq!(external.options["EvalFile"], "x");

        let player = |read: &EngineText| v1::Player {
            source: Some(v1::EngineSource {
                kind: Some(read.source.clone()),
            }),
            options: read.options.clone(),
            ..Default::default()
        };
        let hash = Digest::of(b"schema = 1\n").short();
        let expected = format!("builtin with evaluation {hash} Hash=8");
        assert_eq!(shown(&player(&read)), expected);
        assert_eq!(shown(&player(&external)), "command:fairy EvalFile=x");
        assert_eq!(shown(&player(&engine("builtin").unwrap())), "builtin");
    }

    #[test]
    fn engines_and_limits_are_read_and_errors_say_what_is_expected() {
        let read = engine("builtin:Hash=8,Contempt=-10").unwrap();
        assert!(matches!(read.source, engine_source::Kind::Builtin(_)));
        let options: Vec<_> = read.options.into_iter().collect();
        assert_eq!(
            options,
            [("Contempt", "-10"), ("Hash", "8")].map(|(a, b)| (a.to_owned(), b.to_owned()))
        );
        let read = engine("command:fairy:Skill=3").unwrap();
        assert_eq!(read.source, engine_source::Kind::Command("fairy".into()));
        assert_eq!(read.options["Skill"], "3");
        assert!(engine("builtin").unwrap().options.is_empty());
        for bad in ["", "fairy", "command:", "builtin:Hash", "builtin Hash=8"] {
            assert!(engine(bad).is_err(), "{bad}");
        }
        for (text, kind) in [
            ("nodes=20000", Kind::Nodes(20000)),
            ("depth=8", Kind::Depth(8)),
            ("movetime=100ms", Kind::MovetimeMs(100)),
            ("movetime=100", Kind::MovetimeMs(100)),
            (
                "clock=10+0.1",
                Kind::Clock(v1::ClockLimit {
                    base_ms: 10_000,
                    increment_ms: 100,
                }),
            ),
        ] {
            assert_eq!(limit(text).unwrap().kind, Some(kind), "{text}");
        }
        for bad in ["", "20000", "nodes=x", "nodes=-1", "clock=fast", "time=3"] {
            assert!(
                limit(bad).unwrap_err().to_string().contains("nodes=20000"),
                "{bad}"
            );
        }
    }
}
