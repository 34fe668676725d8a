//! `brouhaha rules`: start positions, legal moves, perft, replaying games.

use std::io::{BufRead, Write};
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow, bail};
use clap::{Args, Subcommand};
use engine::game::{Game, Played, play_lines};
use engine::perft::{divide_any, perft_any};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use crate::variants::{VariantFiles, Variants};

/// Longest line of a batch in bytes.
const LONGEST_LINE: u64 = 1 << 20;
/// Deepest perft.
const DEEPEST: u32 = 32;

/// Arguments of `rules`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  brouhaha rules moves chess \"$(brouhaha rules start chess 0)\""
)]
pub struct Arguments {
    #[command(subcommand)]
    request: Request,
}

#[derive(Debug, Subcommand)]
enum Request {
    /// The FEN of a set-up
    Start { variant: String, number: u64 },
    /// All legal moves, sorted bytewise, on one line
    Moves { variant: String, fen: String },
    /// The number of leaf positions at a depth
    Perft {
        variant: String,
        fen: String,
        depth: u32,
    },
    /// The number of leaf positions behind each move
    Divide {
        variant: String,
        fen: String,
        depth: u32,
    },
    /// The FEN after each move, then the outcome
    Play {
        variant: String,
        fen: String,
        moves: Vec<String>,
    },
    /// Whether the side to move is in check: `check` or `no`
    Check { variant: String, fen: String },
    /// The moves of a random game, the same for the same seed
    Random {
        variant: String,
        fen: String,
        seed: u64,
        maxplies: u32,
    },
    /// Requests on standard input, a line each, fields separated by tabs; each answer ends with a line `--`
    Batch,
}

/// An answer: its lines, and whether it counts as success.
struct Answer {
    lines: Vec<String>,
    code: ExitCode,
}

impl From<String> for Answer {
    fn from(line: String) -> Answer {
        Answer {
            lines: vec![line],
            code: ExitCode::SUCCESS,
        }
    }
}

/// Runs the command.
pub fn run(files: &VariantFiles, arguments: Arguments) -> Result<ExitCode> {
    let variants = Variants::load(files)?;
    if let Request::Batch = arguments.request {
        return batch(&variants);
    }
    let answer = answer(&variants, &arguments.request)?;
    let mut out = std::io::stdout().lock();
    for line in &answer.lines {
        writeln!(out, "{line}")?;
    }
    Ok(answer.code)
}

fn game(variants: &Variants, variant: &str, fen: &str) -> Result<Game> {
    let variant = variants.get(variant)?;
    Game::new(variant, fen).map_err(|e| anyhow!("{e}"))
}

fn answer(variants: &Variants, request: &Request) -> Result<Answer> {
    Ok(match request {
        Request::Start { variant, number } => variants.get(variant)?.start_fen(*number)?.into(),
        Request::Moves { variant, fen } => {
            game(variants, variant, fen)?.legal_moves().join(" ").into()
        }
        Request::Check { variant, fen } => {
            let check = game(variants, variant, fen)?.in_check();
            if check { "check" } else { "no" }.to_owned().into()
        }
        Request::Perft {
            variant,
            fen,
            depth,
        } => perft_any(board(&game(variants, variant, fen)?)?, depth_of(*depth)?)
            .to_string()
            .into(),
        Request::Divide {
            variant,
            fen,
            depth,
        } => {
            let counts = divide_any(board(&game(variants, variant, fen)?)?, depth_of(*depth)?);
            // At depth 0 the position itself is the only leaf.
            let total: u64 = if *depth == 0 {
                1
            } else {
                counts.iter().map(|c| c.1).sum()
            };
            let mut lines: Vec<String> = counts.iter().map(|(mv, n)| format!("{mv} {n}")).collect();
            lines.push(format!("total {total}"));
            Answer {
                lines,
                code: ExitCode::SUCCESS,
            }
        }
        Request::Play {
            variant,
            fen,
            moves,
        } => {
            let (lines, played) = play_lines(&mut game(variants, variant, fen)?, moves);
            let code = if played == Played::All {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            };
            Answer { lines, code }
        }
        Request::Random {
            variant,
            fen,
            seed,
            maxplies,
        } => {
            let mut game = game(variants, variant, fen)?;
            let mut random = ChaCha8Rng::seed_from_u64(*seed);
            for _ in 0..*maxplies {
                if !game.play_random(&mut random) {
                    break;
                }
            }
            game.moves().join(" ").into()
        }
        Request::Batch => bail!("`batch` is no request of a batch"),
    })
}

