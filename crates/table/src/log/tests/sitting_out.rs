//! Seats that sit out a hand, or leave at its end, in matches with a verifiable deck.

use rand::SeedableRng;
use rand::rngs::StdRng;
use zeroize::Zeroizing;

use super::super::*;
use super::many_seats::{passive, verifiable};
use super::test_match::TestMatch;
use crate::play::VerifiableSeat;
use crate::seat::Seat;

/// Whether a seat does something in the hand with this number.
type In = fn(u32, Seat) -> bool;

/// The log of a match in which some seats sit out some hands, and some leave at the ends of hands. All
/// others check or call, and show.
fn played(of: &TestMatch, sits_out: In, leaves: In) -> MatchLog {
    let mut log = of.log();
    let mut rng = StdRng::seed_from_u64(1);
    let own = |seat: Seat| {
        let secret = Zeroizing::new([seat.number() + 1; 32]);
        VerifiableSeat::new(&log, seat, secret).unwrap()
    };
    let mut own: Vec<_> = of.seats().map(own).collect();
    while let Some(&seat) = log.waits_for().first() {
        let identity = &of.identities[seat.index()];
        let hand = log.attempt().hand;
        if log.owes_ack(seat) {
            log.sign_ack(identity, seat).unwrap();
            continue;
        }
        if log.deal_waits_for().is_some() {
            let (shuffle, deck) = own[seat.index()].ahead(&log).unwrap();
            log.sign_ahead(identity, seat, shuffle, deck).unwrap();
            continue;
        }
        let part = match log.phase() {
            Phase::Deal => {
                let (out, end) = (sits_out(hand, seat), log.ahead_end());
                let input = DealInput::Verifiable { out, end };
                Part::Deal(log.deal(input, vec![false; of.match_info.seats()]))
            }
            Phase::Choose { legal, .. } => Part::Move(passive(&legal, &mut rng)),
            Phase::Result(outcome) => Part::Result {
                stacks: outcome.stacks,
                next: match leaves(hand, seat) {
                    true => AfterHand::Leave,
                    false => AfterHand::Stay,
                },
                buy: 0,
            },
            _ => own[seat.index()].part(&log).unwrap().unwrap(),
        };
        log.sign(identity, seat, &part).unwrap();
    }
    // Another log computes the same from the statements.
    let mut copy = of.log();
    for statement in log.statements(0) {
        copy.accept_statement(statement).unwrap();
    }
    assert_eq!((copy.hash(), copy.phase()), (log.hash(), log.phase()));
    assert_eq!(
        log.stacks().iter().sum::<u64>(),
        100 * of.match_info.seats() as u64
    );
    log
}

/// The kinds of the parts of a seat in the hand with this number.
fn kinds(log: &MatchLog, hand: u32, seat: Seat) -> Vec<PartKind> {
    let mut now = 0;
    let mut kinds = Vec::new();
    for part in log.history(0).filter(|part| part.seat == seat) {
        let part = Part::decode(&part.part, log.shape()).unwrap();
        if let Part::Deal(deal) = &part {
            now = deal.hand;
        }
        if now == hand {
            kinds.push(part.kind());
        }
    }
    kinds
}

fn never(_: u32, _: Seat) -> bool {
    false
}

#[test]
fn seat_that_sits_out_shuffles_and_opens_cards_and_bets_nothing_until_the_next_big_blind() {
    let of = verifiable(3, 3);
    let log = played(&of, |hand, seat| hand == 1 && seat == Seat::new(2), never);
    assert_eq!(log.phase(), Phase::Over(End::Played));
    let seat = Seat::new(2);
    assert!(kinds(&log, 1, seat).contains(&PartKind::Shuffle));
    // The big blind, which would have been its own, passes it, and comes to it in the third hand.
    for (hand, moves) in [(1, false), (2, false), (3, true)] {
        let kinds = kinds(&log, hand, seat);
        for kind in [PartKind::Partials, PartKind::Result] {
            assert!(kinds.contains(&kind), "{kind}");
        }
        assert_eq!(kinds.contains(&PartKind::Move), moves, "hand {hand}");
        let stacks = &log.deals(seat)[hand as usize - 1].stacks;
        assert_eq!(stacks[2], 100);
    }
}

#[test]
fn hand_that_only_one_seat_plays_is_not_dealt() {
    let of = verifiable(3, 2);
    let log = played(&of, |hand, seat| hand == 1 && seat != Seat::HOST, never);
    assert_eq!(log.phase(), Phase::Over(End::Played));
    for seat in of.seats() {
        let first = kinds(&log, 1, seat);
        assert_eq!(first, [PartKind::Deal, PartKind::Result]);
        assert!(kinds(&log, 2, seat).contains(&PartKind::Partials));
    }
}

#[test]
fn seats_that_leave_at_the_end_of_a_hand_end_the_match_there() {
    let of = verifiable(3, 3);
    for (leaves, left) in [
        (
            (|hand, seat| hand == 2 && seat == Seat::GUEST) as In,
            vec![Seat::GUEST],
        ),
        (
            |hand, seat| hand == 2 && seat != Seat::HOST,
            vec![Seat::GUEST, Seat::new(2)],
        ),
    ] {
        let log = played(&of, never, leaves);
        assert_eq!(log.phase(), Phase::Over(End::Left(left)));
        assert_eq!(log.deals(Seat::HOST).len(), 2);
        let published = |seat: Seat| kinds(&log, 2, seat).contains(&PartKind::Key);
        assert!(!of.seats().any(published));
    }
}
