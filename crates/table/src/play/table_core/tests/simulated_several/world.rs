//! Programs of several seats, their connections and their clocks, in simulated time.

mod cheat;
mod check;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use dealerless_connection::ConnectionError;
use dealerless_connection::storage::{MemoryStorage, MemoryVault};
use dealerless_connection::time::Moment;
use rand::rngs::StdRng;
use rand::{Rng, RngExt, SeedableRng};

use self::cheat::Cheat;
pub(super) use self::cheat::Style;
use super::super::super::{Incoming, TableCore, TableEvent};
use crate::log::tests::many_seats::threshold;
use crate::log::tests::test_match::{TestMatch, setting};
use crate::log::{Clock, LogEvent, LogMessage, MatchLog, Phase, Resume, Signed, Statement};
use crate::play::news::{Command, News};
use crate::play::orders::{Event, NoEngine};
use crate::play::seat_play::DeckSetting;
use crate::rules::{Choice, Legal};
use crate::seat::Seat;

type Core = TableCore<MemoryStorage, MemoryVault, StdRng>;

fn seconds(number: f64) -> Duration {
    Duration::from_secs_f64(number)
}

/// The first step with roll calls.
const FIRST_STEP: u64 = 3;

/// The kind of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Deal,
    Open,
    Choice,
    Other,
}

fn kind(phase: &Phase) -> Kind {
    match phase {
        Phase::Deal => Kind::Deal,
        Phase::Open(_) => Kind::Open,
        Phase::Choose { .. } => Kind::Choice,
        _ => Kind::Other,
    }
}

/// A failure of a program or a connection, with the seconds until it is over.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fault {
    /// The program ends for good.
    Kill(usize),
    /// The program ends and starts again.
    Restart(usize, f64),
    /// The program is stopped and continues.
    Stop(usize, f64),
    /// The connection between two seats is cut.
    Cut(usize, usize, f64),
}

/// A fault that happens in a certain step.
struct Watch {
    kind: Kind,
    /// A seat that signs in the step.
    due: Option<usize>,
    /// The number of such steps before.
    skip: usize,
    /// The seconds after the beginning of the step.
    after: f64,
    fault: Fault,
    seen: Option<u64>,
}

/// Something that happens at a moment.
pub(super) enum Happening {
    /// A message arrives on the connection with this number.
    Arrives(usize, usize, u64, Vec<u8>),
    /// A seat notices the loss of its connection with this number to another seat.
    Lost(usize, usize, u64),
    /// A command of the player of a program with this number.
    Command(usize, u64, Command, Option<u64>),
    /// The timer with this number expires. Only the seat's last timer counts.
    Timer(usize, u64),
    Connect(usize, usize),
    Fault(Fault),
    Start(usize),
    Continue(usize),
    Mend(usize, usize),
    /// A cheat may sign votes.
    Cheats(usize),
}

pub(super) struct Side {
    /// The running program.
    table: Option<Core>,
    file: MemoryStorage,
    vault: MemoryVault,
    /// The banks and the own turn, as stored when the program ended.
    banks: (Vec<Duration>, Option<(u64, u64)>),
    /// The number of programs so far.
    life: u64,
    timers: u64,
    is_stopped: bool,
    /// What has arrived while the program was stopped.
    inbox: Vec<Happening>,
    /// The speed of the clock.
    pub(super) rate: f64,
    /// The part of the time on the screen that the player uses, turn by turn.
    pub(super) thinks: Vec<f64>,
    turns: usize,
    /// The step of the last turn, and the time of the choice.
    turn: Option<(u64, Duration)>,
    pub(super) cheat: Option<Cheat>,
    /// The kind of each step, and when the program came to it.
    steps: BTreeMap<u64, (Kind, Duration)>,
    /// The longest time in a step after the last fault.
    pub(super) longest: Duration,
    failed: Option<String>,
}

