//! What a comparison in several variants found, as it is printed.

use std::process::ExitCode;

use anyhow::Result;
use proto::v1;
use serde_json::{Value, json};

use super::report::{INCONCLUSIVE, PAIR_POINTS, REJECTED};
use super::several::variant;
use crate::client::{Connection, refusal};
use crate::difference::{Difference, ratio_remarks};
use crate::engine_text;
use crate::output::{points, table, tenths};

/// Probability of Cochran's Q below which the variants are said to differ.
const DIFFERENT: f64 = 0.05;

/// What is known of a comparison in several variants.
pub(super) struct Joint(v1::JointResponse);

impl Joint {
    /// Of these tournaments.
    pub(super) async fn ask(connection: &Connection, ids: &[u64]) -> Result<Joint> {
        let request = v1::JointRequest {
            tournament_ids: ids.to_vec(),
            confidence: 0.0,
        };
        let joint = connection.ratings().joint(request).await;
        Ok(Joint(joint.map_err(refusal)?.into_inner()))
    }

    fn state(&self) -> v1::SprtState {
        let test = self.0.test.as_ref();
        test.map_or(v1::SprtState::Unspecified, v1::JointTest::state)
    }

    /// Whether no more games are needed: there is a joint verdict, or there will be none.
    pub(super) fn is_over(&self) -> bool {
        let decided = [v1::SprtState::Accepted, v1::SprtState::Rejected];
        decided.contains(&self.state()) || self.0.parts.iter().all(|part| part.ended)
    }

    /// The exit code for scripts.
    pub(super) fn code(&self) -> ExitCode {
        match (&self.0.test, self.state()) {
            (None, _) | (_, v1::SprtState::Accepted) => ExitCode::SUCCESS,
            (_, v1::SprtState::Rejected) => ExitCode::from(REJECTED),
            _ => ExitCode::from(INCONCLUSIVE),
        }
    }

    fn elo(&self) -> String {
        let response = &self.0;
        match (response.elo, response.elo_low, response.elo_high) {
            (Some(elo), Some(low), Some(high)) => format!(
                "{} +- {}",
                tenths(Some(elo)),
                tenths(Some(0.5 * (high - low)))
            ),
            _ => "-".to_owned(),
        }
    }

    /// Beside the progress.
    pub(super) fn note(&self) -> String {
        let parts = self.0.parts.iter().map(|part| {
            let elo = Difference::from(&part.counted.clone().unwrap_or_default()).short();
            elo.replace(" +- ", "+-")
        });
        let each = parts.collect::<Vec<_>>().join(", ");
        let elo = format!("Elo {} ({each})", self.elo());
        match &self.0.test {
            None => elo,
            Some(test) => format!(
                "LLR {:.2} [{:.2}, {:.2}]  {elo}",
                test.llr, test.lower, test.upper
            ),
        }
    }

    /// For people.
    pub(super) fn table(&self, tournaments: &[v1::Tournament]) -> String {
        let first = tournaments.first();
        let engine = |index: usize| {
            let player = first.and_then(|first| first.players.get(index));
            player.map_or_else(String::new, |player| {
                format!("{} ({})", player.name, engine_text::shown(player))
            })
        };
        let limit = first.map_or("", |first| &first.limit_class);
        let mut text = format!("{} against {}: {limit}\n\n", engine(1), engine(0));
        let has_test = self.0.test.is_some();
        let mut header = vec!["Variant", "Pairs", "Score", "Elo"];
        if has_test {
            header.extend(["LLR", "Own test"]);
        }
        header.extend(PAIR_POINTS);
        let rows = tournaments.iter().zip(&self.0.parts);
        let rows = rows.map(|(tournament, part)| row(tournament, part, has_test));
        text += &format!("{}\n\n", table(&header, rows.collect(), 1));
        text += "The last nine columns are pairs by the candidate's points.\n";
        text + &self.test_lines() + &self.elo_lines(tournaments)
    }

