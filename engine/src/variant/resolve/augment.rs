//! Augmenters, their holders and the regent.

use super::{Res, Resolver};
use crate::betza::MoveProgram;
use crate::types::{Colour, Piece};
use crate::variant::diagram::Diagram;
use crate::variant::rule_set::{AugmentRule, RegentRule, RuleSet};

impl Resolver<'_> {
    pub(super) fn augment(&self, rules: &RuleSet) -> Res<Option<AugmentRule>> {
        let Some(spec) = &self.spec.augment else {
            return Ok(None);
        };
        let letters = |key: &str,
                       map: &std::collections::BTreeMap<String, String>|
         -> Res<Vec<(u8, MoveProgram)>> {
            map.iter()
                .map(|(letter, text)| match letter.as_bytes() {
                    &[l @ b'A'..=b'Z'] => {
                        Ok((l, self.program(&format!("{key}.{letter}"), text, false)?))
                    }
                    _ => self.fail(format!("{key}.{letter}"), "is one letter A to Z"),
                })
                .collect()
        };
        let augmenters = letters("augment.augmenter", &spec.augmenter)?;
        let regent = match &spec.regent {
            None => None,
            Some(r) => {
                let kind = self.kind(
                    rules,
                    "augment.regent.piece",
                    r.piece.chars().next().unwrap_or(' '),
                )?;
                let bases = letters("augment.regent.bases", &r.bases)?;
                if r.pick == 0 || usize::from(r.pick) > bases.len() {
                    return self.fail(
                        "augment.regent.pick",
                        "is between 1 and the number of bases",
                    );
                }
                Some(RegentRule {
                    kind,
                    pick: r.pick,
                    bases,
                })
            }
        };
        let bits = augmenters.len() + regent.as_ref().map_or(0, |r| r.bases.len());
        if bits > 16 || augmenters.is_empty() {
            return self.fail("augment", "there are 1 to 16 augmenters and bases together");
        }
        if augmenters
            .iter()
            .chain(regent.iter().flat_map(|r| &r.bases))
            .any(|(_, p)| p.imitator)
        {
            return self.fail("augment", "an augmenter cannot imitate");
        }
        let mut slots = Vec::new();
        for holder in &spec.holders {
            slots.push((
                self.square(rules, "augment.holders.square", &holder.square)?,
                holder.slots,
            ));
        }
        slots.sort();
        if slots.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return self.fail("augment.holders", "names a square twice");
        }
        let placed: usize = slots.iter().map(|s| usize::from(s.1)).sum();
        if placed != augmenters.len() || slots.iter().any(|s| s.1 == 0) {
            return self.fail(
                "augment.holders",
                format!("have {placed} slots for {} augmenters", augmenters.len()),
            );
        }
        let board_text = self
            .spec
            .start
            .fen
            .split(['[', ' '])
            .next()
            .unwrap_or_default();
        let men = match Diagram::parse(rules, board_text) {
            Ok(diagram) => diagram.men,
            Err(e) => return self.fail("start.fen", e.to_string()),
        };
        let mut holders = 0;
        for (square, _) in &slots {
            let man = men[square.index()];
            if man.is_none() || man.colour() == Colour::Black {
                return self.fail(
                    "augment.holders",
                    format!(
                        "no man of White's starts on {}",
                        rules.geometry.name(*square)
                    ),
                );
            }
            let mirror = self.mirrored(rules, "augment.holders", *square)?;
            if men[mirror.index()] != Piece::new(Colour::Black, man.kind()) {
                return self.fail(
                    "augment.holders",
                    format!(
                        "Black's man on {} is not the mirror of White's",
                        rules.geometry.name(mirror)
                    ),
                );
            }
            holders |= 1 << man.kind().index();
        }
        Ok(Some(AugmentRule {
            holders,
            slots,
            augmenters,
            regent,
        }))
    }
}
