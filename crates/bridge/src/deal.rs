//! Cards, hands and deals.

use std::fmt;
use std::str::FromStr;

use zeroize::Zeroize;

use crate::Suit;

/// A player's seat at the bridge table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Compass {
    /// North.
    North,
    /// East, to the left of North.
    East,
    /// South.
    South,
    /// West.
    West,
}

impl Compass {
    /// All four seats, clockwise from North.
    pub const ALL: [Compass; 4] = [Compass::North, Compass::East, Compass::South, Compass::West];

    /// The letter of the seat: `N`, `E`, `S` or `W`.
    pub fn letter(self) -> char {
        ['N', 'E', 'S', 'W'][self as usize]
    }

    /// The seat that is `places` places clockwise from this seat.
    pub fn clockwise(self, places: usize) -> Compass {
        Compass::ALL[(self as usize + places % 4) % 4]
    }
}

/// A card, stored as its number: from 0 (the ace of spades) to 51 (the two of clubs).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Card(u8);

/// The ranks from the ace down.
const RANKS: [char; 13] = [
    'A', 'K', 'Q', 'J', 'T', '9', '8', '7', '6', '5', '4', '3', '2',
];

impl Card {
    /// All 52 cards, in the order of their numbers.
    pub fn all() -> impl Iterator<Item = Card> {
        (0..52).map(Card)
    }

    /// The card with the given number, or `None` if the number is not below 52.
    pub fn new(number: usize) -> Option<Card> {
        (number < 52).then_some(Card(number as u8))
    }

    /// The card with the given suit and rank, or `None` if the rank is not `A`, `K`, `Q`, `J`, `T`
    /// or `9` to `2`.
    pub fn of(suit: Suit, rank: char) -> Option<Card> {
        let rank = RANKS.iter().position(|known| *known == rank)?;
        Card::new(13 * suit as usize + rank)
    }

    /// The number of the card, below 52.
    pub fn number(self) -> usize {
        usize::from(self.0)
    }

    /// The suit of the card.
    pub fn suit(self) -> Suit {
        Suit::ALL[self.number() / 13]
    }

    /// The rank of the card: `A`, `K`, `Q`, `J`, `T` or `9` to `2`.
    pub fn rank(self) -> char {
        RANKS[self.number() % 13]
    }
}

/// A set of cards, stored as a number: bit `c` is set if the set contains card `c`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Zeroize)]
pub struct Hand(pub(crate) u64);

impl Hand {
    /// The cards of the hand, in the order of their numbers.
    pub fn cards(self) -> impl Iterator<Item = Card> {
        Card::all().filter(move |card| self.holds(*card))
    }

    /// Whether the hand contains `card`.
    pub fn holds(self, card: Card) -> bool {
        self.0 >> card.0 & 1 == 1
    }

    /// The ranks of the hand's cards in a suit, from the ace down.
    pub fn ranks(self, suit: Suit) -> impl Iterator<Item = char> {
        let first = 13 * suit as u8;
        let held = (first..first + 13).map(Card);
        held.filter(move |card| self.holds(*card)).map(Card::rank)
    }

    /// The high-card points: 4, 3, 2 and 1 for ace, king, queen and jack.
    pub fn high_card_points(self) -> u32 {
        self.cards()
            .map(|card| 4u32.saturating_sub(card.number() as u32 % 13))
            .sum()
    }
}

impl FromIterator<Card> for Hand {
    fn from_iter<I: IntoIterator<Item = Card>>(cards: I) -> Self {
        Hand(cards.into_iter().fold(0, |hand, card| hand | 1 << card.0))
    }
}

/// Formats the hand as in PBN: the ranks of each suit from the ace down, with dots between the
/// suits, such as `J2.AQ.A7652.J543`.
impl fmt::Display for Hand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for suit in Suit::ALL {
            if suit != Suit::Spades {
                f.write_str(".")?;
            }
            for rank in self.ranks(suit) {
                write!(f, "{rank}")?;
            }
        }
        Ok(())
    }
}

/// The reason why a text or a list of owners is not a valid deal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DealError {
    /// The text does not begin with a seat and a colon.
    #[error("a deal must begin with a seat and a colon, such as N:")]
    NoSeat,
    /// The number of hands is not four. The value is this number.
    #[error("a deal has four hands separated by single spaces, not {0} hands")]
    Hands(usize),
    /// A hand is not given. The value is its seat.
    #[error("the hand of {0} is hidden (-); all four hands are required")]
    Hidden(char),
    /// A hand does not have four suits. The values are its seat and its number of suits.
    #[error("a hand has four suits separated by dots, but the hand of {0} has {1}")]
    Suits(char, usize),
    /// A character is not a rank.
    #[error("{0:?} is not a rank; ranks are AKQJT98765432, with T for a ten")]
    Rank(char),
    /// A card appears twice.
    #[error("the card {suit}{rank} appears twice")]
    Twice {
        /// The letter of the suit.
        suit: char,
        /// The rank.
        rank: char,
    },
    /// A hand does not have 13 cards.
    #[error("{seat} has {cards} cards, not 13")]
    Count {
        /// The letter of the seat.
        seat: char,
        /// The number of cards in the hand.
        cards: usize,
    },
}

/// A deal of the 52 cards, 13 to each seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Deal {
    owners: [Compass; 52],
}

