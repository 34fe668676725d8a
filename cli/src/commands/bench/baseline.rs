//! `brouhaha bench baseline`: signature and instruction counts against a file kept with the sources.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, bail};
use engine::bench::counted;
use serde_json::{Value, json};

use crate::output::print;

/// Arguments of `bench baseline`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  brouhaha bench baseline engine/benches/baseline.json\n  brouhaha bench baseline engine/benches/baseline.json --renew"
)]
pub(super) struct Arguments {
    /// The baseline
    #[arg(value_name = "FILE", required_unless_present = "count")]
    file: Option<PathBuf>,
    /// Write what is counted now to the file
    #[arg(long)]
    renew: bool,
    /// Do the work of this case once and nothing else: what the profiler runs
    #[arg(long, hide = true, value_name = "CASE", conflicts_with_all = ["file", "renew"])]
    count: Option<String>,
}

/// A case may take so many percent more instructions than the baseline.
const TOLERATED: u64 = 3;

/// What is compared.
struct Baseline {
    signature: u64,
    rustc: String,
    /// By case; nothing where they cannot be counted.
    instructions: Option<BTreeMap<String, u64>>,
}

/// Compares or renews.
pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    if let Some(case) = &arguments.count {
        counted::run(case).with_context(|| format!("there is no case `{case}`"))?;
        return Ok(ExitCode::SUCCESS);
    }
    let file = arguments.file.as_deref().context("a file is needed")?;
    let instructions = match obstacle() {
        None => Some(count()?),
        Some(why) => {
            print(format!("instructions are not counted: {why}\n"))?;
            None
        }
    };
    let now = Baseline {
        signature: engine::bench::run(&mut |_| {}),
        rustc: rustc(),
        instructions,
    };
    if arguments.renew {
        return renew(file, &now);
    }
    let (text, good) = compare(&read(file)?, &now, file);
    print(text)?;
    Ok(if good {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Why instructions cannot be counted on this machine.
fn obstacle() -> Option<&'static str> {
    #[cfg(target_arch = "x86_64")]
    let avx2 = std::arch::is_x86_feature_detected!("avx2");
    #[cfg(not(target_arch = "x86_64"))]
    let avx2 = false;
    if !avx2 {
        return Some("the baseline is of a processor with AVX2, which this one lacks");
    }
    let valgrind = Command::new("valgrind")
        .arg("--version")
        .stdout(Stdio::null())
        .status();
    match valgrind {
        Ok(status) if status.success() => None,
        _ => Some("valgrind is not installed"),
    }
}

/// The compiler at hand, presumably the one that built this program.
fn rustc() -> String {
    let output = Command::new("rustc").arg("--version").output();
    output.map_or_else(
        |_| "unknown".to_owned(),
        |o| String::from_utf8_lossy(&o.stdout).trim().to_owned(),
    )
}

/// Instructions of each case, counted by callgrind, as many cases at a time as there are cores.
fn count() -> Result<BTreeMap<String, u64>> {
    let names = counted::names();
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let next = AtomicUsize::new(0);
    let counter = || -> Result<Vec<(String, u64)>> {
        let mut counts = Vec::new();
        while let Some(name) = names.get(next.fetch_add(1, Ordering::Relaxed)) {
            counts.push((name.clone(), count_one(name)?));
        }
        Ok(counts)
    };
    let counts: Vec<_> = std::thread::scope(|scope| {
        let counters: Vec<_> = (0..cores).map(|_| scope.spawn(counter)).collect();
        counters.into_iter().map(|c| c.join()).collect()
    });
    let mut all = BTreeMap::new();
    for counts in counts {
        match counts {
            Ok(counts) => all.extend(counts?),
            Err(_) => bail!("a thread that counts instructions failed"),
        }
    }
    Ok(all)
}

/// Instructions of the case.
fn count_one(name: &str) -> Result<u64> {
    let folder = tempfile::tempdir()?;
    let profile = folder.path().join("profile");
    let program = std::env::current_exe().context("this program's own file is not known")?;
    let output = Command::new("valgrind")
        .arg("--tool=callgrind")
        .arg(format!("--toggle-collect=*{}*", counted::FUNCTION))
        .arg(format!("--callgrind-out-file={}", profile.display()))
        .arg(program)
        .args(["bench", "baseline", "--count", name])
        .env("BROUHAHA_SIMD", "avx2")
        .stdin(Stdio::null())
        .output()
        .context("valgrind does not run")?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("`{name}` failed under valgrind:\n{said}");
    }
    let text = fs::read_to_string(&profile).context("valgrind left no profile")?;
    text.lines()
        .find_map(|line| line.strip_prefix("totals: ")?.trim().parse().ok())
        .filter(|&count: &u64| count > 0)
        .with_context(|| format!("valgrind counted nothing for `{name}`"))
}

