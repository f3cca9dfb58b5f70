//! Matches of several seats, whose messages the test passes by hand. Connections are lost, and
//! programs start anew from their files.

mod before_the_next_match;
mod disappearing;
mod first_opening;
mod starting_again;
pub(super) mod world;

use std::collections::BTreeSet;
use std::sync::Arc;

use dealerless_connection::storage::Vault;
use rand::RngExt;
use rand::seq::IndexedRandom;
use zeroize::Zeroizing;

use self::world::{Place, Way, World, place};
use super::error::PlayError;
use super::orders::Event;
use super::verifiable_seat::VerifiableSeat;
use crate::log::{
    DealInput, End, LogMessage, MatchLog, Part, Phase, Refused, Signed, SignedAck, Statement,
};
use crate::rules::Choice;
use crate::seat::Seat;

const ONE: Seat = Seat::new(1);
const TWO: Seat = Seat::new(2);

#[test]
fn host_forwards_each_statement_once_to_each_seat_that_has_not_signed_it() {
    for (seats, seed) in [(2, 1), (3, 2), (4, 3)] {
        let mut world = World::new(seats, 1, seed);
        world.play();
        world.check();
        let mut arrived = BTreeSet::new();
        for ((from, to), message) in &world.sent {
            let signed = match message {
                LogMessage::Statement(statement) => statement.signed.clone(),
                LogMessage::Part(part) => Signed::Part(part.clone()),
                other => panic!("{other:?}"),
            };
            let signer = signed.seat();
            assert!(signer != *to && (*from == Seat::HOST || *from == signer));
            assert!(arrived.insert((*to, place(&signed))));
        }
        let statements: BTreeSet<_> = arrived.iter().map(|(_, place)| place).collect();
        assert_eq!(arrived.len(), statements.len() * usize::from(seats - 1));
    }
}

#[test]
fn lost_connection_stops_no_other_seat_and_only_its_seat_gets_the_history_again() {
    let mut world = World::new(3, 2, 1);
    world.play_to_the_choice_of(Seat::HOST);
    let step = world.log(Seat::HOST).step();
    world.cut(Seat::HOST, ONE);
    world.thinks = None;
    world.play();
    assert!(world.log(TWO).part(step, Seat::HOST).is_some());
    assert_eq!(world.log(ONE).step(), step);
    let before = world.sent.len();
    world.reconnect(Seat::HOST, ONE);
    world.play();
    let resumed = |(way, message): &(Way, LogMessage)| {
        matches!(message, LogMessage::Resume(_)).then_some(*way)
    };
    let resumed: BTreeSet<Way> = world.sent[before..].iter().filter_map(resumed).collect();
    assert_eq!(
        resumed,
        BTreeSet::from([(Seat::HOST, ONE), (ONE, Seat::HOST)])
    );
    world.check();
}

#[test]
fn host_signs_nothing_after_its_start_before_all_guests_have_sent_their_histories() {
    let mut world = World::new(3, 2, 1);
    world.play_to_the_choice_of(Seat::HOST);
    world.thinks = None;
    let signed = |world: &World| {
        let signers = world.statements.keys().map(|(_, signer, ..)| *signer);
        signers.filter(|signer| *signer == Seat::HOST).count()
    };
    let before = signed(&world);
    world.restart(Seat::HOST);
    for guest in [ONE, TWO] {
        assert!(!world.sides[0].play.is_synced() && signed(&world) == before);
        world.reconnect(Seat::HOST, guest);
        world.play();
    }
    assert!(signed(&world) > before);
    world.check();
}

#[test]
fn evidence_reaches_all_seats_also_after_a_lost_connection() {
    let mut world = World::new(4, 1, 1);
    world.play_to_the_choice_of(ONE);
    world.thinks = None;
    let mut other = world.log(ONE).clone();
    let before = other.hash();
    let identity = Arc::clone(&world.of.identities[1]);
    let fold = other
        .sign(&identity, ONE, &Part::Move(Choice::Fold))
        .unwrap()
        .0;
    let fold = Statement {
        before,
        signed: Signed::Part(fold),
    };
    world.cut(Seat::HOST, TWO);
    world.advance(ONE);
    let way = world.ways.get_mut(&(ONE, Seat::HOST)).unwrap();
    way.push_back(LogMessage::Statement(fold).encode());
    world.play();
    let end = Phase::Over(End::Fork { seat: ONE });
    let phase = |world: &World, seat| world.log(Seat::new(seat)).phase();
    assert!([0, 1, 3].iter().all(|seat| phase(&world, *seat) == end));
    assert_ne!(phase(&world, 2), end);
    world.reconnect(Seat::HOST, TWO);
    world.play();
    assert_eq!(phase(&world, 2), end);
    world.restart(TWO);
    assert_eq!(phase(&world, 2), end);
}

