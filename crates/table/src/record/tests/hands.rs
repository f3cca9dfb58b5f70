//! Tests of the hands in records.

use dealerless::deck::Card;

use super::files::{begun, face, file, random_match};
use crate::log::tests::test_match::{TestMatch, draw, free_deck, holdem};
use crate::log::{Attempt, LogEvent, MatchLog, PartKind, Phase, Seen, Signed};
use crate::record::{BadRecord, Record, RecordedHand};
use crate::rules::Choice;
use crate::seat::Seat;

/// The chips that a seat has at the end of a hand, computed from its events.
fn chips(hand: &RecordedHand, seat: Seat) -> u64 {
    let posted: u64 = (hand.begun.posts.iter().filter(|post| post.seat == seat))
        .map(|post| post.chips)
        .sum();
    let mut chips = hand.begun.stacks[seat.index()] - posted;
    for event in &hand.events {
        match event {
            LogEvent::Chose(chosen) if chosen.seat == seat => {
                chips -= chosen.paid;
                assert_eq!(chosen.all_in, chosen.paid > 0 && chips == 0);
            }
            LogEvent::Returned {
                seat: to,
                chips: back,
            } if *to == seat => chips += back,
            _ => {}
        }
    }
    let pots = hand.outcome.iter().flat_map(|outcome| &outcome.pots);
    let won = pots
        .flat_map(|pot| &pot.winners)
        .filter(|won| won.0 == seat);
    chips + won.map(|won| won.1).sum::<u64>()
}

fn same_chips(table: &TestMatch, hand: &RecordedHand) {
    let Some(outcome) = &hand.outcome else { return };
    if table.match_info.header().stakes.betting().is_some() {
        let all: Vec<u64> = table.seats().map(|seat| chips(hand, seat)).collect();
        assert_eq!(all, outcome.stacks, "hand {}", hand.begun.hand);
    }
}

#[test]
fn chips_and_cards_of_random_hands_match_the_table() {
    for (table, hands) in [
        (holdem(2, 40), 40),
        (holdem(3, 30), 30),
        (draw(2, 20), 20),
        (free_deck(2), 2),
        (free_deck(3), 2),
    ] {
        let (log, bytes) = random_match(&table, 7, hands);
        let record = Record::read(&bytes, Some(&table.identities[0])).unwrap();
        assert_eq!(record.log.hash(), log.hash());
        let played = log.attempt().hand as usize - 1;
        assert_eq!((record.hands.len(), record.played()), (played, played));
        for hand in &record.hands {
            same_chips(&table, hand);
            let own = &hand.held[0];
            assert!(own.iter().all(|position| hand.card(*position).is_some()));
            // A card of another seat is known only if it was shown.
            let others = hand.held[1..].iter().flatten();
            let mut others = others.filter(|position| !hand.public.contains_key(position));
            assert!(others.all(|position| hand.card(*position).is_none()));
        }
        let anybody = Record::read(&bytes, None).unwrap();
        for (hand, own) in anybody.hands.iter().zip(&record.hands) {
            let public = RecordedHand {
                seen: Default::default(),
                ..own.clone()
            };
            assert_eq!(*hand, public);
        }
    }
}

#[test]
fn the_events_of_a_hand_are_in_playing_order() {
    let table = holdem(2, 1);
    let log = table.played();
    let record = Record::read(&file(&table, Seat::HOST, &log), None).unwrap();
    let [hand] = &record.hands[..] else { panic!() };
    let events: Vec<String> = (hand.events.iter())
        .map(|event| match event {
            LogEvent::Dealt { seat, positions } => format!("{seat} {positions:?}"),
            LogEvent::Board(cards) => format!("board {}", cards.len()),
            LogEvent::Shown { seat, cards } => format!("{seat} shows {}", cards.len()),
            LogEvent::Chose(chosen) => match chosen.choice {
                Choice::Show => String::new(),
                _ => format!("{} {}", chosen.seat, chosen.paid),
            },
            other => format!("{other:?}"),
        })
        .filter(|event| !event.is_empty())
        .collect();
    let expected = [
        "seat 1 [1, 3]",
        "seat 0 [0, 2]",
        "seat 0 1",
        "seat 1 0",
        "board 3",
        "seat 1 0",
        "seat 0 0",
        "board 1",
        "seat 1 0",
        "seat 0 0",
        "board 1",
        "seat 1 0",
        "seat 0 0",
        "seat 1 shows 2",
        "seat 0 shows 2",
    ];
    assert_eq!(events, expected);
    let mut dealt = table.log();
    table.play_until(&mut dealt, |log| log.seals().len() == 2);
    let board: Vec<_> = (4..9)
        .map(|position| face(&table, &dealt, position))
        .collect();
    let laid = |event: &LogEvent| match event {
        LogEvent::Board(cards) => cards.iter().map(|face| face.card).collect(),
        _ => Vec::new(),
    };
    assert_eq!(hand.events.iter().flat_map(laid).collect::<Vec<_>>(), board);
    assert_eq!(
        (hand.begun.posts[0].seat, hand.begun.posts[1].chips),
        (hand.begun.button, 2)
    );
}

