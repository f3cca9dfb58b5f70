//! Matches that continue another one.

use dealerless_connection::identity::{Fingerprint, Identity};
use rand::rngs::StdRng;

use super::super::*;
use super::many_seats::{Table, passive, verifiable, verifiable_after};
use crate::rules::{Choice, Legal};
use crate::seat::Seat;

fn player(number: u8) -> Fingerprint {
    Identity::from_seed([number; 32]).public().fingerprint()
}

/// Raises if possible, so that chips change hands.
fn raising(legal: &Legal, rng: &mut StdRng) -> Choice {
    match legal {
        Legal::Bet {
            raise: Some(range), ..
        } => Choice::Raise { to: range.min },
        legal => passive(legal, rng),
    }
}

/// A finished match of four seats, after three hands.
fn finished() -> Table {
    let mut table = Table::new(verifiable(4, 3), 5);
    table.seats[1].choose = raising;
    table.play();
    assert_eq!(table.phase(), Phase::Over(End::Played));
    table
}

fn past(table: &Table) -> Past {
    let all: Vec<Past> = (table.seats.iter())
        .map(|seat| Past::of(&seat.log).unwrap())
        .collect();
    assert!(all.iter().all(|past| *past == all[0]));
    all[0].clone()
}

#[test]
fn players_keep_their_chips_and_the_button_moves_on() {
    let table = finished();
    let stacks = table.seats[0].log.stacks().to_vec();
    assert_ne!(stacks, [100; 4]);
    let before = past(&table);
    assert_eq!(before.button, Some(Seat::new(2)));
    // Seat 2 is away, and players 8 and 9 are new.
    let mut next = Table::new(verifiable_after(before, &[0, 8, 3, 1, 9], 1), 6);
    let first = [stacks[0], 100, stacks[3], stacks[1], 100];
    assert_eq!(next.of.match_info.first_stacks(), first);
    next.play_until(|log| log.game().is_some());
    // Player 1, in seat 3, is the nearest one to the right of player 2. The next seat is 4.
    assert_eq!(next.seats[0].log.game().unwrap().button(), Seat::new(4));
    next.play();
    let chips: u64 = next.seats[0].log.stacks().iter().sum();
    assert_eq!(chips, first.iter().sum());
    // Player 2 is still in the list, and can come back.
    let after = past(&next);
    let away = after.players.last().unwrap();
    assert_eq!(*away, (player(2), stacks[2]));
    let back = verifiable_after(after.clone(), &[2, 0, 9], 1);
    let of = |number: u8| {
        after
            .players
            .iter()
            .find(|(other, _)| *other == player(number))
    };
    assert_eq!(
        back.match_info.first_stacks(),
        [2, 0, 9].map(|number| of(number).unwrap().1)
    );
}

#[test]
fn a_player_without_chips_buys_in_and_is_not_away() {
    let mut before = past(&finished());
    before.players[1].1 = 0;
    let next = verifiable_after(before.clone(), &[0, 1, 2], 1);
    assert_eq!(next.match_info.first_stacks()[1], 100);
    before.players.push((player(7), 0));
    let mut next = Table::new(verifiable_after(before, &[0, 1, 2], 1), 1);
    next.play();
    let players: Vec<Fingerprint> = past(&next).players.iter().map(|(of, _)| *of).collect();
    assert_eq!(players, [0, 1, 2, 3].map(player));
}

#[test]
fn guests_sit_in_the_order_in_which_they_sat() {
    let before = past(&finished());
    let mut guests = [0, 8, 1, 3];
    guests.sort_by_key(|&guest| before.place_after(player(2), player(guest)));
    assert_eq!(guests, [3, 0, 1, 8]);
    guests.sort_by_key(|&guest| before.place_after(player(7), player(guest)));
    assert_eq!(guests, [0, 1, 3, 8]);
}

#[test]
fn only_a_finished_match_can_be_continued() {
    let mut table = Table::new(verifiable(3, 3), 1);
    assert_eq!(Past::of(&table.seats[0].log), None);
    table.play_until(|log| log.attempt().hand == 2);
    assert_eq!(Past::of(&table.seats[0].log), None);
    // A seat that leaves ends the match after the hand.
    table.seats[1].leaves = true;
    table.play();
    assert_eq!(table.phase(), Phase::Over(End::Left(vec![Seat::new(1)])));
    assert_eq!(past(&table).players.len(), 3);
}

#[test]
fn each_field_of_the_match_before_is_part_of_the_match_id() {
    let before = past(&finished());
    let id = |past: &Past| {
        verifiable_after(past.clone(), &[0, 1, 2], 1)
            .match_info
            .id()
    };
    let changes: [fn(&mut Past); 10] = [
        |past| past.match_id = MatchId::new([1; 32]),
        |past| past.steps += 1,
        |past| past.hash[0] ^= 1,
        |past| past.without = vec![Seat::new(3)],
        |past| past.button = None,
        |past| past.button = Some(Seat::new(3)),
        |past| past.seats = 3,
        |past| past.players[3].1 += 1,
        |past| past.players[3].0 = player(9),
        |past| past.players.swap(0, 1),
    ];
    for (place, change) in changes.iter().enumerate() {
        let mut changed = before.clone();
        change(&mut changed);
        assert_ne!(changed, before, "{place}");
        assert_ne!(id(&changed), id(&before), "{place}");
    }
}

#[test]
fn header_has_one_encoding_and_bounds() {
    let before = past(&finished());
    let of = verifiable_after(before.clone(), &[0, 1, 2], 1);
    let header = of.match_info.header().clone();
    let decoded = |header: &Header| Header::decode(&header.encode());
    assert_eq!(decoded(&header).as_ref(), Ok(&header));
    assert!(header.encode().len() <= Header::MAX_LEN);
    let changes: [fn(&mut Past); 6] = [
        |past| past.players.clear(),
        |past| past.players[1] = past.players[0],
        |past| past.button = Some(Seat::new(4)),
        |past| past.players[0].1 = u64::MAX,
        |past| past.players[0].1 = 1_000_000_000_000_001,
        |past| {
            past.players
                .extend((40..69).map(|number| (player(number), 1)))
        },
    ];
    for (place, change) in changes.iter().enumerate() {
        let mut changed = header.clone();
        change(changed.past.as_mut().unwrap());
        assert_eq!(decoded(&changed), Err(HeaderError::Malformed), "{place}");
    }
    let bytes = header.encode();
    let mut flag = bytes.clone();
    let place = bytes.len() - 1 - (32 + 8 + 32 + 5 + 4 * 23);
    assert_eq!(flag[place], 1);
    flag[place] = 2;
    assert_eq!(Header::decode(&flag), Err(HeaderError::Malformed));
    assert!(Header::decode(&bytes[..bytes.len() - 1]).is_err());
    // The checksum of a fingerprint.
    let mut wrong = bytes.clone();
    wrong[bytes.len() - 9] ^= 1;
    assert_eq!(Header::decode(&wrong), Err(HeaderError::Malformed));
}
