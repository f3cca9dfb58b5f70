//! The logs of the honest seats along a trace.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::super::super::*;
use super::seats::{Beginning, Honest, conflicts, part};
use super::traces::{StateText, Trace, next_seat, seat_of};
use crate::seat::Seat;

/// A release that an honest seat has signed.
struct Release {
    seat: Seat,
    /// The log of the seat before it signed.
    log: MatchLog,
}

#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) events: usize,
    pub(super) acks: usize,
    pub(super) releases: usize,
    pub(super) restarts: usize,
    /// Events of seats that have convicted a cheat.
    pub(super) convictions: usize,
    /// Traces at whose ends two honest seats have different histories.
    pub(super) splits: usize,
    /// Statements that a seat has signed again after a restart.
    pub(super) again: usize,
}

/// The logs along a trace.
pub(super) struct Driver<'a> {
    pub(super) trace: &'a Trace<'a>,
    beginning: &'a Beginning,
    seats: BTreeMap<Seat, Honest>,
    /// The hash of each history of the model, by its number.
    histories: Vec<[u8; 32]>,
    statements: HashMap<String, Statement>,
    releases: Vec<Release>,
    /// How often a seat did what the rules of the log or of its program do not allow.
    pub(super) breaches: usize,
    tally: &'a mut Tally,
}

impl<'a> Driver<'a> {
    pub(super) fn new(
        trace: &'a Trace<'a>,
        beginning: &'a Beginning,
        tally: &'a mut Tally,
    ) -> Self {
        let seats = beginning.of.seats();
        let honest = seats.filter(|seat| !trace.cheats.contains(seat));
        let log = |seat: Seat| beginning.logs[seat.index()].clone();
        Driver {
            seats: honest.map(|seat| (seat, Honest::new(log(seat)))).collect(),
            histories: vec![log(Seat::HOST).hash()],
            statements: HashMap::new(),
            releases: Vec::new(),
            breaches: 0,
            trace,
            beginning,
            tally,
        }
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
        let known = self.histories.iter().position(|known| *known == hash);
        known.expect("a history of the model")
    }

    /// Like [`number`](Self::number), for a history that can be new.
    fn number_or_new(&mut self, hash: [u8; 32]) -> usize {
        if !self.histories.contains(&hash) {
            self.histories.push(hash);
        }
        self.number(hash)
    }

    fn act(&mut self, event: &str) {
        let mut chars = event.chars();
        let seat = next_seat(&mut chars);
        match chars.next().unwrap() {
            kind @ ('a' | 'p' | 'q') => self.sign(seat, kind),
            '<' => self.receive(seat, chars.as_str()),
            '!' => {
                let keeps_own = !self.trace.breaks(&["sent-first"]);
                let keeps = |one: &Statement| keeps_own || one.signed.seat() != seat;
                self.restart(seat, keeps);
            }
            '~' => {
                let step = self.statements[chars.as_str()].signed.step();
                self.restart(seat, |one: &Statement| {
                    let is_others = one.signed.step() == step && one.signed.seat() != seat;
                    one.signed.step() < step || is_others
                });
            }
            '^' => {
                let other = next_seat(&mut chars);
                let own = &self.seats[&seat];
                let mut theirs = self.seats[&other].statements.iter();
                assert!(theirs.all(|one| own.has(one)), "{event}");
            }
            kind => panic!("{kind}"),
        }
    }

