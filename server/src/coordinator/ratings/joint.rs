//! One verdict of several tournaments of two engines each.

use std::{collections::BTreeSet, sync::Arc};

use proto::v1;

use super::{head_to_head::head_to_head, question::checked_level, sprt::state_to_wire};
use crate::{
    coordinator::{Coordinator, Error, sequential::CountedBatch, tournament::Tournament},
    model::{Sprt, TournamentId},
    ratings::{
        CellSet, Histogram, PairTable, match_estimate, pooled_elo,
        sprt::{EloUnit, JointTest, LlrMethod, Overshoot, SprtSpec, Verdict},
    },
};

/// Most tournaments of a joint verdict.
const MAX_PARTS: usize = 64;

/// One tournament, taken out of the state.
struct Part {
    id: TournamentId,
    sprt: Option<Sprt>,
    batches: Vec<CountedBatch>,
    verdict: Verdict,
    ended: bool,
    /// The pairs that count, seen by the candidate: with a test those of the rounds counted, else all.
    counted: PairTable,
}

impl Coordinator {
    /// One verdict of several tournaments.
    pub async fn joint(
        self: &Arc<Self>,
        request: v1::JointRequest,
    ) -> Result<v1::JointResponse, Error> {
        let level = checked_level(request.confidence)?;
        let named: BTreeSet<u64> = request.tournament_ids.iter().copied().collect();
        if named.is_empty() || named.len() > MAX_PARTS || named.len() < request.tournament_ids.len()
        {
            let problem =
                format!("tournament_ids: name 1 to {MAX_PARTS} tournaments, each of them once");
            return Err(Error::Invalid(problem));
        }
        self.query(move |this| {
            let parts = {
                let state = this.state();
                let ids = request.tournament_ids.into_iter().map(TournamentId);
                let parts = ids.map(|id| Part::of(state.tournament(id)?));
                parts.collect::<Result<Vec<_>, Error>>()?
            };
            let question = question(&parts)?;
            together(parts, question, level)
        })
        .await
    }
}

impl Part {
    fn of(tournament: &Tournament) -> Result<Self, Error> {
        let definition = &tournament.definition;
        let id = definition.id;
        if definition.players.len() != 2 || tournament.tuning.is_some() {
            let problem = format!(
                "tournament {id} is not between two engines: a joint verdict is of a candidate against a base"
            );
            return Err(Error::Precondition(problem));
        }
        let sprt = definition.spec.sprt;
        let counted = match sprt {
            None => tournament.aggregates().table(1, 0),
            Some(_) => PairTable::default(),
        };
        Ok(Self {
            id,
            sprt,
            batches: tournament.counted_batches(),
            verdict: tournament
                .sprt()
                .map_or(Verdict::Continue, |(status, _)| status.verdict),
            ended: tournament.state().is_over(),
            counted,
        })
    }
}

impl Part {
    /// Whether so many rounds of a joint test, if there is one, hold all that its own test has counted. What that says of
    /// batches beyond them depends on how many were under way, and is not told.
    fn is_counted(&self, rounds: Option<u32>) -> bool {
        rounds.is_none_or(|rounds| self.batches.len() <= rounds as usize)
    }
}

/// What all tournaments ask, and whether their tests correct for overshoot; none if no tournament has a test.
fn question(parts: &[Part]) -> Result<Option<(SprtSpec, bool)>, Error> {
    // Tournaments that do not say were made when the correction was always on.
    let asked = |part: &Part| {
        let sprt = part.sprt?;
        let correction = sprt.overshoot_correction.unwrap_or(true);
        Some((sprt.question().ok()?, correction))
    };
    let Some(first) = parts.first() else {
        return Ok(None);
    };
    let wanted = asked(first);
    let question = |part: &Part| asked(part).map(|(question, _)| question);
    if let Some(other) = parts.iter().find(|part| question(part) != question(first)) {
        return Err(Error::Precondition(format!(
            "tournaments {} and {} do not ask the same question: give them the same [sprt] table, or none",
            first.id, other.id
        )));
    }
    let corrected = |part: &Part| asked(part).is_some_and(|(_, correction)| correction);
    Ok(wanted.map(|(question, _)| (question, parts.iter().all(corrected))))
}

