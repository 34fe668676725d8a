//! A player that is an engine in a process of its own: all that does not depend on the protocol.

use std::time::Duration;

use tokio::time::Instant;

use super::engine::{Child, Launch};
use super::host::Lateness;
use super::moves;
use super::process::Heard;
use super::seen::{Info, Seen};
use crate::play::player::Turn;
use crate::play::{Control, FaultKind, Limit, Player, PlayerError, ThinkLimit, Thought};

/// How long a search that is given up may take to stop.
const CANCEL: Duration = Duration::from_millis(500);
/// Most time that is granted to a move because the host was late: one that is late all the time must not hold up a game for
/// ever.
const MOST_GRANTED: Duration = Duration::from_secs(600);

/// What is particular to a protocol.
pub trait Protocol: Default + Send {
    /// What tells the engine to move now.
    const STOP: &'static str;

    /// What the protocol has no words for in this limit, with what can be used instead.
    fn refuses(_limit: &Limit) -> Option<&'static str> {
        None
    }

    /// Asks a new process what it can, and sets its options.
    fn greet(
        &mut self,
        child: &mut Child,
        launch: &Launch,
    ) -> impl Future<Output = Result<(), PlayerError>>;

    /// Begins a game.
    fn begin(&mut self, child: &mut Child) -> impl Future<Output = Result<(), PlayerError>>;

    /// The lines that bring the engine to think about a position.
    ///
    /// # Errors
    /// The protocol or the engine has no words for it.
    fn ask(
        &mut self,
        child: &mut Child,
        turn: Turn<'_>,
        limit: &ThinkLimit,
    ) -> Result<Vec<String>, PlayerError>;

    /// What a line says while the engine thinks.
    fn hear(&mut self, line: &str, turn: Turn<'_>) -> Event;

    /// The engine was told to move now, so that it is not where it was thought to be.
    fn lost_track(&mut self) {}

    /// Whether the process can play another game.
    fn is_reusable(&self) -> bool {
        true
    }
}

/// What an engine says while it thinks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// Something about its search.
    Info(Info),
    /// Its move.
    Move(String),
    /// It offers a draw.
    DrawOffer,
    /// The game is over for it, as it says itself: the kind of that, and for people.
    Over(FaultKind, String),
    /// It broke the protocol, and is not used again.
    Broken(String),
    /// Nothing that matters.
    Nothing,
}

/// An engine in a child process as a player.
pub struct ChildPlayer<P> {
    launch: Launch,
    child: Child,
    protocol: P,
    /// Whether this process was asked for a move already, so that another one may do better.
    is_used: bool,
}

/// One move that is asked for.
#[derive(Clone, Copy)]
struct Search<'a> {
    turn: Turn<'a>,
    limit: &'a ThinkLimit,
    control: &'a Control,
    asked: Instant,
}

/// What came of it.
enum Found {
    Thought(Thought),
    /// The time was up: what it had spent then.
    Overran(Duration),
}

