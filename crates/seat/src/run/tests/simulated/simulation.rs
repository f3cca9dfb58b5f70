//! The two programs, and what happens to them until their match is over.

use std::cell::{RefCell, RefMut};
use std::collections::BTreeMap;
use std::panic::{self, AssertUnwindSafe};
use std::rc::Rc;
use std::time::Duration;

use dealerless_connection::random::seed_this_thread;
use rand::RngExt;
use serde_json::{Value, json};

use super::RELAY;
use super::checks::{self, Checks};
use super::clock::{Clock, Timers};
use super::disk::{Disk, Files};
use super::engine;
use super::person::{Act, Person};
use super::world::{Happening, OfSocket, Shared, Simulated};
use crate::run::{Input, Session};
use crate::seat::LAST_CALL;

const MINUTE: Duration = Duration::from_secs(60);

/// How often something has happened.
pub(super) type Counts = BTreeMap<String, usize>;

struct Program {
    session: Option<Session<Simulated>>,
    /// The number of times that it was started.
    starts: u64,
    clock: Clock,
    person: Person,
    timers: Timers,
    suspended_until: Duration,
    /// Whether a match was begun or resumed, and has not ended here.
    is_running: bool,
    /// Whether it knows that its last match is over.
    is_over: bool,
    /// Whether it waits for the guest of an invite.
    invites: bool,
    /// The time at which something last happened in the match.
    progress: Duration,
    requests: u32,
    backup: Option<Files>,
}

pub(super) struct Simulation {
    seed: u64,
    shared: Rc<RefCell<Shared>>,
    disks: [Disk; 2],
    programs: [Program; 2],
    checks: Checks,
    counts: Counts,
    terms: Value,
    invite: Option<String>,
    /// The pause between two faults of a program, in milliseconds. `None` if there are none.
    pause: Option<u64>,
    was_restored: bool,
    /// Whether a player has closed a match.
    was_closed: bool,
    is_settled: bool,
    deadline: Duration,
}

fn terms(shared: &mut Shared) -> Value {
    let rng = &mut shared.rng;
    let time = ["", "none", "30+120", "5+10"][rng.random_range(0..4)];
    let mut terms = match rng.random_range(0..4) {
        0 => json!({ "game": "deck", "cards": 5, "draw": 3 }),
        1 => json!({ "game": "draw", "stack": 20, "ante": "1/2" }),
        2 => json!({ "game": "fixed-holdem", "stack": 15, "blinds": "1/2" }),
        _ => json!({ "game": "holdem", "stack": 20, "blinds": "1/2" }),
    };
    terms["hands"] = rng.random_range(1..=3).into();
    terms["time"] = time.into();
    terms["name"] = "Anna".into();
    terms["relay"] = RELAY.into();
    terms
}

impl Simulation {
    pub(super) fn new(seed: u64) -> Self {
        seed_this_thread(seed);
        let mut shared = Shared::new(seed, 2);
        let pause = [None, Some(120_000), Some(40_000), Some(15_000)][(seed % 4) as usize];
        shared.is_faulty = pause.is_some();
        let terms = terms(&mut shared);
        let disks: [Disk; 2] = Default::default();
        for (program, disk) in disks.iter().enumerate() {
            shared.outside[program].disk = disk.clone();
            shared.plan(Duration::ZERO, Happening::Starts(program));
            if let Some(pause) = pause {
                shared.soon(pause, Happening::Fault(program));
            }
        }
        let faults = MINUTE + shared.millis(600_000);
        shared.plan(faults, Happening::FaultsEnd);
        let program = |shared: &mut Shared| Program {
            session: None,
            starts: 0,
            clock: Clock::random(shared),
            person: Person::default(),
            timers: Timers::default(),
            suspended_until: Duration::ZERO,
            is_running: false,
            is_over: false,
            invites: false,
            progress: Duration::ZERO,
            requests: 0,
            backup: None,
        };
        let programs = [program(&mut shared), program(&mut shared)];
        Simulation {
            seed,
            shared: Rc::new(RefCell::new(shared)),
            disks,
            programs,
            checks: Checks::default(),
            counts: Counts::new(),
            terms,
            invite: None,
            pause,
            was_restored: false,
            was_closed: false,
            is_settled: false,
            deadline: faults + 60 * MINUTE,
        }
    }

