//! The order of the engines of a tournament by their ratings, for formats that seed.

use std::collections::BTreeMap;

use proto::v1::{self, rating_scope::Kind};

use crate::{
    coordinator::{Coordinator, Error, submit::Resolved},
    model::{Player, Seeding},
    rules,
};

/// Rating of a player and the group in which it compares.
#[derive(Clone, Copy)]
struct Rated {
    component: usize,
    elo: f64,
}

impl Coordinator {
    /// The same with the engines in the order of their seeds. Blocks.
    pub(in crate::coordinator) fn seeded(&self, mut resolved: Resolved) -> Result<Resolved, Error> {
        if resolved.spec.format.seeding == Seeding::Order {
            return Ok(resolved);
        }
        let order = order(&self.known_ratings(&resolved)?);
        let engines = std::mem::take(&mut resolved.spec.engines);
        resolved.spec.engines = permuted(engines, &order);
        resolved.players = permuted(resolved.players, &order);
        Ok(resolved)
    }

    /// What the pool of a specification knows of its players.
    fn known_ratings(&self, resolved: &Resolved) -> Result<Vec<Option<Rated>>, Error> {
        let pool = v1::RatingPool {
            variant: Some(rules::reference(&resolved.variant)),
            limit_class: resolved.spec.limit_class(),
        };
        let request = v1::GetRatingsRequest {
            scope: Some(v1::RatingScope {
                kind: Some(Kind::Pool(pool)),
            }),
            ..Default::default()
        };
        let solution = match self.solve(&request) {
            Ok(solution) => solution,
            // Nothing was played in it yet.
            Err(Error::NotFound(_)) => return Ok(vec![None; resolved.players.len()]),
            Err(error) => return Err(error),
        };
        let rated = |player: &Player| {
            let number = solution.entrants.number(&player.id.to_string(), "engine");
            let found = solution.report.player(number.ok()?)?;
            let elo = found.rating_elo.filter(|_| found.games > 0)?;
            Some(Rated {
                component: found.component,
                elo,
            })
        };
        Ok(resolved.players.iter().map(rated).collect())
    }
}

/// Indices of players by seed: those of the group that most belong to by rating, then the others as they stand.
fn order(ratings: &[Option<Rated>]) -> Vec<usize> {
    let mut groups: BTreeMap<usize, usize> = BTreeMap::new();
    for rated in ratings.iter().flatten() {
        *groups.entry(rated.component).or_default() += 1;
    }
    // Of groups as large the first one.
    let largest = groups.iter().rev().max_by_key(|(_, players)| **players);
    let group = largest.map(|(&component, _)| component);
    let elo = |player: &usize| {
        let rated = ratings[*player].filter(|rated| Some(rated.component) == group);
        rated.map_or(f64::NEG_INFINITY, |rated| rated.elo)
    };
    let mut order: Vec<usize> = (0..ratings.len()).collect();
    order.sort_by(|one, other| elo(other).total_cmp(&elo(one)));
    order
}

fn permuted<T>(items: Vec<T>, order: &[usize]) -> Vec<T> {
    let mut items: Vec<Option<T>> = items.into_iter().map(Some).collect();
    order
        .iter()
        .filter_map(|&index| items.get_mut(index)?.take())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Rated, order, permuted};

    #[test]
    fn seeds_go_by_rating_within_the_largest_group() {
        let rated = |component, elo| Some(Rated { component, elo });
        for (ratings, expected) in [
            (vec![None, None], vec![0, 1]),
            (
                vec![rated(0, 1.0), None, rated(0, 5.0), rated(0, -2.0)],
                vec![2, 0, 3, 1],
            ),
            // The ratings of another group say nothing here.
            (
                vec![rated(1, 900.0), rated(0, 1.0), rated(0, 2.0)],
                vec![2, 1, 0],
            ),
            (vec![rated(1, 3.0), rated(0, 1.0)], vec![1, 0]),
            (vec![rated(0, 3.0), rated(0, 3.0)], vec![0, 1]),
        ] {
            assert_eq!(order(&ratings), expected);
        }
        assert_eq!(permuted(vec!["a", "b", "c"], &[2, 0, 1]), ["c", "a", "b"]);
    }
}