impl Deal {
    /// The deal in which seat `owners[c]` holds card `c`.
    ///
    /// # Errors
    /// [`DealError::Count`] if a seat does not have 13 cards.
    pub fn new(owners: [Compass; 52]) -> Result<Deal, DealError> {
        for seat in Compass::ALL {
            let cards = owners.iter().filter(|owner| **owner == seat).count();
            if cards != 13 {
                let seat = seat.letter();
                return Err(DealError::Count { seat, cards });
            }
        }
        Ok(Deal { owners })
    }

    /// The deal with the given owners. The caller guarantees that each seat has 13 cards.
    pub(super) fn dealt(owners: [Compass; 52]) -> Deal {
        Deal { owners }
    }

    /// The seat that holds a card.
    pub fn owner(&self, card: Card) -> Compass {
        self.owners[card.number()]
    }

    /// For each card, in the order of the card numbers, the seat that holds it.
    pub fn owners(&self) -> &[Compass; 52] {
        &self.owners
    }

    /// The 13 cards of a seat.
    pub fn hand(&self, seat: Compass) -> Hand {
        Card::all()
            .filter(|card| self.owner(*card) == seat)
            .collect()
    }

    /// Formats the deal as in PBN, with the hand of the seat `first` as the first hand.
    pub(crate) fn pbn_from(&self, first: Compass) -> String {
        let hands = [0, 1, 2, 3].map(|places| self.hand(first.clockwise(places)).to_string());
        format!("{}:{}", first.letter(), hands.join(" "))
    }
}

/// Formats the deal as in PBN: `N:` and the hands clockwise from North, separated by spaces.
impl fmt::Display for Deal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.pbn_from(Compass::North))
    }
}

/// Parses a deal as in PBN. The hands are clockwise from any seat, whose letter comes first.
impl FromStr for Deal {
    type Err = DealError;

    fn from_str(text: &str) -> Result<Deal, DealError> {
        let (first, hands) = text.split_once(':').ok_or(DealError::NoSeat)?;
        let first = Compass::ALL
            .into_iter()
            .find(|seat| first == seat.letter().to_string())
            .ok_or(DealError::NoSeat)?;
        let hands: Vec<&str> = hands.split(' ').collect();
        if hands.len() != 4 {
            return Err(DealError::Hands(hands.len()));
        }
        let mut owners = [None; 52];
        for (places, hand) in hands.into_iter().enumerate() {
            let seat = first.clockwise(places);
            for card in cards_of(hand, seat)? {
                if owners[card.number()].replace(seat).is_some() {
                    let (suit, rank) = (card.suit().letter(), card.rank());
                    return Err(DealError::Twice { suit, rank });
                }
            }
        }
        for seat in Compass::ALL {
            let cards = owners.iter().filter(|owner| **owner == Some(seat)).count();
            if cards != 13 {
                let seat = seat.letter();
                return Err(DealError::Count { seat, cards });
            }
        }
        // Each seat has 13 cards, so every card has an owner.
        Deal::new(owners.map(|owner| owner.unwrap_or(Compass::North)))
    }
}

/// Parses a hand as in PBN. An error names its `seat`.
fn cards_of(hand: &str, seat: Compass) -> Result<Vec<Card>, DealError> {
    if hand == "-" {
        return Err(DealError::Hidden(seat.letter()));
    }
    let suits: Vec<&str> = hand.split('.').collect();
    if suits.len() != 4 {
        return Err(DealError::Suits(seat.letter(), suits.len()));
    }
    let mut cards = Vec::new();
    for (suit, ranks) in Suit::ALL.into_iter().zip(suits) {
        for rank in ranks.chars() {
            cards.push(Card::of(suit, rank).ok_or(DealError::Rank(rank))?);
        }
    }
    Ok(cards)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEAL: &str = "N:J2.AQ.A7652.J543 QT87.T8.KJ843.A2 6543.J42.Q9.QT76 AK9.K97653.T.K98";

    #[test]
    fn deal_parses_from_any_seat_and_prints_from_north() {
        let deal: Deal = DEAL.parse().unwrap();
        assert_eq!(deal.to_string(), DEAL);
        let from_south = "S:6543.J42.Q9.QT76 AK9.K97653.T.K98 J2.AQ.A7652.J543 QT87.T8.KJ843.A2";
        assert_eq!(from_south.parse(), Ok(deal));
        let points = Compass::ALL.map(|seat| deal.hand(seat).high_card_points());
        assert_eq!(points, [12, 10, 5, 13]);
    }

    #[test]
    fn invalid_deals_are_rejected_with_the_reason() {
        let refused = |text: &str| text.parse::<Deal>().unwrap_err();
        assert_eq!(refused("J2.AQ"), DealError::NoSeat);
        assert_eq!(refused(&DEAL.replace("N:", "X:")), DealError::NoSeat);
        assert_eq!(refused(&DEAL.replace(" ", "  ")), DealError::Hands(7));
        assert_eq!(refused("N:a b c"), DealError::Hands(3));
        let hidden = DEAL.replace("AK9.K97653.T.K98", "-");
        assert_eq!(refused(&hidden), DealError::Hidden('W'));
        let suits = DealError::Suits('N', 3);
        assert_eq!(refused(&DEAL.replace("J2.AQ", "J2AQ")), suits);
        assert_eq!(refused(&DEAL.replace("J2", "X2")), DealError::Rank('X'));
        let (suit, rank) = ('S', 'Q');
        let twice = DealError::Twice { suit, rank };
        assert_eq!(refused(&DEAL.replace("J2", "Q2")), twice);
        let (seat, cards) = ('N', 12);
        let count = DealError::Count { seat, cards };
        assert_eq!(refused(&DEAL.replace("N:J2", "N:2")), count);
    }
}
