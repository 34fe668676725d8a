//! Promotion, castling and the king's leap.

use std::collections::BTreeSet;

use super::{Res, Resolver};
use crate::types::{Colour, Square};
use crate::variant::rule_set::{
    CastlingFen, CastlingRule, KingLeapRule, Obligatory, PromotionRule, RuleSet,
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
