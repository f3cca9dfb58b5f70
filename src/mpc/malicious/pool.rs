//! The pool: triples, random shared bits and masks of what a party enters, preprocessed in batches.
//! Each is used once.
//!
//! The mask of what a party enters is a random authenticated bit of that party alone: the other
//! party's share is 0. The party knows the whole mask either way, since it must know `V`, and to the
//! other party its mask is uniform either way. So one correlated OT makes it, and nothing is opened.
//!
//! A batch enters the pool only after its last check, which is that of the MACs of all bits that
//! were opened for it. Both parties take from the pool in the same order, so they always hold
//! matching parts.

mod queue;
#[cfg(test)]
mod tests;

use rand::rngs::StdRng;
use rand::{CryptoRng, SeedableRng};

use self::queue::Queue;
use super::context::{Context, no_pad};
use super::leaky_and::Triple;
use super::share::{RandomShares, Share};
use super::triples::{Amount, Buckets};
use crate::circuit::{ByParty, Party};
use crate::crypto::{SecretVec, Step};
use crate::mpc::Demand;
use crate::mpc::error::{Check, Error, Fault, Result};
use crate::mpc::plan::Plan;
use crate::mpc::tag::Tag;
use crate::net::{Channel, Transport};
use crate::ot::{CotReceiver, CotSender, Delta};

/// The fewest random shared bits that a batch makes, if it makes any.
const MIN_BITS: usize = 1024;

/// The most that a batch makes of each amount: finished triples, but for what fills them up to a
/// threshold, random shared bits, and masks of what each party enters.
///
/// One batch is what preprocessing needs of memory, whatever the demand. At the usual `rho` fewer
/// would take larger buckets; more take memory, and no smaller ones.
const MOST: usize = 1 << 15;

/// The limit of each amount of a demand. It keeps the sums of all amounts within a `usize`.
const MAX_AT_ONCE: usize = if usize::BITS < 64 { 1 << 22 } else { 1 << 28 };

/// Checks that a demand may have these amounts.
///
/// # Errors
/// [`Error::Usage`] if one is too large.
pub(super) fn check(demand: &Demand) -> Result<()> {
    let Demand {
        ands,
        inputs,
        outputs,
    } = *demand;
    let amounts = [ands, inputs.garbler, inputs.evaluator, outputs];
    if amounts.iter().any(|&amount| amount > MAX_AT_ONCE) {
        return Err(Error::usage(format!(
            "more than {MAX_AT_ONCE} AND gates, input bits or output bits at once"
        )));
    }
    Ok(())
}