pub(super) struct World {
    of: TestMatch,
    threshold: usize,
    pub(super) is_mesh: bool,
    rng: StdRng,
    now: Duration,
    plan: BTreeMap<(Duration, u64), Happening>,
    planned: u64,
    pub(super) sides: Vec<Side>,
    /// The connections, from the lower to the higher seat: the number, and the times of the last arrivals.
    links: BTreeMap<(usize, usize), (u64, [Duration; 2])>,
    linked: u64,
    cut: BTreeSet<(usize, usize)>,
    watches: Vec<Watch>,
    /// The end of the last fault.
    calm: Duration,
    trace: Vec<String>,
    votes: BTreeSet<String>,
    /// What broke a rule.
    broken: Vec<String>,
}

fn with_clock(of: TestMatch, each_move: u32, bank: u32) -> TestMatch {
    let mut header = of.match_info.header().clone();
    header.clock = Clock { each_move, bank };
    TestMatch::of(header)
}

pub(super) fn pair(one: usize, other: usize) -> (usize, usize) {
    (one.min(other), one.max(other))
}

fn seat(number: usize) -> Seat {
    Seat::new(number as u8)
}

impl World {
    pub(super) fn new(
        seats: usize,
        opens: usize,
        hands: u32,
        (each_move, bank): (u32, u32),
        seed: u64,
    ) -> Self {
        let of = with_clock(threshold(seats as u8, opens, hands), each_move, bank);
        let mut rng = StdRng::seed_from_u64(seed);
        let side = |number: usize, rate: f64| {
            let (file, vault) = of.files(seat(number));
            Side {
                table: None,
                file,
                vault,
                banks: (Vec::new(), None),
                life: 0,
                timers: 0,
                is_stopped: false,
                inbox: Vec::new(),
                rate,
                thinks: vec![0.02],
                turns: 0,
                turn: None,
                cheat: None,
                steps: BTreeMap::new(),
                longest: Duration::ZERO,
                failed: None,
            }
        };
        let sides = (0..seats).map(|number| side(number, rng.random_range(0.98..1.02)));
        let mut world = World {
            sides: sides.collect(),
            of,
            threshold: opens,
            is_mesh: true,
            rng,
            now: Duration::ZERO,
            plan: BTreeMap::new(),
            planned: 0,
            links: BTreeMap::new(),
            linked: 0,
            cut: BTreeSet::new(),
            watches: Vec::new(),
            calm: Duration::ZERO,
            trace: Vec::new(),
            votes: BTreeSet::new(),
            broken: Vec::new(),
        };
        for number in 0..seats {
            world.start(number);
        }
        world
    }

    fn seats(&self) -> std::ops::Range<usize> {
        0..self.sides.len()
    }

    pub(super) fn honest(&self) -> Vec<usize> {
        let is_honest = |number: &usize| self.sides[*number].cheat.is_none();
        self.seats().filter(is_honest).collect()
    }

    pub(super) fn watch(
        &mut self,
        kind: Kind,
        due: Option<usize>,
        skip: usize,
        after: f64,
        fault: Fault,
    ) {
        self.watches.push(Watch {
            kind,
            due,
            skip,
            after,
            fault,
            seen: None,
        });
    }

    pub(super) fn say(&mut self, text: impl std::fmt::Display) {
        self.trace
            .push(format!("{:8.2} {text}", self.now.as_secs_f64()));
    }

    pub(super) fn plan(&mut self, after: f64, what: Happening) {
        self.planned += 1;
        self.plan
            .insert((self.now + seconds(after), self.planned), what);
    }

    fn flight(&mut self) -> f64 {
        self.rng.random_range(0.02..0.3)
    }

    /// The time on the clock of a seat.
    fn moment(&self, number: usize) -> Moment {
        let running = self.now.mul_f64(self.sides[number].rate);
        let unix = 1_800_000_000 + running.as_secs();
        Moment { running, unix }
    }

    fn is_up(&self, number: usize) -> bool {
        self.sides[number].table.is_some()
    }

    fn log(&self, number: usize) -> Option<&MatchLog> {
        self.sides[number]
            .table
            .as_ref()
            .map(|table| table.play().log())
    }

