//! Matches with a verifiable deck, in which the test plays all seats. Each seat has its own log, and
//! the test passes the statements between the logs.

use std::collections::VecDeque;

use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use zeroize::Zeroizing;

use super::super::*;
pub(crate) use super::test_match::{TestMatch, threshold, verifiable};
use super::test_match::{header, rules};
use crate::play::VerifiableSeat;
use crate::rules::{Choice, Legal, Limit, PokerKind, Stakes, Variety};
use crate::seat::Seat;
use crate::testing::choices;

/// Whether a part opens cards or publishes a share of a verifiable deck's key.
pub(crate) fn is_release(part: &SignedPart) -> bool {
    matches!(part.part.first(), Some(19..=21))
}

/// A table: the seats with their logs, and the statements on their way.
pub(crate) struct Table {
    pub(crate) of: TestMatch,
    pub(crate) seats: Vec<TestSeat>,
    /// The statements from the first seat to the second one, in order.
    pub(crate) ways: Vec<Vec<VecDeque<Statement>>>,
    pub(crate) rng: StdRng,
    /// The next choices of a board game. Without one, its seats do not choose.
    pub(crate) script: VecDeque<Choice>,
}

/// An honest seat.
pub(crate) struct TestSeat {
    pub(crate) log: MatchLog,
    pub(crate) own: VerifiableSeat,
    pub(crate) choose: fn(&Legal, &mut StdRng) -> Choice,
    /// Whether the seat leaves at its next choice.
    pub(crate) leaves: bool,
    /// The first error with which the log refused a statement.
    pub(crate) refused: Option<Refused>,
}

/// A match of five-card draw with a verifiable deck, whose cards `threshold` seats together open.
pub(crate) fn threshold_draw(seats: u8, threshold: usize, hands: u32) -> TestMatch {
    let variety = Variety::Poker(PokerKind::FiveCardDraw, rules(Limit::NoLimit));
    TestMatch::verifiable(Stakes::new(variety, seats, hands).unwrap(), threshold)
}

/// A match of five-card draw with a verifiable deck.
pub(crate) fn verifiable_draw(seats: u8, hands: u32) -> TestMatch {
    threshold_draw(seats, seats.into(), hands)
}

/// A match of hold'em that continues another one. The identities are those of the tests with these
/// numbers.
pub(crate) fn verifiable_after(past: Past, players: &[u8], hands: u32) -> TestMatch {
    let variety = Variety::Poker(PokerKind::Holdem, rules(Limit::NoLimit));
    let stakes = Stakes::new(variety, players.len() as u8, hands).unwrap();
    verifiable_with(stakes, players, players.len(), Some(past))
}

/// A match with these stakes and a verifiable deck.
pub(crate) fn verifiable_with(
    stakes: Stakes,
    players: &[u8],
    threshold: usize,
    past: Option<Past>,
) -> TestMatch {
    let mut header = header(stakes, threshold);
    header.table.as_mut().unwrap().past = past;
    TestMatch::with(header, players)
}

impl Table {
    pub(crate) fn new(of: TestMatch, seed: u64) -> Self {
        let count = of.match_info.seats();
        let seat = |seat: Seat| {
            let log = of.log_of(seat);
            let secret = Zeroizing::new([seat.number() + 1; 32]);
            TestSeat {
                own: VerifiableSeat::new(&log, seat, secret).unwrap(),
                log,
                choose: passive,
                leaves: false,
                refused: None,
            }
        };
        Table {
            seats: of.seats().map(seat).collect(),
            ways: vec![vec![VecDeque::new(); count]; count],
            of,
            rng: StdRng::seed_from_u64(seed),
            script: VecDeque::new(),
        }
    }

