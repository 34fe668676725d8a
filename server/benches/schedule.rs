//! Times of pairings: `cargo bench -p server --bench schedule`.

use divan::{Bencher, black_box};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use server::ratings::elo::score_of_elo;
use server::ratings::{Outcome, PairTable};
use server::schedule::matching::perfect_matching;
use server::schedule::{Adaptive, Draw, Drawn, Entry, Goal, History, Played, Step, Swiss};

fn main() {
    divan::main();
}

/// Adds a draw with its results: 3 Elo from each player to the next, half of what can be shared is drawn.
fn play(history: &mut History, draw: Draw, random: &mut ChaCha8Rng) {
    let mut game = |i: usize, j: usize| {
        let expected = score_of_elo(3.0 * (j as f64 - i as f64));
        let drawn = expected.min(1.0 - expected);
        let luck = f64::from(random.next_u32()) / 2f64.powi(32);
        match luck {
            luck if luck < expected - drawn / 2.0 => Outcome::Win,
            luck if luck < expected + drawn / 2.0 => Outcome::Draw,
            _ => Outcome::Loss,
        }
    };
    let mut encounter = |&[i, j]: &[usize; 2]| {
        let mut table = PairTable::default();
        (0..draw.pairs).for_each(|_| table.add_pair(game(i, j), game(j, i)));
        Played { table, missing: 0 }
    };
    let results = draw.encounters.iter().map(&mut encounter).collect();
    history.draws.push(Drawn { draw, results });
}

fn start(players: usize) -> History {
    History {
        entries: vec![Entry::default(); players],
        ..History::default()
    }
}

/// A matching of random weights, the hardest case.
#[divan::bench(args = [200, 1000, 2000], sample_count = 1, sample_size = 1)]
fn random_weights(bencher: Bencher<'_, '_>, n: usize) {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let weights: Vec<i128> = (0..n * n).map(|_| i128::from(random.next_u32())).collect();
    bencher.bench(|| perfect_matching(n, |u, v| Some(black_box(&weights)[u * n + v])));
}

/// The last of six rounds, of one game pair or of eight each, so that there are few groups or many.
#[divan::bench(args = [(200, 1), (200, 8), (1000, 1), (1000, 8), (2000, 1), (2000, 8)], sample_count = 1, sample_size = 1)]
fn swiss_round(bencher: Bencher<'_, '_>, (players, pairs): (usize, u64)) {
    let swiss = Swiss { rounds: 6, pairs };
    let mut random = ChaCha8Rng::seed_from_u64(2);
    let mut history = start(players);
    // Earlier rounds come from smaller events side by side, which is good enough and sooner done.
    let part = 100;
    for _ in 1..swiss.rounds {
        let mut whole = Draw {
            round: history.draws.len() as u64,
            encounters: Vec::new(),
            pairs,
            byes: Vec::new(),
            openings: Vec::new(),
        };
        for first in (0..players).step_by(part) {
            let own = |[i, j]: [usize; 2]| {
                (first..first + part)
                    .contains(&i)
                    .then(|| [i - first, j - first])
            };
            let mut event = start(part);
            for Drawn { draw, results } in &history.draws {
                let met = draw.encounters.iter().zip(results);
                let (encounters, results) = met
                    .filter_map(|(&met, &played)| Some((own(met)?, played)))
                    .unzip();
                let draw = Draw {
                    encounters,
                    ..draw.clone()
                };
                event.draws.push(Drawn { draw, results });
            }
            if let Step::Draw(draw) = swiss.next(&event) {
                whole
                    .encounters
                    .extend(draw.encounters.iter().map(|[i, j]| [i + first, j + first]));
            }
        }
        play(&mut history, whole, &mut random);
    }
    bencher.bench(|| swiss.next(black_box(&history)));
}

/// 16 encounters of an adaptive tournament in which everyone had 20, with the rating behind them.
#[divan::bench(args = [(100, Goal::Ratings), (500, Goal::Ratings), (500, Goal::Volume), (500, Goal::Order), (2000, Goal::Ratings)], sample_count = 3, sample_size = 1)]
fn adaptive_draw(bencher: Bencher<'_, '_>, (players, goal): (usize, Goal)) {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    let mut history = start(players);
    for _ in 0..10 {
        let partner = |i: usize, random: &mut ChaCha8Rng| {
            [
                i,
                (i + 1 + random.next_u32() as usize % (players - 1)) % players,
            ]
        };
        let draw = Draw {
            round: history.draws.len() as u64,
            encounters: (0..players).map(|i| partner(i, &mut random)).collect(),
            pairs: 2,
            byes: Vec::new(),
            openings: Vec::new(),
        };
        play(&mut history, draw, &mut random);
    }
    let event = Adaptive {
        pairs: 1,
        budget: u64::MAX,
        random_percent: 10,
        goal,
    };
    bencher.bench(|| event.next(black_box(&history), 16));
}