#[test]
fn table_waits_between_two_hands_for_a_seat_that_does_not_shuffle() {
    for silent in [Seat::HOST, ONE, TWO] {
        let mut world = World::new(3, 2, 1);
        world.idles = Some(silent);
        world.play();
        for seat in world.of.seats() {
            let log = world.log(seat);
            assert_eq!((log.phase(), log.waits_for()), (Phase::Deal, vec![silent]));
            assert_eq!(log.attempt().hand, 2);
        }
        // The program is started again, and the others as well.
        for seat in world.of.seats().collect::<Vec<_>>() {
            world.restart(seat);
        }
        world.idles = None;
        for guest in world.guests() {
            world.reconnect(Seat::HOST, guest);
        }
        world.play();
        world.check();
    }
}

#[test]
fn invalid_shuffle_for_the_next_hand_reaches_all_seats_and_stops_nobody() {
    for loses_connection in [false, true] {
        let mut world = World::new(3, 3, 1);
        world.idles = Some(ONE);
        world.play_to_the_choice_of(Seat::HOST);
        let invalid = invalid_shuffle(&world, ONE).encode();
        if loses_connection {
            world.cut(Seat::HOST, TWO);
        }
        let way = world.ways.get_mut(&(ONE, Seat::HOST)).unwrap();
        way.push_back(invalid.clone());
        // The cheat knows it, too.
        let event = Event::Received(Seat::HOST, invalid);
        world.sides[1].play.receive(event).unwrap();
        world.thinks = None;
        world.play();
        if loses_connection {
            world.reconnect(Seat::HOST, TWO);
            world.play();
        }
        world.idles = None;
        world.play();
        world.check();
        let named = names_chains(world.log(Seat::HOST));
        assert!(named.ends_with(&[false, true]), "{named:?}");
    }
}

/// Plays a match in which connections are lost and programs start anew, some from older files.
fn play_with_faults(mut world: World) {
    let pairs: Vec<_> = world.ways.keys().copied().collect();
    // A copy of each seat's file.
    let mut copies: Vec<_> = world.sides.iter().map(|side| side.file.bytes()).collect();
    for _ in 0..40 {
        for _ in 0..world.rng.random_range(0..150) {
            world.step();
        }
        let seat = Seat::new(world.rng.random_range(0..world.sides.len() as u8));
        let side = &world.sides[seat.index()];
        match world.rng.random_range(0..6) {
            0 | 1 => {
                let (one, other) = *pairs.choose(&mut world.rng).unwrap();
                world.cut(one, other);
            }
            2 => world.restart(seat),
            3 => copies[seat.index()] = side.file.bytes(),
            // The secret of a match that is over is destroyed.
            4 if !matches!(side.play.log().phase(), Phase::Over(_)) => {
                world.restore(seat, copies[seat.index()].clone());
            }
            _ => {
                for (one, other) in &pairs {
                    if !world.is_connected(*one, *other) {
                        world.reconnect(*one, *other);
                    }
                }
            }
        }
    }
    for guest in world.guests() {
        world.cut(Seat::HOST, guest);
        world.reconnect(Seat::HOST, guest);
    }
    world.play();
    world.check();
}

#[test]
fn match_survives_lost_connections_restarts_and_restored_files() {
    for seed in 0..4 {
        play_with_faults(World::new(3, 2, seed));
    }
}

#[test]
fn match_with_connections_between_guests_survives_the_same() {
    for seed in 0..4 {
        play_with_faults(World::mesh(3 + seed as u8 % 2, 2, seed));
    }
}

