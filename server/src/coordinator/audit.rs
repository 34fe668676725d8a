//! Make every draw of a tournament again from what was known when it was made.

use std::sync::Arc;

use proto::{
    store::{CourseChanged, course_changed::Step as Change},
    v1,
};

use super::{
    Coordinator, Error,
    course::draw_from_wire,
    definition::Definition,
    load,
    tournament::{Score, Tournament},
};
use crate::{
    model::{PlayingKey, TournamentId},
    schedule::Step,
    store::View,
};

/// Differences that are told; more are counted only.
const MAX_TOLD: usize = 20;

/// What changes results, with the sequence of its record.
enum Event {
    Stored(PlayingKey, Score),
    Voided(PlayingKey),
}

impl Coordinator {
    /// Makes all draws of a tournament again, each from the results up to the record that it was made from, and compares.
    ///
    /// Reads all games of the tournament from the index.
    pub async fn audit_course(
        self: &Arc<Self>,
        id: TournamentId,
    ) -> Result<v1::AuditCourseResponse, Error> {
        self.blocking(&self.audits, move |this| {
            let beginning = this.state().tournament(id)?.beginning.clone();
            let view = this.store.view();
            let events = events(view, id)?;
            let changes = view.course(id)?;
            Ok(audit(beginning, events, &changes))
        })
        .await
    }
}

/// Everything that was stored and voided, in the order of the records.
fn events(view: &View, id: TournamentId) -> Result<Vec<(u64, Event)>, Error> {
    let mut events = Vec::new();
    view.games(id, |key, entry| {
        if key.replica == 0 {
            let sequence = entry.location.map_or(0, |at| at.sequence);
            events.push((sequence, Event::Stored(key, load::score(&key, &entry)?)));
        }
        Ok(())
    })?;
    let voided = view.voided(id)?.into_iter();
    events.extend(voided.map(|(key, sequence)| (sequence, Event::Voided(key))));
    events.sort_by_key(|(sequence, _)| *sequence);
    Ok(events)
}

/// Replays a tournament from its beginning, and asks its format wherever it was asked then.
fn audit(
    beginning: Arc<Definition>,
    events: Vec<(u64, Event)>,
    changes: &[(CourseChanged, u64)],
) -> v1::AuditCourseResponse {
    let mut tournament = Tournament::new(beginning, None, 0);
    let mut events = events.into_iter().peekable();
    let mut answer = v1::AuditCourseResponse::default();
    for (change, sequence) in changes {
        // What was stored between the question and its answer was not known.
        let known = if change.basis > 0 {
            change.basis
        } else {
            *sequence
        };
        while let Some((at, event)) = events.next_if(|(at, _)| *at <= known) {
            match event {
                Event::Stored(key, score) => _ = tournament.enter(&key, score),
                Event::Voided(key) => tournament.void(&key, at),
            }
        }
        if let Some(difference) = compare(&tournament, change) {
            answer.differences += 1;
            if answer.told.len() < MAX_TOLD {
                answer
                    .told
                    .push(format!("change {}: {difference}", change.number));
            }
        }
        let is_draw = matches!(change.step, Some(Change::Draw(_)));
        answer.draws += u32::from(is_draw);
        if let Err(problem) = tournament.change(change, *sequence) {
            answer.differences += 1;
            answer
                .told
                .push(format!("change {}: {problem}", change.number));
            break;
        }
    }
    answer
}

/// What the format says otherwise than it was stored; nothing where it was not asked.
fn compare(tournament: &Tournament, change: &CourseChanged) -> Option<String> {
    let definition = &tournament.definition;
    let step = || definition.director.next(&tournament.history());
    match &change.step {
        Some(Change::Draw(stored)) => {
            let stored = draw_from_wire(stored, definition.players.len()).ok()?;
            match step() {
                Step::Draw(drawn) if drawn == stored => None,
                Step::Draw(drawn) => Some(format!(
                    "round {} would be {:?}, and was {:?}",
                    drawn.round + 1,
                    drawn.encounters,
                    stored.encounters
                )),
                Step::Wait | Step::Over => Some("nothing would be drawn".to_owned()),
            }
        }
        Some(Change::Over(_)) => {
            (step() != Step::Over).then(|| "more would be drawn, or later".to_owned())
        }
        Some(Change::Entered(_) | Change::Withdrawn(_)) | None => None,
    }
}

#[cfg(test)]
mod tests {
    use proto::store::{CourseOver, EngineWithdrawn, TournamentCreated};

    use super::*;
    use crate::{
        coordinator::course::draw_to_wire,
        model::{EndReason, GameIndex, Player, tournament_file, wire},
    };

    const FILE: &str = r#"
schema = 1
name = "audit"
variant = "chess"
batch_pairs = 1
[format]
kind = "knockout"
pairs = 1
tie_pairs = 0
[limit]
nodes = 1
[[engine]]
name = "a"
builtin = true
[[engine]]
name = "b"
builtin = true
[[engine]]
name = "c"
builtin = true
"#;

    fn beginning() -> Arc<Definition> {
        let spec = tournament_file::parse(FILE, "audit.toml", |_, _| unreachable!()).unwrap();
        let players = spec.engines.iter();
        let players = players.map(|engine| Player::resolve(engine, spec.limit, "build").unwrap());
        let record = TournamentCreated {
            id: 1,
            spec_hash: vec![0; 32],
            variant: Some(v1::VariantRef {
                id: "chess".into(),
                hash: "0".repeat(64),
            }),
            players: players
                .map(|player| wire::player_to_wire(&player))
                .collect(),
            spec: Some(wire::spec_to_wire(&spec)),
            ..Default::default()
        };
        Arc::new(Definition::from_record(&record).unwrap())
    }

