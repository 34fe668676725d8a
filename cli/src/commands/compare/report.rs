//! What a comparison found, as it is printed.

use std::process::ExitCode;

use anyhow::Result;
use proto::v1;
use serde_json::json;
use server::model::EndReason;

use crate::client::{Connection, refusal};
use crate::difference::{Difference, ratio_remarks};
use crate::engine_text;
use crate::output::{counted, points, table};
use crate::standings;

/// Exit code of a test that kept the null hypothesis.
pub(super) const REJECTED: u8 = 3;
/// Exit code of a test without a verdict.
pub(super) const INCONCLUSIVE: u8 = 4;

/// Points of a pair, best first, as tables are headed.
pub(super) const PAIR_POINTS: [&str; 9] =
    ["2", "1.75", "1.5", "1.25", "1", "0.75", "0.5", "0.25", "0"];

/// What is known of a comparison.
pub(super) struct Found {
    games: v1::HeadToHeadResponse,
    sprt: Option<v1::SprtStatus>,
    /// Games that were lost by a fault of an engine, by reason.
    faults: Vec<v1::ReasonCount>,
}

impl Found {
    /// Of the second engine, the candidate, against the first.
    pub(super) async fn ask(connection: &Connection, id: u64) -> Result<Found> {
        let request = v1::GetTournamentRequest { id };
        let tournament = connection.tournaments().get(request).await;
        let players = tournament.map_err(refusal)?.into_inner().players;
        let name = |index: usize| players.get(index).map(|player| player.name.clone());
        let request = v1::StandingsRequest {
            id,
            confidence: 0.0,
        };
        let standings = connection.tournaments().standings(request).await;
        let standings = standings.map_err(refusal)?.into_inner();
        let request = v1::HeadToHeadRequest {
            scope: Some(v1::RatingScope {
                kind: Some(v1::rating_scope::Kind::TournamentId(id)),
            }),
            player: name(1).unwrap_or_default(),
            opponent: name(0).unwrap_or_default(),
            ..Default::default()
        };
        let games = if standings.stored_games == 0 {
            v1::HeadToHeadResponse::default()
        } else {
            let games = connection.ratings().head_to_head(request).await;
            games.map_err(refusal)?.into_inner()
        };
        Ok(Found {
            games,
            sprt: standings.sprt,
            faults: standings
                .reasons
                .into_iter()
                .filter(|count| {
                    EndReason::from_wire(count.reason()).is_some_and(EndReason::is_fault)
                })
                .collect(),
        })
    }

    /// Says on standard error how many games were lost by faults: a broken engine looks much weaker than it is.
    pub(super) fn warn_of_faults(&self) {
        let games: u64 = self.faults.iter().map(|count| u64::from(count.games)).sum();
        if games > 0 {
            let count = |count: &v1::ReasonCount| {
                format!(
                    "{} ({})",
                    standings::reason_text(count.reason()),
                    count.games
                )
            };
            let counts: Vec<String> = self.faults.iter().map(count).collect();
            eprintln!(
                "warning: {} lost by a fault of an engine: {}; `brouhaha tournament games` has the evidence",
                counted(games, "game"),
                counts.join(", ")
            );
        }
    }

    /// With the games that the test has counted only: how many others were under way at the verdict is a matter of
    /// chance, so that they are mentioned on standard error.
    pub(super) fn at_the_verdict(mut self) -> Found {
        let counted = self.sprt.as_mut().and_then(|sprt| sprt.counted.take());
        if let Some(counted) = counted {
            let further = self.games.games.saturating_sub(counted.games);
            if further > 0 {
                eprintln!(
                    "{further} games beyond the verdict are stored and rated, but not in this result"
                );
            }
            self.games = counted;
        }
        self
    }

    fn verdict(&self) -> v1::SprtVerdict {
        self.sprt
            .as_ref()
            .map_or(v1::SprtVerdict::Unspecified, v1::SprtStatus::verdict)
    }

    /// The exit code for scripts.
    pub(super) fn code(&self) -> ExitCode {
        match (&self.sprt, self.verdict()) {
            (None, _) | (_, v1::SprtVerdict::Accepted) => ExitCode::SUCCESS,
            (_, v1::SprtVerdict::Rejected) => ExitCode::from(REJECTED),
            (_, v1::SprtVerdict::Continue | v1::SprtVerdict::Unspecified) => {
                ExitCode::from(INCONCLUSIVE)
            }
        }
    }

