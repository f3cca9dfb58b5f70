//! The number of bytes that runs will send, computed in advance. The size of each message is
//! defined next to the code that sends it; this file adds up the sizes.

use super::{pool, run};
use crate::circuit::ByParty;
use crate::mpc::Demand;
use crate::mpc::error::Result;
use crate::mpc::greeting::check_statistical;

/// The exact number of bytes that the parties of a malicious session send for runs of a circuit.
///
/// The counts include the headers of the frames, like [`Traffic`](crate::net::Traffic). They do not
/// include the setup of the session or the openings.
///
/// ```
/// use dealerless::mpc::{Demand, MaliciousBytes, STATISTICAL_SECURITY};
/// use dealerless::shuffle::{Algorithm, ShuffleCircuit, Spec};
///
/// let shuffle = ShuffleCircuit::build_checked(Spec::new(52, 9, Algorithm::Cut)?);
/// let demand = Demand::of(shuffle.circuit());
/// let one = MaliciousBytes::of(demand, 1, STATISTICAL_SECURITY)?;
/// let hundred = MaliciousBytes::of(demand, 100, STATISTICAL_SECURITY)?;
/// // The cost per run is lower in a larger batch.
/// assert!(hundred.total() < 100 * one.total());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MaliciousBytes {
    /// The bytes that each party sends to fill the empty pool for all runs at once.
    pub pool: ByParty<u64>,
    /// The bytes that each party sends in all runs themselves.
    pub online: ByParty<u64>,
}

impl MaliciousBytes {
    /// Computes the bytes for `runs` runs with the same `demand`, if all of them are prepared from
    /// an empty pool before the first run, at `statistical` bits of statistical security.
    ///
    /// # Errors
    /// [`Error::Usage`](crate::mpc::Error::Usage) if a session rejects these values; see
    /// [`TwoParty::prepare`] and [`Offer::statistical_security`].
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

    /// The bytes that both parties send in total, for the pool and in the runs.
    pub fn total(&self) -> u64 {
        [self.pool, self.online]
            .map(|part| part.garbler + part.evaluator)
            .iter()
            .sum()
    }
}
