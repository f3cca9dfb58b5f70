//! The chips after a foul in a match with a verifiable deck, in hands with known bets.

use zeroize::Zeroizing;

use super::super::*;
use super::many_seats::verifiable;
use super::test_match::TestMatch;
use crate::play::VerifiableSeat;
use crate::rules::Choice;
use crate::seat::Seat;

const A: Seat = Seat::new(0);
const B: Seat = Seat::new(1);
const C: Seat = Seat::new(2);
const D: Seat = Seat::new(3);

/// What a seat does at its turn.
#[derive(Clone, Copy)]
enum Turn {
    Bets(u64),
    Raises(u64),
    Calls,
    Checks,
    Folds,
    Shows,
    Mucks,
    Leaves,
}

/// The log of a hand in which the seats do this at their turns, before the next choice. All seats have
/// 100 chips, and the first seat has the button.
fn played(of: &TestMatch, turns: &[(Seat, Turn)]) -> MatchLog {
    let mut turns = turns.iter();
    let mut log = of.log();
    let mut own: Vec<_> = of
        .seats()
        .map(|seat| {
            let secret = Zeroizing::new([seat.number() + 1; 32]);
            VerifiableSeat::new(&log, seat, secret).unwrap()
        })
        .collect();
    loop {
        let seat = log.waits_for()[0];
        let identity = &of.identities[seat.index()];
        if log.owes_ack(seat) {
            log.sign_ack(identity, seat).unwrap();
            continue;
        }
        let part = match log.phase() {
            Phase::Deal => {
                let input = DealInput::Verifiable {
                    out: false,
                    end: [0; 32],
                };
                Part::Deal(log.deal(input, vec![false; of.match_info.seats()]))
            }
            Phase::Choose { .. } => {
                let Some((by, turn)) = turns.next() else {
                    return log;
                };
                assert_eq!(*by, seat);
                match *turn {
                    Turn::Bets(to) => Part::Move(Choice::Bet { to }),
                    Turn::Raises(to) => Part::Move(Choice::Raise { to }),
                    Turn::Calls => Part::Move(Choice::Call),
                    Turn::Checks => Part::Move(Choice::Check),
                    Turn::Folds => Part::Move(Choice::Fold),
                    Turn::Shows => Part::Move(Choice::Show),
                    Turn::Mucks => Part::Move(Choice::Muck),
                    Turn::Leaves => Part::Leave,
                }
            }
            _ => own[seat.index()].part(&log).unwrap().unwrap(),
        };
        log.sign(identity, seat, &part).unwrap();
    }
}

/// The chips after a foul of this seat.
fn after_foul(of: &TestMatch, mut log: MatchLog, seat: Seat) -> Vec<u64> {
    let Err(Refused::Foul(proof)) = log.accept(of.sign_bytes(&log, seat, vec![3])) else {
        panic!("a foul");
    };
    assert!(log.record_foul(*proof));
    assert!(matches!(log.phase(), Phase::Over(End::Foul { seat: by, .. }) if by == seat));
    log.final_stacks()
}

#[test]
fn bets_of_a_seat_with_a_foul_are_divided_among_those_that_have_not_folded() {
    let of = verifiable(3, 1);
    let first = [(A, Turn::Raises(20)), (B, Turn::Calls), (C, Turn::Calls)];
    let flop = [(B, Turn::Checks), (C, Turn::Checks)];
    let all = [&first[..], &flop, &[(A, Turn::Checks), (B, Turn::Checks)]].concat();
    assert_eq!(after_foul(&of, played(&of, &all), C), [110, 110, 80]);
    // With two seats that have not folded, the other one wins the pot.
    let folded = [&first[..], &flop, &[(A, Turn::Bets(2)), (B, Turn::Calls)]].concat();
    let folded = [&folded[..], &[(C, Turn::Folds), (B, Turn::Checks)]].concat();
    assert_eq!(after_foul(&of, played(&of, &folded), A), [78, 142, 80]);
    // The odd chip goes to the first seat left of the button.
    let odd = [
        (A, Turn::Raises(20)),
        (B, Turn::Raises(41)),
        (C, Turn::Calls),
        (A, Turn::Calls),
        (B, Turn::Checks),
    ];
    assert_eq!(after_foul(&of, played(&of, &odd), C), [120, 121, 59]);
}

#[test]
fn bets_of_a_seat_that_has_left_and_of_one_with_a_foul_are_divided() {
    let of = verifiable(4, 1);
    let turns = [
        (D, Turn::Raises(20)),
        (A, Turn::Calls),
        (B, Turn::Calls),
        (C, Turn::Calls),
        (B, Turn::Checks),
        (C, Turn::Checks),
        (D, Turn::Leaves),
        (A, Turn::Checks),
        (B, Turn::Checks),
    ];
    let log = played(&of, &turns);
    assert_eq!(after_foul(&of, log, C), [120, 120, 80, 80]);
}

#[test]
fn foul_before_the_last_shuffle_gives_all_bets_back() {
    let of = verifiable(3, 1);
    let hand = played(&of, &[]);
    let is_shuffle = |part: &&SignedPart| part.part[0] == 18;
    for shuffle in hand.history(0).filter(is_shuffle) {
        let mut log = of.log();
        for part in hand.history(0).filter(|part| part.step < shuffle.step) {
            log.accept(part.clone()).unwrap();
        }
        assert_eq!(log.phase(), Phase::Shuffle(shuffle.seat));
        for seat in of.seats() {
            assert_eq!(after_foul(&of, log.clone(), seat), [100; 3]);
        }
    }
    // Then the blinds of the seat are divided. The hole cards have not been opened yet.
    let mut log = of.log();
    let opened = hand.history(0).find(|part| part.part[0] == 19).unwrap();
    for part in hand.history(0).filter(|part| part.step < opened.step) {
        log.accept(part.clone()).unwrap();
    }
    assert_eq!(after_foul(&of, log, C), [101, 101, 98]);
}

#[test]
fn pot_is_paid_by_what_was_shown_if_all_others_have_shown_or_mucked() {
    let of = verifiable(3, 1);
    let mut turns = vec![(A, Turn::Raises(20)), (B, Turn::Calls), (C, Turn::Calls)];
    for _ in 0..2 {
        turns.extend([B, C, A].map(|seat| (seat, Turn::Checks)));
    }
    turns.extend([(B, Turn::Checks), (C, Turn::Checks), (A, Turn::Bets(20))]);
    turns.extend([(B, Turn::Calls), (C, Turn::Calls), (A, Turn::Shows)]);
    // B has neither shown nor mucked yet.
    let log = played(&of, &turns);
    assert_eq!(after_foul(&of, log, C), [120, 120, 60]);
    turns.push((B, Turn::Mucks));
    let log = played(&of, &turns);
    assert_eq!(after_foul(&of, log, C), [180, 60, 60]);
}
