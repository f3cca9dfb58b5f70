//! `lehmer`: the indices r_0, r_1, … (see [`additive`]) are the Lehmer code of the draws. The
//! circuit decodes this code without a deck.
//!
//! Draw i takes the card at position r_i of the cards that are left, and the other cards keep their
//! order. So the drawn cards are the same as in [`bubble`](super::bubble). A card at position x
//! after draw i was at position x before it, or at x + 1 if x >= r_i. Decoding goes from the last
//! draw to the first. For each draw, the positions of all later draws are converted in this way. A
//! conversion is a comparison and an increment: 2k - 1 ANDs for words of k bits.
//!
//! A *block* of draws shares one increment. Let d_0 < d_1 < … be the positions that the block
//! takes, counted before its first draw, and let e_t = d_t - t. A card at position x after the
//! block was at position x + #{t : e_t <= x} before it. Since e_0 <= e_1 <= …, the comparisons of x
//! with the e_t are the thermometer code of that number, and XORs convert it to the binary code. A
//! later draw therefore costs k ANDs for each draw of the block, and k - 1 for one addition. But
//! the e_t must be sorted, which takes 2k - 1 ANDs for each pair of draws in the block. With its
//! comparison, a pair costs k ANDs more than without a block.

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
    // The last card of a full shuffle is at position 0 of the only card left.
    cards.resize(spec.draw(), 0);
    for i in (0..cards.len()).rev() {
        let drawn = cards[i];
        for later in &mut cards[i + 1..] {
            *later += u32::from(*later >= drawn);
        }
    }
    cards
}

/// Records the circuit and returns the m drawn cards.
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

/// The number of ANDs of [`record`].
///
/// If all cards are drawn, the last two drawn cards are at positions x and !x when two cards are
/// left. So the last card needs no comparison with the card before it. The comparisons of these two
/// cards with a position of the preceding block begin with the same AND.
fn cost(spec: Spec) -> Cost {
    let block = |block: Range<usize>| {
        let cards = spec.cards() - block.start;
        let later = spec.draw() - block.end;
        let comparisons = |taken: usize| taken * bits_below(cards - taken + 1);
        let addition = bits_below(cards).saturating_sub(1);
        let decoded: usize = (1..block.len())
            .map(|taken| comparisons(taken) + addition)
            .sum();
        // The last insertion is needed only if draws follow.
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

/// The blocks of m draws. A longer block costs more to sort, but saves more if more draws follow.
/// The square root of the number of remaining draws is close to the best length.
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

/// Converts the positions of a block and of the draws after it to positions among the `cards` that
/// are present before the block. A given position of a draw of the block is among the cards that
/// are left before the draw. A given position of a later draw is among the cards that are left
/// after the block.
fn decode(b: &mut Builder, cards: usize, block: Range<usize>, places: &mut [Vec<Bit>]) {
    let mut taken = Taken {
        sorted: Vec::with_capacity(block.len()),
        cards,
    };
    for place in block.start..places.len() {
        // If all cards are drawn, the last two share ANDs (see `cost`): nothing is forgotten
        // between them.
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

/// The positions that some draws have taken from a deck.
struct Taken {
    /// e_0 <= e_1 <= …: the t-th smallest position, minus t.
    sorted: Vec<Vec<Bit>>,
    /// The number of cards in the deck before these draws.
    cards: usize,
}

impl Taken {
    /// For each t, whether a position among the remaining cards is at least e_t: a thermometer
    /// code.
    fn reached(&self, b: &mut Builder, after: &[Bit]) -> Vec<Bit> {
        self.sorted
            .iter()
            .map(|e| gadgets::greater_equal(b, after, e))
            .collect()
    }

    /// Converts a position among the remaining cards to a position in the whole deck.
    fn before(&self, b: &mut Builder, after: &[Bit], reached: &[Bit]) -> Vec<Bit> {
        let k = bits_below(self.cards);
        let mut after = after.to_vec();
        after.resize(k, Bit::ZERO);
        let mut passed = number(b, reached);
        passed.resize(k, Bit::ZERO);
        gadgets::add(b, &after, &passed, Bit::ZERO).0
    }

    /// Adds a taken position, given as a position among the remaining cards.
    fn insert(&mut self, b: &mut Builder, after: Vec<Bit>, reached: &[Bit]) {
        // From the largest e_t down. An e_t above the new position decreases by 1, since one more
        // position is below it. The new position is inserted above the first e_t that it has
        // reached, and all smaller e_t move down by one place.
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
