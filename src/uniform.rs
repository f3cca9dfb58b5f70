//! Exactly uniform numbers and permutations, derived from uniform 64-bit words by rejection
//! sampling.

/// Returns a uniform number below `bound` (at least 1). Each call of `word` returns 64 uniform
/// bits.
///
/// The number of rejected words is independent of the returned number.
pub(crate) fn below(bound: u64, mut word: impl FnMut() -> u64) -> u64 {
    loop {
        if let Some(number) = reduce(word(), bound) {
            return number;
        }
    }
}

/// The number below `bound` that a word maps to, or `None` if the word is rejected.
///
/// Of the 2^64 words, 2^64 mod `bound` are rejected. Equally many of the remaining words map to
/// each number (Lemire, Fast random integer generation in an interval, ACM Transactions on Modeling
/// and Computer Simulation, 2019).
fn reduce(word: u64, bound: u64) -> Option<u64> {
    let product = u128::from(word) * u128::from(bound);
    let (number, rest) = ((product >> 64) as u64, product as u64);
    // For a small bound, the first comparison nearly always decides, without the division.
    let kept = rest >= bound || rest >= bound.wrapping_neg() % bound;
    kept.then_some(number)
}

/// Returns a uniform permutation of `0..n`. Each call of `word` returns 64 uniform bits.
pub(crate) fn permutation(n: usize, word: impl FnMut() -> u64) -> Vec<u32> {
    let mut permutation: Vec<u32> = (0..n as u32).collect();
    shuffle(&mut permutation, word);
    permutation
}

/// Shuffles a list into a uniform order (Knuth, The Art of Computer Programming, volume 2, 3.4.2,
/// algorithm P). Each call of `word` returns 64 uniform bits.
pub(crate) fn shuffle<T>(list: &mut [T], mut word: impl FnMut() -> u64) {
    for last in (1..list.len()).rev() {
        let other = below(last as u64 + 1, &mut word);
        list.swap(last, other as usize);
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};

    use super::*;

    #[test]
    fn equally_many_words_map_to_each_number_below_a_bound() {
        for bound in [1, 2, 3, 5, 32, 33, 52, 64, 1000] {
            let words = 1u128 << 64;
            let (each, rejected) = (words / bound, words % bound);
            for number in 0..bound {
                // The first accepted word of `number`. The accepted words of a number are
                // consecutive.
                let first = (number * words + rejected).div_ceil(bound);
                let of = |word: u128| match u64::try_from(word) {
                    Ok(word) => reduce(word, bound as u64),
                    Err(_) => None,
                };
                assert_eq!(of(first), Some(number as u64));
                assert_eq!(of(first + each - 1), Some(number as u64));
                assert_ne!(of(first.wrapping_sub(1)), Some(number as u64));
                assert_ne!(of(first + each), Some(number as u64));
            }
        }
    }

    #[test]
    fn rejected_word_is_replaced_by_the_next_word() {
        // 0 is the only one of the 2^64 words that is rejected for bound 3.
        let mut words = [0, 0, u64::MAX].into_iter();
        assert_eq!(below(3, || words.next().unwrap()), 2);
        assert_eq!(words.next(), None);
    }

    #[test]
    fn largest_bound_is_sampled_without_overflow() {
        assert_eq!(reduce(u64::MAX, u64::MAX), Some(u64::MAX - 1));
        assert_eq!(reduce(0, u64::MAX), None);
    }

    #[test]
    fn permutations_are_equally_frequent() {
        let mut counts = std::collections::HashMap::new();
        for seed in 0..24_000 {
            let mut rng = StdRng::seed_from_u64(seed);
            *counts.entry(permutation(4, || rng.next_u64())).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 24);
        // Each count is binomial with mean 1000 and standard deviation 31; the seeds are fixed.
        assert!(
            counts.values().all(|count| (850..1150).contains(count)),
            "{counts:?}"
        );
    }
}
