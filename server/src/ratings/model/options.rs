//! What a rating can be asked for, and why an answer may be refused.

use std::collections::BTreeMap;

use crate::ratings::aggregates::Player;

/// How outcomes depend on strength.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Model {
    /// Model A: expected points are logistic in the rating difference; nothing is assumed about how
    /// often games are drawn. A quasi-likelihood (McCullagh and Nelder 1989, chapter 9) whose
    /// estimating equations are those of Ordo.
    #[default]
    Score,
    /// Model B: ordered logit with two thresholds a < b (Rao and Kupper 1967, generalised to five outcomes).
    ///
    /// Ratings are on the scale of its strengths, on which an Elo is less than one of the score: near equality
    /// 2 (f(a) + f(b)) of it, f the logistic density (STATS.md 1.4).
    OrderedLogit {
        /// Virtual games between equals, spread evenly over the outcomes; above 0, usually 1.
        outcome_prior: f64,
    },
    /// Model C: adjacent categories (Davidson 1970, generalised to five outcomes).
    ///
    /// Ratings are on the scale of its strengths, on which an Elo is less than one of the score: near equality four times the
    /// variance of a game's points of it.
    AdjacentCategories {
        /// Virtual games between equals, spread evenly over the outcomes; above 0, usually 1.
        outcome_prior: f64,
    },
}

/// Where the variance behind an interval is taken from. Of models B and C the closed forms are always [`Self::Binomial`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ErrorBars {
    /// Binomial variances scaled by the dispersion of each player, aware of game pairs: the default,
    /// with coverage of 95-96 % where draw rates or openings vary.
    #[default]
    Dispersion,
    /// Squared residuals themselves (White's sandwich); noisy with few games.
    Sandwich,
    /// One dispersion for the whole pool.
    Global,
    /// Inverse information; ignores draws, so it is too wide for model A.
    Binomial,
    /// Fits to game pairs and games drawn anew, with replacement, from those of each two players; with every model. A player
    /// that made the same points of all pairs and games against each opponent (those met in one game or pair alone taken
    /// together, game by game) has no error bars, as its results say nothing of how they vary.
    Bootstrap(Refits),
    /// Fits to games drawn from the fitted law of outcomes, each by itself, as Ordo does; with every model.
    Simulation(Refits),
    /// No error bars: ratings only.
    None,
}

/// Fits to results that were drawn at random.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refits {
    /// How many: 20 to 10,000; default 200. Their error bars are themselves uncertain by 5 % at 200, 2 % at 1,000.
    pub count: u32,
    /// What the draws follow from; default 1.
    pub seed: u64,
}

impl Default for Refits {
    fn default() -> Self {
        Self {
            count: 200,
            seed: 1,
        }
    }
}

/// What is done about the advantage of moving first.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum FirstMove {
    /// Estimated where the results allow it, else taken as 0.
    #[default]
    Estimated,
    /// Known beforehand, in Elo.
    Fixed {
        /// Elo added to the player that moves first.
        elo: f64,
    },
}

/// What is held likely of two versions of one engine before they play: newer - older is normal with this mean and deviation.
///
/// It enters the likelihood as -(newer - older - elo)^2 / (2 deviation^2) (STATS.md 1.6, Ordo's "relations"), and the error
/// bars as one observation more. Players that only links join are comparable, and marked: [`RatedPlayer::met`], [`Difference::basis`].
///
/// [`RatedPlayer::met`]: super::RatedPlayer::met
/// [`Difference::basis`]: super::Difference::basis
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Link {
    /// The newer version.
    pub newer: Player,
    /// The older version.
    pub older: Player,
    /// What the newer version is expected to be stronger by, in Elo.
    pub elo: f64,
    /// Standard deviation of that, in Elo: 0.1 to 100,000.
    pub deviation_elo: f64,
}

/// Everything a rating depends on beside the results.
#[derive(Debug, Clone, PartialEq)]
pub struct RatingOptions {
    /// The model; by default [`Model::Score`].
    pub model: Model,
    /// Virtual draws per player (omega), spread over its real opponents: 0, or at least 0.001; default 1.
    /// With 0 the ratings are the plain maximum-likelihood ones (Ordo's), which need not exist.
    pub prior_draws: f64,
    /// First-move advantage; estimated by default.
    pub first_move: FirstMove,
    /// Mean rating, in Elo, of every component without an anchor; default 0.
    pub average_elo: f64,
    /// Players held at a given Elo. Ratings and error bars of their components are relative to them.
    pub anchors: BTreeMap<Player, f64>,
    /// What is held likely of versions of one engine; none by default. Those of a player without a finite rating do nothing.
    pub links: Vec<Link>,
    /// Kind of error bars.
    pub error_bars: ErrorBars,
    /// Whose error bars are wanted, at most [`MAX_CHOSEN`] players'; others have none. Empty for all players', as far as
    /// there are not more than [`MAX_COVARIANCE`].
    pub error_bars_for: Vec<Player>,
    /// The order of the players in which [`ErrorBars::Bootstrap`] and [`ErrorBars::Simulation`] draw their results; those
    /// not named come last, by their numbers. Pools that number the same players otherwise have the same error bars by
    /// the same seed if this order is the same, as that of their names.
    pub draw_order: Vec<Player>,
    /// Level of two-sided intervals, in (0, 1); default 0.95.
    pub level: f64,
}