    fn is_over(&self, number: usize) -> bool {
        let log = self.log(number);
        log.is_some_and(|log| matches!(log.phase(), Phase::Over(_)))
    }

    // Connections.

    fn connect(&mut self, one: usize, other: usize) {
        let (one, other) = pair(one, other);
        let allowed = (self.is_mesh || one == 0) && !self.cut.contains(&(one, other));
        let are_there = [one, other]
            .iter()
            .all(|&of| self.is_up(of) && !self.sides[of].is_stopped);
        if !allowed || !are_there || self.links.contains_key(&(one, other)) {
            return;
        }
        self.linked += 1;
        self.links
            .insert((one, other), (self.linked, [self.now; 2]));
        let is_first = self.now.is_zero();
        for (from, to) in [(one, other), (other, one)] {
            let now = self.moment(from).running;
            let table = self.sides[from].table.as_mut().unwrap();
            match is_first {
                true => table.begin(seat(to), now),
                false => table.resume(seat(to), now).unwrap(),
            }
        }
        // At the start, no seat signs before it has all its connections.
        if !is_first {
            self.run(one);
            self.run(other);
        }
    }

    fn connect_all(&mut self, number: usize) {
        for other in self.seats().filter(|other| *other != number) {
            let after = self.flight();
            self.plan(after, Happening::Connect(number, other));
        }
    }

    /// Cuts a connection. What is on its way is lost. Each end notices it in time.
    fn disconnect(&mut self, one: usize, other: usize) {
        if let Some((number, _)) = self.links.remove(&pair(one, other)) {
            for (from, to) in [(one, other), (other, one)] {
                let after = self.rng.random_range(0.0..0.1);
                self.plan(after, Happening::Lost(from, to, number));
            }
        }
    }

    /// Sends messages. A history that a cheat shortens says so, unless the cheat withholds histories.
    fn send_all(&mut self, from: usize, messages: Vec<(Seat, Vec<u8>)>) {
        let cheat = self.sides[from].cheat.as_ref();
        let shortens = cheat.is_some_and(|cheat| !cheat.withholds);
        let mut messages: VecDeque<_> = messages.into();
        while let Some((to, message)) = messages.pop_front() {
            let to = to.index();
            let resume = match LogMessage::decode(&message) {
                Ok(LogMessage::Resume(resume)) if shortens => resume,
                _ => {
                    let delay = self.delay(from, to, &message);
                    self.send(from, to, message, delay);
                    continue;
                }
            };
            let (mut now, mut later) = (Vec::new(), Vec::new());
            for (_, message) in messages.drain(..resume.parts as usize) {
                match self.delay(from, to, &message) {
                    Some(0.0) => now.push(message),
                    delay => later.push((message, delay)),
                }
            }
            let parts = now.len() as u32;
            let resume = LogMessage::Resume(Resume { parts, ..resume }).encode();
            for message in [vec![resume], now].concat() {
                let delay = self.delay(from, to, &message);
                self.send(from, to, message, delay);
            }
            for (message, delay) in later {
                self.send(from, to, message, delay);
            }
        }
    }

    fn send(&mut self, from: usize, to: usize, message: Vec<u8>, delay: Option<f64>) {
        if let Ok(LogMessage::Statement(Statement { signed, .. })) = LogMessage::decode(&message)
            && let Signed::Vote(vote) = signed
            && vote.seat.index() == from
        {
            let text = format!(
                "{from} votes in step {}: {:?} refuses {}",
                vote.step,
                vote.call,
                vote.refuses()
            );
            if self.votes.insert(text.clone()) {
                self.say(text);
            }
        }
        let Some(delay) = delay else {
            return;
        };
        let flight = self.flight();
        let Some((number, last)) = self.links.get_mut(&pair(from, to)) else {
            return;
        };
        let last = &mut last[usize::from(from > to)];
        let mut at = self.now + seconds(flight + delay);
        if delay == 0.0 {
            at = at.max(*last);
            *last = at;
        }
        let what = Happening::Arrives(from, to, *number, message);
        self.planned += 1;
        self.plan.insert((at, self.planned), what);
    }

