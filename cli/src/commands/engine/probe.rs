//! `brouhaha engine probe`: starts an external engine, reads what it says of itself and lets it play a game against itself.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use proto::v1::{self, EndReason};
use serde_json::json;
use server::model;
use worker::Commands;
use worker::play::child::{ChildProgram, FailedStarts, Launch, Patience, PatienceSettings};
use worker::play::game::{Abandoned, PlyMade};
use worker::play::{Control, GameSetup, Limit, Observer, PlayedGame, external, play_game};

use crate::engine_text;
use crate::output::{Format, FormatArgument, print, table};
use crate::variants::{VariantFiles, Variants};

/// The name that the engine has here.
const NAME: &str = "engine";
/// Time granted beyond a move's own, as workers grant it.
const MARGIN: Duration = Duration::from_millis(200);

/// Arguments of `engine probe`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  brouhaha engine probe ./my-engine --variant grand-apothecary-modern\n  brouhaha engine probe xboard:/usr/games/fairymax --limit depth=4\n\nExit code: 0 the game ended by the rules or by its length, 1 by a fault of the engine."
)]
pub struct Arguments {
    /// The executable; `xboard:PATH` of one that speaks the XBoard protocol
    engine: String,
    /// The variant to play
    #[arg(long, default_value = "chess")]
    variant: String,
    /// An option to set (may be given several times)
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = option)]
    options: Vec<(String, String)>,
    /// Limit of a move: nodes=N, depth=N, movetime=MSms or clock=SECONDS+SECONDS
    #[arg(long, value_name = "LIMIT", default_value = "movetime=50ms", value_parser = engine_text::limit)]
    limit: v1::Limit,
    /// Seconds that the engine is waited for, those left out as here: start=10,new_game=10,ping=10,stop=2,quit=1
    #[arg(long, value_name = "NAME=SECONDS,...", value_parser = PatienceSettings::from_text)]
    patience: Option<PatienceSettings>,
    /// Plies after which the game ends
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(2..=4000))]
    plies: u32,
    #[command(flatten)]
    format: FormatArgument,
}

