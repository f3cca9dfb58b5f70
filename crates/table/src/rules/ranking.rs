//! Ranks of poker hands.
//!
//! A card of a deck of 52 has the number `13 * suit + rank`: suits clubs, diamonds, hearts, spades,
//! ranks from the deuce to the ace, as named by [`Card::of_52`].

use std::cmp::Reverse;
use std::fmt;

use dealerless::deck::Card;

/// The rank of a poker hand: of the best five of its cards. A greater rank wins, and equal ranks
/// split the pot.
///
/// Its text form uses a player's words: `two pair, kings and fours`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HandRank {
    kind: Kind,
    /// The ranks that compare two hands of a kind, the more frequent ones first. Those of a straight
    /// are all the rank of its highest card.
    ranks: [u8; 5],
}

/// The kinds of hands, the lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Kind {
    HighCard,
    Pair,
    TwoPair,
    Three,
    Straight,
    Flush,
    FullHouse,
    Four,
    StraightFlush,
}

impl HandRank {
    /// The rank of the best five of 5 to 7 different cards of a deck of 52.
    ///
    /// `None` for any other cards.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn of(cards: &[Card]) -> Option<Self> {
        best_five(cards).map(|(rank, _)| rank)
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

    /// The rank of five cards of a deck of 52.
    fn of_five(cards: [Card; 5]) -> Self {
        let mut ranks = cards.map(|card| (card.0 % 13) as u8);
        let count = |rank: u8| ranks.iter().filter(|&&other| other == rank).count();
        let counts: [usize; 13] = std::array::from_fn(|rank| count(rank as u8));
        ranks.sort_unstable_by_key(|&rank| Reverse((counts[usize::from(rank)], rank)));
        let counts = ranks.map(|rank| counts[usize::from(rank)]);
        let is_flush = cards.iter().all(|card| card.0 / 13 == cards[0].0 / 13);
        let highest = match ranks {
            [12, 3, 2, 1, 0] => Some(3),
            [highest, .., lowest] if counts == [1; 5] && highest - lowest == 4 => Some(highest),
            _ => None,
        };
        let kind = match (counts, highest, is_flush) {
            (_, Some(_), true) => Kind::StraightFlush,
            ([4, ..], ..) => Kind::Four,
            ([3, .., 2], ..) => Kind::FullHouse,
            (_, None, true) => Kind::Flush,
            (_, Some(_), false) => Kind::Straight,
            ([3, ..], ..) => Kind::Three,
            ([_, _, 2, ..], ..) => Kind::TwoPair,
            ([2, ..], ..) => Kind::Pair,
            _ => Kind::HighCard,
        };
        let ranks = highest.map_or(ranks, |highest| [highest; 5]);
        HandRank { kind, ranks }
    }
}

/// The rank of the best five of 5 to 7 different cards of a deck of 52, and the first five cards that
/// have this rank together.
///
/// `None` for any other cards.
pub(super) fn best_five(cards: &[Card]) -> Option<(HandRank, Vec<Card>)> {
    let are_different = (1..cards.len()).all(|number| !cards[..number].contains(&cards[number]));
    if !(5..=7).contains(&cards.len()) || !are_different || cards.iter().any(|card| card.0 >= 52) {
        return None;
    }
    let fives = (0..1_u32 << cards.len()).filter(|set| set.count_ones() == 5);
    let ranked = fives.map(|set| {
        let mut places = (0..cards.len()).filter(|place| set >> place & 1 == 1);
        let five = [(); 5].map(|()| cards[places.next().expect("the set has five places")]);
        (HandRank::of_five(five), five)
    });
    let (rank, five) = ranked.reduce(|best, next| if next.0 > best.0 { next } else { best })?;
    Some((rank, five.to_vec()))
}

/// The name of a rank of cards.
fn name(rank: u8) -> &'static str {
    const NAMES: [&str; 13] = [
        "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen",
        "king", "ace",
    ];
    NAMES[usize::from(rank)]
}

/// The name of several cards of a rank.
fn names(rank: u8) -> String {
    let ending = if name(rank) == "six" { "es" } else { "s" };
    format!("{}{ending}", name(rank))
}

impl fmt::Display for HandRank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, _, third, fourth, _] = self.ranks;
        let (one, many) = (name(first), names(first));
        match self.kind {
            Kind::HighCard => write!(f, "high card, {one}"),
            Kind::Pair => write!(f, "pair, {many}"),
            Kind::TwoPair => write!(f, "two pair, {many} and {}", names(third)),
            Kind::Three => write!(f, "three of a kind, {many}"),
            Kind::Straight => write!(f, "straight, {one}-high"),
            Kind::Flush => write!(f, "flush, {one}-high"),
            Kind::FullHouse => write!(f, "full house, {many} over {}", names(fourth)),
            Kind::Four => write!(f, "four of a kind, {many}"),
            Kind::StraightFlush if one == "ace" => write!(f, "royal flush"),
            Kind::StraightFlush => write!(f, "straight flush, {one}-high"),
        }
    }
}
