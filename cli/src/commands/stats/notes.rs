//! What a reader of a rating list of files has to know.

use server::ratings::RatingReport;
use server::results::Results;

/// What a reader of the list has to know.
pub fn notes(results: &Results, report: &RatingReport) -> Vec<String> {
    let mut notes = Vec::new();
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
    if results.given_up > 0 {
        notes.push(format!(
            "{} games are taken by themselves, as too many waited for the other one of their pair: put games of one opening near \
             each other",
            results.given_up
        ));
    }
    notes.extend(report.notes());
    notes
}
