//! Set-up actions of games with augmenters.

use crate::position::{Position, SetupStage};
use crate::types::{Colour, Move, MoveKind};
use crate::variant::sorted_set;

impl<const N: usize> Position<N> {
    /// The picks of bases that are legal now; empty when no pick is due.
    #[must_use]
    pub fn setup_picks(&self) -> Vec<Move> {
        let rules = &self.compiled().rules;
        let Some(SetupStage::Bases(_)) = self.setup() else {
            return Vec::new();
        };
        let Some((augment, regent)) = rules
            .augment
            .as_ref()
            .and_then(|a| Some((a, a.regent.as_ref()?)))
        else {
            return Vec::new();
        };
        (1u32..1 << regent.bases.len())
            .filter(|set| set.count_ones() == u32::from(regent.pick))
            .map(|set| Move::setup(MoveKind::PickBases, set << augment.base_shift()))
            .collect()
    }

    /// The number of placements of augmenters that are legal now; 0 when none is due.
    #[must_use]
    pub fn setup_placements(&self) -> u32 {
        match self.setup() {
            Some(SetupStage::Augmenters(_)) => self.placements(),
            _ => 0,
        }
    }

    /// Reads a set-up action that is legal now.
    pub(crate) fn parse_setup(&self, text: &str) -> Option<Move> {
        let augment = self.compiled().rules.augment.as_ref()?;
        match self.setup()? {
            SetupStage::Bases(_) => {
                let regent = augment.regent.as_ref()?;
                let letters: Vec<u8> = regent.bases.iter().map(|b| b.0).collect();
                let set = sorted_set(text.strip_prefix("regent=")?, &letters).ok()?;
                let mv = Move::setup(MoveKind::PickBases, u32::from(set) << augment.base_shift());
                self.setup_picks().contains(&mv).then_some(mv)
            }
            SetupStage::Augmenters(_) => {
                let letters: Vec<u8> = augment.augmenters.iter().map(|a| a.0).collect();
                let sets: Option<Vec<u16>> = text
                    .strip_prefix("augment=")?
                    .split(',')
                    .map(|slot| sorted_set(slot, &letters).ok())
                    .collect();
                let number = self.placement_number(&sets?)?;
                Some(Move::setup(MoveKind::PlaceAugmenters, number))
            }
        }
    }
}

/// The text of a pick.
pub(crate) fn pick_text<const N: usize>(position: &Position<N>, mv: Move) -> String {
    let mut text = "regent=".to_owned();
    if let Some(augment) = &position.compiled().rules.augment
        && let Some(regent) = &augment.regent
    {
        let set = mv.payload() >> augment.base_shift();
        text.extend(
            regent
                .bases
                .iter()
                .enumerate()
                .filter(|(i, _)| set >> i & 1 != 0)
                .map(|(_, b)| b.0 as char),
        );
    }
    text
}

/// The text of a placement.
pub(crate) fn placement_text<const N: usize>(position: &Position<N>, mv: Move) -> String {
    let Some(augment) = &position.compiled().rules.augment else {
        return String::new();
    };
    let slots: Vec<String> = position
        .placement(Colour::White, mv.payload())
        .iter()
        .map(|(_, set)| {
            augment
                .augmenters
                .iter()
                .enumerate()
                .filter(|(i, _)| set >> i & 1 != 0)
                .map(|(_, a)| a.0 as char)
                .collect()
        })
        .collect();
    format!("augment={}", slots.join(","))
}
