//! The shape of a board: files, ranks, which squares are always there, and their names.

use crate::types::{Colour, Square};

/// The shape of a board.
///
/// A *main* square always exists. A *brouhaha* square exists only while a man stands on it. Any
/// other square of the rectangle is a hole.
///
/// ```
/// use engine::geometry::Geometry;
/// let board = Geometry::rectangle(8, 8);
/// let e4 = board.parse("e4").unwrap();
/// assert_eq!(board.name(e4), "e4");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Geometry {
    files: u8,
    ranks: u8,
    first_rank: u8,
    main_ranks: u8,
    main: [u64; 4],
    brouhaha: [u64; 4],
}

impl Geometry {
    /// Most files or ranks.
    pub const LONGEST: u8 = 16;

    /// A full rectangle with ranks from 1.
    #[must_use]
    pub fn rectangle(files: u8, ranks: u8) -> Geometry {
        Geometry::new(files, ranks, 0, 0)
    }

    /// A rectangle of main squares with `below` (0 or 1) and `above` extra ranks that hold no main square.
    ///
    /// With a rank below, the lowest rank is numbered 0.
    #[must_use]
    pub fn new(files: u8, main_ranks: u8, below: u8, above: u8) -> Geometry {
        let mut board = Geometry {
            files,
            ranks: main_ranks + below + above,
            first_rank: 1 - below,
            main_ranks,
            main: [0; 4],
            brouhaha: [0; 4],
        };
        for rank in below..below + main_ranks {
            for file in 0..files {
                let s = rank as usize * files as usize + file as usize;
                board.main[s >> 6] |= 1 << (s & 63);
            }
        }
        board
    }

    /// Makes a square a brouhaha square, main or not before.
    pub fn set_brouhaha(&mut self, square: Square) {
        let (word, bit) = (square.index() >> 6, 1 << (square.0 & 63));
        self.main[word] &= !bit;
        self.brouhaha[word] |= bit;
    }

    /// Makes a square a hole.
    pub fn set_hole(&mut self, square: Square) {
        let (word, bit) = (square.index() >> 6, 1 << (square.0 & 63));
        self.main[word] &= !bit;
        self.brouhaha[word] &= !bit;
    }

    /// Number of files.
    #[must_use]
    pub const fn files(&self) -> u8 {
        self.files
    }

    /// Number of ranks, extra ranks included.
    #[must_use]
    pub const fn ranks(&self) -> u8 {
        self.ranks
    }

    /// Number of ranks of the main board.
    #[must_use]
    pub const fn main_ranks(&self) -> u8 {
        self.main_ranks
    }

    /// The number in the name of the lowest rank: 0 or 1.
    #[must_use]
    pub const fn first_rank(&self) -> u8 {
        self.first_rank
    }

    /// Number of squares of the rectangle.
    #[must_use]
    pub const fn squares(&self) -> usize {
        self.files as usize * self.ranks as usize
    }

    /// The squares that always exist, as four words.
    #[must_use]
    pub const fn main(&self) -> &[u64; 4] {
        &self.main
    }

    /// Whether a square always exists.
    #[must_use]
    pub const fn is_main(&self, square: Square) -> bool {
        self.main[square.index() >> 6] >> (square.0 & 63) & 1 != 0
    }

    /// Whether a square exists only while a man stands on it.
    #[must_use]
    pub const fn is_brouhaha(&self, square: Square) -> bool {
        self.brouhaha[square.index() >> 6] >> (square.0 & 63) & 1 != 0
    }

    /// File index of a square, from 0.
    #[must_use]
    pub const fn file(&self, square: Square) -> u8 {
        square.0 % self.files
    }

    /// Rank index of a square, from 0, extra ranks included.
    #[must_use]
    pub const fn rank_index(&self, square: Square) -> u8 {
        square.0 / self.files
    }

    /// Rank of a square as a player counts it: 1 is the player's first main rank; 0 and less, or
    /// more than [`main_ranks`](Self::main_ranks), are extra ranks.
    #[must_use]
    pub fn relative_rank(&self, colour: Colour, square: Square) -> i16 {
        let rank = i16::from(self.rank_index(square)) + i16::from(self.first_rank);
        match colour {
            Colour::White => rank,
            Colour::Black => i16::from(self.main_ranks) + 1 - rank,
        }
    }

