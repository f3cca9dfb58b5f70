//! Fouls of a cheating seat.

use super::super::*;
use super::test_match::{TestMatch, draw, free_deck, holdem};
use crate::rules::{self, Choice};
use crate::seat::Seat;

pub(super) fn in_phase(table: &TestMatch, condition: impl Fn(&Phase) -> bool) -> MatchLog {
    let mut log = table.log();
    table.play_until(&mut log, |log| condition(&log.phase()));
    log
}

/// The foul for which the part is refused.
pub(super) fn foul(table: &TestMatch, log: &MatchLog, seat: Seat, part: &Part) -> PartFoul {
    let hash = log.hash();
    let mut log = log.clone();
    match log.accept(table.sign(&log, seat, part)) {
        Err(Refused::Foul(proof)) => {
            assert_eq!((log.hash(), proof.part.seat), (hash, seat));
            log.record_foul(*proof.clone());
            let end = End::Foul {
                seat,
                foul: proof.foul.clone(),
            };
            assert_eq!(log.phase(), Phase::Over(end));
            assert!(table.seats().all(|seat| log.may_sign(seat).is_empty()));
            proof.foul
        }
        other => panic!("{other:?}"),
    }
}

fn is_open(phase: &Phase, opener: Seat) -> bool {
    matches!(phase, Phase::Open(openings) if openings[0].opener == opener)
}

pub(super) fn is_board(phase: &Phase) -> bool {
    matches!(phase, Phase::Open(openings) if openings.len() > 1)
}

#[test]
fn early_opening_is_refused_and_names_the_seat() {
    let table = holdem(2, 1);
    let log = in_phase(&table, |phase| is_open(phase, Seat::HOST));
    // The guest has no turn before the host has opened.
    let hole = table.opening(&log, Seat::GUEST, &[0, 2]);
    assert_eq!(foul(&table, &log, Seat::GUEST, &hole), PartFoul::NotItsTurn);
    let log = in_phase(&table, |phase| matches!(phase, Phase::Choose { .. }));
    let flop = table.opening(&log, Seat::HOST, &[4, 5, 6]);
    assert_eq!(
        foul(&table, &log, Seat::HOST, &flop),
        PartFoul::Kind(PartKind::Open)
    );
}

#[test]
fn opening_of_other_cards_is_refused_and_names_the_seat() {
    let table = holdem(2, 1);
    let log = in_phase(&table, |phase| is_open(phase, Seat::HOST));
    let others: [&[usize]; 6] = [&[], &[1], &[0, 1], &[1, 3, 4], &[3, 1], &[1, 1]];
    for cards in others {
        let part = table.opening(&log, Seat::HOST, cards);
        let bytes = part.encode(log.shape(), log.size(Seat::HOST));
        let fouls = [PartFoul::OtherCards, PartFoul::Malformed];
        assert!(
            fouls.contains(&foul(&table, &log, Seat::HOST, &part)),
            "{bytes:?}"
        );
    }
    let board = in_phase(&table, is_board);
    let turn = table.opening(&board, Seat::GUEST, &[4, 5, 7]);
    assert_eq!(
        foul(&table, &board, Seat::GUEST, &turn),
        PartFoul::OtherCards
    );
}

#[test]
fn share_that_does_not_open_its_commitment_is_a_foul() {
    let table = holdem(2, 1);
    for board in [false, true] {
        let log = in_phase(&table, |phase| match board {
            true => is_board(phase),
            false => is_open(phase, Seat::GUEST),
        });
        let seat = Seat::GUEST;
        let Part::Open(honest) = table.part(PartKind::Open, &log, seat) else {
            panic!();
        };
        let (mut share, mut nonce, mut macs) = (honest.clone(), honest.clone(), honest.clone());
        share[1].share ^= 32;
        nonce[1].nonce[31] ^= 1;
        let position = usize::from(honest[1].position);
        for cards in [share, nonce] {
            let foul = foul(&table, &log, seat, &Part::Open(cards));
            assert_eq!(foul, PartFoul::Commitment(position));
        }
        let mut too_wide = honest;
        too_wide[0].share |= 64;
        assert_eq!(
            foul(&table, &log, seat, &Part::Open(too_wide)),
            PartFoul::Malformed
        );
        // The log cannot check the MACs: the receiver has to dispute a wrong digest.
        macs[0].macs[0] ^= 1;
        let (mut log, part) = (log.clone(), Part::Open(macs));
        assert!(log.accept(table.sign(&log, seat, &part)).is_ok());
    }
}

