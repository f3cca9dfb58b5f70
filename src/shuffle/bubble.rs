//! `bubble`: draw i moves the card at position i + r_i to position i by swaps of neighbours. See
//! [`additive`] for r_i.
//!
//! The cards between the two positions move by one position, and all other cards stay. Draw i is a
//! layer of swaps, one for each j from n - i - 1 down to 1. Swap j exchanges the cards at positions
//! i + j - 1 and i + j if r_i >= j. The swap bits are therefore the thermometer code of r_i, a
//! running XOR of its one-hot code.
//!
//! The circuit does not swap step by step, since the moving card would pass through many gates. It
//! computes each new deck directly from the old deck. Position i + j takes the old card of position
//! i + j - 1 if r_i >= j. Position i takes the card that is left over (see [`put_if`]). Neighbours
//! in the old deck differ in few independent bits, which saves half of the ANDs when 5 of 52 cards
//! are drawn, and a fifth when all cards are drawn. The depth of a layer is that of one
//! multiplexer.

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

/// Records the circuit and returns the m drawn cards.
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

/// The number of ANDs of [`record`].
///
/// At position p, a layer takes one AND for each independent bit of the difference between the
/// words at positions p and p - 1, modulo constants. Let c_p be the XOR of the numbers p and p - 1:
/// it is 2^(t+1) - 1, where 2^t is the largest power of two that divides p. After i draws, i > 0,
/// each difference is an XOR of words c_q, q = p - i, …, p, each multiplied by a wire of its own:
///
/// - Draw 0 starts from constants. It adds c_p and c_(p-1) to the difference, multiplied by the
///   swap bits of the two positions.
/// - A later draw adds the differences at p and p - 1, multiplied by the swap bits of these
///   positions. The ANDs of independent wires with a swap bit are new and independent wires. The
///   swap bits are independent too, since the bits of the one-hot code are.
///
/// The c_q with different t are independent. So the number of ANDs at position p is the number of
/// different t for p - i, …, p. If only one card is drawn, the output is r_0, and there is no
/// layer.
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

/// The number of windows of `length` consecutive numbers between 1 and `last` that contain a number
/// divisible by 2^t but not by 2^(t+1).
fn windows(last: usize, length: usize, t: usize) -> usize {
    let (power, step) = (1 << t, 2 << t);
    let starts = last + 1 - length;
    if length >= step {
        return starts;
    }
    // Two such numbers are farther apart than the length of a window, so no window contains two.
    let begun = (starts + power) / step;
    let next = power + begun * step;
    // The first such number, and the first one after the start of the last window, may be in fewer
    // windows.
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

/// The thermometer code of the index: bit j is 1 if the index is at least j.
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
    fn window_count_matches_counting_one_by_one() {
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
