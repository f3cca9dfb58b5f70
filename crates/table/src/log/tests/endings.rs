//! The ends of hands and matches, and the cards that become public.

use super::super::*;
use super::cheats::{in_phase, is_board};
use super::test_match::{draw, free_deck, holdem};
use crate::rules::{self, Choice};
use crate::seat::Seat;

#[test]
fn leaving_forfeiting_or_fouling_in_a_sealed_hand_loses_the_pot() {
    let table = holdem(2, 1);
    let mut log = in_phase(&table, |phase| matches!(phase, Phase::Choose { .. }));
    let sign_next = |log: &mut MatchLog, part: &Part| {
        let seat = log.waits_for()[0];
        log.sign(&table.identities[seat.index()], seat, part)
            .unwrap();
    };
    sign_next(&mut log, &Part::Move(Choice::Raise { to: 30 }));
    for part in [Part::Leave, Part::Forfeit] {
        let mut log = log.clone();
        sign_next(&mut log, &part);
        assert_eq!(log.final_stacks(), [102, 98]);
    }
    let mut fouled = log.clone();
    let foul = table.sign(&log, Seat::GUEST, &Part::Move(Choice::Check));
    let Err(Refused::Foul(proof)) = fouled.accept(foul) else {
        panic!();
    };
    fouled.record_foul(*proof);
    assert_eq!(fouled.final_stacks(), [102, 98]);
    // A hand that is not fully sealed does not count.
    let mut sealing = in_phase(&table, |phase| matches!(phase, Phase::Seal(_)));
    sign_next(&mut sealing, &Part::Leave);
    assert_eq!(sealing.final_stacks(), [100, 100]);
}

#[test]
fn cost_of_leaving_is_what_a_leaving_seat_loses() {
    let (mut cost, mut free) = (0, 0);
    for table in [holdem(2, 2), draw(2, 1)] {
        let parts: Vec<_> = table.played().history(0).cloned().collect();
        for log in table.prefixes(&parts) {
            let began = match log.dealt_stacks() {
                Some(stacks) => stacks.to_vec(),
                None => log.stacks().to_vec(),
            };
            for seat in table.seats() {
                if !log.may_sign(seat).contains(&PartKind::Leave) {
                    continue;
                }
                let costs = log.lost_by_leaving(seat);
                let mut left = log.clone();
                let identity = &table.identities[seat.index()];
                left.sign(identity, seat, &Part::Leave).unwrap();
                let lost = match log.phase() {
                    // The hand is decided, and the pot belongs to its winner.
                    Phase::Result(_) => 0,
                    _ => began[seat.index()] - left.final_stacks()[seat.index()],
                };
                assert_eq!(costs, lost, "{:?}", log.phase());
                match lost > 0 {
                    true => cost += 1,
                    false => free += 1,
                }
            }
        }
    }
    assert!(cost > 20 && free > 5, "{cost} {free}");
    // The guest has a turn before the hand is sealed, because it seals last. After its own seal,
    // the host has its next turn in the sealed hand.
    let table = holdem(2, 1);
    let mut log = in_phase(&table, |phase| *phase == Phase::Seal(Seat::HOST));
    assert_eq!(log.lost_by_leaving(Seat::GUEST), 0);
    table.sign_next(&mut log);
    assert_eq!(log.phase(), Phase::Seal(Seat::GUEST));
    assert_eq!(log.lost_by_leaving(Seat::HOST), 1);
}

#[test]
fn seat_that_has_shown_its_hand_loses_nothing_by_leaving() {
    let table = holdem(2, 1);
    let to_show = |phase: &Phase| {
        matches!(
            phase,
            Phase::Choose {
                legal: rules::Legal::ShowOrMuck,
                ..
            }
        )
    };
    let mut log = in_phase(&table, to_show);
    let [first] = log.waits_for()[..] else {
        panic!("{:?}", log.phase());
    };
    let second = first.next(2);
    assert_eq!(
        [first, second].map(|seat| log.lost_by_leaving(seat)),
        [2, 2]
    );
    let show = Part::Move(Choice::Show);
    let identity = &table.identities[first.index()];
    log.sign(identity, first, &show).unwrap();
    table.sign_next(&mut log);
    assert!(to_show(&log.phase()) && log.waits_for() == [second]);
    assert_eq!(
        [first, second].map(|seat| log.lost_by_leaving(seat)),
        [0, 2]
    );
}

#[test]
fn invalid_cards_end_the_match_undecided() {
    let table = holdem(2, 1);
    let mut log = in_phase(&table, |phase| *phase == Phase::Seal(Seat::HOST));
    let Part::Seal(mut seal) = table.honest(&log, Seat::HOST) else {
        panic!();
    };
    // The first card of the flop becomes equal to the second card.
    let masked = seal.masked.as_mut().unwrap();
    let part = |log: &MatchLog, seat| match table.opening(log, seat, &[4, 5]) {
        Part::Open(cards) => cards[0].share ^ cards[1].share,
        _ => 0,
    };
    let shares = part(&log, Seat::HOST) ^ part(&log, Seat::GUEST);
    masked.cards[4] = masked.cards[5] ^ shares;
    log.sign(&table.identities[0], Seat::HOST, &Part::Seal(seal))
        .unwrap();
    table.play_until(&mut log, |log| matches!(log.phase(), Phase::Over(_)));
    let twice = |end: &End| matches!(end, End::Cards(rules::BadCards::Twice(_)));
    assert!(matches!(log.phase(), Phase::Over(end) if twice(&end)));
    assert_eq!(log.final_stacks(), [100, 100]);
}

