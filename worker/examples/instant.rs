//! An engine that answers at once, for measuring what a match costs beside its engines: chess from the usual start, always the
//! same game of 125 plies.
//!
//! With the environment variable `INSTANT_CPU` it appends to that file, when it is told to quit, the processor time that it took
//! itself, in ticks of the system (Linux).

use std::io::{BufRead as _, Write as _};

/// A random game that ends neither before its last ply nor at it.
const GAME: &str = "\
    a2a4 g7g6 h2h3 a7a5 a1a2 h7h5 f2f4 f7f5 b1c3 f8h6 g1f3 h6f4 b2b4 b8c6 f3g5 e7e5 g2g4 d7d5 \
    g5e4 f4d2 e1d2 d5e4 d2e1 f5f4 c1a3 d8h4 e1d2 h4g4 h1h2 h8h7 a2a1 c6a7 h2g2 h7d7 d2e1 g4g2 \
    d1d6 d7f7 d6d1 g2e2 e1e2 c7c6 b4a5 f7f6 e2d2 e8d8 d1h5 g6h5 f1a6 e4e3 d2e2 c6c5 c3d5 f6d6 \
    a1h1 d6f6 c2c3 g8h6 h1c1 d8d7 d5b4 h6f5 a6c4 f6b6 c1e1 b6a6 c4f7 a6b6 f7h5 a7c6 e2d1 a8b8 \
    e1g1 d7c7 g1h1 f4f3 a5a6 f5d6 h1h2 b6a6 d1c2 c8g4 h5f7 d6f7 c2d1 g4h3 b4d3 b8a8 d3b4 c7d6 \
    h2h3 c6a5 a3b2 c5b4 h3h6 d6d7 d1c2 a6h6 c3b4 a8h8 c2b1 h6e6 b4a5 h8e8 b2a3 e8g8 a3c5 f7h6 \
    b1a1 g8f8 c5b4 f8a8 b4d6 h6f7 a1b2 e6e8 b2a2 b7b6 d6e5 d7c6 e5b2 a8b8 b2h8 b6b5 a5a6";

fn main() -> std::io::Result<()> {
    let game: Vec<&str> = GAME.split_whitespace().collect();
    let mut input = std::io::stdin().lock();
    // What is said at once is written at once.
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let (mut line, mut played) = (String::new(), 0);
    while input.read_line(&mut line)? > 0 {
        match line.split(' ').next().unwrap_or_default().trim_end() {
            "uci" => out.write_all(b"id name instant\nuciok\n")?,
            "isready" => out.write_all(b"readyok\n")?,
            // `moves` and a space before each.
            "position" => {
                let moves = line.split_once(" moves ").map_or("", |(_, moves)| moves);
                played = moves.split_whitespace().count();
            }
            "go" => {
                let best = game.get(played).copied().unwrap_or("0000");
                writeln!(
                    out,
                    "info depth 1 score cp 0 nodes 1 time 0\nbestmove {best}"
                )?;
            }
            "quit" => break,
            _ => {}
        }
        out.flush()?;
        line.clear();
    }
    match std::env::var_os("INSTANT_CPU") {
        Some(file) => note(&file),
        None => Ok(()),
    }
}

/// Appends the ticks that this process has computed.
fn note(file: &std::ffi::OsStr) -> std::io::Result<()> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    // The name in brackets may have spaces; user and system time are fields 14 and 15 of all.
    let fields = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks: u64 = fields
        .split_whitespace()
        .skip(11)
        .take(2)
        .filter_map(|field| field.parse::<u64>().ok())
        .sum();
    let mut notes = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(file)?;
    writeln!(notes, "{ticks}")
}