#[test]
fn share_of_an_earlier_try_or_hand_is_a_foul() {
    let table = holdem(2, 2);
    let mut log = table.log();
    let due = |log: &MatchLog| is_open(&log.phase(), Seat::HOST);
    table.play_until(&mut log, due);
    let first = table.part(PartKind::Open, &log, Seat::HOST);
    let mut again = log.clone();
    again
        .sign(&table.identities[0], Seat::HOST, &Part::Again)
        .unwrap();
    assert_eq!((again.phase(), again.attempt().attempt), (Phase::Deal, 1));
    table.play_until(&mut again, due);
    table.play_until(&mut log, |log| log.attempt().hand == 2);
    table.play_until(&mut log, due);
    for log in [again, log] {
        assert_eq!(
            foul(&table, &log, Seat::HOST, &first),
            PartFoul::Commitment(1)
        );
    }
}

#[test]
fn signed_part_of_the_previous_hand_is_not_valid_in_this_one() {
    let table = holdem(2, 2);
    let mut log = table.log();
    table.play_until(&mut log, |log| log.attempt().hand == 2);
    let old: Vec<SignedPart> = log.history(0).cloned().collect();
    while !matches!(log.phase(), Phase::Over(_)) {
        for part in &old {
            assert_eq!(log.accept(part.clone()), Ok(Accepted::Known));
            let moved = SignedPart {
                step: log.step(),
                ..part.clone()
            };
            if log
                .part(log.step(), part.seat)
                .is_none_or(|signed| signed.part != part.part)
            {
                assert_eq!(log.accept(moved), Err(Refused::Signature(part.seat)));
            }
        }
        table.sign_next(&mut log);
    }
}

#[test]
fn move_out_of_turn_is_refused_and_names_the_seat() {
    let table = holdem(2, 1);
    let mut log = table.log();
    while !matches!(log.phase(), Phase::Over(_)) {
        let pending = log.waits_for();
        for seat in table.seats().filter(|seat| !pending.contains(seat)) {
            if log.part(log.step(), seat).is_none() {
                let part = Part::Move(Choice::Fold);
                assert_eq!(foul(&table, &log, seat, &part), PartFoul::NotItsTurn);
            }
        }
        table.sign_next(&mut log);
    }
}

#[test]
fn bet_above_the_stack_or_below_the_minimum_is_refused_and_names_the_seat() {
    let table = holdem(2, 1);
    let log = in_phase(&table, |phase| matches!(phase, Phase::Choose { .. }));
    let foul_of = |choice| foul(&table, &log, Seat::HOST, &Part::Move(choice));
    let rule = |foul| PartFoul::Choice(foul);
    let (min, max) = (4, 100);
    assert_eq!(
        foul_of(Choice::Raise { to: 101 }),
        rule(rules::Foul::TooMuch { to: 101, max })
    );
    assert_eq!(
        foul_of(Choice::Raise { to: 3 }),
        rule(rules::Foul::TooLittle { to: 3, min })
    );
    assert_eq!(foul_of(Choice::Check), rule(rules::Foul::CannotCheck(1)));
    assert_eq!(foul_of(Choice::Show), rule(rules::Foul::WrongKind));
}

