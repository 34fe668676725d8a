//! How far weights are believed to be from those derived from the rules: a normal distribution for each.

use crate::eval::{GRAINS, Section, Terms};

/// The standard deviation of each weight, in grains, for the middle game and the endgame.
pub(super) fn deviations(terms: &Terms) -> [Vec<f32>; 2] {
    let mut deviations = [vec![1.0; terms.count()], vec![1.0; terms.count()]];
    for group in terms.groups() {
        let of_group = deviation(group.section, group.key);
        for (deviations, deviation) in deviations.iter_mut().zip(of_group) {
            deviations[group.first..group.first + group.count].fill(deviation);
        }
    }
    deviations
}

/// In grains; units of danger have no endgame.
fn deviation(section: Section, key: &str) -> [f32; 2] {
    let centipawns = |c: f32| [c * GRAINS as f32; 2];
    match (section, key) {
        (_, "danger_attacker") => [12.0, 0.0],
        (_, "danger_square") => [4.0, 0.0],
        (_, "danger_weak_square" | "danger_shelter" | "danger_guarded_check") => [8.0, 0.0],
        (_, "danger_check") => [16.0, 0.0],
        (_, "danger_near" | "danger_guard") => [4.0, 0.0],
        (_, "danger_base") => [30.0, 0.0],
        (Section::Type(_), "worth") => centipawns(120.0),
        (Section::Type(_), "mobility" | "mobility_root") => centipawns(3.0),
        (Section::Type(_), "ranks" | "files") => centipawns(15.0),
        (Section::Type(_), "squares") => centipawns(8.0),
        (Section::Type(_), _) => centipawns(12.0),
        (Section::Power(_), _) => centipawns(60.0),
        (Section::Once, "promotion") => [24.0, 48.0],
        (Section::Once, "passer_own_king" | "passer_enemy_king" | "imitator_models") => {
            centipawns(2.0)
        }
        (Section::Once, _) => centipawns(20.0),
    }
}