    // Programs.

    fn start(&mut self, number: usize) {
        let now = self.moment(number).running;
        let own_rng = StdRng::seed_from_u64(self.rng.next_u64());
        let side = &mut self.sides[number];
        let deck = DeckSetting::Verifiable(side.vault.clone());
        let setting = setting(seat(number), side.file.clone(), deck, own_rng);
        let mut table = TableCore::new(setting.unwrap(), now).unwrap();
        let (banks, turn) = &side.banks;
        table.restore_banks(banks, *turn);
        side.table = Some(table);
        side.life += 1;
        if !self.now.is_zero() {
            self.connect_all(number);
            self.run(number);
        }
    }

    fn end(&mut self, number: usize) {
        let side = &mut self.sides[number];
        let Some(table) = side.table.take() else {
            return;
        };
        let all = Seat::all(self.of.match_info.seats());
        let left = all.map(|of| table.bank_to_store(of).unwrap());
        side.banks = (left.collect(), table.own_turn());
        side.is_stopped = false;
        side.inbox.clear();
        for other in self.seats() {
            self.disconnect(number, other);
        }
    }

    fn fail(&mut self, fault: Fault) {
        self.say(format_args!("{fault:?}"));
        let until = match fault {
            Fault::Kill(number) => {
                self.end(number);
                0.0
            }
            Fault::Restart(number, away) => {
                if self.is_up(number) {
                    self.end(number);
                    self.plan(away, Happening::Start(number));
                }
                away
            }
            Fault::Stop(number, length) => {
                if self.is_up(number) {
                    self.sides[number].is_stopped = true;
                    self.plan(length, Happening::Continue(number));
                }
                length
            }
            Fault::Cut(one, other, length) => {
                self.cut.insert(pair(one, other));
                self.disconnect(one, other);
                self.plan(length, Happening::Mend(one, other));
                length
            }
        };
        self.calm = self.calm.max(self.now + seconds(until));
    }

    /// Lets a seat do all that is due.
    fn run(&mut self, number: usize) {
        let moment = self.moment(number);
        while !self.sides[number].is_stopped {
            let mut sent = Vec::new();
            let Some(table) = &mut self.sides[number].table else {
                return;
            };
            let next = table.next(moment, &mut sent, None::<&mut NoEngine>);
            self.send_all(number, sent);
            let event = match next {
                Ok(Some(event)) => event,
                Ok(None) => {
                    let table = self.sides[number].table.as_mut().unwrap();
                    match table.work_ahead().unwrap() {
                        true => continue,
                        false => break,
                    }
                }
                Err(error) => {
                    self.say(format_args!("{number} fails: {error}"));
                    self.sides[number].failed = Some(error.to_string());
                    self.end(number);
                    return;
                }
            };
            self.handle(number, event);
        }
        self.note_step(number);
        let side = &mut self.sides[number];
        let Some(table) = side.table.as_ref().filter(|_| !side.is_stopped) else {
            return;
        };
        let timer = table.until_next_timer(moment.running);
        if timer < seconds(1e6) {
            side.timers += 1;
            let expires = Happening::Timer(number, side.timers);
            let after = timer.as_secs_f64() / side.rate + 0.001;
            self.plan(after, expires);
        }
    }

    /// Notes when a seat comes to a step.
    fn note_step(&mut self, number: usize) {
        let Some(log) = self.log(number) else {
            return;
        };
        let (step, of) = (log.step(), log.phase());
        let (now, calm) = (self.now, self.calm);
        let side = &mut self.sides[number];
        if side.steps.contains_key(&step) {
            return;
        }
        if let Some((_, (_, began))) = side.steps.last_key_value() {
            let took = now.saturating_sub(calm.max(*began));
            side.longest = side.longest.max(took);
        }
        side.steps.insert(step, (kind(&of), now));
        if let Some(cheat) = &mut side.cheat {
            let log = side.table.as_ref().unwrap().play().log();
            cheat.before = Some(log.clone());
        }
        let waits = self.log(number).unwrap().waits_for();
        let waits: Vec<usize> = waits.iter().map(|seat| seat.index()).collect();
        self.say(format_args!(
            "{number} is at step {step}, {:?} of {waits:?}",
            kind(&of)
        ));
    }

