//! Tournament files and engines for the tests.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// A small tournament: chess, a few nodes a move, short games.
#[derive(Clone, Copy)]
pub struct Small<'a> {
    pub format: &'a str,
    pub pairs: u32,
    pub players: usize,
    pub nodes: u32,
    pub max_plies: u32,
    /// More text of the file.
    pub more: &'a str,
}

impl Small<'_> {
    /// Three players meet each other: 36 games.
    pub const ROUND_ROBIN: Small<'static> = Small {
        format: "round-robin",
        pairs: 6,
        players: 3,
        nodes: 40,
        max_plies: 40,
        more: "",
    };

    pub fn games(&self) -> u32 {
        let players = u32::try_from(self.players).unwrap();
        let encounters = match self.format {
            "round-robin" => players * (players - 1) / 2,
            "gauntlet" => players - 1,
            // The binary logarithm, rounded up, and two more.
            "swiss" => (players.next_power_of_two().ilog2() + 2) * (players / 2),
            _ => 1,
        };
        encounters * self.pairs * 2
    }

    pub fn text(&self) -> String {
        let Small {
            format,
            pairs,
            players,
            nodes,
            max_plies,
            more,
        } = self;
        let mut text = format!(
            "schema = 1\nname = \"small {format}\"\nvariant = \"chess\"\nseed = 9\nbatch_pairs = 1\nmax_plies = {max_plies}\n\
             [openings]\nsource = \"random\"\nplies = 6\n\
             [format]\nkind = \"{format}\"\npairs = {pairs}\n[limit]\nnodes = {nodes}\n{more}\n"
        );
        for player in 0..*players {
            let contempt = player * 9;
            writeln!(
                text,
                "[[engine]]\nname = \"p{player}\"\nbuiltin = true\noptions = {{ Contempt = {contempt}, Hash = 1 }}"
            )
            .unwrap();
        }
        text
    }

    /// Writes the file.
    pub fn write(&self, folder: &Path) -> PathBuf {
        let path = folder.join(format!("{}.toml", self.format));
        std::fs::write(&path, self.text()).unwrap();
        path
    }
}

/// A UCI engine whose answer to `go` is this shell text.
pub fn script(folder: &Path, name: &str, go: &str) -> PathBuf {
    let path = folder.join(name);
    let text = format!(
        "#!/bin/sh\nwhile read -r line; do case \"$line\" in\n\
         uci) echo 'id name script'; echo uciok ;;\nisready) echo readyok ;;\ngo*) {go} ;;\nquit) exit 0 ;;\nesac; done\n"
    );
    write_script(&path, &text);
    path
}

/// Writes a text that can be executed.
pub fn write_script(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
}
