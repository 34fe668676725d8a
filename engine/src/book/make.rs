//! [`make`]: a book of random openings that the engine thinks balanced.
//!
//! Candidate `i` is a function of the seed and `i` alone: stream `i` of ChaCha8 from the seed draws the start position, then the
//! moves. Candidates are taken in their order, so that the book is the same for any number of threads.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::game::Game;
use crate::search::{Engine, EngineOptions, Limits};
use crate::variant::Variant;

/// Most random plies of an opening.
pub const MOST_PLIES: u32 = 200;

/// Candidates in a row of which none is taken, after which it is said that there are no more.
const MOST_IN_VAIN: u64 = 2000;

/// Candidates that are tried together, for each thread.
const AT_A_TIME: u64 = 16;

/// Size of the transposition table in MiB: searches are short.
const HASH_MIB: usize = 4;

/// What a book is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MakeOptions {
    /// Random plies from the start position, 1 to [`MOST_PLIES`]. Set-up actions count.
    pub plies: u32,
    /// Most centipawns that the engine's score may be from zero; 0 = no bound, and no search.
    pub balance_cp: u32,
    /// Openings wanted, all different.
    pub count: u64,
    /// Seed of everything random.
    pub seed: u64,
    /// Nodes for the score of a candidate.
    pub nodes: u64,
    /// Threads.
    pub threads: usize,
}

/// An opening that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The position.
    pub fen: String,
    /// Score in centipawns from the point of view of the side to move; none without a bound.
    pub score_cp: Option<i32>,
}

/// Why no book was made, or not all of it.
#[derive(Debug, thiserror::Error)]
pub enum MakeError {
    /// A number is out of range.
    #[error("{name} must be {from} to {to}")]
    Range {
        /// Which.
        name: &'static str,
        /// The least.
        from: u64,
        /// The most.
        to: u64,
    },
    /// There seem to be no more such openings.
    #[error(
        "only {found} of {count} openings were found: of the last {tries} tries {over} ended on the way, {twice} were there already, \
         {unbalanced} were out of balance; ask for fewer, other plies or a wider balance"
    )]
    NoMore {
        /// Openings found.
        found: u64,
        /// Openings wanted.
        count: u64,
        /// Candidates in a row that were not taken.
        tries: u64,
        /// Of these, games that ended before their opening.
        over: u64,
        /// Of these, positions that were there already.
        twice: u64,
        /// Of these, positions out of balance.
        unbalanced: u64,
    },
    /// Somebody wants no book any more.
    #[error("the book was not made: stopped")]
    Stopped,
}

/// Makes a book; `taken` gets each opening as it is found, and how many candidates were tried until then.
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use engine::{book::{MakeOptions, make}, variant::Catalog};
/// let chess = Catalog::builtin().get("chess").unwrap();
/// let options = MakeOptions { plies: 4, balance_cp: 60, count: 3, seed: 1, nodes: 500, threads: 1 };
/// let mut fens = Vec::new();
/// make(&chess, &options, &AtomicBool::new(false), &mut |found, _tried| fens.push(found.fen)).unwrap();
/// assert_eq!(fens.len(), 3);
/// ```
///
/// # Errors
/// An option is out of range, or there seem to be no more such openings.
pub fn make(
    variant: &Arc<Variant>,
    options: &MakeOptions,
    stop: &AtomicBool,
    taken: &mut dyn FnMut(Found, u64),
) -> Result<(), MakeError> {
    check_options(options)?;
    let engine_options = EngineOptions {
        hash_mib: HASH_MIB,
        ..EngineOptions::default()
    };
    let mut engines: Vec<Engine> = (0..options.threads)
        .map(|_| Engine::new(variant.clone(), &engine_options))
        .collect();
    let mut seen = HashSet::new();
    let (mut found, mut first) = (0, 0);
    let mut vain = Vain::default();
    while found < options.count {
        let candidates = first..first + AT_A_TIME * options.threads as u64;
        first = candidates.end;
        let tried = try_all(variant, options, candidates.clone(), &mut engines, stop);
        if stop.load(Ordering::Relaxed) {
            return Err(MakeError::Stopped);
        }
        for (number, tried) in candidates.zip(tried) {
            match tried {
                Tried::Over => vain.over += 1,
                Tried::Scored { key, .. } if seen.contains(&key) => vain.twice += 1,
                Tried::Scored { score_cp, .. }
                    if score_cp.is_some_and(|cp| cp.unsigned_abs() > options.balance_cp) =>
                {
                    vain.unbalanced += 1;
                }
                Tried::Scored { key, fen, score_cp } => {
                    seen.insert(key);
                    vain = Vain::default();
                    found += 1;
                    taken(Found { fen, score_cp }, number + 1);
                    if found == options.count {
                        return Ok(());
                    }
                }
            }
            vain.check(found, options.count)?;
        }
    }
    Ok(())
}

