//! Who plays in a scope, by number, id and name.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::{
    coordinator::{
        Error,
        pools::{Place, Scope},
    },
    model::{Digest, TournamentId},
    ratings::Player as Number,
};

/// Names in a message that says which there are.
const NAMED: usize = 20;
/// Characters of a name that nobody has in a message.
const SHOWN: usize = 100;

/// The players of a scope.
pub(super) struct Entrants {
    /// Id and name by number in the aggregates.
    pub players: Vec<(Digest, String)>,
    /// Number of each tournament's players.
    pub numbers: BTreeMap<TournamentId, Vec<Number>>,
    by_name: HashMap<String, Number>,
    by_id: HashMap<Digest, Number>,
}

impl Entrants {
    /// The players of a scope. In one tournament each engine of its file is one; across tournaments the same version under
    /// the same limit is one, whatever it was called.
    pub fn of(scope: &Scope) -> Self {
        let mut players = Vec::new();
        let mut numbers = BTreeMap::new();
        let mut known: BTreeMap<Digest, Number> = BTreeMap::new();
        let is_merged = !matches!(scope.place, Place::Tournament(_));
        for part in &scope.parts {
            let mut own = Vec::with_capacity(part.definition.players.len());
            for player in part.definition.players.iter() {
                let new = players.len();
                let number = match is_merged {
                    true => *known.entry(player.id).or_insert(new),
                    false => new,
                };
                if number == new {
                    players.push((player.id, player.name.clone()));
                }
                own.push(number);
            }
            numbers.insert(part.definition.id, own);
        }
        if is_merged {
            tell_apart(&mut players);
        }
        let (mut by_name, mut by_id) = (HashMap::new(), HashMap::new());
        for (number, (id, name)) in players.iter().enumerate() {
            by_name.entry(name.clone()).or_insert(number);
            by_id.entry(*id).or_insert(number);
        }
        Self {
            players,
            numbers,
            by_name,
            by_id,
        }
    }

    /// The number of a player by name or id; `field` says where it was named.
    pub fn number(&self, player: &str, field: &str) -> Result<Number, Error> {
        if player.is_empty() {
            return Err(Error::Invalid(format!(
                "{field}: is empty; name a player by name or id"
            )));
        }
        let by_id = || self.by_id.get(&player.parse::<Digest>().ok()?);
        let found = self.by_name.get(player).or_else(by_id);
        found.copied().ok_or_else(|| {
            let told_apart = self.told_apart(player);
            if !told_apart.is_empty() {
                let names = told_apart.join(", ");
                let problem = format!(
                    "{field}: several players are called `{player}`; name one of {names}, or its id"
                );
                return Error::Invalid(problem);
            }
            let names: Vec<_> = self
                .players
                .iter()
                .take(NAMED)
                .map(|(_, name)| name.as_str())
                .collect();
            let more = match self.players.len() {
                all if all > NAMED => format!(" and {} more", all - NAMED),
                _ => String::new(),
            };
            let shown: String = player.chars().take(SHOWN).collect();
            Error::NotFound(format!(
                "player `{shown}` ({field}; there are {}{more})",
                names.join(", ")
            ))
        })
    }

    /// The names of players who share this one, which they are told apart by.
    fn told_apart(&self, name: &str) -> Vec<&str> {
        let shares = |(id, own): &&(Digest, String)| {
            let rest = own
                .strip_prefix(name)
                .and_then(|rest| rest.strip_prefix(' '));
            rest.is_some_and(|rest| rest == id.short())
        };
        let found = self.players.iter().filter(shares).take(NAMED);
        found.map(|(_, own)| own.as_str()).collect()
    }

    /// The numbers of players who are each to be named once, in the order given.
    pub fn each_once(&self, names: &[String], field: &str) -> Result<Vec<Number>, Error> {
        let mut seen = BTreeSet::new();
        let number = |name: &String| {
            let number = self.number(name, field)?;
            match seen.insert(number) {
                true => Ok(number),
                false => Err(named_twice(field, name)),
            }
        };
        names.iter().map(number).collect()
    }

    /// All players in the order of their names, which is that of a list of files.
    pub fn by_name(&self) -> Vec<Number> {
        let mut numbers: Vec<Number> = (0..self.players.len()).collect();
        numbers.sort_by_key(|&number| (self.name(number), number));
        numbers
    }

    /// A player's name.
    pub fn name(&self, number: Number) -> &str {
        self.players.get(number).map_or("", |(_, name)| name)
    }

    /// A player's id as text.
    pub fn id(&self, number: Number) -> String {
        self.players
            .get(number)
            .map_or_else(String::new, |(id, _)| id.to_string())
    }
}

/// The error for a player that is named twice.
pub(super) fn named_twice(field: &str, player: &str) -> Error {
    Error::Invalid(format!(
        "{field}: names `{player}` twice, by name or id; name each player once"
    ))
}

/// Adds the beginning of the id to names that several players have.
fn tell_apart(players: &mut [(Digest, String)]) {
    let mut seen = BTreeMap::new();
    for (_, name) in players.iter() {
        *seen.entry(name.clone()).or_insert(0) += 1;
    }
    for (id, name) in players {
        if seen.get(name).is_some_and(|&times| times > 1) {
            *name = format!("{name} {}", id.short());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_several_players_is_told_with_what_tells_them_apart() {
        let ids = [1u8, 2, 3].map(|byte| Digest([byte; 32]));
        let mut players: Vec<(Digest, String)> = ids
            .iter()
            .zip(["e1", "e1", "other"])
            .map(|(id, name)| (*id, name.to_owned()))
            .collect();
        tell_apart(&mut players);
        let entrants = Entrants {
            by_name: players
                .iter()
                .enumerate()
                .map(|(number, (_, name))| (name.clone(), number))
                .collect(),
            by_id: players
                .iter()
                .enumerate()
                .map(|(number, (id, _))| (*id, number))
                .collect(),
            numbers: BTreeMap::new(),
            players,
        };
        let error = entrants.number("e1", "anchor").unwrap_err().to_string();
        assert!(
            error.contains("several players") && error.contains("e1 01010101"),
            "{error}"
        );
        assert_eq!(entrants.number("e1 02020202", "anchor").unwrap(), 1);
        let error = entrants.number("e2", "anchor").unwrap_err().to_string();
        assert!(!error.contains("several"), "{error}");
    }
}
