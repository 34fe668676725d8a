//! The stop rule: Wald's bounds with a correction for overshoot.

use super::likelihood::{Llr, llr};
use super::spec::SprtSpec;
use crate::ratings::cells::{Histogram, HistogramError};

/// What a test says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// Not decided: play on.
    Continue,
    /// H0 is accepted: the gain is not shown.
    Rejected,
    /// H1 is accepted.
    Accepted,
}

/// Overshoot of new extremes of the log-likelihood ratio, by which the bounds move inwards.
///
/// Siegmund, "Sequential Analysis" (1985), corollary 8.33, estimated from the walk itself. It is part of a
/// test's state: store it with the test; if batches were lost or voided, go on without (as fishtest does).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Overshoot {
    /// Lowest ratio so far.
    pub ref0: f64,
    /// Sum of the steps below the lowest, negative.
    pub m0: f64,
    /// Sum of their squares.
    pub sq0: f64,
    /// Highest ratio so far.
    pub ref1: f64,
    /// Sum of the steps above the highest.
    pub m1: f64,
    /// Sum of their squares.
    pub sq1: f64,
}

impl Overshoot {
    /// Takes in the ratio after one more batch.
    pub fn update(&mut self, llr: f64) {
        if llr < self.ref0 {
            let step = llr - self.ref0;
            self.m0 += step;
            self.sq0 += step * step;
            self.ref0 = llr;
        }
        if llr > self.ref1 {
            let step = llr - self.ref1;
            self.m1 += step;
            self.sq1 += step * step;
            self.ref1 = llr;
        }
    }

    /// Amounts, not negative, by which the lower bound rises and the upper bound falls.
    pub fn corrections(&self) -> [f64; 2] {
        let half_mean = |square: f64, sum: f64| {
            if sum == 0.0 {
                0.0
            } else {
                square / (2.0 * sum)
            }
        };
        [-half_mean(self.sq0, self.m0), half_mean(self.sq1, self.m1)]
    }
}

/// Where a test stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SprtStatus {
    /// Log-likelihood ratio.
    pub llr: Llr,
    /// The ratio below which H0 is accepted.
    pub lower: f64,
    /// The ratio above which H1 is accepted.
    pub upper: f64,
    /// The verdict.
    pub verdict: Verdict,
    /// Observations counted.
    pub observations: u64,
    /// Whether the bounds have moved in by the estimated overshoot.
    pub corrected: bool,
}

/// A running sequential test. Feed it whole batches in index order, so that the verdict is a function of
/// a prefix of the batches and can be replayed.
#[derive(Debug, Clone, PartialEq)]
pub struct SprtTest {
    spec: SprtSpec,
    histogram: Histogram,
    overshoot: Option<Overshoot>,
    status: SprtStatus,
}

impl SprtTest {
    /// A test at its start; with `Some(Overshoot::default())` the correction is on, as is best for batches of
    /// more than one observation, with `None` off.
    pub fn new(spec: SprtSpec, overshoot: Option<Overshoot>) -> Self {
        let histogram = Histogram::empty(spec.set());
        let status = status_of(&spec, llr(&spec, &histogram), 0, spec.wald_bounds());
        Self {
            spec,
            histogram,
            overshoot,
            status,
        }
    }

    /// A test as it was stored. With `None` in place of lost overshoot it goes on without the correction.
    pub fn resume(
        spec: SprtSpec,
        counts: &[u64],
        overshoot: Option<Overshoot>,
    ) -> Result<Self, HistogramError> {
        let mut test = Self::new(spec, overshoot);
        test.histogram = Histogram::new(spec.set(), counts)?;
        test.judge(llr(&spec, &test.histogram));
        Ok(test)
    }

    /// Counts a batch of observations by cell and judges. After a verdict nothing more is counted.
    ///
    /// A cell outside the set is refused and nothing of the batch is counted.
    pub fn add_batch(&mut self, cells: &[usize]) -> Result<SprtStatus, HistogramError> {
        if self.status.verdict != Verdict::Continue {
            return Ok(self.status);
        }
        let mut histogram = self.histogram.clone();
        cells.iter().try_for_each(|&cell| histogram.add(cell))?;
        self.histogram = histogram;
        let ratio = llr(&self.spec, &self.histogram);
        if let Some(overshoot) = &mut self.overshoot {
            overshoot.update(ratio.value);
        }
        self.judge(ratio);
        Ok(self.status)
    }

