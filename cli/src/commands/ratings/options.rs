//! As of when, and how ratings are computed.

use crate::commands::stats::level;
use proto::v1::{self, as_of::Point};

use super::arguments::Group;
use crate::link::LinkNames;

/// A point in the past.
#[derive(Debug, Clone, Default, clap::Args)]
pub(super) struct Moment {
    /// As it was after the first so many games of the scope
    #[arg(long, value_name = "N", conflicts_with = "as_of", value_parser = clap::value_parser!(u64).range(1..))]
    as_of_game: Option<u64>,
    /// As it was at this time: 2026-11-30T18:00:00Z or milliseconds since 1970
    #[arg(long, value_name = "TIME", value_parser = unix_ms)]
    as_of: Option<u64>,
}

/// How ratings are computed.
#[derive(Debug, Clone, Default, clap::Args)]
pub(super) struct Options {
    /// Player whose rating is given, as NAME=ELO or NAME with --anchor-elo; may be given several times [default: the mean is]
    #[arg(long, value_name = "NAME[=ELO]")]
    anchor: Vec<String>,
    /// Elo of anchors without one of their own; without such anchors, of the mean [default: 0]
    #[arg(long, value_name = "ELO", allow_negative_numbers = true)]
    anchor_elo: Option<f64>,
    /// How outcomes depend on strength [default: score]
    #[arg(long, value_enum)]
    model: Option<Model>,
    /// Where the variance behind the intervals comes from [default: dispersion, of other models than score binomial]
    #[arg(long, value_enum)]
    error_bars: Option<ErrorBars>,
    /// Virtual draws of each player against those it met [default: 1]
    #[arg(long, value_name = "DRAWS")]
    prior: Option<f64>,
    /// What moving first is worth in Elo [default: estimated]
    #[arg(long, value_name = "ELO", allow_negative_numbers = true)]
    first_move: Option<f64>,
    /// Leave out this player (id or name) with all its games; may be given several times
    #[arg(long, value_name = "PLAYER")]
    exclude: Vec<String>,
    /// Number of fits behind the error bars of bootstrap and simulation, 20 to 1000 [default: 200]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(20..=1000))]
    refits: Option<u32>,
    /// Seed of what bootstrap and simulation draw [default: 1]
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,
    /// Two versions of one engine (id or name) and what the newer is expected to be stronger by, 0 +- 50 Elo when left out; may be given several times
    #[arg(long, value_name = "NEWER,OLDER[,ELO[,DEVIATION]]")]
    link: Vec<LinkNames>,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Model {
    /// Logistic expected points
    Score,
    /// Outcome shares by two thresholds
    OrderedLogit,
    /// Outcome shares as Davidson's
    AdjacentCategories,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum ErrorBars {
    /// Each player's own spread of results
    Dispersion,
    /// Squared residuals
    Sandwich,
    /// One spread for all
    Global,
    /// As if no game were drawn, or the model's own
    Binomial,
    /// Fits to results drawn anew from those of each two players
    Bootstrap,
    /// Fits to results drawn from the fitted law
    Simulation,
    /// None
    None,
}

/// How sure intervals are.
#[derive(Debug, Clone, Default, clap::Args)]
pub(super) struct Level {
    /// Confidence of the intervals, above 0 and below 1 [default: 0.95]
    #[arg(long, value_name = "P", value_parser = level)]
    confidence: Option<f64>,
}

impl Level {
    /// As a message has it.
    pub fn to_wire(&self) -> f64 {
        self.confidence.unwrap_or_default()
    }
}

impl Group for Level {
    fn given(&self) -> Option<&'static str> {
        self.confidence.map(|_| "--confidence")
    }
}

impl Group for Moment {
    fn given(&self) -> Option<&'static str> {
        let game = self.as_of_game.map(|_| "--as-of-game");
        game.or(self.as_of.map(|_| "--as-of"))
    }
}

impl Moment {
    pub fn to_wire(&self) -> Option<v1::AsOf> {
        let game = self.as_of_game.map(Point::Games);
        let point = game.or(self.as_of.map(Point::UnixMs));
        point.map(|point| v1::AsOf { point: Some(point) })
    }
}

impl Group for Options {
    fn given(&self) -> Option<&'static str> {
        let given = [
            ("--anchor", !self.anchor.is_empty()),
            ("--anchor-elo", self.anchor_elo.is_some()),
            ("--model", self.model.is_some()),
            ("--error-bars", self.error_bars.is_some()),
            ("--prior", self.prior.is_some()),
            ("--first-move", self.first_move.is_some()),
            ("--exclude", !self.exclude.is_empty()),
            ("--refits", self.refits.is_some()),
            ("--seed", self.seed.is_some()),
            ("--link", !self.link.is_empty()),
        ];
        let mut given = given.into_iter().filter(|(_, is_given)| *is_given);
        given.next().map(|(name, _)| name)
    }
}

