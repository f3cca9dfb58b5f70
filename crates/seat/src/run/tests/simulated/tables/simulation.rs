//! The programs of a table, and what happens to them until their match is over.

use std::cell::{RefCell, RefMut};
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{self, AssertUnwindSafe};
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use dealerless::verifiable::trust_own_shuffles;
use dealerless_connection::identity::{Name, SharedPeers};
use dealerless_connection::random::seed_this_thread;
use dealerless_connection::storage::MemoryVault;
use dealerless_connection::{Admits, ConnectionError, Invites, PolledConnection, system_rng};
use dealerless_table::Seat;
use dealerless_table::log::{Clock as Limits, End, Phase};
use dealerless_table::play::DeckSetting;
use dealerless_table::testing::test_match::{self, TestMatch};
use rand::RngExt;
use rand::seq::IndexedRandom;
use serde_json::Value;

use super::super::Counts;
use super::super::clock::{Clock, Timers};
use super::super::disk::Disk;
use super::super::person::{Act, Person};
use super::super::simulation::brief;
use super::super::world::{Happening, OfSocket, Shared, Simulated, address};
use super::checks::{self, Checks};
use crate::command;
use crate::run::door::door_for;
use crate::run::own::{Own, Stored, kept_peers};
use crate::run::{Caller, Files as _, Finder, Input, Route, SeatFiles, SeatInPlay};
use crate::seat::{PlayerNeeds, Stopped};

const MINUTE: Duration = Duration::from_secs(60);
/// The pauses of a guest that calls a guest in a lower seat, and of one that calls one in a higher seat.
const LONGEST_PAUSE: Duration = MINUTE;
const LATER: u32 = 4;
/// Two seats that can reach each other are not without a connection for this time.
const ALONE: Duration = Duration::from_secs(300);

type SeatOf = SeatInPlay<Simulated>;

struct Program {
    seat: Option<SeatOf>,
    /// The number of times that it was started.
    starts: u64,
    clock: Clock,
    person: Person,
    timers: Timers,
    suspended_until: Duration,
    /// The seats that have said goodbye to it.
    goodbyes: BTreeSet<Seat>,
    /// Whether it has learned how the match has ended for it.
    is_done: bool,
}

pub(super) struct Simulation {
    seed: u64,
    of: TestMatch,
    shared: Rc<RefCell<Shared>>,
    disks: Vec<Disk>,
    programs: Vec<Program>,
    checks: Checks,
    counts: Counts,
    /// The pause between two faults of a program, in milliseconds. `None` if there are none.
    pause: Option<u64>,
    faults_end: Duration,
    deadline: Duration,
    /// The time at which the match has ended for a first seat.
    first_end: Option<Duration>,
    /// Whether the players take long.
    are_slow: bool,
    /// Since when two seats, the lower one first, could be connected and are not.
    alone: BTreeMap<(usize, usize), Duration>,
    /// The time of the last look for seats in trouble.
    looked: Duration,
}

/// The match of a seed.
fn match_of(shared: &mut Shared) -> TestMatch {
    let rng = &mut shared.rng;
    // A match of ten takes as long as ten matches of three.
    let seats = match rng.random_range(0..30) {
        0..18 => 3,
        18..26 => 4,
        26..29 => rng.random_range(5..=6),
        _ => rng.random_range(7..=10),
    };
    let may_leave = rng.random_range(0..=2).min(seats - 2);
    let hands = 1 + u32::from(seats < 5 && rng.random_ratio(1, 3));
    let of = test_match::threshold(seats, usize::from(seats - may_leave), hands);
    let mut header = of.match_info.header().clone();
    let (each_move, bank) = *[(0, 0), (5, 10), (30, 60)].choose(rng).unwrap();
    if may_leave > 0 && each_move == 0 {
        return of;
    }
    header.clock = Limits { each_move, bank };
    TestMatch::of(header)
}

impl Program {
    /// Prints what the seat waits for.
    fn show(&mut self) {
        let Some(seat) = &mut self.seat else {
            return println!("no program");
        };
        let play = seat.table.play();
        let lines = seat.connections.iter();
        let lines = lines.map(|(peer, line)| (peer, line.number(), play.has_heard(*peer)));
        println!(
            "{}: step {}, {:?}, waits for {:?}, synced {}, gone {:?}, lines {:?}",
            play.seat(),
            play.log().step(),
            play.log().may_sign(play.seat()),
            play.log().waits_for(),
            play.is_synced(),
            play.log().gone(),
            lines.collect::<Vec<_>>(),
        );
    }
}

