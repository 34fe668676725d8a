//! What a session remembers: options, variant, position and engine.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::command::{GoCommand, PositionCommand, shown};
use super::report::ReportStyle;
use crate::game::Game;
use crate::search::{Clock, Engine, EngineOptions, Limits, OptionKind};
use crate::variant::rule_set::{CountResult, EndsRule, StalemateResult};
use crate::variant::{Catalog, Variant, VariantError};

/// The variant that a session begins with.
const FIRST_VARIANT: &str = "chess";
/// Largest `Move Overhead` in milliseconds.
const MOST_OVERHEAD: u64 = 5000;

/// Most of the wrong moves of a `searchmoves` that are named.
const MOST_COMPLAINTS: usize = 16;

/// A session's state.
pub(super) struct Session {
    catalog: Catalog,
    variant: Option<Arc<Variant>>,
    game: Option<Game>,
    engine: Option<Engine>,
    options: EngineOptions,
    overhead: Duration,
    show_outcomes: bool,
}

/// Something that could not be done; printed as an `info string`.
pub(super) type Trouble = String;

impl Session {
    pub fn new(catalog: Catalog) -> Session {
        let variant = catalog.get(FIRST_VARIANT);
        let mut session = Session {
            catalog,
            variant,
            game: None,
            engine: None,
            options: EngineOptions::default(),
            overhead: Duration::from_millis(10),
            show_outcomes: false,
        };
        session.game = session.start().ok();
        session
    }

    /// The answer to `uci`.
    pub fn identify(&self) -> Vec<String> {
        let mut lines = vec![
            format!("id name Brouhaha {}", env!("CARGO_PKG_VERSION")),
            "id author the Brouhaha authors".to_owned(),
        ];
        let default = EngineOptions::default();
        for info in &EngineOptions::ALL {
            let value = default.get(info);
            lines.push(match info.kind {
                OptionKind::Spin { min, max } => {
                    format!(
                        "option name {} type spin default {value} min {min} max {max}",
                        info.name
                    )
                }
                OptionKind::Check => {
                    format!("option name {} type check default {value}", info.name)
                }
            });
        }
        #[cfg(feature = "tunable")]
        for (name, value) in crate::search::PARAMETERS {
            lines.push(format!(
                "option name {name} type spin default {value} min -100000 max 100000"
            ));
        }
        let variants: String = self
            .catalog
            .ids()
            .iter()
            .map(|id| format!(" var {id}"))
            .collect();
        lines.push(format!(
            "option name UCI_Variant type combo default {FIRST_VARIANT}{variants}"
        ));
        lines.push("option name VariantFile type string default <empty>".to_owned());
        lines.push("option name EvalFile type string default <empty>".to_owned());
        lines.push(format!(
            "option name Move Overhead type spin default 10 min 0 max {MOST_OVERHEAD}"
        ));
        lines.push("option name Ponder type check default false".to_owned());
        lines.push("option name UCI_ShowOutcomes type check default false".to_owned());
        lines.push("uciok".to_owned());
        lines
    }

    fn start(&self) -> Result<Game, Trouble> {
        let variant = self
            .variant
            .as_ref()
            .ok_or("no variant is chosen; set UCI_Variant")?;
        let fen = variant
            .start_fen(variant.setups().first)
            .map_err(|e| e.to_string())?;
        Game::new(variant.clone(), &fen).map_err(|e| e.to_string())
    }

    pub fn new_game(&mut self) {
        if let Some(engine) = &mut self.engine {
            engine.new_game();
        }
    }

    pub fn set_option(&mut self, name: &str, value: &str) -> Result<(), Trouble> {
        if name.eq_ignore_ascii_case("UCI_Variant") {
            let variant = self.catalog.get(value);
            let known = || self.catalog.ids().join(", ");
            self.variant = Some(variant.ok_or_else(|| {
                format!("unknown variant `{}`; known are {}", shown(value), known())
            })?);
            self.engine = None;
            self.game = Some(self.start()?);
            return Ok(());
        }
        let mut files = ["VariantFile", "EvalFile"].into_iter();
        if let Some(file) = files.find(|f| name.eq_ignore_ascii_case(f)) {
            if value.is_empty() || value == "<empty>" {
                return Ok(());
            }
            let loaded = match file {
                "VariantFile" => self.catalog.load_file(Path::new(value)).map(|_| ()),
                _ => self.load_evaluation(value),
            };
            return loaded.map_err(|e| match std::error::Error::source(&e) {
                Some(source) => format!("{e}: {source}"),
                None => e.to_string(),
            });
        }
        if name.eq_ignore_ascii_case("Move Overhead") || name.eq_ignore_ascii_case("MoveOverhead") {
            let ms = value.parse().ok().filter(|&ms| ms <= MOST_OVERHEAD);
            let ms = ms.ok_or_else(|| {
                format!("option `Move Overhead` cannot be `{}`; it is a whole number from 0 to {MOST_OVERHEAD}", shown(value))
            })?;
            self.overhead = Duration::from_millis(ms);
            return Ok(());
        }
        if name.eq_ignore_ascii_case("Ponder") {
            // Whether to ponder is the other program's choice, which it makes by `go ponder`.
            return flag("Ponder", value).map(|_| ());
        }
        if name.eq_ignore_ascii_case("UCI_ShowOutcomes") {
            self.show_outcomes = flag("UCI_ShowOutcomes", value)?;
            return Ok(());
        }
        let mut options = self.options.clone();
        options.set(name, value).map_err(|e| e.to_string())?;
        if options.hash_mib > self.options.hash_mib {
            options.check_memory().map_err(|e| e.to_string())?;
        }
        self.options = options;
        // What the engine learnt was learnt under other options.
        self.engine = None;
        Ok(())
    }

