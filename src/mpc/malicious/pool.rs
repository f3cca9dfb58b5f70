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

use std::ops::Range;

use rand::rngs::StdRng;
use rand::{CryptoRng, SeedableRng};
use zeroize::DefaultIsZeroes;

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
use crate::net::{Channel, Transport};
use crate::ot::{CotReceiver, CotSender, Delta};

/// The fewest random shared bits that a batch makes, if it makes any.
const MIN_BITS: usize = 1024;

/// The limit of each amount in a batch. It keeps the numbers of leaky triples within 32 bits, and
/// the sums of all amounts within a `usize`.
const MAX_AT_ONCE: usize = if usize::BITS < 64 { 1 << 22 } else { 1 << 28 };

/// Checks that a batch may have these amounts.
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
    let proof_bits = |party| demand.proofs[party].saturating_mul(PROOF_BITS);
    Demand {
        inputs: ByParty::from_fn(|party| demand.inputs[party].saturating_add(proof_bits(party))),
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
}

/// The bytes that a party sends to fill an empty pool for a demand.
pub(super) fn sent_bytes(sender: Party, demand: &Demand, statistical: u8) -> u64 {
    let amounts = needed(demand);
    if amounts == Demand::default() {
        return 0;
    }
    let parts = Parts::of(&amounts, statistical);
    let triples = match amounts.ands {
        0 => 0,
        _ => {
            let Amount { finished, leaky } = parts.triples;
            triples::sent_bytes(sender, leaky) + opening_bytes(leaky - finished)
        }
    };
    Plan::sent_bytes() + CotReceiver::sent_bytes(parts.blocks(sender)) + triples
}

/// The pool, and the correlated OTs in both directions from which it is filled. Everything is taken
/// from the ends of the vectors.
pub(super) struct Pool {
    sender: CotSender,
    receiver: CotReceiver,
    triples: SecretVec<Triple>,
    bits: SecretVec<Share>,
    inputs: ByParty<SecretVec<Share>>,
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
            triples: SecretVec::default(),
            bits: SecretVec::default(),
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

    /// Makes a batch with at least these amounts, as [`missing`](Self::missing) gives them.
    ///
    /// # Errors
    /// Any error of the channel or of a check. The pool then gets nothing of the batch.
    pub(super) fn fill<T: Transport>(
        &mut self,
        context: &Context,
        channel: &mut Channel<T>,
        amounts: &Demand,
    ) -> Result<(), Fault> {
        let parts = Parts::of(amounts, context.statistical);
        let batch = self.batches;
        self.batches += 1;
        let (me, peer) = (context.me, context.me.other());
        let shares = self.random_shares(context, channel, (batch, amounts), &parts)?;
        let delta = self.sender.delta();
        if amounts.ands > 0 {
            let (rng, amount) = (&mut self.rng, parts.triples);
            let buckets = Buckets::fill(context, channel, delta, batch, amount, &shares, rng)?;
            let theirs = open(context, channel, delta, batch, &buckets)?;
            put(&mut self.triples, buckets.combine(&theirs, me, delta));
        }
        put(&mut self.bits, shares.range(parts.bits()));
        put(&mut self.inputs[me], shares.mine(parts.inputs(me)));
        put(&mut self.inputs[peer], shares.theirs(parts.inputs(peer)));
        Ok(())
    }

    /// Makes the bits of a batch, by correlated OTs in both directions.
    fn random_shares<T: Transport>(
        &mut self,
        context: &Context,
        channel: &mut Channel<T>,
        (batch, amounts): (u64, &Demand),
        parts: &Parts,
    ) -> Result<RandomShares, Fault> {
        let plan = Plan::of_batch(&context.session, batch, amounts, context.statistical);
        context.send_plan(channel, &plan)?;
        let mine = self.receiver.extend(channel, parts.blocks(context.me))?;
        // Compared before any check of the batch: parties that only disagree must not take each
        // other for cheats.
        context.expect_plan(channel, &plan)?;
        let keys = self
            .sender
            .extend(channel, parts.blocks(context.me.other()))?;
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
        self.triples.take_last(count)
    }

    /// What [`take_triples`](Self::take_triples) would give.
    #[cfg(test)]
    pub(super) fn next_triples(&self, count: usize) -> &[Triple] {
        &self.triples[self.triples.len() - count..]
    }

    /// What [`take_bits`](Self::take_bits) would give.
    #[cfg(test)]
    pub(super) fn next_bits(&self, count: usize) -> &[Share] {
        &self.bits[self.bits.len() - count..]
    }

    /// What [`take_inputs`](Self::take_inputs) would give.
    #[cfg(test)]
    pub(super) fn next_inputs(&self, owner: Party, count: usize) -> &[Share] {
        let inputs = &self.inputs[owner];
        &inputs[inputs.len() - count..]
    }

    /// Takes `count` random shared bits. The pool must hold them.
    pub(super) fn take_bits(&mut self, count: usize) -> SecretVec<Share> {
        self.bits.take_last(count)
    }