fn together(
    mut parts: Vec<Part>,
    question: Option<(SprtSpec, bool)>,
    level: f64,
) -> Result<v1::JointResponse, Error> {
    let internal = |error: crate::ratings::HistogramError| Error::Internal(error.to_string());
    let test = question
        .map(|(question, corrected)| judge(&mut parts, question, corrected))
        .transpose()
        .map_err(internal)?;
    let rounds = test.as_ref().map(|(_, rounds)| *rounds);
    let ratios = test.as_ref().map(|(test, _)| test.ratios());
    let histogram = |part: &Part| {
        Histogram::new(CellSet::FivePairs, &part.counted.pair_histogram()).map_err(internal)
    };
    let histograms: Vec<Histogram> = parts.iter().map(histogram).collect::<Result<_, _>>()?;
    let estimates: Option<Vec<_>> = histograms
        .iter()
        .map(|histogram| match_estimate(histogram, level))
        .collect();
    let pooled = estimates.and_then(|estimates| pooled_elo(&estimates, level));
    let shown = parts.iter().enumerate().map(|(index, part)| v1::JointPart {
        tournament_id: part.id.0,
        counted: Some(head_to_head(&part.counted, level)),
        llr: ratios
            .as_ref()
            .and_then(|ratios| ratios.get(index))
            .map_or(0.0, |ratio| ratio.value),
        pairs: histograms.get(index).map_or(0, Histogram::observations),
        state: match part.sprt {
            Some(_) if part.is_counted(rounds) => state_to_wire(part.verdict).into(),
            Some(_) => v1::SprtState::Continue.into(),
            None => v1::SprtState::Unspecified.into(),
        },
        ended: part.ended && part.is_counted(rounds),
    });
    Ok(v1::JointResponse {
        parts: shown.collect(),
        test: test.map(|(test, rounds)| test_to_wire(&test, rounds)),
        elo: pooled.map(|pooled| pooled.elo),
        elo_low: pooled.map(|pooled| pooled.interval[0]),
        elo_high: pooled.map(|pooled| pooled.interval[1]),
        heterogeneity: pooled.map(|pooled| pooled.q),
        freedom: pooled.map_or(0, |pooled| pooled.freedom),
        heterogeneity_p: pooled.map(|pooled| pooled.p),
        confidence: level,
    })
}

/// Gives the test the rounds that are complete, in order of index, and the parts the pairs that it counted. Gives the test
/// and the number of its rounds.
///
/// From the first round on that holds a game played again the correction for overshoot is off, as in a test of one.
fn judge(
    parts: &mut [Part],
    question: SprtSpec,
    corrected: bool,
) -> Result<(JointTest, u32), crate::ratings::HistogramError> {
    let overshoot = corrected.then(Overshoot::default);
    let mut test = JointTest::new(question, parts.len(), overshoot);
    let mut rounds = 0;
    while test.status().verdict == Verdict::Continue {
        let number = rounds as usize;
        let is_known = |part: &Part| part.ended || number < part.batches.len();
        let goes_on = parts.iter().any(|part| number < part.batches.len());
        if !(goes_on && parts.iter().all(is_known)) {
            break;
        }
        let batches = || parts.iter().map(|part| part.batches.get(number));
        if batches().flatten().any(|batch| batch.was_played_again) {
            test.drop_correction();
        }
        let round: Vec<Vec<usize>> = batches()
            .map(|batch| batch.map_or_else(Vec::new, CountedBatch::cells))
            .collect();
        test.add_round(&round)?;
        for part in parts.iter_mut() {
            let pairs = part.batches.get(number).map(|batch| &batch.pairs);
            for &[moved_first, base] in pairs.into_iter().flatten() {
                part.counted.add_pair(moved_first, base);
            }
        }
        rounds += 1;
    }
    Ok((test, rounds))
}

fn test_to_wire(test: &JointTest, rounds: u32) -> v1::JointTest {
    let (status, question) = (test.status(), test.spec());
    let ([elo0, elo1], [alpha, beta]) = (question.elo(), question.errors());
    v1::JointTest {
        elo0,
        elo1,
        logistic: question.unit() == EloUnit::Logistic,
        alpha,
        beta,
        llr: status.llr.value,
        lower: status.lower,
        upper: status.upper,
        pairs: status.observations,
        rounds,
        state: state_to_wire(status.verdict).into(),
        closed_form: status.llr.method == LlrMethod::ClosedForm,
        overshoot_corrected: status.corrected,
    }
}