    /// What the player, or the program around the table, does with an event.
    fn handle(&mut self, number: usize, event: TableEvent) {
        let side = &mut self.sides[number];
        let life = side.life;
        match event {
            TableEvent::News(News::YourTurn { legal }) => {
                let table = side.table.as_ref().unwrap();
                let log = table.play().log();
                let step = log.step();
                // The time can have run out since the program has asked.
                if !log.waits_for().contains(&seat(number)) {
                    return;
                }
                if side.turn.is_none_or(|(of, _)| of != step) {
                    let left = table.time_left(seat(number)).unwrap();
                    let part = side.thinks[side.turns.min(side.thinks.len() - 1)];
                    side.turns += 1;
                    let time = left.total().mul_f64(part / side.rate);
                    side.turn = Some((step, self.now + time));
                }
                let at = side.turn.unwrap().1;
                let after = at.saturating_sub(self.now).as_secs_f64();
                let choice = self.choice(&legal);
                let command = Command::Choose(choice);
                self.plan(after, Happening::Command(number, life, command, Some(step)));
            }
            TableEvent::News(News::SitsOut) => {
                let command = Command::SitOut(false);
                self.plan(0.5, Happening::Command(number, life, command, None));
            }
            TableEvent::News(News::OutOfTime { seat, .. }) if seat.index() == number => {
                self.say(format_args!("{number} is out of time itself"));
                let at = self.sides[number].turn.map(|(_, at)| at);
                if self.sides[number].cheat.is_none() && at.is_some_and(|at| at > self.now) {
                    self.broken
                        .push(format!("(e) the clock of {number} has run out early"));
                }
            }
            TableEvent::News(News::RollCall { seat, missing }) if seat.index() == number => {
                let step = self.log(number).unwrap().step();
                self.say(format_args!("{number} calls in step {step}: {missing:?}"));
            }
            TableEvent::News(News::Log(LogEvent::Removed { seats })) if !seats.is_empty() => {
                self.say(format_args!("{number} removes {seats:?}"));
            }
            TableEvent::News(News::Over(end)) => self.say(format_args!("{number} ends: {end:?}")),
            TableEvent::ConnectionLost(peer, error) => {
                self.say(format_args!("{number} loses {peer}: {error:?}"));
                self.disconnect(number, peer.index());
                let after = self.rng.random_range(1.0..3.0);
                self.plan(after, Happening::Connect(number, peer.index()));
            }
            _ => {}
        }
    }

    fn choice(&mut self, legal: &Legal) -> Choice {
        match legal {
            Legal::Bet { call: None, .. } => Choice::Check,
            Legal::Bet { .. } if self.rng.random_range(0..5) == 0 => Choice::Fold,
            Legal::Bet { .. } => Choice::Call,
            _ => Choice::Show,
        }
    }

    // Time.

