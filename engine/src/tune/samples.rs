//! Positions as the fit sees them: terms with how often they occur, and the result.

use crate::eval::{GRAINS, Pair, Trace, danger_slope};

/// A position.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    /// Terms and how often they occur, each term once.
    terms: Box<[(u16, i16)]>,
    /// Units of danger of each side.
    units: [Box<[(u16, i16)]>; 2],
    fixed: [f32; 2],
    /// Part of the middle game.
    phase: f32,
    scale: f32,
    /// Points of White, with the search's opinion mixed in.
    pub target: f32,
    /// Positions of a game are alike: what this one counts.
    pub weight: f32,
    /// Kept apart to see whether the fit holds for other games.
    pub held_out: bool,
}

/// Where a position adds to the slope of the loss.
pub(super) type Slope = [Vec<f64>; 2];

impl Sample {
    pub fn new(trace: &Trace, target: f32, held_out: bool) -> Sample {
        Sample {
            terms: merged(&trace.terms),
            units: [merged(&trace.units[0]), merged(&trace.units[1])],
            fixed: [trace.fixed.mg as f32, trace.fixed.eg as f32],
            phase: trace.phase as f32 / 256.0,
            scale: trace.scale as f32 / 64.0,
            target,
            weight: 1.0,
            held_out,
        }
    }

    /// The terms with how often they occur.
    pub fn terms(&self) -> &[(u16, i16)] {
        &self.terms
    }

    /// Part of the middle game.
    pub fn phase(&self) -> f32 {
        self.phase
    }

    fn units(&self, weights: &[Vec<f32>; 2]) -> [f32; 2] {
        [0, 1].map(|side: usize| {
            self.units[side]
                .iter()
                .map(|&(t, n)| weights[0][usize::from(t)] * f32::from(n))
                .sum()
        })
    }

    /// What White's position is worth in centipawns.
    pub fn value(&self, weights: &[Vec<f32>; 2]) -> f32 {
        let mut sum = self.fixed;
        for &(term, count) in &self.terms {
            for phase in 0..2 {
                sum[phase] += weights[phase][usize::from(term)] * f32::from(count);
            }
        }
        let units = self.units(weights);
        let dangers =
            units.map(|units| danger_slope(units).map(|slope| slope * units.max(0.0) / 2.0));
        for (sum, (white, black)) in sum.iter_mut().zip(dangers[0].into_iter().zip(dangers[1])) {
            *sum += white - black;
        }
        let white = sum[0] * self.phase + sum[1] * (1.0 - self.phase);
        white * self.scale / GRAINS as f32
    }

    /// Adds the slope of the value, times `by`, to a slope by weights.
    pub fn add_slope(&self, weights: &[Vec<f32>; 2], by: f32, slope: &mut Slope) {
        let by = by * self.scale / GRAINS as f32;
        let by = [by * self.phase, by * (1.0 - self.phase)];
        for &(term, count) in &self.terms {
            for phase in 0..2 {
                slope[phase][usize::from(term)] += f64::from(by[phase] * f32::from(count));
            }
        }
        let units = self.units(weights);
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            let steep = danger_slope(units[side]);
            let by = sign * (by[0] * steep[0] + by[1] * steep[1]);
            for &(term, count) in &self.units[side] {
                slope[0][usize::from(term)] += f64::from(by * f32::from(count));
            }
        }
    }
}

/// Each term once.
fn merged(terms: &[(usize, i32)]) -> Box<[(u16, i16)]> {
    let mut sorted = terms.to_vec();
    sorted.sort_unstable();
    let mut merged: Vec<(u16, i16)> = Vec::with_capacity(sorted.len());
    for (term, count) in sorted {
        match merged.last_mut() {
            Some(last) if usize::from(last.0) == term => {
                last.1 = last.1.saturating_add(count as i16);
            }
            _ => merged.push((term as u16, count.clamp(-30_000, 30_000) as i16)),
        }
    }
    merged.retain(|&(_, count)| count != 0);
    merged.into_boxed_slice()
}

/// Weights as the fit moves them: middle game and endgame.
pub(super) fn unpacked(weights: &[Pair]) -> [Vec<f32>; 2] {
    [
        weights.iter().map(|w| w.mg as f32).collect(),
        weights.iter().map(|w| w.eg as f32).collect(),
    ]
}

/// Weights as evaluation uses them.
pub(super) fn packed(weights: &[Vec<f32>; 2]) -> Vec<Pair> {
    let pairs = weights[0].iter().zip(&weights[1]);
    pairs
        .map(|(mg, eg)| Pair::new(mg.round() as i32, eg.round() as i32))
        .collect()
}
