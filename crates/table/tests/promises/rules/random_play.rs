//! Random play: chips are conserved, every hand ends, and only the cards that the rules allow are
//! opened.

use super::dealt::Dealt;
use super::varieties::all_with_chips;
use dealerless::deck::Card;
use dealerless::dice::Dice;
use dealerless_table::Seat;
use dealerless_table::rules::{
    BettingRules, Choice, Learners, Legal, Limit, Next, Outcome, Posts, Stakes, Variety,
};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::ops::Range;

/// More choices than a hand can have.
pub(super) const TOO_MANY: usize = 4000;

pub(super) fn any_game(seats: usize) -> impl Strategy<Value = (Stakes, Vec<u64>, u8, Vec<Card>)> {
    let stack = prop_oneof![1..=30_u64, 1..=400_u64];
    (
        any::<[bool; 2]>(),
        any::<prop::sample::Index>(),
        prop::collection::vec(stack, seats),
        0..seats as u8,
        Just((0..52).map(Card).collect::<Vec<_>>()).prop_shuffle(),
    )
        .prop_map(move |([fixed, antes], game, stacks, button, deck)| {
            let rules = BettingRules {
                stack: 1000,
                limit: if fixed { Limit::Fixed } else { Limit::NoLimit },
                posts: if antes {
                    Posts::Antes { ante: 2, bet: 10 }
                } else {
                    Posts::Blinds { small: 5, big: 10 }
                },
            };
            let stakes = |variety| Stakes::new(variety, seats as u8, 1).ok();
            let games: Vec<Stakes> = all_with_chips(rules)
                .into_iter()
                .filter_map(stakes)
                .collect();
            let stakes = games[game.index(games.len())].clone();
            (stakes, stacks, button, deck)
        })
}

/// Every kind of legal choice. Amounts are both bounds and a value between them, which `point`
/// selects.
pub(super) fn legal_choices(legal: &Legal, point: u64) -> Vec<Choice> {
    match legal {
        Legal::Bet { call, bet, raise } => {
            let between = |min: u64, max: u64| min + point % (max - min + 1);
            let mut choices = vec![Choice::Fold];
            choices.push(if call.is_some() {
                Choice::Call
            } else {
                Choice::Check
            });
            if let Some(amounts) = bet {
                for to in [amounts.min, between(amounts.min, amounts.max), amounts.max] {
                    choices.push(Choice::Bet { to });
                }
            }
            if let Some(amounts) = raise {
                for to in [amounts.min, between(amounts.min, amounts.max), amounts.max] {
                    choices.push(Choice::Raise { to });
                }
            }
            choices
        }
        Legal::Exchange => {
            let places = |set: u64| (0..5).filter(|i| set >> i & 1 == 1).collect();
            vec![
                Choice::Exchange(vec![]),
                Choice::Exchange(places(point)),
                Choice::Exchange(vec![0, 1, 2, 3, 4]),
            ]
        }
        Legal::ShowOrMuck => vec![Choice::Show, Choice::Muck],
        _ => panic!("{legal:?}"),
    }
}

/// Illegal choices: each kind that is not offered, and amounts just outside the bounds.
fn illegal_choices(legal: &Legal) -> Vec<Choice> {
    let all = [
        Choice::Show,
        Choice::Muck,
        Choice::Exchange(vec![]),
        Choice::Pass,
        Choice::Agree(0),
    ];
    let (Legal::Bet { call, bet, raise }, others) = (legal, all) else {
        let mut choices = vec![
            Choice::Fold,
            Choice::Check,
            Choice::Call,
            Choice::Bet { to: 10 },
        ];
        match legal {
            Legal::Exchange => choices.extend([Choice::Show, Choice::Exchange(vec![5])]),
            _ => choices.push(Choice::Exchange(vec![])),
        }
        return choices;
    };
    let mut choices = others.to_vec();
    choices.push(if call.is_some() {
        Choice::Check
    } else {
        Choice::Call
    });
    for (amounts, choice) in [
        (bet, (|to| Choice::Bet { to }) as fn(u64) -> Choice),
        (raise, |to| Choice::Raise { to }),
    ] {
        match amounts {
            Some(amounts) => {
                choices.extend([choice(amounts.min - 1), choice(amounts.max + 1)]);
                choices.extend([choice(0), choice(u64::MAX)]);
            }
            None => choices.extend([0, 10, 20, u64::MAX].map(choice)),
        }
    }
    choices
}

/// The events of a hand, as an observer notes them.
#[derive(Default)]
struct Notes {
    folded: BTreeSet<Seat>,
    showed: BTreeSet<Seat>,
    thrown: BTreeSet<usize>,
}

