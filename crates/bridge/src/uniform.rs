//! Exactly uniform numbers and permutations, drawn from uniform 64-bit words. A word that would
//! bias the result is replaced by the next word.

/// Draws a uniform number below `bound`, which must be at least 1, by the method of Lemire (Fast
/// random integer generation in an interval, ACM Transactions on Modeling and Computer Simulation,
/// 2019). Each call of `word` must return 64 independent uniform bits.
pub(crate) fn below(bound: u64, mut word: impl FnMut() -> u64) -> u64 {
    loop {
        let product = u128::from(word()) * u128::from(bound);
        let (number, low) = ((product >> 64) as u64, product as u64);
        // The same number of words, floor(2^64 / bound), is accepted for each result.
        if low >= bound.wrapping_neg() % bound {
            return number;
        }
    }
}

/// Permutes `list` uniformly at random by algorithm P of Knuth (The Art of Computer Programming,
/// volume 2, 3.4.2). Each call of `word` must return 64 independent uniform bits.
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
    fn rejected_word_is_replaced_by_the_next_word() {
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
        // Each count is binomial with mean 1000 and standard deviation 31. The seeds are fixed, so
        // the test always has the same result.
        assert!(
            counts.values().all(|count| (850..1150).contains(count)),
            "{counts:?}"
        );
    }
}
