//! There is one way to write stakes and choices, and all others are refused.

use crate::dealt::{SMALL_AND_BIG, rules};
use dealerless::dice::Dice;
use dealerless_table::{
    BettingRules, Choice, Learners, Limit, Posts, Seat, Stakes, StakesError, Variety,
};
use proptest::prelude::*;

#[test]
fn stakes_out_of_bounds_are_refused_with_the_bound() {
    let holdem = |stack, posts| {
        let limit = Limit::NoLimit;
        let rules = BettingRules {
            stack,
            limit,
            posts,
        };
        Stakes::new(Variety::Holdem(rules), 2, 1).map_err(|error| error.to_string())
    };
    assert!(holdem(10, SMALL_AND_BIG).is_ok());
    for (stack, small, big) in [(9, 5, 10), (100, 0, 10), (100, 11, 10), (100, 0, 0)] {
        assert!(
            holdem(stack, Posts::Blinds { small, big }).is_err(),
            "{small}/{big}"
        );
        let (ante, bet) = (small, big);
        assert!(
            holdem(stack, Posts::Antes { ante, bet }).is_err(),
            "{ante}/{bet}"
        );
    }
    let error = holdem(0, SMALL_AND_BIG).unwrap_err();
    assert_eq!(error, "a stack is 1 to 1000000000 chips, not 0");
    assert!(holdem(1_000_000_001, SMALL_AND_BIG).is_err());

    let of = |variety, seats, hands| Stakes::new(variety, seats, hands);
    let draw = Variety::FiveCardDraw(rules(Limit::Fixed, SMALL_AND_BIG));
    for seats in [0, 1, 6] {
        assert_eq!(
            of(draw, seats, 1),
            Err(StakesError::Seats { seats, most: 5 })
        );
    }
    for hands in [0, 1_000_001] {
        assert_eq!(of(draw, 2, hands), Err(StakesError::Hands(hands)));
    }
    for (cards, drawn) in [(1, 1), (52, 0), (52, 53), (4097, 1)] {
        let deck = Variety::Deck { cards, drawn };
        assert_eq!(of(deck, 2, 1), Err(StakesError::Deck { cards, drawn }));
    }
}

#[test]
fn the_deck_is_large_enough_for_all_seats() {
    for (variety, seats, deck) in [
        (
            Variety::Holdem(rules(Limit::NoLimit, SMALL_AND_BIG)),
            2,
            (52, 9),
        ),
        (
            Variety::Holdem(rules(Limit::NoLimit, SMALL_AND_BIG)),
            23,
            (52, 51),
        ),
        (
            Variety::FiveCardDraw(rules(Limit::NoLimit, SMALL_AND_BIG)),
            2,
            (52, 20),
        ),
        (
            Variety::FiveCardDraw(rules(Limit::NoLimit, SMALL_AND_BIG)),
            5,
            (52, 50),
        ),
        (
            Variety::Deck {
                cards: 60,
                drawn: 7,
            },
            2,
            (60, 7),
        ),
    ] {
        assert_eq!(Stakes::new(variety, seats, 1).unwrap().deck(), deck);
    }
}

fn any_stakes() -> impl Strategy<Value = Stakes> {
    let chips = (
        1..=100_u64,
        0..=100_u64,
        0..=1000_u64,
        any::<bool>(),
        any::<bool>(),
    );
    let rules = chips.prop_map(|(low, more, rest, blinds, fixed)| BettingRules {
        stack: low + more + rest,
        limit: if fixed { Limit::Fixed } else { Limit::NoLimit },
        posts: match blinds {
            true => Posts::Blinds {
                small: low,
                big: low + more,
            },
            false => Posts::Antes {
                ante: low,
                bet: low + more,
            },
        },
    });
    let variety = prop_oneof![
        rules.clone().prop_map(Variety::Holdem),
        rules.prop_map(Variety::FiveCardDraw),
        (2..=4096_u32, 0..=9_u32).prop_map(|(cards, drawn)| Variety::Deck {
            cards,
            drawn: drawn.clamp(1, cards),
        }),
    ];
    (variety, 2..=5_u8, 1..=1_000_000_u32)
        .prop_map(|(variety, seats, hands)| Stakes::new(variety, seats, hands).unwrap())
}

fn any_choice() -> impl Strategy<Value = Choice> {
    let learners = prop_oneof![
        Just(Learners::All),
        any::<u8>().prop_map(|seat| Learners::Seat(Seat::new(seat)))
    ];
    let places = prop::sample::subsequence(vec![0, 1, 2, 3, 4], 0..=5);
    prop_oneof![
        Just(Choice::Fold),
        Just(Choice::Check),
        Just(Choice::Call),
        any::<u64>().prop_map(|to| Choice::Bet { to }),
        any::<u64>().prop_map(|to| Choice::Raise { to }),
        places.prop_map(Choice::Exchange),
        Just(Choice::Show),
        Just(Choice::Muck),
        prop::collection::btree_map(any::<u16>(), learners, 1..=64)
            .prop_map(|cards| Choice::Propose(cards.into_iter().collect())),
        any::<u32>().prop_map(Choice::Agree),
        any::<u32>().prop_map(Choice::Refuse),
        Just(Choice::Pass),
        (1..=Dice::MAX_COUNT, 1..=u32::MAX)
            .prop_map(|(count, sides)| Choice::Roll(Dice::new(count, sides).unwrap())),
        Just(Choice::Draw),
        any::<u16>().prop_map(Choice::Reveal),
        any::<u8>().prop_map(|seat| Choice::Steal(Seat::new(seat))),
    ]
}

proptest! {
    #[test]
    fn what_is_written_is_read(stakes in any_stakes(), choice in any_choice()) {
        let (header, part) = (stakes.encode(), choice.encode());
        prop_assert!(header.len() <= Stakes::MAX_LEN && part.len() <= Choice::MAX_LEN);
        prop_assert_eq!(Stakes::decode(&header), Ok(stakes));
        prop_assert_eq!(Choice::decode(&part), Ok(choice));
    }

    #[test]
    fn what_is_cut_longer_or_changed_is_refused_or_another_value(
        stakes in any_stakes(), choice in any_choice(), at in any::<prop::sample::Index>(), bit in 0..8,
    ) {
        let (header, part) = (stakes.encode(), choice.encode());
        for end in 0..header.len() {
            prop_assert!(Stakes::decode(&header[..end]).is_err());
        }
        for end in 0..part.len() {
            prop_assert!(Choice::decode(&part[..end]).is_err());
        }
        prop_assert!(Stakes::decode(&[&header[..], &[0]].concat()).is_err());
        prop_assert!(Choice::decode(&[&part[..], &[0]].concat()).is_err());
        let changed = |bytes: &[u8]| {
            let mut bytes = bytes.to_vec();
            let at = at.index(bytes.len());
            bytes[at] ^= 1_u8 << bit;
            bytes
        };
        prop_assert_ne!(Stakes::decode(&changed(&header)), Ok(stakes));
        prop_assert_ne!(Choice::decode(&changed(&part)), Ok(choice));
    }

    #[test]
    fn whatever_can_be_read_is_what_would_be_written(
        bytes in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..40),
            (0..12_u8, prop::collection::vec(0..8_u8, 0..40))
                .prop_map(|(kind, rest)| [&[kind][..], &rest].concat()),
        ],
    ) {
        if let Ok(stakes) = Stakes::decode(&bytes) {
            prop_assert_eq!(stakes.encode(), bytes.clone());
        }
        if let Ok(choice) = Choice::decode(&bytes) {
            prop_assert_eq!(choice.encode(), bytes);
        }
    }
}
