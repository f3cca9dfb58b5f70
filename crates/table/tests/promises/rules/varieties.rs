//! All varieties of the game, for tests of each variety.

use dealerless_table::rules::{BettingRules, Limit, PokerKind, Posts, Variety};
use proptest::prelude::*;

/// The variety after `variety` in the list. Board games need decks with names, and have their own tests. The `match` does not compile without a new variety.
fn next(variety: &Variety) -> Option<Variety> {
    match *variety {
        Variety::Poker(PokerKind::Holdem, rules) => {
            Some(Variety::Poker(PokerKind::FiveCardDraw, rules))
        }
        Variety::Poker(PokerKind::FiveCardDraw, _) => Some(Variety::Deck { cards: 9, drawn: 9 }),
        Variety::Deck { .. } => Some(Variety::Boards { boards: 1 }),
        Variety::Boards { .. } | Variety::Game { .. } => None,
    }
}

/// Each variety once. Varieties with chips have the betting rules `rules`.
pub(crate) fn all(rules: BettingRules) -> Vec<Variety> {
    std::iter::successors(Some(Variety::Poker(PokerKind::Holdem, rules)), next).collect()
}

/// Each variety with chips, with the betting rules `rules`.
pub(crate) fn all_with_chips(rules: BettingRules) -> Vec<Variety> {
    let mut all = all(rules);
    all.retain(|variety| variety.poker().is_some());
    all
}

/// Any betting rules.
fn any_rules() -> impl Strategy<Value = BettingRules> {
    let chips = (1..=100_u64, 0..=100_u64, 0..=1000_u64);
    let kinds = any::<[bool; 2]>();
    (chips, kinds).prop_map(|((low, more, rest), [blinds, fixed])| BettingRules {
        stack: low + more + rest,
        limit: if fixed { Limit::Fixed } else { Limit::NoLimit },
        posts: if blinds {
            Posts::Blinds {
                small: low,
                big: low + more,
            }
        } else {
            Posts::Antes {
                ante: low,
                bet: low + more,
            }
        },
    })
}

/// Any variety, with any betting rules and any number of cards or boards.
pub(crate) fn any_variety() -> impl Strategy<Value = Variety> {
    let varieties = any_rules().prop_flat_map(|rules| prop::sample::select(all(rules)));
    let numbers = (2..=4096_u32, 1..=9_u32, 1..=100_u32);
    (varieties, numbers).prop_map(|(variety, (cards, drawn, boards))| match variety {
        Variety::Poker(PokerKind::Holdem, _)
        | Variety::Poker(PokerKind::FiveCardDraw, _)
        | Variety::Game { .. } => variety,
        Variety::Deck { .. } => Variety::Deck {
            cards,
            drawn: drawn.min(cards),
        },
        Variety::Boards { .. } => Variety::Boards { boards },
    })
}
