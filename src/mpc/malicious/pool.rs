//! The pool: triples, random shared bits and masks of inputs, preprocessed in batches. Each is used
//! once.
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
use super::triples::{self, Buckets, leaky_triples};
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

/// The mask of an input: a random shared bit. The party that enters the input knows both shares.
#[derive(Clone, Copy, Default)]
pub(super) struct InputMask {
    pub(super) share: Share,
    /// The peer's share, at the party that enters the input.
    pub(super) theirs: bool,
}

impl DefaultIsZeroes for InputMask {}

/// Checks that a batch may have these amounts.
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

/// What the pool must hold for a demand. Its `outputs` are random shared bits: one for the output of
/// each AND gate too.
fn needed(demand: &Demand) -> Demand {
    Demand {
        outputs: demand.ands + demand.outputs,
        ..*demand
    }
}

/// How the random shared bits of a batch are divided: first those of the leaky triples, then the
/// masks of inputs, then those that stay random shared bits.
struct Parts {
    of_inputs: ByParty<Range<usize>>,
    /// Those of the triples and the masks of inputs.
    used: usize,
    /// 128 shared bits each.
    blocks: usize,
}

impl Parts {
    /// Of a batch with at least these amounts, as [`Pool::missing`] gives them.
    fn of(amounts: &Demand, statistical: u8) -> Self {
        // A batch that needs random bits makes many, and one that does not keeps none: if each
        // batch of triples added its left-over bits, the pool would grow from hand to hand.
        let bits = match amounts.outputs {
            0 => 0,
            missing => missing.max(MIN_BITS),
        };
        let of_triples = 3 * leaky_triples(amounts.ands, statistical);
        let of_garbler = of_triples + amounts.inputs.garbler;
        let used = of_garbler + amounts.inputs.evaluator;
        Parts {
            of_inputs: ByParty {
                garbler: of_triples..of_garbler,
                evaluator: of_garbler..used,
            },
            used,
            blocks: (used + bits).div_ceil(128),
        }
    }
}

/// The bytes that a party sends to fill an empty pool for a demand.
pub(super) fn sent_bytes(sender: Party, demand: &Demand, statistical: u8) -> u64 {
    let amounts = needed(demand);
    if amounts == Demand::default() {
        return 0;
    }
    let parts = Parts::of(&amounts, statistical);
    let triples = triples::sent_bytes(sender, amounts.ands, statistical);
    let opened = match parts.used {
        0 => 0,
        _ => {
            let differences = triples::differences(amounts.ands, statistical);
            opening_bytes(differences + amounts.inputs[sender.other()])
        }
    };
    Plan::sent_bytes() + CotReceiver::sent_bytes(parts.blocks) + triples + opened
}

/// The pool, and the correlated OTs in both directions from which it is filled. Everything is taken
/// from the ends of the vectors.
pub(super) struct Pool {
    sender: CotSender,
    receiver: CotReceiver,
    triples: SecretVec<Triple>,
    bits: SecretVec<Share>,
    inputs: ByParty<SecretVec<InputMask>>,
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
        let shares = self.random_shares(context, channel, (batch, amounts), parts.blocks)?;
        let delta = self.sender.delta();
        let buckets = match amounts.ands {
            0 => None,
            count => {
                let rng = &mut self.rng;
                let filled = Buckets::fill(context, channel, delta, batch, count, &shares, rng);
                Some(filled?)
            }
        };
        let masks = ByParty::from_fn(|owner| shares.range(parts.of_inputs[owner].clone()));
        let theirs = match parts.used {
            0 => Vec::new(),
            _ => open(context, channel, delta, batch, buckets.as_ref(), &masks)?,
        };
        let (of_buckets, of_inputs) = theirs.split_at(theirs.len() - masks[context.me].len());
        if let Some(buckets) = buckets {
            let triples = buckets.combine(of_buckets, context.me, delta);
            put(&mut self.triples, triples);
        }
        for owner in Party::BOTH {
            let mut theirs = of_inputs.iter().copied();
            let fresh = masks[owner].iter().map(|share| InputMask {
                share: *share,
                theirs: owner == context.me && theirs.next().expect("one for each"),
            });
            put(&mut self.inputs[owner], fresh.collect());
        }
        if amounts.outputs > 0 {
            let rest = parts.used..128 * parts.blocks;
            put(&mut self.bits, shares.range(rest));
        }
        Ok(())
    }

    /// Makes the random shared bits of a batch, by correlated OTs in both directions.
    fn random_shares<T: Transport>(
        &mut self,
        context: &Context,
        channel: &mut Channel<T>,
        (batch, amounts): (u64, &Demand),
        blocks: usize,
    ) -> Result<RandomShares, Fault> {
        let plan = Plan::of_batch(&context.session, batch, amounts);
        context.send_plan(channel, &plan)?;
        let mine = self.receiver.extend(channel, blocks)?;
        // Compared before any check of the batch: parties that only disagree must not take each
        // other for cheats.
        context.expect_plan(channel, &plan)?;
        let keys = self.sender.extend(channel, blocks)?;
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
    pub(super) fn next_inputs(&self, owner: Party, count: usize) -> &[InputMask] {
        let inputs = &self.inputs[owner];
        &inputs[inputs.len() - count..]
    }

    /// Takes `count` random shared bits. The pool must hold them.
    pub(super) fn take_bits(&mut self, count: usize) -> SecretVec<Share> {
        self.bits.take_last(count)
    }

    /// Takes masks for `count` inputs of `owner`. The pool must hold them.
    pub(super) fn take_inputs(&mut self, owner: Party, count: usize) -> SecretVec<InputMask> {
        self.inputs[owner].take_last(count)
    }
}

/// Opens the differences within the buckets to both parties, and the masks of each party's inputs
/// to that party. Gives the peer's shares of both.
pub(super) fn open<T: Transport>(
    context: &Context,
    channel: &mut Channel<T>,
    delta: &Delta,
    batch: u64,
    buckets: Option<&Buckets<'_>>,
    masks: &ByParty<SecretVec<Share>>,
) -> Result<Vec<bool>, Fault> {
    let differences = buckets.map_or(&[][..], |buckets| buckets.differences());
    let shares = |owner: Party| differences.iter().chain(masks[owner].iter()).copied();
    let step = (Tag::PoolBits, (Step::PoolMacs, batch));
    context.send_opening(channel, step, shares(context.me.other()), no_pad())?;
    channel.flush()?;
    let (mine, check) = (shares(context.me), Check::PoolMacs);
    context.recv_opening(channel, step, delta, mine, no_pad(), check)
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
