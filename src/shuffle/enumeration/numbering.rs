//! Numbering of values: counts the values of each kind, and returns the value with a given number.

use crate::shuffle::Seed;

/// The number of sequences of m different numbers below n, or [`u64::MAX`] if it exceeds 64 bits.
pub(super) fn arrangements(n: usize, m: usize) -> u64 {
    (n - m + 1..=n).fold(1, |product: u64, factor| {
        product.saturating_mul(factor as u64)
    })
}

/// The sequence of m different numbers below n with number `number`, from 0, in lexicographic
/// order.
pub(super) fn arrangement(n: usize, m: usize, number: u64) -> Vec<u32> {
    let mut left: Vec<u32> = (0..n as u32).collect();
    let mut number = number;
    (0..m)
        .map(|place| {
            let of_each = arrangements(n - place - 1, m - place - 1);
            let card = left.remove((number / of_each) as usize);
            number %= of_each;
            card
        })
        .collect()
}

/// The number of bit strings of the given length, or [`u64::MAX`] if it exceeds 64 bits.
pub(super) fn strings(bits: usize) -> u64 {
    let bits = u32::try_from(bits).unwrap_or(u32::MAX);
    1u64.checked_shl(bits).unwrap_or(u64::MAX)
}

/// The product of the numbers of values of these seeds, or [`u64::MAX`] if it exceeds 64 bits.
pub(super) fn product(seeds: &[Seed]) -> u64 {
    (seeds.iter()).fold(1, |product: u64, seed| product.saturating_mul(seed.modulus))
}

/// The values of the seeds with number `number`. The first seed is the most significant digit.
pub(super) fn digits(seeds: &[Seed], mut number: u64) -> Vec<u64> {
    let mut digits = vec![0; seeds.len()];
    for (digit, seed) in digits.iter_mut().zip(seeds).rev() {
        *digit = number % seed.modulus;
        number /= seed.modulus;
    }
    digits
}
