//! Matches whose seats can be removed: seats disappear, and the others go on.

use std::collections::{BTreeMap, BTreeSet};

use rand::RngExt;
use rand::seq::IndexedRandom;

use super::world::{World, late};
use super::{ONE, TWO};
use crate::log::tests::many_seats::threshold;
use crate::log::{End, LogMessage, MatchLog, Phase, Signed, Statement};
use crate::play::clocks::Lacks;
use crate::play::news::Command;
use crate::play::orders::Event;
use crate::record::{Compared, MatchState, Record, compare};
use crate::seat::Seat;

const THREE: Seat = Seat::new(3);

/// A match of `seats`, any `opens` of which open a card. All are connected.
fn world(seats: u8, opens: usize, hands: u32, seed: u64) -> World {
    let mut world = World::of(threshold(seats, opens, hands), seed);
    world.reconnect_all();
    world
}

/// What the match waits for when seats disappear.
#[derive(Clone, Copy, Debug)]
enum Moment {
    Shuffle,
    HoleCards,
    ItsTurn,
    AnothersTurn,
    Board,
    Show,
    Result,
    NextDeal,
}

const MOMENTS: [Moment; 8] = [
    Moment::Shuffle,
    Moment::HoleCards,
    Moment::ItsTurn,
    Moment::AnothersTurn,
    Moment::Board,
    Moment::Show,
    Moment::Result,
    Moment::NextDeal,
];

impl Moment {
    /// Whether the log is at this moment for the seat.
    fn is_now(self, log: &MatchLog, seat: Seat) -> bool {
        let phase = log.phase();
        let opens = matches!(phase, Phase::Open(_));
        let has_board = (0..20).any(|position| log.public_card(position).is_some());
        let is_over = log.game().is_some_and(|game| game.board().len() == 5);
        match self {
            Moment::Shuffle => matches!(phase, Phase::Shuffle(now) if now == seat),
            Moment::HoleCards => opens && !has_board,
            Moment::ItsTurn => matches!(phase, Phase::Choose { seat: now, .. } if now == seat),
            Moment::AnothersTurn => matches!(phase, Phase::Choose { seat: now, .. } if now != seat),
            Moment::Board => opens && has_board,
            Moment::Show => opens && is_over,
            Moment::Result => matches!(phase, Phase::Result(_)),
            Moment::NextDeal => phase == Phase::Deal && log.attempt().hand == 2,
        }
    }
}

/// Checks that all running programs have played the match to its end, without the seats that are gone,
/// and that their records agree.
fn check(world: &World, gone: &[Seat]) {
    world.check();
    let gone: BTreeSet<Seat> = gone.iter().copied().collect();
    assert_eq!(world.gone, gone);
    let records: Vec<Record> = (world.alive().into_iter())
        .map(|seat| Record::read(&world.sides[seat.index()].file.bytes(), None).unwrap())
        .collect();
    for record in &records {
        assert!(matches!(record.state(), MatchState::Over(End::Played)));
        assert!(matches!(
            compare(&records[0], record),
            Compared::Together { .. }
        ));
        let stacks = record.log.final_stacks();
        let bought: u64 = record.bought().iter().sum();
        assert_eq!(stacks.iter().sum::<u64>(), bought);
    }
}

#[test]
fn hands_go_on_without_seats_that_disappear_at_once() {
    let few = [Moment::ItsTurn, Moment::Board, Moment::NextDeal];
    for (seats, opens, victims, moments) in [
        (3, 2, vec![ONE], &few[..]),
        (4, 3, vec![Seat::HOST], &few[..]),
        (4, 2, vec![Seat::HOST, THREE], &MOMENTS[..]),
        (5, 3, vec![ONE, THREE], &few[..]),
    ] {
        for moment in moments {
            let hands = if matches!(moment, Moment::NextDeal) {
                2
            } else {
                1
            };
            let mut world = world(seats, opens, hands, 1);
            world.play_until(|log| moment.is_now(log, victims[0]));
            for victim in &victims {
                world.kill(*victim);
            }
            world.play_on(12);
            check(&world, &victims);
        }
    }
}

