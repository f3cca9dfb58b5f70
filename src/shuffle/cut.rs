//! `cut`: as `lehmer`, but a draw from an even number of cards also cuts the rest of the deck.
//!
//! Draw i takes the card at place r_i of the N = n - i that are left. A draw is uniform whatever
//! order the other cards get. So they get one that makes the circuit cheap.
//!
//! - If N is odd, the others keep their order.
//! - If N = q 2^e is even, the deck is q packets of 2^e cards. It is cut behind the packet of the
//!   drawn card, and in each packet the cards change places by XOR. In terms of the [`Group`] on
//!   `0..N`, place z of the new deck is place r_i + z - (N - 1) of the old one. That differs for each
//!   z, and is never r_i, since z is never N - 1.
//!
//! To find a place before such a draw from the one after it takes 2 (k - e) - 1 ANDs for words of k
//! bits, and none if N is a power of two. `lehmer` takes 2k - 1.
//!
//! For e ANDs more, the same addition takes in a carry. So it also does the increment of a draw next
//! to it, whose N is odd, which costs only its comparison then. That makes 3k - 1 - e ANDs for both
//! draws, where `lehmer` takes 4k - 2.

use super::Spec;
use super::additive;
use super::construction::{Additive, Construction, Cost};
use super::deck::Card;
use super::group::Group;
use super::spec::bits_below;
use crate::circuit::{Bit, Builder, gadgets};

pub(super) const CONSTRUCTION: Construction = Construction::Additive(Additive {
    plaintext,
    record,
    cost,
});

/// The m drawn cards, given the r_i.
fn plaintext(spec: Spec, indices: &[usize]) -> Vec<u32> {
    let mut deck: Vec<u32> = (0..spec.cards() as u32).collect();
    let mut drawn = Vec::with_capacity(spec.draw());
    for &r in indices {
        drawn.push(deck[r]);
        let others = 0..deck.len() - 1;
        deck = others
            .map(|z| deck[place_before(deck.len(), r, z)])
            .collect();
    }
    drawn.extend(&deck[..spec.draw() - indices.len()]);
    drawn
}

/// The place, among `cards`, of the one that is at place z after the one at r is drawn.
fn place_before(cards: usize, r: usize, z: usize) -> usize {
    if cards % 2 == 1 {
        return z + usize::from(z >= r);
    }
    let group = Group::of_order(cards);
    // -(N - 1) is 1 above the low bits, and all low bits.
    let inverse_of_last = (1 % group.odd) << group.low_bits | ((1 << group.low_bits) - 1);
    group.sum(r, group.sum(z, inverse_of_last))
}

/// Records the circuit, and gives the m drawn cards.
fn record(b: &mut Builder, spec: Spec) -> Vec<Card> {
    let draws = additive::draws_of(b, spec);
    let mut places: Vec<Vec<Bit>> = draws.iter().map(|draw| draw.index(b)).collect();
    places.resize(spec.draw(), Vec::new());
    let first_even = spec.cards() % 2;
    for i in (first_even..places.len()).step_by(2).rev() {
        b.forget_others(places.iter_mut().flatten());
        let (drawn, others) = places[i..].split_first_mut().expect("draw i");
        let cut = Cut::behind(b, spec.cards() - i, drawn);
        // The draw from an odd number of cards that follows, and those after it.
        if let Some((next, later)) = others.split_first_mut() {
            for place in later {
                let passed = gadgets::greater_equal(b, place, next);
                *place = cut.place_before(b, place, passed);
            }
            *next = cut.place_before(b, next, Bit::ZERO);
        }
    }
    if first_even == 1 {
        let (drawn, others) = places.split_first_mut().expect("at least one draw");
        for place in others {
            let passed = gadgets::greater_equal(b, place, drawn);
            place.resize(spec.word_bits(), Bit::ZERO);
            *place = gadgets::increment_if(b, passed, place);
        }
    }
    for card in &mut places {
        card.resize(spec.word_bits(), Bit::ZERO);
    }
    places
}

/// The ANDs of [`record`].
///
/// If all cards are drawn, the last two are at the places x and !x of the last two that are left. So
/// their comparisons with the draw before them begin with the same AND.
fn cost(spec: Spec) -> Cost {
    let (n, m) = (spec.cards(), spec.draw());
    let draw = |i: usize| {
        let group = Group::of_order(n - i);
        // The draws after this one and after the next.
        let (after, later) = (m - i - 1, (m - i).saturating_sub(2));
        match (n - i) % 2 {
            0 => {
                let comparison = bits_below(n - i - 1);
                let shift = match after {
                    0 => 0,
                    _ => constant_cost(group.odd - 1, group.high_bits()),
                };
                // Where nothing is above the low bits, the carry out of them is not needed.
                let carries = group.low_bits - usize::from(group.odd == 1);
                shift + after * group.sum_cost() + later * (comparison + carries)
            }
            _ if i == 0 => after * (2 * bits_below(n) - 1),
            _ => 0,
        }
    };
    let shared = usize::from(m == n && n > 2);
    Cost::exact(additive::indices_cost(spec) + (0..m).map(draw).sum::<usize>() - shared)
}

/// The ANDs of the addition of a constant to a word: none up to the lowest 1 of the constant, and
/// none for the sign.
fn constant_cost(constant: usize, bits: usize) -> usize {
    bits.saturating_sub(1 + constant.trailing_zeros() as usize)
}

/// The cut of an even number of cards behind the drawn one.
struct Cut {
    group: Group,
    /// k, the bits of a place.
    bits: usize,
    /// The e low bits of r - (N - 1).
    low: Vec<Bit>,
    /// Its other bits, as a number less q: in two's complement with the sign.
    high_minus_q: Vec<Bit>,
}

impl Cut {
    fn behind(b: &mut Builder, cards: usize, drawn: &[Bit]) -> Self {
        let group = Group::of_order(cards);
        let (low, high) = group.split(drawn);
        let bits = high.len() + 1;
        let mut high = high.to_vec();
        high.push(Bit::ZERO);
        let one_minus_q = gadgets::constant(1u64.wrapping_sub(group.odd as u64), bits);
        Self {
            group,
            bits: drawn.len(),
            low: low.iter().map(|&bit| b.not(bit)).collect(),
            high_minus_q: gadgets::add(b, &high, &one_minus_q, Bit::ZERO).0,
        }
    }

    /// Where the card was that is at place `after + carry` now.
    fn place_before(&self, b: &mut Builder, after: &[Bit], mut carry: Bit) -> Vec<Bit> {
        let mut after = after.to_vec();
        after.resize(self.bits, Bit::ZERO);
        let (low, high) = self.group.split(&after);
        let mut before: Vec<Bit> = Vec::with_capacity(self.bits);
        for (&bit, &shift) in low.iter().zip(&self.low) {
            let sum = b.xor(bit, carry);
            before.push(b.xor(sum, shift));
            carry = b.and(bit, carry);
        }
        let q = self.group.odd as u64;
        before.extend(gadgets::add_mod(b, high, &self.high_minus_q, carry, q));
        before
    }
}
