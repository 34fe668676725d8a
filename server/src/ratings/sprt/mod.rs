//! Sequential tests: is one engine stronger than another by so much?
//!
//! The generalised sequential probability ratio test (GSPRT) on game pairs. A [`SprtSpec`] is the question, an
//! [`SprtTest`] the running test, a [`JointTest`] one of several series of results, [`llr`] its statistic, [`sequential_estimate`] what is known when it
//! has stopped, [`expected_length`] what it will cost.

mod joint;
mod likelihood;
mod plan;
mod sequential;
mod spec;
mod stop;

pub use joint::JointTest;
pub use likelihood::{Llr, LlrMethod, llr, llr_without_regularisation};
pub use plan::{ExpectedLength, expected_length};
pub use sequential::{SequentialEstimate, sequential_estimate};
pub use spec::{EloUnit, SpecError, SprtSpec};
pub use stop::{Overshoot, SprtStatus, SprtTest, Verdict};
