//! The log of several seats compared with a model of the protocol. `tests/seats.txt` has traces of the
//! model: who signs what, who receives what, and after each event the history of the seat, what it may
//! sign, and whom it convicts. The file describes its format.
//!
//! Each honest seat has a real log. The test takes the place of the programs and the connections. It
//! sends each seat again what its log could not place yet, as the programs do after a reconnection.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::str::Chars;

use rand::SeedableRng;
use rand::rngs::StdRng;
use zeroize::Zeroizing;

use super::super::*;
use super::many_seats::{verifiable, verifiable_draw};
use super::test_match::TestMatch;
use crate::play::VerifiableSeat;
use crate::rules::{Choice, Legal};
use crate::seat::Seat;
use dealerless::verifiable::{Partials, Show};

const TRACES: &str = include_str!("../../../tests/seats.txt");

struct Trace<'a> {
    /// The rule that the seats break, and what then happens.
    breaks: Option<(&'a str, &'a str)>,
    seats: u8,
    game: &'a str,
    begins: u64,
    cheats: Vec<Seat>,
    script: Vec<&'a str>,
    events: Vec<&'a str>,
}

fn traces() -> Vec<Trace<'static>> {
    let mut traces: Vec<Trace<'_>> = Vec::new();
    for line in TRACES.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split(' ').collect();
        let (breaks, rest) = match words[..] {
            ["trace", ref rest @ ..] => (None, rest),
            ["break", rule, what, ref rest @ ..] => (Some((rule, what)), rest),
            _ => {
                traces.last_mut().unwrap().events.extend(words);
                continue;
            }
        };
        let [seats, game, begins, cheats, script] = rest[..] else {
            panic!("{line}");
        };
        traces.push(Trace {
            breaks,
            seats: seats.parse().unwrap(),
            game,
            begins: begins.parse().unwrap(),
            cheats: cheats.trim_matches('-').chars().map(seat_of).collect(),
            script: script.split(',').collect(),
            events: Vec::new(),
        });
    }
    traces
}

fn seat_of(digit: char) -> Seat {
    Seat::new(digit.to_digit(10).unwrap() as u8)
}

fn next_seat(chars: &mut Chars<'_>) -> Seat {
    seat_of(chars.next().unwrap())
}

fn secret(seat: Seat) -> Zeroizing<[u8; 32]> {
    Zeroizing::new([seat.number() + 1; 32])
}

/// A choice after which the script goes on as in the file. A cheat makes two versions of the first
/// choice of a round, and of an exchange.
fn choice(log: &MatchLog, legal: &Legal, game: &str, is_other: bool) -> Choice {
    let more = 2 * u64::from(is_other);
    let last = log.step() - 1;
    let is_first = log.signers_of(last).count() > 1;
    match legal {
        Legal::Bet {
            raise: Some(to), ..
        } if game == "all-in" && is_first => Choice::Raise { to: to.max },
        Legal::Bet { bet: Some(to), .. } if is_first => Choice::Bet { to: to.min + more },
        Legal::Bet {
            raise: Some(to), ..
        } if is_first => Choice::Raise { to: to.min + more },
        Legal::Bet { call: None, .. } => Choice::Check,
        Legal::Bet { .. } => Choice::Call,
        Legal::Exchange if is_other => Choice::Exchange(vec![1]),
        Legal::Exchange => Choice::Exchange(vec![0, 2]),
        _ => Choice::Show,
    }
}

/// The part of a seat for this log, or another valid part.
fn part(log: &MatchLog, seat: Seat, game: &str, is_other: bool) -> Part {
    let mut own = VerifiableSeat::new(log, seat, secret(seat)).unwrap();
    let deck = log.deck_now(seat).unwrap();
    let mut rng = StdRng::seed_from_u64(7);
    match log.phase() {
        Phase::Deal => {
            let end = log.ahead_end();
            let input = DealInput::Verifiable { out: false, end };
            Part::Deal(log.deal(input, vec![false; log.match_info().seats()]))
        }
        Phase::Choose { legal, .. } => Part::Move(choice(log, &legal, game, is_other)),
        Phase::Shuffle(_) if is_other => {
            let context = deck.context().unwrap();
            Part::Shuffle(deck.deck().shuffle(&context, &mut rng).0)
        }
        Phase::Open(_) if is_other => {
            let key = own.secret_key(&deck).unwrap();
            let (context, decks) = (deck.context().unwrap(), deck.hand().unwrap());
            match deck.opens().unwrap() {
                Opens::Slots(slots) => {
                    let made = Partials::make(&context, decks, &slots, &key, &mut rng);
                    Part::Partials(made.unwrap().0)
                }
                Opens::Shown(to, shown) => {
                    let made = Show::make(&context, decks, to, &shown, &key, &mut rng);
                    Part::Show(made.unwrap())
                }
            }
        }
        _ => own.part(log).unwrap().unwrap(),
    }
}

