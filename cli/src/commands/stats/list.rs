//! A rating list of files as text, JSON and CSV.

use anyhow::Result;
use serde_json::{Value, json};
use server::ratings::{
    Difference, ErrorBars, Model, PairTable, PerfectScore, RatedPlayer, RatingReport, match_report,
};
use server::results::Results;

use crate::output::{counted, points, table, tenths};

/// `--format table|json|csv`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Shape {
    /// Tables for people
    Table,
    /// JSON for scripts
    Json,
    /// Comma-separated values for spreadsheets
    Csv,
}

/// All that is printed.
pub struct Listing<'a> {
    pub results: &'a Results,
    pub report: &'a RatingReport,
    pub head_to_head: bool,
    pub superiority: bool,
    pub model: Model,
    pub notes: Vec<String>,
}

/// What a player did over all its games.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Totals {
    /// Games by outcome, losses first.
    pub outcomes: [u64; 5],
    opponents: u64,
}

impl Listing<'_> {
    /// The text in a shape.
    pub fn render(&self, shape: Shape) -> Result<String> {
        Ok(match shape {
            Shape::Table => self.text(),
            Shape::Json => serde_json::to_string_pretty(&self.json())? + "\n",
            Shape::Csv => self.csv(),
        })
    }

    pub(super) fn name(&self, player: usize) -> &str {
        self.results.names.get(player).map_or("?", String::as_str)
    }

    /// By player.
    pub(super) fn totals(&self) -> Vec<Totals> {
        let mut totals = vec![Totals::default(); self.results.names.len()];
        for (near, far, table) in self.results.aggregates.tables() {
            let outcomes = table.near_totals();
            for (k, &count) in outcomes.iter().enumerate() {
                totals[near].outcomes[k] += count;
                totals[far].outcomes[4 - k] += count;
            }
            totals[near].opponents += 1;
            totals[far].opponents += 1;
        }
        totals
    }

    fn text(&self) -> String {
        let report = self.report;
        let mut text = format!(
            "{}, {} ({} in pairs), {}\n\n",
            counted(report.players.len() as u64, "player"),
            counted(report.games, "game"),
            2 * self.results.pairs,
            self.basis()
        );
        text += &format!("{}\n", self.ratings_table());
        text += "\nW, A, =, D, L: wins (1 point), advantages (0.75), draws, disadvantages (0.25), losses. LOS: likelihood of being\nstronger than the next.\n";
        if report.games > 0 {
            let error = report.first_move.error_elo;
            text += &format!(
                "Moving first is worth {} Elo",
                tenths(Some(report.first_move.elo))
            );
            text += &error.map_or(".\n".to_owned(), |error| {
                format!(" +- {}.\n", tenths(Some(error)))
            });
        }
        if self.head_to_head {
            text += &format!("\n{}\n", self.met_table());
        }
        if self.superiority {
            text += &format!(
                "\nLikelihood in percent that the player of the row is stronger:\n\n{}\n",
                self.superiority_table()
            );
        }
        for note in &self.notes {
            text += &format!("\nNote: {note}.\n");
        }
        text
    }

    /// What intervals are.
    fn basis(&self) -> String {
        let model = model_name(self.model);
        match self.report.error_bars {
            ErrorBars::None => format!("no intervals ({model} model)"),
            kind => format!(
                "intervals of {} % ({model} model, {})",
                percent_of(self.report.level),
                error_bars_name(kind)
            ),
        }
    }

    fn ratings_table(&self) -> String {
        let report = self.report;
        let totals = self.totals();
        let perfect = report
            .players
            .iter()
            .any(|player| player.bound_elo.is_some());
        let mut header = vec![
            "Rank", "Player", "Elo", "+-", "Games", "Points", "Score", "W", "A", "=", "D", "L",
            "LOS",
        ];
        if report.refits.is_some() {
            header.extend(["From", "To"]);
        }
        if perfect {
            header.push("Bound");
        }
        if report.components > 1 {
            header.push("Group");
        }
        let row = |player: &RatedPlayer| {
            let mut row = vec![
                player.rank.map_or("-".to_owned(), |rank| rank.to_string()),
                self.name(player.player).to_owned(),
                tenths(player.rating_elo),
                tenths(player.error_elo),
                player.games.to_string(),
                points(player.points.0),
                share(player),
            ];
            row.extend(
                totals[player.player]
                    .outcomes
                    .iter()
                    .rev()
                    .map(u64::to_string),
            );
            row.push(
                player
                    .los_next
                    .map_or("-".to_owned(), |los| format!("{:.1} %", los * 100.0)),
            );
            if report.refits.is_some() {
                let end = |end: usize| tenths(player.interval_elo.map(|ends| ends[end]));
                row.extend([end(0), end(1)]);
            }
            if perfect {
                row.push(bound(player));
            }
            if report.components > 1 {
                row.push((player.component + 1).to_string());
            }
            row
        };
        table(&header, report.ranking().map(row).collect(), 2).to_string()
    }

    /// Every two players that met, by rank.
    fn met(&self) -> Vec<(&RatedPlayer, &RatedPlayer, PairTable)> {
        let order: Vec<&RatedPlayer> = self.report.ranking().collect();
        let mut met = Vec::new();
        for (i, &upper) in order.iter().enumerate() {
            for &lower in &order[i + 1..] {
                let table = self.results.aggregates.table(upper.player, lower.player);
                if table.games() > 0 {
                    met.push((upper, lower, table));
                }
            }
        }
        met
    }

    fn met_table(&self) -> String {
        let row = |(upper, lower, met): &(&RatedPlayer, &RatedPlayer, PairTable)| {
            let found = match_report(met, self.report.level);
            let difference = self.report.difference(upper.player, lower.player);
            let mut row = vec![
                self.name(upper.player).to_owned(),
                self.name(lower.player).to_owned(),
                met.games().to_string(),
                points(met.near_quarters().0),
                format!(
                    "{:.1} %",
                    met.near_quarters().0 as f64 * 25.0 / met.games() as f64
                ),
            ];
            row.extend(found.outcomes.iter().rev().map(u64::to_string));
            row.push(tenths(difference.map(|d| d.elo)));
            row.push(tenths(difference.map(|d| d.error_elo)));
            row
        };
        let header = [
            "Player",
            "Opponent",
            "Games",
            "Points",
            "Score",
            "W",
            "A",
            "=",
            "D",
            "L",
            "Elo difference",
            "+-",
        ];
        table(&header, self.met().iter().map(row).collect(), 2).to_string()
    }

    fn superiority_table(&self) -> String {
        let order: Vec<&RatedPlayer> = self.report.ranking().collect();
        let numbers: Vec<String> = (1..=order.len()).map(|n| n.to_string()).collect();
        let mut header = vec!["#", "Player"];
        header.extend(numbers.iter().map(String::as_str));
        let row = |(i, player): (usize, &&RatedPlayer)| {
            let mut row = vec![(i + 1).to_string(), self.name(player.player).to_owned()];
            row.extend(order.iter().map(|other| match self.los(player, other) {
                Some(los) => format!("{:.0}", los * 100.0),
                None => "-".to_owned(),
            }));
            row
        };
        table(&header, order.iter().enumerate().map(row).collect(), 2).to_string()
    }

    fn los(&self, player: &RatedPlayer, other: &RatedPlayer) -> Option<f64> {
        Some(self.difference(player, other)?.los)
    }

    /// How two players compare; none of a player and itself.
    fn difference(&self, player: &RatedPlayer, other: &RatedPlayer) -> Option<Difference> {
        let is_other = player.player != other.player;
        self.report
            .difference(player.player, other.player)
            .filter(|_| is_other)
    }

    fn json(&self) -> Value {
        let report = self.report;
        let totals = self.totals();
        let player = |player: &RatedPlayer| {
            json!({
                "rank": player.rank, "player": self.name(player.player),
                "elo": player.rating_elo, "interval": player.error_elo, "interval_ends": player.interval_elo,
                "games": player.games, "points": player.points.points(),
                "expected_points": player.expected_points,
                "outcomes": totals[player.player].outcomes, "opponents": totals[player.player].opponents,
                "group": player.component + 1, "group_by_games": player.met + 1,
                "perfect": player.perfect.map(|perfect| match perfect {
                    PerfectScore::WonAll => "won all",
                    PerfectScore::LostAll => "lost all",
                }),
                "bound": player.bound_elo, "los_next": player.los_next,
            })
        };
        let mut value = json!({
            "games": report.games, "pairs": self.results.pairs,
            "unfinished": self.results.unfinished, "left_out": self.results.left_out,
            "confidence": report.level, "dispersion": report.dispersion,
            "model": model_name(self.model), "error_bars": error_bars_name(report.error_bars),
            "first_move": { "elo": report.first_move.elo, "interval": report.first_move.error_elo },
            "refits": report.refits.map(|count| json!({ "made": count.made, "used": count.used })),
            "groups": report.components, "groups_by_games": report.met, "converged": report.converged, "iterations": report.iterations,
            "ratings": report.ranking().map(player).collect::<Vec<_>>(),
            "notes": self.notes,
        });
        if self.head_to_head {
            let met = self.met();
            let met = met.iter().map(|(upper, lower, met)| {
                let difference = report.difference(upper.player, lower.player);
                json!({
                    "player": self.name(upper.player), "opponent": self.name(lower.player),
                    "games": met.games(), "points": met.near_quarters().points(),
                    "moved_first": met.near_first_totals(), "moved_second": met.far_first_totals().iter().rev().collect::<Vec<_>>(),
                    "pairs": met.pair_histogram(),
                    "elo_difference": difference.map(|d| d.elo), "interval": difference.map(|d| d.error_elo),
                    "los": difference.map(|d| d.los),
                })
            });
            value["head_to_head"] = met.collect();
        }
        if self.superiority {
            let of = |value: fn(Difference) -> f64| {
                self.matrix(|player, other| self.difference(player, other).map(value).into())
            };
            value["superiority"] = of(|difference| difference.los);
            value["difference"] = of(|difference| difference.elo);
            value["difference_interval"] = of(|difference| difference.error_elo);
            value["games_between"] = self.matrix(|player, other| {
                let is_other = player.player != other.player;
                let met = || self.results.aggregates.table(player.player, other.player);
                if is_other { met().games() } else { 0 }.into()
            });
        }
        value
    }

    /// A value for every two players, in rows by rank.
    fn matrix(&self, value: impl Fn(&RatedPlayer, &RatedPlayer) -> Value) -> Value {
        let order: Vec<&RatedPlayer> = self.report.ranking().collect();
        let row = |player: &&RatedPlayer| -> Value {
            order.iter().map(|other| value(player, other)).collect()
        };
        order.iter().map(row).collect()
    }
}