    fn shared(&self) -> RefMut<'_, Shared> {
        self.shared.borrow_mut()
    }

    fn count(&mut self, what: &str) {
        *self.counts.entry(what.to_owned()).or_default() += 1;
    }

    /// Plays until a match is over on both sides.
    pub(super) fn play(&mut self) {
        self.play_until(|this| this.is_settled && this.programs.iter().all(Program::is_idle));
    }

    /// Plays until the match is over for one player. Then a fault, which gets the number of the other program, takes
    /// the last messages from the other player. Checks that the first player waits for the other one.
    pub(super) fn play_with_lost_end(&mut self, fault: impl FnOnce(&mut Self, usize)) {
        // There is a fault, so the end may take long.
        self.pause = Some(0);
        self.play_until(|this| this.programs.iter().any(|program| program.is_over));
        let other = usize::from(self.programs[0].is_over);
        let begun = self.shared().now;
        self.shared().note(other, "loses the end");
        fault(self, other);
        self.play_until(|this| !this.programs[1 - other].is_running);
        let waited = self.shared().now - begun;
        assert!(
            self.programs[other].is_over || waited >= LAST_CALL,
            "match {}: the first player waits only {waited:?}",
            self.seed
        );
        self.play();
    }

    /// The connections are cut without a sign.
    pub(super) fn cut_silently(&mut self, program: usize) {
        self.shared().lose_all(program);
    }

    /// A few operations of a disk fail.
    pub(super) fn fill_disk(&mut self, program: usize) {
        self.disks[program].fail(3);
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
            let last = shared.trace.len().saturating_sub(150);
            println!("{}", shared.trace[last..].join("\n"));
            println!("DEALERLESS_SEED={} fails: {}", self.seed, self.terms);
            drop(shared);
            panic::resume_unwind(payload);
        }
    }

    /// Both players audit the match that is over. Their connection is cut before its arrival number `cut`, if
    /// there are so many. Returns the answers.
    pub(super) fn audit(&mut self, cut: usize) -> [(u16, Value); 2] {
        let body = json!({ "match": checks::settled(&self.disks), "relay": RELAY });
        let mut answers = [0, 1].map(|program| self.ask(program, true, "/audit", &body));
        // The host waits for 10 minutes if its guest does not come again.
        let (mut arrivals, deadline) = (0, self.shared().now + 15 * MINUTE);
        loop {
            if let [Some(host), Some(guest)] = answers {
                return [host, guest];
            }
            let what = self.shared().next().expect("something happens");
            assert!(self.shared().now < deadline, "the audit does not end");
            if let Happening::OfSocket(socket, OfSocket::Received(_)) = what
                && self.shared().network.peer(socket).is_some()
            {
                arrivals += 1;
                if arrivals == cut {
                    self.shared().cut(socket);
                }
            }
            self.happens(what);
            for (program, answer) in answers.iter_mut().enumerate() {
                let answered = self.shared().outside[program].answers.pop();
                *answer = (answer.take()).or(answered.map(|(_, status, body)| (status, body)));
            }
        }
    }

    /// Checks the records, and returns the trace of the run.
    pub(super) fn ends(mut self) -> (Vec<String>, Counts) {
        checks::agree(&self.disks, self.was_restored);
        if !self.was_restored && !self.was_closed {
            checks::end_together(&self.disks);
        }
        let end = checks::ends(&self.disks);
        self.count(&format!("ended: {end}"));
        for program in 0..2 {
            let (_, peers) = self.ask(program, false, "/peers", &Value::Null).unwrap();
            for peer in peers["peers"].as_array().unwrap() {
                assert_eq!(peer["failed_checks"], 0, "match {}: {peer}", self.seed);
            }
        }
        let mut shared = self.shared.borrow_mut();
        let trace = std::mem::take(&mut shared.trace);
        *self.counts.entry("cuts".into()).or_default() += shared.network.cuts;
        (trace, self.counts)
    }

    fn happens(&mut self, what: Happening) {
        let program = self.program_of(&what);
        let until = program.map(|program| self.programs[program].suspended_until);
        let now = self.shared().now;
        if let Some(until) = until.filter(|until| *until > now) {
            return self.shared().plan(until, what);
        }
        match what {
            Happening::OfSocket(socket, what) => {
                let Some(program) = self.shared().network.receiver(socket) else {
                    return;
                };
                if let OfSocket::Closed(_) = what {
                    self.shared().close_socket(socket, true);
                }
                self.enter(program, |session, now| {
                    session.input(Input::Socket(socket, what.happened()), now);
                });
            }
            Happening::AtRelay(socket) => self.shared().at_relay(socket),
            Happening::AtProgram(socket, other) => self.shared().at_program(socket, other),
            Happening::Cut(socket) => self.shared().cut(socket),
            Happening::Timer(program, number) => {
                let now = self.shared().now;
                if self.programs[program].timers.expires(number, now) {
                    self.enter(program, |_, _| {});
                }
            }
            Happening::Engine(program) => self.engine_begins(program),
            Happening::EngineDone(program, connection) => self.engine_ends(program, connection),
            Happening::EngineSettled(program) => {
                let mut shared = self.shared();
                let outside = &mut shared.outside[program];
                if outside.engine.is_none() && outside.is_engine_busy {
                    outside.is_engine_busy = false;
                    shared.engine_stops(program);
                    drop(shared);
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
    }

    /// The program to which something happens.
    fn program_of(&self, what: &Happening) -> Option<usize> {
        match what {
            Happening::OfSocket(socket, _) => self.shared().network.receiver(*socket),
            Happening::Timer(program, _)
            | Happening::Engine(program)
            | Happening::EngineDone(program, _)
            | Happening::EngineSettled(program)
            | Happening::Acts(program, ..) => Some(*program),
            _ => None,
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

    /// Calls a session, and lets it do all that is due.
    fn enter(&mut self, program: usize, work: impl FnOnce(&mut Session<Simulated>, Duration)) {
        let Some(mut session) = self.programs[program].session.take() else {
            return;
        };
        let shared = Rc::clone(&self.shared);
        let connection = move || Some(shared.borrow().outside[program].engine.as_ref()?.connection);
        let ran = self.runs(program, |now| {
            work(&mut session, now);
            let next = session.step(now);
            // A seat that has lost its connection acts at once.
            let connection = connection().and_then(|number| session.connection(number));
            let is_lost = connection.is_some_and(|connection| connection.core.ended().is_some());
            assert!(
                !is_lost || next.is_some_and(|next| next <= now),
                "a lost connection is not noticed"
            );
            (session, next)
        });
        let Some((session, next)) = ran else {
            return;
        };
        let this = &mut self.programs[program];
        this.session = Some(session);
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
    }

    /// Passes the new events of a program to its player.
    fn told(&mut self, program: usize) {
        let mut shared = self.shared();
        let outside = &mut shared.outside[program];
        let events = std::mem::take(&mut outside.events);
        let ended = std::mem::take(&mut outside.ended);
        drop(shared);
        for event in events {
            self.event(program, &event);
        }
        for code in ended {
            let this = &mut self.programs[program];
            this.is_running = false;
            let took = self.shared.borrow().now - this.progress;
            if self.pause.is_none() && code == 0 {
                assert!(took < Duration::from_secs(3), "the end takes {took:?}");
                let other = &self.programs[1 - program];
                assert!(
                    other.is_over || !other.is_running,
                    "only one side knows the end"
                );
            }
            self.checks.ended(program);
            self.checks.keeps(program, &self.disks[program]);
            self.shared().note(program, &format!("ended with {code}"));
            self.count(&format!("exit code {code}"));
        }
    }

    fn event(&mut self, program: usize, event: &Value) {
        let kind = event["event"].as_str().unwrap().to_owned();
        self.shared().note(program, &brief(event));
        self.checks.event(program, event);
        self.was_closed |= kind == "closed";
        if kind == "over" {
            self.programs[program].is_over = true;
        }
        if kind == "invite" {
            self.invite = event["invite"].as_str().map(str::to_owned);
        }
        if ["again", "out-of-time", "line-lost", "resumed", "ask-again"].contains(&&*kind) {
            self.count(&kind);
        }
        let this = &mut self.programs[program];
        let mut shared = self.shared.borrow_mut();
        let shared = &mut *shared;
        if !["waiting", "notice", "line-lost", "hello"].contains(&&*kind) {
            this.progress = shared.now;
        }
        let calm = !shared.is_faulty;
        if let Some((delay, act)) = this.person.reacts(event, calm, &mut shared.rng) {
            let acts = Happening::Acts(program, this.starts, act);
            shared.plan(shared.now + delay, acts);
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
        self.enter(program, |session, now| {
            if let Some(done) = done {
                session.input(Input::EngineDone(connection, done), now);
            }
        });
    }

    fn starts(&mut self, program: usize) {
        let shared = Rc::clone(&self.shared);
        let mut shared = shared.borrow_mut();
        let has_crashed = shared.once_in(2);
        self.disks[program].restart(has_crashed, &mut shared.rng);
        // Once the match is over on both sides, the other player does not come back for it.
        let restores = shared.is_fault(8) && !checks::is_settled(&self.disks);
        let this = &mut self.programs[program];
        if restores && let Some(backup) = &this.backup {
            self.disks[program].restore(backup.clone());
            shared.note(program, "has older files");
            self.was_restored = true;
            self.checks.restored(program);
            *self.counts.entry("restored".into()).or_default() += 1;
        }
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
        let world = Simulated {
            shared: Rc::clone(&self.shared),
            program,
            disk: self.disks[program].clone(),
        };
        let decides = Happening::Acts(program, starts, Act::Decides);
        shared.soon(5_000, decides);
        drop(shared);
        match self.runs(program, |_| Session::open(world)) {
            Some(Ok(session)) => self.programs[program].session = Some(session),
            Some(Err(error)) => panic!("program {program} does not start: {error:#}"),
            None => {}
        }
    }

    /// A program is killed, or its machine crashes.
    fn dies(&mut self, program: usize, how: &str) {
        self.count("killed");
        self.disks[program].kill();
        self.is_settled = false;
        self.programs[program].session = None;
        self.programs[program].is_running = false;
        self.checks.ended(program);
        let mut shared = self.shared();
        shared.note(program, &format!("is killed {how}"));
        shared.close_all(program);
        shared.engine_stops(program);
        let outside = &mut shared.outside[program];
        (outside.engine, outside.is_engine_busy) = (None, false);
        outside.events.clear();
        outside.answers.clear();
        outside.ended.clear();
        shared.soon(30_000, Happening::Starts(program));
        drop(shared);
        checks::agree(&self.disks, self.was_restored);
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
        let now = shared.now;
        drop(shared);
        if self.programs[program].session.is_none() {
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
            5 => self.programs[program].backup = Some(self.disks[program].files()),
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
                self.shared().note(program, &format!("says {line}"));
                self.enter(program, |session, now| {
                    session.command(line.as_bytes(), now)
                });
            }
            Act::Asks(is_post, path, body) => {
                if let Some((status, answer)) = self.ask(program, is_post, &path, &body) {
                    assert_eq!(status, 200, "{path}: {answer}");
                }
            }
            Act::Decides => {
                let starts = self.programs[program].starts;
                let again = Happening::Acts(program, starts, Act::Decides);
                self.shared().soon(30_000, again);
                self.decides(program);
            }
        }
    }

    /// The answer to a request, unless the program is killed.
    fn ask(
        &mut self,
        program: usize,
        is_post: bool,
        path: &str,
        body: &Value,
    ) -> Option<(u16, Value)> {
        let this = &mut self.programs[program];
        this.requests += 1;
        let number = this.requests;
        let text = body.to_string();
        self.shared().note(program, &format!("asks {path} {text}"));
        self.enter(program, |session, now| {
            session.request(number, is_post, path, text.as_bytes(), now);
        });
        let (answered, status, answer) = self.shared().outside[program].answers.pop()?;
        assert_eq!(answered, number);
        if status != 200 {
            self.shared().note(program, &answer.to_string());
        }
        Some((status, answer))
    }

    /// A player without a match begins or resumes one. A player who waits in vain ends the program.
    fn decides(&mut self, program: usize) {
        let now = self.shared().now;
        let waited = now - self.programs[program].progress;
        if self.programs[program].is_running {
            // After the faults, two programs in one match find each other without their players.
            let waits =
                |program: &Program| program.is_running && program.progress + 5 * MINUTE < now;
            let is_stuck = self.programs.iter().all(waits) && self.checks.is_one_match();
            assert!(!is_stuck || self.shared().is_faulty, "both programs wait");
            if waited > 6 * MINUTE && self.shared().once_in(3) {
                self.ask(program, true, "/end", &json!({}));
            }
            return;
        }
        self.is_settled = checks::is_settled(&self.disks);
        if self.is_settled {
            return;
        }
        let Some((_, answer)) = self.ask(program, false, "/matches", &Value::Null) else {
            return;
        };
        let matches = answer["matches"].as_array().unwrap();
        let mut open = matches.iter().filter(|open| open["closed"] == false);
        let open = open.next().map(|open| open["match"].clone());
        if let Some(of) = &open
            && !checks::has(&self.disks[1 - program], of.as_str().unwrap())
        {
            // The other player has lost the match.
            self.was_closed = true;
            let body = json!({ "match": of, "close": true });
            self.ask(program, true, "/resume", &body);
            return;
        }
        let host = &self.programs[0];
        let joins = program == 1 && host.is_running && host.invites;
        let resumes = open.filter(|_| self.shared().once_in(4) == joins);
        let (path, body) = match (resumes, program) {
            (Some(of), _) => ("/resume", json!({ "match": of, "relay": RELAY })),
            (None, 0) => {
                let Some((_, state)) = self.ask(0, false, "/state", &Value::Null) else {
                    return;
                };
                let waits = state["hosting"].is_object() && !self.shared().once_in(4);
                let again = json!({ "again": true });
                ("/host", if waits { again } else { self.terms.clone() })
            }
            (None, _) => {
                let Some(invite) = self.invite.clone() else {
                    return;
                };
                let whom = if self.shared().once_in(4) {
                    "Anna".into()
                } else {
                    invite
                };
                (
                    "/join",
                    json!({ "name": "Bert", "whom": whom, "relay": RELAY }),
                )
            }
        };
        let this = &mut self.programs[program];
        (this.is_running, this.is_over) = (true, false);
        this.invites = path == "/host";
        this.progress = self.shared.borrow().now;
        let answer = self.ask(program, true, path, &body);
        if answer.is_some_and(|(status, _)| status != 200) {
            self.programs[program].is_running = false;
        }
    }
}

impl Program {
    fn is_idle(&self) -> bool {
        self.session.is_some() && !self.is_running
    }
}

/// An event for the trace.
pub(super) fn brief(event: &Value) -> String {
    let mut event = event.clone();
    let object = event.as_object_mut().unwrap();
    object.remove("sentences");
    object.remove("version");
    serde_json::to_string(&event).unwrap()
}
