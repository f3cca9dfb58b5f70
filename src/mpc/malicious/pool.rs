//! The pool: triples, random shared bits and masks of what a party enters, preprocessed in batches.
//! Each is used once.
//!
//! The mask of what a party enters is a random authenticated bit of that party alone: the other
//! party's share is 0. The party knows the whole mask either way, since it must know `V`, and to the
//! other party its mask is uniform either way. So one correlated OT makes it, and nothing is opened.
//!
//! A batch enters the pool only after its last check: that of the MACs of the bits that were opened for
//! its triples, or, if it makes none, the consistency check of its OTs. Both parties take from the pool in
//! the same order, so they always hold matching parts.

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

/// The fewest random shared bits that a batch makes, if it makes any.
const MIN_BITS: usize = 1024;

/// The most that a batch makes of each amount: finished triples, but for what fills them up to a
/// threshold, random shared bits, and masks of what each party enters.
///
/// One batch is what preprocessing needs of memory, whatever the demand. At the usual `rho` fewer
/// would take larger buckets; more take memory, and smaller ones only from 8 842 370 triples on.
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

/// The bits that mask one proof of products.
pub(super) const PROOF_BITS: usize = 128;

/// What the pool must hold for a demand. Its `outputs` are random shared bits: one for the output of
/// each joint AND gate too. Its `inputs` are authenticated bits of one party: those that mask its
/// proofs too.
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

/// How the bits of a batch are divided: first the shared bits of the leaky triples, then those that
/// stay random shared bits, then the bits of one party only.
struct Parts {
    triples: Amount,
    random: usize,
    inputs: ByParty<usize>,
}

impl Parts {
    /// Of a batch with at least these amounts, as [`Pool::missing`] gives them.
    fn of(amounts: &Demand, statistical: u8) -> Self {
        Parts {
            triples: Amount::for_at_least(amounts.ands, statistical),
            // A batch that needs random bits makes many, and one that does not keeps none: if each
            // batch of triples added its left-over bits, the pool would grow from hand to hand.
            random: match amounts.outputs {
                0 => 0,
                missing => missing.max(MIN_BITS),
            },
            inputs: amounts.inputs,
        }
    }

    fn bits(&self) -> Range<usize> {
        let start = 3 * self.triples.leaky;
        start..start + self.random
    }

    /// The bits of this party only.
    fn inputs(&self, owner: Party) -> Range<usize> {
        let start = self.bits().end;
        start..start + self.inputs[owner]
    }

    /// The correlated OTs whose choice bits are this party's, in blocks of 128.
    fn blocks(&self, owner: Party) -> usize {
        self.inputs(owner).end.div_ceil(128)
    }

    /// The bytes that a party sends for the batch.
    fn sent_bytes(&self, sender: Party) -> u64 {
        let Amount { finished, leaky } = self.triples;
        let triples = match leaky {
            0 => 0,
            _ => triples::sent_bytes(sender, leaky) + opening_bytes(leaky - finished),
        };
        Plan::sent_bytes() + CotReceiver::sent_bytes(self.blocks(sender)) + triples
    }
}

/// The bytes that a party sends to fill an empty pool for a demand.
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

/// The pool, and the correlated OTs in both directions from which it is filled.
pub(super) struct Pool {
    sender: CotSender,
    receiver: CotReceiver,
    triples: Queue<Triple>,
    bits: Queue<Share>,
    inputs: ByParty<Queue<Share>>,
    batches: u64,
    /// The bits of the last batch and what was made of them. They stay, so that the next batch need not
    /// map memory anew. As long as the session lives this gives nothing away: the OTs' seeds and Delta
    /// live as long, and make all of it again.
    shares: RandomShares,
    buckets: Buckets,
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
            shares: RandomShares::default(),
            buckets: Buckets::default(),
            rng: StdRng::from_rng(rng),
        }
    }

    pub(super) fn delta(&self) -> &Delta {
        self.sender.delta()
    }

    /// What the pool lacks for a demand. Its `outputs` are random shared bits.
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

    /// The amounts of the next batch, if this is [`missing`](Self::missing): as much of each as a
    /// batch may make. Both parties compute the same.
    pub(super) fn next_batch(missing: &Demand) -> Demand {
        Demand {
            ands: missing.ands.min(MOST),
            inputs: ByParty::from_fn(|owner| missing.inputs[owner].min(MOST)),
            proofs: ByParty::default(),
            outputs: missing.outputs.min(MOST),
        }
    }

    /// Makes a batch with at least these amounts, as [`next_batch`](Self::next_batch) gives them.
    ///
    /// # Errors
    /// Any error of the channel or of a check. The pool then gets nothing of the batch.
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

    /// Makes the bits of a batch, by correlated OTs in both directions.
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
        // Compared before any check of the batch: parties that only disagree must not take each
        // other for cheats.
        context.expect_plan(channel, &plan)?;
        self.sender.extend(channel, keys)?;
        Ok(())
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
///
/// The digest of the MACs is of the coin too: of a single bucket, nothing else depends on it.
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