#[test]
fn seat_without_chips_buys_in_again_if_all_agree_or_the_match_is_over() {
    let table = holdem(2, 9);
    let mut log = table.log();
    // Both seats go all-in until one has lost its chips.
    while !log.stacks().contains(&0) {
        let seat = log.waits_for()[0];
        let part = match log.phase() {
            Phase::Choose {
                legal: rules::Legal::Bet {
                    raise: Some(to), ..
                },
                ..
            } => Part::Move(Choice::Raise { to: to.max }),
            _ => table.honest(&log, seat),
        };
        log.sign(&table.identities[seat.index()], seat, &part)
            .unwrap();
    }
    let broke = log.stacks().iter().position(|&stack| stack == 0).unwrap();
    let rebuys: Vec<bool> = (0..2).map(|seat| seat == broke).collect();
    for agree in [true, false] {
        let mut log = log.clone();
        for seat in table.seats() {
            let rebuys = if agree || seat.index() == broke {
                rebuys.clone()
            } else {
                vec![false; 2]
            };
            let deal = Part::Deal(log.deal(log.sealed_input([1; 32], 4).unwrap(), rebuys));
            log.sign(&table.identities[seat.index()], seat, &deal)
                .unwrap();
        }
        match agree {
            true => {
                assert_eq!(log.phase(), Phase::Seal(Seat::HOST));
                assert_eq!(log.dealt_stacks().unwrap()[broke], 100);
                assert_eq!(log.batch(), 4);
            }
            false => assert_eq!(log.phase(), Phase::Over(End::NoChips)),
        }
    }
}

#[test]
fn only_cards_that_were_opened_to_all_are_public() {
    let table = holdem(2, 1);
    let log = in_phase(&table, |phase| matches!(phase, Phase::Result(_)));
    let public = |log: &MatchLog| {
        (0..9)
            .filter(|&card| log.public_card(card).is_some())
            .count()
    };
    // Both have shown, and the whole board is open.
    assert_eq!(public(&log), 9);
    let log = in_phase(&table, is_board);
    assert_eq!(public(&log), 0);
    assert_eq!(
        log.share(Seat::HOST, 1).is_some(),
        log.share(Seat::HOST, 0).is_none()
    );
    let mut folded = log.clone();
    table.play_until(&mut folded, |log| {
        matches!(log.phase(), Phase::Choose { .. })
    });
    let seat = folded.waits_for()[0];
    let bet = Part::Move(Choice::Bet { to: 2 });
    folded
        .sign(&table.identities[seat.index()], seat, &bet)
        .unwrap();
    let other = seat.next(2);
    folded
        .sign(
            &table.identities[other.index()],
            other,
            &Part::Move(Choice::Fold),
        )
        .unwrap();
    assert_eq!(public(&folded), 3);
    assert!(matches!(folded.phase(), Phase::Result(_)));
}

#[test]
fn try_can_be_declared_void_by_a_sealing_seat_and_by_the_host_before_the_first_opening() {
    for table in [holdem(2, 1), draw(2, 1), free_deck(2), holdem(3, 1)] {
        let (mut log, mut allowed) = (table.log(), Vec::new());
        while !matches!(log.phase(), Phase::Over(_)) {
            let again = |seat: &Seat| log.may_sign(*seat).contains(&PartKind::Again);
            allowed.extend(table.seats().filter(again));
            table.sign_next(&mut log);
        }
        let in_a_hand: Vec<Seat> = table.seats().chain([Seat::HOST]).collect();
        let hands = table.match_info.header().stakes.hands() as usize;
        assert_eq!(allowed, in_a_hand.repeat(hands));
    }
}

#[test]
fn seat_cannot_dispute_its_own_opening() {
    let table = holdem(2, 1);
    let mut log = table.log();
    let mut openings = 0;
    while !matches!(log.phase(), Phase::Result(_)) {
        let signed = table.sign_next(&mut log);
        // Both seats open the board in one step.
        let is_alone = log.step() > signed.step && log.history(signed.step).count() == 1;
        if signed.part[0] != 4 || !is_alone {
            continue;
        }
        let part = Part::Dispute { step: signed.step };
        for seat in table.seats() {
            let result = log.clone().accept(table.sign(&log, seat, &part));
            assert_eq!(result.is_ok(), seat != signed.seat, "{seat} {result:?}");
        }
        openings += 1;
    }
    // The hole cards, and the hands that were shown.
    assert_eq!(openings, 4);
}

#[test]
fn void_tries_are_counted_per_seat_until_the_hand_has_a_result() {
    let table = holdem(2, 2);
    let mut log = table.log();
    let counted = |log: &MatchLog| [Seat::HOST, Seat::GUEST].map(|seat| log.voided_by_others(seat));
    table.play_until(&mut log, |log| log.phase() == Phase::Seal(Seat::HOST));
    log.sign(&table.identities[0], Seat::HOST, &Part::Again)
        .unwrap();
    assert_eq!(counted(&log), [0, 1]);
    table.play_until(&mut log, |log| log.attempt().hand == 2);
    assert_eq!(counted(&log), [0, 0]);
}
