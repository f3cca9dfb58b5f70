//! How many ANDs a shuffle takes, told before its circuit is built, and which shuffle costs least.

use super::{Algorithm, Computed, Spec, SpecError};

impl Spec {
    /// How many ANDs the circuit has, with a check of the inputs or without. Nothing is built for it.
    ///
    /// It is exact but for some draws of `fisher-yates`: see [`Computed`]. A network of 4 096 cards takes a
    /// tenth of a second, and all else less than a millisecond.
    pub fn estimated_ands(self, checked: bool) -> usize {
        match Computed::of(self.cards(), self.draw(), self.algorithm()) {
            Ok(computed) if checked => computed.checked_and,
            Ok(computed) => computed.and,
            Err(_) => unreachable!("a deck that can be played can be counted"),
        }
    }
}

impl Algorithm {
    /// The algorithm whose circuit costs least: the one with the fewest ANDs that are garbled
    /// ([`Computed::joint_and`]), and of these the one with the fewest ANDs. Where two algorithms
    /// cost nearly the same, this may be the second best.
    ///
    /// # Errors
    /// As [`Spec::new`].
    pub fn cheapest(cards: usize, draw: usize) -> Result<Self, SpecError> {
        let mut cheapest = ((usize::MAX, usize::MAX), Self::ALL[0]);
        for algorithm in Self::ALL {
            Spec::new(cards, draw, algorithm)?;
            let computed = Computed::of(cards, draw, algorithm)?;
            let cost = (computed.joint_and, computed.checked_and);
            if cost < cheapest.0 {
                cheapest = (cost, algorithm);
            }
        }
        Ok(cheapest.1)
    }
}
