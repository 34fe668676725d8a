//! Which position a pair is played from.

use std::{
    num::NonZeroU32,
    sync::{Arc, Mutex, PoisonError},
};

use super::{Error, book::BookFile};
use crate::{
    config::OpeningScore,
    model::{OpeningOrder, Openings, SpecError},
    rules::{self, Variant},
    schedule::openings::{SetupSampler, army_seed, pair_seed},
};

/// Random openings tried for one pair before the bound is called too tight.
const RANDOM_TRIES: u64 = 1000;

/// The openings of a tournament, as a function of the pair's index.
pub(super) struct Book {
    variant: Arc<Variant>,
    seed: u64,
    source: Source,
}

enum Source {
    Numbers(Vec<u64>),
    Setups(Mutex<SetupSampler>),
    Armies,
    Fens {
        fens: Vec<String>,
        order: Option<Mutex<SetupSampler>>,
    },
    File(Box<BookFile>),
    Random {
        plies: u32,
        balance: Option<(NonZeroU32, OpeningScore)>,
    },
}

impl Book {
    /// The openings of a book that was uploaded.
    pub(super) fn of_file(variant: Arc<Variant>, seed: u64, file: BookFile) -> Self {
        Self {
            variant,
            seed,
            source: Source::File(Box::new(file)),
        }
    }

    /// The openings of a specification that has them in itself; the error names the key.
    pub(super) fn new(
        variant: Arc<Variant>,
        openings: &Openings,
        seed: u64,
        score: Option<&OpeningScore>,
    ) -> Result<Self, SpecError> {
        let source = match openings {
            Openings::Setups { numbers, .. } if !numbers.is_empty() => {
                check_numbers(&variant, numbers)?;
                Source::Numbers(numbers.clone())
            }
            Openings::Setups { sample, .. } => {
                let setups = variant.setups();
                let sample = sample.map_or(setups.count, Into::into);
                let sampler =
                    SetupSampler::with_sample(seed, setups.first, setups.count, sample)
                        .map_err(|error| SpecError::new("openings.sample", error.to_string()))?;
                Source::Setups(Mutex::new(sampler))
            }
            Openings::Armies => Source::Armies,
            Openings::List { fens, order } => {
                check_fens(&variant, fens)?;
                let order = match order {
                    OpeningOrder::Sequential => None,
                    OpeningOrder::Random => Some(
                        SetupSampler::new(seed, 0, fens.len() as u64)
                            .map_err(|error| SpecError::new("openings", error.to_string()))?,
                    ),
                };
                Source::Fens {
                    fens: fens.clone(),
                    order: order.map(Mutex::new),
                }
            }
            Openings::Book(_) => {
                return Err(SpecError::new(
                    "openings",
                    "are those of a file: open it first",
                ));
            }
            Openings::Random { plies, balance_cp } => {
                let balance = balance_cp.map(|bound| {
                    let problem = "needs a coordinator with an evaluation: leave `balance` out";
                    let score = score.ok_or_else(|| SpecError::new("openings.balance", problem))?;
                    Ok((bound, score.clone()))
                });
                Source::Random {
                    plies: *plies,
                    balance: balance.transpose()?,
                }
            }
        };
        let book = Self {
            variant,
            seed,
            source,
        };
        // A bound that is too tight shows at the first opening.
        if let Source::Random { plies, balance } = &book.source {
            book.random(0, *plies, balance.as_ref())?;
        }
        Ok(book)
    }

    /// What people should know about the openings.
    pub(super) fn notes(&self) -> Vec<String> {
        match &self.source {
            Source::File(file) => file.notes(),
            _ => Vec::new(),
        }
    }

    /// The opening of a pair. Blocks.
    pub(super) fn fen(&self, pair: u64) -> Result<String, Error> {
        let setup = |number| {
            self.variant
                .start_fen(number)
                .map_err(|error| SpecError::new("openings.numbers", error.to_string()))
        };
        match &self.source {
            Source::Numbers(numbers) => {
                Ok(setup(cyclic(numbers, pair).copied().unwrap_or_default())?)
            }
            Source::Setups(sampler) => Ok(setup(nth(sampler, pair))?),
            Source::Armies => Ok(self
                .variant
                .army_fen(army_seed(self.seed, pair))
                .map_err(|error| SpecError::new("openings", error.to_string()))?),
            Source::Fens { fens, order } => {
                let at = order.as_ref().map_or(pair, |order| nth(order, pair));
                Ok(cyclic(fens, at).cloned().unwrap_or_default())
            }
            Source::File(file) => file.fen(pair),
            Source::Random { plies, balance } => Ok(self.random(pair, *plies, balance.as_ref())?),
        }
    }