fn read(file: &Path) -> Result<Baseline> {
    let shown = file.display();
    let text = fs::read_to_string(file)
        .with_context(|| format!("{shown} cannot be read; --renew makes it"))?;
    let value: Value =
        serde_json::from_str(&text).with_context(|| format!("{shown} is no JSON"))?;
    let instructions = value["instructions"]
        .as_object()
        .with_context(|| format!("{shown} has no `instructions`"))?;
    Ok(Baseline {
        signature: value["signature"]
            .as_u64()
            .with_context(|| format!("{shown} has no `signature`"))?,
        rustc: value["rustc"].as_str().unwrap_or("unknown").to_owned(),
        // Renewed where nothing could be counted, it has no counts.
        instructions: (!instructions.is_empty()).then(|| {
            instructions
                .iter()
                .filter_map(|(name, count)| Some((name.clone(), count.as_u64()?)))
                .collect()
        }),
    })
}

fn renew(file: &Path, now: &Baseline) -> Result<ExitCode> {
    let instructions = match &now.instructions {
        Some(instructions) => instructions.clone(),
        // The signature can be renewed anywhere; the counts then stay as they are.
        None if file.exists() => read(file)?.instructions.unwrap_or_default(),
        None => BTreeMap::new(),
    };
    let value =
        json!({ "signature": now.signature, "rustc": now.rustc, "instructions": instructions });
    crate::files::replace(file, &format!("{value:#}\n"))?;
    print(format!("Bench: {}\n", now.signature))?;
    Ok(ExitCode::SUCCESS)
}

/// What there is to say of the differences, and whether they may be.
fn compare(base: &Baseline, now: &Baseline, file: &Path) -> (String, bool) {
    let mut text = String::new();
    let mut good = true;
    // Writing to a string does not fail.
    let mut say = |line: String| {
        let _ = writeln!(text, "{line}");
    };
    if base.signature == now.signature {
        say(format!("signature {} as in the baseline", now.signature));
    } else {
        good = false;
        say(format!(
            "signature {}, in the baseline {}: the engine plays differently",
            now.signature, base.signature
        ));
    }
    let same_compiler = base.rustc == now.rustc;
    if let (Some(base), Some(now)) = (&base.instructions, &now.instructions) {
        let mut worse = 0;
        for (name, &count) in now {
            let Some(&before) = base.get(name) else {
                say(format!("{name}: {count} instructions, not in the baseline"));
                worse += 1;
                continue;
            };
            let percent = 100.0 * (count as f64 - before as f64) / before as f64;
            let over = 100 * count > (100 + TOLERATED) * before;
            if over || 100 * count < (100 - TOLERATED) * before {
                say(format!(
                    "{name}: {count} instructions, in the baseline {before} ({percent:+.1} %)"
                ));
            }
            worse += u32::from(over);
        }
        say(format!(
            "{} cases counted, {worse} worse by more than {TOLERATED} %",
            now.len()
        ));
        good &= worse == 0 || !same_compiler;
    }
    if base.instructions.is_none() && now.instructions.is_some() {
        say("the baseline has no instruction counts; --renew adds them".to_owned());
    }
    if !same_compiler {
        say(format!(
            "counted with {}, the baseline with {}: more instructions are no failure",
            now.rustc, base.rustc
        ));
    }
    if !good {
        say(format!(
            "if that is meant, renew the baseline with `brouhaha bench baseline {} --renew` and say in the commit why",
            file.display()
        ));
    }
    (text, good)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn baseline(signature: u64, rustc: &str, count: u64) -> Baseline {
        Baseline {
            signature,
            rustc: rustc.to_owned(),
            instructions: Some(BTreeMap::from([("chess perft".to_owned(), count)])),
        }
    }

    #[test]
    fn only_more_than_three_percent_more_fails() {
        let base = baseline(7, "a", 1000);
        let file = Path::new("baseline.json");
        let good = |now: &Baseline| compare(&base, now, file).1;
        assert!(good(&baseline(7, "a", 1030)));
        assert!(!good(&baseline(7, "a", 1031)));
        assert!(good(&baseline(7, "a", 500)));
        assert!(
            good(&baseline(7, "b", 2000)),
            "another compiler counts otherwise"
        );
        assert!(!good(&baseline(8, "b", 1000)), "but plays the same");
        let uncounted = Baseline {
            instructions: None,
            ..baseline(7, "a", 0)
        };
        assert!(good(&uncounted));
    }

    #[test]
    fn a_case_that_the_baseline_lacks_is_asked_for() {
        let mut base = baseline(7, "a", 1000);
        base.instructions = Some(BTreeMap::new());
        let (text, good) = compare(&base, &baseline(7, "a", 10), Path::new("baseline.json"));
        assert!(!good && text.contains("--renew"), "{text}");
    }
}
