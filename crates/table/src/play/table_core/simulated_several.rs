//! Several seats with a verifiable deck play in simulated time. Programs end and start again, programs are
//! stopped, connections are cut, and cheats delay or withhold statements. Seats can be removed by roll
//! calls. The number of a match determines everything that happens in it.
//! `DEALERLESS_SOAK=2000 cargo test -p dealerless-table --lib simulated_several -- --nocapture` plays
//! 2000 random matches.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;

use dealerless::testing::soak::soak;
use rand::rngs::StdRng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{Rng, RngExt, SeedableRng};

use super::super::seat_play::DeckSetting;
use super::super::tests::world::{KeptVault, Sent};
use super::*;
use crate::hash::Hash;
use crate::identity::Identity;
use crate::log::tests::many_seats::threshold;
use crate::log::tests::test_match::TestMatch;
use crate::log::{
    Clock, End, Journal, LogEvent, LogMessage, Match, MatchLog, Part, Resume, Signed, Statement,
};
use crate::rules::{Choice, Legal};
use crate::storage::MemoryStorage;

type Core = TableCore<MemoryStorage, KeptVault, StdRng, ()>;

fn seconds(number: f64) -> Duration {
    Duration::from_secs_f64(number)
}

/// The first step with roll calls.
const FIRST_STEP: u64 = 3;

