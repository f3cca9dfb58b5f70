//! The deck without rules.

use super::dealt::Dealt;
use dealerless::deck::Card;
use dealerless::dice::Dice;
use dealerless_table::Seat;
use dealerless_table::rules::{Choice, Foul, Learners, Legal, Next, Stakes, Steal, Variety};

const ALL: Learners = Learners::All;
const HOST: Learners = Learners::Seat(Seat::HOST);
const GUEST: Learners = Learners::Seat(Seat::GUEST);

fn dealt(seats: usize) -> Dealt {
    let variety = Variety::Deck {
        cards: 30,
        drawn: 12,
    };
    let stakes = Stakes::new(variety, seats as u8, 1).unwrap();
    let deck = (0..12).map(|number| Card(29 - number)).collect();
    Dealt::new(&stakes, &vec![0; seats], 0, deck)
}

fn propose(cards: &[(u16, Learners)]) -> Choice {
    Choice::Propose(cards.to_vec())
}

/// The numbers of the open proposals.
fn open_proposals(hand: &Dealt) -> Vec<u32> {
    match hand.asked().1 {
        Legal::Speak { proposals, .. } => {
            proposals.iter().map(|proposal| proposal.number).collect()
        }
        legal => panic!("{legal:?}"),
    }
}

fn play(hand: &mut Dealt, choices: &[Choice]) {
    for choice in choices {
        hand.try_to(choice).unwrap();
    }
}

#[test]
fn only_agreed_cards_are_opened() {
    let mut hand = dealt(2);
    play(&mut hand, &[propose(&[(3, HOST), (4, ALL), (5, GUEST)])]);
    assert!(hand.opened.is_empty());
    play(&mut hand, &[Choice::Agree(0)]);
    for position in 0..12 {
        assert_eq!(hand.sees(Seat::HOST, position), [3, 4].contains(&position));
        assert_eq!(hand.sees(Seat::GUEST, position), [4, 5].contains(&position));
    }
    assert_eq!(hand.hand.public(4), Some(Card(25)));
    assert_eq!(
        (hand.hand.held(Seat::HOST), hand.hand.held(Seat::GUEST)),
        (vec![3], vec![5])
    );
    assert_eq!(hand.asked().0, 0);
}

#[test]
fn unanswered_proposal_blocks_nothing() {
    let mut hand = dealt(2);
    play(
        &mut hand,
        &[
            propose(&[(0, HOST)]),
            propose(&[(1, GUEST)]),
            Choice::Agree(1),
        ],
    );
    assert_eq!(open_proposals(&hand), [0]);
    assert!(hand.sees(Seat::GUEST, 1) && !hand.sees(Seat::HOST, 0));
    play(&mut hand, &[Choice::Agree(0)]);
    assert!(hand.sees(Seat::HOST, 0));
}

#[test]
fn card_seen_by_one_seat_can_be_opened_to_all() {
    let mut hand = dealt(2);
    play(&mut hand, &[propose(&[(0, HOST)]), Choice::Agree(0)]);
    for to in [HOST, GUEST] {
        assert_eq!(hand.try_to(&propose(&[(0, to)])), Err(Foul::AlreadyOpen(0)));
    }
    play(
        &mut hand,
        &[propose(&[(0, ALL), (1, ALL)]), Choice::Agree(1)],
    );
    assert_eq!(hand.opened[1], [(0, ALL), (1, ALL)]);
    assert_eq!(
        hand.try_to(&propose(&[(0, ALL)])),
        Err(Foul::AlreadyOpen(0))
    );
}

#[test]
fn proposal_ends_when_refused_or_when_one_of_its_cards_is_opened() {
    let mut hand = dealt(2);
    play(&mut hand, &[propose(&[(0, HOST)]), Choice::Refuse(0)]);
    assert_eq!(open_proposals(&hand), []);
    // A seat can also refuse its own proposal.
    play(
        &mut hand,
        &[propose(&[(0, HOST)]), Choice::Pass, Choice::Refuse(1)],
    );
    assert_eq!(open_proposals(&hand), []);
    play(
        &mut hand,
        &[
            propose(&[(0, GUEST), (1, GUEST)]),
            propose(&[(1, HOST)]),
            Choice::Agree(3),
        ],
    );
    assert_eq!(hand.try_to(&Choice::Agree(2)), Err(Foul::NoSuchProposal(2)));
}

