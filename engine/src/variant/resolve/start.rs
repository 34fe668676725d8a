//! The start position and its set-ups.

use super::{Res, Resolver};
use crate::types::{Colour, Kind, Piece, Square};
use crate::variant::diagram::Diagram;
use crate::variant::rule_set::{ChoiceRule, RuleSet, StartRule};
use crate::variant::spec;

impl Resolver<'_> {
    pub(super) fn start(&self, rules: &RuleSet) -> Res<StartRule> {
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
