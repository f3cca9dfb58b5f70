//! Conversion of an index to its one-hot code.

use crate::circuit::{Bit, Builder};

/// The one-hot code of an index below `m`: m bits, of which only the one at the index is 1.
///
/// The index has at least ceil(log2 m) = k bits; any higher bits must be 0 and are not read. Costs
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
    // From the most significant bit on, code[p] is whether the bits read so far are p.
    let mut code = vec![Bit::ONE];
    for level in (0..k).rev() {
        code = split(b, &code, index[level], m.div_ceil(1 << level));
    }
    code
}

/// Reads one more bit of the index: prefix p becomes 2p and 2p + 1, of which `size` are possible.
///
/// When the bit is 1, exactly one of the odd prefixes is true. The last odd prefix is therefore the
/// bit minus the others and costs nothing.
fn split(b: &mut Builder, code: &[Bit], bit: Bit, size: usize) -> Vec<Bit> {
    let odd_prefixes = size / 2;
    let mut last_odd = bit;
    let mut next = Vec::with_capacity(size);
    for (p, &prefix) in code.iter().enumerate() {
        if p == odd_prefixes {
            // Only 2p is below m, so the prefix must be even.
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
