//! Arbitrary stakes, chips and choices. A hand accepts a choice as the rules allow, or stays
//! unchanged. Chips are neither created nor lost, and a hand ends if all seats choose the minimum.
//!
//! Input: the stakes, the chips and the button, then choices and the cards for each opening.

#![no_main]

mod seats;

use rand::SeedableRng;
use rand::rngs::StdRng;
use std::collections::HashSet;

use dealerless::deck::Card;
use dealerless_table::Seat;
use dealerless_table::rules::{
    BadCards, BettingRules, Choice, Gain, Game, GameDeck, Good, GoodsChoice, Hand,
    Learners, Legal, Limit, NamedKinds, Next, Offer, Outcome, PokerKind, Posts, Stakes, Variety,
};
use dealerless_table::testing::deck::hands;
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;

/// More steps than any hand has if all seats choose the minimum.
const TOO_LONG: usize = 1000;

fn any_stakes(input: &mut Unstructured) -> Result<Option<Stakes>> {
    let amount = |input: &mut Unstructured| -> Result<u64> {
        Ok(match input.int_in_range(0..=3)? {
            0 => input.arbitrary()?,
            _ => input.int_in_range(1..=200)?,
        })
    };
    let [stack, low, high] = [amount(input)?, amount(input)?, amount(input)?];
    let rules = BettingRules {
        stack,
        limit: if input.arbitrary()? {
            Limit::Fixed
        } else {
            Limit::NoLimit
        },
        posts: if input.arbitrary()? {
            Posts::Antes {
                ante: low,
                bet: high,
            }
        } else {
            Posts::Blinds {
                small: low,
                big: high,
            }
        },
    };
    let variety = match input.int_in_range(0..=3)? {
        3 => Variety::Boards {
            boards: low as u32 % 128,
        },
        0 => Variety::Poker(PokerKind::Holdem, rules),
        1 => Variety::Poker(PokerKind::FiveCardDraw, rules),
        _ => Variety::Deck {
            cards: low as u32,
            drawn: high as u32,
        },
    };
    let (seats, hands) = (input.int_in_range(0..=25)?, input.arbitrary()?);
    let stakes = if input.ratio(1, 4)? {
        any_game(input)?.and_then(|game| Stakes::of_game(game, seats, hands).ok())
    } else if input.ratio(1, 4)? {
        any_kinds(input)?.and_then(|kinds| Stakes::of_kinds(kinds, high as u32, seats, hands).ok())
    } else {
        Stakes::new(variety, seats, hands).ok()
    };
    if let Some(stakes) = &stakes {
        assert_eq!(Stakes::decode(&stakes.encode()).as_ref(), Ok(stakes));
    }
    Ok(stakes)
}

/// A board game with a board, a pile and two kinds of goods.
fn any_game(input: &mut Unstructured) -> Result<Option<Game>> {
    let mut decks = Vec::new();
    for name in ["tiles", "cards"] {
        let Some(kinds) = any_kinds(input)? else {
            return Ok(None);
        };
        decks.push(GameDeck {
            name: name.to_owned(),
            kinds,
            is_board: input.arbitrary()?,
        });
    }
    Ok(Game::new(decks, vec!["wood".to_owned(), "ore".to_owned()]).ok())
}

/// A choice about the goods of a hand, whose first good is at this position.
fn any_goods_choice(first: u16, input: &mut Unstructured) -> Result<GoodsChoice> {
    let good = |input: &mut Unstructured| -> Result<Good> {
        Ok(Good {
            position: first.saturating_add(input.int_in_range(0..=12)?),
            kind: input.int_in_range(0..=2)?,
        })
    };
    let goods = |input: &mut Unstructured| -> Result<Vec<Good>> {
        let count = input.int_in_range(0..=2)?;
        (0..count).map(|_| good(input)).collect()
    };
    let seat =
        |input: &mut Unstructured| -> Result<Seat> { Ok(Seat::new(input.int_in_range(0..=4)?)) };
    Ok(match input.int_in_range(0..=6)? {
        0 => GoodsChoice::Gain(vec![Gain {
            seat: seat(input)?,
            kind: input.int_in_range(0..=2)?,
            count: input.int_in_range(0..=3)?,
        }]),
        1 => GoodsChoice::Give(goods(input)?),
        2 => GoodsChoice::Offer(Offer {
            to: seat(input)?,
            give: goods(input)?,
            take: vec![input.int_in_range(0..=2)?],
        }),
        3 => GoodsChoice::Agree {
            number: input.int_in_range(0..=3)?,
            give: goods(input)?,
        },
        4 => GoodsChoice::Draw(input.int_in_range(0..=2)?),
        5 => GoodsChoice::Show {
            position: input.int_in_range(0..=80)?,
            to: any_learners(input)?,
        },
        _ => GoodsChoice::Mix,
    })
}

