//! The acks of honest seats and the releases that they allow, compared with a model of the rules in
//! every state of random matches.

use std::collections::BTreeSet;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::super::*;
use super::many_seats::{Table, verifiable, verifiable_draw};
use super::settlement::any_choice;
use super::test_match::TestMatch;
use crate::seat::Seat;

/// What follows from the statements in a log about its current step.
#[derive(Debug, PartialEq, Eq)]
struct Expected {
    /// The seats that owe an ack.
    owe: Vec<Seat>,
    /// For each seat, the seats whose statements it lacks.
    lack: Vec<Vec<Seat>>,
}

/// A part of each seat that signed in a step, with the first byte of its encoding.
type Step = Vec<(Seat, u8)>;

const LEAVE: u8 = 7;

/// Whether `releases` needs a statement of `other`. The seats whose parts `other` can have seen in
/// another version are those that signed in its last step or later.
fn needs(steps: &[Step], releases: Seat, other: Seat) -> bool {
    let of_other = |step: &Step| step.iter().any(|&(seat, _)| seat == other);
    let since = steps.iter().rposition(of_other).unwrap_or(0);
    let third = |&(seat, _): &(Seat, u8)| seat != releases && seat != other;
    steps[since..].iter().flatten().any(third)
}

/// The seats that have not left before the step after `steps`. A seat that leaves may still have to
/// publish its share of the key.
fn live(steps: &[Step], publishes: Option<Seat>, seats: usize) -> Vec<Seat> {
    let left = |seat: Seat| steps.iter().any(|step| step.contains(&(seat, LEAVE)));
    let stays = |seat: &Seat| !left(*seat) || publishes == Some(*seat);
    Seat::all(seats).filter(stays).collect()
}

fn expected(log: &MatchLog) -> Expected {
    let count = log.match_info().seats();
    let mut steps: Vec<Step> = vec![Vec::new(); log.step() as usize];
    let mut spoke = BTreeSet::new();
    let statements = log.statements(0).into_iter();
    let of_log = statements.filter(|statement| !matches!(statement.signed, Signed::Ahead(_)));
    for Statement { signed, .. } in of_log {
        match (&signed, steps.get_mut(signed.step() as usize)) {
            (Signed::Part(part), Some(step)) => step.push((part.seat, part.part[0])),
            (_, Some(_)) => {}
            (_, None) => {
                spoke.insert(signed.seat());
            }
        }
    }
    let phase = log.phase();
    let publishes = match phase {
        Phase::Key(seat) => Some(seat),
        _ => None,
    };
    let live = live(&steps, publishes, count);
    let is_release = matches!(phase, Phase::Open(_) | Phase::Key(_));
    let lacks = |seat: Seat| -> Vec<Seat> {
        let lacks = |other: &&Seat| {
            **other != seat && !spoke.contains(*other) && needs(&steps, seat, **other)
        };
        live.iter().filter(lacks).copied().collect()
    };
    let lack: Vec<Vec<Seat>> = Seat::all(count)
        .map(|seat| match is_release {
            true => lacks(seat),
            false => Vec::new(),
        })
        .collect();
    let is_lacked = |seat: &Seat| (live.iter()).any(|other| lack[other.index()].contains(seat));
    Expected {
        owe: live.iter().copied().filter(is_lacked).collect(),
        lack,
    }
}

fn actual(log: &MatchLog) -> Expected {
    let seats = || Seat::all(log.match_info().seats());
    Expected {
        owe: seats().filter(|seat| log.owes_ack(*seat)).collect(),
        lack: seats().map(|seat| log.lacks(seat)).collect(),
    }
}

/// Plays a match with random choices, in which seats may leave. Returns the number of acks and the
/// kinds of parts in it.
fn play(of: TestMatch, seed: u64) -> (usize, BTreeSet<PartKind>) {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut table = Table::new(of, seed);
    let leaves = rng.random_range(0..2) == 0;
    for seat in &mut table.seats {
        seat.choose = any_choice;
    }
    let mut seen = vec![(0, 0); table.seats.len()];
    loop {
        for seat in &mut table.seats {
            seat.leaves = leaves && rng.random_range(0..8) == 0;
        }
        if !table.advance() {
            break;
        }
        for (seat, seen) in table.seats.iter().zip(&mut seen) {
            let now = (seat.log.step(), seat.log.statements(seat.log.step()).len());
            if *seen != now {
                *seen = now;
                assert_eq!(actual(&seat.log), expected(&seat.log), "step {}", now.0);
            }
        }
    }
    assert!(
        matches!(table.phase(), Phase::Over(_)),
        "the seats wait for ever"
    );
    assert!(table.seats.iter().all(|seat| seat.refused.is_none()));
    let log = &table.seats[0].log;
    let parts = log
        .history(0)
        .map(|part| Part::decode(&part.part, log.shape()));
    let kinds = parts.map(|part| part.unwrap().kind()).collect();
    let statements = log.statements(0).into_iter();
    let acks = statements.filter(|statement| matches!(statement.signed, Signed::Ack(_)));
    (acks.count(), kinds)
}

fn play_many(seeds: std::ops::Range<u64>) {
    let mut kinds = BTreeSet::new();
    for seed in seeds {
        let seats = 2 + (seed / 2 % 3) as u8;
        let of = match seed % 2 {
            0 => verifiable(seats, 2),
            _ => verifiable_draw(seats, 2),
        };
        let (acks, more) = play(of, seed);
        assert_eq!(acks > 0, seats > 2, "seed {seed}");
        kinds.extend(more);
    }
    use PartKind::*;
    for kind in [Partials, Show, Move, Leave, Key, Result] {
        assert!(kinds.contains(&kind), "no {kind}");
    }
}

#[test]
fn seats_sign_the_acks_and_wait_for_the_statements_that_the_rules_ask_for() {
    play_many(0..16);
}

#[test]
#[ignore = "takes minutes"]
fn seats_sign_the_acks_and_wait_for_the_statements_that_the_rules_ask_for_in_many_matches() {
    play_many(100..400);
}

#[test]
fn ack_with_a_changed_field_is_refused_in_its_step() {
    let mut table = Table::new(verifiable(3, 1), 1);
    let mut acks = 0;
    while table.advance() {
        table.deliver_all();
        for seat in table.of.seats() {
            let other = seat.next(3);
            if !table.seats[seat.index()].log.owes_ack(seat) {
                continue;
            }
            let statement = table.sign(seat).unwrap();
            let log = table.seats[other.index()].log.clone();
            assert_eq!(log.step(), statement.signed.step());
            let encoded = statement.encode();
            assert_eq!(encoded.len(), 106);
            for at in 0..encoded.len() {
                let mut changed = encoded.clone();
                changed[at] ^= 1;
                let Ok(changed) = Statement::decode(&changed) else {
                    assert_eq!(at, 32, "the kind of the statement");
                    continue;
                };
                let refused = log.clone().accept_statement(changed);
                let is_refused = match refused {
                    Err(Refused::Signature(_)) => true,
                    // The fields of the step and the seat.
                    Err(Refused::TooEarly { .. }) => (33..41).contains(&at),
                    Err(Refused::NoSuchSeat(_)) => at == 41,
                    _ => false,
                };
                assert!(is_refused, "byte {at}: {refused:?}");
            }
            let accepted = log.clone().accept_statement(statement.clone());
            assert_eq!(accepted, Ok(Accepted::Ack));
            table.send(&statement);
            acks += 1;
        }
    }
    assert!(acks > 6, "{acks}");
}
