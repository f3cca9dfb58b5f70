//! Each value of `Stakes` and `Choice` has one canonical encoding. All other bytes are refused.

use super::dealt::{SMALL_AND_BIG, rules};
use super::varieties::any_variety;
use dealerless::deck::{Card, KindsError};
use dealerless::dice::Dice;
use dealerless_table::Seat;
use dealerless_table::rules::{
    BadKinds, BettingRules, Choice, Gain, Game, GameDeck, Good, GoodsChoice, Learners, Limit,
    NamedKinds, Offer, PokerKind, Posts, Stakes, StakesError, Variety,
};
use proptest::prelude::*;

#[test]
fn stakes_out_of_bounds_are_refused() {
    let holdem = |stack, posts| {
        let limit = Limit::NoLimit;
        let rules = BettingRules {
            stack,
            limit,
            posts,
        };
        Stakes::new(Variety::Poker(PokerKind::Holdem, rules), 2, 1)
            .map_err(|error| error.to_string())
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
    let draw = Variety::Poker(PokerKind::FiveCardDraw, rules(Limit::Fixed, SMALL_AND_BIG));
    for seats in [0, 1, 6] {
        assert_eq!(
            of(draw, seats, 1),
            Err(StakesError::Seats { seats, most: 5 })
        );
    }
    let deck = Variety::Deck { cards: 9, drawn: 9 };
    assert!(of(deck, Stakes::MAX_SEATS, 1).is_ok());
    for seats in [0, 1, 24, u8::MAX] {
        let most = Stakes::MAX_SEATS;
        assert_eq!(of(deck, seats, 1), Err(StakesError::Seats { seats, most }));
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
fn deck_is_large_enough_for_all_seats() {
    for (variety, seats, deck) in [
        (
            Variety::Poker(PokerKind::Holdem, rules(Limit::NoLimit, SMALL_AND_BIG)),
            2,
            (52, 9),
        ),
        (
            Variety::Poker(PokerKind::Holdem, rules(Limit::NoLimit, SMALL_AND_BIG)),
            23,
            (52, 51),
        ),
        (
            Variety::Poker(
                PokerKind::FiveCardDraw,
                rules(Limit::NoLimit, SMALL_AND_BIG),
            ),
            2,
            (52, 20),
        ),
        (
            Variety::Poker(
                PokerKind::FiveCardDraw,
                rules(Limit::NoLimit, SMALL_AND_BIG),
            ),
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

#[test]
fn kinds_make_a_deck_of_named_cards() {
    let kinds: NamedKinds = "knight=14,castle=5,road=2".parse().unwrap();
    let faces = [0, 13, 14, 18, 19, 20, 21].map(|card| kinds.face(Card(card)));
    let names = [
        "knight#1",
        "knight#14",
        "castle#1",
        "castle#5",
        "road#1",
        "road#2",
    ];
    assert_eq!(faces[..6], names.map(|name| Some(name.to_owned())));
    assert_eq!(faces[6], None);
    let stakes = Stakes::of_kinds(kinds.clone(), 7, 2, 3).unwrap();
    assert_eq!((stakes.deck(), stakes.kinds()), ((21, 7), Some(&kinds)));
    let deck = Variety::Deck {
        cards: 21,
        drawn: 7,
    };
    assert_eq!(stakes.variety(), deck);
    // The same cards with other names, or without names, are different stakes.
    let all = [
        stakes.encode(),
        Stakes::new(deck, 2, 3).unwrap().encode(),
        of_kinds("knight=14,castle=5,roads=2").encode(),
        of_kinds("knight=14,castle=4,road=3").encode(),
        of_kinds("castle=5,knight=14,road=2").encode(),
    ];
    for (at, bytes) in all.iter().enumerate() {
        assert!(!all[..at].contains(bytes));
    }
    for drawn in [0, 22] {
        let refused = Stakes::of_kinds(kinds.clone(), drawn, 2, 3);
        assert_eq!(refused, Err(StakesError::Deck { cards: 21, drawn }));
    }
}

fn of_kinds(text: &str) -> Stakes {
    Stakes::of_kinds(text.parse().unwrap(), 7, 2, 3).unwrap()
}

#[test]
fn kinds_are_parsed_from_text() {
    for (text, written) in [
        ("knight=14,castle=5,road=2", "knight=14,castle=5,road=2"),
        ("14,5,2", "kind-1=14,kind-2=5,kind-3=2"),
        (" a_B-9 = 1 , 4096", ""),
        (" a_B-9 = 1 , 4095", "a_B-9=1,kind-2=4095"),
        ("x=2", "x=2"),
    ] {
        let kinds = text.parse::<NamedKinds>().map(|kinds| kinds.to_string());
        assert_eq!(kinds.unwrap_or_default(), written, "{text}");
    }
    for text in [
        "",
        "a",
        "a=",
        "a=b",
        "a=1,",
        "a=-1",
        "a=99999999999",
        "a=1=2",
    ] {
        assert_eq!(text.parse::<NamedKinds>(), Err(BadKinds::Form), "{text}");
    }
}

/// The encoded stakes of a deck of kinds, valid or not.
fn pile(number: u8, kinds: &[(&[u8], u32)], drawn: u32) -> Vec<u8> {
    let mut bytes = vec![3, number];
    for (name, count) in kinds {
        bytes.extend((name.len() as u16).to_le_bytes());
        bytes.extend(*name);
        bytes.extend(count.to_le_bytes());
    }
    bytes.extend(drawn.to_le_bytes());
    // Two seats, one hand.
    bytes.extend([2, 1, 0, 0, 0]);
    bytes
}

#[test]
fn hostile_kinds_are_refused() {
    let good: &[(&[u8], u32)] = &[(b"knight", 14), (b"castle", 5)];
    let read = |bytes: Vec<u8>| Stakes::decode(&bytes);
    assert_eq!(read(pile(2, good, 7)).unwrap().encode(), pile(2, good, 7));
    let many: Vec<String> = (0..65).map(|number| format!("k{number}")).collect();
    let many: Vec<(&[u8], u32)> = many.iter().map(|name| (name.as_bytes(), 1)).collect();
    assert!(read(pile(64, &many[..64], 1)).is_ok());
    for (number, kinds) in [(65, &many[..]), (0, &[]), (255, good)] {
        let refused = Err(StakesError::Kinds(BadKinds::Number(number.into())));
        assert_eq!(read(pile(number, kinds, 1)), refused);
    }
    // A number of kinds that differs from the kinds that follow.
    for number in [1, 3] {
        assert!(read(pile(number, good, 7)).is_err());
    }
    let names: [&[u8]; 14] = [
        b"",
        b" ",
        b"a b",
        b"a#1",
        b"a=1",
        b"a,b",
        b"\n",
        b"\x1b[31m",
        b"a\x00",
        "\u{202e}abc".as_bytes(),
        "a\u{200b}".as_bytes(),
        "\u{e4}".as_bytes(),
        b"\xff\xfe",
        b"(only-you)",
    ];
    for name in names {
        let error = read(pile(2, &[(b"knight", 14), (name, 5)], 7)).unwrap_err();
        let expected = [
            StakesError::Kinds(BadKinds::Name(2)),
            StakesError::Malformed,
        ];
        assert!(expected.contains(&error), "{name:?}: {error}");
    }
    assert!(read(pile(1, &[(&[b'x'; 24], 14)], 7)).is_ok());
    for long in [25, 26, 60_000] {
        let name = vec![b'x'; long];
        assert_eq!(
            read(pile(1, &[(&name, 14)], 7)),
            Err(StakesError::Malformed)
        );
    }
    for (second, count, bad) in [
        ("knight", 5, BadKinds::Twice(2)),
        ("Knight", 5, BadKinds::Twice(2)),
        ("castle", 0, BadKinds::NoCard(2)),
        ("castle", 4096, BadKinds::Cards(KindsError)),
        ("castle", u32::MAX, BadKinds::Cards(KindsError)),
    ] {
        let error = read(pile(2, &[(b"knight", 14), (second.as_bytes(), count)], 7));
        assert_eq!(error, Err(StakesError::Kinds(bad)), "{second} {count}");
    }
    let one = read(pile(1, &[(b"knight", 1)], 1));
    assert_eq!(one, Err(StakesError::Kinds(BadKinds::Cards(KindsError))));
    for drawn in [0, 20, u32::MAX] {
        let refused = Err(StakesError::Deck { cards: 19, drawn });
        assert_eq!(read(pile(2, good, drawn)), refused);
    }
    let longest: Vec<Vec<u8>> = (0..64)
        .map(|number| format!("{number:024}").into_bytes())
        .collect();
    let longest: Vec<(&[u8], u32)> = longest.iter().map(|name| (&name[..], 64)).collect();
    assert!(read(pile(64, &longest, 4096)).is_ok());
    assert!(pile(64, &longest, 4096).len() < Stakes::MAX_LEN);
    // The longest stakes are those of a board game.
    let name = |number: usize| format!("{number:024}");
    let decks = (0..8).map(|deck| {
        let names: Vec<String> = (0..8).map(|kind| name(8 * deck + kind)).collect();
        let kinds: Vec<(&str, u32)> = names.iter().map(|name| (&name[..], 16)).collect();
        GameDeck {
            name: name(deck),
            kinds: NamedKinds::new(&kinds).unwrap(),
            is_board: true,
        }
    });
    let game = Game::new(decks.collect(), (0..32).map(name).collect()).unwrap();
    let stakes = Stakes::of_game(game, 10, 1).unwrap();
    assert_eq!(stakes.encode().len(), Stakes::MAX_LEN);
}

fn any_stakes() -> impl Strategy<Value = Stakes> {
    // Boards are for two seats. All other games allow up to five here.
    let no_kinds =
        (any_variety(), 2..=5_u8, 1..=1_000_000_u32).prop_map(|(variety, seats, hands)| {
            let two = matches!(variety, Variety::Boards { .. });
            Stakes::new(variety, if two { 2 } else { seats }, hands).unwrap()
        });
    let kinds = prop::collection::btree_map("[a-z0-9_-]{1,24}", 1..=60_u32, 2..=64);
    let kinds = (kinds, 1..=2_u32, 2..=5_u8).prop_map(|(kinds, drawn, seats)| {
        let kinds: Vec<(&str, u32)> = kinds.iter().map(|(name, &n)| (&name[..], n)).collect();
        Stakes::of_kinds(NamedKinds::new(&kinds).unwrap(), drawn, seats, 1).unwrap()
    });
    prop_oneof![3 => no_kinds, 1 => kinds, 1 => any_game()]
}

/// Any stakes of a board game.
fn any_game() -> impl Strategy<Value = Stakes> {
    let kinds = prop::collection::btree_map("[a-z0-9_-]{1,24}", 2..=20_u32, 1..=6);
    let decks = prop::collection::btree_map("[a-f0-9_-]{1,24}", (kinds, any::<bool>()), 1..=8);
    let goods = prop::collection::btree_set("[a-z0-9_-]{1,24}", 0..=32);
    (decks, goods, 2..=10_u8).prop_map(|(decks, goods, seats)| {
        let deck = |(name, (kinds, is_board)): (String, (std::collections::BTreeMap<_, _>, _))| {
            let kinds: Vec<(&str, u32)> = kinds
                .iter()
                .map(|(name, number): (&String, &u32)| (&name[..], *number))
                .collect();
            GameDeck {
                name,
                kinds: NamedKinds::new(&kinds).unwrap(),
                is_board,
            }
        };
        let decks = decks.into_iter().map(deck).collect();
        let game = Game::new(decks, goods.into_iter().collect()).unwrap();
        Stakes::of_game(game, seats, 1).unwrap()
    })
}

fn any_goods_choice() -> impl Strategy<Value = GoodsChoice> {
    let seat = || any::<u8>().prop_map(Seat::new);
    let goods = || {
        let good = (any::<u16>(), any::<u8>()).prop_map(|(position, kind)| Good { position, kind });
        prop::collection::vec(good, 0..=32)
    };
    let gain = (seat(), any::<u8>(), any::<u8>()).prop_map(|(seat, kind, count)| Gain {
        seat,
        kind,
        count,
    });
    let take = prop::collection::vec(any::<u8>(), 0..=32);
    prop_oneof![
        prop::collection::vec(gain, 0..=32).prop_map(GoodsChoice::Gain),
        goods().prop_map(GoodsChoice::Give),
        (seat(), goods(), take).prop_map(|(to, give, take)| GoodsChoice::Offer(Offer {
            to,
            give,
            take
        })),
        (any::<u32>(), goods()).prop_map(|(number, give)| GoodsChoice::Agree { number, give }),
        any::<u8>().prop_map(GoodsChoice::Draw),
        (any::<u16>(), seat()).prop_map(|(position, seat)| GoodsChoice::Show {
            position,
            to: Learners::Seat(seat)
        }),
        Just(GoodsChoice::Mix),
    ]
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
        any::<u16>().prop_map(Choice::ShowCard),
        any_goods_choice().prop_map(Choice::Goods),
    ]
}

proptest! {
    #[test]
    fn decoding_inverts_encoding(stakes in any_stakes(), choice in any_choice()) {
        let (header, part) = (stakes.encode(), choice.encode());
        prop_assert!(header.len() <= Stakes::MAX_LEN && part.len() <= Choice::MAX_LEN);
        prop_assert_eq!(Stakes::decode(&header), Ok(stakes));
        prop_assert_eq!(Choice::decode(&part), Ok(choice));
    }

    #[test]
    fn changed_encodings_are_refused_or_decode_to_other_values(
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
    fn decodable_bytes_are_canonical(
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
