//! Numbers of deals: bijections between the deals and the numbers below [`DealNumber::COUNT`], in
//! three orders.
//!
//! There are C(52,13) · C(39,13) · C(26,13) deals: North's hand is a choice of 13 of 52 cards,
//! East's hand of 13 of the other 39 cards, and South's hand of 13 of the last 26 cards. Big Deal
//! and Andrews rank each of these hands among its possible choices, and combine the ranks into the
//! number `(north · C(39,13) + east) · C(26,13) + south`. Big Deal and Andrews sort the choices
//! differently. Pavlicek writes a deal as a word of 52 letters, the owners of the cards, and ranks
//! it among all such words.
//!
//! Sources: Big Deal's documentation of its numbers (van Staveren), and the Impossible Bridge Books
//! of Andrews and of Pavlicek. Page `p` of these books shows deal `p - 1`. The deals are public, so
//! the computations need not run in constant time.

use std::fmt;
use std::str::FromStr;

use super::{Compass, Deal};

/// `CHOOSE[n][k]` is C(n,k).
static CHOOSE: [[u64; 14]; 53] = {
    let mut table = [[0; 14]; 53];
    let mut n = 0;
    while n < 53 {
        table[n][0] = 1;
        let mut k = 1;
        while k <= n && k < 14 {
            table[n][k] = table[n - 1][k - 1] + table[n - 1][k];
            k += 1;
        }
        n += 1;
    }
    table
};

/// The order in which the deals are numbered from 0.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, strum::Display, strum::EnumString, strum::IntoStaticStr,
)]
#[strum(serialize_all = "lowercase")]
pub enum Order {
    /// Big Deal's order: hands are sorted lexicographically by their cards, starting from the ace
    /// of spades.
    BigDeal,
    /// Andrews' order: hands are sorted colexicographically: their last cards are compared first.
    Andrews,
    /// Pavlicek's order: the words of the owners of all 52 cards are sorted lexicographically.
    /// North comes before East, East before South, and South before West.
    Pavlicek,
}

impl Order {
    /// All three orders.
    pub const ALL: [Order; 3] = [Order::BigDeal, Order::Andrews, Order::Pavlicek];
}

/// The number of a deal in one of the [`Order`]s. It is below [`COUNT`](Self::COUNT).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DealNumber(u128);

/// The reason why a text or an integer is not a deal number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NumberError {
    /// The text is not a number.
    #[error("expected a number such as 1000, 1,000 or 0x3e8")]
    Digits,
    /// The number is too large.
    #[error("the number is too large; the last deal is {}", DealNumber(DealNumber::COUNT - 1))]
    TooLarge,
}

impl DealNumber {
    /// The number of deals: C(52,13) · C(39,13) · C(26,13).
    pub const COUNT: u128 =
        CHOOSE[52][13] as u128 * CHOOSE[39][13] as u128 * CHOOSE[26][13] as u128;

    /// Makes a deal number from an integer.
    ///
    /// # Errors
    /// [`NumberError::TooLarge`] if there is no deal with this number.
    pub fn new(number: u128) -> Result<DealNumber, NumberError> {
        if number < Self::COUNT {
            Ok(DealNumber(number))
        } else {
            Err(NumberError::TooLarge)
        }
    }

    /// The number as an integer.
    pub fn get(self) -> u128 {
        self.0
    }

    /// The number of `deal` in `order`.
    pub fn of(deal: &Deal, order: Order) -> DealNumber {
        let owners = deal.owners().iter().copied();
        DealNumber(match order {
            Order::BigDeal => join(mirror(hand_ranks(owners.rev()))),
            Order::Andrews => join(hand_ranks(owners)),
            Order::Pavlicek => word_rank(deal.owners()),
        })
    }

    /// The deal with this number in `order`.
    pub fn deal(self, order: Order) -> Deal {
        let owners = match order {
            Order::BigDeal => {
                let mut owners = owners(mirror(split(self.0)));
                owners.reverse();
                owners
            }
            Order::Andrews => owners(split(self.0)),
            Order::Pavlicek => word(self.0),
        };
        Deal::new(owners).expect("each hand has 13 cards")
    }
}

/// Formats the number in decimal digits.
impl fmt::Display for DealNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Parses decimal digits, with or without commas before each three digits, or `0x` and hexadecimal
/// digits.
impl FromStr for DealNumber {
    type Err = NumberError;

    fn from_str(text: &str) -> Result<DealNumber, NumberError> {
        let (digits, radix) = match text.strip_prefix("0x") {
            Some(digits) => (digits.to_owned(), 16),
            None => (without_commas(text)?, 10),
        };
        if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
            return Err(NumberError::Digits);
        }
        // The digits are valid, so the only possible error is an overflow.
        let number = u128::from_str_radix(&digits, radix).map_err(|_| NumberError::TooLarge)?;
        DealNumber::new(number)
    }
}

/// Removes the commas, each of which must precede a group of three digits.
fn without_commas(text: &str) -> Result<String, NumberError> {
    let mut groups = text.split(',');
    let first = groups.next().unwrap_or_default();
    let mut is_in_order = !text.contains(',') || (1..=3).contains(&first.len());
    is_in_order &= groups.all(|group| group.len() == 3);
    if is_in_order {
        Ok(text.replace(',', ""))
    } else {
        Err(NumberError::Digits)
    }
}

/// The numbers of possible hands of North, East and South: choices of 13 of 52, 39 and 26 cards.
const CHOICES: [u64; 3] = [CHOOSE[52][13], CHOOSE[39][13], CHOOSE[26][13]];