fn check_options(options: &MakeOptions) -> Result<(), MakeError> {
    for (name, number, from, to) in [
        ("plies", options.plies.into(), 1, MOST_PLIES.into()),
        ("count", options.count, 1, 100_000_000),
        ("nodes", options.nodes, 1, 1_000_000_000),
        ("threads", options.threads as u64, 1, 1024),
        ("balance", options.balance_cp.into(), 0, 100_000),
    ] {
        if !(from..=to).contains(&number) {
            return Err(MakeError::Range { name, from, to });
        }
    }
    Ok(())
}

/// Candidates in a row that were not taken, by why.
#[derive(Default)]
struct Vain {
    over: u64,
    twice: u64,
    unbalanced: u64,
}

impl Vain {
    fn check(&self, found: u64, count: u64) -> Result<(), MakeError> {
        let tries = self.over + self.twice + self.unbalanced;
        if tries < MOST_IN_VAIN {
            return Ok(());
        }
        Err(MakeError::NoMore {
            found,
            count,
            tries,
            over: self.over,
            twice: self.twice,
            unbalanced: self.unbalanced,
        })
    }
}

/// What came of a candidate.
enum Tried {
    /// The game ended on the way, or came to a position whose FEN no game can be begun from.
    Over,
    /// It is an opening.
    Scored {
        key: u64,
        fen: String,
        score_cp: Option<i32>,
    },
}

/// Tries candidates on as many threads as there are engines; the answers are in the candidates' order.
fn try_all(
    variant: &Arc<Variant>,
    options: &MakeOptions,
    candidates: std::ops::Range<u64>,
    engines: &mut [Engine],
    stop: &AtomicBool,
) -> Vec<Tried> {
    let next = AtomicUsize::new(0);
    let count = (candidates.end - candidates.start) as usize;
    let one_thread = |engine: &mut Engine| {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= count || stop.load(Ordering::Relaxed) {
                return done;
            }
            let number = candidates.start + at as u64;
            done.push((at, try_one(variant, options, number, engine, stop)));
        }
    };
    let mut tried: Vec<(usize, Tried)> = std::thread::scope(|scope| {
        let threads: Vec<_> = engines
            .iter_mut()
            .map(|engine| scope.spawn(|| one_thread(engine)))
            .collect();
        let join = |thread: std::thread::ScopedJoinHandle<'_, Vec<(usize, Tried)>>| {
            thread
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        threads.into_iter().flat_map(join).collect()
    });
    tried.sort_unstable_by_key(|&(at, _)| at);
    tried.into_iter().map(|(_, tried)| tried).collect()
}

fn try_one(
    variant: &Arc<Variant>,
    options: &MakeOptions,
    number: u64,
    engine: &mut Engine,
    stop: &AtomicBool,
) -> Tried {
    let Some(game) = candidate(variant, options.seed, number, options.plies) else {
        return Tried::Over;
    };
    let score_cp = (options.balance_cp > 0).then(|| {
        let limits = Limits {
            nodes: Some(options.nodes),
            ..Limits::default()
        };
        engine.new_game();
        engine.search(&game, &limits, stop, &mut |_| {}).score.cp()
    });
    Tried::Scored {
        key: game.hashes().last().copied().unwrap_or_default(),
        fen: game.fen(),
        score_cp,
    }
}

