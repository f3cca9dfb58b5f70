//! The pool: triples and random shared bits, made ahead in batches and used once.
//!
//! A batch becomes visible after its last check only. Both parties take from the pool in the order
//! of the protocol, so they always hold parts of the same triples and bits.

use rand::rngs::StdRng;
use rand::{CryptoRng, SeedableRng};
use zeroize::{DefaultIsZeroes, Zeroize, Zeroizing};

use super::context::Context;
use super::leaky_and::Triple;
use super::share::Share;
use super::triples;
use crate::Result;
use crate::net::{Channel, Transport};
use crate::ot::{CotReceiver, CotSender, Delta, setup_both};

/// Random shared bits that are made at once, at least.
const MIN_BITS: usize = 1024;

/// The pool, with the correlated OTs of both directions that fill it.
pub(super) struct Pool {
    sender: CotSender,
    receiver: CotReceiver,
    /// In reverse order: the next ones are taken from the end.
    triples: Zeroizing<Vec<Triple>>,
    bits: Zeroizing<Vec<Share>>,
    batches: u64,
    /// For coins and nonces.
    rng: StdRng,
}

impl Pool {
    pub(super) fn setup<T: Transport>(
        context: &Context,
        channel: &mut Channel<T>,
        delta: Delta,
        rng: &mut impl CryptoRng,
    ) -> Result<Self> {
        let (sender, receiver) = setup_both(channel, &context.session, context.me, delta, rng)?;
        Ok(Pool {
            sender,
            receiver,
            triples: Zeroizing::default(),
            bits: Zeroizing::default(),
            batches: 0,
            rng: StdRng::from_rng(rng),
        })
    }

    pub(super) fn delta(&self) -> &Delta {
        self.sender.delta()
    }

    /// How many triples are there.
    pub(super) fn triples(&self) -> usize {
        self.triples.len()
    }

    /// Makes sure that `triples` triples and `bits` random shared bits are there, by one batch at
    /// the most.
    ///
    /// # Errors
    /// Any error of the channel or of a check; nothing of the batch is visible then.
    pub(super) fn reserve<T: Transport>(
        &mut self,
        context: &Context,
        channel: &mut Channel<T>,
        triples: usize,
        bits: usize,
    ) -> Result<()> {
        let missing_triples = triples.saturating_sub(self.triples.len());
        let missing_bits = bits.saturating_sub(self.bits.len());
        if missing_triples == 0 && missing_bits == 0 {
            return Ok(());
        }
        let for_triples = 3 * triples::leaky_triples(missing_triples);
        let total = for_triples + missing_bits.max(MIN_BITS);
        let shares = self.random_shares(channel, total.div_ceil(128))?;
        let fresh = if missing_triples > 0 {
            triples::make(
                context,
                channel,
                self.sender.delta(),
                self.batches,
                missing_triples,
                &shares,
                &mut self.rng,
            )?
        } else {
            Zeroizing::default()
        };
        self.batches += 1;
        self.triples = joined(&fresh, &self.triples);
        self.bits = joined(&shares[for_triples..], &self.bits);
        Ok(())
    }

    /// The next `count` triples, which must have been reserved.
    pub(super) fn take_triples(&mut self, count: usize) -> Zeroizing<Vec<Triple>> {
        take(&mut self.triples, count)
    }

    /// The next `count` random shared bits, which must have been reserved.
    pub(super) fn take_bits(&mut self, count: usize) -> Zeroizing<Vec<Share>> {
        take(&mut self.bits, count)
    }

    /// `128 * blocks` random shared bits: a correlated OT in each direction for each.
    fn random_shares<T: Transport>(
        &mut self,
        channel: &mut Channel<T>,
        blocks: usize,
    ) -> Result<Zeroizing<Vec<Share>>> {
        let mine = self.receiver.extend(channel, blocks)?;
        let keys = Zeroizing::new(self.sender.extend(channel, blocks)?);
        let shares = mine
            .choices
            .iter()
            .zip(mine.macs.iter())
            .zip(keys.iter())
            .map(|((&bit, mac), key)| Share {
                bit,
                mac: mac.0,
                key: key.0,
            })
            .collect();
        Ok(Zeroizing::new(shares))
    }
}

fn joined<S: Copy + DefaultIsZeroes>(fresh: &[S], rest: &[S]) -> Zeroizing<Vec<S>> {
    Zeroizing::new([fresh, rest].concat())
}

fn take<S: Copy + DefaultIsZeroes>(
    pool: &mut Zeroizing<Vec<S>>,
    count: usize,
) -> Zeroizing<Vec<S>> {
    let rest = pool.len() - count;
    let taken = Zeroizing::new(pool[rest..].to_vec());
    pool[rest..].zeroize();
    pool.truncate(rest);
    taken
}
