//! The pool: triples, random shared bits and masks of entered bits, preprocessed in batches. Each
//! of them is used once.
//!
//! The mask of an entered bit is a random authenticated bit of the entering party alone: the other
//! party's share is 0. (In the papers the other party has a share too, which is opened to the
//! entering party.) In both constructions the entering party knows the whole mask, because it must
//! compute the masked value `V`, and the mask is uniform to the other party. Here one correlated OT
//! is enough, and nothing is opened.
//!
//! A batch is added to the pool only after its last check: the check of the MACs of the bits opened
//! for its triples or, if the batch makes no triples, the consistency check of its OTs. Both
//! parties take from the pool in the same order, so they always hold matching parts.

mod queue;
#[cfg(test)]
mod tests;

use std::ops::Range;

use rand::rngs::StdRng;
use rand::{CryptoRng, SeedableRng};
use zeroize::Zeroizing;

use self::queue::Queue;
use super::context::{Context, no_pad, opening_bytes};
use super::leaky_and::Triple;
use super::share::{RandomShares, Share};
use super::triples::{self, Amount, Buckets};
use crate::circuit::{ByParty, Party};
use crate::crypto::{SecretVec, Step};
use crate::mpc::Demand;
use crate::mpc::error::{Check, Error, Fault, Result};
use crate::mpc::plan::Plan;
use crate::mpc::tag::Tag;
use crate::net::Channel;
use crate::ot::{CotReceiver, CotSender, Delta};

/// The minimum number of random shared bits that a batch makes, if it makes any.
const MIN_BITS: usize = 1024;

/// The maximum of each amount in a batch: finished triples (without the surplus triples of an
/// enlarged batch, see [`bucket_size`](super::bucket_size)), random shared bits, and masks of the
/// bits that each party enters.
///
/// Preprocessing needs memory for one batch, whatever the demand. At 50 bits of statistical
/// security, a batch of less than 30 675 triples would need larger buckets. A larger batch takes
/// more memory, and has smaller buckets only from 8 842 370 triples on.
const MAX_BATCH: usize = 1 << 15;

/// The limit for each amount of a demand. It keeps the sum of all amounts within a `usize`.
const MAX_AT_ONCE: usize = if usize::BITS < 64 { 1 << 22 } else { 1 << 28 };

/// Checks that no amount of a demand exceeds the limit.
///
/// # Errors
/// [`Error::Usage`] if an amount is too large.
pub(super) fn check(demand: &Demand) -> Result<()> {
    let Demand {
        ands,
        inputs,
        proofs,
        outputs,
    } = *demand;
    let of_parties = Party::BOTH.map(|party| [inputs[party], proofs[party]]);
    let amounts = [&[ands, outputs], of_parties.as_flattened()].concat();
    if amounts.iter().any(|&amount| amount > MAX_AT_ONCE) {
        return Err(Error::usage(format!(
            "more than {MAX_AT_ONCE} AND gates, input bits, proofs or output bits at once"
        )));
    }
    Ok(())
}

/// The number of bits that mask one proof of products.
pub(super) const PROOF_BITS: usize = 128;

/// Returns the amounts that the pool must hold for a demand. In the result, `outputs` counts all
/// random shared bits, including one for the output of each joint AND gate; `inputs` counts all
/// authenticated bits of one party only, including the bits that mask its proofs.
fn needed(demand: &Demand) -> Demand {
    Demand {
        inputs: ByParty::from_fn(|party| {
            let proof_bits = demand.proofs[party].saturating_mul(PROOF_BITS);
            demand.inputs[party].saturating_add(proof_bits)
        }),
        proofs: ByParty::default(),
        outputs: demand.ands.saturating_add(demand.outputs),
        ..*demand
    }
}

/// The division of the bits of a batch: first the shared bits of the leaky triples, then the bits
/// that stay random shared bits, then the bits of one party only.
struct Parts {
    triples: Amount,
    random: usize,
    inputs: ByParty<usize>,
}

impl Parts {
    /// The parts of a batch with at least these amounts, as returned by [`Pool::missing`].
    fn of(amounts: &Demand, statistical: u8) -> Self {
        Parts {
            triples: Amount::for_at_least(amounts.ands, statistical),
            // If random bits are missing, the batch makes at least `MIN_BITS`. If no random bits
            // are missing, it makes none: if each batch of triples added some, the pool would grow
            // from run to run.
            random: match amounts.outputs {
                0 => 0,
                missing => missing.max(MIN_BITS),
            },
            inputs: amounts.inputs,
        }
    }

