//! Engines written for the tests, as shell scripts, and players in this process.

use std::path::{Path, PathBuf};
use std::time::Duration;

use engine::variant::{Catalog, Variant};
use std::sync::Arc;
use tokio::runtime::{Builder, Runtime};
use worker::CommandEngine;
use worker::play::child::{ChildProgram, FailedStarts, Launch, Patience};
use worker::play::player::Turn;
use worker::play::{Control, Player, PlayerError, ThinkLimit, Thought};

pub fn chess() -> Arc<Variant> {
    Catalog::builtin().get("chess").unwrap()
}

pub fn runtime() -> Arc<Runtime> {
    Arc::new(Builder::new_current_thread().enable_all().build().unwrap())
}

/// What starts a program that did not fail before, to play the game of its variant's name by the rules of chess.
pub fn launch(program: &ChildProgram, patience: Patience) -> Launch {
    let variant = Catalog::builtin().get(&program.variant);
    Launch {
        program: program.clone(),
        variant: variant.unwrap_or_else(chess),
        patience,
        runtime: runtime(),
        failed: Arc::new(FailedStarts::default()),
    }
}

/// A UCI engine whose answer to `go` is this shell text; `$words` is the number of words of the last position line.
pub fn script(folder: &Path, name: &str, go: &str) -> CommandEngine {
    script_with(folder, name, "echo readyok", go)
}

/// The same with an own answer to `isready`.
pub fn script_with(folder: &Path, name: &str, ready: &str, go: &str) -> CommandEngine {
    let text = format!(
        "while read -r line; do case \"$line\" in\n\
         uci) echo 'id name script'; echo 'option name Skill type spin default 1 min 1 max 9'; echo uciok ;;\n\
         isready) {ready} ;;\n\
         position*) words=$(echo \"$line\" | wc -w) ;;\n\
         go*) {go} ;;\n\
         quit) exit 0 ;;\n\
         esac; done\n"
    );
    raw_script(folder, name, &text)
}

/// An engine that is this shell text.
pub fn raw_script(folder: &Path, name: &str, text: &str) -> CommandEngine {
    let path: PathBuf = folder.join(name);
    std::fs::write(&path, text).unwrap();
    let mut engine = CommandEngine::new("sh");
    engine.args = vec![path.display().to_string()];
    engine
}

/// Whether a process of this number is running.
pub fn is_running(pid: &str) -> bool {
    std::process::Command::new("sh")
        .args(["-c", &format!("kill -0 {} 2>/dev/null", pid.trim())])
        .status()
        .unwrap()
        .success()
}

/// Plays these moves one after another.
pub struct Line(pub Vec<&'static str>);

impl Player for Line {
    fn new_game(&mut self, _: &Control) -> Result<(), PlayerError> {
        Ok(())
    }

    fn think(
        &mut self,
        turn: Turn<'_>,
        _: &ThinkLimit,
        _: &Control,
    ) -> Result<Thought, PlayerError> {
        let best = self
            .0
            .get(turn.game.moves().len() / 2)
            .copied()
            .unwrap_or("0000")
            .to_owned();
        Ok(Thought {
            offers_draw: false,
            pv: vec![best.clone()],
            best,
            score: None,
            depth: 0,
            nodes: 0,
            elapsed: Duration::ZERO,
        })
    }
}