/// A model as `--model` calls it.
pub(super) fn model_name(model: Model) -> &'static str {
    match model {
        Model::Score => "score",
        Model::OrderedLogit { .. } => "ordered-logit",
        Model::AdjacentCategories { .. } => "adjacent-categories",
    }
}

/// A kind of error bars as `--error-bars` calls it.
pub(super) fn error_bars_name(kind: ErrorBars) -> &'static str {
    match kind {
        ErrorBars::Dispersion => "dispersion",
        ErrorBars::Sandwich => "sandwich",
        ErrorBars::Global => "global",
        ErrorBars::Binomial => "binomial",
        ErrorBars::Bootstrap(_) => "bootstrap",
        ErrorBars::Simulation(_) => "simulation",
        ErrorBars::None => "none",
    }
}

/// A confidence in percent: 95, or 99.9, without the noise of binary fractions.
fn percent_of(level: f64) -> f64 {
    (level * 1e8).round() / 1e6
}

/// Points in percent of the games.
fn share(player: &RatedPlayer) -> String {
    if player.games == 0 {
        return "-".to_owned();
    }
    format!(
        "{:.1} %",
        player.points.points() * 100.0 / player.games as f64
    )
}

/// The bound of a perfect score.
fn bound(player: &RatedPlayer) -> String {
    let sign = match player.perfect {
        Some(PerfectScore::WonAll) => ">",
        Some(PerfectScore::LostAll) => "<",
        None => "",
    };
    player.bound_elo.map_or("-".to_owned(), |elo| {
        format!("{sign} {}", tenths(Some(elo)))
    })
}
