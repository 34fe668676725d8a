//! The course of a tuning by SPSA, as it is printed.

use anyhow::Result;
use proto::v1;
use serde_json::{Value, json};

use crate::client::{Connection, refusal};
use crate::engine_text;
use crate::output::{self, points, quoted, table};

/// How a course is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Format {
    /// The parameters in a table, ready to be pasted
    Table,
    /// Everything with its history, for scripts
    Json,
    /// The history, an iteration a line
    Csv,
}

impl From<output::Format> for Format {
    fn from(format: output::Format) -> Self {
        match format {
            output::Format::Table => Self::Table,
            output::Format::Json => Self::Json,
        }
    }
}

/// What is known of a tuning.
pub(super) struct Course(v1::Tuning);

impl Course {
    /// With so many points of its history; 0 = as many as are usual.
    pub(super) async fn ask(connection: &Connection, id: u64, points: u32) -> Result<Self> {
        let request = v1::GetTuningRequest {
            tournament_id: id,
            points,
        };
        let tuning = connection.tunings().get(request).await;
        Ok(Self(tuning.map_err(refusal)?.into_inner()))
    }

    /// Each parameter with its theta.
    fn parameters(&self) -> impl Iterator<Item = (&v1::SpsaParameter, f64)> {
        let parameters = self.0.spsa.iter().flat_map(|spsa| &spsa.parameters);
        parameters.zip(self.0.theta.iter().copied())
    }

    /// The values that are played with from now on: theta to the nearest whole numbers.
    fn options(&self) -> Vec<(&str, i64)> {
        self.parameters()
            .map(|(parameter, theta)| (parameter.name.as_str(), theta.round() as i64))
            .collect()
    }

    /// Beside the progress.
    pub(super) fn note(&self) -> String {
        let mut words = vec![format!(
            "iteration {} of {}",
            self.0.applied, self.0.iterations
        )];
        words.extend(
            self.parameters()
                .map(|(parameter, theta)| format!("{} {theta:.2}", parameter.name)),
        );
        words.join("  ")
    }

    pub(super) fn shown(&self, tournament: &v1::Tournament, format: Format) -> Result<String> {
        Ok(match format {
            Format::Table => self.table(tournament),
            Format::Json => self.json(tournament)?,
            Format::Csv => self.csv(),
        })
    }

    fn table(&self, tournament: &v1::Tournament) -> String {
        let engine = tournament.players.first();
        let mut text = format!(
            "tuning {}: {}, {}\n{} of {} iterations of {} pairs, {} games\n\n",
            engine.map(engine_text::shown).unwrap_or_default(),
            tournament
                .variant
                .as_ref()
                .map_or("", |variant| &variant.id),
            tournament.limit_class,
            self.0.applied,
            self.0.iterations,
            self.0.pairs,
            tournament.stored_games,
        );
        let header = [
            "Option", "Start", "Now", "Rounded", "Min", "Max", "c_end", "r_end",
        ];
        let row =
            |((parameter, theta), (_, rounded)): ((&v1::SpsaParameter, f64), &(&str, i64))| {
                vec![
                    parameter.name.clone(),
                    parameter.value.to_string(),
                    format!("{theta:.2}"),
                    rounded.to_string(),
                    parameter.min.to_string(),
                    parameter.max.to_string(),
                    parameter.c_end.to_string(),
                    parameter.r_end.to_string(),
                ]
            };
        let options = self.options();
        let rows = self.parameters().zip(&options).map(row).collect();
        text += &format!("{}\n\n", table(&header, rows, 1));
        let listed = |separator: &str, equals: &str| {
            let options = options.iter();
            let options = options.map(|(name, value)| format!("{name}{equals}{value}"));
            options.collect::<Vec<_>>().join(separator)
        };
        text += &format!("on a command line: {}\n", listed(",", "="));
        let quoted = options
            .iter()
            .map(|(name, value)| format!("{} = {value}", key(name)));
        text += &format!(
            "in a tournament file: options = {{ {} }}\n",
            quoted.collect::<Vec<_>>().join(", ")
        );
        text
    }

    fn json(&self, tournament: &v1::Tournament) -> Result<String> {
        let rounded = |value: f64| (value * 1e6).round() / 1e6 + 0.0;
        let options = self.options();
        let parameters = self.parameters().zip(&options).map(|((parameter, theta), (_, value))| {
            json!({
                "name": parameter.name, "start": parameter.value, "theta": rounded(theta), "value": value,
                "min": parameter.min, "max": parameter.max, "c_end": parameter.c_end, "r_end": parameter.r_end,
            })
        });
        let history = self.0.history.iter().map(|point| {
            let values = self.parameters().zip(&point.values).zip(&point.theta);
            let values = values.map(|(((parameter, _), value), &theta)| {
                json!({
                    "name": parameter.name, "plus": value.plus, "minus": value.minus,
                    "gradient": value.gradient, "theta": rounded(theta),
                })
            });
            json!({
                "iteration": point.iteration, "first_game": point.first_game, "games": point.games,
                "plus_points": point.plus_quarters as f64 / 4.0, "parameters": values.collect::<Vec<Value>>(),
            })
        });
        let value = json!({
            "tournament": tournament.id,
            "variant": tournament.variant.as_ref().map_or("", |variant| &variant.id),
            "limit_class": tournament.limit_class,
            "iterations": self.0.iterations,
            "applied": self.0.applied,
            "pairs": self.0.pairs,
            "ahead": self.0.spsa.as_ref().map_or(0, |spsa| spsa.ahead),
            "games": tournament.stored_games,
            "parameters": parameters.collect::<Vec<Value>>(),
            "history": history.collect::<Vec<Value>>(),
        });
        Ok(serde_json::to_string_pretty(&value)? + "\n")
    }

    fn csv(&self) -> String {
        let mut header = ["iteration", "first_game", "games", "plus_points"]
            .map(str::to_owned)
            .to_vec();
        for (parameter, _) in self.parameters() {
            let columns = ["", " plus", " minus", " gradient"];
            header.extend(columns.map(|column| quoted(&format!("{}{column}", parameter.name))));
        }
        let mut text = header.join(",") + "\n";
        for point in &self.0.history {
            let mut row = vec![
                point.iteration.to_string(),
                point.first_game.to_string(),
                point.games.to_string(),
                points(point.plus_quarters),
            ];
            for (value, theta) in point.values.iter().zip(&point.theta) {
                row.extend([
                    format!("{theta:.4}"),
                    value.plus.to_string(),
                    value.minus.to_string(),
                    format!("{:.6}", value.gradient),
                ]);
            }
            text += &(row.join(",") + "\n");
        }
        text
    }
}

/// A key of TOML: bare where it can be.
fn key(name: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.chars().all(is_bare) {
        return name.to_owned();
    }
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}
