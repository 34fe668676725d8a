//! Whatever prints the players of a tournament prints the same rows: standings, cross-table, web page, as text and as JSON.

use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use serde_json::Value;

use crate::files::Small;
use crate::process::{Serving, json, printed, wait_for};

/// The header and the rows of the first table of a text.
fn rows(text: &str) -> Vec<Vec<String>> {
    let lines = text.lines().skip_while(|line| !line.starts_with('|'));
    let lines = lines.take_while(|line| line.starts_with('|'));
    lines
        .filter(|line| !line.starts_with("|--"))
        .map(|line| {
            let cells = line.trim_matches('|').split('|');
            cells.map(|cell| cell.trim().to_owned()).collect()
        })
        .collect()
}

/// The same of a page.
fn rows_of_page(serving: &Serving, path: &str) -> Vec<Vec<String>> {
    let address = serving.url.trim_start_matches("http://");
    let mut connection = TcpStream::connect(address).unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    connection.write_all(request.as_bytes()).unwrap();
    let mut page = String::new();
    connection.read_to_string(&mut page).unwrap();
    let page = page.replace(" class=\"l\"", "").replace("&plusmn;", "+-");
    let page = page.replace("th>", "td>");
    let rows = page.split("<tr>").skip(1);
    rows.map(|row| {
        let cells = row.split("<td>").skip(1);
        cells
            .map(|cell| cell.split("</td>").next().unwrap().to_owned())
            .collect()
    })
    .collect()
}

/// The columns of these heads.
fn columns(table: &[Vec<String>], heads: &[&str]) -> Vec<Vec<String>> {
    let place = |head: &&str| table[0].iter().position(|own| own == head);
    let places: Vec<usize> = heads.iter().map(|head| place(head).unwrap()).collect();
    let row = |row: &Vec<String>| places.iter().map(|&place| row[place].clone()).collect();
    table[1..].iter().map(row).collect()
}

/// Where JSON has the columns of the tie-breaks, and with how many decimals the table prints them at least.
const TIE_BREAKS: [(&str, &str, usize); 13] = [
    ("DE", "direct_encounter", 0),
    ("SB", "sonneborn_berger", 0),
    ("W", "wins", 0),
    ("W2", "wins_second", 0),
    ("BH", "buchholz", 0),
    ("BC1", "buchholz_cut_1", 0),
    ("MBH", "median_buchholz", 0),
    ("G2", "games_second", 0),
    ("Koya", "koya", 0),
    ("PS", "progressive", 0),
    ("FF", "forfeits", 0),
    ("ARO", "mean_opponent_rating", 2),
    ("TPR", "performance", 2),
];

/// A number of JSON as a table prints it.
fn text_of(value: &Value, decimals: usize) -> String {
    match value.as_f64() {
        None => "-".to_owned(),
        Some(number) if decimals > 0 => format!("{number:.decimals$}"),
        Some(number) => number.to_string(),
    }
}

/// Rank, player, points, given points, games and all tie-breaks of JSON rows.
fn of_json(rows: &Value) -> Vec<Vec<String>> {
    let row = |row: &Value| {
        let mut cells = vec![
            row["rank"].to_string(),
            row["player"].as_str().unwrap().to_owned(),
        ];
        cells.extend(["points", "given_points", "games"].map(|key| text_of(&row[key], 0)));
        let all = &row["tie_breaks"];
        cells.extend(TIE_BREAKS.map(|(_, key, decimals)| text_of(&all[key], decimals)));
        cells
    };
    rows.as_array().unwrap().iter().map(row).collect()
}