impl Default for RatingOptions {
    fn default() -> Self {
        Self {
            model: Model::default(),
            prior_draws: 1.0,
            first_move: FirstMove::default(),
            average_elo: 0.0,
            anchors: BTreeMap::new(),
            links: Vec::new(),
            error_bars: ErrorBars::default(),
            error_bars_for: Vec::new(),
            draw_order: Vec::new(),
            level: 0.95,
        }
    }
}

/// Largest number of players.
pub(super) const MAX_PLAYERS: usize = 100_000;

/// Fewest fits behind error bars.
pub const MIN_REFITS: u32 = 20;

/// Largest number of players whose whole covariance is computed: a matrix takes 8 n^2 bytes and n^3 operations.
pub const MAX_COVARIANCE: usize = 2_000;

/// Largest number of players whose error bars may be asked for by name.
pub const MAX_CHOSEN: usize = 200;

/// Largest Elo that may be given as an anchor, an average or a first-move advantage.
const MAX_ELO: f64 = 100_000.0;

/// Why no rating was computed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RatingError {
    /// A numeric option is out of its range.
    #[error("rating option `{option}` is {value}; give {range}")]
    OutOfRange {
        /// Name of the option.
        option: &'static str,
        /// What was given.
        value: f64,
        /// What may be given.
        range: &'static str,
    },
    /// An anchor that is not in the pool.
    #[error("anchor {player} has no games in this pool; anchor a player that took part")]
    UnknownAnchor {
        /// The anchor.
        player: Player,
    },
    /// A link to a player that has no games.
    #[error("player {player} of a link has no games in this pool; link players that took part")]
    UnknownLinked {
        /// The player.
        player: Player,
    },
    /// A link of a player with itself.
    #[error("player {player} is linked with itself; link two versions")]
    SelfLink {
        /// The player.
        player: Player,
    },
    /// Error bars of too many players were asked for by name.
    #[error(
        "error bars are asked for {players} players, the limit is {MAX_CHOSEN}; ask for fewer at a time"
    )]
    TooManyChosen {
        /// Players whose error bars were asked for.
        players: usize,
    },
    /// An unknown player's error bars were asked for.
    #[error(
        "player {player} is not in this pool, so that it has no error bars; ask for one that is"
    )]
    UnknownChosen {
        /// The player.
        player: Player,
    },
    /// A model that is not rated game by game.
    #[error("only the model of scores is rated game by game; rate the whole pool")]
    NotLive,
    /// The pool is too large.
    #[error("{players} players exceed the limit of {MAX_PLAYERS}; rate a smaller pool")]
    TooManyPlayers {
        /// Players of the pool.
        players: usize,
    },
}

impl RatingOptions {
    /// Refuses options out of range; those that name players are checked against the pool in `rate`.
    pub(super) fn check(&self) -> Result<(), RatingError> {
        let check = |option, value: f64, holds: bool, range| match holds {
            true => Ok(()),
            false => Err(RatingError::OutOfRange {
                option,
                value,
                range,
            }),
        };
        let elo = |option, value: f64| {
            check(
                option,
                value,
                value.abs() <= MAX_ELO,
                "Elo between -100000 and 100000",
            )
        };
        let omega = self.prior_draws;
        let omega_holds = omega == 0.0 || (0.001..=1e6).contains(&omega);
        check("prior_draws", omega, omega_holds, "0, or 0.001 to 1000000")?;
        let level_holds = self.level > 0.0 && self.level < 1.0;
        check(
            "level",
            self.level,
            level_holds,
            "a level between 0 and 1, as 0.95",
        )?;
        if let ErrorBars::Bootstrap(refits) | ErrorBars::Simulation(refits) = self.error_bars {
            let holds = (MIN_REFITS..=10_000).contains(&refits.count);
            check("refits", f64::from(refits.count), holds, "20 to 10000")?;
        }
        elo("average_elo", self.average_elo)?;
        self.anchors
            .values()
            .try_for_each(|&value| elo("anchors", value))?;
        for link in &self.links {
            elo("links", link.elo)?;
            let deviation = link.deviation_elo;
            let holds = (0.1..=MAX_ELO).contains(&deviation);
            check(
                "links",
                deviation,
                holds,
                "a deviation of 0.1 to 100000 Elo",
            )?;
            if link.newer == link.older {
                return Err(RatingError::SelfLink { player: link.newer });
            }
        }
        if let FirstMove::Fixed { elo: value } = self.first_move {
            elo("first_move", value)?;
        }
        match self.model {
            Model::Score => Ok(()),
            Model::OrderedLogit {
                outcome_prior: kappa,
            }
            | Model::AdjacentCategories {
                outcome_prior: kappa,
            } => {
                let holds = (0.001..=1e6).contains(&kappa);
                check(
                    "outcome_prior",
                    kappa,
                    holds,
                    "0.001 to 1000000 virtual games",
                )
            }
        }
    }
}
