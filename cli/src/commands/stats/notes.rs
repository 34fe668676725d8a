//! What a reader of a rating list of files has to know.

use server::ratings::{ErrorBars, FirstMoveStatus, MAX_COVARIANCE, RatingReport};
use server::results::Results;

/// What a reader of the list has to know.
pub fn notes(results: &Results, report: &RatingReport) -> Vec<String> {
    let mut notes = Vec::new();
    if report.games == 0 {
        notes.push("no games with a result".to_owned());
    }
    if results.unfinished > 0 {
        notes.push(format!(
            "{} games without a result are not counted",
            results.unfinished
        ));
    }
    if results.left_out > 0 {
        notes.push(format!(
            "{} games of excluded players are not counted",
            results.left_out
        ));
    }
    if report.components > 1 {
        notes.push(format!(
            "the players fall into {} groups without games between them; ratings are comparable within a group only",
            report.components
        ));
    }
    if report.met > report.components {
        notes.push(format!(
            "{} groups without games between them are joined by --link; how they compare is what the links say, not a result",
            report.met
        ));
    }
    if report.players.len() > MAX_COVARIANCE && report.error_bars == ErrorBars::None {
        notes.push(format!(
            "error bars of more than {MAX_COVARIANCE} players take too long; ask for some players' by --error-bars-for"
        ));
    }
    notes.extend(refits(report));
    let perfect = report
        .players
        .iter()
        .filter(|player| player.perfect.is_some())
        .count();
    if perfect > 0 {
        notes.push(format!(
            "{perfect} players won or lost all their games; what is known of them is a bound (column Bound)"
        ));
    }
    let unrated = report
        .players
        .iter()
        .filter(|player| player.rating_elo.is_none())
        .count();
    if unrated > 0 {
        notes.push(format!(
            "{unrated} players have no finite rating without a prior, for want of points against or for them; give --prior 1"
        ));
    }
    match report.first_move.status {
        FirstMoveStatus::NotIdentifiable if report.games > 0 => notes.push(
            "who moved first tells nothing about what that is worth here; it is taken as 0".to_owned(),
        ),
        FirstMoveStatus::Unbounded => notes.push(
            "whoever moved first won, as far as that matters; what moving first is worth is taken as 0".to_owned(),
        ),
        _ => {}
    }
    if !report.converged && report.games > 0 {
        notes.push("the fit did not converge; the ratings are approximate".to_owned());
    }
    notes
}

/// What is to be known of error bars that come from refits.
fn refits(report: &RatingReport) -> Vec<String> {
    let Some(count) = report.refits else {
        return Vec::new();
    };
    let mut notes = Vec::new();
    if count.used < count.made {
        let enough = if 2 * count.used < count.made {
            ", too few for error bars"
        } else {
            ""
        };
        notes.push(format!(
            "{} of {} refits have finite ratings{enough}; a prior gives ratings to all",
            count.used, count.made
        ));
    }
    let rated = report
        .players
        .iter()
        .filter(|player| player.rating_elo.is_some());
    let unknown = rated.filter(|player| player.error_elo.is_none()).count();
    if unknown > 0 && report.players.len() <= MAX_COVARIANCE && 2 * count.used >= count.made {
        notes.push(format!(
            "{unknown} players had the same results against each opponent in all games, so that drawing from them gives no error bars; --error-bars simulation does"
        ));
    }
    notes
}