    /// Plays by an evaluation file; the game being set up begins anew if it is the file's variant.
    fn load_evaluation(&mut self, path: &str) -> Result<(), VariantError> {
        let variant = self.catalog.load_evaluation_file(Path::new(path))?;
        if self
            .variant
            .as_ref()
            .is_some_and(|v| v.hash() == variant.hash())
        {
            self.variant = Some(variant);
            self.engine = None;
            self.game = self.start().ok();
        }
        Ok(())
    }

    /// Sets up a position; on trouble the one before stays.
    pub fn position(&mut self, command: &PositionCommand) -> Result<(), Trouble> {
        let mut game = match (&command.fen, &self.variant) {
            (Some(fen), Some(variant)) => {
                Game::new(variant.clone(), fen).map_err(|e| e.to_string())?
            }
            _ => self.start()?,
        };
        for mv in &command.moves {
            game.play(mv).map_err(|e| e.to_string())?;
        }
        self.game = Some(game);
        Ok(())
    }

    /// Lines that show the position.
    pub fn display(&self) -> Vec<String> {
        let Some(game) = &self.game else {
            return Vec::new();
        };
        let end = game
            .end()
            .map_or("outcome=ongoing".to_owned(), ToString::to_string);
        vec![
            format!("Variant: {}", game.variant().id()),
            format!("Fen: {}", game.fen()),
            format!("Moves: {}", game.legal_moves().join(" ")),
            format!("Checked: {}", if game.in_check() { "yes" } else { "no" }),
            format!("Result: {end}"),
        ]
    }

    /// How searches are reported.
    pub fn style(&self) -> ReportStyle {
        let ends = self.game.as_ref().map(|g| &g.variant().rules().ends);
        ReportStyle {
            ranked: self.options.multi_pv > 1,
            outcomes: self.show_outcomes,
            quarters: ends.is_some_and(knows_advantages),
        }
    }

    /// Those of some moves' texts that are no legal move, safe to print.
    pub fn illegal(&self, texts: &[String]) -> Vec<String> {
        let Some(game) = self.game.as_ref().filter(|_| !texts.is_empty()) else {
            return Vec::new();
        };
        let legal = game.legal_moves();
        let unknown = texts.iter().filter(|t| !legal.contains(*t));
        unknown.take(MOST_COMPLAINTS).map(|t| shown(t)).collect()
    }

    /// What a search needs: the engine and the game.
    pub fn prepare(&mut self) -> Result<(&mut Engine, &Game), Trouble> {
        let game = self.game.as_ref().ok_or("no position is set up")?;
        let options = &self.options;
        let engine = self
            .engine
            .get_or_insert_with(|| Engine::new(game.variant().clone(), options));
        Ok((engine, game))
    }

    /// The limits of a `go`.
    pub fn limits(&self, go: &GoCommand) -> Limits {
        let timed = go.time.iter().any(Option::is_some);
        let clock = timed.then(|| Clock {
            // A side whose clock is not given does not move now.
            remaining: go.time.map(|t| t.unwrap_or(Duration::from_secs(60))),
            increment: go.increment.map(Option::unwrap_or_default),
            moves_to_go: go.moves_to_go,
        });
        Limits {
            nodes: go.nodes,
            depth: go.depth,
            mate: go.mate,
            movetime: go.movetime,
            clock: clock.filter(|_| !go.infinite),
            move_overhead: self.overhead,
            searchmoves: go.searchmoves.clone(),
        }
    }
}

/// The value of an option that is on or off.
fn flag(name: &str, value: &str) -> Result<bool, Trouble> {
    match value.trim() {
        v if v.eq_ignore_ascii_case("true") => Ok(true),
        v if v.eq_ignore_ascii_case("false") => Ok(false),
        _ => Err(format!(
            "option `{name}` cannot be `{}`; it is `true` or `false`",
            shown(value)
        )),
    }
}

/// Whether a game can end with three quarters of a point.
fn knows_advantages(ends: &EndsRule) -> bool {
    ends.stalemate == StalemateResult::Advantage
        || ends.repetition == Some(CountResult::Points)
        || ends.n_move.is_some_and(|n| n.result == CountResult::Points)
}