impl Simulation {
    pub(super) fn new(seed: u64) -> Self {
        seed_this_thread(seed);
        trust_own_shuffles();
        let mut shared = Shared::new(seed, 0);
        let of = match_of(&mut shared);
        let seats = of.match_info.seats();
        let pause = [None, Some(200_000), Some(90_000), Some(40_000)][(seed % 4) as usize];
        shared.is_faulty = pause.is_some();
        let disks: Vec<Disk> = (0..seats).map(|_| Disk::default()).collect();
        for (number, disk) in disks.iter().enumerate() {
            let file = disk.open_or_create("match.log", 0).unwrap();
            of.journal(Seat::new(number as u8), file);
            shared.outside.push(Default::default());
            shared.soon(2_000, Happening::Starts(number));
            if let Some(pause) = pause {
                shared.soon(2 * pause, Happening::Fault(number));
            }
        }
        let faults_end = MINUTE + shared.millis(400_000);
        shared.plan(faults_end, Happening::FaultsEnd);
        let program = |_| Program {
            seat: None,
            starts: 0,
            clock: Clock::random(&mut shared),
            person: Person::default(),
            timers: Timers::default(),
            suspended_until: Duration::ZERO,
            goodbyes: BTreeSet::new(),
            is_done: false,
        };
        let programs = (0..seats).map(program).collect();
        Simulation {
            seed,
            checks: Checks::new(seats, 100),
            of,
            shared: Rc::new(RefCell::new(shared)),
            disks,
            programs,
            counts: Counts::new(),
            pause,
            faults_end,
            deadline: faults_end + 60 * MINUTE,
            looked: Duration::ZERO,
            first_end: None,
            are_slow: seed % 8 >= 4,
            alone: BTreeMap::new(),
        }
    }

