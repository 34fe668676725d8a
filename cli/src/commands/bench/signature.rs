//! `brouhaha bench` alone: the engine's node-count signature, and its speed.

use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;

/// Searches fixed positions of all variants: nodes to standard output, speed to standard error.
pub(super) fn run() -> Result<ExitCode> {
    let (mut out, mut err) = (std::io::stdout().lock(), std::io::stderr().lock());
    let begun = Instant::now();
    let mut last = begun;
    let mut written = Ok(());
    let nodes = engine::bench::run(&mut |line| {
        let speed = line.nodes as f64 / last.elapsed().as_secs_f64().max(1e-6);
        last = Instant::now();
        let said = writeln!(out, "{:<30} {:>9} {}", line.variant, line.nodes, line.best)
            .and_then(|()| writeln!(err, "{:<30} {speed:>9.0} nodes/s", line.variant));
        if written.is_ok() {
            written = said;
        }
    });
    written?;
    writeln!(out, "Bench: {nodes}")?;
    let speed = nodes as f64 / begun.elapsed().as_secs_f64().max(1e-6);
    writeln!(err, "{speed:.0} nodes/s")?;
    Ok(ExitCode::SUCCESS)
}