fn option(text: &str) -> Result<(String, String)> {
    let (name, value) = text
        .split_once('=')
        .ok_or_else(|| anyhow!("`{text}` is not of the form NAME=VALUE"))?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

/// Probes.
pub fn run(files: &VariantFiles, arguments: &Arguments) -> Result<ExitCode> {
    let variant = Variants::load(files)?.get(&arguments.variant)?;
    let mut commands = Commands::default();
    commands.add_text(&format!("{NAME}={}", arguments.engine))?;
    let command = commands.get(NAME).context("the engine was not taken")?;
    let program = ChildProgram {
        name: arguments.engine.clone(),
        command: command.clone(),
        launcher: Arc::new([]),
        options: arguments
            .options
            .iter()
            .cloned()
            .collect::<BTreeMap<_, _>>(),
        variant: arguments.variant.clone(),
    };
    let limit = Limit::from_wire(Some(&arguments.limit)).map_err(|problem| anyhow!(problem))?;
    external::check_limit(&program, &limit)?;
    let runtime = { tokio::runtime::Builder::new_current_thread() }
        .enable_all()
        .build()?;
    let launch = Launch {
        program,
        variant: variant.clone(),
        patience: arguments
            .patience
            .unwrap_or_default()
            .over(Patience::default()),
        runtime: Arc::new(runtime),
        failed: Arc::new(FailedStarts::default()),
    };
    let start = || external::start(launch.clone(), &Control::default());
    let begun = Instant::now();
    let first = start()?;
    let start_time = begun.elapsed();
    let said = introduction(&first.log_tail());
    let setup = GameSetup {
        variant: &variant,
        opening: &variant.start_fen(variant.setups().first)?,
        limits: [limit; 2],
        adjudication: &v1::Adjudication::default(),
        max_plies: arguments.plies,
        time_margin: MARGIN,
        hang_after: Duration::from_secs(60),
    };
    let mut players = [first, start()?];
    let played = play_game(&setup, &mut players, &Control::default(), &mut Unseen);
    let game = match played {
        Ok(game) => game,
        Err(Abandoned::Failed(_, text)) => bail!(text),
        Err(Abandoned::Cancelled) => bail!("the game was given up"),
    };
    let found = Found {
        start_time,
        said,
        allowed: match limit {
            Limit::MoveTime(time) => Some(time),
            _ => None,
        },
        game,
    };
    print(match arguments.format.format {
        Format::Table => found.text(),
        Format::Json => serde_json::to_string_pretty(&found.json())? + "\n",
    })?;
    Ok(match found.game.evidence {
        None => ExitCode::SUCCESS,
        Some(_) if found.reason() == EndReason::Agreed => ExitCode::SUCCESS,
        Some(_) if found.reason() == EndReason::Resign => ExitCode::SUCCESS,
        Some(_) => ExitCode::FAILURE,
    })
}

struct Unseen;

impl Observer for Unseen {
    fn moved(&mut self, _: &PlyMade<'_>) {}
}

/// What an engine said of itself and its options.
fn introduction(log: &str) -> Vec<String> {
    let said = log.lines().filter_map(|line| line.strip_prefix("> "));
    let of_itself = |line: &&str| {
        ["id ", "option ", "feature "]
            .iter()
            .any(|word| line.starts_with(word))
    };
    said.filter(of_itself).map(str::to_owned).collect()
}

/// What was found.
struct Found {
    start_time: Duration,
    said: Vec<String>,
    /// Time of a move, where that is the limit.
    allowed: Option<Duration>,
    game: PlayedGame,
}

impl Found {
    fn reason(&self) -> EndReason {
        self.game.result.reason()
    }

    fn reason_text(&self) -> &'static str {
        model::EndReason::from_wire(self.reason()).map_or("unknown", model::EndReason::text)
    }

    /// Nodes a second over all moves that say both; none if no move does.
    fn speed(&self) -> Option<f64> {
        let stats = &self.game.stats;
        let moves = stats.nodes.iter().zip(&stats.times_ms);
        let (nodes, ms) = moves
            .filter(|(nodes, _)| **nodes > 0)
            .fold((0u64, 0u64), |(nodes, ms), (&n, &t)| {
                (nodes + n, ms + u64::from(t))
            });
        (ms > 0).then(|| nodes as f64 * 1000.0 / ms as f64)
    }

    /// The longest that a move took beyond its time, in milliseconds.
    fn overrun_ms(&self) -> Option<u64> {
        let allowed = u64::try_from(self.allowed?.as_millis()).ok()?;
        let longest = self.game.stats.times_ms.iter().max()?;
        Some(u64::from(*longest).saturating_sub(allowed))
    }

    fn text(&self) -> String {
        let mut text = self.said.join("\n");
        if !text.is_empty() {
            text += "\n\n";
        }
        let number = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
        let rows = [
            ("ready after", format!("{} ms", self.start_time.as_millis())),
            ("plies", self.game.moves.len().to_string()),
            ("end of the game", self.reason_text().to_owned()),
            (
                "nodes a second",
                number(self.speed().map(|speed| format!("{speed:.0}"))),
            ),
            (
                "longest beyond its time",
                number(self.overrun_ms().map(|ms| format!("{ms} ms"))),
            ),
        ];
        let rows = rows.map(|(name, value)| vec![name.to_owned(), value]);
        text += &format!("{}\n", table(&["Found", ""], rows.to_vec(), 1));
        if let Some(evidence) = &self.game.evidence {
            text += &format!("\n{}\n{}", evidence.text, evidence.engine_log);
        }
        text
    }

    fn json(&self) -> serde_json::Value {
        json!({
            "said": self.said,
            "start_ms": self.start_time.as_millis() as u64,
            "plies": self.game.moves.len(),
            "end_reason": self.reason_text(),
            "moves": self.game.moves,
            "nodes_per_second": self.speed().map(f64::round),
            "overrun_ms": self.overrun_ms(),
            "evidence": self.game.evidence.as_ref().map(|evidence| json!({
                "text": evidence.text, "engine_log": evidence.engine_log,
            })),
        })
    }
}
