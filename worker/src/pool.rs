//! The slots: one thread each, which owns its players.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, mpsc as std_mpsc};
use std::thread;
use std::time::{Duration, Instant};

use proto::v1;
use tokio::runtime::Runtime;
use tokio::sync::mpsc;

use crate::WorkerError;
use crate::analyse::{Question, analyse};
use crate::heartbeat::GameProgress;
use crate::job::held::{Key, Task, key};
use crate::job::{Failure, Item, Prepared, Program, Work};
use crate::play::builtin::BuiltinPlayer;
use crate::play::child::{FailedStarts, Launch, Patience};
use crate::play::game::Abandoned;
use crate::play::{Control, GameSetup, PlayedGame, Player, PlayerError, Roster, play_game};
use crate::play::{external, roster};

/// Stack of a slot's thread in bytes; a search goes deep.
const STACK: usize = 16 * 1024 * 1024;

/// What all slots are told.
#[derive(Clone, Copy, Debug)]
pub struct SlotSettings {
    /// Time after which an engine under a limit that is no time counts as hanging.
    pub hang_after: Duration,
    /// How long an external engine is waited for.
    pub patience: Patience,
}

/// What a slot tells.
#[derive(Debug)]
pub enum SlotEvent {
    /// A game goes on.
    Progress(v1::Progress),
    /// The slot is free again.
    Done(Box<Done>),
}

/// What became of a task.
#[derive(Debug)]
pub struct Done {
    /// The slot.
    pub slot: usize,
    /// Names the lease.
    pub key: Key,
    /// The lease.
    pub lease: v1::Lease,
    /// The game or position.
    pub item: Item,
    /// What became of it.
    pub outcome: Outcome,
}

/// What became of a task.
#[derive(Debug)]
pub enum Outcome {
    /// The game was played.
    Game(PlayedGame),
    /// The position was analysed.
    Position(v1::Evaluation),
    /// It was given up.
    Cancelled,
    /// It cannot be done here.
    Failed(Failure),
}

/// The slots of a worker.
pub struct Pool {
    slots: Vec<Slot>,
    /// Ends when all threads have.
    alive: mpsc::Receiver<()>,
}

struct Slot {
    orders: std_mpsc::Sender<Order>,
    busy: bool,
}

struct Order {
    task: Task,
    progress_interval: Duration,
}

impl Pool {
    /// Starts the threads; what they tell goes to `events`.
    ///
    /// # Errors
    /// The system has no more threads.
    pub fn start(
        slots: usize,
        settings: SlotSettings,
        events: &mpsc::Sender<SlotEvent>,
    ) -> Result<Self, WorkerError> {
        let (guard, alive) = mpsc::channel(1);
        let failed = Arc::new(FailedStarts::default());
        let start = |number: usize| {
            let (orders, received) = std_mpsc::channel::<Order>();
            let (events, guard, failed) = (events.clone(), guard.clone(), failed.clone());
            let run = move || {
                let _guard = guard;
                Desk {
                    number,
                    settings,
                    roster: Roster::default(),
                    runtime: None,
                    failed,
                }
                .run(&received, &events);
            };
            let thread = thread::Builder::new()
                .name(format!("slot-{number}"))
                .stack_size(STACK);
            thread.spawn(run).map_err(|error| WorkerError::Config {
                setting: "slots".to_owned(),
                problem: format!("{slots} are too many: {error}"),
            })?;
            Ok(Slot {
                orders,
                busy: false,
            })
        };
        let slots = (0..slots).map(start).collect::<Result<_, _>>()?;
        Ok(Self { slots, alive })
    }

    /// A slot that has nothing to do.
    pub fn idle(&self) -> Option<usize> {
        self.slots.iter().position(|slot| !slot.busy)
    }

    /// Slots that have nothing to do.
    pub fn idle_count(&self) -> usize {
        self.slots.iter().filter(|slot| !slot.busy).count()
    }

    /// Number of slots.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there is no slot.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Gives an idle slot something to do; gives whether it took it.
    pub fn give(&mut self, slot: usize, task: Task, progress_interval: Duration) -> bool {
        let Some(slot) = self.slots.get_mut(slot) else {
            return false;
        };
        slot.busy = slot
            .orders
            .send(Order {
                task,
                progress_interval,
            })
            .is_ok();
        slot.busy
    }

    /// A slot said that it is free.
    pub fn free(&mut self, slot: usize) {
        if let Some(slot) = self.slots.get_mut(slot) {
            slot.busy = false;
        }
    }

    /// Ends the threads, which ends their engines. Gives whether all ended in time.
    pub async fn stop(mut self, patience: Duration) -> bool {
        self.slots.clear();
        tokio::time::timeout(patience, self.alive.recv())
            .await
            .is_ok()
    }
}

/// What a slot's thread owns.
struct Desk {
    number: usize,
    settings: SlotSettings,
    roster: Roster,
    /// Made when the first external engine is started.
    runtime: Option<Arc<Runtime>>,
    /// Shared by all slots.
    failed: Arc<FailedStarts>,
}