/// Kinds parsed from text can be written and parsed again.
fn any_kinds(input: &mut Unstructured) -> Result<Option<NamedKinds>> {
    let text = if input.arbitrary()? {
        input.arbitrary::<&str>()?.to_owned()
    } else {
        format!(
            "a={},b-1={}",
            input.int_in_range(0..=40)?,
            input.int_in_range(0..=40)?
        )
    };
    let kinds = text.parse::<NamedKinds>().ok();
    if let Some(kinds) = &kinds {
        assert_eq!(kinds.to_string().parse().as_ref(), Ok(kinds));
        let cards = kinds.cards() as u32;
        let faces: HashSet<_> = (0..cards)
            .map(|card| kinds.face(Card(card.into())))
            .collect();
        assert!(faces.len() == cards as usize && !faces.contains(&None));
        assert_eq!(kinds.face(Card(cards.into())), None);
    }
    Ok(kinds)
}

fn any_choice(legal: &Legal, first: u16, input: &mut Unstructured) -> Result<Choice> {
    if matches!(legal, Legal::Goods { .. }) && input.ratio(3, 4)? {
        return Ok(match input.int_in_range(0..=3)? {
            0 => Choice::Steal(Seat::new(input.int_in_range(0..=4)?)),
            _ => Choice::Goods(any_goods_choice(first, input)?),
        });
    }
    Ok(match input.int_in_range(0..=3)? {
        0 => {
            let bytes = input.bytes(input.len().min(12))?;
            Choice::decode(bytes).unwrap_or(Choice::Fold)
        }
        1 => Choice::Propose(vec![(input.arbitrary()?, any_learners(input)?)]),
        2 => match legal {
            Legal::Bet { bet, raise, .. } => {
                let amounts = bet.or(*raise);
                let (min, max) = amounts.map_or((0, 10), |amounts| (amounts.min, amounts.max));
                let to = input.int_in_range(min - min.min(1)..=max.saturating_add(1))?;
                if bet.is_some() {
                    Choice::Bet { to }
                } else {
                    Choice::Raise { to }
                }
            }
            Legal::Speak { proposals, .. } if !proposals.is_empty() => {
                Choice::Agree(input.choose(proposals)?.number)
            }
            _ => Choice::Exchange(input.arbitrary()?),
        },
        _ => seats::choice(legal, input.arbitrary()?),
    })
}

fn any_learners(input: &mut Unstructured) -> Result<Learners> {
    let seat: Option<u8> = input.arbitrary()?;
    Ok(seat.map_or(Learners::All, |seat| Learners::Seat(Seat::new(seat % 4))))
}

/// The allowed choice that does the least.
fn least(legal: &Legal) -> Choice {
    match legal {
        Legal::Bet { call: Some(_), .. } => Choice::Call,
        Legal::Bet { .. } => Choice::Check,
        Legal::Exchange => Choice::Exchange(Vec::new()),
        Legal::ShowOrMuck => Choice::Show,
        Legal::Goods {
            offer: Some((number, ..)),
        } => Choice::Refuse(*number),
        _ => Choice::Pass,
    }
}

fn open(
    hand: &mut Hand,
    due: &[(usize, Learners)],
    deck: &[Card],
    input: &mut Unstructured,
) -> Result<()> {
    let to_all = due.iter().filter(|(_, to)| *to == Learners::All);
    // All goods of a board game are opened as kind 0.
    let card = |&(at, _): &(usize, Learners)| (at, deck.get(at).copied().unwrap_or(Card(0)));
    let mut cards: Vec<_> = to_all.map(card).collect();
    if input.ratio(1, 8)? {
        let honest = cards.clone();
        let (at, card) = (
            input.int_in_range(0..=60)?,
            Card(input.int_in_range(0..=300)?),
        );
        match cards.first_mut() {
            Some(first) if input.arbitrary()? => first.1 = card,
            _ => cards.push((at, card)),
        }
        let before = hand.clone();
        if hand.opened(&cards).is_ok() {
            // A card that nobody has seen may have replaced another card.
            return Ok(());
        }
        assert_eq!(*hand, before);
        cards = honest;
    }
    let opened = hand.opened(&cards);
    if matches!(opened, Err(BadCards::OtherKind(_))) {
        // The seat named another kind, so the match is over.
        return Err(libfuzzer_sys::arbitrary::Error::IncorrectFormat);
    }
    if opened.is_err() {
        // This is possible only if a wrong card was accepted before, and the deck also has this
        // card.
        let twice = cards
            .iter()
            .any(|(_, card)| (0..4096).any(|at| hand.public(at) == Some(*card)));
        assert!(twice, "the cards of the deck were rejected");
        return Err(libfuzzer_sys::arbitrary::Error::IncorrectFormat);
    }
    Ok(())
}