#[test]
fn hands_go_on_without_seats_that_disappear_one_after_the_other() {
    for (seed, (first, second)) in (0..).zip([
        (Moment::HoleCards, Moment::ItsTurn),
        (Moment::ItsTurn, Moment::Board),
        (Moment::Board, Moment::Show),
        (Moment::Shuffle, Moment::HoleCards),
    ]) {
        let mut world = world(5, 3, 1, seed);
        world.play_until(|log| first.is_now(log, TWO));
        world.kill(TWO);
        world.play_until(|log| second.is_now(log, Seat::HOST));
        world.kill(Seat::HOST);
        world.play_on(12);
        check(&world, &[TWO, Seat::HOST]);
    }
}

#[test]
fn cards_of_a_hand_do_not_depend_on_who_disappears() {
    let public = |victims: &[Seat]| {
        let mut world = world(4, 2, 1, 3);
        world.play_until(|log| Moment::AnothersTurn.is_now(log, TWO));
        for victim in victims {
            world.kill(*victim);
        }
        world.play_on(12);
        check(&world, victims);
        let bytes = world.sides[ONE.index()].file.bytes();
        Record::read(&bytes, None).unwrap().hands[0].public.clone()
    };
    let all = public(&[]);
    for victims in [&[Seat::HOST][..], &[TWO, THREE]] {
        let some = public(victims);
        assert!(some.len() >= 5);
        assert!(some.iter().all(|(position, card)| {
            let other = all.get(position);
            other.is_none_or(|other| other == card)
        }));
    }
}

/// Timeouts that run out at random, although no seat is silent, can cost seats their places. They
/// convict nobody, and the seats that stay have the same log.
#[test]
fn timeouts_at_the_wrong_time_convict_nobody() {
    for seed in 0..3 {
        let mut world = world(4 + seed as u8 % 2, 3, 1, seed);
        world.reconnects = true;
        for _ in 0..400 {
            if world.rng.random_bool(0.05) {
                let seat = *world.alive().choose(&mut world.rng).unwrap();
                let others = world.of.seats().filter(|other| *other != seat);
                world.sides[seat.index()].play.set_late(late(others));
            }
            world.step();
        }
        world.play_on(20);
        let ends = |world: &World, end: End| {
            let seats = world.of.seats();
            let is_end = |seat: &Seat| world.log(*seat).phase() == Phase::Over(end.clone());
            seats.filter(is_end).collect::<Vec<Seat>>()
        };
        let (played, removed) = (ends(&world, End::Played), ends(&world, End::Removed));
        assert_eq!(played.len() + removed.len(), world.sides.len(), "{seed}");
        assert!(played.len() >= 3);
        for seat in &played {
            assert_eq!(world.log(*seat).hash(), world.log(played[0]).hash());
            assert_eq!(world.log(*seat).gone(), removed);
        }
    }
}

#[test]
fn seats_whose_connection_is_cut_learn_from_a_third_one() {
    let mut world = world(4, 3, 2, 1);
    world.cut(ONE, TWO);
    world.play_until(|log| Moment::AnothersTurn.is_now(log, Seat::HOST));
    world.kill(Seat::HOST);
    world.play_on(200);
    check(&world, &[Seat::HOST]);
}

/// The time for the ack was out when it arrived. The time for the part begins then.
#[test]
fn seat_whose_ack_is_late_is_not_named_for_its_part() {
    let mut world = world(4, 3, 1, 1);
    world.play_until(|log| Moment::HoleCards.is_now(log, ONE));
    for other in [Seat::HOST, ONE, THREE] {
        world.cut(TWO, other);
    }
    world.play();
    let lacks = |world: &World, what| {
        let lacks = world.sides[ONE.index()].play.lacks().unwrap();
        assert_eq!(lacks.get(&TWO), Some(&what));
        assert_eq!(world.sides[ONE.index()].play.may_name(), [TWO]);
    };
    lacks(&world, Lacks::Statement);
    let late = |world: &mut World, what| {
        let others = [Seat::HOST, TWO, THREE].map(|seat| (seat, what));
        world.sides[ONE.index()].play.set_late(others.to_vec());
    };
    late(&mut world, Lacks::Statement);
    let mut log = world.log(ONE).clone();
    let before = log.hash();
    let signed = log.sign_ack(&world.sides[TWO.index()].identity, TWO);
    let signed = Signed::Ack(signed.unwrap());
    let ack = LogMessage::Statement(Statement { before, signed }).encode();
    for seat in [Seat::HOST, ONE, THREE] {
        let from = if seat == ONE { Seat::HOST } else { ONE };
        let play = &mut world.sides[seat.index()].play;
        play.receive(Event::Received(from, ack.clone())).unwrap();
    }
    world.play();
    lacks(&world, Lacks::Part);
    let has_called = |world: &World| {
        let mut statements = world.statements.values();
        statements.any(|one| matches!(one.signed, Signed::RollCall(_)))
    };
    assert!(!has_called(&world));
    late(&mut world, Lacks::Part);
    world.play();
    assert!(has_called(&world));
}

