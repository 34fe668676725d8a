//! `brouhaha bench stop`: how long `brouhaha uci` takes from `stop` to `bestmove`.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use engine::variant::Catalog;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde_json::json;

use crate::output::{Format, FormatArgument, print, table};

/// Arguments of `bench stop`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  brouhaha bench stop --samples 300")]
pub(super) struct Arguments {
    /// Searches stopped in each variant
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    samples: u32,
    /// Threads of a search
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=256))]
    threads: u32,
    #[command(flatten)]
    format: FormatArgument,
}

/// Random plies from the start position to the one searched: from none to this.
const MOST_PLIES: u64 = 60;
/// A search is stopped after a random time of up to this.
const LONGEST_SEARCH: u64 = 40_000;

/// An engine as another program sees it.
struct Uci {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Uci {
    fn start() -> Result<Uci> {
        let program = std::env::current_exe().context("this program's own file is not known")?;
        let mut child = Command::new(program)
            .arg("uci")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("`brouhaha uci` does not start")?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            bail!("`brouhaha uci` has no standard input and output");
        };
        Ok(Uci {
            child,
            input,
            output: BufReader::new(output),
        })
    }

    fn say(&mut self, line: &str) -> Result<()> {
        writeln!(self.input, "{line}")?;
        Ok(self.input.flush()?)
    }

    /// Reads on to a line that begins with a word.
    fn wait_for(&mut self, word: &str) -> Result<()> {
        let mut line = String::new();
        loop {
            line.clear();
            if self.output.read_line(&mut line)? == 0 {
                bail!("`brouhaha uci` ended without `{word}`");
            }
            if line.starts_with(word) {
                return Ok(());
            }
        }
    }
}

/// Stops searches and prints the times it took.
pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let mut uci = Uci::start()?;
    uci.say("uci")?;
    uci.wait_for("uciok")?;
    uci.say(&format!(
        "setoption name Threads value {}",
        arguments.threads
    ))?;
    let mut rows = Vec::new();
    let catalog = Catalog::builtin();
    for variant in catalog.ids() {
        let mut times = sample(&mut uci, variant, arguments.samples)?;
        times.sort_unstable();
        rows.push((
            variant,
            quantile(&times, 50),
            quantile(&times, 99),
            quantile(&times, 100),
        ));
    }
    uci.say("quit")?;
    uci.child.wait()?;
    let text = match arguments.format.format {
        Format::Table => {
            let rows = rows
                .iter()
                .map(|&(variant, p50, p99, most)| {
                    let mut row = vec![variant.to_owned(), arguments.samples.to_string()];
                    row.extend([p50, p99, most].map(|t| format!("{:.3}", t.as_secs_f64() * 1000.0)));
                    row
                })
                .collect();
            table(&["variant", "stops", "p50 ms", "p99 ms", "most ms"], rows, 1).to_string()
        }
        Format::Json => json!(
            rows.iter()
                .map(|&(variant, p50, p99, most)| {
                    let [p50, p99, most] = [p50, p99, most].map(|t| t.as_micros() as u64);
                    json!({ "variant": variant, "stops": arguments.samples, "p50_us": p50, "p99_us": p99, "most_us": most })
                })
                .collect::<Vec<_>>()
        )
        .to_string(),
    };
    print(format!("{text}\n"))?;
    Ok(ExitCode::SUCCESS)
}

/// Times from `stop` to `bestmove` in positions of random games, searched for a random time.
fn sample(uci: &mut Uci, id: &str, samples: u32) -> Result<Vec<Duration>> {
    let variant = Catalog::builtin()
        .get(id)
        .with_context(|| format!("`{id}` is no built-in variant"))?;
    uci.say(&format!("setoption name UCI_Variant value {id}"))?;
    let mut times = Vec::with_capacity(samples as usize);
    let mut random = ChaCha8Rng::seed_from_u64(1);
    while times.len() < samples as usize {
        let fen = if variant.rules().augment.is_some() {
            variant.army_fen(random.next_u64())?
        } else {
            variant.start_fen(variant.setups().first)?
        };
        let mut game = engine::game::Game::new(variant.clone(), &fen)?;
        for _ in 0..random.next_u64() % MOST_PLIES {
            game.play_random(&mut random);
        }
        if game.end().is_some() {
            continue;
        }
        uci.say("ucinewgame")?;
        uci.say(&format!("position fen {}", game.fen()))?;
        uci.say("isready")?;
        uci.wait_for("readyok")?;
        uci.say("go infinite")?;
        std::thread::sleep(Duration::from_micros(random.next_u64() % LONGEST_SEARCH));
        let begun = Instant::now();
        uci.say("stop")?;
        uci.wait_for("bestmove")?;
        times.push(begun.elapsed());
    }
    Ok(times)
}

/// The sorted times' percentile: the smallest time that so many percent do not exceed.
fn quantile(times: &[Duration], percent: usize) -> Duration {
    let at = (times.len() * percent).div_ceil(100).max(1) - 1;
    times.get(at).copied().unwrap_or_default()
}