#[test]
fn all_other_seats_must_agree() {
    let mut hand = dealt(3);
    let second = Learners::Seat(Seat::new(2));
    play(
        &mut hand,
        &[propose(&[(0, second)]), Choice::Agree(0), Choice::Pass],
    );
    assert_eq!(hand.try_to(&Choice::Agree(0)), Err(Foul::AlreadyAgreed(0)));
    play(&mut hand, &[Choice::Pass]);
    assert_eq!(hand.try_to(&Choice::Agree(0)), Err(Foul::AlreadyAgreed(0)));
    play(&mut hand, &[propose(&[(1, ALL)]), Choice::Agree(0)]);
    assert!(hand.sees(Seat::new(2), 0) && !hand.is_public(0));
}

#[test]
fn invalid_proposals_are_fouls() {
    let mut hand = dealt(2);
    let before = hand.hand.clone();
    let nobody = Learners::Seat(Seat::new(2));
    for (cards, foul) in [
        (vec![], Foul::BadProposal),
        (vec![(1, ALL), (0, ALL)], Foul::BadProposal),
        (vec![(1, HOST), (1, GUEST)], Foul::BadProposal),
        (
            (0..65).map(|position| (position, ALL)).collect(),
            Foul::BadProposal,
        ),
        (vec![(12, ALL)], Foul::NoSuchCard(12)),
        (vec![(3, nobody)], Foul::NoSuchCard(3)),
    ] {
        assert_eq!(hand.try_to(&Choice::Propose(cards)), Err(foul));
    }
    assert_eq!(hand.try_to(&Choice::Check), Err(Foul::WrongKind));
    assert_eq!(hand.try_to(&Choice::Agree(0)), Err(Foul::NoSuchProposal(0)));
    assert_eq!(hand.hand, before);
}

#[test]
fn seat_has_at_most_8_proposals() {
    let mut hand = dealt(2);
    for _ in 0..8 {
        play(&mut hand, &[propose(&[(0, ALL)]), Choice::Pass]);
    }
    assert_eq!(
        hand.try_to(&propose(&[(1, ALL)])),
        Err(Foul::TooManyProposals)
    );
    play(
        &mut hand,
        &[Choice::Refuse(0), Choice::Pass, propose(&[(1, ALL)])],
    );
}

#[test]
fn hand_is_over_when_all_pass_in_a_row() {
    let mut hand = dealt(3);
    play(
        &mut hand,
        &[Choice::Pass, Choice::Pass, propose(&[(0, ALL)])],
    );
    play(&mut hand, &[Choice::Pass, Choice::Pass]);
    assert_eq!(hand.asked().0, 2);
    play(&mut hand, &[Choice::Pass]);
    assert_eq!(hand.outcome().stacks, [0, 0, 0]);
    assert_eq!(
        hand.hand.choose(Seat::HOST, &Choice::Pass),
        Err(Foul::NotAsked)
    );
}

fn dice(count: u32, sides: u32) -> Dice {
    Dice::new(count, sides).unwrap()
}

#[test]
fn drawn_card_is_the_next_closed_one_and_seen_by_its_seat_only() {
    let mut hand = dealt(2);
    play(&mut hand, &[Choice::Draw, Choice::Draw]);
    assert_eq!(
        (hand.hand.held(Seat::HOST), hand.hand.held(Seat::GUEST)),
        (vec![0], vec![1])
    );
    assert_eq!(hand.opened, [[(0, HOST)], [(1, GUEST)]]);
    // An opened card is not drawn.
    play(&mut hand, &[propose(&[(2, ALL)]), Choice::Agree(0)]);
    play(&mut hand, &[Choice::Draw]);
    assert_eq!(hand.hand.held(Seat::HOST), [0, 3]);
}

#[test]
fn no_card_can_be_drawn_after_the_last() {
    let mut hand = dealt(3);
    for left in (0..12).rev() {
        play(&mut hand, &[Choice::Draw]);
        let Legal::Speak { may_draw, .. } = hand.asked().1 else {
            panic!("not a turn to speak");
        };
        assert_eq!(may_draw, left > 0);
    }
    assert_eq!(hand.try_to(&Choice::Draw), Err(Foul::NothingToDraw));
}

#[test]
fn drawn_card_is_revealed_once_by_its_holder() {
    let mut hand = dealt(2);
    play(&mut hand, &[Choice::Draw]);
    for position in [0, 1, 12, u16::MAX] {
        let refused = hand.try_to(&Choice::Reveal(position));
        assert_eq!(refused, Err(Foul::NotHeld(position)));
    }
    play(&mut hand, &[Choice::Pass, Choice::Reveal(0)]);
    assert_eq!(hand.hand.public(0), Some(Card(29)));
    assert!(hand.hand.held(Seat::HOST).is_empty());
    play(&mut hand, &[Choice::Pass]);
    assert_eq!(hand.try_to(&Choice::Reveal(0)), Err(Foul::NotHeld(0)));
}