/// The opening of a candidate, begun from its FEN: without what was before, as players get it.
fn candidate(variant: &Arc<Variant>, seed: u64, number: u64, plies: u32) -> Option<Game> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(number);
    let fen = variant.army_fen(random.next_u64()).ok()?;
    let mut game = Game::new(variant.clone(), &fen).ok()?;
    for _ in 0..plies {
        if !game.play_random(&mut random) {
            return None;
        }
    }
    let game = Game::new(variant.clone(), &game.fen()).ok()?;
    game.end().is_none().then_some(game)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variant::Catalog;

    fn options() -> MakeOptions {
        MakeOptions {
            plies: 6,
            balance_cp: 40,
            count: 20,
            seed: 7,
            nodes: 300,
            threads: 1,
        }
    }

    fn made(id: &str, options: &MakeOptions) -> Result<Vec<Found>, MakeError> {
        let variant = Catalog::builtin().get(id).unwrap();
        let mut all = Vec::new();
        let stop = AtomicBool::new(false);
        make(&variant, options, &stop, &mut |found, _| all.push(found))?;
        Ok(all)
    }

    #[test]
    fn a_book_is_the_same_for_any_number_of_threads() {
        let one = made("chess", &options()).unwrap();
        for threads in [2, 3] {
            let options = MakeOptions {
                threads,
                ..options()
            };
            assert_eq!(made("chess", &options).unwrap(), one);
        }
        let other = MakeOptions {
            seed: 8,
            ..options()
        };
        assert_ne!(made("chess", &other).unwrap(), one);
    }

    #[test]
    fn openings_are_different_balanced_and_playable_in_every_variant() {
        for id in Catalog::builtin().ids() {
            let variant = Catalog::builtin().get(id).unwrap();
            let options = MakeOptions {
                count: 6,
                nodes: 100,
                balance_cp: 150,
                ..options()
            };
            let found = made(id, &options).unwrap();
            let boards: HashSet<&str> = found
                .iter()
                .map(|found| found.fen.split(' ').next().unwrap())
                .collect();
            assert_eq!((found.len(), boards.len()), (6, 6), "{id}");
            for Found { fen, score_cp } in &found {
                let game = Game::new(variant.clone(), fen).unwrap();
                assert!(game.end().is_none(), "{fen}");
                // Searched anew by an engine of its own.
                let mut engine = Engine::new(
                    variant.clone(),
                    &EngineOptions {
                        hash_mib: HASH_MIB,
                        ..EngineOptions::default()
                    },
                );
                let limits = Limits {
                    nodes: Some(100),
                    ..Limits::default()
                };
                let searched = engine.search(&game, &limits, &AtomicBool::new(false), &mut |_| {});
                assert_eq!(Some(searched.score.cp()), *score_cp, "{fen}");
                assert!(searched.score.cp().abs() <= 150, "{fen}");
            }
        }
    }

    /// Chess has 20 first moves.
    #[test]
    fn what_cannot_be_found_is_said() {
        let few = MakeOptions {
            plies: 1,
            balance_cp: 0,
            count: 20,
            ..options()
        };
        assert_eq!(made("chess", &few).unwrap().len(), 20);
        let many = MakeOptions { count: 21, ..few };
        match made("chess", &many).unwrap_err() {
            MakeError::NoMore {
                found: 20,
                twice: MOST_IN_VAIN,
                over: 0,
                unbalanced: 0,
                ..
            } => {}
            other => panic!("{other}"),
        }
        let tight = MakeOptions {
            balance_cp: 1,
            ..few
        };
        match made("chess", &tight).unwrap_err() {
            MakeError::NoMore {
                found: ..20,
                unbalanced: 1..,
                ..
            } => {}
            other => panic!("{other}"),
        }
        for bad in [
            MakeOptions { plies: 0, ..few },
            MakeOptions { plies: 201, ..few },
            MakeOptions { count: 0, ..few },
            MakeOptions { nodes: 0, ..few },
            MakeOptions { threads: 0, ..few },
        ] {
            assert!(matches!(
                made("chess", &bad).unwrap_err(),
                MakeError::Range { .. }
            ));
        }
    }

    #[test]
    fn it_stops_when_asked() {
        let variant = Catalog::builtin().get("chess").unwrap();
        let stopped = make(&variant, &options(), &AtomicBool::new(true), &mut |_, _| {
            panic!("nothing is to be found")
        });
        assert!(matches!(stopped, Err(MakeError::Stopped)));
    }
}
