//! All varieties of the game, for the tests that try each of them.

use dealerless_table::rules::{BettingRules, Limit, Posts, Variety};
use proptest::prelude::*;

/// The variety that follows this one in the list. A new variety does not compile until it has a place.
fn next(variety: &Variety) -> Option<Variety> {
    match *variety {
        Variety::Holdem(rules) => Some(Variety::FiveCardDraw(rules)),
        Variety::FiveCardDraw(_) => Some(Variety::Deck { cards: 9, drawn: 9 }),
        Variety::Deck { .. } => Some(Variety::Boards { boards: 1 }),
        Variety::Boards { .. } => None,
    }
}

/// Each variety once; those with chips by these rules of betting.
pub(crate) fn all(rules: BettingRules) -> Vec<Variety> {
    std::iter::successors(Some(Variety::Holdem(rules)), next).collect()
}

/// Each variety that has chips, by these rules of betting.
pub(crate) fn all_with_chips(rules: BettingRules) -> Vec<Variety> {
    let mut all = all(rules);
    all.retain(|variety| variety.poker().is_some());
    all
}

/// Any rules of betting.
fn any_rules() -> impl Strategy<Value = BettingRules> {
    let chips = (1..=100_u64, 0..=100_u64, 0..=1000_u64);
    let kinds = any::<[bool; 2]>();
    (chips, kinds).prop_map(|((low, more, rest), [blinds, fixed])| BettingRules {
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
    })
}

/// Any variety, by any rules of betting and with any number of cards or boards.
pub(crate) fn any_variety() -> impl Strategy<Value = Variety> {
    let varieties = any_rules().prop_flat_map(|rules| prop::sample::select(all(rules)));
    let numbers = (2..=4096_u32, 1..=9_u32, 1..=100_u32);
    (varieties, numbers).prop_map(|(variety, (cards, drawn, boards))| match variety {
        Variety::Holdem(_) | Variety::FiveCardDraw(_) => variety,
        Variety::Deck { .. } => Variety::Deck {
            cards,
            drawn: drawn.min(cards),
        },
        Variety::Boards { .. } => Variety::Boards { boards },
    })
}