#[test]
fn statements_arrive_once_from_the_host_and_once_from_their_seats() {
    let mut world = World::mesh(4, 1, 1);
    world.play();
    world.check();
    let mut arrived = BTreeSet::new();
    for ((from, to), message) in &world.sent {
        let LogMessage::Statement(Statement { signed, .. }) = message else {
            assert!(matches!(message, LogMessage::Resume(_)), "{message:?}");
            continue;
        };
        let signer = signed.seat();
        assert!(signer != *to && (*from == Seat::HOST || *from == signer));
        assert!(arrived.insert((*from, *to, place(signed))));
    }
    let statements: BTreeSet<_> = arrived.iter().map(|(.., place)| place).collect();
    let copies = |(_, signer, ..): &&Place| if *signer == Seat::HOST { 3 } else { 5 };
    assert_eq!(arrived.len(), statements.iter().map(copies).sum::<usize>());
}

#[test]
fn statements_arrive_in_any_order_and_more_than_once() {
    for seed in 0..4 {
        let mut world = World::mesh(4, 3, seed);
        world.play_to_the_choice_of(ONE);
        world.thinks = None;
        world.scrambles = true;
        world.play();
        world.check();
        assert!(names_chains(world.log(TWO)).ends_with(&[true, true]));
    }
}

/// Whether each deal of the third seat names the end of an ahead chain.
fn names_chains(log: &MatchLog) -> Vec<bool> {
    let ends = log.deals(TWO).into_iter().map(|deal| deal.deck);
    ends.map(|deck| matches!(deck, DealInput::Verifiable { end, .. } if end != [0; 32]))
        .collect()
}

#[test]
fn host_that_withholds_a_shuffle_for_the_next_hand_does_not_delay_connected_guests() {
    let mut world = World::mesh(4, 2, 1);
    world.withheld = Some((ONE, TWO, Some(2)));
    world.play();
    world.check();
    assert!(names_chains(world.log(TWO)).ends_with(&[true]));
    // Without the direct connection, the seat waits between the hands for this shuffle.
    let mut world = World::mesh(4, 2, 1);
    world.withheld = Some((ONE, TWO, Some(2)));
    world.cut(ONE, TWO);
    world.play();
    let log = world.log(ONE);
    assert_eq!((log.phase(), log.waits_for()), (Phase::Deal, vec![TWO]));
    assert_eq!(world.log(TWO).waits_for(), [ONE]);
    // A third seat sends what it has.
    world.sides[ONE.index()].play.request_missing();
    world.play();
    world.check();
    assert!(names_chains(world.log(TWO)).ends_with(&[true]));
}

/// A guest sends one other guest a shuffle that ends the chain there, and none to the others.
#[test]
fn shuffle_that_ends_the_chain_of_one_guest_reaches_all_once() {
    let mut world = World::mesh(4, 2, 1);
    world.idles = Some(TWO);
    world.play_to_the_choice_of(Seat::HOST);
    let invalid = invalid_shuffle(&world, TWO);
    let is_invalid = |(_, message): &&(Way, LogMessage)| *message == invalid;
    let play = &mut world.sides[ONE.index()].play;
    play.receive(Event::Received(TWO, invalid.encode()))
        .unwrap();
    world.play();
    // Each seat, and the program of the cheat itself, passes it on to the two seats from which it did
    // not come.
    assert_eq!(world.sent.iter().filter(is_invalid).count(), 8);
    world.thinks = None;
    world.play();
    world.check();
    assert_eq!(world.sent.iter().filter(is_invalid).count(), 8);
    assert!(names_chains(world.log(TWO)).ends_with(&[false]));
}

/// An invalid shuffle of a seat for the next hand. It is the turn of the seat.
fn invalid_shuffle(world: &World, seat: Seat) -> LogMessage {
    let (mut log, side) = (world.log(seat).clone(), &world.sides[seat.index()]);
    let secret = side.vault.clone().kept().unwrap().unwrap();
    let secret = Zeroizing::new(<[u8; 32]>::try_from(&secret[..]).unwrap());
    let own = VerifiableSeat::new(&log, seat, secret).unwrap();
    let (mut shuffle, deck) = own.ahead(&log).unwrap();
    shuffle[5000] ^= 1;
    let signed = log.sign_ahead(&world.of.identities[seat.index()], seat, shuffle, deck);
    LogMessage::Statement(signed.unwrap())
}

