//! Material counting: exchanges, and search of every move to a fixed depth with exchanges after it.

use engine::movegen::Wanted;
use engine::position::Position;
use engine::types::{Colour, Kind, Move, MoveKind, MoveList};
use engine::variant::rule_set::RuleSet;

/// A mate counts as this.
pub(crate) const WON: i32 = 1000;
/// Longest line of captures looked at.
const LONGEST_EXCHANGE: u32 = 8;

/// What men are worth in a variant, and which pieces' forks are wanted.
pub(crate) struct Values {
    pub(crate) variant: &'static str,
    letters: &'static [(&'static str, i32)],
    /// Letters; empty: any piece's.
    pub(crate) forks: &'static str,
}

/// As the rules' points counts have it, the joker for what it is counted as at least.
const APOTHECARY: &[(&str, i32)] = &[("QDGLT", 9), ("FRYS", 6), ("J", 4), ("BNZWC", 3), ("PX", 1)];

impl Values {
    /// The built-in variants'.
    pub(crate) fn all() -> [Values; 6] {
        let values = |variant, letters, forks| Values {
            variant,
            letters,
            forks,
        };
        [
            values("chess", &[("Q", 9), ("R", 5), ("BN", 3), ("P", 1)], ""),
            values("apothecary-modern", APOTHECARY, ""),
            values("grand-apothecary-modern", APOTHECARY, "ZF"),
            values("grand-apothecary-modern-2021", APOTHECARY, "ZF"),
            values(
                "war-of-the-roses",
                &[("QC", 12), ("A", 10), ("R", 7), ("BN", 5), ("P", 1)],
                "",
            ),
            values(
                "augmenters",
                &[("A", 11), ("E", 10), ("R", 7), ("BC", 5), ("P", 1)],
                "",
            ),
        ]
    }

    /// What a man of a type is worth.
    pub(crate) fn of(&self, rules: &RuleSet, kind: Kind) -> i32 {
        let letter = rules.piece(kind).letter.to_ascii_uppercase() as char;
        self.letters
            .iter()
            .find(|(letters, _)| letters.contains(letter))
            .map_or(0, |&(_, value)| value)
    }
}

/// Counts material in positions until its budget of moves made is spent.
pub(crate) struct Counter<'a> {
    values: &'a Values,
    table: Option<[i32; Kind::MAX]>,
    budget: u64,
    made: u64,
}

impl<'a> Counter<'a> {
    pub(crate) fn new(values: &'a Values, budget: u64) -> Counter<'a> {
        Counter {
            values,
            table: None,
            budget,
            made: 0,
        }
    }

    /// Whether more moves would have been needed than were allowed: what was counted then is worth nothing.
    pub(crate) fn spent(&self) -> bool {
        self.made >= self.budget
    }

    fn value<const N: usize>(&mut self, position: &Position<N>, kind: Kind) -> i32 {
        let rules = &position.compiled().rules;
        self.table.get_or_insert_with(|| {
            std::array::from_fn(|i| {
                if i < rules.pieces.len() {
                    self.values.of(rules, Kind(i as u8))
                } else {
                    0
                }
            })
        })[kind.index()]
    }

    /// Material of the side to move less that of the other.
    pub(crate) fn balance<const N: usize>(&mut self, position: &Position<N>) -> i32 {
        let mut sum = 0;
        for i in 0..position.compiled().rules.pieces.len() {
            let kind = Kind(i as u8);
            let men = |c| position.men(c, kind).count() as i32;
            sum += self.value(position, kind) * (men(Colour::White) - men(Colour::Black));
        }
        if position.side_to_move() == Colour::White {
            sum
        } else {
            -sum
        }
    }

    /// What a move takes and becomes, at once.
    pub(crate) fn takes<const N: usize>(&mut self, position: &Position<N>, mv: Move) -> i32 {
        let victim = position.man_on(mv.to());
        let mut takes = i32::from(mv.kind() == MoveKind::EnPassant);
        if !victim.is_none() && victim.colour() != position.side_to_move() {
            takes += self.value(position, victim.kind());
        }
        if let Some(to) = mv.promotion() {
            takes += self.value(position, to);
        }
        takes
    }

    /// Material after the best line of captures and promotions, each side free to stop; every move in check.
    pub(crate) fn exchanges<const N: usize>(
        &mut self,
        position: &mut Position<N>,
        alpha: i32,
        beta: i32,
    ) -> i32 {
        self.quiesce(position, alpha, beta, LONGEST_EXCHANGE)
    }

    fn quiesce<const N: usize>(
        &mut self,
        position: &mut Position<N>,
        mut alpha: i32,
        beta: i32,
        left: u32,
    ) -> i32 {
        let check = position.in_check();
        let standing = self.balance(position);
        if !check && standing >= beta || left == 0 || self.spent() {
            return standing;
        }
        let mut best = if check { -WON } else { standing };
        alpha = alpha.max(best);
        let wanted = if check { Wanted::All } else { Wanted::Noisy };
        for mv in self.ordered(position, wanted) {
            let undo = position.make(mv);
            self.made += 1;
            let value = -self.quiesce(position, -beta, -alpha, left - 1);
            position.unmake(mv, &undo);
            best = best.max(value);
            alpha = alpha.max(best);
            if alpha >= beta {
                break;
            }
        }
        best
    }

    fn ordered<const N: usize>(&mut self, position: &Position<N>, wanted: Wanted) -> MoveList {
        let mut moves = MoveList::new();
        position.legal_moves(wanted, &mut moves);
        moves.sort_by_cached_key(|&mv| (-self.takes(position, mv), mv.bits()));
        moves
    }

    /// Material after `depth` plies of which every move is looked at, and the exchanges after them.
    pub(crate) fn search<const N: usize>(
        &mut self,
        position: &mut Position<N>,
        depth: u32,
        mut alpha: i32,
        beta: i32,
    ) -> i32 {
        if depth == 0 {
            return self.exchanges(position, alpha, beta);
        }
        let moves = self.ordered(position, Wanted::All);
        if moves.is_empty() {
            return if position.in_check() { -WON } else { 0 };
        }
        let mut best = -i32::MAX;
        for mv in moves {
            if self.spent() {
                break;
            }
            let undo = position.make(mv);
            self.made += 1;
            let value = -self.search(position, depth - 1, -beta, -alpha);
            position.unmake(mv, &undo);
            best = best.max(value);
            alpha = alpha.max(best);
            if alpha >= beta {
                break;
            }
        }
        best
    }

    /// The move with the best [`search`](Self::search) of `depth` plies, itself counted.
    pub(crate) fn best<const N: usize>(
        &mut self,
        position: &mut Position<N>,
        depth: u32,
    ) -> Option<Move> {
        let mut best = (-i32::MAX, None);
        for mv in self.ordered(position, Wanted::All) {
            let undo = position.make(mv);
            let value = -self.search(position, depth.saturating_sub(1), -i32::MAX, -best.0);
            position.unmake(mv, &undo);
            if value > best.0 {
                best = (value, Some(mv));
            }
        }
        best.1
    }
}
