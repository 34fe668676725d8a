//! Minimum-weight perfect matchings in general graphs.
//!
//! Blossoms and duals are those of J. Edmonds, "Paths, trees, and flowers" (Canadian Journal of Mathematics 17, 1965)
//! and "Maximum matching and a polyhedron with 0,1-vertices" (Journal of Research of the National Bureau of Standards
//! 69B, 1965). That each stage takes O(n^2) steps, with the edges of least slack kept for each node, follows
//! Z. Galil, "Efficient algorithms for finding maximum matching in graphs" (ACM Computing Surveys 18, 1986).

mod blossom;
mod search;
#[cfg(test)]
mod tests;
mod weight;

pub use weight::{Levels, Weight};

use search::{NONE, Search};

/// The partners in a perfect matching of least total weight; `None` if there is no perfect matching.
///
/// `weight` is asked once for each pair u < v of vertices below `n` and answers `None` where the two may not be
/// matched. Weights may be negative; 16 n times the largest must be within the range of their type. Takes O(n^3) steps and
/// O(n^2) memory. Of several lightest matchings always the same one is found, on every machine.
pub fn perfect_matching<W: Weight>(
    n: usize,
    weight: impl Fn(usize, usize) -> Option<W>,
) -> Option<Vec<usize>> {
    solve(n, weight).map(|search| search.mate)
}

/// The search at its end, from whose duals the answer can be checked.
fn solve<W: Weight>(n: usize, weight: impl Fn(usize, usize) -> Option<W>) -> Option<Search<W>> {
    if n % 2 == 1 {
        return None;
    }
    let mut search = Search::new(n, weight);
    let unmatched = search.mate.iter().filter(|&&mate| mate == NONE).count();
    for _ in 0..unmatched / 2 {
        if !search.augment() {
            return None;
        }
        search.open_idle();
    }
    Some(search)
}