/// The kind of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
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
enum Fault {
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
enum Happening {
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

/// A statement that a cheat sends: the kind and the number of its step, how long ago the cheat came to
/// this step, and the receiver.
struct Sending<'a> {
    signed: &'a Signed,
    kind: Kind,
    /// The number of earlier steps of this kind.
    nth: usize,
    since: f64,
    to: usize,
}

/// The delay with which a cheat sends a statement. `None`: never.
type Rule = Box<dyn FnMut(&Sending<'_>) -> Option<f64>>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    /// Statements of cheats come late.
    Late,
    /// One seat receives few statements.
    Some,
    /// Sends nothing for some time.
    Silent,
    /// Some statements come late, others never.
    Mixed,
    /// Never votes.
    Obstruct,
}

/// An honest program whose messages pass through the hands of a cheat.
struct Cheat {
    style: Style,
    victim: usize,
    /// The seconds between which the cheat sends nothing.
    window: (f64, f64),
    /// Whether the histories that the cheat sends are not complete.
    withholds: bool,
    /// The decisions on what was sent, by statement and receiver.
    delays: HashMap<([u8; 32], usize), Option<f64>>,
    rule: Option<Rule>,
    /// The log at the beginning of the current step.
    before: Option<MatchLog>,
}

struct Side {
    /// The running program.
    table: Option<Core>,
    identity: Arc<Identity>,
    file: MemoryStorage,
    vault: KeptVault,
    /// The banks and the own turn, as stored when the program ended.
    banks: (Vec<Duration>, Option<(u64, u64)>),
    /// The number of programs so far.
    life: u64,
    timers: u64,
    is_stopped: bool,
    /// What has arrived while the program was stopped.
    inbox: Vec<Happening>,
    /// The speed of the clock.
    rate: f64,
    /// The part of the time on the screen that the player uses, turn by turn.
    thinks: Vec<f64>,
    turns: usize,
    /// The step of the last turn, and the time of the choice.
    turn: Option<(u64, Duration)>,
    cheat: Option<Cheat>,
    /// The kind of each step, and when the program came to it.
    steps: BTreeMap<u64, (Kind, Duration)>,
    /// The longest time in a step after the last fault.
    longest: Duration,
    failed: Option<String>,
}

struct World {
    of: TestMatch,
    threshold: usize,
    is_mesh: bool,
    rng: StdRng,
    now: Duration,
    plan: BTreeMap<(Duration, u64), Happening>,
    planned: u64,
    sides: Vec<Side>,
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
    TestMatch {
        match_info: Match::new(header, of.match_info.players().to_vec()).unwrap(),
        identities: of.identities,
    }
}

fn pair(one: usize, other: usize) -> (usize, usize) {
    (one.min(other), one.max(other))
}

fn seat(number: usize) -> Seat {
    Seat::new(number as u8)
}

impl World {
    fn new(
        seats: usize,
        opens: usize,
        hands: u32,
        (each_move, bank): (u32, u32),
        seed: u64,
    ) -> Self {
        let of = with_clock(threshold(seats as u8, opens, hands), each_move, bank);
        let mut rng = StdRng::seed_from_u64(seed);
        let side = |number: usize, rate: f64| {
            let identity = Arc::new(Identity::from_seed([number as u8; 32]));
            let (file, mut vault) = (MemoryStorage::default(), KeptVault::default());
            vault.keep(&[number as u8; 32]).unwrap();
            let sitting = of.sitting(seat(number));
            Journal::create(file.clone(), identity.file_key(), &sitting).unwrap();
            Side {
                table: None,
                identity,
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

    fn honest(&self) -> Vec<usize> {
        let is_honest = |number: &usize| self.sides[*number].cheat.is_none();
        self.seats().filter(is_honest).collect()
    }

    fn cheat(&mut self, number: usize, style: Style, window: (f64, f64)) -> &mut Cheat {
        let honest: Vec<usize> = self
            .honest()
            .into_iter()
            .filter(|of| *of != number)
            .collect();
        let victim = *honest.choose(&mut self.rng).unwrap();
        self.sides[number].cheat.insert(Cheat {
            style,
            victim,
            window,
            withholds: false,
            delays: HashMap::new(),
            rule: None,
            before: None,
        })
    }

    /// A cheat that sends its own statements by this rule, and those of others at once.
    fn cheat_by(
        &mut self,
        number: usize,
        mut rule: impl FnMut(&Sending<'_>) -> Option<f64> + 'static,
    ) {
        let own = seat(number);
        let rule: Rule = Box::new(move |sending| match sending.signed.seat() == own {
            true => rule(sending),
            false => Some(0.0),
        });
        self.cheat(number, Style::Late, (0.0, 0.0)).rule = Some(rule);
    }

    fn watch(&mut self, kind: Kind, due: Option<usize>, skip: usize, after: f64, fault: Fault) {
        self.watches.push(Watch {
            kind,
            due,
            skip,
            after,
            fault,
            seen: None,
        });
    }

    fn say(&mut self, text: impl std::fmt::Display) {
        self.trace
            .push(format!("{:8.2} {text}", self.now.as_secs_f64()));
    }

    fn plan(&mut self, after: f64, what: Happening) {
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

    // Cheats.

    /// The delay of a message. `None` if it is not sent.
    fn delay(&mut self, from: usize, to: usize, message: &[u8]) -> Option<f64> {
        let now = self.now.as_secs_f64();
        let is_cheat: Vec<bool> = self.sides.iter().map(|side| side.cheat.is_some()).collect();
        let side = &mut self.sides[from];
        let Some(cheat) = side.cheat.as_mut().filter(|_| !is_cheat[to]) else {
            return Some(0.0);
        };
        if (cheat.window.0..cheat.window.1).contains(&now) {
            return None;
        }
        let Ok(LogMessage::Statement(Statement { signed, .. })) = LogMessage::decode(message)
        else {
            return Some(0.0);
        };
        // Without the keys, nobody can go on.
        if signed.step() < FIRST_STEP {
            return Some(0.0);
        }
        if let Some(rule) = &mut cheat.rule {
            let step = side.steps.get(&signed.step()).copied();
            let (kind, began) = step.unwrap_or((Kind::Other, self.now));
            let earlier = side.steps.range(..signed.step());
            let sending = Sending {
                signed: &signed,
                kind,
                nth: earlier.filter(|(_, (of, _))| *of == kind).count(),
                since: now - began.as_secs_f64(),
                to,
            };
            return rule(&sending);
        }
        let key = (Hash::new("statement").field(message).finish(), to);
        let is_own = is_cheat[signed.seat().index()];
        let rng = &mut self.rng;
        let style = cheat.style;
        let victim = cheat.victim == to;
        *cheat.delays.entry(key).or_insert_with(|| {
            let late = |rng: &mut StdRng| {
                *[0.0, 0.0, 5.0, 12.0, 19.6, 20.4, 29.0, 33.0, 41.0]
                    .choose(rng)
                    .unwrap()
            };
            let x: f64 = rng.random();
            match style {
                Style::Some => (!victim || x > 0.7).then_some(0.0),
                Style::Late if is_own => Some(late(rng)),
                Style::Obstruct if is_own => (!matches!(signed, Signed::Vote(_))).then_some(0.0),
                Style::Mixed if is_own && x < 0.55 => Some(0.0),
                Style::Mixed if is_own => (x > 0.75).then(|| late(rng)),
                Style::Mixed => (x < 0.7).then_some(0.0),
                _ => Some(0.0),
            }
        })
    }

    /// A cheat sends a vote for which its time has not come, for what it lacks now or lacked at the
    /// beginning of the step, or a second choice, to some seats.
    fn cheats(&mut self, number: usize) {
        self.plan(1.0, Happening::Cheats(number));
        let side = &self.sides[number];
        let cheat = side.cheat.as_ref().unwrap();
        if [Style::Late, Style::Some].contains(&cheat.style) || self.rng.random_range(0..16) > 0 {
            return;
        }
        let is_now: bool = self.rng.random();
        let side = &self.sides[number];
        let before = side.cheat.as_ref().and_then(|cheat| cheat.before.as_ref());
        let (Some(now), Some(before)) = (self.log(number), before) else {
            return;
        };
        let mut log = if is_now { now } else { before }.clone();
        let (before, own) = (log.hash(), seat(number));
        let is_choice = matches!(log.phase(), Phase::Choose { seat, .. } if seat == own);
        let statement = if is_choice && self.rng.random_range(0..30) == 0 {
            let Ok((part, _)) = log.sign(&side.identity, own, &Part::Move(Choice::Fold)) else {
                return;
            };
            let signed = Signed::Part(part);
            Statement { before, signed }
        } else {
            let mut missing: Vec<_> = log.missing().into_iter().collect();
            missing.shuffle(&mut self.rng);
            missing.truncate(self.rng.random_range(1..=2));
            let Ok((vote, _)) = log.sign_call(&side.identity, &missing.into_iter().collect())
            else {
                return;
            };
            vote
        };
        let message = LogMessage::Statement(statement).encode();
        self.say(format_args!("cheat {number} sends a statement"));
        for to in self.seats().filter(|to| *to != number) {
            if self.rng.random_range(0..10) < 7
                && let Some((link, _)) = self.links.get(&pair(number, to))
            {
                let arrives = Happening::Arrives(number, to, *link, message.clone());
                let after = self.flight();
                self.plan(after, arrives);
            }
        }
    }

    // Programs.

    fn start(&mut self, number: usize) {
        let now = self.moment(number).running;
        let own_rng = StdRng::seed_from_u64(self.rng.next_u64());
        let side = &mut self.sides[number];
        let opened = Journal::open(side.file.clone(), side.identity.file_key()).unwrap();
        let setting = Setting {
            identity: Arc::clone(&side.identity),
            seat: seat(number),
            log: opened.log,
            journal: opened.journal,
            deck: DeckSetting::Verifiable(side.vault.clone()),
            rng: own_rng,
        };
        let mut table = TableCore::new(setting, now).unwrap();
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
            let mut sent = Sent::default();
            let Some(table) = &mut self.sides[number].table else {
                return;
            };
            let next = table.next(moment, &mut sent, None::<&mut NoEngine>);
            self.send_all(number, sent.0);
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
    fn handle(&mut self, number: usize, event: TableEvent<()>) {
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
            TableEvent::News(News::AskRebuy { .. }) => {
                let command = Command::Rebuy(false);
                self.plan(0.5, Happening::Command(number, life, command, None));
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
    fn bound(&self) -> Duration {
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

    /// Checks what must hold at the end. No seat of `clean` may be removed.
    fn check(&mut self, clean: &[usize]) {
        let honest = self.honest();
        let logs: Vec<(usize, MatchLog)> = honest
            .iter()
            .filter_map(|&number| Some((number, self.log(number)?.clone())))
            .collect();
        let mut broken = std::mem::take(&mut self.broken);
        for &number in &honest {
            if let Some(error) = &self.sides[number].failed {
                broken.push(format!("(e) {number} fails: {error}"));
            }
            let longest = self.sides[number].longest;
            if longest > self.bound() {
                broken.push(format!("(b) a step of {number} took {longest:?}"));
            }
        }
        for (number, log) in &logs {
            let gone = log.gone().iter().map(|seat| seat.index());
            let gone = gone.chain(log.is_removed().then_some(*number));
            for gone in gone.filter(|gone| clean.contains(gone)) {
                broken.push(format!("(a) {gone} was removed in the log of {number}"));
            }
            let convicted = log
                .evidence()
                .iter()
                .map(|evidence| evidence.statements[0].signed.seat());
            let by_end = match log.phase() {
                Phase::Over(End::Foul { seat, .. } | End::Fork { seat }) => Some(seat),
                _ => None,
            };
            for seat in convicted.chain(by_end).map(|seat| seat.index()) {
                if honest.contains(&seat) {
                    broken.push(format!("(d) {seat} is convicted in the log of {number}"));
                }
            }
            let chips: u64 = log.final_stacks().iter().sum();
            if chips != 100 * self.sides.len() as u64 {
                broken.push(format!("(c) {number} has {chips} chips"));
            }
        }
        let convicted = logs.iter().any(|(_, log)| log.is_convicted());
        for (at, (one, first)) in logs.iter().enumerate() {
            for (other, second) in &logs[at + 1..] {
                let step = first.step().min(second.step());
                let out =
                    |log: &MatchLog, number| log.is_removed() || log.gone().contains(&seat(number));
                let is_out = out(first, *other) || out(second, *one);
                if !convicted && !is_out && first.hash_before(step) != second.hash_before(step) {
                    broken.push(format!("(c) the logs of {one} and {other} part"));
                }
            }
        }
        for (number, log) in &logs {
            let is_there = |(other, of): &&(usize, MatchLog)| {
                !log.gone().contains(&seat(*other)) && !of.is_removed()
            };
            let there = logs.iter().filter(is_there).count();
            let table = self.sides[*number].table.as_ref().unwrap();
            // Otherwise two sets of M seats need share no honest seat.
            let goes_on = 2 * self.threshold > self.sides.len() + self.sides.len() - honest.len();
            if convicted || matches!(log.phase(), Phase::Over(_)) {
            } else if goes_on && there >= self.threshold {
                broken.push(format!(
                    "(b) {number} does not go on with {there} honest seats"
                ));
            } else if table.may_close().is_none() {
                broken.push(format!("(b) {number} is stuck and may not close"));
            }
        }
        if !broken.is_empty() {
            for number in self.seats() {
                let Some(log) = self.log(number) else {
                    continue;
                };
                let refusal = log
                    .clone()
                    .sign_refusal(&self.sides[number].identity)
                    .is_ok();
                let text = format!(
                    "{number}: step {}, {:?}, refuses {refusal}, removed {}, missing {:?}",
                    log.step(),
                    kind(&log.phase()),
                    log.is_removed(),
                    log.missing()
                );
                self.say(text);
            }
        }
        self.broken = broken;
    }

    /// Plays, checks, and returns what is broken.
    fn played(&mut self, clean: &[usize]) -> Vec<String> {
        self.play();
        self.check(clean);
        if !self.broken.is_empty() || std::env::var("DEALERLESS_TRACE").is_ok() {
            println!("{}\n{:?}", self.trace.join("\n"), self.broken);
        }
        std::mem::take(&mut self.broken)
    }

    fn plays_well(mut self, clean: &[usize]) -> Self {
        assert_eq!(self.played(clean), Vec::<String>::new());
        self
    }

    fn ends(&self, number: usize) -> Option<End> {
        match self.log(number)?.phase() {
            Phase::Over(end) => Some(end),
            _ => None,
        }
    }
}

const CLOCK: (u32, u32) = (5, 20);

/// The ack of a cheat for the first release reaches one seat only, just in time. Its part never comes.
#[test]
fn ack_that_reaches_one_seat_late_removes_no_honest_seat() {
    for seats in [4, 5] {
        let mut world = World::new(seats, seats - 2, 1, CLOCK, 1);
        world.sides.iter_mut().for_each(|side| side.rate = 1.0);
        world.cheat_by(seats - 1, |sending| match (sending.kind, sending.signed) {
            (Kind::Open, Signed::Vote(_)) if sending.nth == 0 => {
                Some((30.3 - sending.since).max(0.0))
            }
            (Kind::Open, Signed::Ack(_)) if sending.nth == 0 => (sending.to == 2).then_some(18.7),
            (Kind::Open, _) => None,
            _ => Some(0.0),
        });
        let clean: Vec<usize> = (0..seats - 1).collect();
        world.plays_well(&clean);
    }
}

#[test]
fn restart_in_a_turn_takes_no_time_of_a_later_turn() {
    let mut world = World::new(4, 3, 1, (1, 40), 2);
    world.sides[3].thinks = vec![0.1, 0.98];
    world.watch(Kind::Choice, Some(3), 0, 2.0, Fault::Restart(3, 14.0));
    world.plays_well(&[0, 1, 2, 3]);
}

#[test]
fn choices_of_a_cheat_that_come_late_take_no_time_of_another_seat() {
    let mut world = World::new(4, 3, 2, (1, 40), 3);
    world.sides[0].thinks = vec![0.2, 0.2, 0.2, 0.98];
    world.cheat_by(3, |sending| {
        let is_late = sending.kind == Kind::Choice && sending.to == 0;
        Some(if is_late && matches!(sending.signed, Signed::Part(_)) {
            5.2
        } else {
            0.0
        })
    });
    world.plays_well(&[0, 1, 2]);
}

#[test]
fn release_goes_on_after_one_seat_was_away_and_another_has_started_again() {
    for seats in [3, 4] {
        let mut world = World::new(seats, seats - 1, 1, CLOCK, 4);
        world.watch(Kind::Open, None, 0, 0.0, Fault::Restart(0, 23.0));
        world.watch(Kind::Open, None, 0, 3.0, Fault::Restart(1, 0.5));
        world.plays_well(&[]);
    }
}

#[test]
fn three_restarts_in_a_turn_of_several_seats_leave_nobody_stuck() {
    let mut world = World::new(4, 3, 1, (3, 5), 5);
    world.sides[0].thinks = vec![0.95];
    for (after, seats) in [(2.0, &[0, 1, 3][..]), (7.5, &[0]), (13.0, &[0])] {
        for number in seats {
            world.watch(
                Kind::Choice,
                Some(0),
                0,
                after,
                Fault::Restart(*number, 0.3),
            );
        }
    }
    world.plays_well(&[2]);
}

#[test]
fn three_restarts_in_a_turn_do_not_begin_it_again() {
    let mut world = World::new(4, 3, 1, CLOCK, 6);
    world.sides[3].thinks = vec![0.97];
    for after in [6.0, 12.0, 20.0] {
        world.watch(Kind::Choice, Some(3), 0, after, Fault::Restart(3, 0.5));
    }
    world.plays_well(&[0, 1, 2, 3]);
}

/// A seat is dead and a cheat does not vote.
#[test]
fn cheat_that_does_not_vote_is_removed_or_the_match_may_be_closed() {
    for opens in [3, 2] {
        let mut world = World::new(4, opens, 1, CLOCK, 7);
        world.cheat_by(2, |sending| {
            (!matches!(sending.signed, Signed::Vote(_))).then_some(0.0)
        });
        world.watch(Kind::Open, None, 0, 0.5, Fault::Kill(3));
        let world = world.plays_well(&[0, 1]);
        let ends = [0, 1].map(|number| world.ends(number));
        let expected = (opens == 2).then_some(End::Played);
        assert_eq!(ends, [expected.clone(), expected]);
    }
}

/// A seat is away when its turn begins, and then uses the time on its screen.
#[test]
fn turn_that_begins_late_has_its_full_time() {
    let mut world = World::new(4, 3, 1, CLOCK, 8);
    // All times of the others end in the same moment.
    world.sides.iter_mut().for_each(|side| side.rate = 1.0);
    world.sides[3].thinks = vec![0.02, 0.98];
    world.watch(Kind::Choice, Some(2), 1, 0.0, Fault::Restart(3, 14.0));
    world.plays_well(&[0, 1, 2, 3]);
}

/// A random match, and the seats that must not be removed.
fn random_world(seed: u64) -> (World, Vec<usize>) {
    let mut rng = StdRng::seed_from_u64(seed ^ 0x5eed);
    let r = &mut rng;
    let seats = *[3, 3, 4, 4, 5, 6].choose(r).unwrap();
    let least = usize::from(r.random_range(0..100) >= 8);
    let more = r.random_range(least..seats - 1);
    let opens = seats - more;
    let mut count = *[0, 1, 1, 1, 2, 3].choose(r).unwrap();
    count = count.min(if r.random_range(0..10) < 7 {
        more.min(1)
    } else {
        opens - 1
    });
    let is_mesh = r.random_range(0..10) < 6;
    let hands = 1 + u32::from(r.random_range(0..5) == 0);
    let mut world = World::new(seats, opens, hands, CLOCK, seed);
    world.is_mesh = is_mesh;
    let mut pool: Vec<usize> = (usize::from(!is_mesh)..seats).collect();
    pool.shuffle(r);
    pool.truncate(count);
    let cheats = pool;
    for number in &cheats {
        use Style::{Late, Mixed, Obstruct, Silent, Some};
        let style = *[Late, Some, Silent, Mixed, Obstruct, Mixed]
            .choose(r)
            .unwrap();
        let begins = r.random_range(3.0..120.0);
        let has_window = style == Silent || r.random_range(0..10) < 3;
        let length = *[15.0, 30.0, 60.0, 5000.0].choose(r).unwrap();
        let window = if has_window {
            (begins, begins + length)
        } else {
            (0.0, 0.0)
        };
        // After a start, a seat needs the histories of M seats.
        let withholds = cheats.len() == 1 && r.random();
        world.cheat(*number, style, window).withholds = withholds;
    }
    let honest = world.honest();
    for number in &honest {
        world.sides[*number].thinks = vec![*[0.02, 0.02, 0.3, 0.97].choose(r).unwrap()];
    }
    let (mut faulty, mut brief) = (BTreeSet::new(), BTreeSet::new());
    let fails: Vec<usize> = honest
        .iter()
        .copied()
        .filter(|of| is_mesh || *of > 0)
        .collect();
    let mut may_die = more.saturating_sub(cheats.len());
    // The keys are complete after three seconds.
    for number in fails {
        let x: f64 = r.random();
        let mut faults = Vec::new();
        // After a start, a seat needs the histories of M seats on its own connections.
        let may_restart = is_mesh || opens == 2;
        if x < 0.2 && may_restart {
            brief.insert(number);
            faults.push(Fault::Restart(number, r.random_range(0.2..4.0)));
        } else if x < 0.35 && may_restart {
            faulty.insert(number);
            for _ in 0..r.random_range(1..=3) {
                faults.push(Fault::Restart(
                    number,
                    *[0.5, 5.0, 15.0, 23.0, 40.0].choose(r).unwrap(),
                ));
            }
        } else if x < 0.45 {
            faulty.insert(number);
            faults.push(Fault::Stop(
                number,
                *[5.0, 15.0, 25.0, 45.0].choose(r).unwrap(),
            ));
        } else if x < 0.6 && may_die > 0 {
            may_die -= 1;
            faulty.insert(number);
            faults.push(Fault::Kill(number));
        }
        for fault in faults {
            world.plan(r.random_range(3.0..120.0), Happening::Fault(fault));
        }
    }
    let mut cuts = BTreeSet::new();
    if 2 * opens > seats + cheats.len() && r.random() {
        for _ in 0..r.random_range(1..=3) {
            let other = r.random_range(1..seats);
            let one = if is_mesh { r.random_range(0..other) } else { 0 };
            if cuts.insert((one, other)) {
                let length = *[3.0, 12.0, 22.0, 35.0, 60.0].choose(r).unwrap();
                let fault = Fault::Cut(one, other, length);
                world.plan(r.random_range(3.0..90.0), Happening::Fault(fault));
            }
        }
    }
    let host_fails = |number: usize| {
        cheats.contains(&0)
            || faulty.contains(&0)
            || brief.contains(&0)
            || cuts.contains(&(0, number))
    };
    let is_off = |one: usize, other: usize| {
        let is_direct = is_mesh || one == 0 || other == 0;
        let fails = !is_direct || cuts.contains(&pair(one, other));
        fails && (host_fails(one) || host_fails(other) || one == 0 || other == 0)
    };
    let is_clean = |number: &usize| {
        let off = honest
            .iter()
            .filter(|of| *of != number && is_off(**of, *number));
        !faulty.contains(number) && cheats.len() + off.count() < opens
    };
    let clean = honest.iter().copied().filter(is_clean).collect();
    world.say(format_args!(
        "match {seed}: {opens} of {seats} seats, mesh {is_mesh}, cheats {:?}, clean {clean:?}",
        cheats
            .iter()
            .map(|of| {
                let cheat = world.sides[*of].cheat.as_ref().unwrap();
                (*of, cheat.style, cheat.victim, cheat.window)
            })
            .collect::<Vec<_>>(),
    ));
    (world, clean)
}

#[test]
fn random_matches_of_several_seats() {
    let first = std::env::var("DEALERLESS_SEED")
        .ok()
        .map(|seed| seed.parse().unwrap());
    let matches = soak().unwrap_or(80) as u64;
    let (mut broken, mut ends) = (Vec::new(), BTreeMap::<String, usize>::new());
    let mut longest: f64 = 0.0;
    for seed in first.unwrap_or(0)..first.unwrap_or(0) + matches {
        let (mut world, clean) = random_world(seed);
        let found = world.played(&clean);
        if !found.is_empty() {
            println!("match {seed}: {found:?}");
            broken.push((seed, found));
        }
        for number in world.honest() {
            let share = world.sides[number].longest.as_secs_f64() / world.bound().as_secs_f64();
            longest = longest.max(share);
            let end = world
                .ends(number)
                .map_or("none".into(), |end| format!("{end:?}"));
            let end = end.split([' ', '(']).next().unwrap().to_owned();
            *ends.entry(end).or_default() += 1;
        }
    }
    println!(
        "{matches} matches, {} broken; ends {ends:?}; longest step {longest:.2}",
        broken.len()
    );
    assert!(broken.is_empty(), "{broken:?}");
}