    fn shared(&self) -> RefMut<'_, Shared> {
        self.shared.borrow_mut()
    }

    fn count(&mut self, what: &str) {
        *self.counts.entry(what.to_owned()).or_default() += 1;
    }

    /// Plays until the match is over for all seats.
    pub(super) fn play(&mut self) {
        self.play_until(|this| this.programs.iter().all(|program| program.is_done));
    }

    /// Plays until a time. Then seat 2 loses its connections, and seat 1 says goodbye to the host in the middle of
    /// the match, perhaps after a restart of the host. Returns whether the host answers. Checks that it has stored
    /// all parts of seat 1 if it does.
    pub(super) fn play_with_goodbye(&mut self, at: Duration, restarts: bool) -> bool {
        const ONE: Seat = Seat::new(1);
        self.play_until(|this| this.shared().now >= at);
        for other in [0, 1] {
            self.shared().part(other, 2, Duration::MAX);
        }
        self.play_until(|this| this.shared().now >= at + Duration::from_secs(1));
        if restarts {
            self.dies(0, "by its player");
            self.starts(0);
        }
        let line = |this: &Self| {
            let guest = this.programs[1].seat.as_ref()?;
            guest
                .connections
                .get(&Seat::HOST)
                .map(PolledConnection::number)
        };
        self.play_until(|this| {
            let host = this.programs[0].seat.as_ref();
            let has_heard = host.is_some_and(|host| host.table.play().has_heard(ONE));
            has_heard && line(this).is_some()
        });
        let (mut last, closed) = (None, line(self));
        self.programs[1].goodbyes.clear();
        self.enter(1, |seat, _| {
            seat.connections.get_mut(&Seat::HOST).unwrap().core.close();
            last = checks::last_part(seat.log(), ONE);
        });
        self.play_until(|this| line(this) != closed);
        let is_answered = self.programs[1].goodbyes.contains(&Seat::HOST);
        assert!(!is_answered || checks::stored(&self.disks[0], ONE) >= last);
        is_answered
    }

    /// Plays to the end. Then seat 1 starts again and makes its last call, and the host starts again. The history
    /// of the host and its goodbye arrive at seat 1 at once. Returns whether the host gets an answer.
    pub(super) fn play_with_goodbye_in_the_last_call(&mut self) -> bool {
        const ONE: Seat = Seat::new(1);
        self.play();
        self.starts(1);
        self.starts(2);
        let calls = |line: &String| line.contains(" 1 ") && line.contains("may not know yet");
        self.play_until(|this| this.shared().trace.last().is_some_and(calls));
        self.starts(0);
        self.programs[0].goodbyes.clear();
        let line = |this: &Self| {
            let guest = this.programs[1].seat.as_ref()?;
            guest
                .connections
                .get(&Seat::HOST)
                .map(PolledConnection::number)
        };
        self.play_until(|this| line(this).is_some());
        let (socket, until) = (
            line(self).unwrap(),
            self.shared().now + Duration::from_secs(2),
        );
        let mut at_once = Vec::new();
        while self.shared().now < until {
            let what = self.shared().next().expect("something happens");
            match what {
                Happening::OfSocket(to, OfSocket::Received(bytes)) if to == socket => {
                    at_once.extend(bytes);
                }
                what => self.happens(what),
            }
        }
        self.happens(Happening::OfSocket(socket, OfSocket::Received(at_once)));
        self.play_until(|this| {
            let host = this.programs[0].seat.as_ref();
            host.is_none_or(|host| !host.connections.contains_key(&ONE))
        });
        self.programs[0].goodbyes.contains(&ONE)
    }

    /// Plays until something has happened. If a check fails, prints what has happened.
    fn play_until(&mut self, has_happened: impl Fn(&Self) -> bool) {
        let played = panic::catch_unwind(AssertUnwindSafe(|| {
            while !has_happened(self) {
                let what = self.shared().next().expect("something happens");
                assert!(self.shared().now < self.deadline, "the match does not end");
                self.happens(what);
            }
        }));
        if let Err(payload) = played {
            let shared = self.shared();
            let last = shared.trace.len().saturating_sub(1500);
            println!("{}", shared.trace[last..].join("\n"));
            println!("DEALERLESS_SEED={} fails", self.seed);
            drop(shared);
            self.programs.iter_mut().for_each(Program::show);
            panic::resume_unwind(payload);
        }
    }

    /// Checks the records, and returns the trace of the run.
    pub(super) fn ends(mut self) -> (Vec<String>, Counts) {
        let (end, gone) = checks::ends(&self.disks);
        if self.pause.is_none() {
            let shared = self.shared();
            let took = shared.now - self.first_end.unwrap_or_default();
            assert!(took < Duration::from_secs(3), "the end takes {took:?}");
            let seats = self.programs.len();
            assert_eq!(shared.network.pairs, seats * (seats - 1) / 2);
            assert!(self.programs.iter().all(|program| program.starts == 1));
        }
        self.count(&format!("ended: {end}"));
        self.count(&format!("{} seats", self.disks.len()));
        *self.counts.entry("gone".into()).or_default() += gone;
        let mut shared = self.shared.borrow_mut();
        let mut trace = std::mem::take(&mut shared.trace);
        trace.push(format!(
            "{end} at {:?}, faults until {:?}",
            shared.now, self.faults_end
        ));
        *self.counts.entry("cuts".into()).or_default() += shared.network.cuts;
        (trace, self.counts)
    }

    fn happens(&mut self, what: Happening) {
        let program = match &what {
            Happening::OfSocket(socket, _) => self.shared().network.receiver(*socket),
            Happening::Timer(program, _) | Happening::Acts(program, ..) => Some(*program),
            _ => None,
        };
        let until = program.map(|program| self.programs[program].suspended_until);
        let now = self.shared().now;
        if let Some(until) = until.filter(|until| *until > now) {
            return self.shared().plan(until, what);
        }
        match what {
            Happening::OfSocket(socket, what) => {
                let Some(program) = program else {
                    return;
                };
                if let OfSocket::Closed(_) = what {
                    self.shared().close_socket(socket, true);
                }
                self.enter(program, |seat, now| {
                    seat.input(Input::Socket(socket, what.happened()), now);
                });
            }
            Happening::AtProgram(socket, other) => self.shared().at_program(socket, other),
            Happening::Cut(socket) => self.shared().cut(socket),
            Happening::Timer(program, number) => {
                if self.programs[program].timers.expires(number, now) {
                    self.enter(program, |_, _| {});
                }
            }
            Happening::Acts(program, starts, Act::Says(line)) => {
                if self.programs[program].starts == starts {
                    self.says(program, &line);
                }
            }
            Happening::Starts(program) => self.starts(program),
            Happening::Fault(program) => self.fault(program),
            Happening::FaultsEnd => {
                self.shared().is_faulty = false;
                self.disks.iter().for_each(|disk| disk.fail(0));
            }
            _ => unreachable!("tables have no relay and no engine"),
        }
        if now >= self.looked + Duration::from_secs(1) {
            self.looked = now;
            self.look_for_trouble();
        }
    }

    fn says(&mut self, program: usize, line: &str) {
        self.shared().note(program, &format!("says {line}"));
        if line.contains("leave") {
            self.checks.left.insert(Seat::new(program as u8));
        }
        if let Ok((said, turn)) = command::parse(line) {
            self.enter(program, |seat, now| {
                seat.input(Input::Said(said, turn), now)
            });
        }
    }

    /// Runs code of a program, unless it is killed meanwhile.
    fn runs<T>(&mut self, program: usize, work: impl FnOnce(Duration) -> T) -> Option<T> {
        let real = self.shared().now;
        let ran = self.programs[program].clock.runs(real, work);
        if ran.is_none() {
            self.dies(program, "at an operation of its disk");
        }
        ran
    }

    /// Calls a seat, and lets it do all that is due.
    fn enter(&mut self, program: usize, work: impl FnOnce(&mut SeatOf, Duration)) {
        let Some(mut seat) = self.programs[program].seat.take() else {
            return;
        };
        let ran = self.runs(program, |now| {
            work(&mut seat, now);
            let lines = seat.connections.iter();
            let closed =
                lines.filter(|(_, line)| line.core.ended() == Some(&ConnectionError::Closed));
            let goodbyes: Vec<Seat> = closed.map(|(peer, _)| *peer).collect();
            let stopped = seat.step(now);
            let next = seat.timer(now);
            let mut lines = seat.connections.values();
            // A seat that has lost a connection acts at once.
            let is_lost = lines.any(|line| line.core.ended().is_some());
            assert!(!is_lost || next <= now, "a lost connection is not noticed");
            if let Some(Ok(stopped)) = &stopped
                && let Err(error) = seat.tell_end(stopped)
            {
                let is_removed = matches!(stopped, Stopped::Over(End::Removed));
                assert!(is_removed, "{error:#}");
            }
            (seat, stopped, next, goodbyes)
        });
        let Some((seat, stopped, next, goodbyes)) = ran else {
            return;
        };
        self.programs[program].goodbyes.extend(goodbyes);
        let now = self.shared().now;
        // What could not be written was not sent.
        let log = (!self.disks[program].has_failed()).then(|| seat.log());
        let seen = log.map(|log| self.checks.log(program, log, now));
        for gone in seen.unwrap_or_default() {
            self.shared()
                .note(program, &format!("sees that {gone} is gone"));
            if !self.checks.left.contains(&gone) {
                self.count("removed");
            }
        }
        let this = &mut self.programs[program];
        let expires = Happening::Timer(program, this.timers.next());
        let when = this.clock.when(next);
        match stopped {
            None => {
                this.seat = Some(seat);
                self.shared().plan(when, expires);
            }
            Some(stopped) => self.stopped(program, seat, stopped),
        }
        self.told(program);
    }

    /// The match has stopped for a seat.
    fn stopped(&mut self, program: usize, seat: SeatOf, stopped: anyhow::Result<Stopped>) {
        if let Ok(Stopped::Over(end)) = &stopped
            && *end != End::Removed
            && seat.table.is_finished()
        {
            checks::received(program, seat.log(), &self.disks);
        }
        drop(seat);
        let text = match &stopped {
            Ok(stopped) => format!("{stopped:?}"),
            Err(error) => format!("{error:#}"),
        };
        self.shared().note(program, &format!("stops: {text}"));
        self.shared().close_all(program);
        match stopped {
            Ok(Stopped::Over(_) | Stopped::Left) => {
                self.programs[program].is_done = true;
                let now = self.shared().now;
                self.first_end.get_or_insert(now);
            }
            Ok(_) => {}
            Err(error) => assert!(self.disks[program].has_failed(), "{error:#}"),
        }
        // Others may have to learn how the match has ended.
        self.shared().soon(60_000, Happening::Starts(program));
    }

    /// Passes the new events of a program to its player.
    fn told(&mut self, program: usize) {
        let events = std::mem::take(&mut self.shared().outside[program].events);
        for event in events {
            self.event(program, &event);
        }
    }

    fn event(&mut self, program: usize, event: &Value) {
        self.shared().note(program, &brief(event));
        self.checks.event(event);
        let this = &mut self.programs[program];
        let mut shared = self.shared.borrow_mut();
        let shared = &mut *shared;
        let calm = !shared.is_faulty;
        if let Some((delay, act)) = this.person.reacts(event, calm, &mut shared.rng) {
            let delay = if self.are_slow { 8 * delay } else { delay };
            let acts = Happening::Acts(program, this.starts, act);
            shared.plan(shared.now + delay, acts);
        }
    }

    fn starts(&mut self, program: usize) {
        if self.programs[program].seat.is_some() {
            return;
        }
        let shared = Rc::clone(&self.shared);
        let mut shared = shared.borrow_mut();
        let has_crashed = shared.once_in(2);
        self.disks[program].restart(has_crashed, &mut shared.rng);
        let this = &mut self.programs[program];
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
        let listener = shared.listen(program);
        drop(shared);
        self.checks.started(program);
        let world = Simulated {
            shared: Rc::clone(&self.shared),
            program,
            disk: self.disks[program].clone(),
        };
        let of = self.of.clone();
        let is_first = starts == 1;
        let opened = self.runs(program, |now| open(&of, world, listener, is_first, now));
        match opened {
            Some(Ok(seat)) => {
                self.programs[program].seat = Some(seat);
                self.enter(program, |_, _| {});
            }
            Some(Err(error)) => panic!("program {program} does not start: {error:#}"),
            None => {}
        }
    }

    /// A program is killed, or its machine crashes.
    fn dies(&mut self, program: usize, how: &str) {
        self.count("killed");
        self.disks[program].kill();
        self.programs[program].seat = None;
        let mut shared = self.shared();
        shared.note(program, &format!("is killed {how}"));
        shared.close_all(program);
        let outside = &mut shared.outside[program];
        outside.events.clear();
        let most = [2_000, 30_000, 90_000][shared.rng.random_range(0..3)];
        shared.soon(most, Happening::Starts(program));
    }

    fn fault(&mut self, program: usize) {
        let Some(pause) = self.pause.filter(|_| self.shared().is_faulty) else {
            return;
        };
        let mut shared = self.shared();
        shared.soon(2 * pause, Happening::Fault(program));
        let kind = shared.rng.random_range(0..8);
        let count = shared.rng.random_range(0..12);
        let time = shared.millis(90_000);
        let other = shared.rng.random_range(0..self.programs.len());
        let now = shared.now;
        drop(shared);
        if self.programs[program].seat.is_none() {
            return;
        }
        match kind {
            0 | 1 => self.disks[program].kill_in(count),
            2 => self.dies(program, "by its player"),
            3 => {
                self.count("suspended");
                self.shared().note(program, "is suspended");
                self.programs[program].suspended_until = now + time;
            }
            4 => {
                self.count("full disk");
                self.disks[program].fail(count / 3);
            }
            5 if other != program => {
                self.count("apart");
                self.shared()
                    .note(program, &format!("cannot reach {other}"));
                self.shared().part(program, other, now + time);
            }
            6 => {
                let unix = self.shared().rng.random_range(0..4_000_000_000);
                self.programs[program].clock.unix = unix;
            }
            _ => {
                let starts = self.programs[program].starts;
                let act = Person::disturbs(&mut self.shared().rng);
                if let Act::Says(_) = act {
                    let acts = Happening::Acts(program, starts, act);
                    self.shared().plan(now, acts);
                }
            }
        }
    }

    /// Notes which seats do not run, or are not connected to another seat that runs.
    fn look_for_trouble(&mut self) {
        let shared = self.shared.borrow();
        let now = shared.now;
        let late = now + Duration::from_secs(2);
        let network = &shared.network;
        let runs = |program: &Program| program.suspended_until <= now;
        let line = |one: usize, other: usize| {
            let seat = self.programs[one].seat.as_ref()?;
            let line = seat.connections.get(&Seat::new(other as u8))?;
            let number = line.number();
            network.is_prompt(number, late).then_some(number)
        };
        let are_connected = |one, other| {
            let (line, back) = (line(one, other), line(other, one));
            line.is_some_and(|line| back.is_some() && network.peer(line) == back)
        };
        let is_in_trouble = |number: usize| {
            let this = &self.programs[number];
            let Some(seat) = this.seat.as_ref().filter(|_| runs(this)) else {
                return true;
            };
            let is_alone = |other: usize| {
                let there = &self.programs[other];
                let is_there = there.seat.is_some() && runs(there);
                other != number && is_there && !are_connected(number, other)
            };
            !seat.table.play().is_synced() || (0..self.programs.len()).any(is_alone)
        };
        let troubles: Vec<bool> = (0..self.programs.len()).map(is_in_trouble).collect();
        let plays = |number: usize, other: usize| {
            let this = &self.programs[number];
            let Some(seat) = this.seat.as_ref().filter(|_| runs(this)) else {
                return false;
            };
            let log = seat.log();
            let is_over = matches!(log.phase(), Phase::Over(_));
            !is_over && !log.is_removed() && !log.gone().contains(&Seat::new(other as u8))
        };
        let mut alone = BTreeMap::new();
        for other in 0..self.programs.len() {
            for one in 0..other {
                let is_alone = plays(one, other)
                    && plays(other, one)
                    && !shared.are_apart(one, other)
                    && !are_connected(one, other);
                if is_alone {
                    let since = self.alone.get(&(one, other));
                    let since = since.copied().unwrap_or(now);
                    assert!(now < since + ALONE, "{one} and {other} are not connected");
                    alone.insert((one, other), since);
                }
            }
        }
        drop(shared);
        self.alone = alone;
        for (number, is_in_trouble) in troubles.into_iter().enumerate() {
            self.checks.trouble(number, is_in_trouble, now);
        }
    }
}

