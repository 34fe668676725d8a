//! The lines that tell of a search: `info` and `bestmove`.

use std::io::Write;
use std::time::{Duration, Instant};

use super::front::Out;
use crate::search::{CurrentMove, Info, Listener, Score, SearchResult};

/// How lines are written.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReportStyle {
    /// Several principal variations are told apart by their rank.
    pub ranked: bool,
    /// The odds of the five outcomes are shown.
    pub outcomes: bool,
    /// The game knows advantages, three quarters of a point.
    pub quarters: bool,
}

/// After so long a reader may want to see which move is being searched.
const SLOW: Duration = Duration::from_secs(3);

/// Writes what a search reports.
pub(super) struct Report<'a, W> {
    out: &'a Out<W>,
    style: ReportStyle,
    begun: Instant,
}

impl<'a, W: Write> Report<'a, W> {
    pub fn new(out: &'a Out<W>, style: ReportStyle) -> Report<'a, W> {
        Report {
            out,
            style,
            begun: Instant::now(),
        }
    }

    /// Tells what a search came to, which may have been broken off inside an iteration.
    pub fn end(&self, result: &SearchResult) {
        let mut lines = Vec::new();
        if !self.style.ranked || result.best.is_none() {
            let pv = if result.pv.is_empty() {
                String::new()
            } else {
                format!(" pv {}", result.pv.join(" "))
            };
            lines.push(format!(
                "info depth {} {} {}{pv}",
                result.depth,
                self.score(result.score),
                self.speed(result.nodes)
            ));
        }
        let best = result.best.as_deref().unwrap_or("0000");
        let ponder = result.pv.get(1).map(|mv| format!(" ponder {mv}"));
        lines.push(format!("bestmove {best}{}", ponder.unwrap_or_default()));
        self.out.lines(&lines);
    }

    fn score(&self, score: Score) -> String {
        if !self.style.outcomes {
            return format!("score {score}");
        }
        let o = score.outcomes(self.style.quarters);
        format!(
            "score {score} outcomes {} {} {} {} {}",
            o.win, o.advantage, o.draw, o.disadvantage, o.loss
        )
    }

    fn speed(&self, nodes: u64) -> String {
        let time = self.begun.elapsed();
        let micros = time.as_micros().max(1);
        format!(
            "nodes {nodes} nps {} time {}",
            u128::from(nodes) * 1_000_000 / micros,
            time.as_millis()
        )
    }
}

impl<W: Write> Listener for Report<'_, W> {
    fn line(&mut self, info: &Info) {
        let rank = if self.style.ranked {
            format!(" multipv {}", info.rank)
        } else {
            String::new()
        };
        self.out.line(format!(
            "info depth {} seldepth {}{rank} {} {} hashfull {} pv {}",
            info.depth,
            info.seldepth,
            self.score(info.score),
            self.speed(info.nodes),
            info.hashfull,
            info.pv.join(" ")
        ));
    }

    fn wants_current(&mut self) -> bool {
        self.begun.elapsed() >= SLOW
    }

    fn current(&mut self, current: &CurrentMove) {
        self.out.line(format!(
            "info depth {} currmove {} currmovenumber {}",
            current.depth, current.text, current.number
        ));
    }
}