    /// Takes masks for `count` bits that `owner` enters. The pool must hold them.
    pub(super) fn take_inputs(&mut self, owner: Party, count: usize) -> SecretVec<Share> {
        self.inputs[owner].take_last(count)
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

/// Puts `fresh` in front of what this part of the pool holds. The pool is taken from its end, so
/// what it already holds is taken first.
fn put<S: DefaultIsZeroes>(pool: &mut SecretVec<S>, fresh: SecretVec<S>) {
    *pool = match pool.len() {
        0 => fresh,
        _ => SecretVec::concat(&[&fresh, pool]),
    };
}

#[cfg(test)]
mod tests {
    use std::thread;

    use rand::rngs::ChaCha20Rng;

    use super::*;
    use crate::crypto::SessionId;
    use crate::net::{Deadlines, MemoryTransport, memory_pair};
    use crate::ot::setup_both;

    const SESSION: SessionId = SessionId([9; 32]);

    fn set_up(me: Party, transport: MemoryTransport) -> (Context, Channel<MemoryTransport>, Pool) {
        let context = Context::of_test(SESSION, me);
        let mut rng = ChaCha20Rng::from_seed([me as u8; 32]);
        let mut channel = Channel::new(transport, Deadlines::default());
        let delta = Delta::random(me == Party::Garbler, &mut rng);
        let ots = setup_both(&mut channel, &SESSION, me, delta, &mut rng).unwrap();
        let pool = Pool::new(ots, &mut rng);
        (context, channel, pool)
    }

    fn demand(ands: usize, [garbler, evaluator]: [usize; 2], outputs: usize) -> Demand {
        Demand {
            ands,
            inputs: ByParty { garbler, evaluator },
            proofs: ByParty::default(),
            outputs,
        }
    }

    /// Runs `act` as both parties, each with its own pool.
    fn both<R: Send + 'static>(act: fn(Context, Channel<MemoryTransport>, Pool) -> R) -> [R; 2] {
        let (one, other) = memory_pair();
        let side = move |me, transport| {
            let (context, channel, pool) = set_up(me, transport);
            act(context, channel, pool)
        };
        let evaluator = thread::spawn(move || side(Party::Evaluator, other));
        [side(Party::Garbler, one), evaluator.join().unwrap()]
    }

    /// Fills the pool with what it lacks for a demand.
    fn reserve(
        pool: &mut Pool,
        context: &Context,
        channel: &mut Channel<MemoryTransport>,
        demand: Demand,
    ) {
        let missing = pool.missing(&demand);
        if missing != Demand::default() {
            pool.fill(context, channel, &missing).unwrap();
        }
        assert_eq!(pool.missing(&demand), Demand::default());
    }

    #[test]
    fn the_pool_does_not_grow_from_hand_to_hand() {
        let largest = both(|context, mut channel, mut pool| {
            let mut largest = 0;
            for hand in 0..60 {
                let outputs = if hand % 2 == 0 { 7 } else { 300 };
                reserve(
                    &mut pool,
                    &context,
                    &mut channel,
                    demand(3, [2, 0], outputs),
                );
                drop((pool.take_triples(3), pool.take_bits(3 + outputs)));
                drop(pool.take_inputs(Party::Garbler, 2));
                largest = largest.max(pool.bits.len() + pool.triples.len());
            }
            largest
        });
        assert!(
            largest
                .iter()
                .all(|largest| *largest < MIN_BITS + 300 + 128)
        );
    }

    #[test]
    fn amounts_above_the_limit_are_a_misuse() {
        for most in [MAX_AT_ONCE + 1, usize::MAX] {
            for demand in [
                demand(most, [0, 0], 0),
                demand(1, [most, 0], 0),
                demand(1, [1, most], 0),
                demand(1, [1, 1], most),
            ] {
                assert!(matches!(check(&demand), Err(Error::Usage(_))));
            }
        }
        assert!(check(&demand(MAX_AT_ONCE, [MAX_AT_ONCE; 2], MAX_AT_ONCE)).is_ok());
    }

    #[test]
    fn every_mac_fits_its_key_and_every_triple_is_a_product() {
        /// A party's Delta, and the triples and bits that it took from two batches.
        type Taken = (Delta, Vec<Triple>, Vec<Share>);
        let [(delta_a, triples_a, bits_a), (delta_b, triples_b, bits_b)]: [Taken; 2] =
            both(|context, mut channel, mut pool| {
                reserve(&mut pool, &context, &mut channel, demand(40, [3, 5], 60));
                let mut triples = pool.take_triples(30).to_vec();
                let mut bits = pool.take_bits(90).to_vec();
                reserve(&mut pool, &context, &mut channel, demand(25, [3, 0], 2975));
                triples.extend_from_slice(&pool.take_triples(25));
                bits.extend_from_slice(&pool.take_bits(3000));
                (pool.delta().clone(), triples, bits)
            });
        assert!(delta_a.block().lsb().reveal() && !delta_b.block().lsb().reveal());
        let value = |a: &Share, b: &Share| {
            let fits = |holder: &Share, other: &Share, delta: &Delta| {
                let expected = delta.mac(other.key, holder.bit);
                assert_eq!(holder.mac.0.to_bytes(), expected.0.to_bytes());
            };
            fits(a, b, &delta_b);
            fits(b, a, &delta_a);
            (a.bit ^ b.bit).reveal()
        };
        assert_eq!((triples_a.len(), bits_a.len()), (55, 3090));
        let mut ones = [0; 2];
        for (a, b) in triples_a.iter().zip(&triples_b) {
            let (x, y) = (value(&a.x, &b.x), value(&a.y, &b.y));
            assert_eq!(value(&a.z, &b.z), x & y);
            ones[0] += usize::from(x);
            ones[1] += usize::from(y);
        }
        assert!(ones.iter().all(|ones| (5..50).contains(ones)), "random");
        let ones = bits_a.iter().zip(&bits_b).filter(|(a, b)| value(a, b));
        assert!((1_200..1_900).contains(&ones.count()), "random");
    }
}