#[test]
fn host_that_withholds_statements_does_not_delay_a_guest_that_gets_them_directly() {
    let mut world = World::mesh(4, 1, 1);
    world.withheld = Some((TWO, ONE, None));
    world.play();
    world.check();
    // Without the direct connection, the hand waits.
    let mut world = World::mesh(4, 1, 1);
    world.withheld = Some((TWO, ONE, None));
    world.cut(ONE, TWO);
    world.play();
    assert!(!matches!(world.log(TWO).phase(), Phase::Over(_)));
    // A third seat sends what it has.
    while !matches!(world.log(TWO).phase(), Phase::Over(_)) {
        let step = world.log(TWO).step();
        world.sides[TWO.index()].play.request_missing();
        world.play();
        assert!(world.log(TWO).step() > step);
    }
    world.check();
}

#[test]
fn guests_play_on_without_the_host_until_its_part_is_due() {
    let mut world = World::mesh(4, 1, 1);
    // The first seat to choose.
    let three = Seat::new(3);
    world.play_to_the_choice_of(three);
    world.thinks = None;
    for guest in world.guests() {
        world.cut(Seat::HOST, guest);
    }
    world.play();
    let step = world.log(Seat::HOST).step();
    for guest in world.guests() {
        assert!(world.log(guest).step() > step);
        assert_eq!(world.log(guest).waits_for(), [Seat::HOST]);
    }
    // One guest brings the host what all guests have signed.
    let step = world.log(ONE).step();
    world.reconnect(Seat::HOST, ONE);
    world.play();
    assert!(world.log(Seat::HOST).step() > step);
    world.reconnect_all();
    world.play();
    world.check();
}

#[test]
fn statement_that_only_one_seat_has_received_reaches_all_on_request() {
    let mut world = World::mesh(4, 1, 1);
    world.play_to_the_choice_of(TWO);
    world.thinks = None;
    let (step, three) = (world.log(TWO).step(), Seat::new(3));
    for other in [Seat::HOST, three] {
        world.cut(TWO, other);
    }
    world.play();
    let knows = |world: &World| {
        let others = [Seat::HOST, ONE, three];
        others.map(|seat| world.log(seat).part(step, TWO).is_some())
    };
    assert_eq!(knows(&world), [false, true, false]);
    world.cut(TWO, ONE);
    for seat in [Seat::HOST, three] {
        world.sides[seat.index()].play.request_missing();
    }
    world.play();
    assert_eq!(knows(&world), [true; 3]);
    // Each seat answers requests once with each statement.
    world.sides[3].play.request_missing();
    world.play();
    let before = world.sent.len();
    world.sides[3].play.request_missing();
    world.play();
    let is_request =
        |(_, message): &(Way, LogMessage)| matches!(message, LogMessage::RequestFrom(_));
    assert!(world.sent[before..].iter().all(is_request));
}

/// An ack of a seat for any step and history. No honest seat has signed it.
fn false_ack(world: &World, seat: Seat, step: u64, before: [u8; 32]) -> Vec<u8> {
    let of = world.of.match_info.id();
    let (number, place) = (step.to_le_bytes(), [seat.number()]);
    let fields: [&[u8]; 4] = [of.as_bytes(), &number, &before, &place];
    let signature = world.of.identities[seat.index()].sign("ack", &fields);
    let signed = Signed::Ack(SignedAck {
        step,
        seat,
        signature,
    });
    LogMessage::Statement(Statement { before, signed }).encode()
}

/// A guest sends a foul to one other guest, and is silent after that.
#[test]
fn foul_that_only_one_guest_has_received_reaches_all() {
    let mut world = World::mesh(4, 1, 1);
    world.play_to_the_choice_of(TWO);
    world.send_foul(TWO, ONE);
    world.play();
    for seat in world.of.seats() {
        let end = world.log(seat).phase();
        assert!(
            matches!(end, Phase::Over(End::Foul { seat: TWO, .. })),
            "{seat}"
        );
    }
}

