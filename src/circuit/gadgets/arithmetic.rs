//! Addition and comparison by ripple carry, which takes the minimum number of ANDs: one per bit.

use std::collections::VecDeque;

use super::{constant, constant_bit};
use crate::circuit::{Bit, Builder};

/// `(x + y + carry) mod m`. The word `x` has k bits, and `y_minus_m` is `y - m` in two's complement
/// with k + 1 bits.
///
/// Requires `x < m`, `y <= m` and `x + y + carry < 2m`; otherwise the result is an arbitrary word
/// of k bits.
///
/// Costs `2k - 1` ANDs, less one for each trailing zero of `m`. A first addition computes `x + y +
/// carry - m`. If this sum is negative, a second addition adds `m` back, otherwise it adds 0. The
/// added word depends on only one unknown bit, the sign, so the second addition costs no more than
/// adding a constant.
///
/// # Panics
/// Panics if `y_minus_m` is not one bit longer than `x`.
pub(crate) fn add_mod(
    b: &mut Builder,
    x: &[Bit],
    y_minus_m: &[Bit],
    carry: Bit,
    m: u64,
) -> Vec<Bit> {
    let k = x.len();
    assert_eq!(y_minus_m.len(), k + 1, "one more bit for the sign");
    let (sum, carry) = add(b, x, &y_minus_m[..k], carry);
    let negative = b.xor(y_minus_m[k], carry);
    let m_or_zero: Vec<Bit> = (0..k)
        .map(|i| match constant_bit(m, i) {
            Bit::ONE => negative,
            zero => zero,
        })
        .collect();
    add(b, &sum, &m_or_zero, Bit::ZERO).0
}

/// The sum of two words of the same length and a carry, and the resulting carry.
pub fn add(b: &mut Builder, x: &[Bit], y: &[Bit], mut carry: Bit) -> (Vec<Bit>, Bit) {
    let sum = x
        .iter()
        .zip(y)
        .map(|(&x, &y)| {
            let partial = b.xor(x, y);
            let sum = b.xor(partial, carry);
            carry = majority(b, x, y, carry);
            sum
        })
        .collect();
    (sum, carry)
}

/// The majority of three bits, with one AND (Boyar, Peralta and Pochuev 2000).
fn majority(b: &mut Builder, x: Bit, y: Bit, z: Bit) -> Bit {
    let (p, q) = (b.xor(x, z), b.xor(y, z));
    let product = b.and(p, q);
    b.xor(product, z)
}

/// `x >= y`, for words of any lengths. Costs at most one AND for each bit of the longer word.
pub fn greater_equal(b: &mut Builder, x: &[Bit], y: &[Bit]) -> Bit {
    let bit = |word: &[Bit], i: usize| word.get(i).copied().unwrap_or(Bit::ZERO);
    // The carry of x + !y + 1 = x - y + 2^k.
    (0..usize::max(x.len(), y.len())).fold(Bit::ONE, |carry, i| {
        let not_y = b.not(bit(y, i));
        majority(b, bit(x, i), not_y, carry)
    })
}

/// `x >= bound`, for a constant bound. For `x` and `bound` of k bits, costs `k - 1` ANDs, less one
/// for each trailing zero of the bound.
pub(crate) fn at_least(b: &mut Builder, x: &[Bit], bound: u64) -> Bit {
    let bound = constant(bound, 64);
    greater_equal(b, x, &bound)
}

/// The number of ones among n bits. Costs one AND for each addition of two or three bits of the
/// same weight: n - w if n is 2^w - 1 (Boyar and Peralta, Tight bounds for the multiplicative
/// complexity of symmetric functions, 2008).
pub fn count_ones(b: &mut Builder, bits: &[Bit]) -> Vec<Bit> {
    let mut weight: VecDeque<Bit> = bits.iter().copied().collect();
    let mut count = Vec::new();
    while let Some(x) = weight.pop_front() {
        let mut next = VecDeque::new();
        let mut sum = x;
        // Each sum goes to the end of the queue, so that the depth is logarithmic.
        while let Some(y) = weight.pop_front() {
            let z = weight.pop_front().unwrap_or(Bit::ZERO);
            let (added, carry) = add(b, &[sum], &[y], z);
            next.push_back(carry);
            weight.extend(added);
            sum = weight.pop_front().unwrap_or(Bit::ZERO);
        }
        count.push(sum);
        weight = next;
    }
    count
}

/// `x == value`, for a constant value. Costs `k - 1` ANDs for a word of k bits.
pub fn equals(b: &mut Builder, x: &[Bit], value: u64) -> Bit {
    let fits = value.checked_shr(x.len() as u32).unwrap_or(0) == 0;
    let value = constant(value, x.len());
    x.iter()
        .zip(&value)
        .fold(Bit::from(fits), |all, (&x, &bit)| {
            let differs = b.xor(x, bit);
            let same = b.not(differs);
            b.and(all, same)
        })
}

/// `x + bit`, modulo 2^k. Costs `k - 1` ANDs.
pub(crate) fn increment_if(b: &mut Builder, bit: Bit, x: &[Bit]) -> Vec<Bit> {
    let mut carry = bit;
    x.iter()
        .map(|&x| {
            let sum = b.xor(x, carry);
            carry = b.and(x, carry);
            sum
        })
        .collect()
}

/// `x - bit`, modulo 2^k. Costs `k - 1` ANDs.
pub(crate) fn decrement_if(b: &mut Builder, bit: Bit, x: &[Bit]) -> Vec<Bit> {
    let not = |b: &Builder, word: &[Bit]| -> Vec<Bit> { word.iter().map(|&x| b.not(x)).collect() };
    // !x = -x - 1, so !(!x + bit) = x - bit.
    let incremented = increment_if(b, bit, &not(b, x));
    not(b, &incremented)
}