    fn verdict_text(&self) -> &'static str {
        match self.state() {
            v1::SprtState::Accepted => "accepted",
            v1::SprtState::Rejected => "rejected",
            v1::SprtState::Continue | v1::SprtState::Unspecified => "inconclusive",
        }
    }

    /// How the joint test stands; empty without one.
    fn test_lines(&self) -> String {
        let Some(test) = &self.0.test else {
            return String::new();
        };
        let mut text = format!(
            "Joint LLR: {:.2} [{:.2}, {:.2}] after {} pairs in {} rounds: {}\n",
            test.llr,
            test.lower,
            test.upper,
            test.pairs,
            test.rounds,
            self.verdict_text()
        );
        let own: Vec<_> = self.0.parts.iter().map(v1::JointPart::state).collect();
        let disagree = own.contains(&v1::SprtState::Accepted)
            && own.contains(&v1::SprtState::Rejected)
            && self.state() == v1::SprtState::Continue;
        if disagree {
            text += "The variants' own tests have opposite verdicts: there is no common answer.\n";
        }
        text + &ratio_remarks(true, test.closed_form)
    }

    /// The joint Elo, and whether the variants agree on it.
    fn elo_lines(&self, tournaments: &[v1::Tournament]) -> String {
        let response = &self.0;
        let percent = (response.confidence * 1e5).round() / 1e3;
        let (Some(_), Some(q), Some(p)) = (
            response.elo,
            response.heterogeneity,
            response.heterogeneity_p,
        ) else {
            let has_spread = |part: &v1::JointPart| {
                let games = part.counted.clone().unwrap_or_default();
                games
                    .pair_quarters
                    .iter()
                    .filter(|&&count| count > 0)
                    .count()
                    > 1
            };
            let parts = tournaments.iter().zip(&response.parts);
            let without = parts.filter(|(_, part)| !has_spread(part));
            let names: Vec<&str> = without.map(|(one, _)| variant(one)).collect();
            return format!(
                "Joint Elo: unknown, as nothing is known of the spread of the results of {}\n",
                names.join(", ")
            );
        };
        let mut text = format!("Joint Elo: {} ({percent} %)\n", self.elo());
        text += &format!(
            "Heterogeneity: Cochran's Q {q:.2} with {} degrees of freedom, p = {p:.3}\n",
            response.freedom
        );
        if p < DIFFERENT {
            text += "The variants differ: the joint Elo is a mean of different differences, and that of no variant.\n";
        }
        text
    }

    /// For scripts.
    pub(super) fn json(&self, tournaments: &[v1::Tournament]) -> Result<String> {
        let response = &self.0;
        let has_test = response.test.is_some();
        let parts = tournaments.iter().zip(&response.parts);
        let variants: Vec<Value> = parts
            .map(|(tournament, part)| part_json(tournament, part, has_test))
            .collect();
        let tenth = |value: Option<f64>| value.map(|value| (value * 10.0).round() / 10.0 + 0.0);
        let sprt = response.test.as_ref().map(|test| {
            json!({
                "llr": hundredth(test.llr), "lower": hundredth(test.lower), "upper": hundredth(test.upper),
                "pairs": test.pairs, "rounds": test.rounds, "verdict": self.verdict_text(),
                "closed_form": test.closed_form, "overshoot_corrected": test.overshoot_corrected,
            })
        });
        let value = json!({
            "limit_class": tournaments.first().map_or("", |first| &first.limit_class),
            "variants": variants,
            "joint": {
                "elo": tenth(response.elo), "elo_low": tenth(response.elo_low), "elo_high": tenth(response.elo_high),
                "confidence": response.confidence,
                "heterogeneity": response.heterogeneity.map(hundredth), "freedom": response.freedom,
                "heterogeneity_p": response.heterogeneity_p.map(|p| (p * 1e4).round() / 1e4),
                "sprt": sprt,
            },
        });
        Ok(serde_json::to_string_pretty(&value)? + "\n")
    }
}

fn hundredth(value: f64) -> f64 {
    (value * 100.0).round() / 100.0 + 0.0
}

/// The state of a variant's own test.
fn own_text(part: &v1::JointPart) -> &'static str {
    match part.state() {
        v1::SprtState::Accepted => "accepted",
        v1::SprtState::Rejected => "rejected",
        v1::SprtState::Continue | v1::SprtState::Unspecified if part.ended => "inconclusive",
        v1::SprtState::Continue | v1::SprtState::Unspecified => "open",
    }
}

fn row(tournament: &v1::Tournament, part: &v1::JointPart, has_test: bool) -> Vec<String> {
    let games = part.counted.clone().unwrap_or_default();
    let mut row = vec![
        variant(tournament).to_owned(),
        part.pairs.to_string(),
        format!("{} of {}", points(games.quarters), games.games),
        Difference::from(&games).short(),
    ];
    if has_test {
        row.extend([format!("{:.2}", part.llr), own_text(part).to_owned()]);
    }
    let counts = games.pair_quarters.iter().rev();
    row.extend(counts.map(u64::to_string));
    row.resize(
        row.len().max(4 + 2 * usize::from(has_test) + 9),
        "0".to_owned(),
    );
    row
}

fn part_json(tournament: &v1::Tournament, part: &v1::JointPart, has_test: bool) -> Value {
    let games = part.counted.clone().unwrap_or_default();
    let tenth = |value: Option<f64>| value.map(|value| (value * 10.0).round() / 10.0 + 0.0);
    json!({
        "tournament": tournament.id,
        "variant": variant(tournament),
        "games": games.games,
        "pairs": part.pairs,
        "points": games.quarters as f64 / 4.0,
        "elo": tenth(games.elo), "elo_low": tenth(games.elo_low), "elo_high": tenth(games.elo_high),
        "note": Difference::from(&games).note(),
        "moved_first": games.moved_first,
        "moved_second": games.moved_second,
        "pair_quarters": games.pair_quarters,
        "llr": has_test.then(|| hundredth(part.llr)),
        "own_verdict": has_test.then(|| own_text(part)),
    })
}