impl Notes {
    /// The seats that must have shown at the end. If a seat that is still in the hand is all in,
    /// these are all seats in the hand. Otherwise they are the seats that chose to show.
    fn shown(&self, hand: &Dealt, stacks: &[u64]) -> BTreeSet<Seat> {
        let in_hand = |seat: &Seat| stacks[seat.index()] > 0 && !self.folded.contains(seat);
        let live: BTreeSet<Seat> = Seat::all(hand.seats).filter(in_hand).collect();
        let left = hand.hand.stacks();
        if live.len() > 1 && live.iter().any(|seat| left[seat.index()] == 0) {
            live
        } else {
            self.showed.clone()
        }
    }
}

fn play(hand: &mut Dealt, chips: u64, choices: &[u64]) -> (Outcome, Notes) {
    let mut notes = Notes::default();
    for turn in 0..TOO_MANY {
        let Next::Choose { seat, legal } = hand.hand.next() else {
            return (hand.outcome(), notes);
        };
        let number = choices[turn % choices.len()].rotate_left(turn as u32);
        for choice in illegal_choices(&legal) {
            let mut tried = hand.clone();
            assert!(tried.try_to(&choice).is_err(), "{choice:?} of {legal:?}");
            assert_eq!(tried.hand, hand.hand);
        }
        let legal = legal_choices(&legal, number / 16);
        for choice in &legal {
            assert_eq!(hand.hand.clone().choose(seat, choice), Ok(()), "{choice:?}");
        }
        // `legal[0]` is the fold, which is played rarely.
        let choice = match (number % 16, number as usize % (legal.len() - 1)) {
            (0, _) => &legal[0],
            (_, other) => &legal[1 + other],
        };
        match choice {
            Choice::Fold => drop(notes.folded.insert(seat)),
            Choice::Show => drop(notes.showed.insert(seat)),
            Choice::Exchange(places) => {
                let held = hand.hand.held(seat);
                notes
                    .thrown
                    .extend(places.iter().map(|&place| held[usize::from(place)]));
            }
            _ => {}
        }
        hand.try_to(choice).unwrap();
        let bet = hand.hand.stacks().iter().sum::<u64>() + hand.hand.pot();
        assert_eq!(bet, chips, "the number of chips changed");
    }
    panic!("the hand does not end");
}

fn check(hand: &Dealt, outcome: &Outcome, notes: &Notes, stacks: &[u64], board: Range<usize>) {
    assert_eq!(
        outcome.stacks.iter().sum::<u64>(),
        stacks.iter().sum::<u64>()
    );
    for pot in &outcome.pots {
        let paid: u64 = pot.winners.iter().map(|(_, chips)| chips).sum();
        assert_eq!(paid, pot.chips);
        assert!(
            pot.winners
                .iter()
                .all(|(seat, _)| !notes.folded.contains(seat))
        );
    }
    let shown: BTreeSet<Seat> = outcome.shown.iter().map(|shown| shown.seat).collect();
    let due = notes.shown(hand, stacks);
    assert_eq!(shown, due);
    assert!(notes.showed.is_subset(&due));
    if stacks.iter().filter(|&&stack| stack > 0).count() == notes.folded.len() + 1 {
        assert!(shown.is_empty());
    }
    // Each seat sees its own cards, the opened board, and the hands that were shown.
    for position in 0..52 {
        let holder = Seat::all(hand.seats).find(|&seat| hand.hand.held(seat).contains(&position));
        let is_board = board.contains(&position);
        let public = match holder {
            Some(holder) => due.contains(&holder),
            None => is_board && hand.hand.public(position).is_some(),
        };
        assert_eq!(hand.is_public(position), public, "card {position}");
        for seat in Seat::all(hand.seats) {
            let thrown = notes.thrown.contains(&position);
            let own = holder == Some(seat) || thrown;
            assert!(
                public || own || !hand.sees(seat, position),
                "{seat} sees card {position}"
            );
        }
        let seers = Seat::all(hand.seats).filter(|&seat| hand.sees(seat, position));
        assert!(public || seers.count() <= 1);
    }
    for (position, to) in hand.opened.iter().flatten() {
        assert!(*to != Learners::All || hand.is_public(*position));
    }
}

fn play_and_check(stakes: &Stakes, stacks: &[u64], button: u8, deck: Vec<Card>, choices: &[u64]) {
    let (kind, _) = stakes.variety().poker().unwrap();
    let first = stakes.seats() * kind.hole_cards();
    let board = first..first + kind.whole_board();
    let mut hand = Dealt::new(stakes, stacks, button, deck);
    let (outcome, notes) = play(&mut hand, stacks.iter().sum(), choices);
    check(&hand, &outcome, &notes, stacks, board);
}

