//! A secret permutation, drawn and applied without branches or memory accesses that depend on it.

use rand::CryptoRng;
use subtle::{ConditionallySelectable, ConstantTimeEq, ConstantTimeGreater};
use zeroize::{Zeroize, Zeroizing};

/// A permutation `p`: place `i` of the output takes place `p(i)` of the input.
pub(super) struct Permutation(Zeroizing<Vec<u64>>);

/// A value whose order is secret: it can be selected in constant time, and wiped.
pub(super) trait Item: ConditionallySelectable + Default + Zeroize {}

impl<T: ConditionallySelectable + Default + Zeroize> Item for T {}

impl Permutation {
    /// A uniform permutation: `p(i)` is the rank of the i-th of `count` random numbers. Numbers with
    /// a tie are drawn again, so every order is equally likely.
    pub(super) fn draw(count: usize, rng: &mut impl CryptoRng) -> Self {
        loop {
            let mut keys = Zeroizing::new(vec![0_u64; count]);
            keys.iter_mut().for_each(|key| *key = rng.next_u64());
            let rank = |key: &u64| {
                let below = keys.iter().map(|other| key.ct_gt(other).unwrap_u8());
                below.map(u64::from).sum::<u64>()
            };
            let ranks = Zeroizing::new(keys.iter().map(rank).collect::<Vec<u64>>());
            // Without a tie the ranks are all numbers below the count.
            let tied = (0..count as u64).any(|rank| {
                let found = ranks.iter().map(|other| other.ct_eq(&rank).unwrap_u8());
                found.fold(0, |any, one| any | one) == 0
            });
            if !tied {
                return Permutation(ranks);
            }
        }
    }

    /// `items[p(i)]` for each `i`.
    pub(super) fn gather<T: Item>(&self, items: &[T]) -> Zeroizing<Vec<T>> {
        let at = |place: &u64| {
            let mut found = T::default();
            for (number, item) in (0_u64..).zip(items) {
                found.conditional_assign(item, place.ct_eq(&number));
            }
            found
        };
        Zeroizing::new(self.0.iter().map(at).collect())
    }

    /// The items in such an order that item `i` is at `p(i)`.
    pub(super) fn scatter<T: Item>(&self, items: &[T]) -> Zeroizing<Vec<T>> {
        let at = |number: u64| {
            let mut found = T::default();
            for (place, item) in self.0.iter().zip(items) {
                found.conditional_assign(item, place.ct_eq(&number));
            }
            found
        };
        Zeroizing::new((0..items.len() as u64).map(at).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand::rngs::StdRng;

    #[test]
    fn scatter_undoes_gather_and_both_follow_the_permutation() {
        let permutation = Permutation(Zeroizing::new(vec![2, 0, 1]));
        assert_eq!(*permutation.gather(&[10_u64, 11, 12]), [12, 10, 11]);
        assert_eq!(*permutation.scatter(&[12_u64, 10, 11]), [10, 11, 12]);
    }

    #[test]
    fn every_order_is_drawn_equally_often() {
        let mut rng = StdRng::seed_from_u64(7);
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..24_000 {
            let drawn = Permutation::draw(4, &mut rng);
            *counts.entry(drawn.0.to_vec()).or_insert(0_u64) += 1;
        }
        assert_eq!(counts.len(), 24);
        // Chi-squared with 23 degrees of freedom: 60 is exceeded with probability 4e-5.
        let excess = counts
            .values()
            .map(|&count| (count as f64 - 1000.0).powi(2) / 1000.0);
        assert!(excess.sum::<f64>() < 60.0);
    }
}
