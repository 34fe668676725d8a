//! From the text of a variant file to a [`Variant`]: shape, inheritance, names to numbers, cross-checks.

use std::collections::BTreeSet;
use std::sync::Arc;

use toml::Table;

use super::diagram::Diagram;
use super::rule_set::*;
use super::spec::{self, Partial, PromotionSource, Spec};
use super::{Variant, VariantError, merge};
use crate::betza::{self, MoveProgram};
use crate::geometry::Geometry;
use crate::types::{Colour, Kind, Piece, Square};

/// Checks the shape of a file's text and lays it over its parent. Gives its id and the full table.
pub(super) fn read(
    text: &str,
    origin: &str,
    parent_of: impl Fn(&str) -> Result<Table, String>,
) -> Result<(String, Table), VariantError> {
    let toml_error = |e: toml::de::Error| VariantError::Toml {
        origin: origin.to_owned(),
        message: e.to_string(),
    };
    let partial: Partial = toml::from_str(text).map_err(toml_error)?;
    let mut child: Table = text.parse().map_err(toml_error)?;
    child.remove("extends");
    child.remove("without");
    let table = match &partial.extends {
        None => child,
        Some(parent) => {
            let mut table = parent_of(parent).map_err(|known| VariantError::UnknownParent {
                origin: origin.to_owned(),
                parent: parent.clone(),
                known,
            })?;
            for path in &partial.without {
                if !merge::remove(&mut table, path) {
                    return Err(VariantError::Key {
                        origin: origin.to_owned(),
                        key: "without".to_owned(),
                        reason: format!("`{path}` is no key of `{parent}`"),
                    });
                }
            }
            merge::overlay(&mut table, child);
            table
        }
    };
    let id = table
        .get("id")
        .and_then(|v| v.as_str())
        .unwrap_or_default()
        .to_owned();
    Ok((id, table))
}

/// The variant of a full table.
pub(super) fn variant(source: &Table, origin: &str) -> Result<Arc<Variant>, VariantError> {
    let spec: Spec =
        source
            .clone()
            .try_into()
            .map_err(|e: toml::de::Error| VariantError::Toml {
                origin: origin.to_owned(),
                message: e.to_string(),
            })?;
    from_spec(&spec, origin)
}

/// The variant of a canonical definition, made by [`Variant::definition`].
pub(super) fn from_definition(text: &str) -> Result<Arc<Variant>, VariantError> {
    let origin = "(definition)";
    let spec: Spec = serde_json::from_str(text).map_err(|e| VariantError::Toml {
        origin: origin.to_owned(),
        message: e.to_string(),
    })?;
    from_spec(&spec, origin)
}

fn from_spec(spec: &Spec, origin: &str) -> Result<Arc<Variant>, VariantError> {
    let definition = serde_json::to_string(spec).map_err(|e| VariantError::Toml {
        origin: origin.to_owned(),
        message: e.to_string(),
    })?;
    let rules = Resolver { spec, origin }.rules()?;
    Variant::assemble(
        spec.id.clone(),
        spec.name.clone(),
        definition,
        rules,
        origin,
    )
}

struct Resolver<'a> {
    spec: &'a Spec,
    origin: &'a str,
}

type Res<T> = Result<T, VariantError>;