/// The position of a game that is not being set up.
fn board(game: &Game) -> Result<&engine::game::AnyPosition> {
    if game.in_setup() {
        bail!(
            "perft and divide do not count set-up actions; give a position after the set-up phase"
        );
    }
    Ok(game.position())
}

fn depth_of(depth: u32) -> Result<u32> {
    if depth > DEEPEST {
        bail!("depth {depth} is too deep; the deepest is {DEEPEST}");
    }
    Ok(depth)
}

/// Answers the requests on standard input until it ends.
fn batch(variants: &Variants) -> Result<ExitCode> {
    let mut input = std::io::stdin().lock();
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut line = Vec::new();
    loop {
        line.clear();
        let mut limited = std::io::Read::take(&mut input, LONGEST_LINE);
        if limited
            .read_until(b'\n', &mut line)
            .context("standard input cannot be read")?
            == 0
        {
            break;
        }
        let whole = line.ends_with(b"\n") || (line.len() as u64) < LONGEST_LINE;
        let answered = if whole {
            request_of(&line).and_then(|r| answer(variants, &r))
        } else {
            too_long(&mut input)
        };
        match answered {
            Ok(answer) => answer.lines.iter().try_for_each(|l| writeln!(out, "{l}"))?,
            Err(e) => writeln!(out, "error {}", format!("{e:#}").replace('\n', " "))?,
        }
        writeln!(out, "--")?;
        // Whoever asks one thing at a time waits for the answer.
        out.flush()?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Skips the rest of a line that is too long.
fn too_long(input: &mut impl BufRead) -> Result<Answer> {
    loop {
        let chunk = input.fill_buf()?;
        let end = chunk.iter().position(|&b| b == b'\n');
        let used = end.map_or(chunk.len(), |i| i + 1);
        input.consume(used);
        if end.is_some() || used == 0 {
            bail!("the line is longer than {LONGEST_LINE} bytes");
        }
    }
}

/// Reads a line of a batch.
fn request_of(line: &[u8]) -> Result<Request> {
    let text = std::str::from_utf8(line).context("the line is not UTF-8")?;
    let fields: Vec<&str> = text.trim_end_matches(['\n', '\r']).split('\t').collect();
    let number = |text: &str| {
        text.parse::<u64>()
            .map_err(|_| anyhow!("`{}` is no number", shown(text)))
    };
    let small = |text: &str| {
        text.parse::<u32>()
            .map_err(|_| anyhow!("`{}` is no number below 2^32", shown(text)))
    };
    let own = |text: &&str| (*text).to_owned();
    Ok(match &fields[..] {
        ["start", variant, n] => Request::Start {
            variant: own(variant),
            number: number(n)?,
        },
        ["moves", variant, fen] => Request::Moves {
            variant: own(variant),
            fen: own(fen),
        },
        ["check", variant, fen] => Request::Check {
            variant: own(variant),
            fen: own(fen),
        },
        ["perft", variant, fen, depth] => Request::Perft {
            variant: own(variant),
            fen: own(fen),
            depth: small(depth)?,
        },
        ["divide", variant, fen, depth] => Request::Divide {
            variant: own(variant),
            fen: own(fen),
            depth: small(depth)?,
        },
        ["play", variant, fen, moves @ ..] => {
            // Moves may be separated by tabs or by spaces.
            let moves = moves
                .iter()
                .flat_map(|m| m.split(' '))
                .filter(|m| !m.is_empty())
                .map(str::to_owned)
                .collect();
            Request::Play {
                variant: own(variant),
                fen: own(fen),
                moves,
            }
        }
        ["random", variant, fen, seed, plies] => Request::Random {
            variant: own(variant),
            fen: own(fen),
            seed: number(seed)?,
            maxplies: small(plies)?,
        },
        [
            "start" | "moves" | "check" | "perft" | "divide" | "play" | "random",
            ..,
        ] => {
            bail!(
                "`{}` with {} fields; see `brouhaha rules --help`",
                shown(fields[0]),
                fields.len() - 1
            )
        }
        [other, ..] => bail!("unknown request `{}`", shown(other)),
        [] => bail!("empty request"),
    })
}

fn shown(text: &str) -> String {
    text.chars().take(80).collect()
}
