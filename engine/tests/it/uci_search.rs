//! Transcripts of searches over UCI: several lines, pondering, mates, wrong moves, odds of the outcomes.

use std::io::{BufReader, Read};
use std::sync::mpsc;
use std::time::Duration;

use engine::uci;
use engine::variant::Catalog;

use crate::uci::{answers, best_moves};

fn infos(said: &str) -> Vec<&str> {
    said.lines()
        .filter(|l| l.starts_with("info depth"))
        .collect()
}

fn word_after<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    let mut words = line.split(' ').skip_while(|w| *w != word);
    words.nth(1)
}

#[test]
fn lines_are_told_apart_by_their_rank() {
    let said = answers(b"setoption name MultiPV value 3\nposition startpos\ngo depth 5\n");
    let last: Vec<&str> = infos(&said).into_iter().rev().take(3).rev().collect();
    let ranks: Vec<_> = last
        .iter()
        .filter_map(|l| word_after(l, "multipv"))
        .collect();
    assert_eq!(ranks, ["1", "2", "3"], "{said}");
    let best = best_moves(&said)[0];
    assert_eq!(word_after(last[0], "pv"), best.split(' ').next());
}

#[test]
fn info_lines_carry_what_programs_show() {
    let said = answers(b"position startpos\ngo depth 6\n");
    for line in infos(&said).iter().rev().skip(1) {
        for word in ["seldepth", "nodes", "nps", "time", "hashfull"] {
            let number = word_after(line, word).and_then(|n| n.parse::<u64>().ok());
            assert!(number.is_some(), "{word} in {line}");
        }
        let (depth, seldepth) = (word_after(line, "depth"), word_after(line, "seldepth"));
        let number = |text: Option<&str>| text.unwrap().parse::<u32>().unwrap();
        assert!(number(seldepth) >= number(depth), "{line}");
    }
    assert!(!said.contains("outcomes") && !said.contains("multipv"));
}

#[test]
fn odds_of_the_outcomes_are_shown_when_asked_for() {
    let said = answers(
        b"setoption name UCI_ShowOutcomes value true\nposition startpos\ngo depth 3\n\
          setoption name UCI_Variant value apothecary-modern\nposition startpos\ngo depth 2\n",
    );
    let mut quarters = 0;
    for line in infos(&said) {
        let at = line.find("outcomes ").unwrap_or_else(|| panic!("{line}"));
        let odds: Vec<u32> = line[at + 9..]
            .split(' ')
            .take(5)
            .map(|n| n.parse().unwrap())
            .collect();
        assert_eq!(odds.iter().sum::<u32>(), 1000, "{line}");
        quarters += u32::from(odds[1] > 0);
    }
    // Chess knows no advantages, apothecary does.
    assert!(
        quarters > 0 && quarters < infos(&said).len() as u32,
        "{said}"
    );
    let refused = answers(b"setoption name UCI_ShowOutcomes value maybe\n");
    assert!(refused.contains("`UCI_ShowOutcomes` cannot be `maybe`"));
}

#[test]
fn wrong_searchmoves_are_named_and_left_aside() {
    let said = answers(b"position startpos\ngo depth 2 searchmoves e2e5 a2a3 xyzzy\n");
    assert_eq!(
        said.matches("info string error: searchmoves").count(),
        2,
        "{said}"
    );
    assert!(said.contains("`e2e5`") && said.contains("`xyzzy`"));
    assert!(best_moves(&said)[0].starts_with("a2a3"), "{said}");
}

#[test]
fn the_answer_names_the_move_to_ponder_on() {
    let said = answers(b"position startpos\ngo depth 4\n");
    let words: Vec<&str> = best_moves(&said)[0].split(' ').collect();
    assert_eq!((words.len(), words[1]), (3, "ponder"), "{said}");
    let script = format!("position startpos moves {} {}\nd\n", words[0], words[2]);
    assert!(!answers(script.as_bytes()).contains("error"), "{said}");
}

#[test]
fn a_mate_in_two_is_looked_for_until_found() {
    let said =
        answers(b"position fen kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1\ngo mate 2 nodes 1000000\n");
    assert!(said.contains("score mate 2"), "{said}");
    assert!(best_moves(&said)[0].starts_with("a1a6"), "{said}");
}

#[test]
fn no_budget_and_hostile_numbers_still_give_a_move() {
    let said = answers(
        b"position startpos\ngo nodes 0\ngo movetime 0\ngo depth 0\ngo wtime 0 btime 0\n\
          go wtime 1 btime 1 movestogo 1 winc 0\ngo nodes 18446744073709551616\ngo mate 0 nodes 10\n\
          setoption name Threads value 0\nsetoption name MultiPV value 100000\n",
    );
    assert_eq!(best_moves(&said).len(), 6, "{said}");
    assert_eq!(said.matches("info string error").count(), 3, "{said}");
}

/// An input that waits between its parts.
struct Parts(mpsc::Receiver<Vec<u8>>, std::io::Cursor<Vec<u8>>);

impl Read for Parts {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        loop {
            let n = self.1.read(buffer)?;
            if n > 0 {
                return Ok(n);
            }
            match self.0.recv() {
                Ok(more) => self.1 = std::io::Cursor::new(more),
                Err(_) => return Ok(0),
            }
        }
    }
}

/// While the opponent thinks there is no answer, however small the limit; `ponderhit` or `stop` brings it.
#[test]
fn pondering_answers_after_the_hit_or_the_stop() {
    for word in ["ponderhit", "stop"] {
        let (say, parts) = mpsc::channel();
        let (told, heard) = mpsc::channel();
        let session = std::thread::spawn(move || {
            let input = BufReader::new(Parts(parts, std::io::Cursor::new(Vec::new())));
            uci::run(input, Teller(told), Catalog::builtin()).unwrap();
        });
        say.send(b"position startpos\ngo ponder depth 2\n".to_vec())
            .unwrap();
        let mut said = String::new();
        while !said.contains("info depth 2") {
            said += &heard.recv().unwrap();
        }
        std::thread::sleep(Duration::from_millis(40));
        said.extend(heard.try_iter());
        assert!(!said.contains("bestmove"), "{said}");
        say.send(format!("{word}\n").into_bytes()).unwrap();
        while !said.contains("bestmove") {
            said += &heard.recv().unwrap();
        }
        drop(say);
        session.join().unwrap();
    }
}

/// An output that passes on what is written.
struct Teller(mpsc::Sender<String>);

impl std::io::Write for Teller {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let _ = self.0.send(String::from_utf8_lossy(bytes).into_owned());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