#[test]
fn flood_of_early_statements_costs_the_connection_on_which_it_comes() {
    let mut world = World::mesh(3, 1, 1);
    world.play_to_the_choice_of(ONE);
    world.thinks = None;
    let mut kept = 0;
    let refused = loop {
        let ack = false_ack(&world, TWO, 1000 + kept, [7; 32]);
        let play = &mut world.sides[ONE.index()].play;
        match play.receive(Event::Received(TWO, ack)) {
            Ok(()) => kept += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(
        refused,
        PlayError::Refused(Refused::TooEarly { .. })
    ));
    assert_eq!(kept, (1 << 16) / 106);
    world.cut(ONE, TWO);
    world.play();
    world.check();
}

#[test]
fn forged_early_statement_is_not_kept() {
    let mut world = World::mesh(3, 1, 1);
    world.play_to_the_choice_of(ONE);
    let mut ack = false_ack(&world, TWO, 1000, [7; 32]);
    *ack.last_mut().unwrap() ^= 1;
    let play = &mut world.sides[ONE.index()].play;
    let refused = play.receive(Event::Received(TWO, ack)).unwrap_err();
    assert!(matches!(
        refused,
        PlayError::Refused(Refused::Signature(TWO))
    ));
}

#[test]
fn early_statement_for_another_history_costs_the_connection_of_its_sender() {
    let mut world = World::mesh(4, 1, 1);
    world.play_to_the_choice_of(ONE);
    world.thinks = None;
    let step = world.log(ONE).step();
    let ack = false_ack(&world, TWO, step + 1, [7; 32]);
    let play = &mut world.sides[ONE.index()].play;
    play.receive(Event::Received(TWO, ack)).unwrap();
    world.advance(ONE);
    let play = &mut world.sides[ONE.index()].play;
    let (seat, error) = play.failed().unwrap();
    let is_other = matches!(
        error,
        PlayError::Refused(Refused::OtherHistory { seat: TWO, .. })
    );
    assert!(seat == TWO && is_other, "{error:?}");
    assert!(play.failed().is_none() && !play.has_heard(TWO) && play.has_heard(Seat::HOST));
    world.cut(ONE, TWO);
    world.play();
    world.check();
}

/// A guest signs a choice while only another guest is connected to it. Then it starts from an older
/// file. It does not choose again, although the host does not know the choice.
#[test]
fn guest_takes_back_from_another_guest_what_the_host_lacks() {
    let mut world = World::mesh(3, 1, 1);
    world.play_to_the_choice_of(ONE);
    world.sides[ONE.index()].play.write().unwrap();
    let (step, older) = (world.log(ONE).step(), world.sides[ONE.index()].file.bytes());
    world.cut(Seat::HOST, ONE);
    world.cut(Seat::HOST, TWO);
    world.thinks = None;
    world.play();
    assert!(world.log(TWO).part(step, ONE).is_some());
    assert!(world.log(Seat::HOST).part(step, ONE).is_none());
    world.restore(ONE, older);
    world.reconnect(Seat::HOST, ONE);
    while world.step() {}
    assert!(!world.sides[ONE.index()].play.is_synced());
    assert!(world.log(Seat::HOST).part(step, ONE).is_none());
    world.reconnect(ONE, TWO);
    world.play();
    assert!(world.log(Seat::HOST).part(step, ONE).is_some());
    world.reconnect_all();
    world.play();
    world.check();
}

/// Two seats exchange their histories at the end of a match of three hands. If one of them starts from a file
/// of the first hand, it requests the whole history.
#[test]
fn histories_are_exchanged_only_when_the_whole_history_was_sent_to_a_seat_that_lacks_hands() {
    for lacks_hands in [false, true] {
        let mut world = World::mesh(3, 3, 1);
        world.play_to_the_choice_of(TWO);
        world.sides[TWO.index()].play.write().unwrap();
        let two = &mut world.sides[TWO.index()];
        let (older, keys) = (two.file.bytes(), two.vault.kept().unwrap().unwrap());
        world.thinks = None;
        world.play();
        if lacks_hands {
            world.sides[TWO.index()].vault.keep(&keys).unwrap();
            world.restore(TWO, older);
        }
        world.reconnect(Seat::HOST, TWO);
        let have_exchanged = |world: &World, seat: Seat, peer| {
            let side = &world.sides[seat.index()];
            side.play.have_exchanged(peer)
        };
        let is_request = |(way, message): &(Way, LogMessage)| {
            *way == (TWO, Seat::HOST) && *message == LogMessage::RequestAll
        };
        let requests = |world: &World| world.sent.iter().filter(|sent| is_request(sent)).count();
        while !have_exchanged(&world, Seat::HOST, TWO) {
            assert!(world.step());
        }
        assert_eq!(requests(&world), usize::from(lacks_hands));
        world.play();
        assert!(have_exchanged(&world, TWO, Seat::HOST));
        assert_eq!(requests(&world), usize::from(lacks_hands));
        world.check();
    }
}
