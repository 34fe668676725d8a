//! Histograms and bounds as they are given on the command line.

use anyhow::{Context, Result, bail};
use server::ratings::sprt::{EloUnit, SprtSpec};
use server::ratings::{CellSet, Histogram};

/// Results by cell.
#[derive(Debug, Clone, clap::Args)]
#[group(required = false, multiple = false)]
pub struct Cells {
    /// Game pairs by the points of both games, fewest first: 9 counts (0, 0.25, .. 2 points) or 5 (0, 0.5, .. 2)
    #[arg(long, value_name = "COUNTS", value_delimiter = ',')]
    pub pairs: Vec<u64>,
    /// Single games by points, fewest first: 5 counts (0, 0.25, .. 1 points) or 3 (losses, draws, wins)
    #[arg(long, value_name = "COUNTS", value_delimiter = ',')]
    pub games: Vec<u64>,
}

impl Cells {
    /// The histogram, if there is one.
    pub fn histogram(&self) -> Result<Option<Histogram>> {
        let (counts, games, option, sizes) = if self.pairs.is_empty() {
            (&self.games, 1, "--games", "3 or 5")
        } else {
            (&self.pairs, 2, "--pairs", "5 or 9")
        };
        if counts.is_empty() {
            return Ok(None);
        }
        let Some(set) = CellSet::new(counts.len(), games) else {
            bail!(
                "{option} has {} counts; give {sizes}, fewest points first",
                counts.len()
            );
        };
        let histogram =
            Histogram::new(set, counts).with_context(|| format!("{option} is no histogram"))?;
        if histogram.observations() == 0 {
            bail!("{option} counts no games; give at least one");
        }
        Ok(Some(histogram))
    }
}

/// The question of a sequential test.
#[derive(Debug, Clone, clap::Args)]
pub struct Question {
    /// The difference that is not worth having
    #[arg(
        long,
        value_name = "ELO",
        default_value_t = 0.0,
        allow_negative_numbers = true
    )]
    elo0: f64,
    /// The difference that is
    #[arg(
        long,
        value_name = "ELO",
        default_value_t = 5.0,
        allow_negative_numbers = true
    )]
    elo1: f64,
    /// Unit of both
    #[arg(long, value_enum, default_value_t = Unit::Normalized)]
    unit: Unit,
    /// Probability of accepting at elo0
    #[arg(long, value_name = "P", default_value_t = 0.05)]
    alpha: f64,
    /// Probability of rejecting at elo1
    #[arg(long, value_name = "P", default_value_t = 0.05)]
    beta: f64,
}

/// Unit of differences.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Unit {
    /// Differences in standard deviations of a game's points
    Normalized,
    /// Differences of ratings
    Logistic,
}

impl Unit {
    /// Its name in texts.
    pub fn name(self) -> &'static str {
        match self {
            Unit::Normalized => "normalized Elo",
            Unit::Logistic => "logistic Elo",
        }
    }
}

impl Question {
    /// The test on observations of a kind.
    pub fn spec(&self, set: CellSet) -> Result<SprtSpec> {
        let unit = match self.unit {
            Unit::Normalized => EloUnit::Normalized,
            Unit::Logistic => EloUnit::Logistic,
        };
        Ok(SprtSpec::new(
            unit, self.elo0, self.elo1, self.alpha, self.beta, set,
        )?)
    }

    /// The bounds with their unit.
    pub fn text(&self) -> String {
        format!(
            "{} against {} {} (alpha {}, beta {})",
            self.elo0,
            self.elo1,
            self.unit.name(),
            self.alpha,
            self.beta
        )
    }

    /// The unit of the bounds.
    pub fn unit(&self) -> Unit {
        self.unit
    }
}

/// What an observation is called.
pub fn observations(set: CellSet) -> &'static str {
    if set.games() == 2 { "pairs" } else { "games" }
}

/// Quarter points of all observations.
pub fn quarters(histogram: &Histogram) -> u64 {
    let step = match histogram.set() {
        CellSet::FivePairs | CellSet::FiveSingles => 1,
        CellSet::ThreePairs | CellSet::ThreeSingles => 2,
    };
    let cells = (0..).zip(histogram.counts());
    cells
        .map(|(cell, &count): (u64, _)| step * cell * count)
        .sum()
}

/// A confidence level.
pub fn level(text: &str) -> Result<f64, String> {
    let level: f64 = text
        .parse()
        .map_err(|_| "give a number, as 0.95".to_owned())?;
    if level > 0.0 && level < 1.0 {
        Ok(level)
    } else {
        Err("give a level above 0 and below 1, as 0.95".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_those_of_the_cells() {
        for (pairs, games, expected) in [
            (vec![1, 0, 0, 0, 2, 0, 0, 0, 3], vec![], 2 * 4 + 3 * 8),
            (vec![1, 1, 1, 1, 1], vec![], 20),
            (vec![], vec![1, 1, 1, 1, 1], 10),
            (vec![], vec![5, 2, 3], 2 * 2 + 3 * 4),
        ] {
            let cells = Cells { pairs, games };
            let histogram = cells.histogram().unwrap().unwrap();
            assert_eq!(quarters(&histogram), expected, "{cells:?}");
        }
    }

    #[test]
    fn other_numbers_of_cells_are_refused() {
        for (pairs, games) in [
            (vec![1, 2, 3], vec![]),
            (vec![], vec![1; 9]),
            (vec![0; 9], vec![]),
        ] {
            assert!(Cells { pairs, games }.histogram().is_err());
        }
    }
}
