//! The group with which [`cut`](super::cut) rearranges a deck: Z_q × (Z_2)^e on the numbers `0..N`,
//! where N = q 2^e and q is odd.
//!
//! To add two numbers, XOR their e low bits and add their other bits modulo q. As a circuit, this
//! takes fewer ANDs than addition modulo N, since XOR is free.

use super::spec::bits_below;
use crate::circuit::Bit;

/// The group of a given order.
#[derive(Clone, Copy)]
pub(super) struct Group {
    /// q, the odd part of the order.
    pub(super) odd: usize,
    /// e: the order is q 2^e.
    pub(super) low_bits: usize,
}

impl Group {
    /// The group of the given order.
    pub(super) fn of_order(order: usize) -> Self {
        let low_bits = order.trailing_zeros() as usize;
        Self {
            odd: order >> low_bits,
            low_bits,
        }
    }

    /// `x + y`, on plaintext values.
    pub(super) fn sum(self, x: usize, y: usize) -> usize {
        let high = ((x >> self.low_bits) + (y >> self.low_bits)) % self.odd;
        let low = (x ^ y) & ((1 << self.low_bits) - 1);
        high << self.low_bits | low
    }

    /// The number of ANDs of a sum: `2 (k - e) - 1` for words of k bits; none if the order is a
    /// power of two.
    pub(super) fn sum_cost(self) -> usize {
        (2 * self.high_bits()).saturating_sub(1)
    }

    /// k - e, the number of bits of a number modulo q.
    pub(super) fn high_bits(self) -> usize {
        bits_below(self.odd)
    }

    /// The low bits of a word, which are XORed, and the other bits, which are added modulo q.
    pub(super) fn split(self, word: &[Bit]) -> (&[Bit], &[Bit]) {
        word.split_at(self.low_bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn group_axioms_hold() {
        for order in 1..=20 {
            let group = Group::of_order(order);
            for x in 0..order {
                assert_eq!(group.sum(x, 0), x);
                let mut sums: Vec<usize> = (0..order).map(|y| group.sum(x, y)).collect();
                sums.sort_unstable();
                assert!(sums.into_iter().eq(0..order), "{x} in order {order}");
                for (y, z) in (0..order).flat_map(|y| (0..order).map(move |z| (y, z))) {
                    assert_eq!(group.sum(x, y), group.sum(y, x));
                    let (left, right) = (group.sum(x, y), group.sum(y, z));
                    assert_eq!(group.sum(left, z), group.sum(x, right));
                }
            }
        }
    }
}
