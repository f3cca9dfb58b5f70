//! Permutations of `0..n`: each party's secret for a network.

use rand::CryptoRng;
use zeroize::Zeroizing;

use crate::shuffle::SeedError;
use crate::shuffle::randomness::uniform_below;

/// A uniform permutation of `0..n` (Knuth, The Art of Computer Programming, volume 2, 3.4.2,
/// algorithm P), each index by exact rejection.
pub(in crate::shuffle) fn sample(n: usize, rng: &mut impl CryptoRng) -> Zeroizing<Vec<u32>> {
    let mut permutation = Zeroizing::new((0..n as u32).collect::<Vec<_>>());
    for last in (1..n).rev() {
        let other = uniform_below(last as u64 + 1, rng) as usize;
        permutation.swap(last, other);
    }
    permutation
}

/// Checks that values are a permutation of `0..n`.
pub(in crate::shuffle) fn check(
    n: usize,
    values: impl ExactSizeIterator<Item = u64>,
) -> Result<(), SeedError> {
    if values.len() != n {
        return Err(SeedError::Count {
            expected: n,
            found: values.len(),
        });
    }
    let mut seen = Zeroizing::new(vec![false; n]);
    for (place, value) in values.enumerate() {
        let Some(seen) = usize::try_from(value).ok().and_then(|v| seen.get_mut(v)) else {
            return Err(SeedError::Range {
                seed: place,
                modulus: n as u64,
            });
        };
        if std::mem::replace(seen, true) {
            return Err(SeedError::Repeated { place });
        }
    }
    Ok(())
}
