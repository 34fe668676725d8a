//! Swiss rounds beside those of the FIDE Dutch system, on events of wins, draws and losses.
//!
//! The oracle is the Python package `caissify-pairings`; without it the test prints so and passes. Colours mean nothing
//! to us, since each encounter is a game pair; the oracle is asked with everyone's colours forgotten, and once with them.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde_json::{Value, json};
use server::ratings::{Outcome, PairTable};
use server::schedule::{Draw, Drawn, Entry, History, Played, Step, Swiss};

/// The oracle's process.
struct Oracle {
    process: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Oracle {
    /// Starts it; `None` where Python or the package is missing.
    fn start() -> Option<Self> {
        let known = Command::new("python3")
            .args(["-c", "import caissify_pairings"])
            .stderr(Stdio::null())
            .status();
        if !known.is_ok_and(|status| status.success()) {
            return None;
        }
        let script = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/data/schedule/dutch_oracle.py"
        );
        let mut process = Command::new("python3")
            .args(["-W", "ignore", script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Some(Self {
            requests: process.stdin.take().unwrap(),
            answers: BufReader::new(process.stdout.take().unwrap()),
            process,
        })
    }

    fn pair(&mut self, request: &Value) -> Draw {
        writeln!(self.requests, "{request}").unwrap();
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        let answer: Vec<[Option<usize>; 2]> = serde_json::from_str(&line).unwrap();
        let mut draw = Draw {
            round: 0,
            encounters: Vec::new(),
            pairs: 1,
            byes: Vec::new(),
            openings: Vec::new(),
        };
        for [white, black] in answer {
            match (white, black) {
                (Some(white), Some(black)) => draw.encounters.push([white - 1, black - 1]),
                (one, other) => draw.byes.extend(one.or(other).map(|number| number - 1)),
            }
        }
        draw
    }
}

impl Drop for Oracle {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

/// What the oracle knows of each player, in points of one game an encounter.
#[derive(Clone, Default)]
struct Card {
    score: f64,
    floats: Vec<&'static str>,
    colours: Vec<&'static str>,
    byes: usize,
}

/// An event that is under way.
struct Event {
    history: History,
    cards: Vec<Card>,
    met: BTreeSet<[usize; 2]>,
    rounds: u64,
}

impl Event {
    fn new(players: usize, rounds: u64) -> Self {
        Self {
            history: History {
                entries: vec![Entry::default(); players],
                ..History::default()
            },
            cards: vec![Card::default(); players],
            met: BTreeSet::new(),
            rounds,
        }
    }

    fn request(&self, colours: Colours) -> Value {
        let players = self.cards.iter().map(|card| {
            let colours: &[&str] = match colours {
                Colours::Forgotten => &[],
                Colours::Known => &card.colours,
            };
            json!({
                "score": card.score, "floats": card.floats, "byes": card.byes, "colours": colours,
            })
        });
        json!({
            "players": players.collect::<Vec<_>>(),
            "previous": self.met.iter().map(|[a, b]| [a + 1, b + 1]).collect::<Vec<_>>(),
            "round": self.history.draws.len() + 1,
            "rounds": self.rounds,
        })
    }

    /// Plays a round: the better player, by number, scores more, and four games of ten are drawn.
    fn play(&mut self, draw: Draw, random: &mut ChaCha8Rng) {
        let before: Vec<f64> = self.cards.iter().map(|card| card.score).collect();
        let mut results = Vec::new();
        for &[a, b] in &draw.encounters {
            self.met.insert([a.min(b), a.max(b)]);
            let lead = (b as f64 - a as f64) * 600.0 / self.cards.len() as f64;
            let expected = 1.0 / (1.0 + 10f64.powf(-lead / 400.0));
            let luck = random.next_u32() as f64 / 2f64.powi(32);
            let drawn = 0.8 * expected.min(1.0 - expected);
            let outcome = if luck < expected - drawn / 2.0 {
                Outcome::Win
            } else if luck < expected + drawn / 2.0 {
                Outcome::Draw
            } else {
                Outcome::Loss
            };
            let mut table = PairTable::default();
            table.add_pair(outcome, outcome.reversed());
            results.push(Played { table, missing: 0 });
            let points = table.near_quarters().0 as f64 / 8.0;
            self.cards[a].score += points;
            self.cards[b].score += 1.0 - points;
            self.cards[a].colours.push("white");
            self.cards[b].colours.push("black");
            for (own, other) in [(a, b), (b, a)] {
                let float = match before[own].total_cmp(&before[other]) {
                    std::cmp::Ordering::Greater => "down",
                    std::cmp::Ordering::Less => "up",
                    std::cmp::Ordering::Equal => "none",
                };
                self.cards[own].floats.push(float);
            }
        }
        for &player in &draw.byes {
            self.cards[player].score += 1.0;
            self.cards[player].byes += 1;
            self.cards[player].floats.push("down");
        }
        self.history.draws.push(Drawn { draw, results });
    }

    /// Score of those with a bye, and score differences, largest first, of a draw.
    fn floats(&self, draw: &Draw) -> (f64, Vec<f64>) {
        let score = |player: usize| self.cards[player].score;
        let differences = draw
            .encounters
            .iter()
            .map(|&[a, b]| (score(a) - score(b)).abs());
        let mut differences: Vec<f64> =
            differences.filter(|&difference| difference > 0.0).collect();
        differences.sort_by(|a, b| b.total_cmp(a));
        (
            draw.byes.iter().map(|&player| score(player)).sum(),
            differences,
        )
    }

    fn rematches(&self, draw: &Draw) -> usize {
        let met = |&&[a, b]: &&[usize; 2]| self.met.contains(&[a.min(b), a.max(b)]);
        draw.encounters.iter().filter(met).count()
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Colours {
    Forgotten,
    Known,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Follow {
    Ours,
    Oracle,
}

/// Rounds by how they compare.
#[derive(Debug, Default)]
struct Tally {
    rounds: usize,
    identical: usize,
    same_floats: usize,
    better_floats: usize,
    worse_floats: usize,
    longer_list: usize,
    better_bye: usize,
    worse_bye: usize,
    other_bye: usize,
    rematches: [usize; 2],
}

fn normal(draw: &Draw) -> (BTreeSet<[usize; 2]>, Vec<usize>) {
    let sorted = draw.encounters.iter().map(|&[a, b]| [a.min(b), a.max(b)]);
    (sorted.collect(), draw.byes.clone())
}

fn compare(oracle: &mut Oracle, colours: Colours, follow: Follow, events: u64) -> Tally {
    let verbose = std::env::var_os("SWISS_PARITY_VERBOSE").is_some();
    let mut tally = Tally::default();
    for seed in 0..events {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let players = 6 + seed as usize % 35;
        let swiss = Swiss {
            rounds: Swiss::usual_rounds(players).min(players as u64 / 2 + 1),
            pairs: 1,
        };
        let mut event = Event::new(players, swiss.rounds);
        loop {
            let Step::Draw(ours) = swiss.next(&event.history) else {
                break;
            };
            let theirs = oracle.pair(&event.request(colours));
            let ((our_bye, our_floats), (their_bye, their_floats)) =
                (event.floats(&ours), event.floats(&theirs));
            let sum = |list: &[f64]| list.iter().sum::<f64>();
            tally.rounds += 1;
            let same = normal(&ours) == normal(&theirs);
            tally.identical += usize::from(same);
            tally.rematches[0] += event.rematches(&ours);
            tally.rematches[1] += event.rematches(&theirs);
            tally.better_bye += usize::from(our_bye < their_bye);
            tally.worse_bye += usize::from(our_bye > their_bye);
            tally.other_bye += usize::from(our_bye == their_bye && ours.byes != theirs.byes);
            if our_bye == their_bye {
                tally.same_floats += usize::from(our_floats == their_floats);
                tally.better_floats += usize::from(sum(&our_floats) < sum(&their_floats));
                tally.worse_floats += usize::from(sum(&our_floats) > sum(&their_floats));
                tally.longer_list += usize::from(our_floats > their_floats);
            }
            if event.history.draws.is_empty() {
                assert!(same, "round 1 of {players}: {ours:?} {theirs:?}");
            }
            if verbose && !same {
                println!(
                    "seed {seed} players {players} round {}: floats {our_floats:?} {their_floats:?} byes {:?} {:?}",
                    event.history.draws.len() + 1,
                    ours.byes,
                    theirs.byes
                );
                let (a, b) = (normal(&ours).0, normal(&theirs).0);
                let show = |set: Vec<&[usize; 2]>| {
                    set.iter()
                        .map(|[x, y]| {
                            format!(
                                "{}-{} ({}:{})",
                                x + 1,
                                y + 1,
                                event.cards[*x].score,
                                event.cards[*y].score
                            )
                        })
                        .collect::<Vec<_>>()
                        .join(", ")
                };
                println!("   ours   {}", show(a.difference(&b).collect()));
                println!("   theirs {}", show(b.difference(&a).collect()));
            }
            event.play(
                if follow == Follow::Ours { ours } else { theirs },
                &mut random,
            );
        }
    }
    tally
}

#[test]
fn rounds_are_those_of_the_dutch_system_or_float_less() {
    let Some(mut oracle) = Oracle::start() else {
        println!("skipped: python3 with the package caissify-pairings is not here");
        return;
    };
    for (colours, follow) in [(Colours::Known, Follow::Oracle)] {
        let tally = compare(
            &mut oracle,
            colours,
            follow,
            std::env::var("EVENTS").map_or(70, |n| n.parse().unwrap()),
        );
        println!("{colours:?} {follow:?} {tally:?}");
    }
}
