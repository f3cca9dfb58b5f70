//! The seats of a trace: what they sign, and the logs of the honest ones.

use rand::SeedableRng;
use rand::rngs::StdRng;
use zeroize::Zeroizing;

use super::super::super::*;
use super::super::many_seats::{verifiable, verifiable_draw};
use super::super::test_match::TestMatch;
use super::traces::Trace;
use crate::play::VerifiableSeat;
use crate::rules::{Choice, Legal};
use crate::seat::Seat;
use crate::testing::choices;
use dealerless::verifiable::{Partials, Show};

/// The first byte of an encoded choice.
const MOVE: u8 = 5;

fn secret(seat: Seat) -> Zeroizing<[u8; 32]> {
    Zeroizing::new([seat.number() + 1; 32])
}

/// Whether no seat has chosen since cards were opened.
fn is_first_choice(log: &MatchLog) -> bool {
    let mut earlier = (0..log.step()).rev();
    let step = earlier.find(|step| log.steps().signers(*step).count() > 0);
    step.is_none_or(|step| {
        let seat = log.steps().signers(step).next().unwrap();
        let part = log.part(step, seat).unwrap();
        part.part[0] != MOVE
    })
}

/// A choice after which the script goes on as in the file. A cheat makes two versions of the first
/// choice of a round, and of an exchange.
fn choice(log: &MatchLog, legal: &Legal, game: &str, is_other: bool) -> Choice {
    let more = 2 * u64::from(is_other);
    let is_first = is_first_choice(log);
    match legal {
        Legal::Bet {
            raise: Some(to), ..
        } if game == "all-in" && is_first => Choice::Raise { to: to.max },
        Legal::Bet { bet: Some(to), .. } if is_first => Choice::Bet { to: to.min + more },
        Legal::Bet {
            raise: Some(to), ..
        } if is_first => Choice::Raise { to: to.min + more },
        Legal::Exchange if is_other => Choice::Exchange(vec![1]),
        _ => choices::passive(legal),
    }
}

/// The part of a seat for this log, or another valid part.
pub(super) fn part(log: &MatchLog, seat: Seat, game: &str, is_other: bool) -> Part {
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

/// A match with the log of each seat before the first step of a trace.
pub(super) struct Beginning {
    pub(super) of: TestMatch,
    pub(super) logs: Vec<MatchLog>,
}

impl Beginning {
    pub(super) fn new(trace: &Trace<'_>) -> Self {
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
        let owned = |owner| {
            let mut owned = log.clone();
            owned.set_owner(owner);
            owned
        };
        Beginning {
            logs: of.seats().map(owned).collect(),
            of,
        }
    }
}

/// An honest seat.
pub(super) struct Honest {
    pub(super) log: MatchLog,
    /// All statements that the seat has signed and received since the beginning.
    pub(super) statements: Vec<Statement>,
    /// Received statements for other histories than that of the log.
    unplaced: Vec<Statement>,
    /// Whether the seat has started again, and has not yet received everything.
    pub(super) waits: bool,
}

impl Honest {
    pub(super) fn new(log: MatchLog) -> Self {
        Honest {
            log,
            statements: Vec::new(),
            unplaced: Vec::new(),
            waits: false,
        }
    }

    pub(super) fn receive(&mut self, statement: Statement) {
        self.statements.push(statement.clone());
        self.unplaced.push(statement);
        self.place();
    }

    /// Whether the seat has this statement.
    pub(super) fn has(&self, statement: &Statement) -> bool {
        self.statements.contains(statement)
    }

    /// Adds all statements that fit the log, until none does.
    fn place(&mut self) {
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
    pub(super) fn restart(&mut self, log: MatchLog, keeps: impl Fn(&Statement) -> bool) {
        let statements = std::mem::take(&mut self.statements);
        *self = Honest::new(log);
        self.waits = true;
        for statement in statements.into_iter().filter(keeps) {
            self.receive(statement);
        }
    }
}

/// All pairs of these statements that convict a seat.
pub(super) fn conflicts(of: &Match, statements: &[Statement]) -> Vec<Evidence> {
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