/// A match with the log before the first step of a trace.
struct Beginning {
    of: TestMatch,
    log: MatchLog,
}

impl Beginning {
    fn new(trace: &Trace<'_>) -> Self {
        let of = match trace.game {
            "draw" => verifiable_draw(trace.seats, 1),
            _ => verifiable(trace.seats, 1),
        };
        let mut log = of.log();
        while log.step() <= trace.begins {
            for seat in of.seats() {
                let identity = &of.identities[seat.index()];
                if log.owes_ack(seat) {
                    log.sign_ack(identity, seat).unwrap();
                }
            }
            let seat = log.waits_for()[0];
            let part = part(&log, seat, trace.game, false);
            log.sign(&of.identities[seat.index()], seat, &part).unwrap();
        }
        assert_eq!(log.signers_of(trace.begins).count(), of.match_info.seats());
        Beginning { of, log }
    }
}

/// An honest seat.
struct Honest {
    log: MatchLog,
    /// All statements that the seat has signed and received since the beginning.
    statements: Vec<Statement>,
    /// Received statements for other histories than that of the log.
    unplaced: Vec<Statement>,
    waits: bool,
}

impl Honest {
    fn new(log: MatchLog) -> Self {
        Honest {
            log,
            statements: Vec::new(),
            unplaced: Vec::new(),
            waits: false,
        }
    }

    fn receive(&mut self, statement: Statement) {
        self.statements.push(statement.clone());
        self.unplaced.push(statement);
        loop {
            let count = self.unplaced.len();
            for statement in std::mem::take(&mut self.unplaced) {
                match self.log.accept_statement(statement.clone()) {
                    Ok(_) | Err(Refused::Over) => {}
                    Err(Refused::Fork(evidence)) => {
                        self.log.record_fork(*evidence).unwrap();
                    }
                    Err(Refused::OtherHistory { .. } | Refused::TooEarly { .. }) => {
                        self.unplaced.push(statement);
                    }
                    Err(refused) => panic!("{refused:?}"),
                }
            }
            if self.unplaced.len() == count {
                return;
            }
        }
    }

    /// Starts again with a file that has only some of the statements.
    fn restart(&mut self, log: MatchLog, keeps: impl Fn(&Statement) -> bool) {
        let statements = std::mem::take(&mut self.statements);
        *self = Honest::new(log);
        self.waits = true;
        for statement in statements.into_iter().filter(keeps) {
            self.receive(statement);
        }
    }
}

/// All pairs of these statements that convict a seat.
fn conflicts(of: &Match, statements: &[Statement]) -> Vec<Evidence> {
    let pairs = statements
        .iter()
        .enumerate()
        .flat_map(|(at, one)| statements[at + 1..].iter().map(move |other| (one, other)));
    let same_place = |(one, other): &(&Statement, &Statement)| {
        let place = |one: &Statement| (one.signed.seat(), one.signed.step());
        place(one) == place(other) && one != other
    };
    let evidence = |(one, other): (&Statement, &Statement)| Evidence {
        match_id: of.id(),
        statements: [one.clone(), other.clone()],
    };
    let evidence = pairs.filter(same_place).map(evidence);
    evidence.filter(|evidence| evidence.holds(of)).collect()
}

/// A release that an honest seat has signed.
struct Release {
    seat: Seat,
    step: u64,
    before: [u8; 32],
}

#[derive(Debug, Default)]
struct Tally {
    events: usize,
    acks: usize,
    releases: usize,
    restarts: usize,
    /// Events of seats that have convicted a cheat.
    convictions: usize,
    /// Traces at whose ends two honest seats have different histories.
    splits: usize,
    /// Statements that a seat has signed again after a restart.
    again: usize,
}