impl Resolver<'_> {
    fn fail<T>(&self, key: impl Into<String>, reason: impl Into<String>) -> Res<T> {
        Err(VariantError::Key {
            origin: self.origin.to_owned(),
            key: key.into(),
            reason: reason.into(),
        })
    }

    fn rules(&self) -> Res<RuleSet> {
        self.head()?;
        let geometry = self.board()?;
        let pieces = self.pieces()?;
        let kings: Vec<usize> = (0..pieces.len()).filter(|&i| pieces[i].royal).collect();
        let [king] = kings[..] else {
            return self.fail(
                "piece",
                format!(
                    "{} pieces are royal; a variant has exactly one (`royal = true`)",
                    kings.len()
                ),
            );
        };
        let imitators: Vec<usize> = (0..pieces.len())
            .filter(|&i| pieces[i].program.imitator)
            .collect();
        if imitators.len() > 1 {
            return self.fail(
                "piece",
                "two pieces imitate (Betza atom I); a variant has at most one",
            );
        }
        let mut rules = RuleSet {
            geometry,
            pieces,
            king: Kind(king as u8),
            imitator: imitators.first().map(|&i| Kind(i as u8)),
            start: StartRule {
                fen: String::new(),
                first: 0,
                choices: Vec::new(),
                homes: Vec::new(),
            },
            promotion: None,
            reserve: self.spec.reserve.is_some(),
            castling: Vec::new(),
            castling_fen: CastlingFen::default(),
            castling_notation: CastlingNotation::default(),
            king_leap: None,
            en_passant_fen: self.spec.en_passant.fen,
            ends: self.ends()?,
            points: None,
            augment: None,
        };
        rules.start.homes = vec![Vec::new(); rules.geometry.squares()];
        rules.augment = self.augment(&rules)?;
        rules.start = self.start(&rules)?;
        rules.promotion = self.promotion(&rules)?;
        self.castling(&mut rules)?;
        rules.king_leap = self.king_leap(&rules)?;
        if let Some(rule) = &mut rules.ends.dead_position {
            let like = |text| {
                let program = betza::compile(text).ok()?;
                rules
                    .pieces
                    .iter()
                    .position(|p| p.program == program)
                    .map(|i| Kind(i as u8))
            };
            *rule = DeadPositionRule {
                knight: like("N"),
                bishop: like("B"),
            };
        }
        rules.points = self.points(&rules)?;
        self.cross_checks(&rules)?;
        Ok(rules)
    }

    fn head(&self) -> Res<()> {
        if self.spec.schema != 1 {
            return self.fail(
                "schema",
                format!("is {}; this program reads schema 1", self.spec.schema),
            );
        }
        let id = &self.spec.id;
        let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if id.is_empty() || id.len() > 64 || !id.chars().all(fits) {
            return self.fail("id", "is 1 to 64 lower-case letters, digits and hyphens");
        }
        if self.spec.name.is_empty()
            || self.spec.name.len() > 200
            || self.spec.name.chars().any(char::is_control)
        {
            return self.fail("name", "is 1 to 200 printable characters");
        }
        Ok(())
    }

    fn board(&self) -> Res<Geometry> {
        let b = &self.spec.board;
        if !(1..=Geometry::LONGEST).contains(&b.files) {
            return self.fail(
                "board.files",
                format!(
                    "is {}; a board has 1 to {} files",
                    b.files,
                    Geometry::LONGEST
                ),
            );
        }
        if !(2..=Geometry::LONGEST).contains(&b.ranks) {
            return self.fail(
                "board.ranks",
                format!(
                    "is {}; a board has 2 to {} ranks",
                    b.ranks,
                    Geometry::LONGEST
                ),
            );
        }
        let above = format!("{}", b.ranks + 1);
        let on_rank = |rank: &str| {
            b.brouhaha
                .iter()
                .any(|n| n.trim_start_matches(|c: char| c.is_ascii_lowercase()) == rank)
        };
        let (below, over) = (u8::from(on_rank("0")), u8::from(on_rank(&above)));
        let squares = usize::from(b.files) * usize::from(b.ranks + below + over);
        if squares > 256 {
            return self.fail(
                "board",
                format!("has {squares} squares with its extra ranks; at most 256 fit"),
            );
        }
        let mut geometry = Geometry::new(b.files, b.ranks, below, over);
        for name in &b.brouhaha {
            match geometry.parse(name) {
                Some(square) => geometry.set_brouhaha(square),
                None => return self.fail("board.brouhaha", format!("`{name}` is no square of this board or of the ranks 0 and {above} beside it")),
            }
        }
        for name in &b.holes {
            match geometry.parse(name).filter(|&s| geometry.is_main(s)) {
                Some(square) => geometry.set_hole(square),
                None => {
                    return self.fail(
                        "board.holes",
                        format!("`{name}` is no main square of this board"),
                    );
                }
            }
        }
        Ok(geometry)
    }

    fn pieces(&self) -> Res<Vec<PieceRule>> {
        let mut pieces = Vec::new();
        for (letter, piece) in &self.spec.piece {
            let key = format!("piece.{letter}");
            let &[byte @ b'A'..=b'Z'] = letter.as_bytes() else {
                return self.fail(key, "a piece's key is one letter A to Z");
            };
            if piece.name.is_empty() || piece.name.len() > 40 {
                return self.fail(format!("{key}.name"), "is 1 to 40 characters");
            }
            pieces.push(PieceRule {
                letter: byte,
                name: piece.name.clone(),
                program: self.program(&format!("{key}.move"), &piece.r#move, piece.royal)?,
                royal: piece.royal,
                pawn: piece.pawn,
            });
        }
        Ok(pieces)
    }

    /// Compiles a move text; an empty one is a piece without moves of its own.
    fn program(&self, key: &str, text: &str, royal: bool) -> Res<MoveProgram> {
        if text.trim().is_empty() {
            return Ok(MoveProgram::default());
        }
        let program = betza::compile(text).map_err(|source| VariantError::Betza {
            origin: self.origin.to_owned(),
            key: key.to_owned(),
            source,
        })?;
        if !royal && program.needs_safe_squares() {
            return self.fail(
                key,
                "only the royal piece can be lame over unattacked squares",
            );
        }
        if royal && program.imitator {
            return self.fail(key, "the royal piece cannot imitate");
        }
        Ok(program)
    }

    fn square(&self, rules: &RuleSet, key: &str, name: &str) -> Res<Square> {
        match rules.geometry.parse(name) {
            Some(square)
                if rules.geometry.is_main(square) || rules.geometry.is_brouhaha(square) =>
            {
                Ok(square)
            }
            _ => self.fail(key, format!("`{name}` is no square of this board")),
        }
    }

    fn mirrored(&self, rules: &RuleSet, key: &str, square: Square) -> Res<Square> {
        match rules.geometry.mirrored(square) {
            Some(mirror) => Ok(mirror),
            None => self.fail(
                key,
                format!(
                    "{} has no mirror square on this board",
                    rules.geometry.name(square)
                ),
            ),
        }
    }

    fn kind(&self, rules: &RuleSet, key: &str, letter: char) -> Res<Kind> {
        match u8::try_from(letter).ok().and_then(|l| rules.kind(l)) {
            Some(kind) => Ok(kind),
            None => self.fail(key, format!("`{letter}` is no piece of this variant")),
        }
    }

    fn kind_set(&self, rules: &RuleSet, key: &str, letters: &str) -> Res<u32> {
        letters
            .chars()
            .try_fold(0, |set, l| Ok(set | 1 << self.kind(rules, key, l)?.index()))
    }

    fn start(&self, rules: &RuleSet) -> Res<StartRule> {
        let spec = &self.spec.start;
        if spec.fen.len() > 2000 {
            return self.fail("start.fen", "has at most 2000 characters");
        }
        let board_text = spec.fen.split(['[', ' ']).next().unwrap_or_default();
        let fixed = match Diagram::parse(rules, board_text) {
            Ok(diagram) => diagram,
            Err(e) => return self.fail("start.fen", e.to_string()),
        };
        let mut homes: Vec<Vec<Piece>> = fixed
            .men
            .iter()
            .map(|&p| if p.is_none() { Vec::new() } else { vec![p] })
            .collect();
        let mut choices = Vec::new();
        let mut count: u64 = 1;
        if spec.choice.len() > 16 {
            return self.fail("start.choice", "there are at most 16 choices");
        }
        for choice in &spec.choice {
            let rule = self.choice(rules, choice)?;
            count = count.saturating_mul(rule.options.len() as u64);
            for (i, &square) in rule.squares.iter().enumerate() {
                for (target, colour) in self.choice_targets(rules, &rule, i, square)? {
                    for option in &rule.options {
                        let man = Piece::new(colour, option[i]);
                        if !homes[target.index()].contains(&man) {
                            homes[target.index()].push(man);
                        }
                    }
                }
            }
            choices.push(rule);
        }
        if count > 1 << 40 {
            return self.fail("start.choice", "there are more than 2^40 set-ups");
        }
        Ok(StartRule {
            fen: spec.fen.clone(),
            first: spec.first,
            choices,
            homes,
        })
    }

    fn choice_targets(
        &self,
        rules: &RuleSet,
        rule: &ChoiceRule,
        i: usize,
        square: Square,
    ) -> Res<Vec<(Square, Colour)>> {
        let mut targets = Vec::new();
        for s in [Some(square), rule.twins.get(i).copied()]
            .into_iter()
            .flatten()
        {
            targets.push((s, Colour::White));
            targets.push((
                self.mirrored(rules, "start.choice.squares", s)?,
                Colour::Black,
            ));
        }
        Ok(targets)
    }

    fn choice(&self, rules: &RuleSet, choice: &spec::ChoiceSpec) -> Res<ChoiceRule> {
        let key = "start.choice";
        let squares: Vec<Square> = choice
            .squares
            .iter()
            .map(|n| self.square(rules, "start.choice.squares", n))
            .collect::<Res<_>>()?;
        let twins: Vec<Square> = choice
            .twins
            .iter()
            .map(|n| self.square(rules, "start.choice.twins", n))
            .collect::<Res<_>>()?;
        if squares.is_empty()
            || squares.len() > 16
            || !(twins.is_empty() || twins.len() == squares.len())
        {
            return self.fail(
                key,
                "`squares` names 1 to 16 squares, `twins` as many or none",
            );
        }
        let texts: Vec<String> = match (&choice.permute, choice.options.is_empty()) {
            (Some(letters), true) if letters.len() <= 8 && letters.is_ascii() => {
                permutations(letters)
            }
            (Some(_), true) => return self.fail(key, "`permute` has at most 8 letters"),
            (None, false) => choice.options.clone(),
            _ => return self.fail(key, "has either `permute` or `options`"),
        };
        let mut options = Vec::new();
        for text in texts {
            let option: Vec<Kind> = text
                .chars()
                .map(|l| self.kind(rules, key, l))
                .collect::<Res<_>>()?;
            if option.len() != squares.len() {
                return self.fail(
                    key,
                    format!(
                        "`{text}` names {} men for {} squares",
                        option.len(),
                        squares.len()
                    ),
                );
            }
            options.push(option);
        }
        Ok(ChoiceRule {
            squares,
            twins,
            options,
        })
    }

    fn promotion(&self, rules: &RuleSet) -> Res<Option<PromotionRule>> {
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

    fn castling(&self, rules: &mut RuleSet) -> Res<()> {
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

    fn king_leap(&self, rules: &RuleSet) -> Res<Option<[KingLeapRule; 2]>> {
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

    fn ends(&self) -> Res<EndsRule> {
        let e = &self.spec.ends;
        for (key, result) in [
            ("ends.repetition", e.repetition),
            ("ends.n-move.result", e.n_move.as_ref().map(|n| n.result)),
        ] {
            if result == Some(CountResult::Points) && self.spec.points.is_none() {
                return self.fail(key, "is `points`, but there is no table [points]");
            }
        }
        let n_move = match &e.n_move {
            None => None,
            Some(n) if (1..=1000).contains(&n.moves) => Some(NMoveRule {
                plies: n.moves * 2,
                result: n.result,
                reset: n.reset,
            }),
            Some(_) => return self.fail("ends.n-move.moves", "is 1 to 1000"),
        };
        Ok(EndsRule {
            stalemate: e.stalemate,
            bare_kings: e.bare_kings,
            dead_position: e.dead_position.then(DeadPositionRule::default),
            repetition: e.repetition,
            n_move,
        })
    }

    fn points(&self, rules: &RuleSet) -> Res<Option<PointsRule>> {
        let Some(spec) = &self.spec.points else {
            return Ok(None);
        };
        let mut values = [0; Kind::MAX];
        for (letters, &points) in &spec.values {
            if points > 1000 {
                return self.fail(format!("points.values.{letters}"), "is at most 1000");
            }
            for letter in letters.chars() {
                values[self.kind(rules, "points.values", letter)?.index()] = points;
            }
        }
        if spec.imitator.is_some() && rules.imitator.is_none() {
            return self.fail("points.imitator", "no piece of this variant imitates");
        }
        Ok(Some(PointsRule {
            lead: spec.lead.max(1),
            values,
            heavy: self.kind_set(rules, "points.heavy", &spec.heavy)?,
            imitator: spec
                .imitator
                .as_ref()
                .map(|i| (i.heavy_outnumber, i.otherwise)),
        }))
    }

    fn augment(&self, rules: &RuleSet) -> Res<Option<AugmentRule>> {
        let Some(spec) = &self.spec.augment else {
            return Ok(None);
        };
        let letters = |key: &str,
                       map: &std::collections::BTreeMap<String, String>|
         -> Res<Vec<(u8, MoveProgram)>> {
            map.iter()
                .map(|(letter, text)| match letter.as_bytes() {
                    &[l @ b'A'..=b'Z'] => {
                        Ok((l, self.program(&format!("{key}.{letter}"), text, false)?))
                    }
                    _ => self.fail(format!("{key}.{letter}"), "is one letter A to Z"),
                })
                .collect()
        };
        let augmenters = letters("augment.augmenter", &spec.augmenter)?;
        let regent = match &spec.regent {
            None => None,
            Some(r) => {
                let kind = self.kind(
                    rules,
                    "augment.regent.piece",
                    r.piece.chars().next().unwrap_or(' '),
                )?;
                let bases = letters("augment.regent.bases", &r.bases)?;
                if r.pick == 0 || usize::from(r.pick) > bases.len() {
                    return self.fail(
                        "augment.regent.pick",
                        "is between 1 and the number of bases",
                    );
                }
                Some(RegentRule {
                    kind,
                    pick: r.pick,
                    bases,
                })
            }
        };
        let bits = augmenters.len() + regent.as_ref().map_or(0, |r| r.bases.len());
        if bits > 16 || augmenters.is_empty() {
            return self.fail("augment", "there are 1 to 16 augmenters and bases together");
        }
        if augmenters
            .iter()
            .chain(regent.iter().flat_map(|r| &r.bases))
            .any(|(_, p)| p.imitator)
        {
            return self.fail("augment", "an augmenter cannot imitate");
        }
        let mut slots = Vec::new();
        for holder in &spec.holders {
            slots.push((
                self.square(rules, "augment.holders.square", &holder.square)?,
                holder.slots,
            ));
        }
        slots.sort();
        let placed: usize = slots.iter().map(|s| usize::from(s.1)).sum();
        if placed != augmenters.len() || slots.iter().any(|s| s.1 == 0) {
            return self.fail(
                "augment.holders",
                format!("have {placed} slots for {} augmenters", augmenters.len()),
            );
        }
        let board_text = self
            .spec
            .start
            .fen
            .split(['[', ' '])
            .next()
            .unwrap_or_default();
        let men = match Diagram::parse(rules, board_text) {
            Ok(diagram) => diagram.men,
            Err(e) => return self.fail("start.fen", e.to_string()),
        };
        let mut holders = 0;
        for (square, _) in &slots {
            let man = men[square.index()];
            if man.is_none() || man.colour() == Colour::Black {
                return self.fail(
                    "augment.holders",
                    format!(
                        "no man of White's starts on {}",
                        rules.geometry.name(*square)
                    ),
                );
            }
            holders |= 1 << man.kind().index();
        }
        Ok(Some(AugmentRule {
            holders,
            slots,
            augmenters,
            regent,
        }))
    }

    fn cross_checks(&self, rules: &RuleSet) -> Res<()> {
        if rules.pieces.iter().any(|p| p.royal && p.pawn) {
            return self.fail("piece", "the royal piece cannot be a pawn");
        }
        if rules.pieces.len() > Kind::MAX {
            return self.fail("piece", "there are at most 26 types");
        }
        Ok(())
    }
}

/// All permutations of the letters, in the order of the dictionary.
fn permutations(letters: &str) -> Vec<String> {
    let mut sorted: Vec<char> = letters.chars().collect();
    sorted.sort_unstable();
    let mut all = Vec::new();
    permute(&mut String::new(), &sorted, &mut all);
    all
}

fn permute(prefix: &mut String, rest: &[char], all: &mut Vec<String>) {
    if rest.is_empty() {
        all.push(prefix.clone());
    }
    for (i, &c) in rest.iter().enumerate() {
        let mut others = rest.to_vec();
        others.remove(i);
        prefix.push(c);
        permute(prefix, &others, all);
        prefix.pop();
    }
}
