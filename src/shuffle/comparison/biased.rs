//! Two well-known shuffles that are not uniform, as counterexamples: a statistical test that the
//! real shuffles pass must fail for these.

use std::fmt;

use crate::circuit::{Bit, Builder, Circuit, gadgets};
use crate::shuffle::deck::{Card, fresh_deck};
use crate::shuffle::spec::bits_below;
use crate::shuffle::{Algorithm, Spec, SpecError, additive, fisher_yates};

/// A shuffle that is **not uniform**, even if both parties are honest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Biased {
    /// The bubble network with one fair bit per swap: the XOR of one bit of each party.
    ///
    /// Card c comes first with probability 2^-(c+1). No distribution of one party's bits makes the
    /// shuffle uniform for more than two cards. The shuffle would have to be uniform for all bits
    /// of the other party, and so also for uniform bits of the other party. But then there are
    /// 2^(n(n-1)/2) equally likely choices, and n! does not divide that number.
    FairBitBubble,
    /// Fisher-Yates with r_i = (a_i XOR b_i) mod (n - i), where the seeds have ceil(log2 (n - i))
    /// bits.
    ///
    /// The first of 52 cards is each of the 12 lowest cards with probability 2/64, and each of the
    /// other 40 with probability 1/64.
    XorThenModulo,
}

impl Biased {
    /// Both shuffles.
    pub const ALL: [Self; 2] = [Self::FairBitBubble, Self::XorThenModulo];

    /// The circuit that draws `draw` out of `cards` cards.
    ///
    /// Its two input values, one per party, have the same number of bits and are XORed. The outputs
    /// are as in a [`ShuffleCircuit`](crate::shuffle::ShuffleCircuit).
    ///
    /// # Errors
    /// As [`Spec::new`].
    pub fn circuit(self, cards: usize, draw: usize) -> Result<Circuit, SpecError> {
        let spec = self.spec(cards, draw)?;
        let bits = self.choices(spec).into_iter().sum();
        let mut b = Builder::new(&[bits, bits]);
        let parties = [b.input(0), b.input(1)];
        let joint: Vec<Bit> = (parties[0].iter().zip(&parties[1]))
            .map(|(&x, &y)| b.xor(x, y))
            .collect();
        let mut joint = joint.as_slice();
        let mut deck = fresh_deck(spec);
        for (first, bits) in self.choices(spec).into_iter().enumerate() {
            let choice = joint.split_off(..bits).expect("one bit for each choice");
            match self {
                Self::FairBitBubble => carry(&mut b, &mut deck[first..], choice),
                Self::XorThenModulo => {
                    let modulus = cards - first;
                    let index = reduce(&mut b, choice, modulus as u64);
                    let one_hot = gadgets::one_hot(&mut b, &index, modulus);
                    fisher_yates::swap(&mut b, &mut deck[first..], &one_hot);
                }
            }
        }
        deck.truncate(draw);
        Ok(b.build(deck))
    }

    /// The drawn cards, given the XOR of the parties' bits.
    ///
    /// # Errors
    /// As [`Spec::new`].
    ///
    /// # Panics
    /// Panics if there are fewer bits than in an input value of the circuit.
    pub fn plaintext(
        self,
        cards: usize,
        draw: usize,
        bits: impl IntoIterator<Item = bool>,
    ) -> Result<Vec<u32>, SpecError> {
        let spec = self.spec(cards, draw)?;
        let mut bits = bits.into_iter();
        let mut bit = || bits.next().expect("one bit for each choice");
        let mut deck: Vec<u32> = (0..cards as u32).collect();
        for (first, choice) in self.choices(spec).into_iter().enumerate() {
            match self {
                Self::FairBitBubble => {
                    for place in (first + 1..cards).rev() {
                        if bit() {
                            deck.swap(place - 1, place);
                        }
                    }
                }
                Self::XorThenModulo => {
                    let seed: usize = (0..choice).map(|i| usize::from(bit()) << i).sum();
                    deck.swap(first, first + seed % (cards - first));
                }
            }
        }
        deck.truncate(draw);
        Ok(deck)
    }

    /// The number of bits that each draw takes.
    pub(in crate::shuffle) fn choices(self, spec: Spec) -> Vec<usize> {
        let others = (0..additive::draws(spec)).map(|first| spec.cards() - first - 1);
        match self {
            Self::FairBitBubble => others.collect(),
            Self::XorThenModulo => others.map(|others| bits_below(others + 1)).collect(),
        }
    }

    /// A spec with these numbers of cards. Its algorithm is arbitrary, since the bounds are the
    /// same for all algorithms.
    fn spec(self, cards: usize, draw: usize) -> Result<Spec, SpecError> {
        Spec::new(cards, draw, Algorithm::FisherYates)
    }
}

impl fmt::Display for Biased {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::FairBitBubble => "bubble with fair bits (biased)",
            Self::XorThenModulo => "fisher-yates of XORs reduced (biased)",
        })
    }
}

/// Swaps neighbours, from the last pair to the first. Each pair has one bit.
fn carry(b: &mut Builder, deck: &mut [Card], swaps: &[Bit]) {
    for (place, &swap) in (1..deck.len()).rev().zip(swaps) {
        let (first, second) = gadgets::conditional_swap(b, swap, &deck[place - 1], &deck[place]);
        (deck[place - 1], deck[place]) = (first, second);
    }
}

/// `x mod m`, for x < 2m.
fn reduce(b: &mut Builder, x: &[Bit], m: u64) -> Vec<Bit> {
    let too_large = gadgets::at_least(b, x, m);
    let minus_m = gadgets::constant(m.wrapping_neg(), x.len());
    let correction = gadgets::scale(b, too_large, &minus_m);
    gadgets::add(b, x, &correction, Bit::ZERO).0
}
