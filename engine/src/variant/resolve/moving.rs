//! Promotion, castling and the king's leap.

use std::collections::BTreeSet;

use super::{Res, Resolver};
use crate::betza::Node;
use crate::types::{Colour, Piece, Square};
use crate::variant::rule_set::{
    CastlingFen, CastlingNotation, CastlingRule, KingLeapRule, Obligatory, PromotionRule, RuleSet,
};
use crate::variant::spec::{self, PromotionSource};

impl Resolver<'_> {
    pub(super) fn promotion(&self, rules: &RuleSet) -> Res<Option<PromotionRule>> {
        let Some(spec) = &self.spec.promotion else {
            return Ok(None);
        };
        if spec.from == PromotionSource::Reserve && !rules.reserve {
            return self.fail(
                "promotion.from",
                "is `reserve`, but there is no table [reserve]",
            );
        }
        let squares = rules.geometry.squares();
        let mut rule = PromotionRule {
            to: [vec![0; squares], vec![0; squares]],
            must: [vec![false; squares], vec![false; squares]],
            no_pawn: [vec![false; squares], vec![false; squares]],
            from_reserve: spec.from == PromotionSource::Reserve,
        };
        if rules.pawns() == 0 {
            return self.fail("promotion", "no piece promotes: none has `pawn = true`");
        }
        let last = rules.geometry.main_ranks();
        let named = spec.zone.iter().flat_map(|z| &z.ranks);
        if let Some(rank) = named
            .chain(&spec.no_pawn_on)
            .find(|&&r| !(1..=last).contains(&r))
        {
            return self.fail(
                "promotion",
                format!("names rank {rank}; own ranks are 1 to {last}"),
            );
        }
        for zone in &spec.zone {
            let set = self.kind_set(rules, "promotion.zone.to", &zone.to)?;
            if set & (rules.pawns() | 1 << rules.king.index()) != 0 {
                return self.fail("promotion.zone.to", "a pawn cannot become a pawn or a king");
            }
            for colour in Colour::ALL {
                for square in rules.geometry.all() {
                    let rank = rules.geometry.relative_rank(colour, square);
                    if zone.ranks.iter().any(|&r| i16::from(r) == rank) {
                        rule.to[colour.index()][square.index()] |= set;
                    }
                }
            }
        }
        for colour in Colour::ALL {
            for square in rules.geometry.all() {
                let rank = rules.geometry.relative_rank(colour, square);
                let last = rank == i16::from(rules.geometry.main_ranks());
                rule.must[colour.index()][square.index()] =
                    last && spec.obligatory == Obligatory::LastRank;
                rule.no_pawn[colour.index()][square.index()] =
                    spec.no_pawn_on.iter().any(|&r| i16::from(r) == rank);
            }
        }
        Ok(Some(rule))
    }

    pub(super) fn castling(&self, rules: &mut RuleSet) -> Res<()> {
        let Some(spec) = &self.spec.castling else {
            return Ok(());
        };
        rules.castling_fen = spec.fen;
        rules.castling_notation = spec.notation;
        if spec.partner.is_empty() || spec.partner.len() > 12 {
            return self.fail("castling.partner", "there are 1 to 12 partners");
        }
        let king = self.square(rules, "castling.king", &spec.king)?;
        for colour in Colour::ALL {
            let mut side = Vec::new();
            for partner in &spec.partner {
                side.push(self.partner(rules, colour, king, partner)?);
            }
            side.sort_by_key(|r: &CastlingRule| match rules.castling_fen {
                CastlingFen::Kqkq => u8::MAX - r.partner.0,
                CastlingFen::PartnerFiles => r.partner.0,
            });
            let letters: BTreeSet<u8> = side.iter().map(|r| r.letter).collect();
            if letters.len() != side.len() {
                return self.fail("castling.fen", "two partners would have the same letter");
            }
            rules.castling.extend(side);
        }
        self.castling_texts(rules)
    }

    /// No castling may be written like another move.
    fn castling_texts(&self, rules: &RuleSet) -> Res<()> {
        if rules.castling_notation == CastlingNotation::KingRook {
            if rules.castling.iter().any(|r| r.distances.len() > 1) {
                return self.fail(
                    "castling.notation",
                    "`king-rook` cannot tell castlings of one partner at several distances apart",
                );
            }
            return Ok(());
        }
        let king = &rules.piece(rules.king).program;
        let powers = rules.augment.iter().flat_map(|a| {
            let bases = a.regent.iter().flat_map(|r| &r.bases);
            a.augmenters.iter().chain(bases).map(|(_, program)| program)
        });
        let mut reached = BTreeSet::new();
        for program in std::iter::once(king).chain(powers) {
            for root in &program.roots {
                quiet_stops(&root.node, (0, 0), &mut reached);
            }
        }
        for right in &rules.castling {
            let towards = if right.partner > right.king { 1 } else { -1 };
            if let Some(d) = right
                .distances
                .iter()
                .find(|&&d| reached.contains(&(towards * i16::from(d), 0)))
            {
                return self.fail(
                    "castling.notation",
                    format!("the king also moves {d} squares sideways by itself, which would be written like a castling: use `king-rook`"),
                );
            }
        }
        Ok(())
    }

    fn partner(
        &self,
        rules: &RuleSet,
        colour: Colour,
        white_king: Square,
        spec: &spec::PartnerSpec,
    ) -> Res<CastlingRule> {
        let key = "castling.partner";
        let mut king = white_king;
        let mut partner = self.square(rules, key, &spec.square)?;
        let mut letters = spec.piece.chars();
        let (Some(letter), None) = (letters.next(), letters.next()) else {
            return self.fail(key, "`piece` is one letter");
        };
        let kind = self.kind(rules, key, letter)?;
        if colour == Colour::Black {
            king = self.mirrored(rules, key, king)?;
            partner = self.mirrored(rules, key, partner)?;
        }
        let board = &rules.geometry;
        let gap = i16::from(board.file(partner)) - i16::from(board.file(king));
        if board.rank_index(king) != board.rank_index(partner) || gap == 0 {
            return self.fail(key, "king and partner stand on one rank");
        }
        if spec.distances.is_empty()
            || spec
                .distances
                .iter()
                .any(|&d| d < 2 || i16::from(d) > gap.abs())
        {
            return self.fail(
                key,
                format!(
                    "`distances` are between 2 and the {} files to the partner",
                    gap.abs()
                ),
            );
        }
        let distinct: BTreeSet<u8> = spec.distances.iter().copied().collect();
        if distinct.len() != spec.distances.len() {
            return self.fail(key, "`distances` has a number twice");
        }
        let homes = &rules.start.homes;
        let starts =
            |square: Square, kind| homes[square.index()].contains(&Piece::new(colour, kind));
        if !starts(king, rules.king) || !starts(partner, kind) {
            return self.fail(
                key,
                format!(
                    "{colour} has no king on {} or no {} on {} in the start position",
                    board.name(king),
                    rules.piece(kind).name,
                    board.name(partner)
                ),
            );
        }
        let upper = match rules.castling_fen {
            CastlingFen::Kqkq => {
                if gap > 0 {
                    b'K'
                } else {
                    b'Q'
                }
            }
            CastlingFen::PartnerFiles => b'A' + board.file(partner),
        };
        let letter = if colour == Colour::White {
            upper
        } else {
            upper.to_ascii_lowercase()
        };
        Ok(CastlingRule {
            colour,
            king,
            partner,
            kind,
            distances: spec.distances.clone(),
            letter,
        })
    }

    pub(super) fn king_leap(&self, rules: &RuleSet) -> Res<Option<[KingLeapRule; 2]>> {
        let Some(spec) = &self.spec.king_leap else {
            return Ok(None);
        };
        if !rules.castling.is_empty() {
            return self.fail(
                "king-leap",
                "a variant has either castling or a king's leap",
            );
        }
        let from = self.square(rules, "king-leap.from", &spec.from)?;
        if !rules.start.homes[from.index()].contains(&Piece::new(Colour::White, rules.king)) {
            return self.fail("king-leap.from", "White's king does not start there");
        }
        let distinct: BTreeSet<&String> = spec.to.iter().collect();
        if distinct.len() != spec.to.len() {
            return self.fail("king-leap.to", "names a square twice");
        }
        let to: Vec<Square> = spec
            .to
            .iter()
            .map(|n| self.square(rules, "king-leap.to", n))
            .collect::<Res<_>>()?;
        let black_to = to
            .iter()
            .map(|&s| self.mirrored(rules, "king-leap.to", s))
            .collect::<Res<_>>()?;
        let black = KingLeapRule {
            from: self.mirrored(rules, "king-leap.from", from)?,
            to: black_to,
        };
        Ok(Some([KingLeapRule { from, to }, black]))
    }
}

/// The offsets at which a path may end quietly.
fn quiet_stops(node: &Node, from: (i16, i16), reached: &mut BTreeSet<(i16, i16)>) {
    let at = (
        from.0 + i16::from(node.step.0),
        from.1 + i16::from(node.step.1),
    );
    if node.stop.quiet {
        reached.insert(at);
    }
    for next in node.on_empty.iter().chain(&node.on_occupied) {
        quiet_stops(next, at, reached);
    }
}
