//! `cut`: like `lehmer`, but a draw from an even number of cards also cuts the rest of the deck.
//!
//! Draw i takes the card at position r_i of the N = n - i cards that are left (see [`additive`] for
//! r_i). The draws are uniform whatever the order of the other cards. So the other cards are put
//! into an order that makes the circuit cheap.
//!
//! - If N is odd, the other cards keep their order.
//! - If N = q 2^e is even, the deck consists of q packets of 2^e cards. The deck is cut after the
//!   packet of the drawn card, and an XOR permutes the cards within each packet. In the arithmetic
//!   of the [`Group`] on `0..N`, position z of the new deck is position r_i + z - (N - 1) of the
//!   old deck. This position is different for each z, and is never r_i, since z is never N - 1.
//!
//! Computing a position before such a draw from the position after it takes 2 (k - e) - 1 ANDs for
//! words of k bits, and none if N is a power of two. `lehmer` takes 2k - 1.
//!
//! With e more ANDs, the same addition also accepts a carry in, and so performs the increment of an
//! adjacent draw, whose N is odd. The adjacent draw then costs only its comparison. Both draws
//! together cost 3k - 1 - e ANDs, where `lehmer` takes 4k - 2.

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

/// The position, among `cards`, of the card that is at position z after the card at r is drawn.
fn place_before(cards: usize, r: usize, z: usize) -> usize {
    if cards % 2 == 1 {
        return z + usize::from(z >= r);
    }
    let group = Group::of_order(cards);
    // -(N - 1) has high part 1, and all its low bits are 1.
    let inverse_of_last = (1 % group.odd) << group.low_bits | ((1 << group.low_bits) - 1);
    group.sum(r, group.sum(z, inverse_of_last))
}

/// Records the circuit and returns the m drawn cards.
fn record(b: &mut Builder, spec: Spec) -> Vec<Card> {
    let draws = additive::draws_of(b, spec);
    let mut places: Vec<Vec<Bit>> = draws.iter().map(|draw| draw.index(b)).collect();
    places.resize(spec.draw(), Vec::new());
    let first_even = spec.cards() % 2;
    for i in (first_even..places.len()).step_by(2).rev() {
        b.forget_others(places.iter_mut().flatten());
        let (drawn, others) = places[i..].split_first_mut().expect("draw i");
        let cut = Cut::behind(b, spec.cards() - i, drawn);
        // The following draw, from an odd number of cards, and the draws after it.
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

/// The number of ANDs of [`record`].
///
/// If all cards are drawn, the last two drawn cards are at positions x and !x when two cards are
/// left. So the comparisons of these two positions with the preceding draw begin with the same AND.
fn cost(spec: Spec) -> Cost {
    let (n, m) = (spec.cards(), spec.draw());
    let draw = |i: usize| {
        let group = Group::of_order(n - i);
        // The number of draws after this one, and after the next one.
        let (after, later) = (m - i - 1, (m - i).saturating_sub(2));
        match (n - i) % 2 {
            0 => {
                let comparison = bits_below(n - i - 1);
                let shift = match after {
                    0 => 0,
                    _ => constant_cost(group.odd - 1, group.high_bits()),
                };
                // If the high part is empty, the carry out of the low bits is not needed.
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

/// The number of ANDs for adding a constant to a word: none up to the lowest 1 of the constant, and
/// none for the sign.
fn constant_cost(constant: usize, bits: usize) -> usize {
    bits.saturating_sub(1 + constant.trailing_zeros() as usize)
}

/// The cut of an even number of cards after the drawn one.
struct Cut {
    group: Group,
    /// k, the number of bits of a position.
    bits: usize,
    /// The e low bits of r - (N - 1).
    low: Vec<Bit>,
    /// The other bits of r - (N - 1), minus q: in two's complement with the sign.
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

    /// The position before the cut of the card that is at position `after + carry` after the cut.
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