    /// What the seat signs now, if anything. The statement is added to the seat's log.
    pub(crate) fn sign(&mut self, seat: Seat) -> Option<Statement> {
        let identity = &self.of.identities[seat.index()];
        let TestSeat {
            log,
            own,
            choose,
            leaves,
            ..
        } = &mut self.seats[seat.index()];
        let before = log.hash();
        if let Ok((refusal, _)) = log.sign_refusal(identity) {
            return Some(refusal);
        }
        if log.owes_ack(seat) {
            let ack = log.sign_ack(identity, seat).unwrap();
            let signed = Signed::Ack(ack);
            return Some(Statement { before, signed });
        }
        let is_over = matches!(log.phase(), Phase::Over(_));
        let waits = !log.lacks(seat).is_empty() || log.deal_waits_for().is_some();
        if is_over || log.may_sign(seat).is_empty() || waits {
            return self.shuffle_ahead(seat);
        }
        let part = match log.phase() {
            Phase::Deal => {
                let none = vec![false; log.match_info().seats()];
                let input = DealInput::Verifiable {
                    out: false,
                    end: log.ahead_end(),
                };
                Part::Deal(log.deal(input, none))
            }
            Phase::Choose { .. } if *leaves => Part::Leave,
            Phase::Choose {
                legal: Legal::Goods { .. },
                ..
            } => Part::Move(self.script.pop_front()?),
            Phase::Choose { legal, .. } => Part::Move(choose(&legal, &mut self.rng)),
            Phase::Result(outcome) => Part::Result {
                stacks: outcome.stacks,
                next: AfterHand::Stay,
                buy: 0,
            },
            phase => own
                .part(log)
                .unwrap_or_else(|e| panic!("{e} {phase:?} {}", log.step()))
                .unwrap(),
        };
        let (signed, _) = log.sign(identity, seat, &part).unwrap();
        let signed = Signed::Part(signed);
        Some(Statement { before, signed })
    }

    /// The seat signs a call, if it may: the time of the seats in `late` is over.
    pub(crate) fn call(&mut self, seat: Seat, late: &[Seat]) -> Option<Statement> {
        let identity = &self.of.identities[seat.index()];
        let log = &mut self.seats[seat.index()].log;
        let missing = log.missing().into_iter();
        let over = missing.filter(|(seat, _)| late.contains(seat)).collect();
        let called = log.sign_call(identity, &over);
        called.ok().map(|(statement, _)| statement)
    }

    /// Plays without these seats, whose time is over whenever something is missing, until nothing more
    /// is possible.
    pub(crate) fn play_without(&mut self, silent: &[Seat]) {
        loop {
            while self.advance_without(silent) {}
            let mut called = false;
            for seat in self.of.seats().filter(|seat| !silent.contains(seat)) {
                if let Some(call) = self.call(seat, silent) {
                    self.send(&call);
                    called = true;
                }
            }
            if !called {
                return;
            }
        }
    }

    /// The seat's shuffle for the next hand, if it is due. It is added to the seat's log.
    pub(crate) fn shuffle_ahead(&mut self, seat: Seat) -> Option<Statement> {
        let identity = &self.of.identities[seat.index()];
        let TestSeat { log, own, .. } = &mut self.seats[seat.index()];
        let (shuffle, deck) = log.owes_ahead(seat).then(|| own.ahead(log).unwrap())?;
        let signed = log.sign_ahead(identity, seat, shuffle, deck);
        Some(signed.unwrap())
    }

    /// Sends a statement of a seat to all other seats.
    pub(crate) fn send(&mut self, statement: &Statement) {
        let from = statement.signed.seat();
        for to in self.of.seats().filter(|to| *to != from) {
            self.ways[from.index()][to.index()].push_back(statement.clone());
        }
    }

    /// Delivers the next statement on this way that the receiver's log is ready for. Returns whether
    /// there was one.
    pub(crate) fn deliver(&mut self, from: Seat, to: Seat) -> bool {
        let way = &mut self.ways[from.index()][to.index()];
        let seat = &mut self.seats[to.index()];
        let ready = |statement: &Statement| seat.log.has_reached(&statement.signed);
        let Some(statement) = way.pop_front_if(|statement| ready(statement)) else {
            return false;
        };
        if let Err(refused) = seat.log.accept_statement(statement) {
            match &refused {
                Refused::Foul(proof) => {
                    seat.log.record_foul((**proof).clone());
                }
                Refused::Fork(evidence) => {
                    seat.log.record_fork((**evidence).clone()).unwrap();
                }
                // A shuffle that the next hand cannot use.
                Refused::OtherChain(_) => return true,
                _ => {}
            }
            seat.refused.get_or_insert(refused);
        }
        true
    }

    /// Does one thing that is possible, chosen at random. Returns `false` if nothing is possible.
    pub(crate) fn advance(&mut self) -> bool {
        self.advance_without(&[])
    }

    /// Like [`advance`](Self::advance). The `silent` seats sign nothing.
    pub(crate) fn advance_without(&mut self, silent: &[Seat]) -> bool {
        let pairs = self
            .of
            .seats()
            .flat_map(|a| self.of.seats().map(move |b| (a, b)));
        let mut ways: Vec<_> = pairs.filter(|(from, to)| from != to).collect();
        let mut seats: Vec<_> = self.of.seats().collect();
        seats.retain(|seat| !silent.contains(seat));
        while !ways.is_empty() || !seats.is_empty() {
            let signs = self.rng.random_range(0..ways.len() + seats.len()) < seats.len();
            if signs {
                let seat = *seats.choose(&mut self.rng).unwrap();
                if let Some(statement) = self.sign(seat) {
                    self.send(&statement);
                    return true;
                }
                seats.retain(|other| *other != seat);
            } else {
                let way = *ways.choose(&mut self.rng).unwrap();
                if self.deliver(way.0, way.1) {
                    return true;
                }
                ways.retain(|other| *other != way);
            }
        }
        false
    }

