//! The size of a bucket: the number of leaky triples that are combined into one triple without a
//! leak.
//!
//! An adversary can make a leaky triple wrong to learn a bit of its `x`. For each wrong triple the
//! adversary is caught with probability 1/2. It wins if it is not caught and one bucket holds only
//! wrong triples. If `T` of `L * B` leaky triples are wrong, and all are sorted into `L` buckets of
//! size `B`, the adversary wins with probability at most `2^-T * L * C(T, B) / C(L * B, B)` (Wang,
//! Ranellucci, Katz 2017, section 3.3, with the adversary's best `T`).

use std::cmp::Ordering;

/// Returns the smallest bucket size for `buckets` finished triples at `rho` bits of statistical
/// security.
///
/// The computation uses integers, so that both parties get the same result.
pub(super) fn bucket_size(buckets: usize, rho: u8) -> usize {
    (2..)
        .find(|&size| is_safe(buckets, size, rho))
        .expect("a larger bucket is always safer")
}

/// Returns the number of triples that a batch finishes if at least `needed` (one or more) are
/// required, and the size of their buckets. The result is the safe choice that takes the fewest
/// leaky triples. If several choices take equally few, it is the one that finishes the most
/// triples.
///
/// A larger batch is safe with smaller buckets. If the smaller buckets save at least as many leaky
/// triples as the larger batch costs, the batch is enlarged, and the surplus triples are kept for
/// the next run.
pub(super) fn batch(needed: usize, rho: u8) -> (usize, usize) {
    let largest = bucket_size(needed, rho);
    let smaller = (2..largest).rev().filter_map(|size| {
        // A larger count would take more leaky triples than `needed` buckets of size `largest`.
        let most = needed * largest / size;
        is_safe(most, size, rho).then(|| (first_safe(needed, most, size, rho), size))
    });
    (smaller.chain([(needed, largest)]))
        .min_by_key(|&(count, size)| (count * size, size))
        .expect("the list has at least one entry")
}

/// Returns the smallest safe number of buckets between `low` and `high`, where `high` is safe.
fn first_safe(low: usize, high: usize, size: usize, rho: u8) -> usize {
    let (mut low, mut high) = (low, high);
    while low < high {
        let middle = low + (high - low) / 2;
        if is_safe(middle, size, rho) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    high
}

/// Whether `2^-T * L * C(T, B) / C(L * B, B) <= 2^-rho` for every `T`.
///
/// From `T` to `T + 1`, the factor `C(T, B)` grows by `(T + 1) / (T + 1 - B)`, and `2^-T` halves.
/// So the adversary's best `T` is `2 * B - 1`, or all triples if there are fewer. The `B!` of the
/// binomials cancels out.
fn is_safe(buckets: usize, size: usize, rho: u8) -> bool {
    let total = buckets * size;
    let bad = total.min(2 * size - 1);
    let falling = |from: usize| (0..size).map(move |i| from - i);
    let twos = |count| std::iter::repeat_n(2, count);
    let left = product(falling(bad).chain([buckets]).chain(twos(rho.into())));
    let right = product(falling(total).chain(twos(bad)));
    compare(&left, &right) != Ordering::Greater
}

/// Returns the product of factors below 2^32, as limbs of 32 bits in little-endian order. The
/// highest limb is not 0.
fn product(factors: impl Iterator<Item = usize>) -> Vec<u32> {
    let mut limbs = vec![1];
    for factor in factors {
        let mut carry = 0;
        for limb in &mut limbs {
            let sum = u64::from(*limb) * factor as u64 + carry;
            *limb = sum as u32;
            carry = sum >> 32;
        }
        if carry > 0 {
            limbs.push(carry as u32);
        }
    }
    limbs
}

fn compare(a: &[u32], b: &[u32]) -> Ordering {
    (a.len().cmp(&b.len())).then_with(|| a.iter().rev().cmp(b.iter().rev()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_40_bits_bucket_size_is_5_from_320_4_from_3044_and_3_from_276325() {
        for (from, size) in [(320, 5), (3_044, 4), (276_325, 3)] {
            assert_eq!(bucket_size(from, 40), size);
            assert_eq!(bucket_size(from - 1, 40), size + 1);
        }
    }

    #[test]
    fn at_50_bits_bucket_size_is_5_from_1807_4_from_30675_and_3_from_8842370() {
        for (from, size) in [(1_807, 5), (30_675, 4), (8_842_370, 3)] {
            assert_eq!(bucket_size(from, 50), size);
            assert_eq!(bucket_size(from - 1, 50), size + 1);
        }
    }

    #[test]
    fn at_56_bits_bucket_size_is_5_from_5109_and_4_from_122699() {
        for (from, size) in [(5_109, 5), (122_699, 4)] {
            assert_eq!(bucket_size(from, 56), size);
            assert_eq!(bucket_size(from - 1, 56), size + 1);
        }
    }

    #[test]
    fn batch_grows_to_a_threshold_only_if_that_takes_no_more_leaky_triples() {
        // 1 505 * 6 = 9 030 and 1 506 * 6 = 9 036; 1 807 * 5 = 9 035.
        assert_eq!(batch(1_505, 50), (1_505, 6));
        assert_eq!(batch(1_506, 50), (1_807, 5));
        assert_eq!(batch(1_807, 50), (1_807, 5));
        assert_eq!(batch(24_540, 50), (30_675, 4));
        assert_eq!(batch(24_539, 50), (24_539, 5));
    }

    #[test]
    fn batch_takes_the_fewest_leaky_triples_that_are_safe() {
        for rho in [40, 50, 56, 80] {
            for needed in (1..40).chain([100, 319, 320, 362, 500, 1_506, 3_000, 100_000]) {
                let (count, size) = batch(needed, rho);
                assert!(count >= needed && size >= bucket_size(count, rho));
                assert!(
                    count * size <= needed * bucket_size(needed, rho),
                    "{needed}"
                );
            }
        }
    }

    #[test]
    fn single_triple_needs_one_leaky_triple_per_bit_of_security() {
        assert_eq!(bucket_size(1, 40), 40);
    }
}
