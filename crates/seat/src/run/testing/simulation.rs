//! The programs of a simulation, and what happens to them. [`Game`] has what depends on the kind of program.

use std::cell::{RefCell, RefMut};
use std::collections::BTreeMap;
use std::panic::{self, AssertUnwindSafe};
use std::rc::Rc;
use std::time::Duration;

use dealerless_connection::PolledConnection;
use dealerless_connection::random::seed_this_thread;
use rand::RngExt;
use serde_json::Value;

use super::choices::Choices;
use super::clock::{Clock, Timers};
use super::disk::{Disk, Files};
use super::engine;
use super::pages_checks::Uses;
use super::person::{Act, Person};
use super::world::{Happening, OfSocket, Shared, Simulated};
use crate::run::Input;

pub(super) const MINUTE: Duration = Duration::from_secs(60);

/// The counts of events, by name.
pub(super) type Counts = BTreeMap<String, usize>;

/// The code of a program.
pub(super) trait Code: Sized {
    fn input(&mut self, input: Input<'_>, now: Duration);
    fn command(&mut self, line: &str, now: Duration);
    /// Does all that is due. Returns the time of the next timer.
    fn step(&mut self, now: Duration) -> Option<Duration>;
    /// Whether the program still holds a connection that has ended.
    fn has_ended_connection(&mut self) -> bool;
    /// Whether the program uses this socket, or ends now.
    fn uses(&mut self, socket: u32) -> bool;
    /// The connection on this socket.
    fn connection(&mut self, socket: u32) -> Option<&mut PolledConnection<Simulated>>;
}

/// A kind of match, with its checks.
pub(super) trait Game: Sized {
    type Code: Code;

    /// The pauses between two faults of a program, in milliseconds.
    const PAUSES: [u64; 3];

    /// The code of a program that starts. An error if its player does not start it now.
    fn open(&mut self, world: Simulated, now: Duration) -> anyhow::Result<Self::Code>;

    /// Whether a program gets its older disk if the seed says so.
    fn may_restore(this: &mut Simulation<Self>, program: usize) -> bool;

    /// A program starts, perhaps with an older disk.
    fn starts(this: &mut Simulation<Self>, program: usize, is_restored: bool);

    /// A program was killed.
    fn died(this: &mut Simulation<Self>, program: usize);

    /// A program has done all that was due.
    fn ran(this: &mut Simulation<Self>, program: usize);

    /// A program has reported an event to its player.
    fn event(this: &mut Simulation<Self>, program: usize, event: &Value);

    /// A player types a line.
    fn says(_this: &mut Simulation<Self>, _program: usize, _line: &str) {}

    /// A player makes a request. Only its success matters.
    fn asks(this: &mut Simulation<Self>, program: usize, is_post: bool, path: &str, body: &Value);

    /// A player looks whether there is something to do.
    fn decides(this: &mut Simulation<Self>, program: usize);

    /// The simulation has processed an event.
    fn happened(_this: &mut Simulation<Self>) {}

    /// Prints what is known of the programs after a failure.
    fn show(&mut self, _programs: &mut [Program<Self::Code>]) {}
}

pub(super) struct Program<C> {
    /// `None` if it does not run.
    pub(super) code: Option<C>,
    /// The number of times that it was started.
    pub(super) starts: u64,
    clock: Clock,
    person: Person,
    timers: Timers,
    uses: Uses,
    pub(super) suspended_until: Duration,
    /// An older copy of its disk.
    pub(super) backup: Option<Files>,
}

pub(super) struct Simulation<G: Game> {
    pub(super) seed: u64,
    pub(super) shared: Rc<RefCell<Shared>>,
    pub(super) disks: Vec<Disk>,
    pub(super) programs: Vec<Program<G::Code>>,
    pub(super) counts: Counts,
    /// The pause between two faults of a program, in milliseconds. `None` in a match without faults.
    pub(super) pause: Option<u64>,
    pub(super) faults_end: Duration,
    deadline: Duration,
    /// The factor on the delays of the players.
    pub(super) slowness: u32,
    pub(super) game: G,
}

impl<G: Game> Simulation<G> {
    /// The simulation of a seed, with these first choices. `game` makes the game and the number of programs.
    pub(super) fn with(
        seed: u64,
        given: &[u8],
        game: impl FnOnce(&mut Shared) -> (G, usize),
    ) -> Self {
        seed_this_thread(seed);
        let mut shared = Shared::new(Choices::new(seed, given));
        let (game, programs) = game(&mut shared);
        let pause = (seed % 4)
            .checked_sub(1)
            .map(|kind| G::PAUSES[kind as usize]);
        shared.is_faulty = pause.is_some();
        let disks: Vec<Disk> = (0..programs).map(|_| Disk::default()).collect();
        for number in 0..programs {
            shared.outside.push(Default::default());
            // The first program makes the invites.
            let starts = shared.millis(2_000);
            let starts = if number == 0 {
                Duration::ZERO
            } else {
                starts + Duration::from_secs(1)
            };
            shared.plan(starts, Happening::Starts(number));
            if let Some(pause) = pause {
                shared.soon(2 * pause, Happening::Fault(number));
            }
        }
        let faults_end = MINUTE + shared.millis(500_000);
        shared.plan(faults_end, Happening::FaultsEnd);
        let program = |_| Program {
            code: None,
            starts: 0,
            clock: Clock::random(&mut shared),
            person: Person::default(),
            timers: Timers::default(),
            uses: Uses::default(),
            suspended_until: Duration::ZERO,
            backup: None,
        };
        let programs = (0..programs).map(program).collect();
        Simulation {
            seed,
            shared: Rc::new(RefCell::new(shared)),
            disks,
            programs,
            counts: Counts::new(),
            pause,
            faults_end,
            deadline: faults_end + 60 * MINUTE,
            slowness: 1,
            game,
        }
    }

