//! Boards of bridge: hands are opened by agreement, or shown by the seat that sees them. The boards
//! of one shuffle are a *set*.

use super::super::*;
use super::test_match::{TestMatch, boards, free_deck};
use crate::rules::{BadCards, Choice, Foul, Learners, Legal, Stakes, Variety};
use crate::seat::Seat;
use dealerless::deck::Card;
use dealerless_connection::wire::Malformed;

/// A log at its first choice.
fn at_a_choice(table: &TestMatch) -> MatchLog {
    let mut log = table.log();
    table.play_until(&mut log, |log| matches!(log.phase(), Phase::Choose { .. }));
    log
}

fn refused(table: &TestMatch, log: &MatchLog, choice: Choice) -> Option<PartFoul> {
    let seat = log.waits_for()[0];
    let signed = table.sign(log, seat, &Part::Move(choice));
    match log.clone().accept(signed) {
        Err(Refused::Foul(proof)) => Some(proof.foul.clone()),
        _ => None,
    }
}

#[test]
fn set_is_opened_in_parts_and_then_completely() {
    let table = boards(3);
    let log = table.played();
    assert_eq!(log.phase(), Phase::Over(End::Played));
    let mut log = table.log();
    table.play_until(&mut log, |log| {
        log.game().is_some_and(|game| game.public(11).is_some())
    });
    let game = log.game().unwrap();
    let hands: Vec<u64> = (0..12).map(|hand| game.public(hand).unwrap().0).collect();
    for board in hands.chunks(4) {
        assert!(board.iter().all(|hand| hand.count_ones() == 13));
        assert_eq!(board.iter().sum::<u64>(), (1 << 52) - 1);
    }
}

#[test]
fn set_is_identified_by_the_hash_of_all_steps_up_to_its_seals() {
    let table = boards(1);
    let mut log = table.log();
    table.play_until(&mut log, |log| log.seals().len() == 2);
    let seal = log.hash();
    // The host may still declare the try void.
    assert_eq!(log.seal_hash(), None);
    table.sign_next(&mut log);
    assert_eq!(log.seal_hash(), Some(seal));
    table.play_until(&mut log, |log| {
        log.game().is_some_and(|game| game.public(3).is_some())
    });
    assert_eq!(log.seal_hash(), Some(seal));
}

#[test]
fn boards_allow_no_draw_steal_reveal_or_roll() {
    let table = boards(1);
    let log = at_a_choice(&table);
    let dice = dealerless::dice::Dice::new(2, 6).unwrap();
    for choice in [
        Choice::Draw,
        Choice::Steal(Seat::GUEST),
        Choice::Roll(dice),
        Choice::Reveal(0),
        Choice::Check,
    ] {
        let foul = refused(&table, &log, choice.clone());
        assert_eq!(foul, Some(PartFoul::Choice(Foul::WrongKind)), "{choice:?}");
    }
    let Phase::Choose { legal, .. } = log.phase() else {
        panic!("not a choice")
    };
    assert!(matches!(
        legal,
        Legal::Speak {
            may_draw: false,
            may_propose: true,
            ..
        }
    ));
    assert_eq!(refused(&table, &log, Choice::Pass), None);
}

#[test]
fn seat_can_only_show_a_hand_that_it_alone_sees() {
    let table = boards(1);
    let log = at_a_choice(&table);
    let foul = refused(&table, &log, Choice::ShowCard(0));
    assert_eq!(foul, Some(PartFoul::Choice(Foul::NotHeld(0))));
    let mut log = table.log();
    table.play_until(&mut log, |log| {
        let held = log
            .game()
            .is_some_and(|game| game.held(Seat::HOST).len() == 2);
        held && matches!(log.phase(), Phase::Choose { seat, .. } if seat == Seat::HOST)
    });
    assert_eq!(refused(&table, &log, Choice::ShowCard(0)), None);
    let foul = refused(&table, &log, Choice::ShowCard(1));
    assert_eq!(foul, Some(PartFoul::Choice(Foul::NotHeld(1))));
}

