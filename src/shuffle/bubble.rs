//! `bubble`: draw i carries the card at place i + r_i to place i by swaps of neighbours.
//!
//! So the cards that it passes move down by one place, and the others keep theirs. Layer i has a
//! swap for each j, from the last to the first. It exchanges places i + j - 1 and i + j if r_i >= j.
//! So the swap bits are the thermometer code of r_i, a running XOR of its one-hot code.
//!
//! The circuit does not swap step by step, since the carried card would pass through many gates. It
//! makes the new deck from the old one at once. Place i + j takes the card of the place above it if
//! r_i >= j. Place i takes the card that is left over (see [`put_if`]). Neighbours in the old deck
//! differ in few independent bits. So this saves half of the ANDs if 5 of 52 cards are drawn, and a
//! fifth if all are; and a layer has the depth of one multiplexer.

use super::Spec;
use super::additive;
use super::construction::{Additive, Construction, Cost};
use super::deck::{Card, fresh_deck, put_if};
use super::spec::bits_below;
use crate::circuit::{Bit, Builder};

pub(super) const CONSTRUCTION: Construction = Construction::Additive(Additive {
    plaintext,
    record,
    cost,
});

/// The m drawn cards, given the r_i.
fn plaintext(spec: Spec, indices: &[usize]) -> Vec<u32> {
    let mut deck: Vec<u32> = (0..spec.cards() as u32).collect();
    for (i, r) in indices.iter().enumerate() {
        deck[i..=i + r].rotate_right(1);
    }
    deck.truncate(spec.draw());
    deck
}

/// Records the circuit, and gives the m drawn cards.
fn record(b: &mut Builder, spec: Spec) -> Vec<Card> {
    let mut deck = fresh_deck(spec);
    for draw in additive::draws_of(b, spec) {
        b.forget_others(deck.iter_mut().flatten());
        let one_hot = draw.one_hot(b);
        let passes = thermometer(b, one_hot);
        let (drawn, others) = deck[draw.first..].split_first_mut().expect("n - i places");
        let mut above = drawn.clone();
        for (place, &passed) in others.iter_mut().zip(&passes[1..]) {
            let below = place.clone();
            put_if(b, passed, place, &above, drawn);
            above = below;
        }
    }
    deck.truncate(spec.draw());
    deck
}

/// The ANDs of [`record`].
///
/// A layer takes as many ANDs at a place as the difference of the words on it and above it has
/// independent bits, modulo constants. Let c_p be the difference of the numbers p and p - 1: it is
/// 2^(t+1) - 1, where 2^t is the largest power of two that divides p. After i draws, i > 0, each
/// difference is a XOR of words c_q, q = p - i, …, p, each times a wire of its own:
///
/// - Draw 0 finds constants. It adds c_p and c_(p-1) to the difference, times the swap bits of the two
///   places.
/// - A later draw adds the differences at p and p - 1, times the swap bits of these places. The ANDs of
///   independent wires with a swap bit are new and independent, and so are the swap bits themselves,
///   since the one-hot code is.
///
/// The c_q with different t are independent. So the ANDs at place p are as many as there are different t
/// among p - i, …, p. A single draw puts out r_0, and its one-hot code is dropped.
fn cost(spec: Spec) -> Cost {
    let swaps = |i: usize| match i {
        0 => 0,
        _ => (0..spec.word_bits())
            .map(|t| windows(spec.cards() - 1, i + 1, t))
            .sum::<usize>(),
    };
    let layers: usize = match spec.draw() {
        1 => 0,
        _ => (0..additive::draws(spec))
            .map(|i| {
                let modulus = spec.cards() - i;
                modulus - 1 - bits_below(modulus) + swaps(i)
            })
            .sum(),
    };
    Cost::exact(additive::indices_cost(spec) + layers)
}

/// How many of the windows of `length` numbers in a row, out of 1 to `last`, have a number in them that
/// 2^t divides and 2^(t+1) does not.
fn windows(last: usize, length: usize, t: usize) -> usize {
    let (power, step) = (1 << t, 2 << t);
    let starts = last + 1 - length;
    if length >= step {
        return starts;
    }
    // The numbers are further apart than a window is long, so no window has two of them.
    let begun = (starts + power) / step;
    let next = power + begun * step;
    // The first may be in fewer windows, as may the one behind the last start.
    let first = if begun > 0 {
        length.saturating_sub(power)
    } else {
        0
    };
    let behind = match next {
        next if next <= last => starts + 1 - usize::max(1, (next + 1).saturating_sub(length)),
        _ => 0,
    };
    begun * length - first + behind
}

/// Bit j says whether the index is at least j.
fn thermometer(b: &mut Builder, one_hot: Vec<Bit>) -> Vec<Bit> {
    let mut code = one_hot;
    for j in (1..code.len()).rev() {
        code[j - 1] = b.xor(code[j - 1], code[j]);
    }
    code
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_counted_as_one_by_one() {
        for last in 1..40usize {
            for length in 1..=last {
                for t in 0..6 {
                    let counted = (1..=last + 1 - length)
                        .filter(|first| {
                            (*first..first + length).any(|number| number.trailing_zeros() == t)
                        })
                        .count();
                    assert_eq!(windows(last, length, t as usize), counted);
                }
            }
        }
    }
}