#[test]
fn wrong_result_is_refused_and_names_the_seat() {
    for table in [holdem(2, 1), draw(2, 1), free_deck(2)] {
        let log = in_phase(&table, |phase| matches!(phase, Phase::Result(_)));
        let Part::Result { stacks, .. } = table.honest(&log, Seat::GUEST) else {
            panic!();
        };
        for (seat, by) in [(0, 1), (1, 1), (1, u64::MAX)] {
            let mut claimed = stacks.clone();
            claimed[seat] = claimed[seat].wrapping_add(by);
            let part = Part::Result {
                stacks: claimed,
                next: AfterHand::Stay,
                buy: 0,
            };
            assert_eq!(foul(&table, &log, Seat::GUEST, &part), PartFoul::Result);
        }
    }
}

#[test]
fn deal_that_does_not_follow_from_the_log_is_a_foul() {
    let table = holdem(2, 3);
    let mut log = table.log();
    for hand in 1..=2 {
        table.play_until(&mut log, |log| log.attempt().hand == hand);
        let Part::Deal(honest) = table.honest(&log, Seat::HOST) else {
            panic!();
        };
        let changed = |change: &dyn Fn(&mut Deal)| {
            let mut deal = honest.clone();
            change(&mut deal);
            foul(&table, &log, Seat::HOST, &Part::Deal(deal))
        };
        let other_circuit = |deal: &mut Deal| {
            if let DealInput::Sealed(input) = &mut deal.deck {
                input.circuit[0] ^= 1;
            }
        };
        assert_eq!(changed(&|deal| deal.hand += 1), PartFoul::Number);
        assert_eq!(changed(&|deal| deal.attempt += 1), PartFoul::Number);
        assert_eq!(changed(&|deal| deal.stacks[0] += 1), PartFoul::Stacks);
        assert_eq!(
            changed(&|deal| deal.button = deal.button.next(2)),
            PartFoul::Button
        );
        assert_eq!(changed(&|deal| deal.stakes[0] ^= 1), PartFoul::Terms);
        assert_eq!(changed(&other_circuit), PartFoul::Terms);
        assert_eq!(changed(&|deal| deal.rebuys[1] = true), PartFoul::Rebuy);
    }
}

#[test]
fn only_the_first_seal_has_masked_values() {
    let table = holdem(2, 1);
    for seat in table.seats() {
        let log = in_phase(&table, |phase| *phase == Phase::Seal(seat));
        let Part::Seal(mut seal) = table.honest(&log, seat) else {
            panic!();
        };
        let values = Masked {
            cards: vec![0; 9],
            validity: vec![true; 2],
        };
        seal.masked = seal.masked.is_none().then_some(values);
        // The sizes differ as well, so the part can also be malformed.
        let part = Part::Seal(seal);
        let fouls = [PartFoul::Seal, PartFoul::Malformed];
        assert!(fouls.contains(&foul(&table, &log, seat, &part)));
    }
}

#[test]
fn dispute_must_name_a_step_of_this_try_that_opened_a_card_to_the_seat() {
    let table = holdem(2, 1);
    for seat in table.seats() {
        let other = seat.next(2);
        let has_opened = |log: &MatchLog| {
            let mut parts = log.history(0);
            parts.any(|part| part.seat == other && part.part[0] == 4)
        };
        let mut log = table.log();
        table.play_until(&mut log, has_opened);
        let opened = log.step() - 1;
        for step in 0..=log.step() {
            let part = Part::Dispute { step };
            if step != opened {
                let refused = foul(&table, &log, seat, &part);
                assert_eq!(refused, PartFoul::NothingToDispute(step));
                continue;
            }
            let mut log = log.clone();
            log.accept(table.sign(&log, seat, &part)).unwrap();
            let stopped = End::Stopped(vec![(seat, Stop::Dispute { step })]);
            assert_eq!(log.phase(), Phase::Over(stopped));
            assert_eq!(log.final_stacks(), [100, 100]);
        }
    }
}