/// The seat of a program that starts.
fn open(
    of: &TestMatch,
    world: Simulated,
    listener: u32,
    is_first: bool,
    now: Duration,
) -> anyhow::Result<SeatOf> {
    let own = Seat::new(world.program as u8);
    let id = of.match_info.id();
    let identity = test_match::identity(own);
    let file = world.open_or_create_file("match.log")?;
    let deck = DeckSetting::Verifiable(world.open_value("match.deck")?);
    let files = SeatFiles {
        sitting: of.sitting(own),
        record: "match.log".into(),
        shown: "match.log".into(),
        resumed: !is_first,
        setting: test_match::setting(own, file, deck, system_rng())?,
        clock: world.open_or_create_file("match.clock")?,
    };
    let stored = Stored {
        files: world.clone(),
        peers: SharedPeers::new(kept_peers(&world, &identity)?),
        identity,
        invites: Arc::new(Mutex::new(Invites::open(Box::new(MemoryVault::default()))?)),
        name: Name::clean(&own.to_string()),
    };
    let others: Vec<Seat> = of.seats().filter(|seat| *seat != own).collect();
    let key = |seat: Seat| of.identities[seat.index()].public().clone();
    let players: Vec<_> = others.iter().map(|seat| key(*seat)).collect();
    let admits = Admits::Only {
        invite: None,
        players: players.clone(),
    };
    let player = Own::new(world, stored);
    let header = of.match_info.header().encode();
    let mut door = door_for(&player, &player.world, admits, header);
    door.listen(listener);
    let mut finder = Finder::new(&player, id, players).waiting(door);
    for other in others.into_iter().filter(|_| own != Seat::HOST) {
        let route = Route {
            invite: None,
            peer: Some(key(other)),
            addresses: vec![address(other.index())],
            relay: None,
        };
        let caller = Caller::new(id, key(other), route);
        finder = finder.calling(match other {
            Seat::HOST => caller,
            _ => caller.pausing(if own > other { 0 } else { LATER }, LONGEST_PAUSE),
        });
    }
    let needs = PlayerNeeds {
        pauses: true,
        ..PlayerNeeds::default()
    };
    let mut seat = SeatInPlay::new(&player, files, needs, finder, now)?;
    match own {
        Seat::HOST => seat.reconnect(now)?,
        _ => {
            seat.reconnect(now).unwrap();
            seat.look_for_guests(now);
        }
    }
    Ok(seat)
}