    pub(super) fn shared(&self) -> RefMut<'_, Shared> {
        self.shared.borrow_mut()
    }

    pub(super) fn now(&self) -> Duration {
        self.shared.borrow().now
    }

    pub(super) fn note(&self, program: usize, text: &str) {
        self.shared().note(program, text);
    }

    pub(super) fn count(&mut self, what: &str) {
        self.count_all(what, 1);
    }

    pub(super) fn count_all(&mut self, what: &str, count: usize) {
        if count > 0 {
            *self.counts.entry(what.to_owned()).or_default() += count;
        }
    }

    /// Plays until something has happened.
    pub(super) fn play_until(&mut self, mut has_happened: impl FnMut(&mut Self) -> bool) {
        self.checked(|this| {
            while !has_happened(this) {
                let what = this.next();
                assert!(this.now() < this.deadline, "the match does not end");
                this.happens(what);
            }
        });
    }

    /// Does something. If a check fails, prints what has happened.
    pub(super) fn checked<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        match panic::catch_unwind(AssertUnwindSafe(|| work(self))) {
            Ok(result) => result,
            Err(payload) => {
                let shared = self.shared();
                let last = shared.trace.len().saturating_sub(6_000);
                println!("{}", shared.trace[last..].join("\n"));
                println!("DEALERLESS_SEED={} fails", self.seed);
                drop(shared);
                self.game.show(&mut self.programs);
                panic::resume_unwind(payload);
            }
        }
    }

    /// Goes forward to what happens next.
    pub(super) fn next(&mut self) -> Happening {
        self.shared().next().expect("something happens")
    }

    /// The trace of the run, and what has happened how often.
    pub(super) fn into_trace(mut self) -> (Vec<String>, Counts) {
        let cuts = self.shared().network.cuts;
        self.count_all("cuts", cuts);
        let trace = std::mem::take(&mut self.shared().trace);
        (trace, self.counts)
    }

    pub(super) fn happens(&mut self, what: Happening) {
        let program = match &what {
            Happening::OfSocket(socket, _) => self.shared().network.receiver(*socket),
            Happening::Timer(program, _)
            | Happening::Engine(program)
            | Happening::EngineDone(program, _)
            | Happening::EngineSettled(program)
            | Happening::Acts(program, ..) => Some(*program),
            _ => None,
        };
        let until = program.map(|program| self.programs[program].suspended_until);
        let now = self.now();
        if let Some(until) = until.filter(|until| *until > now) {
            return self.shared().plan(until, what);
        }
        match what {
            Happening::OfSocket(socket, what) => {
                let Some(program) = program else { return };
                if let OfSocket::Closed(_) = what {
                    self.shared().close_socket(socket, true);
                }
                if let OfSocket::Accepted(accepted, _) = what {
                    self.shared().network.accepts(accepted);
                }
                self.enter(program, |code, now| {
                    code.input(Input::Socket(socket, what.happened()), now)
                });
            }
            Happening::AtRelay(socket) => self.shared().at_relay(socket),
            Happening::AtProgram(socket, other) => self.shared().at_program(socket, other),
            Happening::Cut(socket) => self.shared().cut(socket),
            Happening::Timer(program, number) => {
                if self.programs[program].timers.expires(number, now) {
                    self.enter(program, |_, _| {});
                }
            }
            Happening::Engine(program) => self.engine_begins(program),
            Happening::EngineDone(program, connection) => self.engine_ends(program, connection),
            Happening::EngineSettled(program) => {
                if self.shared().engine_settles(program) {
                    self.enter(program, |_, _| {});
                }
            }
            Happening::Acts(program, starts, act) => {
                if self.programs[program].starts == starts {
                    self.acts(program, act);
                }
            }
            Happening::Starts(program) => self.starts(program),
            Happening::Fault(program) => self.fault(program),
            Happening::FaultsEnd => {
                self.shared().is_faulty = false;
                self.disks.iter().for_each(|disk| disk.fail(0));
            }
        }
        G::happened(self);
    }

    /// Runs code of a program, unless it is killed meanwhile.
    fn runs<T>(&mut self, program: usize, work: impl FnOnce(Duration) -> T) -> Option<T> {
        let real = self.now();
        let ran = self.programs[program].clock.runs(real, work);
        if ran.is_none() {
            self.dies(program, "at an operation of its disk");
        }
        ran
    }

    /// Calls a program, and lets it do all that is due.
    pub(super) fn enter(&mut self, program: usize, work: impl FnOnce(&mut G::Code, Duration)) {
        let Some(mut code) = self.programs[program].code.take() else {
            return;
        };
        let ran = self.runs(program, |now| {
            work(&mut code, now);
            let next = code.step(now);
            // A seat that has lost a connection acts at once.
            let is_late = next.is_none_or(|next| next > now);
            assert!(
                !is_late || !code.has_ended_connection(),
                "a lost connection is not noticed"
            );
            (code, next)
        });
        let Some((mut code, next)) = ran else {
            return;
        };
        let now = self.now();
        let shared = self.shared.borrow();
        let sockets = shared.network.known_to(program).into_iter();
        let sockets: Vec<_> = sockets
            .map(|socket| (socket, shared.network.is_delayed(socket, now)))
            .collect();
        drop(shared);
        self.programs[program].uses.check(&mut code, &sockets, now);
        let this = &mut self.programs[program];
        this.code = Some(code);
        let mut shared = self.shared.borrow_mut();
        let expires = Happening::Timer(program, this.timers.next());
        if let Some(next) = next.filter(|next| *next < Duration::MAX) {
            shared.plan(this.clock.when(next), expires);
        }
        let outside = &shared.outside[program];
        let session = outside.engine.as_ref().filter(|_| !outside.is_engine_busy);
        if session.is_some_and(engine::Session::has_job) {
            shared.soon(50, Happening::Engine(program));
        }
        drop(shared);
        self.told(program);
        G::ran(self, program);
    }

    /// Passes the new events of a program to its player.
    fn told(&mut self, program: usize) {
        let events = std::mem::take(&mut self.shared().outside[program].events);
        for event in events {
            self.note(program, &brief(&event));
            G::event(self, program, &event);
            let this = &mut self.programs[program];
            let mut shared = self.shared.borrow_mut();
            let shared = &mut *shared;
            let calm = !shared.is_faulty;
            for (delay, act) in this.person.reacts(&event, calm, &mut shared.rng) {
                let acts = Happening::Acts(program, this.starts, act);
                shared.plan(shared.now + self.slowness * delay, acts);
            }
        }
    }

    fn engine_begins(&mut self, program: usize) {
        let mut shared = self.shared();
        let outside = &mut shared.outside[program];
        let is_due = |session: &mut engine::Session| session.has_job();
        if outside.is_engine_busy {
            return;
        }
        let Some(mut session) = outside.engine.take_if(is_due) else {
            return;
        };
        drop(shared);
        let ran = self.runs(program, |_| {
            let begun = engine::begin(&mut session);
            (session, begun)
        });
        let Some((session, Some(begun))) = ran else {
            return;
        };
        let mut shared = self.shared();
        let outside = &mut shared.outside[program];
        outside.engine = Some(session);
        outside.is_engine_busy = true;
        shared.engine_begins(program, begun);
    }

    fn engine_ends(&mut self, program: usize, connection: u32) {
        let mut shared = self.shared();
        let Some(ended) = shared.engine_ended(program, connection) else {
            return;
        };
        let outside = &mut shared.outside[program];
        outside.is_engine_busy = false;
        let is_same = |session: &mut engine::Session| session.connection == connection;
        let session = outside.engine.take_if(is_same);
        drop(shared);
        let mut done = None;
        if let Some(mut session) = session {
            let ran = self.runs(program, |_| {
                let done = engine::end(&mut session, ended);
                (session, done)
            });
            let Some((session, result)) = ran else {
                return;
            };
            self.shared().outside[program].engine = Some(session);
            done = result;
        }
        self.enter(program, |code, now| {
            if let Some(done) = done {
                code.input(Input::EngineDone(connection, done), now);
            }
        });
    }

    pub(super) fn starts(&mut self, program: usize) {
        if self.programs[program].code.is_some() {
            return;
        }
        let restores = self.shared().is_fault(8) && G::may_restore(self, program);
        let mut shared = self.shared.borrow_mut();
        let has_crashed = shared.once_in(2);
        self.disks[program].restart(has_crashed, &mut shared.rng);
        let this = &mut self.programs[program];
        let backup = this.backup.as_ref().filter(|_| restores);
        if let Some(backup) = backup {
            self.disks[program].restore(backup.clone());
            shared.note(program, "has older files");
        }
        let is_restored = backup.is_some();
        if shared.is_fault(4) {
            this.clock.unix = shared.rng.random_range(0..4_000_000_000);
        }
        if shared.is_fault(8) {
            self.disks[program].kill_in(shared.rng.random_range(0..10));
        }
        let outside = &mut shared.outside[program];
        *outside = Default::default();
        outside.disk = self.disks[program].clone();
        this.starts += 1;
        let starts = this.starts;
        shared.note(program, &format!("starts number {starts}"));
        let decides = Happening::Acts(program, starts, Act::Decides);
        shared.soon(5_000, decides);
        drop(shared);
        if is_restored {
            self.count("restored");
        }
        G::starts(self, program, is_restored);
        let world = Simulated {
            shared: Rc::clone(&self.shared),
            program,
            disk: self.disks[program].clone(),
        };
        let real = self.now();
        let game = &mut self.game;
        let opened = self.programs[program]
            .clock
            .runs(real, |now| game.open(world, now));
        match opened {
            None => self.dies(program, "while it starts"),
            Some(Ok(code)) => {
                self.programs[program].code = Some(code);
                self.enter(program, |_, _| {});
            }
            Some(Err(error)) => {
                self.note(program, &format!("does not start: {error:#}"));
                self.ends_running(program, Duration::ZERO, 10_000);
            }
        }
    }

    /// A program is killed, or its machine crashes.
    pub(super) fn dies(&mut self, program: usize, how: &str) {
        self.count("killed");
        self.disks[program].kill();
        self.note(program, &format!("is killed {how}"));
        let most = [2_000, 30_000, 90_000][self.shared().rng.random_range(0..3)];
        self.ends_running(program, Duration::ZERO, most);
        G::died(self, program);
    }

    /// A program does not run any more. Its player starts it again after this time, and up to `more` milliseconds.
    pub(super) fn ends_running(&mut self, program: usize, after: Duration, more: u64) {
        self.programs[program].code = None;
        self.programs[program].uses = Uses::default();
        let mut shared = self.shared();
        shared.close_all(program);
        shared.engine_stops(program);
        let disk = shared.outside[program].disk.clone();
        shared.outside[program] = Default::default();
        shared.outside[program].disk = disk;
        let at = shared.now + after + shared.millis(more);
        shared.plan(at, Happening::Starts(program));
    }

    fn fault(&mut self, program: usize) {
        let Some(pause) = self.pause.filter(|_| self.shared().is_faulty) else {
            return;
        };
        let mut shared = self.shared();
        shared.soon(2 * pause, Happening::Fault(program));
        let kind = shared.rng.random_range(0..10);
        let count = shared.rng.random_range(0..12);
        let time = shared.millis(90_000);
        let other = shared.rng.random_range(0..self.programs.len());
        let unix = shared.rng.random_range(0..4_000_000_000);
        let now = shared.now;
        drop(shared);
        if self.programs[program].code.is_none() {
            return;
        }
        match kind {
            0 | 1 => self.disks[program].kill_in(count),
            2 => self.dies(program, "by its player"),
            3 => {
                self.count("suspended");
                self.note(program, "is suspended");
                self.programs[program].suspended_until = now + time;
            }
            4 => {
                self.count("full disk");
                self.disks[program].fail(count / 3);
            }
            5 => self.programs[program].backup = Some(self.disks[program].files()),
            6 if other != program => {
                self.count("apart");
                self.note(program, &format!("cannot reach {other}"));
                self.shared().part(program, other, now + time);
            }
            7 => self.programs[program].clock.unix = unix,
            _ => {
                let starts = self.programs[program].starts;
                let act = Person::disturbs(&mut self.shared().rng);
                let acts = Happening::Acts(program, starts, act);
                self.shared().plan(now, acts);
            }
        }
    }

    fn acts(&mut self, program: usize, act: Act) {
        match act {
            Act::Says(line) => {
                self.note(program, &format!("says {line}"));
                G::says(self, program, &line);
                self.enter(program, |code, now| code.command(&line, now));
            }
            Act::Asks(is_post, path, body) => G::asks(self, program, is_post, &path, &body),
            Act::Decides => {
                let starts = self.programs[program].starts;
                let again = Happening::Acts(program, starts, Act::Decides);
                self.shared().soon(30_000, again);
                G::decides(self, program);
            }
        }
    }
}

/// An event for the trace.
fn brief(event: &Value) -> String {
    let mut event = event.clone();
    let object = event.as_object_mut().unwrap();
    object.remove("sentences");
    object.remove("version");
    serde_json::to_string(&event).unwrap()
}
