//! How many leaky triples go into one that is not.
//!
//! An adversary that makes a leaky triple wrong, in order to learn a bit of its `x`, is caught
//! with probability 1/2 each. It wins if a whole bucket is made of such triples and it was never
//! caught: with `T` bad triples among `L * B`, sorted into `L` buckets of `B`, that has
//! probability at most `2^-T * L * C(T, B) / C(L * B, B)` (Wang, Ranellucci, Katz 2017, section
//! 3.3, with the adversary's best `T`).

/// Statistical security of one batch, in bits: 40, and 10 more because a peer may try 2^10 times.
pub(super) const RHO: u32 = 50;

/// The smallest bucket for `buckets` finished triples, at statistical security `rho`.
pub(super) fn bucket_size(buckets: usize, rho: u32) -> usize {
    (2..)
        .find(|&size| cheating_bits(buckets, size) >= f64::from(rho))
        .expect("a larger bucket is always safer")
}

/// Minus the logarithm, to base 2, of the adversary's probability.
fn cheating_bits(buckets: usize, size: usize) -> f64 {
    let total = buckets * size;
    // log2 of 2^-T * L * C(T, B) / C(L * B, B). C(T, B) grows by (T + 1) / (T + 1 - B) while the
    // first factor halves: the best T is below 2 * B.
    let falling = |n: usize| (0..size).map(|i| ((n - i) as f64).log2()).sum::<f64>();
    let best = (size..=total.min(2 * size))
        .map(|bad| falling(bad) - bad as f64)
        .fold(f64::NEG_INFINITY, f64::max);
    falling(total) - (buckets as f64).log2() - best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_40_bits_it_is_5_from_320_4_from_3044_and_3_from_276325() {
        for (from, size) in [(320, 5), (3_044, 4), (276_325, 3)] {
            assert_eq!(bucket_size(from, 40), size);
            assert_eq!(bucket_size(from - 1, 40), size + 1);
        }
    }

    #[test]
    fn at_50_bits_it_is_5_from_1807_4_from_30675_and_3_from_8842370() {
        for (from, size) in [(1_807, 5), (30_675, 4), (8_842_370, 3)] {
            assert_eq!(bucket_size(from, RHO), size);
            assert_eq!(bucket_size(from - 1, RHO), size + 1);
        }
    }

    #[test]
    fn one_finished_triple_alone_needs_as_many_leaky_ones_as_there_are_bits() {
        assert_eq!(bucket_size(1, 40), 40);
    }
}
