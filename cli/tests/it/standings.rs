//! The table of a tournament: its tie-breaks as the file lists them.

use crate::files::Small;
use crate::process::{brouhaha, complaint, games, json, printed};

#[test]
fn a_table_shows_the_tie_breaks_of_its_file_and_json_all() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().join("data");
    let file = Small {
        pairs: 2,
        more: "[standings]\ntie_breaks = [\"koya\", \"wins\", \"buchholz-cut-1\"]\nunplayed = \"dummy\"",
        ..Small::ROUND_ROBIN
    }
    .write(folder.path());
    let mut run = brouhaha();
    run.arg("run").arg(&file).arg("--data-dir").arg(&data_dir);
    let table = printed(&mut run);
    let header = table
        .lines()
        .find(|line| line.starts_with("| Rank"))
        .unwrap();
    let cells: Vec<_> = header.split('|').map(str::trim).collect();
    assert_eq!(
        cells[6..15],
        ["W", "A", "=", "D", "L", "Koya", "BC1", "Elo", "+-"]
    );
    assert!(
        table.contains("Order by points, Koya, W, BC1, then in order of entry."),
        "{table}"
    );

    let ask = |arguments: &[&str]| {
        let mut command = brouhaha();
        command.args(arguments).arg("--data-dir").arg(&data_dir);
        command
    };
    let standings = json(&mut ask(&[
        "tournament",
        "standings",
        "1",
        "--format",
        "json",
    ]));
    assert_eq!(
        standings["tie_breaks"],
        serde_json::json!(["koya", "wins", "buchholz-cut-1"])
    );
    assert_eq!(standings["unplayed"], "dummy");
    let played = games(&mut ask(&["tournament", "games", "1", "--as", "json"]));
    let own = |player: &str| -> Vec<(String, f64)> {
        let result = |game: &serde_json::Value| {
            let points = game["first_points"].as_f64().unwrap();
            let [first, second] =
                ["first", "second"].map(|key| game[key].as_str().unwrap().to_owned());
            match () {
                () if first == player => Some((second, points)),
                () if second == player => Some((first, 1.0 - points)),
                () => None,
            }
        };
        played.iter().filter_map(result).collect()
    };
    let points = |player: &str| own(player).iter().map(|game| game.1).sum::<f64>();
    for row in standings["standings"].as_array().unwrap() {
        let player = row["player"].as_str().unwrap();
        let all = &row["tie_breaks"];
        assert_eq!(row["points"].as_f64().unwrap(), points(player));
        let weighted: f64 = own(player)
            .iter()
            .map(|(opponent, own)| own * points(opponent))
            .sum();
        assert_eq!(all["sonneborn_berger"].as_f64().unwrap(), weighted);
        let met: f64 = own(player)
            .iter()
            .map(|(opponent, _)| points(opponent))
            .sum();
        assert_eq!(all["buchholz"].as_f64().unwrap(), met);
        assert_eq!(
            (all["games_second"].as_u64(), all["forfeits"].as_u64()),
            (Some(4), Some(0))
        );
    }
    // The same file is the same tournament, another list another one.
    assert_eq!(printed(&mut run), table);
    let wrong = std::fs::read_to_string(&file)
        .unwrap()
        .replace("\"koya\"", "\"luck\"");
    std::fs::write(&file, wrong).unwrap();
    let errors = complaint(&mut run, 1);
    assert!(
        errors.contains("`luck`: it must be one of direct-encounter"),
        "{errors}"
    );
}