/// The logs along a trace.
struct Driver<'a> {
    trace: &'a Trace<'a>,
    beginning: &'a Beginning,
    seats: BTreeMap<Seat, Honest>,
    /// The hash of each history of the model, by its number.
    histories: BTreeMap<usize, [u8; 32]>,
    statements: HashMap<String, Statement>,
    releases: Vec<Release>,
    /// How often a seat did what the rules of the log or of its program do not allow.
    breaches: usize,
    tally: &'a mut Tally,
}

impl<'a> Driver<'a> {
    fn new(trace: &'a Trace<'a>, beginning: &'a Beginning, tally: &'a mut Tally) -> Self {
        let seats = beginning.of.seats();
        let honest = seats.filter(|seat| !trace.cheats.contains(seat));
        Driver {
            seats: honest
                .map(|seat| (seat, Honest::new(beginning.log.clone())))
                .collect(),
            histories: BTreeMap::from([(0, beginning.log.hash())]),
            statements: HashMap::new(),
            releases: Vec::new(),
            breaches: 0,
            trace,
            beginning,
            tally,
        }
    }

    fn breaks(&self, rules: &[&str]) -> bool {
        self.trace
            .breaks
            .is_some_and(|(rule, _)| rules.contains(&rule))
    }

    fn honest(&mut self, seat: Seat) -> &mut Honest {
        self.seats.get_mut(&seat).unwrap()
    }

    /// Signs a part for a log, whether or not the log allows it.
    fn signed(&self, log: &MatchLog, seat: Seat, part: &Part) -> Statement {
        let signed = Signed::Part(self.beginning.of.sign(log, seat, part));
        let before = log.hash();
        Statement { before, signed }
    }

    /// The number of this history.
    fn number(&self, hash: [u8; 32]) -> usize {
        let mut known = self.histories.iter();
        let known = known.find(|(_, known)| **known == hash);
        *known.expect("a history of the model").0
    }

    fn act(&mut self, event: &str) {
        let mut chars = event.chars();
        let seat = next_seat(&mut chars);
        match chars.next().unwrap() {
            kind @ ('a' | 'p' | 'q') => self.sign(seat, kind),
            '<' => self.receive(seat, chars.as_str()),
            '!' => {
                let start = self.beginning.log.clone();
                let keeps_own = !self.breaks(&["sent-first"]);
                let keeps = |one: &Statement| keeps_own || one.signed.seat() != seat;
                self.honest(seat).restart(start, keeps);
                self.tally.restarts += 1;
            }
            '~' => {
                let step = self.statements[chars.as_str()].signed.step();
                let start = self.beginning.log.clone();
                let keeps = |one: &Statement| {
                    let is_others = one.signed.step() == step && one.signed.seat() != seat;
                    one.signed.step() < step || is_others
                };
                self.honest(seat).restart(start, keeps);
                self.tally.restarts += 1;
            }
            '^' => {
                let other = next_seat(&mut chars);
                let theirs = self.seats[&other].statements.clone();
                let own = &self.seats[&seat].statements;
                assert!(theirs.iter().all(|one| own.contains(one)), "{event}");
            }
            kind => panic!("{kind}"),
        }
    }

    fn sign(&mut self, seat: Seat, kind: char) {
        let identity = &self.beginning.of.identities[seat.index()];
        let mut log = self.seats[&seat].log.clone();
        let before = log.hash();
        let name = |kind: char, number: usize| format!("{}{kind}{number}", seat.number());
        let number = self.number(before);
        let statement = if kind == 'a' {
            self.tally.acks += 1;
            let signed = Signed::Ack(log.sign_ack(identity, seat).unwrap());
            Statement { before, signed }
        } else {
            let (game, is_release) = (self.trace.game, log.is_release());
            let own = part(&log, seat, game, kind == 'q');
            if kind == 'q' {
                // The program would make the same part as before.
                let same = self.signed(&log, seat, &part(&log, seat, game, false));
                assert_eq!(self.statements[&name('p', number)], same);
                self.breaches += 1;
            }
            let signed = self.signed(&log, seat, &own);
            match log.sign(identity, seat, &own) {
                Ok(_) => {}
                Err(CannotSign::Unconfirmed(_))
                    if self.breaks(&["no-acks", "no-acks-of-signers"]) =>
                {
                    self.breaches += 1;
                    log.accept_statement(signed.clone()).unwrap();
                }
                Err(error) => panic!("{error:?}"),
            }
            if is_release {
                self.tally.releases += 1;
                let step = signed.signed.step();
                self.releases.push(Release { seat, step, before });
            }
            signed
        };
        let honest = self.honest(seat);
        honest.log = log;
        honest.statements.push(statement.clone());
        if let Some(known) = self
            .statements
            .insert(name(kind, number), statement.clone())
        {
            assert_eq!(known, statement, "signed again");
            self.tally.again += 1;
        }
    }

