//! Draws exactly uniform numbers and permutations from uniform 64-bit words. Words that would bias
//! the result are rejected and drawn again.

/// Draws a uniform number below `bound`, which must be at least 1. Each call of `word` must return
/// 64 uniform bits (Lemire, Fast random integer generation in an interval, ACM Transactions on
/// Modeling and Computer Simulation, 2019).
pub(crate) fn below(bound: u64, mut word: impl FnMut() -> u64) -> u64 {
    loop {
        let product = u128::from(word()) * u128::from(bound);
        let (number, remainder) = ((product >> 64) as u64, product as u64);
        if remainder >= bound.wrapping_neg() % bound {
            return number;
        }
    }
}

/// Permutes `list` uniformly at random. Each call of `word` must return 64 uniform bits (Knuth, The
/// Art of Computer Programming, volume 2, 3.4.2, algorithm P).
pub(crate) fn shuffle<T>(list: &mut [T], mut word: impl FnMut() -> u64) {
    for last in (1..list.len()).rev() {
        let other = below(last as u64 + 1, &mut word);
        list.swap(last, other as usize);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};

    use super::*;

    #[test]
    fn rejected_word_is_replaced_by_the_next() {
        // For a bound of 3, only the word 0 is rejected.
        let mut words = [0, 0, u64::MAX].into_iter();
        assert_eq!(below(3, || words.next().unwrap()), 2);
        assert_eq!(words.next(), None);
    }

    #[test]
    fn all_permutations_occur_equally_often() {
        let mut counts = HashMap::new();
        for seed in 0..24_000 {
            let mut rng = StdRng::seed_from_u64(seed);
            let mut list = [0, 1, 2, 3];
            shuffle(&mut list, || rng.next_u64());
            *counts.entry(list).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 24);
        // Each count is binomial with mean 1000 and standard deviation 31; the seeds are fixed.
        assert!(
            counts.values().all(|count| (850..1150).contains(count)),
            "{counts:?}"
        );
    }
}