    /// The range of the bits that stay random shared bits.
    fn bits(&self) -> Range<usize> {
        let start = 3 * self.triples.leaky;
        start..start + self.random
    }

    /// The range of the bits of one party only.
    fn inputs(&self, owner: Party) -> Range<usize> {
        let start = self.bits().end;
        start..start + self.inputs[owner]
    }

    /// The number of correlated OTs with this party's choice bits, in blocks of 128.
    fn blocks(&self, owner: Party) -> usize {
        self.inputs(owner).end.div_ceil(128)
    }

    /// The number of bytes that a party sends for the batch.
    fn sent_bytes(&self, sender: Party) -> u64 {
        let Amount { finished, leaky } = self.triples;
        let triples = match leaky {
            0 => 0,
            _ => triples::sent_bytes(sender, leaky) + opening_bytes(leaky - finished),
        };
        Plan::sent_bytes() + CotReceiver::sent_bytes(self.blocks(sender)) + triples
    }
}

/// The number of bytes that a party sends to fill an empty pool for a demand.
pub(super) fn sent_bytes(sender: Party, demand: &Demand, statistical: u8) -> u64 {
    let mut missing = needed(demand);
    let mut sent = 0;
    while missing != Demand::default() {
        let amounts = Pool::next_batch(&missing);
        let parts = Parts::of(&amounts, statistical);
        sent += parts.sent_bytes(sender);
        missing = Demand {
            ands: missing.ands.saturating_sub(parts.triples.finished),
            inputs: ByParty::from_fn(|party| missing.inputs[party] - parts.inputs[party]),
            outputs: missing.outputs.saturating_sub(parts.random),
            ..missing
        };
    }
    sent
}

/// The pool, and the correlated OTs in both directions that fill it.
pub(super) struct Pool {
    sender: CotSender,
    receiver: CotReceiver,
    triples: Queue<Triple>,
    bits: Queue<Share>,
    inputs: ByParty<Queue<Share>>,
    batches: u64,
    /// The bits of the last batch, and the buckets made from them. They are kept so that the next
    /// batch reuses the memory. Keeping them reveals nothing new to an attacker who reads the
    /// memory: the session also keeps Delta and the seeds of the OTs, which reproduce all of this
    /// data.
    shares: RandomShares,
    buckets: Buckets,
    /// The generator for coins and nonces.
    rng: StdRng,
}

impl Pool {
    /// An empty pool.
    pub(super) fn new(
        (sender, receiver): (CotSender, CotReceiver),
        rng: &mut impl CryptoRng,
    ) -> Self {
        Pool {
            sender,
            receiver,
            triples: Queue::default(),
            bits: Queue::default(),
            inputs: ByParty::default(),
            batches: 0,
            shares: RandomShares::default(),
            buckets: Buckets::default(),
            rng: StdRng::from_rng(rng),
        }
    }

    pub(super) fn delta(&self) -> &Delta {
        self.sender.delta()
    }

    /// Returns the amounts that the pool lacks for a demand. In the result, `outputs` counts random
    /// shared bits.
    pub(super) fn missing(&self, demand: &Demand) -> Demand {
        let all = needed(demand);
        Demand {
            ands: all.ands.saturating_sub(self.triples.len()),
            inputs: ByParty::from_fn(|owner| {
                all.inputs[owner].saturating_sub(self.inputs[owner].len())
            }),
            proofs: all.proofs,
            outputs: all.outputs.saturating_sub(self.bits.len()),
        }
    }

    /// Returns the amounts of the next batch, given the [`missing`](Self::missing) amounts: as much
    /// of each as one batch may make. Both parties compute the same result.
    pub(super) fn next_batch(missing: &Demand) -> Demand {
        Demand {
            ands: missing.ands.min(MAX_BATCH),
            inputs: ByParty::from_fn(|owner| missing.inputs[owner].min(MAX_BATCH)),
            proofs: ByParty::default(),
            outputs: missing.outputs.min(MAX_BATCH),
        }
    }