#[test]
fn older_notes_of_reshuffled_cards_are_ignored() {
    let table = free_deck(2);
    let (mut journal, memory) = begun(&table, Seat::HOST);
    let log = table.played();
    let old = noted(table.log().attempt(), 0);
    let Some(&(position, since)) = reshuffled(&table, &log).first() else {
        panic!("a card is stolen")
    };
    let [old, new] = [(0, Card(7)), (since, Card(8))].map(|(since, card)| Seen {
        position: position as u16,
        since,
        card,
        ..old
    });
    for notes in [vec![old], vec![old, new], vec![new, old]] {
        let (mut journal, memory) = begun(&table, Seat::HOST);
        journal.append(log.history(0)).unwrap();
        notes.iter().for_each(|note| journal.note(note));
        journal.append(Vec::<Signed>::new()).unwrap();
        let record = Record::read(&memory.bytes(), Some(&table.identities[0])).unwrap();
        let seen = record.hands[0].seen.get(&position);
        let counts = notes.contains(&new).then_some(&new.card);
        assert_eq!(seen, counts);
    }
    // The old note counts as long as no card is stolen.
    let mut before = table.log();
    table.play_until(&mut before, |log| log.stolen_in().is_some());
    journal.append(before.history(0)).unwrap();
    journal.note(&old);
    journal.append(Vec::<Signed>::new()).unwrap();
    let record = Record::read(&memory.bytes(), Some(&table.identities[0])).unwrap();
    assert_eq!(record.hands[0].seen.get(&position), Some(&old.card));
}

/// The reshuffled positions in the record of the host, each with the step of the choice to steal.
fn reshuffled(table: &TestMatch, log: &MatchLog) -> Vec<(usize, u64)> {
    let record = Record::read(&file(table, Seat::HOST, log), None).unwrap();
    let hand = &record.hands[0];
    let reshuffled = hand.events.iter().find_map(|event| match event {
        LogEvent::Reshuffled {
            seat,
            positions,
            since,
        } => Some((*seat, positions.clone(), *since)),
        _ => None,
    });
    let (seat, positions, since) = reshuffled.expect("a card is stolen");
    assert_eq!(seat, Seat::HOST);
    let all = positions.into_iter().map(|position| (position, since));
    let all: Vec<_> = all.collect();
    assert!(
        all.iter()
            .all(|&(position, since)| hand.since(position) == since)
    );
    all
}

#[test]
fn void_tries_are_not_hands_and_their_notes_are_ignored() {
    let table = holdem(2, 1);
    let (mut journal, memory) = begun(&table, Seat::HOST);
    let mut log = table.log();
    table.play_until(&mut log, |log| log.seals().len() == 1);
    let void = noted(log.attempt(), 0);
    let guest = Seat::GUEST;
    let again = table.part(PartKind::Again, &log, guest);
    log.sign(&table.identities[1], guest, &again).unwrap();
    let open = Record::read(&file(&table, Seat::HOST, &log), None).unwrap();
    assert!(open.hands.is_empty());
    // The host seals first. It does not seal the next try but declares it void.
    table.play_until(&mut log, |log| matches!(log.phase(), Phase::Seal(_)));
    let again = table.part(PartKind::Again, &log, Seat::HOST);
    log.sign(&table.identities[0], Seat::HOST, &again).unwrap();
    table.play_until(&mut log, |log| matches!(log.phase(), Phase::Choose { .. }));
    let good = noted(log.attempt(), 2);
    table.play_until(&mut log, |log| log.attempt().hand > 1);
    journal.note(&void);
    journal.note(&good);
    journal.append(log.history(0)).unwrap();
    let record = Record::read(&memory.bytes(), Some(&table.identities[0])).unwrap();
    let [hand] = &record.hands[..] else { panic!() };
    assert_eq!(
        (hand.begun.hand, &hand.voided[..]),
        (1, &[guest, Seat::HOST][..])
    );
    assert_eq!(hand.seen.iter().collect::<Vec<_>>(), [(&2, &good.card)]);
    same_chips(&table, hand);
}

#[test]
fn a_note_of_an_undealt_hand_or_a_missing_card_is_refused() {
    let table = holdem(2, 2);
    let now = table.log().attempt();
    let later = Attempt { hand: 2, ..now };
    for (note, good) in [
        (noted(now, 8), true),
        (noted(now, 9), false),
        (noted(later, 0), false),
    ] {
        let (mut journal, memory) = begun(&table, Seat::HOST);
        journal.note(&note);
        journal.append(Vec::<Signed>::new()).unwrap();
        let read = Record::read(&memory.bytes(), None);
        assert_eq!(read.is_ok(), good, "{read:?}");
        assert!(good || matches!(read, Err(BadRecord::Foreign(_))));
    }
}

fn noted(of: Attempt, position: u16) -> Seen {
    let card = Card(7);
    Seen {
        attempt: of,
        position,
        since: 0,
        card,
        wide: false,
    }
}
