//! What a session remembers: options, variant, position and engine.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::command::{GoCommand, PositionCommand, shown};
use crate::game::Game;
use crate::search::{Clock, Engine, EngineOptions, Limits, OptionKind};
use crate::variant::{Catalog, Variant};

/// The variant that a session begins with.
const FIRST_VARIANT: &str = "chess";
/// Largest `Move Overhead` in milliseconds.
const MOST_OVERHEAD: u64 = 5000;

/// A session's state.
pub(super) struct Session {
    catalog: Catalog,
    variant: Option<Arc<Variant>>,
    game: Option<Game>,
    engine: Option<Engine>,
    options: EngineOptions,
    overhead: Duration,
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
        lines.push(format!(
            "option name Move Overhead type spin default 10 min 0 max {MOST_OVERHEAD}"
        ));
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
        if name.eq_ignore_ascii_case("VariantFile") {
            if value.is_empty() || value == "<empty>" {
                return Ok(());
            }
            let loaded = self.catalog.load_file(Path::new(value));
            return loaded
                .map(|_| ())
                .map_err(|e| match std::error::Error::source(&e) {
                    Some(source) => format!("{e}: {source}"),
                    None => e.to_string(),
                });
        }
        if name.eq_ignore_ascii_case("Move Overhead") {
            let ms = value.parse().ok().filter(|&ms| ms <= MOST_OVERHEAD);
            let ms = ms.ok_or_else(|| {
                format!("option `Move Overhead` cannot be `{}`; it is a whole number from 0 to {MOST_OVERHEAD}", shown(value))
            })?;
            self.overhead = Duration::from_millis(ms);
            return Ok(());
        }
        self.options.set(name, value).map_err(|e| e.to_string())?;
        // What the engine learnt was learnt under other options.
        self.engine = None;
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
            movetime: go.movetime,
            clock: clock.filter(|_| !go.infinite),
            move_overhead: self.overhead,
            searchmoves: go.searchmoves.clone(),
        }
    }
}