/// The pool, and the correlated OTs in both directions from which it is filled.
pub(super) struct Pool {
    sender: CotSender,
    receiver: CotReceiver,
    triples: Queue<Triple>,
    bits: Queue<Share>,
    inputs: ByParty<Queue<Share>>,
    batches: u64,
    /// For coins and nonces.
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
            rng: StdRng::from_rng(rng),
        }
    }

    pub(super) fn delta(&self) -> &Delta {
        self.sender.delta()
    }

    /// What the pool lacks for a demand. Its `outputs` are random shared bits.
    pub(super) fn missing(&self, demand: &Demand) -> Demand {
        let bits = demand.ands + demand.outputs;
        Demand {
            ands: demand.ands.saturating_sub(self.triples.len()),
            inputs: ByParty::from_fn(|owner| {
                demand.inputs[owner].saturating_sub(self.inputs[owner].len())
            }),
            outputs: bits.saturating_sub(self.bits.len()),
        }
    }

    /// The amounts of the next batch, if this is [`missing`](Self::missing): as much of each as a
    /// batch may make. Both parties compute the same.
    pub(super) fn next_batch(missing: &Demand) -> Demand {
        Demand {
            ands: missing.ands.min(MOST),
            inputs: ByParty::from_fn(|owner| missing.inputs[owner].min(MOST)),
            outputs: missing.outputs.min(MOST),
        }
    }

    /// Makes a batch with at least these amounts, as [`next_batch`](Self::next_batch) gives them.
    ///
    /// # Errors
    /// Any error of the channel or of a check. The pool then gets nothing of the batch.
    pub(super) fn fill<T: Transport>(
        &mut self,
        context: &Context,
        channel: &mut Channel<T>,
        amounts: &Demand,
    ) -> Result<(), Fault> {
        // A batch that needs random bits makes many, and one that does not keeps none: if each
        // batch of triples added its left-over bits, the pool would grow from hand to hand.
        let bits = match amounts.outputs {
            0 => 0,
            missing => missing.max(MIN_BITS),
        };
        let triples = Amount::for_at_least(amounts.ands, context.statistical);
        let of_triples = 3 * triples.leaky;
        let shared = of_triples + bits;
        let batch = self.batches;
        self.batches += 1;
        let (me, peer) = (context.me, context.me.other());
        let inputs = &amounts.inputs;
        let counts = [me, peer].map(|owner| shared + inputs[owner]);
        let shares = self.random_shares(context, channel, (batch, amounts), counts)?;
        let delta = self.sender.delta();
        if amounts.ands > 0 {
            let rng = &mut self.rng;
            let buckets = Buckets::fill(context, channel, delta, batch, triples, &shares, rng)?;
            let theirs = open(context, channel, delta, batch, &buckets)?;
            self.triples.put(buckets.combine(&theirs, me, delta));
        }
        self.bits.put(shares.range(of_triples..shared));
        self.inputs[me].put(shares.mine(shared..counts[0]));
        self.inputs[peer].put(shares.theirs(shared..counts[1]));
        Ok(())
    }

    /// Makes the random shared bits of a batch, by correlated OTs in both directions: at least so many
    /// bits of this party, and of the peer.
    fn random_shares<T: Transport>(
        &mut self,
        context: &Context,
        channel: &mut Channel<T>,
        (batch, amounts): (u64, &Demand),
        counts: [usize; 2],
    ) -> Result<RandomShares, Fault> {
        let plan = Plan::of_batch(&context.session, batch, amounts, context.statistical);
        context.send_plan(channel, &plan)?;
        let [mine, theirs] = counts.map(|count| count.div_ceil(128));
        let mine = self.receiver.extend(channel, mine)?;
        // Compared before any check of the batch: parties that only disagree must not take each
        // other for cheats.
        context.expect_plan(channel, &plan)?;
        let keys = self.sender.extend(channel, theirs)?;
        Ok(RandomShares::new(mine, keys))
    }

    /// Counts a batch without making it.
    #[cfg(test)]
    pub(super) fn skip_a_number(&mut self) {
        self.batches += 1;
    }

    /// How many triples the pool holds.
    #[cfg(feature = "internals")]
    pub(super) fn triples(&self) -> usize {
        self.triples.len()
    }

    /// Takes `count` triples. The pool must hold them.
    pub(super) fn take_triples(&mut self, count: usize) -> SecretVec<Triple> {
        self.triples.take(count)
    }

    /// What [`take_triples`](Self::take_triples) would give.
    #[cfg(test)]
    pub(super) fn next_triples(&self, count: usize) -> Vec<Triple> {
        self.triples.next(count)
    }

    /// What [`take_bits`](Self::take_bits) would give.
    #[cfg(test)]
    pub(super) fn next_bits(&self, count: usize) -> Vec<Share> {
        self.bits.next(count)
    }

    /// What [`take_inputs`](Self::take_inputs) would give.
    #[cfg(test)]
    pub(super) fn next_inputs(&self, owner: Party, count: usize) -> Vec<Share> {
        self.inputs[owner].next(count)
    }

    /// Takes `count` random shared bits. The pool must hold them.
    pub(super) fn take_bits(&mut self, count: usize) -> SecretVec<Share> {
        self.bits.take(count)
    }

    /// Takes masks for `count` bits that `owner` enters. The pool must hold them.
    pub(super) fn take_inputs(&mut self, owner: Party, count: usize) -> SecretVec<Share> {
        self.inputs[owner].take(count)
    }
}

/// Opens the differences within the buckets to both parties. Gives the peer's shares of them.
pub(super) fn open<T: Transport>(
    context: &Context,
    channel: &mut Channel<T>,
    delta: &Delta,
    batch: u64,
    buckets: &Buckets<'_>,
) -> Result<Vec<bool>, Fault> {
    let differences = || buckets.differences().iter().copied();
    let step = (Tag::PoolBits, (Step::PoolMacs, batch));
    context.send_opening(channel, step, differences(), no_pad())?;
    channel.flush()?;
    let check = Check::PoolMacs;
    context.recv_opening(channel, step, delta, differences(), no_pad(), check)
}
