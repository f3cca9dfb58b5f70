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

fn standing(hand: &Dealt) -> Vec<u32> {
    match hand.asked().1 {
        Legal::Speak { proposals, .. } => {
            proposals.iter().map(|proposal| proposal.number).collect()
        }
        legal => panic!("{legal:?}"),
    }
}

fn say(hand: &mut Dealt, choices: &[Choice]) {
    for choice in choices {
        hand.try_to(choice).unwrap();
    }
}

#[test]
fn what_all_agree_to_is_opened_and_nothing_else() {
    let mut hand = dealt(2);
    say(&mut hand, &[propose(&[(3, HOST), (4, ALL), (5, GUEST)])]);
    assert_eq!(hand.opened.len(), 1);
    say(&mut hand, &[Choice::Agree(0)]);
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
fn every_hand_begins_with_an_opening_of_seat_0_here_without_a_card() {
    let hand = dealt(2);
    assert_eq!(hand.opened[0][0].opener, Seat::HOST);
    assert_eq!(hand.opened[0][0].cards, []);
}

#[test]
fn an_unanswered_proposal_blocks_nothing() {
    let mut hand = dealt(2);
    say(
        &mut hand,
        &[
            propose(&[(0, HOST)]),
            propose(&[(1, GUEST)]),
            Choice::Agree(1),
        ],
    );
    assert_eq!(standing(&hand), [0]);
    assert!(hand.sees(Seat::GUEST, 1) && !hand.sees(Seat::HOST, 0));
    say(&mut hand, &[Choice::Agree(0)]);
    assert!(hand.sees(Seat::HOST, 0));
}

#[test]
fn a_card_that_one_sees_can_be_opened_to_all_by_that_one() {
    let mut hand = dealt(2);
    say(&mut hand, &[propose(&[(0, HOST)]), Choice::Agree(0)]);
    for to in [HOST, GUEST] {
        assert_eq!(hand.try_to(&propose(&[(0, to)])), Err(Foul::AlreadyOpen(0)));
    }
    say(
        &mut hand,
        &[propose(&[(0, ALL), (1, ALL)]), Choice::Agree(1)],
    );
    let openers: Vec<_> = hand.opened[2]
        .iter()
        .map(|o| (o.opener, o.cards.len()))
        .collect();
    assert_eq!(openers, [(Seat::HOST, 2), (Seat::GUEST, 1)]);
    assert_eq!(
        hand.try_to(&propose(&[(0, ALL)])),
        Err(Foul::AlreadyOpen(0))
    );
}

#[test]
fn a_proposal_ends_when_it_is_refused_or_one_of_its_cards_was_opened() {
    let mut hand = dealt(2);
    say(&mut hand, &[propose(&[(0, HOST)]), Choice::Refuse(0)]);
    assert_eq!(standing(&hand), []);
    // Its own, that is taking it back.
    say(
        &mut hand,
        &[propose(&[(0, HOST)]), Choice::Pass, Choice::Refuse(1)],
    );
    assert_eq!(standing(&hand), []);
    say(
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
fn with_three_all_others_must_agree() {
    let mut hand = dealt(3);
    let second = Learners::Seat(Seat::new(2));
    say(
        &mut hand,
        &[propose(&[(0, second)]), Choice::Agree(0), Choice::Pass],
    );
    assert_eq!(hand.try_to(&Choice::Agree(0)), Err(Foul::AlreadyAgreed(0)));
    say(&mut hand, &[Choice::Pass]);
    assert_eq!(hand.try_to(&Choice::Agree(0)), Err(Foul::AlreadyAgreed(0)));
    say(&mut hand, &[propose(&[(1, ALL)]), Choice::Agree(0)]);
    assert!(hand.sees(Seat::new(2), 0) && !hand.is_public(0));
}

#[test]
fn what_is_no_proposal_is_a_foul() {
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
fn a_seat_has_at_most_8_proposals() {
    let mut hand = dealt(2);
    for _ in 0..8 {
        say(&mut hand, &[propose(&[(0, ALL)]), Choice::Pass]);
    }
    assert_eq!(
        hand.try_to(&propose(&[(1, ALL)])),
        Err(Foul::TooManyProposals)
    );
    say(
        &mut hand,
        &[Choice::Refuse(0), Choice::Pass, propose(&[(1, ALL)])],
    );
}

#[test]
fn the_hand_is_over_when_all_pass_in_a_row() {
    let mut hand = dealt(3);
    say(
        &mut hand,
        &[Choice::Pass, Choice::Pass, propose(&[(0, ALL)])],
    );
    say(&mut hand, &[Choice::Pass, Choice::Pass]);
    assert_eq!(hand.asked().0, 2);
    say(&mut hand, &[Choice::Pass]);
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
fn a_seat_draws_the_next_closed_card_which_it_alone_sees() {
    let mut hand = dealt(2);
    say(&mut hand, &[Choice::Draw, Choice::Draw]);
    assert_eq!(
        (hand.hand.held(Seat::HOST), hand.hand.held(Seat::GUEST)),
        (vec![0], vec![1])
    );
    // The other opens it alone.
    assert_eq!(hand.opened[1].len(), 1);
    assert_eq!(hand.opened[1][0].opener, Seat::GUEST);
    // A card that was agreed on is not drawn again.
    say(&mut hand, &[propose(&[(2, ALL)]), Choice::Agree(0)]);
    say(&mut hand, &[Choice::Draw]);
    assert_eq!(hand.hand.held(Seat::HOST), [0, 3]);
}

#[test]
fn the_last_card_can_be_drawn_and_no_other() {
    let mut hand = dealt(3);
    for left in (0..12).rev() {
        say(&mut hand, &[Choice::Draw]);
        let Legal::Speak { may_draw, .. } = hand.asked().1 else {
            panic!("somebody speaks");
        };
        assert_eq!(may_draw, left > 0);
    }
    assert_eq!(hand.try_to(&Choice::Draw), Err(Foul::NothingToDraw));
}

#[test]
fn a_drawn_card_is_revealed_by_who_holds_it_once() {
    let mut hand = dealt(2);
    say(&mut hand, &[Choice::Draw]);
    for position in [0, 1, 12, u16::MAX] {
        let refused = hand.try_to(&Choice::Reveal(position));
        assert_eq!(refused, Err(Foul::NotHeld(position)));
    }
    say(&mut hand, &[Choice::Pass, Choice::Reveal(0)]);
    assert_eq!(hand.hand.public(0), Some(Card(29)));
    assert!(hand.hand.held(Seat::HOST).is_empty());
    say(&mut hand, &[Choice::Pass]);
    assert_eq!(hand.try_to(&Choice::Reveal(0)), Err(Foul::NotHeld(0)));
}

#[test]
fn a_card_that_is_shown_stays_in_the_hand_and_is_shown_once() {
    let mut hand = dealt(2);
    say(&mut hand, &[Choice::Draw]);
    for position in [0, 1, 12, u16::MAX] {
        let refused = hand.try_to(&Choice::ShowCard(position));
        assert_eq!(refused, Err(Foul::NotHeld(position)));
    }
    say(&mut hand, &[Choice::Pass, Choice::ShowCard(0)]);
    // Its holder opens it alone, and holds it as before.
    let shown = hand.opened.last().unwrap();
    assert_eq!((shown.len(), shown[0].opener), (1, Seat::HOST));
    assert_eq!(hand.hand.public(0), Some(Card(29)));
    assert_eq!(hand.hand.held(Seat::HOST), [0]);
    assert!(hand.hand.held(Seat::GUEST).is_empty());
    for choice in [Choice::ShowCard(0), Choice::Reveal(0)] {
        assert_eq!(hand.try_to(&choice), Err(Foul::NotHeld(0)));
    }
    say(&mut hand, &[Choice::Pass]);
    let again = hand.try_to(&Choice::ShowCard(0));
    assert_eq!(again, Err(Foul::AlreadyOpen(0)));
    // It is laid down without being opened once more.
    let steps = hand.opened.len();
    say(&mut hand, &[Choice::Reveal(0)]);
    assert_eq!(hand.opened.len(), steps);
    assert!(hand.hand.held(Seat::HOST).is_empty() && hand.is_public(0));
    say(&mut hand, &[Choice::Pass]);
    assert_eq!(hand.try_to(&Choice::Reveal(0)), Err(Foul::NotHeld(0)));
}

#[test]
fn a_shown_card_can_be_stolen_and_lies_then_where_nobody_knows() {
    let mut hand = dealt(2);
    say(&mut hand, &[Choice::Draw, Choice::Pass, Choice::Draw]);
    say(&mut hand, &[Choice::Pass, Choice::ShowCard(1)]);
    say(&mut hand, &[Choice::Steal(Seat::HOST)]);
    assert_eq!(
        (hand.hand.held(Seat::HOST), hand.hand.held(Seat::GUEST)),
        (vec![1], vec![0])
    );
    assert!(hand.is_public(0) && !hand.is_public(1));
    // The stolen card can be laid down by the thief, and by nobody else.
    assert_eq!(hand.try_to(&Choice::Reveal(0)), Err(Foul::NotHeld(0)));
    say(&mut hand, &[Choice::Pass, Choice::Reveal(0)]);
    assert!(hand.hand.held(Seat::GUEST).is_empty());
    assert_eq!(hand.hand.held(Seat::HOST), [1]);
}

#[test]
fn cards_of_kinds_are_drawn_shown_laid_down_and_stolen_like_all_others() {
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
        say(&mut hand, std::slice::from_ref(&choice));
        say(&mut plain, &[choice]);
        assert_eq!(hand.hand, plain.hand);
    }
}

#[test]
fn a_proposal_ends_when_its_card_was_drawn() {
    let mut hand = dealt(2);
    say(&mut hand, &[propose(&[(0, HOST)]), Choice::Draw]);
    assert_eq!(standing(&hand), []);
    // All may still see it, if its holder agrees.
    say(&mut hand, &[propose(&[(0, ALL)]), Choice::Agree(1)]);
    assert!(hand.is_public(0));
}

#[test]
fn dice_are_rolled_by_all_and_then_the_next_seat_speaks() {
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
    // A roll is something said: who passed before has to pass again.
    say(
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
    say(&mut hand, &[Choice::Roll(dice(100, u32::MAX))]);
}

#[test]
fn a_stolen_card_is_seen_by_all_and_belongs_to_the_thief() {
    let mut hand = dealt(2);
    // The host holds cards 0 and 1, of which the guest knows nothing.
    say(&mut hand, &[Choice::Draw, Choice::Pass, Choice::Draw]);
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
    say(&mut hand, &[Choice::Steal(Seat::HOST)]);
    assert_eq!(
        (hand.hand.held(Seat::HOST), hand.hand.held(Seat::GUEST)),
        (vec![1], vec![0])
    );
    assert!(hand.is_public(0) && !hand.sees(Seat::GUEST, 1));
    // It can be stolen back, from a hand with another card; it then lies where nobody knows.
    say(&mut hand, &[Choice::Pass, Choice::Draw]);
    assert_eq!(hand.hand.held(Seat::GUEST), [0, 2]);
    say(&mut hand, &[Choice::Steal(Seat::GUEST)]);
    assert_eq!(hand.hand.held(Seat::HOST), [0, 1]);
    assert!(!hand.sees(Seat::HOST, 2) && hand.sees(Seat::GUEST, 2));
}

#[test]
fn a_hand_that_could_not_be_shuffled_again_lies_there_as_before() {
    let mut hand = dealt(2);
    say(&mut hand, &[Choice::Draw]);
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
fn there_must_be_something_to_steal_from_another() {
    let mut hand = dealt(2);
    say(&mut hand, &[Choice::Draw, Choice::Pass]);
    for seat in [0, 1, 2, 255] {
        let seat = Seat::new(seat);
        let refused = hand.try_to(&Choice::Steal(seat));
        assert_eq!(refused, Err(Foul::NothingToSteal(seat)));
    }
}

#[test]
fn a_proposal_ends_when_its_card_lies_elsewhere() {
    let mut hand = dealt(2);
    say(&mut hand, &[Choice::Draw, propose(&[(0, ALL), (5, ALL)])]);
    say(&mut hand, &[Choice::Pass, Choice::Steal(Seat::HOST)]);
    assert_eq!(standing(&hand), []);
}
