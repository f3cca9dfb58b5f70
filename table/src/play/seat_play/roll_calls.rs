//! Roll calls: how a seat takes part in the removal of seats that are silent.

use std::collections::{BTreeMap, BTreeSet};

use rand::CryptoRng;

use super::super::clocks::Lacks;
use super::super::error::PlayError;
use super::super::vault::Vault;
use super::Play;
use crate::log::{Phase, Signed, Storage};
use crate::seat::Seat;

impl<S: Storage, V: Vault, R: CryptoRng> Play<S, V, R> {
    /// What this seat lacks of each other seat, in a match whose seats can be removed. A seat that has
    /// committed a foul has no time.
    pub(in crate::play) fn lacks(&self) -> Option<BTreeMap<Seat, Lacks>> {
        todo!()
    }

    /// Sets the other seats whose timeouts have expired.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn set_late(&mut self, late: BTreeSet<Seat>) {
        self.late = late;
    }
}