fn check(outcome: &Outcome, chips: u64) {
    assert_eq!(outcome.stacks.iter().sum::<u64>(), chips);
    for pot in &outcome.pots {
        assert_eq!(
            pot.winners.iter().map(|(_, chips)| chips).sum::<u64>(),
            pot.chips
        );
    }
}

fn play(hand: &mut Hand, deck: &[Card], chips: u64, input: &mut Unstructured) -> Result<()> {
    let mut quiet = 0;
    while quiet < TOO_LONG {
        match hand.next() {
            Next::Over(outcome) => {
                check(&outcome, chips);
                assert!(hand.choose(Seat::HOST, &Choice::Pass).is_err());
                assert!(hand.opened(&[]).is_err());
                return Ok(());
            }
            Next::Open(due) => open(hand, &due, deck, input)?,
            Next::Steal(_) => {
                assert!(hand.rolled(&[1]).is_err() && hand.opened(&[]).is_err());
                hand.reshuffled(false)
                    .expect("a hand is waiting to be reshuffled");
            }
            Next::Mix { .. } => {
                assert!(hand.rolled(&[1]).is_err() && hand.opened(&[]).is_err());
                hand.mixed().expect("a mix is due");
            }
            Next::Roll(dice) => {
                let faces = vec![dice.sides(); dice.count() as usize];
                assert!(hand.rolled(&faces[1..]).is_err());
                hand.rolled(&faces).expect("the faces match the dice");
            }
            Next::Choose { seat, legal } => {
                let before = hand.clone();
                if !input.is_empty() {
                    let choice = any_choice(&legal, deck.len() as u16, input)?;
                    let by = if input.ratio(1, 16)? {
                        Seat::new(input.arbitrary()?)
                    } else {
                        seat
                    };
                    match hand.choose(by, &choice) {
                        Ok(()) => {
                            assert_eq!(by, seat);
                            assert_eq!(Choice::decode(&choice.encode()).as_ref(), Ok(&choice));
                        }
                        Err(_) => assert_eq!(*hand, before),
                    }
                }
                if *hand == before {
                    let done = hand.choose(seat, &least(&legal));
                    done.expect("the minimum is always allowed");
                }
                quiet += usize::from(input.is_empty());
            }
        }
        assert_eq!(hand.stacks().iter().sum::<u64>() + hand.pot(), chips);
    }
    panic!("the hand does not end");
}

fn run(input: &mut Unstructured) -> Result<()> {
    let Some(stakes) = any_stakes(input)? else {
        return Ok(());
    };
    let stack = |input: &mut Unstructured| -> Result<u64> {
        Ok(match input.int_in_range(0..=7)? {
            0 => 0,
            1 => input.arbitrary()?,
            _ => input.int_in_range(1..=1000)?,
        })
    };
    let mut stacks = vec![0; stakes.seats() + usize::from(input.ratio(1, 32)?)];
    if stakes.betting().is_some() {
        for chips in &mut stacks {
            *chips = stack(input)?;
        }
    }
    let button = Seat::new(input.int_in_range(0..=stakes.seats() as u8)?);
    let mut out: Vec<Seat> = Seat::all(stakes.seats()).collect();
    let sits_out = |_: &Seat| input.ratio(1, 8).unwrap_or(false);
    out.retain(sits_out);
    let Ok(mut hand) = Hand::new(&stakes, &stacks, &out, button) else {
        return Ok(());
    };
    let (cards, _) = stakes.deck();
    let turn = input.int_in_range(0..=cards as u64 - 1)?;
    let deck: Vec<Card> = match stakes.boards() {
        Some(boards) => {
            let mut rng = StdRng::seed_from_u64(turn);
            let hands: Vec<u64> = (0..boards).flat_map(|_| hands(&mut rng)).collect();
            hands.into_iter().map(Card).collect()
        }
        None => {
            let mut deck: Vec<Card> = (0..cards as u64).map(Card).collect();
            deck.rotate_left(turn as usize);
            deck
        }
    };
    play(&mut hand, &deck, stacks.iter().sum(), input)
}

fuzz_target!(|input: &[u8]| {
    // An input that is too short has no effect.
    let _ = run(&mut Unstructured::new(input));
});