#[test]
fn all_tables_of_a_tournament_have_the_same_rows() {
    let folder = tempfile::tempdir().unwrap();
    let serving = Serving::start(&folder.path().join("data"));
    let _worker = serving.worker("one");
    for (format, players, order, has_gifts) in [
        ("swiss", 5, "points, ", true),
        ("knockout", 6, "how far they came, points a game, ", false),
        ("ladder", 4, "how far they came, points", false),
        ("round-robin", 4, "points, ", false),
    ] {
        let small = Small {
            format,
            pairs: 1,
            players,
            max_plies: 60,
            more: "[standings]\ntie_breaks = [\"mean-opponent-rating\", \"wins\", \"performance\"]",
            ..Small::ROUND_ROBIN
        };
        // The third and the fourth think longer than the others, so that not all come to the same points.
        let mut text = small.text();
        for (name, nodes) in [("p2", 800), ("p3", 300)] {
            let name = format!("name = \"{name}\"\n");
            text = text.replace(&name, &format!("{name}limit = {{ nodes = {nodes} }}\n"));
        }
        let file = folder.path().join("tournament.toml");
        std::fs::write(&file, text).unwrap();
        let id = serving.create(&file);
        wait_for(|| (serving.show(&id)["state"] == "finished").then_some(()));
        let ask = |arguments: &[&str]| printed(&mut serving.command(arguments));
        let standings = |more: &[&str]| ask(&[&["tournament", "standings", &id], more].concat());
        let cross_table = |more: &[&str]| {
            ask(&[&["ratings", "--cross-table", "--tournament", &id], more].concat())
        };

        let (text, all) = (standings(&[]), standings(&["--all-columns"]));
        let sentence = format!("Order by {order}");
        assert!(text.contains(&sentence), "{text}");
        assert!(
            text.contains(
                "ARO, W, TPR, then in order of entry. ARO: average rating of the opponents"
            ),
            "{text}"
        );
        let (few, many) = (rows(&text), rows(&all));
        let heads: Vec<&str> = few[0].iter().map(String::as_str).collect();
        let given: &[&str] = if has_gifts { &["Given"] } else { &[] };
        let expected = [
            &["Rank", "Player", "Points"],
            given,
            &["Games", "Score", "W", "A", "=", "D", "L"],
            &["ARO", "TPR", "Elo", "+-", "LOS"],
        ];
        assert_eq!(heads, expected.concat());
        assert_eq!(few.len(), players + 1);
        let ratings = columns(&few, &["ARO", "TPR"]);
        let values: BTreeSet<&String> = ratings.iter().flatten().collect();
        assert!(values.len() > 3, "{text}");
        assert_eq!(columns(&many, &heads), few[1..]);
        for (head, ..) in TIE_BREAKS {
            assert!(many[0].iter().any(|own| own == head), "{head}: {all}");
        }

        let path = format!("/tournaments/{id}");
        assert_eq!(rows_of_page(&serving, &path), few);
        assert_eq!(rows_of_page(&serving, &format!("{path}?columns=all")), many);

        let mut wanted = vec!["Rank", "Player", "Points"];
        wanted.extend(given);
        wanted.extend(["Games", "Score", "ARO", "TPR"]);
        let cross = cross_table(&[]);
        assert!(cross.contains(&sentence), "{cross}");
        assert_eq!(columns(&rows(&cross), &wanted), columns(&few, &wanted));
        wanted.extend(
            TIE_BREAKS
                .map(|column| column.0)
                .iter()
                .filter(|head| **head != "W"),
        );
        let cross = rows(&cross_table(&["--all-columns"]));
        assert_eq!(columns(&cross, &wanted), columns(&many, &wanted));

        let mut wanted = vec!["Rank", "Player", "Points"];
        wanted.push("Games");
        wanted.extend(TIE_BREAKS.map(|column| column.0));
        let as_text = columns(&many, &wanted);
        let scripts = ["--format", "json"];
        for answer in [
            &json(
                &mut serving.command(&[&["tournament", "standings", &id], &scripts[..]].concat()),
            )["standings"],
            &json(
                &mut serving.command(
                    &[
                        &["ratings", "--cross-table", "--tournament", &id],
                        &scripts[..],
                    ]
                    .concat(),
                ),
            )["rows"],
        ] {
            let mut found = of_json(answer);
            let gifts = found.iter_mut().map(|row| row.remove(3));
            assert_eq!(gifts.filter(|given| given != "0").count() > 0, has_gifts);
            assert_eq!(found, as_text);
        }
    }
}