    /// Goes on without the correction, as after results were taken away: its walk is not that of the results any more.
    /// A verdict that was found before stays.
    pub fn drop_correction(&mut self) {
        if self.status.verdict == Verdict::Continue && self.overshoot.take().is_some() {
            self.judge(self.status.llr);
        }
    }

    fn judge(&mut self, llr: Llr) {
        let bounds = bounds_of(&self.spec, self.overshoot);
        self.status = status_of(&self.spec, llr, self.histogram.observations(), bounds);
    }

    /// The question.
    pub fn spec(&self) -> &SprtSpec {
        &self.spec
    }

    /// What was counted.
    pub fn histogram(&self) -> &Histogram {
        &self.histogram
    }

    /// State of the correction, to be stored with the counts.
    pub fn overshoot(&self) -> Option<&Overshoot> {
        self.overshoot.as_ref()
    }

    /// Where the test stands.
    pub fn status(&self) -> SprtStatus {
        self.status
    }
}

/// Bounds with the correction, unless that is so large that they would meet.
pub(super) fn bounds_of(spec: &SprtSpec, overshoot: Option<Overshoot>) -> [f64; 2] {
    let [a, b] = spec.wald_bounds();
    let [up, down] = overshoot.map_or([0.0; 2], |overshoot| overshoot.corrections());
    let corrected = [a + up, b - down];
    if corrected[0] < corrected[1] {
        corrected
    } else {
        [a, b]
    }
}

/// Where a test stands whose ratio is between or beyond these bounds.
pub(super) fn status_of(
    spec: &SprtSpec,
    llr: Llr,
    observations: u64,
    [lower, upper]: [f64; 2],
) -> SprtStatus {
    let verdict = match llr.value {
        value if value < lower => Verdict::Rejected,
        value if value > upper => Verdict::Accepted,
        _ => Verdict::Continue,
    };
    SprtStatus {
        llr,
        lower,
        upper,
        verdict,
        observations,
        corrected: [lower, upper] != spec.wald_bounds(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::spec::EloUnit;
    use super::{Overshoot, SprtSpec, SprtTest, Verdict};
    use crate::ratings::cells::CellSet;

    fn spec() -> SprtSpec {
        SprtSpec::new(
            EloUnit::Normalized,
            0.0,
            30.0,
            0.05,
            0.05,
            CellSet::FivePairs,
        )
        .unwrap()
    }

    /// Batches of pairs that are won by a quarter point more than they are lost.
    fn batch() -> [usize; 6] {
        [4, 5, 6, 4, 3, 5]
    }

    #[test]
    fn a_verdict_is_final() {
        let mut test = SprtTest::new(spec(), Some(Overshoot::default()));
        let mut batches = 0;
        while test.add_batch(&batch()).unwrap().verdict == Verdict::Continue {
            batches += 1;
            assert!(batches < 1_000);
        }
        let decided = test.status();
        assert_eq!(decided.verdict, Verdict::Accepted);
        assert_eq!(test.add_batch(&[0; 100]).unwrap(), decided);
    }

    #[test]
    fn a_stored_test_goes_on_as_if_never_stopped() {
        let mut whole = SprtTest::new(spec(), Some(Overshoot::default()));
        for _ in 0..7 {
            whole.add_batch(&batch()).unwrap();
        }
        let stored = whole.histogram().counts().to_vec();
        let mut again = SprtTest::resume(spec(), &stored, whole.overshoot().copied()).unwrap();
        assert_eq!(again, whole);
        assert_eq!(
            again.add_batch(&batch()).unwrap(),
            whole.add_batch(&batch()).unwrap()
        );
        let plain = SprtTest::resume(spec(), &stored, None).unwrap().status();
        assert_eq!([plain.lower, plain.upper], spec().wald_bounds());
    }

    #[test]
    fn the_correction_can_be_dropped_on_the_way() {
        let mut test = SprtTest::new(spec(), Some(Overshoot::default()));
        let before = test.add_batch(&batch()).unwrap();
        assert!(before.corrected && before.upper < spec().wald_bounds()[1]);
        test.drop_correction();
        let after = test.status();
        assert_eq!([after.lower, after.upper], spec().wald_bounds());
        assert_eq!((after.corrected, after.llr), (false, before.llr));
        let next = test.add_batch(&batch()).unwrap();
        assert_eq!([next.lower, next.upper], spec().wald_bounds());
        assert_eq!(test.overshoot(), None);
    }

    #[test]
    fn a_bad_cell_changes_nothing() {
        let mut test = SprtTest::new(spec(), None);
        assert!(test.add_batch(&[4, 9]).is_err());
        assert_eq!(test.histogram().observations(), 0);
    }
}