impl Desk {
    fn run(mut self, orders: &std_mpsc::Receiver<Order>, events: &mpsc::Sender<SlotEvent>) {
        while let Ok(Order {
            task,
            progress_interval,
        }) = orders.recv()
        {
            let worked = catch_unwind(AssertUnwindSafe(|| {
                self.work(&task, progress_interval, events)
            }));
            let outcome = match worked {
                Ok(Ok(outcome)) => outcome,
                Ok(Err(Abandoned::Cancelled)) => Outcome::Cancelled,
                Ok(Err(Abandoned::Failed(reason, message))) => {
                    Outcome::Failed(Failure::new(reason, message))
                }
                Err(panic) => {
                    // Its players went with it; what is left of them may be half-changed.
                    self.roster = Roster::default();
                    let message = format!("a slot panicked: {}", panic_text(panic.as_ref()));
                    Outcome::Failed(Failure::new(v1::FailureReason::Internal, message))
                }
            };
            let lease = task.prepared.batch.lease;
            let done = Done {
                slot: self.number,
                key: key(&lease),
                lease,
                item: task.item,
                outcome,
            };
            if events
                .blocking_send(SlotEvent::Done(Box::new(done)))
                .is_err()
            {
                return;
            }
        }
    }

    fn work(
        &mut self,
        task: &Task,
        progress_interval: Duration,
        events: &mpsc::Sender<SlotEvent>,
    ) -> Result<Outcome, Abandoned> {
        let prepared = &task.prepared;
        match &prepared.batch.work {
            Work::Games { .. } => self
                .game(task, progress_interval, events)
                .map(Outcome::Game),
            Work::Positions(positions) => {
                let Some(position) = positions.get(task.item.0) else {
                    return Err(Abandoned::Cancelled);
                };
                let spec = &prepared.batch.players[0];
                let question = Question {
                    variant: &prepared.variant,
                    fen: &position.fen,
                    limit: spec.limit,
                    hang_after: self.settings.hang_after,
                };
                check_limits(prepared, [0])?;
                let (key, mut player) = self.player(prepared, 0, 0, &task.control)?;
                let evaluation = analyse(&question, player.as_mut(), &task.control)?;
                self.keep(key, player);
                Ok(Outcome::Position(evaluation))
            }
        }
    }

    fn game(
        &mut self,
        task: &Task,
        progress_interval: Duration,
        events: &mpsc::Sender<SlotEvent>,
    ) -> Result<PlayedGame, Abandoned> {
        let prepared = &task.prepared;
        let batch = &prepared.batch;
        let Work::Games {
            games,
            adjudication,
            max_plies,
            time_margin,
        } = &batch.work
        else {
            return Err(Abandoned::Cancelled);
        };
        let Some(game) = games.get(task.item.0) else {
            return Err(Abandoned::Cancelled);
        };
        let seats = [game.first as usize, game.second as usize];
        let setup = GameSetup {
            variant: &prepared.variant,
            opening: &game.opening_fen,
            limits: seats.map(|seat| batch.players[seat].limit),
            adjudication,
            max_plies: *max_plies,
            time_margin: *time_margin,
            hang_after: self.settings.hang_after,
        };
        check_limits(prepared, seats)?;
        // Of two different players each keeps its engine when the colours are reversed.
        let meets_itself = batch.players[seats[0]].id == batch.players[seats[1]].id;
        let second = usize::from(meets_itself);
        let (first_key, first) = self.player(prepared, seats[0], 0, &task.control)?;
        let (second_key, second) = self.player(prepared, seats[1], second, &task.control)?;
        let mut players = [first, second];
        let mut send = |progress| {
            // A slow connection must not hold up the game; what is lost is only for watching.
            let _ = events.try_send(SlotEvent::Progress(progress));
        };
        let mut progress = GameProgress::new(
            batch.lease,
            game.game,
            progress_interval,
            Instant::now(),
            &mut send,
        );
        let played = play_game(&setup, &mut players, &task.control, &mut progress);
        let [first, second] = players;
        self.keep(first_key, first);
        self.keep(second_key, second);
        played
    }

    fn player(
        &mut self,
        prepared: &Prepared,
        index: usize,
        seat: usize,
        control: &Control,
    ) -> Result<(roster::Key, Box<dyn Player>), PlayerError> {
        let key = roster::Key {
            player: prepared.batch.players[index].id.clone(),
            variant: prepared.batch.variant.hash.clone(),
            seat,
        };
        let make = || -> Result<Box<dyn Player>, PlayerError> {
            let program = match &prepared.programs[index] {
                Program::Builtin { variant, options } => {
                    return Ok(Box::new(BuiltinPlayer::new(variant, options)));
                }
                Program::Child(program) => program,
            };
            let launch = Launch {
                program: program.as_ref().clone(),
                variant: prepared.variant.clone(),
                patience: program.command.patience.over(self.settings.patience),
                runtime: slot_runtime(&mut self.runtime)?,
                failed: self.failed.clone(),
            };
            external::start(launch, control)
        };
        let player = self.roster.take(&key, make)?;
        Ok((key, player))
    }

    fn keep(&mut self, key: roster::Key, player: Box<dyn Player>) {
        if player.is_healthy() {
            self.roster.give_back(key, player);
        }
    }
}

/// Checks that all players of a game can be given their limits, before any of them is started.
fn check_limits(
    prepared: &Prepared,
    players: impl IntoIterator<Item = usize>,
) -> Result<(), PlayerError> {
    for index in players {
        if let Program::Child(program) = &prepared.programs[index] {
            external::check_limit(program, &prepared.batch.players[index].limit)?;
        }
    }
    Ok(())
}

/// The runtime of this thread: the thread that waits for an engine is the one that reads from it.
fn slot_runtime(made: &mut Option<Arc<Runtime>>) -> Result<Arc<Runtime>, PlayerError> {
    if let Some(runtime) = made {
        return Ok(runtime.clone());
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| PlayerError::Own(format!("a slot has no runtime: {error}")))?;
    Ok(made.insert(Arc::new(runtime)).clone())
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}