    /// Makes a batch with at least these amounts, as returned by [`next_batch`](Self::next_batch).
    ///
    /// # Errors
    /// Any error of the channel or of a check. In this case nothing of the batch enters the pool.
    pub(super) fn fill(
        &mut self,
        context: &Context,
        channel: &mut Channel,
        amounts: &Demand,
    ) -> Result<(), Fault> {
        let parts = Parts::of(amounts, context.statistical);
        let batch = self.batches;
        self.batches += 1;
        let (me, peer) = (context.me, context.me.other());
        self.make_shares(context, channel, (batch, amounts), &parts)?;
        let (shares, delta) = (&self.shares, self.sender.delta());
        if amounts.ands > 0 {
            let (buckets, rng) = (&mut self.buckets, &mut self.rng);
            let step = (batch, parts.triples);
            buckets.fill(context, channel, delta, step, shares, rng)?;
            let theirs = open(context, channel, delta, batch, buckets)?;
            self.triples
                .put(buckets.combine(shares, &theirs, me, delta));
        }
        self.bits.put(shares.range(parts.bits()));
        self.inputs[me].put(shares.mine(parts.inputs(me)));
        self.inputs[peer].put(shares.theirs(parts.inputs(peer)));
        Ok(())
    }

    /// Makes the bits of a batch from correlated OTs in both directions.
    fn make_shares(
        &mut self,
        context: &Context,
        channel: &mut Channel,
        (batch, amounts): (u64, &Demand),
        parts: &Parts,
    ) -> Result<(), Fault> {
        let plan = Plan::of_batch(&context.session, batch, amounts, context.statistical);
        context.send_plan(channel, &plan)?;
        let RandomShares { mine, keys } = &mut self.shares;
        mine.reuse(128 * parts.blocks(context.me));
        keys.reuse(128 * parts.blocks(context.me.other()));
        self.receiver.extend(channel, mine)?;
        // The plans are compared before any check of the batch, so that two honest parties with
        // different plans do not take each other for cheats.
        context.expect_plan(channel, &plan)?;
        self.sender.extend(channel, keys)?;
        Ok(())
    }

    /// Skips the number of a batch.
    #[cfg(test)]
    pub(super) fn skip_batch_number(&mut self) {
        self.batches += 1;
    }

    /// The number of triples in the pool.
    #[cfg(feature = "internals")]
    pub(super) fn triples(&self) -> usize {
        self.triples.len()
    }

    /// Takes `count` triples. The pool must hold them.
    pub(super) fn take_triples(&mut self, count: usize) -> SecretVec<Triple> {
        self.triples.take(count)
    }

    /// Returns the result of the next [`take_triples`](Self::take_triples).
    #[cfg(test)]
    pub(super) fn next_triples(&self, count: usize) -> Vec<Triple> {
        self.triples.next(count)
    }

    /// Returns the result of the next [`take_bits`](Self::take_bits).
    #[cfg(test)]
    pub(super) fn next_bits(&self, count: usize) -> Vec<Share> {
        self.bits.next(count)
    }

    /// Returns the result of the next [`take_inputs`](Self::take_inputs).
    #[cfg(test)]
    pub(super) fn next_inputs(&self, owner: Party, count: usize) -> Vec<Share> {
        self.inputs[owner].next(count)
    }

    /// Takes `count` random shared bits. The pool must hold them.
    pub(super) fn take_bits(&mut self, count: usize) -> SecretVec<Share> {
        self.bits.take(count)
    }

    /// Takes the masks for `count` bits that `owner` enters. The pool must hold them.
    pub(super) fn take_inputs(&mut self, owner: Party, count: usize) -> SecretVec<Share> {
        self.inputs[owner].take(count)
    }
}

/// Opens the differences within the buckets to both parties. Returns the peer's shares of them.
///
/// The digest of the MACs also covers the coin. If there is only one bucket, nothing else depends
/// on the coin.
pub(super) fn open(
    context: &Context,
    channel: &mut Channel,
    delta: &Delta,
    batch: u64,
    buckets: &Buckets,
) -> Result<Zeroizing<Vec<bool>>, Fault> {
    let differences = || buckets.differences().iter().copied();
    let step = (Step::PoolMacs, batch);
    let coin = buckets.coin().to_bytes();
    let step = (Tag::PoolBits, |sender| {
        context.oracle(step, sender).absorb(&coin)
    });
    context.send_opening(channel, step, differences(), no_pad())?;
    channel.flush()?;
    let check = Check::PoolMacs;
    context.recv_opening(channel, step, delta, differences(), no_pad(), check)
}
