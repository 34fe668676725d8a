//! A position for an engine without `setboard`: the `edit` command of the protocol's first version.

/// The usual beginning of chess, where `new` leads to.
const BEGINNING: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

/// What leads from `new` and `force` to a position.
///
/// Whose move it is is that of the board before, so that White makes a move first where Black is to move, as xboard does.
/// Castling rights cannot be told: engines take kings and rooks at home for unmoved.
///
/// # Errors
/// What cannot be told, with its place in the FEN.
pub fn lines(fen: &str) -> Result<Vec<String>, String> {
    let fields: Vec<&str> = fen.split_whitespace().collect();
    if fields.len() >= 4 && fields[..4].join(" ") == BEGINNING {
        return Ok(Vec::new());
    }
    let [board, side, castling, passant, ..] = fields[..] else {
        return Err("has fewer than four fields".to_owned());
    };
    if passant != "-" {
        return Err(format!("has the en passant square `{passant}`"));
    }
    let men = men(board)?;
    let at_home = rights(&men);
    if castling != at_home {
        return Err(format!(
            "has the castling rights `{castling}`, where its men at home say `{at_home}`"
        ));
    }
    let mut lines = Vec::with_capacity(men.len() + 5);
    if side == "b" {
        lines.push("a2a3".to_owned());
    }
    lines.push("edit".to_owned());
    lines.push("#".to_owned());
    let of = |white: bool| {
        men.iter()
            .filter(move |man| man.letter.is_ascii_uppercase() == white)
    };
    let line = |man: &Man| format!("{}{}", man.letter.to_ascii_uppercase(), man.square);
    lines.extend(of(true).map(line));
    lines.push("c".to_owned());
    lines.extend(of(false).map(line));
    lines.push(".".to_owned());
    Ok(lines)
}

/// A man on its square, `K` on `e1`; Black's letters are small.
struct Man {
    letter: char,
    square: String,
}

fn men(board: &str) -> Result<Vec<Man>, String> {
    let ranks: Vec<&str> = board.split('/').collect();
    let mut men = Vec::new();
    for (number, rank) in (1..=ranks.len()).rev().zip(ranks) {
        let (mut file, mut gap) = (0u8, 0u8);
        for letter in rank.chars() {
            if let Some(digit) = letter.to_digit(10) {
                gap = gap.saturating_mul(10).saturating_add(digit as u8);
                continue;
            }
            file = file.saturating_add(std::mem::take(&mut gap));
            if !letter.is_ascii_alphabetic() || file >= 26 {
                return Err(format!("has `{letter}` in its rank {number}"));
            }
            let square = format!("{}{number}", char::from(b'a' + file));
            men.push(Man { letter, square });
            file += 1;
        }
    }
    Ok(men)
}

/// The castling rights that an engine assumes.
fn rights(men: &[Man]) -> String {
    let stands = |letter: char, square: &str| {
        men.iter()
            .any(|man| man.letter == letter && man.square == square)
    };
    let mut rights = String::new();
    for (king, rook, rank) in [('K', 'R', 1), ('k', 'r', 8)] {
        if !stands(king, &format!("e{rank}")) {
            continue;
        }
        for (file, letter) in [('h', king), ('a', if king == 'K' { 'Q' } else { 'q' })] {
            if stands(rook, &format!("{file}{rank}")) {
                rights.push(letter);
            }
        }
    }
    match rights.is_empty() {
        true => "-".to_owned(),
        false => rights,
    }
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn positions_are_told_man_by_man() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        assert_eq!(lines(start), Ok(vec![]));
        let told = lines("4k2r/8/8/3n4/8/8/P7/4K3 w k - 3 9").unwrap();
        assert_eq!(
            told,
            ["edit", "#", "Pa2", "Ke1", "c", "Ke8", "Rh8", "Nd5", "."]
        );
        let told = lines("k11/12/11K b - - 0 1").unwrap();
        assert_eq!(told, ["a2a3", "edit", "#", "Kl1", "c", "Ka3", "."]);
    }

    #[test]
    fn what_cannot_be_told_is_refused() {
        for (fen, says) in [
            (
                "4k3/8/8/8/8/8/8/4K2R w - - 0 1",
                "castling rights `-`, where its men at home say `K`",
            ),
            ("4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1", "en passant square `e3`"),
            ("4k3/8/+P6/8/8/8/8/4K3 w - - 0 1", "`+` in its rank 6"),
            ("4k3 w", "fewer than four"),
        ] {
            assert!(lines(fen).unwrap_err().contains(says), "{fen}");
        }
    }
}