    fn verdict_text(&self) -> &'static str {
        match self.verdict() {
            v1::SprtVerdict::Accepted => "accepted",
            v1::SprtVerdict::Rejected => "rejected",
            v1::SprtVerdict::Continue | v1::SprtVerdict::Unspecified => "inconclusive",
        }
    }

    /// How the test stands; empty without one.
    fn test_line(&self) -> String {
        let Some(sprt) = &self.sprt else {
            return String::new();
        };
        let line = format!(
            "LLR: {:.2} [{:.2}, {:.2}] after {} pairs: {}\n",
            sprt.llr,
            sprt.lower,
            sprt.upper,
            sprt.pairs,
            self.verdict_text()
        );
        let has_spread = sprt.pairs == 0 || Difference::from(&self.games).has_spread();
        line + &ratio_remarks(has_spread, sprt.closed_form)
    }

    /// Beside the progress.
    pub(super) fn note(&self) -> String {
        let elo = format!("Elo {}", Difference::from(&self.games).short());
        match &self.sprt {
            None => elo,
            Some(sprt) => format!(
                "LLR {:.2} [{:.2}, {:.2}]  {elo}",
                sprt.llr, sprt.lower, sprt.upper
            ),
        }
    }

    pub(super) fn table(&self, tournament: &v1::Tournament) -> String {
        let games = &self.games;
        let engine = |index: usize| {
            let player = tournament.players.get(index);
            player
                .map(|player| format!("{} ({})", player.name, engine_text::shown(player)))
                .unwrap_or_default()
        };
        let mut text = format!(
            "{} against {}: {}, {}\n\n",
            engine(1),
            engine(0),
            tournament
                .variant
                .as_ref()
                .map_or("", |variant| &variant.id),
            tournament.limit_class
        );
        let share = games.quarters as f64 * 25.0 / (games.games.max(1)) as f64;
        text += &format!(
            "Score: {} of {} ({share:.1} %)\nElo: {}\n",
            points(games.quarters),
            games.games,
            Difference::from(games).text()
        );
        text += &self.test_line();
        let row = |name: &str, counts: &[u64]| {
            let mut row = vec![name.to_owned()];
            row.extend(counts.iter().rev().map(u64::to_string));
            row
        };
        let header = [
            "Games by the candidate's points",
            "1",
            "0.75",
            "0.5",
            "0.25",
            "0",
        ];
        let rows = vec![
            row("it moved first", &games.moved_first),
            row("it moved second", &games.moved_second),
        ];
        text += &format!("\n{}\n", table(&header, rows, 1));
        let mut header = vec!["Pairs by points"];
        header.extend(PAIR_POINTS);
        text += &format!(
            "\n{}\n",
            table(&header, vec![row("pairs", &games.pair_quarters)], 1)
        );
        text
    }

    pub(super) fn json(&self, tournament: &v1::Tournament) -> Result<String> {
        let tenth = |value: Option<f64>| value.map(|value| (value * 10.0).round() / 10.0 + 0.0);
        let hundredth = |value: f64| (value * 100.0).round() / 100.0 + 0.0;
        let sprt = self.sprt.as_ref().map(|sprt| {
            json!({
                "llr": hundredth(sprt.llr), "lower": hundredth(sprt.lower), "upper": hundredth(sprt.upper),
                "pairs": sprt.pairs, "verdict": self.verdict_text(),
                "closed_form": sprt.closed_form, "overshoot_corrected": sprt.overshoot_corrected,
            })
        });
        let value = json!({
            "tournament": tournament.id,
            "variant": tournament.variant.as_ref().map_or("", |variant| &variant.id),
            "limit_class": tournament.limit_class,
            "games": self.games.games,
            "points": self.games.quarters as f64 / 4.0,
            "elo": tenth(self.games.elo),
            "interval": tenth(self.games.interval),
            "elo_low": tenth(self.games.elo_low),
            "elo_high": tenth(self.games.elo_high),
            "note": Difference::from(&self.games).note(),
            "confidence": self.games.confidence,
            "moved_first": self.games.moved_first,
            "moved_second": self.games.moved_second,
            "pair_quarters": self.games.pair_quarters,
            "sprt": sprt,
        });
        Ok(serde_json::to_string_pretty(&value)? + "\n")
    }
}