#[test]
fn proposal_may_name_every_hand_of_100_boards_and_no_more() {
    let table = boards(100);
    let log = at_a_choice(&table);
    let propose = |hands: u16| {
        let choice = Choice::Propose((0..hands).map(|hand| (hand, Learners::All)).collect());
        refused(&table, &log, choice)
    };
    assert_eq!([1, 64, 65, 255, 256, 400].map(propose), [const { None }; 6]);
    let table = boards(1);
    let log = at_a_choice(&table);
    let beyond = Choice::Propose(vec![(4, Learners::All)]);
    assert_eq!(
        refused(&table, &log, beyond),
        Some(PartFoul::Choice(Foul::NoSuchCard(4)))
    );
    let five = Choice::Propose((0..5).map(|hand| (hand, Learners::All)).collect());
    assert_eq!(
        refused(&table, &log, five),
        Some(PartFoul::Choice(Foul::BadProposal))
    );
    // In a deck without rules the limit is 64.
    let deck = free_deck(2);
    let log = at_a_choice(&deck);
    let many = Choice::Propose((0..65).map(|card| (card, Learners::All)).collect());
    assert_eq!(
        refused(&deck, &log, many),
        Some(PartFoul::Choice(Foul::BadProposal))
    );
}

/// A seal hash that is published before the set is final could differ from the seal hash in the
/// record.
#[test]
fn set_has_no_seal_hash_while_the_host_can_declare_it_void() {
    let table = boards(2);
    let mut log = table.log();
    table.play_until(&mut log, |log| matches!(log.phase(), Phase::Open(_)));
    assert_eq!((log.seals().len(), log.seal_hash()), (2, None));
    let again = table.sign(&log, Seat::HOST, &Part::Again);
    let mut void = log.clone();
    void.accept(again).unwrap();
    assert_eq!((void.attempt().attempt, void.seal_hash()), (1, None));
    let seal = log.hash();
    table.play_until(&mut log, |log| matches!(log.phase(), Phase::Choose { .. }));
    assert_eq!(log.seal_hash(), Some(seal));
    let again = table.sign(&log, Seat::HOST, &Part::Again);
    assert!(matches!(log.accept(again), Err(Refused::Foul(_))));
}

/// A seat that seals other shares than those from its engine can cause invalid hands. Nobody can
/// tell which seat did this, so the set is undecided.
#[test]
fn invalid_hands_are_rejected() {
    let table = boards(1);
    let mut log = table.log();
    table.play_until(&mut log, |log| matches!(log.phase(), Phase::Choose { .. }));
    let game = log.game().unwrap();
    let hand = |cards: u32| Card((1 << cards) - 1);
    let open = |cards: [Card; 4]| {
        let mut game = game.clone();
        let propose = Choice::Propose((0..4).map(|hand| (hand, Learners::All)).collect());
        let turn = |game: &crate::rules::Hand| match game.next() {
            crate::rules::Next::Choose { seat, .. } => seat,
            other => panic!("{other:?}"),
        };
        game.choose(turn(&game), &propose).unwrap();
        game.choose(turn(&game), &Choice::Agree(0)).unwrap();
        game.opened(&[0, 1, 2, 3].map(|at| (at, cards[at])))
    };
    let good = [0, 13, 26, 39].map(|first| Card(((1 << 13) - 1) << first));
    assert_eq!(open(good), Ok(()));
    let [a, b, c, d] = good;
    assert_eq!(open([a, b, c, c]), Err(BadCards::Twice(c)));
    assert_eq!(
        open([a, b, c, hand(12)]),
        Err(BadCards::NotInDeck(hand(12)))
    );
    let beyond = Card(d.0 << 1);
    assert_eq!(open([a, b, c, beyond]), Err(BadCards::NotInDeck(beyond)));
}

#[test]
fn one_to_100_boards_are_dealt_to_two_seats() {
    let fits = |boards, seats| Stakes::new(Variety::Boards { boards }, seats, 1).is_ok();
    assert!(fits(1, 2) && fits(100, 2));
    assert!(!fits(0, 2) && !fits(101, 2) && !fits(1, 3));
}

#[test]
fn proposal_has_one_encoding_and_names_at_most_400_hands() {
    let propose =
        |hands: u16| Choice::Propose((0..hands).map(|hand| (hand, Learners::All)).collect());
    for hands in [1, 64, 65, 400] {
        let bytes = propose(hands).encode();
        assert_eq!(Choice::decode(&bytes), Ok(propose(hands)));
    }
    let count = |bytes: &[u8], low: u8| 1 + usize::from(bytes[1] != low);
    let mut short = propose(65).encode();
    let at = count(&short, 65);
    short[at] = 64;
    short.truncate(3 + 3 * 64);
    assert_eq!(Choice::decode(&short), Err(Malformed));
    let mut long = propose(400).encode();
    let at = count(&long, 144);
    long[at] = 145;
    let mut next = long[long.len() - 3..].to_vec();
    // 399 = 143 + 256.
    *next.iter_mut().find(|byte| **byte == 143).unwrap() = 144;
    long.extend(next);
    assert_eq!(Choice::decode(&long), Err(Malformed));
}
