//! `brouhaha stats sprt`: what a sequential test says of a histogram.

use std::process::ExitCode;

use anyhow::{Context, Result};
use serde_json::{Value, json};
use server::ratings::sprt::{
    LlrMethod, SprtSpec, SprtTest, Verdict, expected_length, sequential_estimate,
};
use server::ratings::{Histogram, MatchDifference, match_estimate};

use super::cells::{Cells, Question, level, observations, quarters};
use crate::difference::{Difference, ratio_remarks};
use crate::output::{Format, FormatArgument, points, print, tenths};

/// Arguments of `stats sprt`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Counts begin with the fewest points: losses first.
Examples:
  brouhaha stats sprt --pairs 10,35,70,120,310,130,80,40,15 --elo0 0 --elo1 5
  brouhaha stats sprt --pairs 39,1008,2251,1125,52 --elo0 0 --elo1 2 --unit logistic
  brouhaha stats sprt --games 100,300,120 --elo0 0 --elo1 10")]
pub struct Arguments {
    #[command(flatten)]
    cells: Cells,
    #[command(flatten)]
    question: Question,
    /// Confidence of the intervals
    #[arg(long, value_name = "P", default_value = "0.95", value_parser = level)]
    confidence: f64,
    #[command(flatten)]
    format: FormatArgument,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let histogram = arguments.cells.histogram()?;
    let histogram = histogram.context("no results; give --pairs or --games")?;
    let spec = arguments.question.spec(histogram.set())?;
    let found = Found::new(spec, &histogram, arguments.confidence)?;
    print(match arguments.format.format {
        Format::Table => found.text(&histogram, &arguments.question),
        Format::Json => serde_json::to_string_pretty(&found.json(&histogram))? + "\n",
    })?;
    Ok(ExitCode::SUCCESS)
}

struct Found {
    spec: SprtSpec,
    test: server::ratings::sprt::SprtStatus,
    estimate: server::ratings::MatchEstimate,
    sequential: Option<server::ratings::sprt::SequentialEstimate>,
}

impl Found {
    fn new(spec: SprtSpec, histogram: &Histogram, level: f64) -> Result<Found> {
        let estimate = match_estimate(histogram, level).context("no estimate without games")?;
        let has_spread = Difference::from(&estimate).has_spread();
        Ok(Found {
            test: SprtTest::resume(spec, histogram.counts(), None)?.status(),
            sequential: sequential_estimate(&spec, histogram, level).filter(|_| has_spread),
            estimate,
            spec,
        })
    }

    fn verdict(&self) -> &'static str {
        match self.test.verdict {
            Verdict::Continue => "not decided",
            Verdict::Rejected => "rejected",
            Verdict::Accepted => "accepted",
        }
    }

    /// Observations that a test takes on average if the difference is so much, by the variance of these; nothing without
    /// one.
    fn length(&self, elo: f64) -> Option<f64> {
        if !Difference::from(&self.estimate).has_spread() {
            return None;
        }
        let variance = self.estimate.regularised_variance;
        Some(expected_length(&self.spec, elo, variance)?.observations)
    }

    fn text(&self, histogram: &Histogram, question: &Question) -> String {
        let (of, quarters) = (observations(histogram.set()), quarters(histogram));
        let estimate = &self.estimate;
        let found = MatchDifference::from(estimate);
        let difference = Difference::from(estimate);
        let mut text = format!(
            "{} {of}, {} games: {} points ({:.2} %)\n",
            estimate.observations,
            estimate.games,
            points(quarters),
            estimate.score * 100.0
        );
        text += &format!(
            "LLR: {:.3} [{:.3}, {:.3}] for {}: {}\n",
            self.test.llr.value,
            self.test.lower,
            self.test.upper,
            question.text(),
            self.verdict()
        );
        let closed_form = self.test.llr.method == LlrMethod::ClosedForm;
        text += &ratio_remarks(difference.has_spread(), closed_form);
        text += &format!("Elo: {}\n", difference.text());
        if let Some((nelo, los)) = found.nelo.zip(found.los) {
            text += &format!(
                "Normalized Elo: {} +- {}, likelihood of superiority {:.1} %\n",
                tenths(Some(nelo)),
                tenths(found.nelo_error),
                los * 100.0
            );
        }
        if let Some(sequential) = &self.sequential {
            text += &format!(
                "Elo if the test decided when to look: {} [{}, {}] (median-unbiased)\n",
                tenths(sequential.elo),
                tenths(sequential.lower),
                tenths(sequential.upper)
            );
        }
        let [elo0, elo1] = self.spec.elo();
        let length = |elo| {
            self.length(elo)
                .map_or("-".to_owned(), |n| format!("{n:.0}"))
        };
        if difference.has_spread() {
            text += &format!(
                "Such a test takes about {} {of} at elo0, {} halfway, {} at elo1.\n",
                length(elo0),
                length(0.5 * (elo0 + elo1)),
                length(elo1)
            );
        }
        text
    }

    fn json(&self, histogram: &Histogram) -> Value {
        let estimate = &self.estimate;
        let found = MatchDifference::from(estimate);
        let [elo0, elo1] = self.spec.elo();
        let [alpha, beta] = self.spec.errors();
        json!({
            "elo0": elo0, "elo1": elo1, "unit": self.spec.unit().name(), "alpha": alpha, "beta": beta,
            "observations": estimate.observations, "games": estimate.games,
            "points": quarters(histogram) as f64 / 4.0, "score": estimate.score,
            "llr": self.test.llr.value, "closed_form": self.test.llr.method == LlrMethod::ClosedForm,
            "lower": self.test.lower, "upper": self.test.upper,
            "verdict": match self.test.verdict {
                Verdict::Continue => "continue",
                Verdict::Rejected => "rejected",
                Verdict::Accepted => "accepted",
            },
            "confidence": estimate.level,
            "elo": found.elo, "elo_interval": [found.low, found.high],
            "normalized_elo": found.nelo, "normalized_elo_error": found.nelo_error,
            "los": found.los, "note": Difference::from(estimate).note(),
            "sequential": self.sequential.map(|sequential| json!({
                "elo": sequential.elo, "lower": sequential.lower, "upper": sequential.upper,
                "los": sequential.los,
            })),
            "expected_observations": {
                "elo0": self.length(elo0), "halfway": self.length(0.5 * (elo0 + elo1)),
                "elo1": self.length(elo1),
            },
        })
    }
}