    fn restart(&mut self, seat: Seat, keeps: impl Fn(&Statement) -> bool) {
        let start = self.beginning.logs[seat.index()].clone();
        self.honest(seat).restart(start, keeps);
        self.tally.restarts += 1;
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
            let (game, earlier) = (self.trace.game, log.clone());
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
                    if self.trace.breaks(&["no-acks", "no-acks-of-signers"]) =>
                {
                    self.breaches += 1;
                    log.accept_statement(signed.clone()).unwrap();
                }
                Err(error) => panic!("{error:?}"),
            }
            if earlier.is_release() {
                self.tally.releases += 1;
                self.releases.push(Release { seat, log: earlier });
            }
            signed
        };
        self.honest(seat).log = log;
        self.note(seat, name(kind, number), statement);
    }

    /// Keeps a statement that an honest seat has signed.
    fn note(&mut self, seat: Seat, name: String, statement: Statement) {
        self.honest(seat).statements.push(statement.clone());
        if let Some(known) = self.statements.insert(name, statement.clone()) {
            assert_eq!(known, statement, "signed again");
            self.tally.again += 1;
        }
    }

    fn receive(&mut self, to: Seat, name: &str) {
        if !self.statements.contains_key(name) {
            self.lie(to, name);
        }
        let statement = self.statements[name].clone();
        self.honest(to).receive(statement);
    }

    /// A cheat signs a statement for the history of the seat that receives it.
    fn lie(&mut self, to: Seat, name: &str) {
        let mut chars = name.chars();
        let (cheat, kind) = (next_seat(&mut chars), chars.next().unwrap());
        let log = self.seats[&to].log.clone();
        assert!(self.trace.cheats.contains(&cheat), "{name}");
        let (of, step, before) = (log.match_info().id(), log.step(), log.hash());
        let number = self.number(before);
        let rest = chars.as_str();
        let identity = &self.beginning.of.identities[cheat.index()];
        let signed = match kind {
            'a' => Signed::Ack(SignedAck::sign(identity, &of, step, &before, cheat)),
            kind => {
                assert_eq!(number.to_string(), rest, "{name}");
                Signed::Part(self.lie_part(&log, cheat, kind, number))
            }
        };
        let statement = Statement { before, signed };
        self.statements.insert(name.to_owned(), statement);
    }

    /// The part of a cheat for a history.
    fn lie_part(&mut self, log: &MatchLog, cheat: Seat, kind: char, number: usize) -> SignedPart {
        let part = part(log, cheat, self.trace.game, kind == 'q');
        let statement = self.signed(log, cheat, &part);
        let Signed::Part(part) = statement.signed.clone() else {
            panic!("a part");
        };
        let name = format!("{}{kind}{number}", cheat.number());
        self.statements.insert(name, statement);
        part
    }

    /// Compares the state of a seat with that of the model.
    fn compare(&mut self, seat: Seat, state: &str, text: &str) {
        if let Some(convicted) = state.strip_prefix('x') {
            let log = &self.seats[&seat].log;
            let seats: BTreeSet<Seat> = log.evidence().iter().map(Evidence::seat).collect();
            let expected: BTreeSet<Seat> = convicted.chars().map(seat_of).collect();
            assert_eq!(seats, expected, "{text}");
            self.tally.convictions += 1;
            return;
        }
        let expected = StateText::read(state);
        self.honest(seat).waits = expected.flags.contains('w');
        let honest = &self.seats[&seat];
        let (is_convicted, end) = (honest.log.is_convicted(), honest.log.step());
        assert!(!is_convicted, "{text}: {:?}", honest.log.phase());
        let hash = honest.log.hash_before(end).unwrap();
        let place = format!("{}/{}", end - self.trace.begins, self.number_or_new(hash));
        assert_eq!(place, expected.place, "{text}");
        let is_over = expected.position == self.trace.script.len();
        assert_eq!(is_over, expected.flags.starts_with('.'), "{text}");
        let log = &self.seats[&seat].log;
        if !is_over {
            self.check_script(log, expected.position, text);
        }
        if self.trace.breaks.is_none() && !self.seats[&seat].waits {
            assert_eq!(self.flags(seat, is_over), expected.flags, "{text}");
        }
    }

    /// What the seat may sign, in the words of the model.
    fn flags(&self, seat: Seat, is_over: bool) -> String {
        if is_over {
            return ".".into();
        }
        let log = &self.seats[&seat].log;
        let may_sign = !log.may_sign(seat).is_empty() && log.lacks(seat).is_empty();
        let may = [(log.owes_ack(seat), 'a'), (may_sign, 'p')];
        may.iter()
            .filter(|(may, _)| *may)
            .map(|(_, of)| *of)
            .collect()
    }

    /// Checks that the phase of the log is that of the script.
    fn check_script(&self, log: &MatchLog, at: usize, text: &str) {
        let (kind, of) = self.trace.script[at].split_at(1);
        let signers = log.state().signers();
        let is_one = |seat: &Seat| signers == [*seat] && seat.number().to_string() == of;
        let fits = match log.phase() {
            Phase::Choose { seat, .. } | Phase::Shuffle(seat) => {
                ["m", "M"].contains(&kind) && is_one(&seat) && !log.is_release()
            }
            Phase::Open(_) if kind == "o" && of.is_empty() => {
                signers.len() == log.match_info().seats()
            }
            Phase::Open(openings) if kind == "o" => {
                let hole_cards = 2 * log.match_info().seats();
                let (first, count) = match of {
                    "H" => (0, hole_cards),
                    "F" => (hole_cards, 3),
                    "T" => (hole_cards + 3, 1),
                    _ => (hole_cards + 4, 1),
                };
                let mut cards = openings.iter().flat_map(|opening| &opening.cards);
                cards.all(|(position, _)| (first..first + count).contains(position))
            }
            Phase::Open(_) => kind == "s" && is_one(&signers[0]),
            _ => false,
        };
        assert!(fits, "{text}: {:?}", log.phase());
    }

    /// Whether an honest seat has opened cards in a log that another honest seat contradicts.
    pub(super) fn has_parted(&self) -> bool {
        self.releases.iter().any(|release| {
            let contradicts = |(seat, honest): (&Seat, &Honest)| {
                let step = release.log.step().min(honest.log.step());
                let differs = honest.log.hash_before(step) != release.log.hash_before(step);
                *seat != release.seat && !honest.waits && differs
            };
            self.seats.iter().any(contradicts)
        })
    }

    /// The pairs of statements that convict a seat.
    fn evidence(&self) -> Vec<Evidence> {
        let all: Vec<Statement> = self.statements.values().cloned().collect();
        conflicts(&self.beginning.of.match_info, &all)
    }

    /// Whether statements of honest seats convict one of them.
    pub(super) fn has_convicted(&self) -> bool {
        let found = self.evidence();
        let mut seats = found.iter().map(Evidence::seat);
        seats.any(|seat| !self.trace.cheats.contains(&seat))
    }

    /// Whether the logs of two honest seats are not beginnings of one history.
    fn is_split(&self) -> bool {
        let differ = |one: &Honest, other: &Honest| {
            let step = one.log.step().min(other.log.step());
            one.log.hash_before(step) != other.log.hash_before(step)
        };
        let seats = || self.seats.values();
        seats().any(|one| seats().any(|other| differ(one, other)))
    }

    pub(super) fn play(&mut self) {
        for (at, event) in self.trace.events.iter().enumerate() {
            let (what, state) = event.split_once('=').unwrap();
            let Trace {
                seats,
                game,
                begins,
                cheats,
                ..
            } = self.trace;
            let text = format!("{seats} {game} {begins} {cheats:?}, event {at}: {event}");
            self.act(what);
            let seat = seat_of(event.chars().next().unwrap());
            self.compare(seat, state, &text);
            self.tally.events += 1;
            if self.trace.breaks.is_none() {
                assert!(!self.has_parted() && !self.has_convicted(), "{text}");
            }
        }
        self.tally.splits += usize::from(self.is_split());
    }
}