#[test]
fn seat_that_folds_after_the_flop_cannot_dispute_its_hole_cards() {
    let table = holdem(2, 1);
    let mut log = in_phase(&table, is_board);
    let is_move = |log: &MatchLog| matches!(log.phase(), Phase::Choose { .. });
    let choose = |log: &mut MatchLog, seat: Seat, choice| {
        let identity = &table.identities[seat.index()];
        log.sign(identity, seat, &Part::Move(choice)).unwrap()
    };
    table.play_until(&mut log, is_move);
    choose(&mut log, Seat::GUEST, Choice::Bet { to: 60 });
    choose(&mut log, Seat::HOST, Choice::Fold);
    assert!(matches!(log.phase(), Phase::Result(_)));
    let opened = |part: &&SignedPart| part.seat == Seat::GUEST && part.part[0] == 4;
    let hole = log.history(0).find(opened).unwrap().step;
    let dispute = Part::Dispute { step: hole };
    let late = foul(&table, &log, Seat::HOST, &dispute);
    assert_eq!(late, PartFoul::LateDispute(hole));
    let Err(Refused::Foul(proof)) = log.accept(table.sign(&log, Seat::HOST, &dispute)) else {
        panic!("the late dispute was accepted");
    };
    log.record_foul(*proof);
    assert_eq!(log.final_stacks(), [98, 102]);
}

#[test]
fn opening_can_be_disputed_until_the_seat_signs_a_later_step() {
    for table in [holdem(2, 1), draw(2, 1), holdem(3, 1), free_deck(2)] {
        let mut log = table.log();
        // The last step that each seat has signed.
        let mut last_signed = vec![0; table.match_info.seats()];
        let mut disputed = 0;
        while !matches!(log.phase(), Phase::Over(_)) {
            for seat in table.seats().filter(|seat| !log.may_sign(*seat).is_empty()) {
                for step in 0..log.step() {
                    let part = Part::Dispute { step };
                    let result = log.clone().accept(table.sign(&log, seat, &part));
                    let openers = log.openers(step, seat);
                    assert!(!openers.contains(&seat));
                    let may = step >= last_signed[seat.index()] && !openers.is_empty();
                    assert_eq!(result.is_ok(), may, "{seat} {step} {result:?}");
                    assert_eq!(log.may_dispute(seat, step), may);
                    disputed += usize::from(may);
                }
            }
            let signed = table.sign_next(&mut log);
            last_signed[signed.seat.index()] = signed.step;
        }
        assert!(disputed > 2);
    }
}

#[test]
fn part_of_a_seat_without_a_turn_in_its_step_convicts_whenever_it_arrives() {
    for table in [holdem(2, 2), draw(2, 1), holdem(3, 1)] {
        let whole = table.played();
        let parts: Vec<SignedPart> = whole.history(0).cloned().collect();
        let logs = table.prefixes(&parts);
        for (at, log) in logs.iter().enumerate().step_by(3) {
            let signers = log.waits_for();
            let complete = logs
                .iter()
                .skip(at)
                .filter(|later| later.step() > log.step());
            for seat in table.seats().filter(|seat| !signers.contains(seat)) {
                if log.part(log.step(), seat).is_some() || signers.is_empty() {
                    continue;
                }
                let late = table.sign(log, seat, &Part::Leave);
                for later in complete.clone().step_by(7).chain([&whole]) {
                    let mut later = later.clone();
                    let stacks = later.stacks().to_vec();
                    let Err(Refused::Foul(proof)) = later.accept(late.clone()) else {
                        panic!("{at} {seat}");
                    };
                    assert_eq!(proof.foul, PartFoul::NotItsTurn);
                    later.record_foul(*proof);
                    let (foul, step) = (PartFoul::NotItsTurn, later.step());
                    assert_eq!(later.phase(), Phase::Over(End::Foul { seat, foul }));
                    assert_eq!(later.part(log.step(), seat), Some(&late));
                    assert!(later.part(step, seat).is_none_or(|part| *part != late));
                    assert_eq!(later.accept(late.clone()), Ok(Accepted::Known));
                    // A result that was final before stays final.
                    let over = matches!(later.state().phase, Phase::Over(_));
                    assert!(!over || later.final_stacks() == stacks);
                }
            }
        }
    }
}
