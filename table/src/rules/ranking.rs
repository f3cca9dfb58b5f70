//! What five cards are worth.
//!
//! Card `13 * suit + rank` of a deck of 52: suits clubs, diamonds, hearts, spades, ranks from the
//! deuce to the ace, as [`Card::of_52`] names them.

use aya_poker::base;
use dealerless::deck::Card;
use std::fmt;

/// What the best five of some cards are worth. A greater rank wins; equal ranks split.
///
/// Its words are those of a player: `two pair, kings and fours`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HandRank(aya_poker::PokerHandRank);

impl HandRank {
    /// The rank of the best five of 5 to 7 different cards of a deck of 52.
    ///
    /// `None` for anything else.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn of(cards: &[Card]) -> Option<Self> {
        if !(5..=7).contains(&cards.len()) {
            return None;
        }
        let mut hand = base::Hand::new();
        for &card in cards {
            let card = face(card)?;
            if hand.contains(&card) {
                return None;
            }
            hand.insert_unchecked(&card);
        }
        Some(HandRank(aya_poker::poker_rank(&hand)))
    }

    /// The hand that these cards make, in words: the best five of 5 to 7 cards, or a pair of two.
    ///
    /// `None` for anything else.
    pub fn in_words(cards: &[Card]) -> Option<String> {
        let rank = match *cards {
            [first, second] if first != second && first.0 % 13 == second.0 % 13 => {
                // Three other ranks make nothing more of a pair.
                let others = (1..=3).map(|more| Card((first.0 % 13 + more) % 13));
                HandRank::of(
                    &[first, second]
                        .into_iter()
                        .chain(others)
                        .collect::<Vec<_>>(),
                )
            }
            _ => HandRank::of(cards),
        };
        rank.map(|rank| rank.to_string())
    }
}

/// The first five of these cards that are worth this: 5 to 7 cards, and their rank.
pub(super) fn five_worth(rank: HandRank, cards: &[Card]) -> Vec<Card> {
    let chosen = |set: u32| {
        let is_in = move |&(place, _): &(usize, &Card)| set >> place & 1 == 1;
        let cards = cards.iter().enumerate().filter(is_in);
        cards.map(|(_, card)| *card).collect::<Vec<Card>>()
    };
    let fives = (0..1_u32 << cards.len()).filter(|set| set.count_ones() == 5);
    let mut fives = fives.map(chosen);
    fives
        .find(|five| HandRank::of(five) == Some(rank))
        .unwrap_or_default()
}

fn face(card: Card) -> Option<base::Card> {
    let (suit, rank) = (card.0 / 13, card.0 % 13);
    let suit = base::Suit::try_from(u8::try_from(suit).ok()?).ok()?;
    let rank = base::Rank::try_from(rank as u8).ok()?;
    Some(base::Card::new(rank, suit))
}

impl fmt::Display for HandRank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_string().to_lowercase())
    }
}
