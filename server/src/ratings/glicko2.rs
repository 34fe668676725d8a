//! Glicko-2, an online rating for live display and seeding.
//!
//! M. Glickman, "Example of the Glicko-2 system" (2012). Scores may be any fraction, so quarter points
//! go in unchanged. Its result depends on how games are cut into periods: lists are made by
//! [`rate`](super::rate) instead.

use std::f64::consts::PI;

/// Glicko points of one unit of the internal scale.
const SCALE: f64 = 173.7178;
const CENTRE: f64 = 1500.0;

/// A Glicko-2 rating.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Glicko2 {
    /// Rating, 1500 for a new player.
    pub rating: f64,
    /// Rating deviation, 350 for a new player.
    pub deviation: f64,
    /// Volatility, usually 0.06 for a new player.
    pub volatility: f64,
}

/// A game of a rating period.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Glicko2Game {
    /// Opponent's rating before the period.
    pub rating: f64,
    /// Opponent's deviation before the period.
    pub deviation: f64,
    /// Points obtained, 0 to 1.
    pub score: f64,
}

impl Default for Glicko2 {
    fn default() -> Self {
        Self {
            rating: CENTRE,
            deviation: 350.0,
            volatility: 0.06,
        }
    }
}

impl Glicko2 {
    /// The rating after a period with the given games; `tau` limits the change of volatility (0.3 to 1.2).
    ///
    /// Input that is not finite leaves the rating as it was.
    pub fn after_period(self, games: &[Glicko2Game], tau: f64) -> Self {
        let phi = self.deviation / SCALE;
        if games.is_empty() {
            let deviation = SCALE * phi.hypot(self.volatility);
            return Self { deviation, ..self };
        }
        let mu = (self.rating - CENTRE) / SCALE;
        let (mut precision, mut surprise) = (0.0, 0.0);
        for game in games {
            let other = game.deviation / SCALE;
            let g = 1.0 / (1.0 + 3.0 * other * other / (PI * PI)).sqrt();
            let expected = 1.0 / (1.0 + (-g * (mu - (game.rating - CENTRE) / SCALE)).exp());
            precision += g * g * expected * (1.0 - expected);
            surprise += g * (game.score - expected);
        }
        let variance = 1.0 / precision;
        let volatility = self.new_volatility(phi, variance, variance * surprise, tau);
        let spread = phi.hypot(volatility);
        let deviation = 1.0 / (1.0 / (spread * spread) + precision).sqrt();
        let after = Self {
            rating: CENTRE + SCALE * (mu + deviation * deviation * surprise),
            deviation: SCALE * deviation,
            volatility,
        };
        let finite =
            after.rating.is_finite() && after.deviation.is_finite() && volatility.is_finite();
        if finite { after } else { self }
    }

    /// Step 5: root of Glickman's f by the Illinois method.
    fn new_volatility(self, phi: f64, variance: f64, delta: f64, tau: f64) -> f64 {
        let a = (self.volatility * self.volatility).ln();
        let f = |x: f64| {
            let spread = phi * phi + variance + x.exp();
            x.exp() * (delta * delta - spread) / (2.0 * spread * spread) - (x - a) / (tau * tau)
        };
        let mut low = a;
        let excess = delta * delta - phi * phi - variance;
        let mut high = if excess > 0.0 { excess.ln() } else { a - tau };
        let mut steps = 0;
        while excess <= 0.0 && f(high) < 0.0 && steps < 1_000 {
            high -= tau;
            steps += 1;
        }
        let (mut f_low, mut f_high) = (f(low), f(high));
        for _ in 0..1_000 {
            if (high - low).abs() <= 1e-12 {
                break;
            }
            let middle = low + (low - high) * f_low / (f_high - f_low);
            let f_middle = f(middle);
            if f_middle * f_high <= 0.0 {
                (low, f_low) = (high, f_high);
            } else {
                f_low /= 2.0;
            }
            (high, f_high) = (middle, f_middle);
        }
        (low / 2.0).exp()
    }
}
