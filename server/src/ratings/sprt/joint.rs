//! One verdict of several sequential tests: the sum of their log-likelihood ratios.

use super::likelihood::{Llr, LlrMethod, llr};
use super::spec::SprtSpec;
use super::stop::{Overshoot, SprtStatus, Verdict, bounds_of, status_of};
use crate::ratings::cells::{Histogram, HistogramError};

/// A running test of H0: elo <= elo0 in every one of several independent series of results, against H1: elo >= elo1 in
/// every one, e.g. of one engine against another in several variants.
///
/// The likelihood of independent series is the product of theirs, so that their log-likelihood ratios add up, and the sum
/// stands between the same bounds (A. Wald, "Sequential tests of statistical hypotheses", Annals of Mathematical Statistics
/// 16, 1945). Which series is observed next, and whether one is observed at all any more, may depend on all that was seen:
/// it cancels out of the ratio, which stays a martingale under H0 (J. Ville, 1939). A series may therefore end by a verdict
/// of its own. If all have ended and the sum is between the bounds, they disagree, and there is no joint verdict.
///
/// Feed it rounds: the batch of one index of every series that has one. A verdict is then a function of the series and of
/// their batches in order of index, whatever the order in which they arrived and in which the series are named.
#[derive(Debug, Clone, PartialEq)]
pub struct JointTest {
    spec: SprtSpec,
    histograms: Vec<Histogram>,
    overshoot: Option<Overshoot>,
    status: SprtStatus,
}

impl JointTest {
    /// A test of so many series at its start; `overshoot` as in [`super::SprtTest::new`], where a round is a batch.
    pub fn new(spec: SprtSpec, series: usize, overshoot: Option<Overshoot>) -> Self {
        let histograms = vec![Histogram::empty(spec.set()); series];
        let status = status_of(
            &spec,
            sum(&spec, &histograms),
            0,
            bounds_of(&spec, overshoot),
        );
        Self {
            spec,
            histograms,
            overshoot,
            status,
        }
    }

    /// Counts a round, the observations of each series by cell, and judges. After a verdict nothing more is counted.
    ///
    /// Series beyond those of the test are passed over. A cell outside the set is refused and nothing of the round is counted.
    pub fn add_round(&mut self, round: &[Vec<usize>]) -> Result<SprtStatus, HistogramError> {
        if self.status.verdict != Verdict::Continue {
            return Ok(self.status);
        }
        let mut histograms = self.histograms.clone();
        for (histogram, cells) in histograms.iter_mut().zip(round) {
            cells.iter().try_for_each(|&cell| histogram.add(cell))?;
        }
        self.histograms = histograms;
        let ratio = sum(&self.spec, &self.histograms);
        if let Some(overshoot) = &mut self.overshoot {
            overshoot.update(ratio.value);
        }
        self.judge(ratio);
        Ok(self.status)
    }

    /// Goes on without the correction for overshoot, as after results were taken away.
    pub fn drop_correction(&mut self) {
        if self.status.verdict == Verdict::Continue && self.overshoot.take().is_some() {
            self.judge(self.status.llr);
        }
    }

    fn judge(&mut self, ratio: Llr) {
        let observations = self.histograms.iter().map(Histogram::observations).sum();
        let bounds = bounds_of(&self.spec, self.overshoot);
        self.status = status_of(&self.spec, ratio, observations, bounds);
    }

    /// The question.
    pub fn spec(&self) -> &SprtSpec {
        &self.spec
    }

    /// Where the test stands.
    pub fn status(&self) -> SprtStatus {
        self.status
    }

    /// The log-likelihood ratio of each series.
    pub fn ratios(&self) -> Vec<Llr> {
        let ratios = self.histograms.iter();
        ratios.map(|histogram| llr(&self.spec, histogram)).collect()
    }
}

/// The sum of the ratios, the same to the last bit in whatever order they come; exact if all are.
fn sum(spec: &SprtSpec, histograms: &[Histogram]) -> Llr {
    let mut ratios: Vec<Llr> = histograms.iter().map(|one| llr(spec, one)).collect();
    ratios.sort_by(|one, other| one.value.total_cmp(&other.value));
    let is_exact = ratios.iter().all(|ratio| ratio.method == LlrMethod::Exact);
    Llr {
        // Of no series it is zero, not minus zero.
        value: ratios.iter().map(|ratio| ratio.value).sum::<f64>() + 0.0,
        method: match is_exact {
            true => LlrMethod::Exact,
            false => LlrMethod::ClosedForm,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::super::{EloUnit, SprtTest};
    use super::*;
    use crate::ratings::cells::CellSet;

    fn spec() -> SprtSpec {
        let set = CellSet::FivePairs;
        SprtSpec::new(EloUnit::Normalized, 0.0, 30.0, 0.05, 0.05, set).unwrap()
    }

    /// Batches by number: uneven, and rather won than lost.
    fn batch(number: usize) -> Vec<usize> {
        (0..4).map(|pair| 2 + (7 * number + 3 * pair) % 6).collect()
    }

    #[test]
    fn one_series_is_judged_as_by_a_test_of_its_own() {
        for overshoot in [None, Some(Overshoot::default())] {
            let mut joint = JointTest::new(spec(), 1, overshoot);
            let mut single = SprtTest::new(spec(), overshoot);
            assert_eq!(joint.status(), single.status());
            for number in 0..200 {
                let expected = single.add_batch(&batch(number)).unwrap();
                assert_eq!(joint.add_round(&[batch(number)]).unwrap(), expected);
            }
            assert_ne!(joint.status().verdict, Verdict::Continue);
        }
    }

    #[test]
    fn evidence_adds_up_in_whatever_order_the_series_are_named() {
        let mut joint = JointTest::new(spec(), 2, None);
        let mut turned = JointTest::new(spec(), 2, None);
        let mut singles = [SprtTest::new(spec(), None), SprtTest::new(spec(), None)];
        for number in 0..5 {
            // The second series ends after three rounds.
            let other = if number < 3 {
                batch(number + 17)
            } else {
                vec![]
            };
            joint.add_round(&[batch(number), other.clone()]).unwrap();
            turned.add_round(&[other.clone(), batch(number)]).unwrap();
            singles[0].add_batch(&batch(number)).unwrap();
            if !other.is_empty() {
                singles[1].add_batch(&other).unwrap();
            }
        }
        assert_eq!(joint.status(), turned.status());
        let ratios = singles.map(|test| test.status().llr);
        assert_eq!(joint.ratios(), ratios);
        assert_eq!(joint.status().llr.value, ratios[0].value + ratios[1].value);
        assert_eq!(joint.status().observations, 5 * 4 + 3 * 4);
    }

    #[test]
    fn a_bad_round_changes_nothing_and_a_verdict_is_final() {
        let mut joint = JointTest::new(spec(), 2, Some(Overshoot::default()));
        assert!(joint.add_round(&[vec![4], vec![9]]).is_err());
        assert_eq!(joint.status().observations, 0);
        while joint.status().verdict == Verdict::Continue {
            joint.add_round(&[vec![6, 5, 4, 6], vec![5, 4, 6]]).unwrap();
        }
        let decided = joint.status();
        assert_eq!(decided.verdict, Verdict::Accepted);
        joint.drop_correction();
        assert_eq!(joint.add_round(&[vec![0; 99], vec![]]).unwrap(), decided);
    }
}