impl Options {
    /// The request for a list of a scope.
    pub fn request(
        &self,
        scope: Option<v1::RatingScope>,
        moment: &Moment,
        level: &Level,
    ) -> v1::GetRatingsRequest {
        let anchor_elo = self.anchor_elo.unwrap_or_default();
        let anchors: Vec<_> = self.anchor.iter().map(|text| anchor(text)).collect();
        let is_spent = anchors.iter().any(|(_, elo)| elo.is_none());
        let anchor = |(player, elo): (String, Option<f64>)| v1::Anchor {
            player,
            elo: elo.unwrap_or(anchor_elo),
        };
        let model = self
            .model
            .map_or(v1::RatingModel::Unspecified, Model::to_wire);
        let error_bars = self
            .error_bars
            .map_or(v1::ErrorBars::Unspecified, ErrorBars::to_wire);
        v1::GetRatingsRequest {
            scope,
            confidence: level.to_wire(),
            anchor: String::new(),
            anchor_elo: if is_spent { 0.0 } else { anchor_elo },
            as_of: moment.to_wire(),
            options: Some(v1::RatingOptions {
                model: model.into(),
                error_bars: error_bars.into(),
                prior_draws: self.prior,
                first_move_elo: self.first_move,
                anchors: anchors.into_iter().map(anchor).collect(),
                exclude: self.exclude.clone(),
                error_bars_for: Vec::new(),
                refits: self.refits.unwrap_or_default(),
                refit_seed: self.seed,
                links: self.link.iter().map(LinkNames::to_wire).collect(),
            }),
        }
    }
}

impl Model {
    fn to_wire(self) -> v1::RatingModel {
        match self {
            Self::Score => v1::RatingModel::Score,
            Self::OrderedLogit => v1::RatingModel::OrderedLogit,
            Self::AdjacentCategories => v1::RatingModel::AdjacentCategories,
        }
    }
}

impl ErrorBars {
    fn to_wire(self) -> v1::ErrorBars {
        match self {
            Self::Dispersion => v1::ErrorBars::Dispersion,
            Self::Sandwich => v1::ErrorBars::Sandwich,
            Self::Global => v1::ErrorBars::Global,
            Self::Binomial => v1::ErrorBars::Binomial,
            Self::None => v1::ErrorBars::None,
            Self::Bootstrap => v1::ErrorBars::Bootstrap,
            Self::Simulation => v1::ErrorBars::Simulation,
        }
    }
}

/// A player, and its Elo where the text ends in `=` and a number; a name may have an equals sign, too.
fn anchor(text: &str) -> (String, Option<f64>) {
    let parts = text.rsplit_once('=');
    match parts.and_then(|(name, elo)| Some((name, elo.trim().parse().ok()?))) {
        Some((name, elo)) => (name.to_owned(), Some(elo)),
        None => (text.to_owned(), None),
    }
}

/// A time in milliseconds since 1970.
fn unix_ms(text: &str) -> Result<u64, String> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let time = match is_number {
        true => text.parse().map_err(|_| "is too large".to_owned())?,
        false => {
            let time: jiff::Timestamp = text.parse().map_err(|error| {
                format!("is no time ({error}); write 2026-11-30T18:00:00Z, +01:00 in place of Z where that is the offset, or milliseconds since 1970")
            })?;
            u64::try_from(time.as_millisecond()).unwrap_or(0)
        }
    };
    match time {
        0 => Err("must be after the beginning of 1970".to_owned()),
        time => Ok(time),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_with_their_offset_or_as_a_number() {
        // 20000 days after 1970.
        assert_eq!(unix_ms("2024-10-04T00:00:00Z"), Ok(20_000 * 86_400_000));
        assert_eq!(
            unix_ms("2024-10-04T02:30:00.5+02:30"),
            Ok(20_000 * 86_400_000 + 500)
        );
        assert_eq!(unix_ms("1728000000000"), Ok(20_000 * 86_400_000));
        for bad in [
            "",
            "0",
            "yesterday",
            "2024-10-04",
            "2024-13-04T00:00:00Z",
            "-5",
            "99999999999999999999",
            "1969-01-01T00:00:00Z",
        ] {
            assert!(unix_ms(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn an_anchor_may_bring_its_elo() {
        let read = |text: &str| anchor(text);
        assert_eq!(read("base"), ("base".to_owned(), None));
        assert_eq!(read("base=-12.5"), ("base".to_owned(), Some(-12.5)));
        assert_eq!(read("Hash=16"), ("Hash".to_owned(), Some(16.0)));
        assert_eq!(read("a=b"), ("a=b".to_owned(), None));
        assert_eq!(read("a=b=7"), ("a=b".to_owned(), Some(7.0)));
    }
}