/// The host does not forward the statements of one guest to another one, and these two are not
/// connected. The guest that waits calls the roll. The third one answers and sends what is lacking.
#[test]
fn roll_call_is_answered_with_what_the_caller_lacks() {
    let mut world = world(4, 3, 1, 1);
    world.play_until(|log| Moment::HoleCards.is_now(log, ONE));
    world.cut(ONE, TWO);
    world.withheld = Some((ONE, TWO, None));
    world.play();
    let mut calls = 0;
    while !matches!(world.log(ONE).phase(), Phase::Over(_)) {
        let step = world.log(ONE).step();
        let others = world.of.seats().filter(|seat| *seat != ONE);
        world.sides[ONE.index()].play.set_late(late(others));
        world.play();
        assert!(world.log(ONE).step() > step);
        calls += 1;
    }
    assert!(calls > 0);
    check(&world, &[]);
}

/// The seat has signed its part, which nobody has received.
#[test]
fn removed_seat_learns_it_from_the_others_and_signs_nothing_more() {
    let mut world = world(4, 3, 2, 1);
    world.play_until(|log| Moment::ItsTurn.is_now(log, TWO));
    while !matches!(world.log(TWO).phase(), Phase::Choose { seat: TWO, .. }) {
        world.step();
    }
    world.advance(TWO);
    for other in [Seat::HOST, ONE, THREE] {
        world.cut(TWO, other);
    }
    world.play();
    world.tick();
    assert_eq!(world.gone, BTreeSet::from([TWO]));
    assert!(!matches!(world.log(TWO).phase(), Phase::Over(_)));
    let signed = |world: &World| {
        let signers = world.statements.keys().map(|(_, signer, ..)| *signer);
        signers.filter(|signer| *signer == TWO).count()
    };
    let before = signed(&world);
    world.reconnect(TWO, THREE);
    world.play();
    assert_eq!(world.log(TWO).phase(), Phase::Over(End::Removed));
    world.restart(TWO);
    assert_eq!(world.log(TWO).phase(), Phase::Over(End::Removed));
    world.reconnect_all();
    world.play_on(12);
    assert_eq!(signed(&world), before);
    world.kill(TWO);
    check(&world, &[TWO]);
}

#[test]
fn seat_that_starts_again_during_a_roll_call_is_removed_with_the_silent_one() {
    let mut world = world(5, 3, 2, 1);
    world.play_until(|log| Moment::ItsTurn.is_now(log, TWO));
    world.kill(TWO);
    world.play();
    world.restart(ONE);
    world.reconnect_all();
    world.play_on(12);
    assert_eq!(world.log(ONE).phase(), Phase::Over(End::Removed));
    world.kill(ONE);
    check(&world, &[ONE, TWO]);
}

/// Too few seats would be left without the seat that has started again, so the hand waits.
#[test]
fn seat_that_starts_again_holds_up_a_roll_call_that_needs_it() {
    let mut world = world(4, 3, 2, 1);
    world.play_until(|log| Moment::ItsTurn.is_now(log, TWO));
    world.kill(TWO);
    world.play();
    world.restart(ONE);
    world.reconnect_all();
    world.play_on(12);
    for seat in world.alive() {
        let log = world.log(seat);
        assert!(
            matches!(log.phase(), Phase::Choose { seat: TWO, .. }),
            "{seat}"
        );
    }
    assert!(world.gone.is_empty());
    // The players learn who is late, and can close the match.
    let lacks = |seat: Seat| world.sides[seat.index()].play.lacks().unwrap();
    assert_eq!(lacks(ONE), BTreeMap::from([(TWO, Lacks::Choice)]));
    let missing = BTreeMap::from([(ONE, Lacks::Answer), (TWO, Lacks::Choice)]);
    assert_eq!(lacks(THREE), missing);
    // They are not told that the others are asked.
    let may_name = |seat: Seat| world.sides[seat.index()].play.may_name();
    assert_eq!([ONE, THREE].map(may_name), [vec![], vec![]]);
}