    fn receive(&mut self, to: Seat, name: &str) {
        let statement = match self.statements.get(name) {
            Some(statement) => statement.clone(),
            None => {
                let statement = self.lie(to, name);
                self.statements.insert(name.to_owned(), statement.clone());
                statement
            }
        };
        self.honest(to).receive(statement);
    }

    /// What a cheat signs for the history of the seat that receives it.
    fn lie(&self, to: Seat, name: &str) -> Statement {
        let mut chars = name.chars();
        let (cheat, kind) = (next_seat(&mut chars), chars.next().unwrap());
        let log = &self.seats[&to].log;
        assert!(self.trace.cheats.contains(&cheat), "{name}");
        assert_eq!(self.number(log.hash()).to_string(), chars.as_str());
        if kind == 'a' {
            let (of, step, before) = (log.match_info().id(), log.step(), log.hash());
            let identity = &self.beginning.of.identities[cheat.index()];
            let signed = Signed::Ack(SignedAck::sign(identity, &of, step, &before, cheat));
            return Statement { before, signed };
        }
        let part = part(log, cheat, self.trace.game, kind == 'q');
        self.signed(log, cheat, &part)
    }

    /// Compares the state of a seat with that of the model.
    fn compare(&mut self, seat: Seat, state: &str, text: &str) {
        let is_broken = self.trace.breaks.is_some();
        if let Some(convicted) = state.strip_prefix('x') {
            let log = &self.seats[&seat].log;
            let seats: BTreeSet<Seat> = log.evidence().iter().map(Evidence::seat).collect();
            let expected: BTreeSet<Seat> = convicted.chars().map(seat_of).collect();
            assert_eq!(seats, expected, "{text}");
            self.tally.convictions += 1;
            return;
        }
        let place = state.trim_end_matches(|c: char| !c.is_ascii_digit());
        let flags = &state[place.len()..];
        let (step, number) = place.split_once('/').unwrap();
        let (step, number): (u64, usize) = (step.parse().unwrap(), number.parse().unwrap());
        self.honest(seat).waits = flags.contains('w');
        let honest = &self.seats[&seat];
        let log = &honest.log;
        assert!(!log.is_convicted(), "{text}: {:?}", log.phase());
        assert_eq!(log.step(), self.trace.begins + step, "{text}");
        let hash = *self.histories.entry(number).or_insert(log.hash());
        assert_eq!(hash, log.hash(), "{text}");
        assert_eq!(self.number(hash), number, "{text}");
        let is_over = flags.contains('.');
        assert_eq!(is_over, step as usize > self.trace.script.len(), "{text}");
        if is_over {
            return;
        }
        self.check_script(log, step as usize - 1, text);
        if honest.waits || is_broken {
            return;
        }
        let may_sign = !log.may_sign(seat).is_empty() && log.lacks(seat).is_empty();
        let may = [(log.owes_ack(seat), 'a'), (may_sign, 'p')];
        let may: String = (may.iter().filter(|(may, _)| *may).map(|(_, of)| *of)).collect();
        assert_eq!(may, flags, "{text}");
    }

    /// Checks that the phase of the log is that of the script.
    fn check_script(&self, log: &MatchLog, at: usize, text: &str) {
        let (kind, of) = self.trace.script[at].split_at(1);
        let signers = log.state.signers();
        let is_one = |seat: &Seat| signers == [*seat] && seat.number().to_string() == of;
        let fits = match log.phase() {
            Phase::Choose { seat, .. } | Phase::Shuffle(seat) => {
                ["m", "M"].contains(&kind) && is_one(&seat) && !log.is_release()
            }
            Phase::Open(_) if kind == "o" => signers.len() == log.match_info().seats(),
            Phase::Open(_) => kind == "s" && is_one(&signers[0]),
            _ => false,
        };
        assert!(fits, "{text}: {:?}", log.phase());
    }