    /// Delivers all statements that are on their way.
    pub(crate) fn deliver_all(&mut self) {
        let mut delivered = true;
        while delivered {
            delivered = false;
            for from in self.of.seats() {
                for to in self.of.seats().filter(|to| *to != from) {
                    delivered |= self.deliver(from, to);
                }
            }
        }
    }

    /// A copy of the table, with nothing on its way.
    pub(crate) fn copy(&self) -> Self {
        let mut copy = Table::new(self.of.clone(), 0);
        for (seat, from) in copy.seats.iter_mut().zip(&self.seats) {
            seat.log = from.log.clone();
        }
        copy
    }

    /// Plays until nothing more is possible.
    pub(crate) fn play(&mut self) {
        while self.advance() {}
    }

    /// Plays until the condition is true for the log of every seat, and nothing is on its way.
    pub(crate) fn play_until(&mut self, condition: impl Fn(&MatchLog) -> bool) {
        while !self.seats.iter().all(|seat| condition(&seat.log)) {
            assert!(self.advance(), "the match cannot go on");
        }
    }

    /// The phase that all logs are in.
    pub(crate) fn phase(&self) -> Phase {
        let hash = self.seats[0].log.hash();
        assert!(self.seats.iter().all(|seat| seat.log.hash() == hash));
        self.seats[0].log.phase()
    }
}

pub(crate) fn passive(legal: &Legal, _: &mut StdRng) -> Choice {
    choices::passive(legal)
}

#[test]
fn honest_seats_play_to_the_end_in_any_order_of_delivery() {
    for (seats, seed) in [(2, 1), (3, 2), (3, 3), (6, 4)] {
        let mut table = Table::new(verifiable(seats, 2), seed);
        table.play();
        assert_eq!(table.phase(), Phase::Over(End::Played), "{seats} seats");
        assert!(table.seats.iter().all(|seat| seat.refused.is_none()));
        let chips: u64 = table.seats[0].log.stacks().iter().sum();
        assert_eq!(chips, 100 * u64::from(seats));
        // The other seats compute the same log from the statements alone.
        let mut other = table.of.log();
        for statement in table.seats[0].log.statements(0) {
            other.accept_statement(statement).unwrap();
        }
        assert_eq!(other.hash(), table.seats[0].log.hash());
    }
}

#[test]
fn hand_goes_on_without_a_seat_that_leaves_and_the_match_ends_after_it() {
    for (leaver, seed) in [(0, 1), (1, 2), (2, 3)] {
        let mut table = Table::new(verifiable(3, 2), seed);
        table.seats[leaver].leaves = true;
        table.play();
        let left = vec![Seat::new(leaver as u8)];
        assert_eq!(table.phase(), Phase::Over(End::Left(left)));
        assert!(table.seats.iter().all(|seat| seat.refused.is_none()));
        let chips: u64 = table.seats[0].log.stacks().iter().sum();
        assert_eq!(chips, 300);
    }
}

#[test]
fn seat_that_leaves_publishes_its_own_share_of_the_key() {
    let mut table = Table::new(verifiable(3, 2), 1);
    let leaver = Seat::new(1);
    table.seats[1].leaves = true;
    table.play_until(|log| log.phase() == Phase::Key(leaver));
    table.deliver_all();
    while table.seats[1].log.owes_ack(leaver) || !table.seats[1].log.lacks(leaver).is_empty() {
        assert!(table.advance());
    }
    let log = table.seats[0].log.clone();
    let identity = &table.of.identities[1];
    for share in [[0; 32], [7; 32], [255; 32]] {
        let bytes = Part::Key(share).encode(log.shape(), log.size(leaver));
        let (of, step) = (table.of.match_info.id(), log.step());
        let part = SignedPart::sign(identity, of.as_bytes(), step, &log.hash(), leaver, bytes);
        let Err(Refused::Foul(proof)) = log.clone().accept(part) else {
            panic!("a wrong share");
        };
        assert_eq!((proof.part.seat, proof.foul), (leaver, PartFoul::Share));
    }
}