/// Combines the ranks of North's, East's and South's hands into a deal number.
fn join(ranks: [u64; 3]) -> u128 {
    let pairs = CHOICES.iter().zip(ranks);
    pairs.fold(0, |number, (&choices, rank)| {
        number * u128::from(choices) + u128::from(rank)
    })
}

/// Splits a deal number into the ranks of North's, East's and South's hands.
fn split(number: u128) -> [u64; 3] {
    let [_, east, south] = CHOICES;
    let north_weight = u128::from(east) * u128::from(south);
    // `north_weight` fits into 64 bits, and so does the remainder.
    let left = (number % north_weight) as u64;
    [(number / north_weight) as u64, left / south, left % south]
}

/// Converts each rank to the rank of the same hand in the reversed order of the choices.
///
/// The lexicographic order of choices from a pack is the reversed colexicographic order of the same
/// choices from the reversed pack.
fn mirror(ranks: [u64; 3]) -> [u64; 3] {
    std::array::from_fn(|hand| CHOICES[hand] - 1 - ranks[hand])
}

/// The colexicographic rank of each of the first three hands: the sum of C(place, k + 1) over the
/// cards of the hand. k is the index of the card in its hand, and `place` the index of the card
/// among the cards that are not in earlier hands.
fn hand_ranks(owners: impl Iterator<Item = Compass>) -> [u64; 3] {
    let (mut ranks, mut places, mut taken) = ([0; 3], [0; 3], [0; 3]);
    for owner in owners {
        let owner = owner as usize;
        if owner < 3 {
            taken[owner] += 1;
            ranks[owner] += CHOOSE[places[owner]][taken[owner]];
        }
        // Hands after the owner cannot choose this card, so it does not count in their places.
        for place in &mut places[..=owner.min(2)] {
            *place += 1;
        }
    }
    ranks
}

/// The owners of the cards if the first three hands have the given colexicographic ranks.
fn owners(ranks: [u64; 3]) -> [Compass; 52] {
    let mut owners = [Compass::West; 52];
    // The cards without an owner, from the last to the first.
    let mut left: [usize; 52] = std::array::from_fn(|place| 51 - place);
    let mut size = 52;
    for (seat, mut rank) in Compass::ALL.into_iter().zip(ranks) {
        let (mut wanted, mut kept) = (13, 0);
        for at in 0..size {
            let (card, below) = (left[at], CHOOSE[size - 1 - at][wanted]);
            if rank < below {
                left[kept] = card;
                kept += 1;
            } else {
                owners[card] = seat;
                rank -= below;
                wanted -= 1;
            }
        }
        size = kept;
    }
    owners
}

/// The set of all words of owners (see [`Order::Pavlicek`]) that begin with certain letters.
struct Words {
    /// The number of words in the set.
    count: u128,
    /// How often each letter occurs after these first letters.
    letters: [u8; 4],
}

impl Words {
    /// All words, with 13 letters of each kind.
    const ALL: Words = Words {
        count: DealNumber::COUNT,
        letters: [13; 4],
    };

    /// For each letter, the number of words in the set whose next letter is a smaller one; and as
    /// the last element, the number of all words in the set. The fraction of these words in the set
    /// equals the fraction of the smaller letters among the remaining letters.
    fn bounds(&self) -> [u128; 5] {
        let [north, east, south, west] = self.letters;
        let first = [north, north + east, north + east + south];
        let left = first[2] + west;
        let [east, south, west] =
            first.map(|first| exact_quotient(self.count * u128::from(first), left));
        [0, east, south, west, self.count]
    }

    /// Restricts the set to the words whose next letter is `letter`. `bounds` are the
    /// [`bounds`](Self::bounds) of the set before the call. Returns the number of words whose next
    /// letter was smaller.
    fn restrict(&mut self, letter: usize, bounds: &[u128; 5]) -> u128 {
        self.count = bounds[letter + 1] - bounds[letter];
        self.letters[letter] -= 1;
        bounds[letter]
    }
}

/// For each number below 53, the inverse of its odd part modulo 2^128.
static INVERSES: [u128; 53] = {
    let mut inverses = [1; 53];
    let mut number: u128 = 1;
    while number < 53 {
        let odd = number >> number.trailing_zeros();
        // Newton iteration: three bits are correct at the start, and each step doubles the number
        // of correct bits.
        let (mut inverse, mut step) = (odd, 0);
        while step < 6 {
            inverse = inverse.wrapping_mul(2u128.wrapping_sub(odd.wrapping_mul(inverse)));
            step += 1;
        }
        inverses[number as usize] = inverse;
        number += 1;
    }
    inverses
};

/// The quotient of a division that has no remainder. Several times faster than a division.
fn exact_quotient(number: u128, divisor: u8) -> u128 {
    (number >> divisor.trailing_zeros()).wrapping_mul(INVERSES[usize::from(divisor)])
}

/// The lexicographic rank of a word among all words with 13 letters of each kind.
fn word_rank(word: &[Compass; 52]) -> u128 {
    let mut words = Words::ALL;
    let ranks = word.iter().map(|owner| {
        let bounds = words.bounds();
        words.restrict(*owner as usize, &bounds)
    });
    ranks.sum()
}

/// The word with the given lexicographic rank.
fn word(mut rank: u128) -> [Compass; 52] {
    let mut words = Words::ALL;
    std::array::from_fn(|_| {
        let bounds = words.bounds();
        // Counting avoids a branch that the processor could not predict.
        let letter = bounds[1..4].iter().filter(|bound| rank >= **bound).count();
        rank -= words.restrict(letter, &bounds);
        Compass::ALL[letter]
    })
}

#[cfg(test)]
mod tests;