    fn random(
        &self,
        pair: u64,
        plies: u32,
        balance: Option<&(NonZeroU32, OpeningScore)>,
    ) -> Result<String, SpecError> {
        let first = pair_seed(self.seed, pair);
        let games = (0..RANDOM_TRIES).filter_map(|try_number| {
            rules::random_opening(&self.variant, first.wrapping_add(try_number), plies)
        });
        let is_balanced = |game: &rules::Game| {
            balance.is_none_or(|(bound, score)| score(game).unsigned_abs() <= bound.get())
        };
        games.into_iter().find(is_balanced).map(|game| game.fen()).ok_or_else(|| {
            let problem = format!("none of {RANDOM_TRIES} random openings is in bounds: fewer plies or a wider balance");
            SpecError::new("openings.plies", problem)
        })
    }
}

fn cyclic<T>(items: &[T], index: u64) -> Option<&T> {
    let at = index.checked_rem(items.len() as u64)?;
    items.get(usize::try_from(at).ok()?)
}

fn nth(sampler: &Mutex<SetupSampler>, index: u64) -> u64 {
    sampler
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .nth(index)
}

fn check_numbers(variant: &Variant, numbers: &[u64]) -> Result<(), SpecError> {
    let setups = variant.setups();
    match numbers
        .iter()
        .position(|number| !(setups.first..=setups.last()).contains(number))
    {
        None => Ok(()),
        Some(at) => {
            let problem = format!(
                "is no set-up of {}: {} to {} are",
                variant.id(),
                setups.first,
                setups.last()
            );
            Err(SpecError::new(
                format!("openings.numbers[{at}]"),
                format!("{} {problem}", numbers[at]),
            ))
        }
    }
}

fn check_fens(variant: &Arc<Variant>, fens: &[String]) -> Result<(), SpecError> {
    for (at, fen) in fens.iter().enumerate() {
        let bad = |problem| SpecError::new(format!("openings.fens[{at}]"), problem);
        let game = rules::begin(variant, fen).map_err(bad)?;
        if let Some(end) = rules::board_end(&game) {
            return Err(bad(format!(
                "the game is over before it begins ({}): {fen}",
                end.reason
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;

    use super::*;

    fn book(openings: Openings, score: Option<&OpeningScore>) -> Result<Book, SpecError> {
        Book::new(
            rules::builtin("apothecary-modern").unwrap(),
            &openings,
            5,
            score,
        )
    }

    fn fens(book: &Book, pairs: u64) -> Vec<String> {
        (0..pairs).map(|pair| book.fen(pair).unwrap()).collect()
    }

    #[test]
    fn numbers_come_as_given_and_again() {
        let variant = rules::builtin("apothecary-modern").unwrap();
        let book = book(
            Openings::Setups {
                numbers: vec![14, 3],
                sample: None,
            },
            None,
        )
        .unwrap();
        let expected: Vec<_> = [14, 3, 14]
            .map(|number| variant.start_fen(number).unwrap())
            .into();
        assert_eq!(fens(&book, 3), expected);
    }

    #[test]
    fn a_sample_has_as_many_different_openings_as_asked() {
        let book = book(
            Openings::Setups {
                numbers: vec![],
                sample: NonZeroU64::new(5),
            },
            None,
        )
        .unwrap();
        let mut drawn = fens(&book, 15);
        drawn.sort();
        drawn.dedup();
        assert_eq!(drawn.len(), 5);
    }

    #[test]
    fn random_openings_are_the_same_for_the_same_pair_and_keep_the_bound() {
        let random = |balance| Openings::Random {
            plies: 6,
            balance_cp: NonZeroU32::new(balance),
        };
        let free = book(random(0), None).unwrap();
        assert_eq!(free.fen(7).unwrap(), free.fen(7).unwrap());
        assert_ne!(free.fen(7).unwrap(), free.fen(8).unwrap());
        // A stand-in for an evaluation: balanced when the number of legal moves is even.
        let score: OpeningScore = Arc::new(|game| 500 * (game.legal_moves().len() % 2) as i32);
        let bound = book(random(40), Some(&score)).unwrap();
        let variant = rules::builtin("apothecary-modern").unwrap();
        for fen in fens(&bound, 5) {
            assert!(
                rules::begin(&variant, &fen)
                    .unwrap()
                    .legal_moves()
                    .len()
                    .is_multiple_of(2),
                "{fen}"
            );
        }
        assert_eq!(
            book(random(40), None).err().unwrap().field,
            "openings.balance"
        );
        let unfair: OpeningScore = Arc::new(|_| -41);
        assert_eq!(
            book(random(40), Some(&unfair)).err().unwrap().field,
            "openings.plies"
        );
    }

    #[test]
    fn bad_openings_name_their_place() {
        let setups = |numbers: Vec<u64>, sample| Openings::Setups {
            numbers,
            sample: NonZeroU64::new(sample),
        };
        assert_eq!(
            book(setups(vec![3, 0], 0), None).err().unwrap().field,
            "openings.numbers[1]"
        );
        assert_eq!(
            book(setups(vec![], 1000), None).err().unwrap().field,
            "openings.sample"
        );
        let good = rules::builtin("apothecary-modern")
            .unwrap()
            .start_fen(1)
            .unwrap();
        let list = Openings::List {
            fens: vec![good, "nonsense".into()],
            order: OpeningOrder::Sequential,
        };
        assert_eq!(book(list, None).err().unwrap().field, "openings.fens[1]");
    }
}