impl<P: Protocol> ChildPlayer<P> {
    /// Why engines of this protocol cannot be given a limit, with what they can be given instead; none = they can.
    pub fn refuses(limit: &Limit) -> Option<&'static str> {
        P::refuses(limit)
    }

    /// Starts an engine and sets its options.
    ///
    /// # Errors
    /// [`PlayerError::Start`] names what failed, also when it failed a short while ago; [`PlayerError::Host`] when this
    /// host did; [`PlayerError::Cancelled`] when told so meanwhile.
    pub fn start(launch: Launch, control: &Control) -> Result<Self, PlayerError> {
        if let Some(why) = launch
            .failed
            .lately(&launch.program, std::time::Instant::now())
        {
            return Err(PlayerError::Start(why));
        }
        let started = Self::start_now(&launch, control);
        let (child, protocol) = noted(&launch, started)?;
        Ok(Self {
            launch,
            child,
            protocol,
            is_used: false,
        })
    }

    fn start_now(launch: &Launch, control: &Control) -> Result<(Child, P), PlayerError> {
        control.expect_within(launch.patience.start + launch.patience.ping);
        let mut child = Child::start(launch)?;
        let mut protocol = P::default();
        launch.runtime.block_on(async {
            tokio::select! {
                () = control.cancelled() => Err(PlayerError::Cancelled),
                started = protocol.greet(&mut child, launch) => started,
            }
        })?;
        Ok((child, protocol))
    }

    fn begin(&mut self, control: &Control) -> Result<(), PlayerError> {
        control.expect_within(self.launch.patience.new_game);
        let runtime = self.child.runtime();
        runtime.block_on(async {
            tokio::select! {
                () = control.cancelled() => {
                    // An answer that is still to come would be taken for another one's.
                    self.child.give_up();
                    Err(PlayerError::Cancelled)
                }
                begun = self.protocol.begin(&mut self.child) => begun,
            }
        })
    }

    async fn search(
        &mut self,
        turn: Turn<'_>,
        limit: &ThinkLimit,
        control: &Control,
    ) -> Result<Thought, PlayerError> {
        let offers_draw = self.heard_unasked(turn).await?;
        let search = Search {
            turn,
            limit,
            control,
            asked: Instant::now(),
        };
        let by = search.asked + limit.deadline();
        let lines = self.protocol.ask(&mut self.child, turn, limit)?;
        self.child.ask(&lines, by, search.asked).await?;
        let mut host = Lateness::new(Instant::now());
        let found = self.listen(search, offers_draw, &mut host).await?;
        let late = host.beyond(limit.margin);
        match found {
            Found::Thought(thought) => {
                let over = thought.elapsed.saturating_sub(limit.deadline());
                if limit.allowed.is_none() || over.is_zero() || late.is_zero() {
                    return Ok(thought);
                }
                Err(self.child.host_failed(&format!(
                    "moved {} ms after its time was up, but the host itself was late by {} ms in this move: give the worker \
                     fewer slots, or the host less else to do",
                    over.as_millis(),
                    late.as_millis()
                )))
            }
            Found::Overran(spent) => {
                let answer = self.stopped(turn, self.child.patience().stop).await;
                Err(self
                    .child
                    .overran(answer, limit.allowed, search.asked, spent))
            }
        }
    }

    /// What the engine said since its last move, before it is asked for the next. An answer in it answers nothing, and if there
    /// was one, nobody can know any more which question later ones answer. Gives whether it offered a draw.
    async fn heard_unasked(&mut self, turn: Turn<'_>) -> Result<bool, PlayerError> {
        let now = Instant::now();
        let mut offers_draw = false;
        for line in self.child.heard_already().await {
            match self.protocol.hear(&line, turn) {
                Event::Move(best) => {
                    let text = format!("sent the move `{best}` that nobody had asked for");
                    return Err(self.child.fault(FaultKind::Crash, text, now));
                }
                Event::Over(kind, text) => return Err(self.child.ended_by_word(kind, text, now)),
                Event::Broken(text) => return Err(self.child.fault(FaultKind::Crash, text, now)),
                Event::DrawOffer => offers_draw = true,
                // Of the search before.
                Event::Info(_) | Event::Nothing => {}
            }
        }
        Ok(offers_draw)
    }

    /// Listens until the engine moves or its time is up. What the host was late is waited for in addition, where that is more
    /// than the margin.
    async fn listen(
        &mut self,
        search: Search<'_>,
        mut offers_draw: bool,
        host: &mut Lateness,
    ) -> Result<Found, PlayerError> {
        let Search {
            turn,
            limit,
            control,
            asked,
        } = search;
        let mut seen = Seen::default();
        let mut granted = Duration::ZERO;
        let cancelled = control.cancelled();
        tokio::pin!(cancelled);
        loop {
            let deadline = asked + limit.deadline() + granted;
            let heard = tokio::select! {
                biased;
                () = &mut cancelled => {
                    if self.stopped(turn, CANCEL).await.is_none() {
                        self.child.give_up();
                    }
                    return Err(PlayerError::Cancelled);
                }
                heard = self.child.hear(host.next(deadline)) => heard,
            };
            host.woke(Instant::now());
            let late = host.beyond(limit.margin).min(MOST_GRANTED);
            if late > granted {
                granted = late;
                control.expect_within(limit.deadline() + self.child.patience().stop);
            }
            let event = match heard {
                Heard::Line(line) => self.protocol.hear(&line, turn),
                Heard::Silence if asked.elapsed() < limit.deadline() + granted => continue,
                Heard::Silence => return Ok(Found::Overran(asked.elapsed())),
                Heard::End => return Err(self.child.crashed(asked).await),
            };
            match event {
                Event::Info(info) => seen.note(info),
                Event::Move(best) => {
                    let best = moves::understood(best, turn.game);
                    let thought = seen.thought(best, asked.elapsed(), offers_draw);
                    return Ok(Found::Thought(thought));
                }
                Event::DrawOffer => offers_draw = true,
                Event::Over(kind, text) => return Err(self.child.ended_by_word(kind, text, asked)),
                Event::Broken(text) => return Err(self.child.fault(FaultKind::Crash, text, asked)),
                Event::Nothing => {}
            }
        }
    }

    /// Tells the engine to move now. Gives its move, or what else it says to the end of the game, if it comes in time.
    async fn stopped(&mut self, turn: Turn<'_>, patience: Duration) -> Option<String> {
        self.protocol.lost_track();
        let deadline = Instant::now() + patience;
        if !self.child.try_send(P::STOP, deadline).await {
            return None;
        }
        loop {
            match self.child.hear(deadline).await {
                Heard::Line(line) => match self.protocol.hear(&line, turn) {
                    Event::Move(text) | Event::Over(_, text) | Event::Broken(text) => {
                        return Some(text);
                    }
                    Event::Info(_) | Event::DrawOffer | Event::Nothing => {}
                },
                Heard::Silence | Heard::End => return None,
            }
        }
    }
}

/// Notes an engine that cannot be brought to play, so that it is not waited for again at once.
fn noted<T>(launch: &Launch, started: Result<T, PlayerError>) -> Result<T, PlayerError> {
    if let Err(PlayerError::Start(why)) = &started {
        let now = std::time::Instant::now();
        launch.failed.note(&launch.program, why, now);
    }
    started
}

impl<P: Protocol> Player for ChildPlayer<P> {
    /// Begins a game, in a new process if the one of earlier games cannot.
    fn new_game(&mut self, control: &Control) -> Result<(), PlayerError> {
        if self.is_used && self.is_healthy() {
            match self.begin(control) {
                Err(error @ (PlayerError::Start(_) | PlayerError::Host(_))) => {
                    tracing::warn!(%error, "an engine is started anew between games");
                }
                begun => return begun,
            }
        }
        if self.is_used {
            *self = Self::start(self.launch.clone(), control)?;
        }
        let begun = self.begin(control);
        noted(&self.launch, begun)
    }

    fn think(
        &mut self,
        turn: Turn<'_>,
        limit: &ThinkLimit,
        control: &Control,
    ) -> Result<Thought, PlayerError> {
        control.expect_within(limit.deadline() + self.child.patience().stop);
        self.is_used = true;
        let runtime = self.child.runtime();
        runtime.block_on(self.search(turn, limit, control))
    }

    fn log_tail(&self) -> String {
        self.child.log()
    }

    fn is_healthy(&self) -> bool {
        self.child.is_healthy() && self.protocol.is_reusable()
    }
}