#[test]
fn foul_costs_the_seat_its_place_without_a_timeout() {
    let mut world = world(4, 3, 2, 1);
    world.play_to_the_choice_of(TWO);
    world.thinks = None;
    world.send_foul(TWO, ONE);
    world.kill(TWO);
    world.play();
    check(&world, &[TWO]);
}

#[test]
fn others_play_on_after_a_seat_has_left_if_enough_remain() {
    let mut world = world(4, 3, 3, 1);
    world.play_to_the_choice_of(TWO);
    world.thinks = None;
    let leave = Command::Leave { anyhow: true };
    world.sides[TWO.index()]
        .play
        .command(leave.clone())
        .unwrap();
    world.advance(TWO);
    world.play_until(|log| log.gone() == [TWO]);
    while world
        .alive()
        .iter()
        .any(|seat| world.log(*seat).gone().is_empty())
    {
        assert!(world.step());
    }
    world.kill(TWO);
    world.play();
    check(&world, &[]);
    let parts = world.log(ONE).history(0);
    assert!(parts.into_iter().count() > 0);
}

#[test]
fn match_ends_when_too_few_seats_remain() {
    let mut world = world(3, 2, 3, 1);
    for seat in [TWO, ONE] {
        world.play_until(|log| Moment::ItsTurn.is_now(log, seat));
        while !matches!(world.log(seat).phase(), Phase::Choose { seat: now, .. } if now == seat) {
            assert!(world.step());
        }
        let leave = Command::Leave { anyhow: true };
        world.sides[seat.index()].play.command(leave).unwrap();
        world.play_until(|log| log.gone().contains(&seat));
    }
    world.play();
    for seat in [Seat::HOST, ONE] {
        assert_eq!(world.log(seat).phase(), Phase::Over(End::TooFew(vec![ONE])));
    }
}

/// Connections are lost, programs start again, some from older files, and timeouts run out. No honest
/// seat signs two different statements for one place, and the seats that stay have one log.
#[test]
fn restarts_and_restored_files_convict_nobody() {
    for seed in 0..3 {
        let mut world = world(4, 2 + seed as usize % 2, 1, seed);
        world.reconnects = true;
        let mut copies: Vec<_> = world.sides.iter().map(|side| side.file.bytes()).collect();
        for _ in 0..25 {
            for _ in 0..world.rng.random_range(0..60) {
                world.step();
            }
            let seat = Seat::new(world.rng.random_range(0..4));
            let other = seat.next(4);
            let is_over = |world: &World| matches!(world.log(seat).phase(), Phase::Over(_));
            match world.rng.random_range(0..6) {
                0 => world.cut(seat, other),
                1 => copies[seat.index()] = world.sides[seat.index()].file.bytes(),
                2 => {
                    // Otherwise nobody has received what the seat has sent last.
                    while world.step() {}
                    // The secret of a match that is over is destroyed.
                    if !is_over(&world) {
                        world.restore(seat, copies[seat.index()].clone());
                        world.reconnect_all();
                    }
                }
                3 => {
                    world.restart(seat);
                    world.reconnect_all();
                }
                4 => world.sides[seat.index()]
                    .play
                    .set_late(late([other, other.next(4)])),
                _ => world.reconnect_all(),
            }
        }
        world.reconnect_all();
        world.play_on(20);
        let mut hash = None;
        for seat in world.of.seats() {
            match world.log(seat).phase() {
                Phase::Over(End::Played) => {
                    let own = world.log(seat).hash();
                    assert_eq!(*hash.get_or_insert(own), own);
                }
                Phase::Over(End::Removed) => {}
                // A seat that has started again cannot answer, so the hand can wait.
                phase => assert!(!matches!(phase, Phase::Over(_)), "{seat}: {phase:?}"),
            }
        }
    }
}