    fn happen(&mut self, what: Happening) {
        match what {
            Happening::Arrives(_, to, ..)
            | Happening::Lost(to, ..)
            | Happening::Command(to, ..)
                if self.sides[to].is_stopped =>
            {
                self.sides[to].inbox.push(what);
            }
            Happening::Arrives(from, to, number, message) => {
                let link = self.links.get(&pair(from, to));
                if link.is_some_and(|(of, _)| *of == number)
                    && let Some(table) = &mut self.sides[to].table
                {
                    let event = Event::Received(seat(from), message);
                    table.receive(Some(seat(from)), Incoming::Event(event));
                    self.run(to);
                }
            }
            Happening::Lost(to, from, number) => {
                let link = self.links.get(&pair(from, to));
                if link.is_none_or(|(of, _)| *of == number)
                    && let Some(table) = &mut self.sides[to].table
                {
                    let lost = Incoming::Lost(ConnectionError::Closed);
                    table.receive(Some(seat(from)), lost);
                    self.run(to);
                }
            }
            Happening::Command(number, life, command, turn) => {
                let side = &mut self.sides[number];
                if side.life == life
                    && let Some(table) = &mut side.table
                {
                    table.receive(None, Incoming::Command(command, turn));
                    self.run(number);
                }
            }
            Happening::Timer(number, timer) if self.sides[number].timers == timer => {
                self.run(number);
            }
            Happening::Timer(..) => {}
            Happening::Connect(one, other) => self.connect(one, other),
            Happening::Fault(fault) => self.fail(fault),
            Happening::Start(number) => self.start(number),
            Happening::Continue(number) => {
                self.sides[number].is_stopped = false;
                for what in std::mem::take(&mut self.sides[number].inbox) {
                    self.happen(what);
                }
                self.run(number);
                self.connect_all(number);
            }
            Happening::Mend(one, other) => {
                self.cut.remove(&pair(one, other));
                self.connect(one, other);
            }
            Happening::Cheats(number) => self.cheats(number),
        }
    }

    /// Plans the faults whose steps have come, as the first honest seat with a program sees them.
    fn update_watches(&mut self) {
        let first = self.honest().into_iter().find(|of| self.is_up(*of));
        let Some(log) = first.and_then(|first| self.log(first)) else {
            return;
        };
        let (step, of, due) = (log.step(), kind(&log.phase()), log.waits_for());
        let mut faults = Vec::new();
        self.watches.retain_mut(|watch| {
            let is_due = watch.due.is_none_or(|number| due.contains(&seat(number)));
            if watch.kind != of || !is_due || watch.seen == Some(step) {
                return true;
            }
            watch.seen = Some(step);
            let Some(skip) = watch.skip.checked_sub(1) else {
                faults.push((watch.after, watch.fault));
                return false;
            };
            watch.skip = skip;
            true
        });
        for (after, fault) in faults {
            self.plan(after, Happening::Fault(fault));
        }
    }

    /// The longest time of a step after the last fault.
    pub(super) fn bound(&self) -> Duration {
        let clock = self.of.match_info.header().clock;
        let limit = f64::from(clock.each_move + clock.bank) + 10.0;
        let more = self.sides.len() - self.threshold;
        let votes: f64 = (1..=more).map(|depth| limit + 10.0 * depth as f64).sum();
        seconds(2.0 * limit + (more + 1) as f64 * (limit + 10.0) + 2.0 * votes + 30.0)
    }

    /// Plays until all honest programs have ended the match, or cannot go on.
    fn play(&mut self) {
        for number in self
            .seats()
            .filter(|of| self.sides[*of].cheat.is_some())
            .collect::<Vec<_>>()
        {
            if self.sides[number].cheat.as_ref().unwrap().rule.is_none() {
                self.plan(3.0, Happening::Cheats(number));
            }
        }
        for one in self.seats() {
            for other in one + 1..self.sides.len() {
                self.connect(one, other);
            }
        }
        self.seats().for_each(|number| self.run(number));
        let bound = self.bound();
        while self.now < seconds(8000.0) {
            let is_waiting = |number: usize| {
                let (_, began) = self.sides[number].steps.last_key_value().unwrap().1;
                self.now < self.calm.max(*began) + bound
            };
            let honest = self.honest();
            let mut up = honest.iter().filter(|number| self.is_up(**number));
            let starts = self.plan.values().any(|what| {
                matches!(
                    what,
                    Happening::Start(_) | Happening::Continue(_) | Happening::Fault(_)
                )
            });
            if !starts && up.all(|number| self.is_over(*number) || !is_waiting(*number)) {
                break;
            }
            let ((at, _), what) = self.plan.pop_first().expect("something is due");
            self.now = at;
            self.happen(what);
            self.update_watches();
        }
    }
}
