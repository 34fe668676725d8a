//! How games end, and the points count.

use super::{Res, Resolver};
use crate::types::Kind;
use crate::variant::rule_set::{
    CountResult, DeadPositionRule, EndsRule, NMoveRule, PointsRule, RuleSet,
};

impl Resolver<'_> {
    pub(super) fn ends(&self) -> Res<EndsRule> {
        let e = &self.spec.ends;
        for (key, result) in [
            ("ends.repetition", e.repetition),
            ("ends.n-move.result", e.n_move.as_ref().map(|n| n.result)),
        ] {
            if result == Some(CountResult::Points) && self.spec.points.is_none() {
                return self.fail(key, "is `points`, but there is no table [points]");
            }
        }
        let n_move = match &e.n_move {
            None => None,
            Some(n) if (1..=1000).contains(&n.moves) => Some(NMoveRule {
                plies: n.moves * 2,
                result: n.result,
                reset: n.reset,
            }),
            Some(_) => return self.fail("ends.n-move.moves", "is 1 to 1000"),
        };
        Ok(EndsRule {
            stalemate: e.stalemate,
            bare_kings: e.bare_kings,
            dead_position: e.dead_position.then(DeadPositionRule::default),
            repetition: e.repetition,
            n_move,
        })
    }

    pub(super) fn points(&self, rules: &RuleSet) -> Res<Option<PointsRule>> {
        let Some(spec) = &self.spec.points else {
            return Ok(None);
        };
        let mut values = [0; Kind::MAX];
        for (letters, &points) in &spec.values {
            if points > 1000 {
                return self.fail(format!("points.values.{letters}"), "is at most 1000");
            }
            for letter in letters.chars() {
                values[self.kind(rules, "points.values", letter)?.index()] = points;
            }
        }
        if spec.imitator.is_some() && rules.imitator.is_none() {
            return self.fail("points.imitator", "no piece of this variant imitates");
        }
        Ok(Some(PointsRule {
            lead: spec.lead.max(1),
            values,
            heavy: self.kind_set(rules, "points.heavy", &spec.heavy)?,
            imitator: spec
                .imitator
                .as_ref()
                .map(|i| (i.heavy_outnumber, i.otherwise)),
        }))
    }
}