#[test]
fn shown_card_stays_in_the_hand_and_is_shown_once() {
    let mut hand = dealt(2);
    play(&mut hand, &[Choice::Draw]);
    for position in [0, 1, 12, u16::MAX] {
        let refused = hand.try_to(&Choice::ShowCard(position));
        assert_eq!(refused, Err(Foul::NotHeld(position)));
    }
    play(&mut hand, &[Choice::Pass, Choice::ShowCard(0)]);
    assert_eq!(hand.opened.last().unwrap(), &[(0, ALL)]);
    assert_eq!(hand.hand.public(0), Some(Card(29)));
    assert_eq!(hand.hand.held(Seat::HOST), [0]);
    assert!(hand.hand.held(Seat::GUEST).is_empty());
    for choice in [Choice::ShowCard(0), Choice::Reveal(0)] {
        assert_eq!(hand.try_to(&choice), Err(Foul::NotHeld(0)));
    }
    play(&mut hand, &[Choice::Pass]);
    let again = hand.try_to(&Choice::ShowCard(0));
    assert_eq!(again, Err(Foul::AlreadyOpen(0)));
    // Laying down a shown card opens no card.
    let steps = hand.opened.len();
    play(&mut hand, &[Choice::Reveal(0)]);
    assert_eq!(hand.opened.len(), steps);
    assert!(hand.hand.held(Seat::HOST).is_empty() && hand.is_public(0));
    play(&mut hand, &[Choice::Pass]);
    assert_eq!(hand.try_to(&Choice::Reveal(0)), Err(Foul::NotHeld(0)));
}

#[test]
fn shown_card_can_be_stolen() {
    let mut hand = dealt(2);
    play(&mut hand, &[Choice::Draw, Choice::Pass, Choice::Draw]);
    play(&mut hand, &[Choice::Pass, Choice::ShowCard(1)]);
    play(&mut hand, &[Choice::Steal(Seat::HOST)]);
    assert_eq!(
        (hand.hand.held(Seat::HOST), hand.hand.held(Seat::GUEST)),
        (vec![1], vec![0])
    );
    assert!(hand.is_public(0) && !hand.is_public(1));
    // Only the thief can lay down the stolen card.
    assert_eq!(hand.try_to(&Choice::Reveal(0)), Err(Foul::NotHeld(0)));
    play(&mut hand, &[Choice::Pass, Choice::Reveal(0)]);
    assert!(hand.hand.held(Seat::GUEST).is_empty());
    assert_eq!(hand.hand.held(Seat::HOST), [1]);
}

#[test]
fn cards_of_kinds_follow_the_same_rules() {
    let kinds = "knight=20,castle=10".parse().unwrap();
    let of_kinds = Stakes::of_kinds(kinds, 12, 2, 1).unwrap();
    let deck: Vec<Card> = (0..12).map(|number| Card(29 - number)).collect();
    let mut hand = Dealt::new(&of_kinds, &[0, 0], 0, deck);
    let mut plain = dealt(2);
    let (draw, steal) = (Choice::Draw, Choice::Steal(Seat::HOST));
    for choice in [
        draw.clone(),
        draw,
        Choice::ShowCard(0),
        steal,
        Choice::Pass,
        Choice::Reveal(0),
        propose(&[(5, ALL)]),
        Choice::Roll(dice(2, 6)),
    ] {
        play(&mut hand, std::slice::from_ref(&choice));
        play(&mut plain, &[choice]);
        assert_eq!(hand.hand, plain.hand);
    }
}

#[test]
fn proposal_ends_when_its_card_is_drawn() {
    let mut hand = dealt(2);
    play(&mut hand, &[propose(&[(0, HOST)]), Choice::Draw]);
    assert_eq!(open_proposals(&hand), []);
    // With its holder's agreement the card can still be opened to all.
    play(&mut hand, &[propose(&[(0, ALL)]), Choice::Agree(1)]);
    assert!(hand.is_public(0));
}

