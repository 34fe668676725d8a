//! Rating models: from counted results to ratings, error bars and likelihoods of superiority.
//!
//! [`rate`] fits one of three models to [`Aggregates`](super::Aggregates) and answers with a
//! [`RatingReport`]. The models differ only in their [`law`]; one Newton [`fit`] serves all.

mod adjacent;
mod assemble;
mod band;
mod bound;
mod chosen;
mod conjugate;
mod covariance;
mod dense;
mod fit;
mod information;
mod law;
mod layout;
mod live;
mod notes;
mod options;
mod ordered;
mod outcomes;
mod priors;
mod rate;
mod redraw;
mod refits;
mod report;
mod residuals;
mod rows;
mod score;

pub use adjacent::AdjacentCategories;
pub use law::{OutcomeLaw, Term};
pub use live::LiveRatings;
pub use options::{
    ErrorBars, FirstMove, Link, MAX_CHOSEN, MAX_COVARIANCE, MIN_REFITS, Model, RatingError,
    RatingOptions, Refits,
};
pub use ordered::OrderedLogit;
pub use rate::{rate, rate_again};
pub use report::{
    Basis, Difference, FirstMoveAdvantage, FirstMoveStatus, PerfectScore, RatedPlayer,
    RatingReport, RefitCount,
};
