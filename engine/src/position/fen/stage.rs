//! Which set-up action is due in a position read from a FEN.

use super::FenError;
use crate::position::{Position, SetupStage};
use crate::types::Colour;
use crate::variant::RuleSet;

impl<const N: usize> Position<N> {
    /// The set-up action that is due in this position, if any.
    pub(super) fn find_stage(&self, rules: &RuleSet) -> Result<Option<SetupStage>, FenError> {
        let Some(augment) = &rules.augment else {
            return Ok(None);
        };
        let at_home = rules.geometry.all().all(|s| {
            let homes = &rules.start.homes[s.index()];
            let man = self.man_on(s);
            if man.is_none() {
                homes.is_empty()
            } else {
                homes.contains(&man)
            }
        });
        if !at_home {
            return Ok(None);
        }
        let has_regent = augment.regent.is_some();
        let side = |colour: Colour| {
            let held: Vec<u16> = self
                .slots(colour)
                .iter()
                .map(|&(s, _)| self.powers(s))
                .collect();
            let bases = !has_regent || held.iter().any(|p| p & augment.base_mask() != 0);
            let placed = held
                .iter()
                .filter(|&p| p & !augment.base_mask() != 0)
                .count();
            (bases, placed == held.len(), placed == 0)
        };
        let regent_placed = |colour: Colour| {
            let regent = augment.regent.as_ref().map(|r| r.kind);
            self.slots(colour).iter().any(|&(s, _)| {
                regent.is_none_or(|k| self.man_on(s).kind() == k)
                    && self.powers(s) & !augment.base_mask() != 0
            })
        };
        let ((wb, wp, wn), (bb, bp, bn)) = (side(Colour::White), side(Colour::Black));
        if wb && bb && regent_placed(Colour::White) && regent_placed(Colour::Black) {
            return Ok(None);
        }
        let stage = match (wb, bb, wp, bp) {
            _ if !(wp || wn) || !(bp || bn) => None,
            (false, false, false, false) => Some(SetupStage::Bases(Colour::White)),
            (true, false, false, false) => Some(SetupStage::Bases(Colour::Black)),
            (true, true, false, false) => Some(SetupStage::Augmenters(Colour::White)),
            (true, true, true, false) => Some(SetupStage::Augmenters(Colour::Black)),
            _ => None,
        };
        match stage {
            Some(stage) if stage.side() == self.side => Ok(Some(stage)),
            Some(stage) => Err(FenError::Position(format!("in this stage of the set-up it is {}'s turn", stage.side()))),
            None => Err(FenError::Position(
                "the set-up phase goes: White picks bases, Black picks, White places all augmenters, Black places all; these men are at none of its stages".to_owned(),
            )),
        }
    }
}