    /// Whether a square is in a side's own half of the main board.
    #[must_use]
    pub fn in_own_half(&self, colour: Colour, square: Square) -> bool {
        self.relative_rank(colour, square) <= i16::from(self.main_ranks) / 2
    }

    /// The square at file and rank index, if it is inside the rectangle.
    #[must_use]
    pub fn at(&self, file: i16, rank_index: i16) -> Option<Square> {
        let inside = (0..i16::from(self.files)).contains(&file)
            && (0..i16::from(self.ranks)).contains(&rank_index);
        inside.then(|| Square((rank_index * i16::from(self.files) + file) as u8))
    }

    /// The square a step away, if it is inside the rectangle.
    #[must_use]
    pub fn step(&self, square: Square, (df, dr): (i8, i8)) -> Option<Square> {
        self.at(
            i16::from(self.file(square)) + i16::from(df),
            i16::from(self.rank_index(square)) + i16::from(dr),
        )
    }

    /// The square mirrored in the rank: where Black's man stands that answers to White's.
    #[must_use]
    pub fn mirrored(&self, square: Square) -> Option<Square> {
        let rank = i16::from(self.main_ranks) + 1
            - 2 * i16::from(self.first_rank)
            - i16::from(self.rank_index(square));
        self.at(i16::from(self.file(square)), rank)
    }

    /// The name of a square: file letter and rank number.
    #[must_use]
    pub fn name(&self, square: Square) -> String {
        format!(
            "{}{}",
            (b'a' + self.file(square)) as char,
            self.rank_index(square) + self.first_rank
        )
    }

    /// The square of a name that fills the whole text.
    #[must_use]
    pub fn parse(&self, name: &str) -> Option<Square> {
        self.parse_prefix(name)
            .and_then(|(square, rest)| rest.is_empty().then_some(square))
    }

    /// The square whose name begins the text, and the rest of the text.
    #[must_use]
    pub fn parse_prefix<'a>(&self, text: &'a str) -> Option<(Square, &'a str)> {
        let file = text.bytes().next()?;
        if !file.is_ascii_lowercase() {
            return None;
        }
        let digits = text[1..]
            .bytes()
            .take_while(u8::is_ascii_digit)
            .take(3)
            .count();
        let number = &text[1..1 + digits];
        if digits == 0 || digits > 2 || (digits == 2 && number.starts_with('0')) {
            return None;
        }
        let rank: i16 = number.parse().ok()?;
        let square = self.at(i16::from(file - b'a'), rank - i16::from(self.first_rank))?;
        Some((square, &text[1 + digits..]))
    }

    /// All squares of the rectangle.
    pub fn all(&self) -> impl Iterator<Item = Square> + use<> {
        (0..self.squares()).map(|s| Square(s as u8))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip_and_mirror() {
        let grand = Geometry::new(12, 12, 1, 1);
        for s in grand.all() {
            assert_eq!(grand.parse(&grand.name(s)), Some(s));
        }
        let mirror = |n: &str| {
            grand
                .mirrored(grand.parse(n).unwrap())
                .map(|s| grand.name(s))
        };
        assert_eq!(mirror("e0").as_deref(), Some("e13"));
        assert_eq!(mirror("a4").as_deref(), Some("a9"));
        assert_eq!(grand.parse("m1"), None);
        assert_eq!(grand.parse("a14"), None);
        assert_eq!(grand.parse("a01"), None);
        assert_eq!(grand.parse("a"), None);
        assert_eq!(grand.parse("é1"), None);
    }

    #[test]
    fn halves_are_counted_from_the_owner() {
        let grand = Geometry::new(12, 12, 1, 1);
        let half = |c, n: &str| grand.in_own_half(c, grand.parse(n).unwrap());
        assert!(half(Colour::White, "a6") && !half(Colour::White, "a7"));
        assert!(half(Colour::Black, "a7") && !half(Colour::Black, "a6"));
    }
}