    /// Whether an honest seat has opened cards in a log that another honest seat contradicts.
    fn has_parted(&self) -> bool {
        self.releases.iter().any(|release| {
            let contradicts = |(seat, honest): (&Seat, &Honest)| {
                let log = &honest.log;
                let step = release.step.min(log.step());
                let own = &self.seats[&release.seat].log;
                let theirs = match step == release.step {
                    true => Some(release.before),
                    false => own.hash_before(step),
                };
                *seat != release.seat && !honest.waits && log.hash_before(step) != theirs
            };
            self.seats.iter().any(contradicts)
        })
    }

    /// Whether statements of honest seats convict one of them.
    fn has_convicted(&self) -> bool {
        let all: Vec<Statement> = self.statements.values().cloned().collect();
        let found = conflicts(&self.beginning.of.match_info, &all);
        let mut seats = found.iter().map(Evidence::seat);
        seats.any(|seat| !self.trace.cheats.contains(&seat))
    }

    /// Whether the logs of two honest seats are not beginnings of one history.
    fn is_split(&self) -> bool {
        let logs: Vec<_> = self.seats.values().map(|honest| &honest.log).collect();
        let differ = |one: &MatchLog, other: &MatchLog| {
            let step = one.step().min(other.step());
            one.hash_before(step) != other.hash_before(step)
        };
        logs.iter()
            .any(|one| logs.iter().any(|other| differ(one, other)))
    }

    fn play(&mut self) {
        for (at, event) in self.trace.events.iter().enumerate() {
            let (what, state) = event.split_once('=').unwrap();
            self.act(what);
            let seat = seat_of(event.chars().next().unwrap());
            let Trace {
                seats,
                game,
                begins,
                cheats,
                ..
            } = self.trace;
            let text = format!("{seats} {game} {begins} {cheats:?}, event {at}: {event}");
            self.compare(seat, state, &text);
            self.tally.events += 1;
            if self.trace.breaks.is_none() {
                assert!(!self.has_parted() && !self.has_convicted(), "{text}");
            }
        }
        self.tally.splits += usize::from(self.is_split());
    }
}

/// Plays traces, each with its beginning. `check` gets the driver after the last event.
fn play(traces: &[Trace<'_>], mut check: impl FnMut(&Driver<'_>)) -> Tally {
    let mut tally = Tally::default();
    let mut beginnings: HashMap<(u8, &str, u64), Beginning> = HashMap::new();
    for trace in traces {
        let key = (trace.seats, trace.game, trace.begins);
        let beginning = (beginnings.entry(key)).or_insert_with(|| Beginning::new(trace));
        let mut driver = Driver::new(trace, beginning, &mut tally);
        driver.play();
        check(&driver);
    }
    tally
}

#[test]
fn log_of_several_seats_does_what_the_model_does() {
    let mut traces = traces();
    traces.retain(|trace| trace.breaks.is_none());
    let tally = play(&traces, |driver| assert_eq!(driver.breaches, 0));
    println!("{} traces, {tally:?}", traces.len());
    let counts = [
        tally.acks,
        tally.releases,
        tally.restarts,
        tally.convictions,
    ];
    assert!(counts.iter().all(|count| *count > 150) && tally.again > 50);
    assert!(tally.splits > 8);
}

#[test]
fn without_a_rule_the_breaks_of_the_model_come_back() {
    let mut traces = traces();
    traces.retain(|trace| trace.breaks.is_some());
    play(&traces, |driver| {
        let (rule, what) = driver.trace.breaks.unwrap();
        assert!(driver.breaches > 0, "{rule}");
        let happens = match what {
            "AGREE" => driver.has_parted(),
            _ => driver.has_convicted(),
        };
        assert!(happens, "{rule}: {what}");
    });
    let rules: BTreeSet<_> = traces.iter().map(|trace| trace.breaks.unwrap().0).collect();
    assert_eq!(rules.len(), 5);
}
