//! Ends of the game inside the tree, on the scale of the five outcomes.

use super::Score;
use super::searcher::Searcher;
use crate::movegen::Wanted;
use crate::outcome::{BoardEnd, GameEnd, too_few_men};
use crate::variant::rule_set::{CountResult, StalemateResult};

impl<const N: usize> Searcher<'_, N> {
    /// The score of the position if a rule other than mate and stalemate ends the game here.
    ///
    /// Mate and stalemate go before, except that a repetition has legal moves by nature.
    pub(super) fn end_here(&mut self, ply: usize) -> Option<i32> {
        let ends = &self.position.compiled().rules.ends;
        let (repetition, n_move) = (ends.repetition, ends.n_move);
        if let Some(result) = repetition
            && self.is_repetition()
        {
            return Some(self.counted(ply, BoardEnd::Repetition, result));
        }
        let by_rule = n_move.filter(|n| self.position.halfmove() >= n.plies);
        let men = self.position.all_men(crate::types::Colour::White)
            | self.position.all_men(crate::types::Colour::Black);
        let too_few =
            self.position.halfmove() == 0 && men.count() < 32 && too_few_men(&self.position);
        if by_rule.is_none() && !too_few {
            return None;
        }
        if let Some(mate) = self.mate_or_stalemate(ply) {
            return Some(mate);
        }
        match by_rule.filter(|_| !too_few) {
            Some(n) => Some(self.counted(ply, BoardEnd::NMove, n.result)),
            None => Some(self.draw(ply)),
        }
    }

    fn mate_or_stalemate(&mut self, ply: usize) -> Option<i32> {
        let mut moves = std::mem::take(&mut self.plies[ply].moves);
        moves.clear();
        self.position.legal_moves(Wanted::All, &mut moves);
        let none = moves.is_empty();
        self.plies[ply].moves = moves;
        none.then(|| {
            let check = self.position.in_check();
            self.no_moves(ply, check)
        })
    }

    /// The score of the side to move that has no legal move.
    pub(super) fn no_moves(&self, ply: usize, check: bool) -> i32 {
        let mated = Score::mated_in(ply as u32).0;
        if check {
            return mated;
        }
        match self.position.compiled().rules.ends.stalemate {
            StalemateResult::Draw => self.draw(ply),
            StalemateResult::Advantage => Score::DISADVANTAGE.0,
            StalemateResult::Win => mated,
        }
    }

    fn counted(&self, ply: usize, reason: BoardEnd, result: CountResult) -> i32 {
        let end = GameEnd::counted(&self.position, reason, result);
        match end.winner {
            None => self.draw(ply),
            Some(_) => Score::of_end(&end, self.position.side_to_move()).0,
        }
    }

    /// A draw: less than nothing for the side that searches, if it is contemptuous.
    pub(super) fn draw(&self, ply: usize) -> i32 {
        if ply.is_multiple_of(2) {
            -self.contempt
        } else {
            self.contempt
        }
    }

    /// Whether the position has stood once before in the tree, or twice in the game.
    fn is_repetition(&self) -> bool {
        let Some((&now, before)) = self.hashes.split_last() else {
            return false;
        };
        let reversible =
            usize::from(self.position.halfmove()).min(before.len() - self.base.min(before.len()));
        let mut earlier = 0;
        let mut back = 4;
        while back <= reversible {
            let at = before.len() - back;
            if before[at] == now {
                if at >= self.root {
                    return true;
                }
                earlier += 1;
                if earlier == 2 {
                    return true;
                }
            }
            back += 2;
        }
        false
    }
}
