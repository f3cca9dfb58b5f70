//! Ranks of poker hands.
//!
//! A card of a deck of 52 has the number `13 * suit + rank`: suits clubs, diamonds, hearts, spades,
//! ranks from the deuce to the ace, as named by [`Card::of_52`].

use aya_poker::base;
use dealerless::deck::Card;
use std::fmt;

/// The rank of a poker hand: of the best five of its cards. A greater rank wins, and equal ranks
/// split the pot.
///
/// Its text form uses a player's words: `two pair, kings and fours`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HandRank(aya_poker::PokerHandRank);

impl HandRank {
    /// The rank of the best five of 5 to 7 different cards of a deck of 52.
    ///
    /// `None` for any other cards.
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

    /// The rank of a pair with three other cards that do not improve it.
    ///
    /// `None` for any other cards.
    pub(super) fn of_pair(cards: &[Card]) -> Option<Self> {
        let &[first, second] = cards else { return None };
        if first.0 % 13 != second.0 % 13 {
            return None;
        }
        let [a, b, c] = [1, 2, 3].map(|more| Card((first.0 % 13 + more) % 13));
        HandRank::of(&[first, second, a, b, c])
    }
}

/// The rank of the best five of 5 to 7 cards, and the first five cards that have this rank
/// together.
pub(super) fn best_five(cards: &[Card]) -> Option<(HandRank, Vec<Card>)> {
    let rank = HandRank::of(cards)?;
    let chosen = |set: u32| -> Vec<Card> {
        let is_in = move |&(place, _): &(usize, &Card)| set >> place & 1 == 1;
        let cards = cards.iter().enumerate().filter(is_in);
        cards.map(|(_, card)| *card).collect()
    };
    let fives = (0..1_u32 << cards.len()).filter(|set| set.count_ones() == 5);
    let five = (fives.map(chosen)).find(|five| HandRank::of(five) == Some(rank))?;
    Some((rank, five))
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