/// Any choice in a deck without rules for `seats` seats, legal or not.
fn any_choice(seats: u8) -> impl Strategy<Value = Choice> {
    let learners = prop_oneof![
        2 => Just(Learners::All),
        3 => (0..=seats).prop_map(|seat| Learners::Seat(Seat::new(seat))),
    ];
    let cards = prop::collection::btree_map(0..10_u16, learners, 0..4);
    prop_oneof![
        3 => cards.prop_map(|cards| Choice::Propose(cards.into_iter().collect())),
        4 => (0..20_u32).prop_map(Choice::Agree),
        1 => (0..20_u32).prop_map(Choice::Refuse),
        1 => Just(Choice::Pass),
        1 => Just(Choice::Fold),
        1 => (1..=101_u32).prop_map(|count| Choice::Roll(Dice::new(count, 6).unwrap())),
        2 => Just(Choice::Draw),
        2 => (0..10_u16).prop_map(Choice::Reveal),
        2 => (0..10_u16).prop_map(Choice::ShowCard),
        2 => (0..=seats).prop_map(|seat| Choice::Steal(Seat::new(seat))),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn two_seats(
        (stakes, stacks, button, deck) in any_game(2),
        choices in prop::collection::vec(any::<u64>(), 1..20),
    ) {
        play_and_check(&stakes, &stacks, button, deck, &choices);
    }

    #[test]
    fn three_to_five_seats(
        (stakes, stacks, button, deck) in (3_usize..=5).prop_flat_map(any_game),
        choices in prop::collection::vec(any::<u64>(), 1..40),
    ) {
        play_and_check(&stakes, &stacks, button, deck, &choices);
    }

    /// `Dealt` checks after each choice that each seat sees exactly the cards that were opened to
    /// it. This test checks that these cards were agreed on, drawn, or shown by their holder.
    #[test]
    fn deck_without_rules(
        (seats, choices) in (2..=4_u8).prop_flat_map(|seats| {
            (Just(seats), prop::collection::vec(any_choice(seats), 0..60))
        }),
    ) {
        let variety = Variety::Deck { cards: 9, drawn: 9 };
        let stakes = Stakes::new(variety, seats, 1).unwrap();
        let deck = (0..9).map(Card).collect();
        let mut hand = Dealt::new(&stakes, &vec![0; usize::from(seats)], 1, deck);
        for choice in choices {
            let Next::Choose { seat, legal: Legal::Speak { proposals, .. } } = hand.hand.next() else {
                break;
            };
            let steps = hand.opened.len();
            let before = hand.clone();
            match hand.try_to(&choice) {
                Err(_) => prop_assert_eq!(&hand.hand, &before.hand),
                Ok(()) if hand.opened.len() == steps => match choice {
                    // A card that all have seen is laid down.
                    Choice::Reveal(position) => {
                        let position = usize::from(position);
                        prop_assert!(before.is_public(position));
                        prop_assert!(before.hand.held(seat).contains(&position));
                        prop_assert!(!hand.hand.held(seat).contains(&position));
                    }
                    Choice::Draw | Choice::ShowCard(_) | Choice::Steal(_) => {
                        prop_assert!(false, "{:?} opened nothing", choice);
                    }
                    _ => {}
                },
                Ok(()) => {
                    let step = hand.opened[steps].iter();
                    let opened: Vec<_> = step.map(|&(card, to)| (card as u16, to)).collect();
                    let all = || Seat::all(usize::from(seats));
                    let before = &before;
                    let seers = |position| all().filter(move |&s| before.sees(s, position));
                    match choice {
                        Choice::Agree(number) => {
                            let agreed = proposals.iter().find(|p| p.number == number).unwrap();
                            let mut agree = agreed.agreed.clone();
                            agree.extend([seat, agreed.by]);
                            agree.sort_unstable();
                            prop_assert_eq!(agree, all().collect::<Vec<_>>());
                            prop_assert_eq!(&opened, &agreed.cards);
                        }
                        Choice::Draw => {
                            let next = (0..9).find(|&at| seers(at).count() == 0).unwrap();
                            prop_assert_eq!(opened, [(next as u16, Learners::Seat(seat))]);
                        }
                        Choice::Reveal(position) | Choice::ShowCard(position) => {
                            let shows = matches!(choice, Choice::ShowCard(_));
                            let holds = hand.hand.held(seat).contains(&position.into());
                            prop_assert_eq!(holds, shows);
                            let seen_by: Vec<Seat> = seers(position.into()).collect();
                            prop_assert_eq!(seen_by, [seat]);
                            prop_assert_eq!(opened, [(position, Learners::All)]);
                        }
                        Choice::Steal(owner) => {
                            let hand = before.hand.held(owner);
                            let of_owner = hand[1..].iter().map(|&at| (at as u16, Learners::Seat(owner)));
                            let mut due: Vec<_> = of_owner.collect();
                            due.insert(0, (hand[0] as u16, Learners::All));
                            prop_assert_eq!(opened, due);
                            prop_assert!(owner != seat && hand.iter().all(|&at| seers(at).count() >= 1));
                            prop_assert!(hand.iter().all(|&at| seers(at).any(|s| s == owner)));
                        }
                        choice => panic!("{choice:?} opened cards"),
                    }
                }
            }
        }
        for _ in 0..seats {
            if let Next::Choose { .. } = hand.hand.next() {
                hand.try_to(&Choice::Pass).unwrap();
            }
        }
        hand.outcome();
    }
}