#[test]
fn roll_is_followed_by_the_turn_of_the_next_seat() {
    let mut hand = dealt(2);
    assert_eq!((hand.hand.rolls(), hand.hand.last_roll()), (0, None));
    let mut asked = hand.hand.clone();
    asked.choose(Seat::HOST, &Choice::Roll(dice(2, 6))).unwrap();
    assert_eq!(asked.next(), Next::Roll(dice(2, 6)));
    assert!(asked.choose(Seat::GUEST, &Choice::Pass).is_err());
    assert!(asked.opened(&[]).is_err());
    for faces in [&[][..], &[1], &[1, 2, 3], &[0, 1], &[6, 7], &[1, u32::MAX]] {
        let before = asked.clone();
        assert!(asked.rolled(faces).is_err(), "{faces:?}");
        assert_eq!(asked, before);
    }
    asked.rolled(&[6, 1]).unwrap();
    let rolled = asked.last_roll().unwrap();
    assert_eq!((rolled.by, rolled.dice), (Seat::HOST, dice(2, 6)));
    assert_eq!((&rolled.faces[..], asked.rolls()), (&[6, 1][..], 1));
    assert!(asked.rolled(&[6, 1]).is_err());
    // After a roll, a seat that passed before has to pass again.
    play(
        &mut hand,
        &[Choice::Pass, Choice::Roll(dice(1, 1)), Choice::Pass],
    );
    assert_eq!(hand.asked().0, 1);
}

#[test]
fn at_most_100_dice_are_rolled_at_once() {
    let mut hand = dealt(2);
    let refused = hand.try_to(&Choice::Roll(dice(101, 6)));
    assert_eq!(refused, Err(Foul::TooManyDice));
    play(&mut hand, &[Choice::Roll(dice(100, u32::MAX))]);
}

#[test]
fn stolen_card_is_seen_by_all_and_held_by_the_thief() {
    let mut hand = dealt(2);
    // The host holds cards 0 and 1, which the guest does not see.
    play(&mut hand, &[Choice::Draw, Choice::Pass, Choice::Draw]);
    assert_eq!(hand.hand.held(Seat::HOST), [0, 1]);
    let mut asked = hand.hand.clone();
    asked
        .choose(Seat::GUEST, &Choice::Steal(Seat::HOST))
        .unwrap();
    let steal = Steal {
        thief: Seat::GUEST,
        owner: Seat::HOST,
        hand: vec![0, 1],
    };
    assert_eq!(asked.next(), Next::Steal(steal));
    assert!(asked.rolled(&[1]).is_err() && asked.opened(&[]).is_err());
    play(&mut hand, &[Choice::Steal(Seat::HOST)]);
    assert_eq!(
        (hand.hand.held(Seat::HOST), hand.hand.held(Seat::GUEST)),
        (vec![1], vec![0])
    );
    assert!(hand.is_public(0) && !hand.sees(Seat::GUEST, 1));
    // The host steals one of the guest's two cards, and does not see the other card.
    play(&mut hand, &[Choice::Pass, Choice::Draw]);
    assert_eq!(hand.hand.held(Seat::GUEST), [0, 2]);
    play(&mut hand, &[Choice::Steal(Seat::GUEST)]);
    assert_eq!(hand.hand.held(Seat::HOST), [0, 1]);
    assert!(!hand.sees(Seat::HOST, 2) && hand.sees(Seat::GUEST, 2));
}

#[test]
fn hand_stays_the_same_if_it_cannot_be_reshuffled() {
    let mut hand = dealt(2);
    play(&mut hand, &[Choice::Draw]);
    let before = hand.hand.held(Seat::HOST);
    let mut asked = hand.hand.clone();
    assert!(asked.reshuffled(true).is_err());
    asked
        .choose(Seat::GUEST, &Choice::Steal(Seat::HOST))
        .unwrap();
    asked.reshuffled(false).unwrap();
    assert_eq!(asked.held(Seat::HOST), before);
    assert!(matches!(
        asked.next(),
        Next::Choose {
            seat: Seat::HOST,
            ..
        }
    ));
}

#[test]
fn steal_needs_another_seat_with_cards() {
    let mut hand = dealt(2);
    play(&mut hand, &[Choice::Draw, Choice::Pass]);
    for seat in [0, 1, 2, 255] {
        let seat = Seat::new(seat);
        let refused = hand.try_to(&Choice::Steal(seat));
        assert_eq!(refused, Err(Foul::NothingToSteal(seat)));
    }
}

#[test]
fn proposal_ends_when_its_card_moves() {
    let mut hand = dealt(2);
    play(&mut hand, &[Choice::Draw, propose(&[(0, ALL), (5, ALL)])]);
    play(&mut hand, &[Choice::Pass, Choice::Steal(Seat::HOST)]);
    assert_eq!(open_proposals(&hand), []);
}
