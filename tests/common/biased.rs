//! Two well-known shuffles that are not uniform, as counter-examples: the statistics that pass the
//! real ones must fail these.

/// The bubble network with one fair bit a gate. No choice of the bits' distribution by one party
/// makes it uniform for more than two cards: n! does not divide 2^(n(n-1)/2).
pub fn fair_bit_bubble(n: usize, mut bit: impl FnMut() -> bool) -> Vec<u32> {
    let mut deck: Vec<u32> = (0..n as u32).collect();
    for i in 0..n - 1 {
        for j in (i + 1..n).rev() {
            if bit() {
                deck.swap(j - 1, j);
            }
        }
    }
    deck
}

/// The gates of the bubble network.
pub fn bubble_gates(n: usize) -> usize {
    n * (n - 1) / 2
}

/// The bits of the seed that [`xor_then_modulo`] takes for each draw.
pub fn seed_bits(n: usize) -> Vec<u32> {
    (2..=n).rev().map(bits_below).collect()
}

/// Fisher-Yates with r_i = (a_i XOR b_i) mod (n - i), a_i and b_i of ceil(log2(n - i)) bits. Takes
/// the XORs.
pub fn xor_then_modulo(n: usize, seeds: &[u64]) -> Vec<u32> {
    let mut deck: Vec<u32> = (0..n as u32).collect();
    for (i, seed) in seeds.iter().enumerate() {
        deck.swap(i, i + (seed % (n - i) as u64) as usize);
    }
    deck
}

fn bits_below(bound: usize) -> u32 {
    usize::BITS - (bound - 1).leading_zeros()
}