    type Events = Vec<(u64, Event)>;
    type Changes = Vec<(CourseChanged, u64)>;

    /// The second and third meet, then the winner meets the first; each change is made from the record before it.
    fn played() -> (Events, Changes) {
        let mut tournament = Tournament::new(beginning(), None, 0);
        let (mut events, mut changes) = (Vec::new(), Vec::new());
        let mut sequence = 10;
        loop {
            let (first_pair, number) = (tournament.definition.games() / 2, tournament.changes);
            let step = match tournament.definition.director.next(&tournament.history()) {
                Step::Draw(draw) => Change::Draw(draw_to_wire(&draw, first_pair.into())),
                Step::Over => Change::Over(CourseOver {}),
                Step::Wait => panic!("every game is there"),
            };
            let change = CourseChanged {
                id: 1,
                number,
                step: Some(step),
                basis: sequence,
                ..Default::default()
            };
            sequence += 1;
            tournament.change(&change, sequence).unwrap();
            changes.push((change, sequence));
            if tournament.over {
                return (events, changes);
            }
            for game in [2 * first_pair, 2 * first_pair + 1] {
                let key = tournament.key(GameIndex(game)).unwrap();
                // The one who moves first in the first game of the pair wins both.
                let first_quarters = if game % 2 == 0 { 4 } else { 0 };
                let reason = EndReason::Checkmate;
                let score = Score {
                    first_quarters,
                    reason,
                };
                sequence += 1;
                tournament.enter(&key, score);
                events.push((sequence, Event::Stored(key, score)));
            }
        }
    }

    #[test]
    fn draws_that_follow_from_what_was_known_come_out_again() {
        let (events, changes) = played();
        let answer = audit(beginning(), events, &changes);
        assert_eq!(
            (answer.draws, answer.differences),
            (2, 0),
            "{:?}",
            answer.told
        );
    }

    #[test]
    fn a_draw_that_does_not_follow_is_told() {
        type Spoil = fn(&mut Events, &mut Changes);
        let cases: [(Spoil, &str); 4] = [
            (
                |_, changes| {
                    if let Some(Change::Draw(draw)) = &mut changes[1].0.step {
                        draw.encounters[0].second = 2;
                    }
                },
                "[[0, 1]], and was [[0, 2]]",
            ),
            // A result that came after the question is taken for known, or one that was known is not.
            (
                |_, changes| changes[1].0.basis = 12,
                "nothing would be drawn",
            ),
            (|events, _| events.truncate(1), "nothing would be drawn"),
            (
                |_, changes| changes[1].0.step = Some(Change::Over(CourseOver {})),
                "more would be drawn",
            ),
        ];
        for (spoil, told) in cases {
            let (mut events, mut changes) = played();
            spoil(&mut events, &mut changes);
            let answer = audit(beginning(), events, &changes);
            assert!(answer.differences > 0);
            assert!(answer.told[0].contains(told), "{:?}", answer.told);
        }
    }

    #[test]
    fn an_end_found_before_a_result_was_taken_away_is_none() {
        let (events, mut changes) = played();
        let (end, _) = changes.pop().unwrap();
        let mut tournament = Tournament::new(beginning(), None, 0);
        let mut first = None;
        for (sequence, event) in events {
            while let Some((change, at)) = changes.first().filter(|(_, at)| *at < sequence) {
                tournament.change(change, *at).unwrap();
                changes.remove(0);
            }
            if let Event::Stored(key, score) = event {
                tournament.enter(&key, score);
                first.get_or_insert(key);
            }
        }
        // The format was asked at `basis`; the result went before its answer was stored.
        tournament.void(&first.unwrap(), end.basis + 1);
        tournament.change(&end, end.basis + 2).unwrap();
        assert!(!tournament.over && tournament.undrawn);
    }

    #[test]
    fn records_that_cannot_be_are_refused() {
        let mut tournament = Tournament::new(beginning(), None, 0);
        let draw = |pairs| v1::Draw {
            pairs,
            encounters: vec![v1::DrawnEncounter {
                first: 0,
                second: 1,
                ..Default::default()
            }],
            ..Default::default()
        };
        for (step, problem) in [
            (
                Some(Change::Withdrawn(EngineWithdrawn { player: 3 })),
                "player 3",
            ),
            (Some(Change::Draw(draw(60_000_000))), "120000000 games"),
            (None, "does not know"),
        ] {
            let change = CourseChanged {
                step,
                ..Default::default()
            };
            let error = tournament.change(&change, 5).unwrap_err();
            assert!(error.contains(problem), "{error}");
        }
        let late = CourseChanged {
            number: 1,
            step: Some(Change::Draw(draw(1))),
            ..Default::default()
        };
        assert!(
            tournament
                .change(&late, 5)
                .unwrap_err()
                .contains("change 1")
        );
    }

    #[test]
    fn what_users_change_is_no_draw() {
        let step = Some(Change::Withdrawn(EngineWithdrawn { player: 2 }));
        let change = CourseChanged {
            step,
            ..Default::default()
        };
        let answer = audit(beginning(), Vec::new(), &[(change, 5)]);
        assert_eq!(answer, v1::AuditCourseResponse::default());
    }
}
