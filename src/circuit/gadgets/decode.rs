//! Conversion of an index to its one-hot code.

use crate::circuit::{Bit, Builder};

/// The one-hot code of an index below `m`: m bits, where bit i is 1 if i is the index.
///
/// The index has at least k = ceil(log2 m) bits. Any higher bits must be 0 and are not read. Costs
/// `m - 1 - k` ANDs. No circuit costs less: the m bits are linearly independent functions on 0..m.
/// The constant and the k index bits span k + 1 dimensions, and each AND adds at most one.
///
/// For an index of m or more, the code is an arbitrary word that need not have exactly one 1.
///
/// # Panics
/// Panics if the index has too few bits for `m`.
pub(crate) fn one_hot(b: &mut Builder, index: &[Bit], m: usize) -> Vec<Bit> {
    if m == 0 {
        return Vec::new();
    }
    let k = m.next_power_of_two().trailing_zeros() as usize;
    assert!(index.len() >= k, "an index below m has log2 m bits");
    // Reads the index from its most significant bit. code[p] is 1 if the bits read so far are the
    // number p.
    let mut code = vec![Bit::ONE];
    for level in (0..k).rev() {
        code = split(b, &code, index[level], m.div_ceil(1 << level));
    }
    code
}

/// Reads the next bit of the index: prefix p becomes 2p or 2p + 1. Only the prefixes below `size`
/// are possible.
///
/// If the bit is 1, the code has a single 1, at an odd prefix; if it is 0, the code is 0 at all odd
/// prefixes. So the code of the last odd prefix is the XOR of the bit and the codes of all other
/// odd prefixes, which is free.
fn split(b: &mut Builder, code: &[Bit], bit: Bit, size: usize) -> Vec<Bit> {
    let odd_prefixes = size / 2;
    let mut last_odd = bit;
    let mut next = Vec::with_capacity(size);
    for (p, &prefix) in code.iter().enumerate() {
        if p == odd_prefixes {
            // Only 2p is below `size`, so the next bit must be 0.
            next.push(prefix);
            break;
        }
        let odd = if p + 1 == odd_prefixes {
            last_odd
        } else {
            let odd = b.and(prefix, bit);
            last_odd = b.xor(last_odd, odd);
            odd
        };
        next.extend([b.xor(prefix, odd), odd]);
    }
    next
}
