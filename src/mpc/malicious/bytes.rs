//! What runs send, told before anything is sent. The size of each message stands where the message
//! is sent; this file adds them up.

use super::{pool, run};
use crate::circuit::ByParty;
use crate::mpc::Demand;
use crate::mpc::error::Result;
use crate::mpc::greeting::check_statistical;

/// The bytes that the parties of a malicious session send for runs of a circuit, exactly.
///
/// They are those of the frames, headers included, as [`Traffic`](crate::net::Traffic) counts them.
/// The setup of the session comes before, and openings come after; neither is in them.
///
/// ```
/// use dealerless::mpc::{Demand, MaliciousBytes, STATISTICAL_SECURITY};
/// use dealerless::shuffle::{Algorithm, ShuffleCircuit, Spec};
///
/// let shuffle = ShuffleCircuit::build_checked(Spec::new(52, 9, Algorithm::Cut)?);
/// let demand = Demand::of(shuffle.circuit());
/// let one = MaliciousBytes::of(demand, 1, STATISTICAL_SECURITY)?;
/// let hundred = MaliciousBytes::of(demand, 100, STATISTICAL_SECURITY)?;
/// // A larger batch costs less for each of its runs.
/// assert!(hundred.total() < 100 * one.total());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MaliciousBytes {
    /// What each party sends to fill the empty pool for all runs at once.
    pub pool: ByParty<u64>,
    /// What each party sends in the runs themselves, all together.
    pub online: ByParty<u64>,
}

impl MaliciousBytes {
    /// Of so many `runs` with this demand each, all prepared before the first of them from an empty
    /// pool, at so many bits of `statistical` security.
    ///
    /// # Errors
    /// [`Error::Usage`](crate::mpc::Error::Usage) if a session does not do this: see [`TwoParty::prepare`] and
    /// [`Offer::statistical_security`].
    ///
    /// [`TwoParty::prepare`]: crate::mpc::TwoParty::prepare
    /// [`Offer::statistical_security`]: crate::mpc::Offer::statistical_security
    pub fn of(demand: Demand, runs: u32, statistical: u8) -> Result<Self> {
        check_statistical(statistical)?;
        let all = demand.times(runs as usize);
        pool::check(&demand)?;
        pool::check(&all)?;
        Ok(MaliciousBytes {
            pool: ByParty::from_fn(|party| pool::sent_bytes(party, &all, statistical)),
            online: ByParty::from_fn(|party| u64::from(runs) * run::sent_bytes(party, &demand)),
        })
    }

    /// What both parties send, in the pool and in the runs.
    pub fn total(&self) -> u64 {
        [self.pool, self.online]
            .map(|part| part.garbler + part.evaluator)
            .iter()
            .sum()
    }
}
