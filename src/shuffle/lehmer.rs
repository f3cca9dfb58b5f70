//! `lehmer`: r_0, r_1, … is the Lehmer code of the draw, and is decoded without a deck.
//!
//! Draw i takes the card at place r_i of those that are left, and the others keep their order. So the
//! cards are those of [`bubble`](super::bubble). A card at place x after draw i was at place x before
//! it, or at x + 1 if x >= r_i. Decoding goes from the last draw to the first, and each draw raises
//! all later ones in this way. A step is a comparison and an increment: 2k - 1 ANDs for words of k
//! bits.
//!
//! A *block* of draws shares one increment. Let d_0 < d_1 < … be the places that the block takes,
//! counted before its first draw, and let e_t = d_t - t. A card at place x after the block was at
//! place x + #{t : e_t <= x} before it. Since e_0 <= e_1 <= …, the comparisons of x with the e_t are
//! the thermometer code of that number, and its binary code follows from it by XORs. So a later draw
//! costs k ANDs per draw of the block, and k - 1 for one addition. But the e_t must be sorted. That
//! takes 2k - 1 ANDs per pair of draws in the block, k more than to decode the pair without a block.

use std::mem;
use std::ops::Range;

use super::Spec;
use super::additive;
use super::construction::{Additive, Construction, Cost};
use super::deck::Card;
use super::spec::bits_below;
use crate::circuit::{Bit, Builder, gadgets};

pub(super) const CONSTRUCTION: Construction = Construction::Additive(Additive {
    plaintext,
    record,
    cost,
});

/// The m drawn cards, given the r_i.
fn plaintext(spec: Spec, indices: &[usize]) -> Vec<u32> {
    let mut cards: Vec<u32> = indices.iter().map(|&r| r as u32).collect();
    // The last card of a full shuffle is the first of the one that is left.
    cards.resize(spec.draw(), 0);
    for i in (0..cards.len()).rev() {
        let drawn = cards[i];
        for later in &mut cards[i + 1..] {
            *later += u32::from(*later >= drawn);
        }
    }
    cards
}

/// Records the circuit, and gives the m drawn cards.
fn record(b: &mut Builder, spec: Spec) -> Vec<Card> {
    let draws = additive::draws_of(b, spec);
    let mut places: Vec<Vec<Bit>> = draws.iter().map(|draw| draw.index(b)).collect();
    places.resize(spec.draw(), Vec::new());
    for block in blocks(spec.draw()).into_iter().rev() {
        decode(b, spec.cards() - block.start, block, &mut places);
    }
    for card in &mut places {
        card.resize(spec.word_bits(), Bit::ZERO);
    }
    places
}

/// The ANDs of [`record`].
///
/// If all cards are drawn, the last two are at the places x and !x of the last two that are left. So the
/// last card needs no comparison with the one before it. And the comparisons of both with a place of
/// the block before them begin with the same AND.
fn cost(spec: Spec) -> Cost {
    let block = |block: Range<usize>| {
        let cards = spec.cards() - block.start;
        let later = spec.draw() - block.end;
        let comparisons = |taken: usize| taken * bits_below(cards - taken + 1);
        let addition = bits_below(cards).saturating_sub(1);
        let decoded: usize = (1..block.len())
            .map(|taken| comparisons(taken) + addition)
            .sum();
        // The last insertion is for those that follow.
        let sorted = if later > 0 {
            1..block.len()
        } else {
            1..block.len() - 1
        };
        decoded
            + sorted
                .map(|taken| match bits_below(cards - taken) {
                    0 => 0,
                    k => taken * (2 * k - 1),
                })
                .sum::<usize>()
            + later * (comparisons(block.len()) + addition)
    };
    let blocks = blocks(spec.draw());
    let shared = match &blocks[..] {
        _ if spec.draw() < spec.cards() => 0,
        [.., before, _, _] => 1 + before.len(),
        _ => 1,
    };
    let decoding: usize = blocks.into_iter().map(block).sum();
    Cost::exact(additive::indices_cost(spec) + decoding - shared)
}

/// The blocks of m draws. Sorting costs more in a longer block, and saves more if more draws follow.
/// The square root of the number of draws that are left is close to the best length.
fn blocks(m: usize) -> Vec<Range<usize>> {
    let mut blocks = Vec::new();
    let mut start = 0;
    while start < m {
        let end = start + (m - start).isqrt();
        blocks.push(start..end);
        start = end;
    }
    blocks
}

/// Turns the places of a block and of the draws behind it into places among the `cards` that are there
/// before the block. Those of the block's draws come as places among the cards left before each draw;
/// those of later draws, as places among the cards left after the block.
fn decode(b: &mut Builder, cards: usize, block: Range<usize>, places: &mut [Vec<Bit>]) {
    let mut taken = Taken {
        sorted: Vec::with_capacity(block.len()),
        cards,
    };
    for place in block.start..places.len() {
        // The last two share ANDs if all cards are drawn (see `cost`): nothing is forgotten between them.
        if place + 1 < places.len() {
            b.forget_others(places.iter_mut().chain(&mut taken.sorted).flatten());
        }
        let after = mem::take(&mut places[place]);
        let reached = taken.reached(b, &after);
        places[place] = taken.before(b, &after, &reached);
        if place < block.end {
            taken.insert(b, after, &reached);
        }
    }
}

/// The places that some draws have taken from a deck.
struct Taken {
    /// e_0 <= e_1 <= …: the t-th smallest place, less t.
    sorted: Vec<Vec<Bit>>,
    /// The cards of the deck before these draws.
    cards: usize,
}

impl Taken {
    /// For each t, whether a place of those left is e_t or more: a thermometer code.
    fn reached(&self, b: &mut Builder, after: &[Bit]) -> Vec<Bit> {
        self.sorted
            .iter()
            .map(|e| gadgets::greater_equal(b, after, e))
            .collect()
    }

    /// The place in the whole deck of a place of those left.
    fn before(&self, b: &mut Builder, after: &[Bit], reached: &[Bit]) -> Vec<Bit> {
        let k = bits_below(self.cards);
        let mut after = after.to_vec();
        after.resize(k, Bit::ZERO);
        let mut passed = number(b, reached);
        passed.resize(k, Bit::ZERO);
        gadgets::add(b, &after, &passed, Bit::ZERO).0
    }

    /// Takes one more, given its place among those left.
    fn insert(&mut self, b: &mut Builder, after: Vec<Bit>, reached: &[Bit]) {
        // From the top down, the new place is carried to below the first e_t that it has reached.
        // Those that it passes count one more place below themselves.
        let k = bits_below(self.cards - self.sorted.len());
        let mut carried = after;
        carried.resize(k, Bit::ZERO);
        for (e, &stays) in self.sorted.iter_mut().zip(reached).rev() {
            e.resize(k, Bit::ZERO);
            let lowered = gadgets::decrement_if(b, b.not(stays), e);
            (carried, *e) = gadgets::conditional_swap(b, stays, &carried, &lowered);
        }
        self.sorted.insert(0, carried);
    }
}

/// The binary code of a number, from its thermometer code: bit p changes at each multiple of 2^p.
fn number(b: &mut Builder, thermometer: &[Bit]) -> Vec<Bit> {
    (0..bits_below(thermometer.len() + 1))
        .map(|p| {
            let multiples = thermometer.iter().skip((1 << p) - 1).step_by(1 << p);
            multiples.fold(Bit::ZERO, |bit, &reached| b.xor(bit, reached))
        })
        .collect()
}
