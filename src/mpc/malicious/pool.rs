//! The pool: triples, random shared bits and the masks of inputs, made ahead in batches and used
//! once.
//!
//! A batch becomes visible after its last check only: the opening of what the buckets and the masks
//! of inputs need, with its MACs. Both parties take from the pool in the order of the protocol, so
//! they always hold parts of the same triples and bits.

use rand::rngs::StdRng;
use rand::{CryptoRng, SeedableRng};
use zeroize::{DefaultIsZeroes, Zeroize};

use super::context::Context;
use super::leaky_and::Triple;
use super::share::{RandomShares, Share};
use super::triples::{Buckets, leaky_triples};
use crate::circuit::Party;
use crate::crypto::{SecretVec, Step};
use crate::mpc::plan::Plan;
use crate::mpc::tag::Tag;
use crate::net::{Channel, Transport};
use crate::ot::{CotReceiver, CotSender, Delta, setup_both};
use crate::{Check, Error, Result};

/// Random shared bits that are made at once, at least.
const MIN_BITS: usize = 1024;

/// The most of anything that is made at once: its leaky triples are numbered with 32 bits, and the
/// sums of a batch's amounts fit in a `usize`.
const MAX_AT_ONCE: usize = 1 << 28;

/// The mask of an input: a random shared bit whose owner knows both shares.
#[derive(Clone, Copy, Default)]
pub(super) struct InputMask {
    pub(super) share: Share,
    /// The peer's bit, at the owner.
    pub(super) theirs: bool,
}

impl DefaultIsZeroes for InputMask {}

/// How much of everything there is, or has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stock {
    pub(super) triples: usize,
    /// Random shared bits.
    pub(super) bits: usize,
    /// Masks of inputs of the garbler and of the evaluator.
    pub(super) inputs: [usize; 2],
}

impl Stock {
    const NOTHING: Stock = Stock {
        triples: 0,
        bits: 0,
        inputs: [0; 2],
    };

    /// What circuits with so many AND gates and inputs take.
    pub(super) fn for_circuits(ands: usize, inputs: [usize; 2]) -> Self {
        Stock {
            triples: ands,
            bits: ands,
            inputs,
        }
    }

    fn amounts(self) -> [usize; 4] {
        let [of_garbler, of_evaluator] = self.inputs;
        [self.triples, self.bits, of_garbler, of_evaluator]
    }

    /// What is missing if there is `stock`.
    fn missing(self, stock: Stock) -> Stock {
        let missing = |party: Party| {
            let party = party as usize;
            self.inputs[party].saturating_sub(stock.inputs[party])
        };
        Stock {
            triples: self.triples.saturating_sub(stock.triples),
            bits: self.bits.saturating_sub(stock.bits),
            inputs: [missing(Party::Garbler), missing(Party::Evaluator)],
        }
    }
}

/// The pool, with the correlated OTs of both directions that fill it.
pub(super) struct Pool {
    sender: CotSender,
    receiver: CotReceiver,
    /// In reverse order, as everything here: the next ones are taken from the end.
    triples: SecretVec<Triple>,
    bits: SecretVec<Share>,
    /// Of the garbler and of the evaluator.
    inputs: [SecretVec<InputMask>; 2],
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
            triples: SecretVec::default(),
            bits: SecretVec::default(),
            inputs: Default::default(),
            batches: 0,
            rng: StdRng::from_rng(rng),
        })
    }

    pub(super) fn delta(&self) -> &Delta {
        self.sender.delta()
    }

    /// What is there.
    pub(super) fn stock(&self) -> Stock {
        Stock {
            triples: self.triples.len(),
            bits: self.bits.len(),
            inputs: [self.inputs[0].len(), self.inputs[1].len()],
        }
    }

    /// Makes sure that this much is there, by one batch at the most.
    ///
    /// # Errors
    /// [`Error::Usage`] if it is more than can be made at once: nothing is sent then. Any error of
    /// the channel or of a check; nothing of the batch is visible then.
    pub(super) fn reserve<T: Transport>(
        &mut self,
        context: &Context,
        channel: &mut Channel<T>,
        stock: Stock,
    ) -> Result<()> {
        let missing = stock.missing(self.stock());
        if missing == Stock::NOTHING {
            return Ok(());
        }
        let [of_garbler, of_evaluator] = missing.inputs;
        let amounts = missing.amounts();
        if amounts.into_iter().any(|amount| amount > MAX_AT_ONCE) {
            return Err(Error::usage(format!(
                "more than {MAX_AT_ONCE} AND gates or input bits at once"
            )));
        }
        // Bits are made in plenty when they are missing, and never put aside otherwise: a pool that
        // kept what is left over from each batch of triples would grow from hand to hand.
        let bits = match missing.bits {
            0 => 0,
            missing => missing.max(MIN_BITS),
        };
        let of_triples = 3 * leaky_triples(missing.triples);
        let used = of_triples + of_garbler + of_evaluator;
        let blocks = (used + bits).div_ceil(128);
        let batch = self.batches;
        self.batches += 1;
        let plan = Plan::of_batch(&context.session, batch, amounts);
        channel.send_message(&plan)?;
        let mine = self.receiver.extend(channel, blocks)?;
        // Before anything of the batch is looked at: parties that mean different things are not
        // to take each other for cheats.
        plan.expect(channel)?;
        let keys = self.sender.extend(channel, blocks)?;
        let shares = RandomShares::new(mine, keys);
        let delta = self.sender.delta();

        let buckets = match missing.triples {
            0 => None,
            count => Some(Buckets::fill(
                context,
                channel,
                delta,
                batch,
                count,
                &shares,
                &mut self.rng,
            )?),
        };
        let masks = [
            shares.range(of_triples..of_triples + of_garbler),
            shares.range(of_triples + of_garbler..used),
        ];
        let theirs = if used > 0 {
            open(context, channel, delta, batch, buckets.as_ref(), &masks)?
        } else {
            Vec::new()
        };
        let (of_buckets, of_inputs) =
            theirs.split_at(theirs.len() - masks[context.me as usize].len());
        if let Some(buckets) = buckets {
            let fresh = buckets.combine(of_buckets, context.me, delta);
            put(&mut self.triples, fresh);
        }
        for owner in [Party::Garbler, Party::Evaluator] {
            let mut theirs = of_inputs.iter().copied();
            let fresh = masks[owner as usize].iter().map(|share| InputMask {
                share: *share,
                theirs: owner == context.me && theirs.next().expect("one for each"),
            });
            put(&mut self.inputs[owner as usize], fresh.collect());
        }
        if bits > 0 {
            put(&mut self.bits, shares.range(used..128 * blocks));
        }
        Ok(())
    }

    /// The next `count` triples, which must have been reserved.
    pub(super) fn take_triples(&mut self, count: usize) -> SecretVec<Triple> {
        take(&mut self.triples, count)
    }

    /// What [`take_triples`](Self::take_triples) will give.
    #[cfg(test)]
    pub(super) fn next_triples(&self, count: usize) -> &[Triple] {
        &self.triples[self.triples.len() - count..]
    }

    /// What [`take_inputs`](Self::take_inputs) will give.
    #[cfg(test)]
    pub(super) fn next_inputs(&self, owner: Party, count: usize) -> &[InputMask] {
        let inputs = &self.inputs[owner as usize];
        &inputs[inputs.len() - count..]
    }

    /// The next `count` random shared bits, which must have been reserved.
    pub(super) fn take_bits(&mut self, count: usize) -> SecretVec<Share> {
        take(&mut self.bits, count)
    }

    /// The masks of the next `count` inputs of a party, which must have been reserved.
    pub(super) fn take_inputs(&mut self, owner: Party, count: usize) -> SecretVec<InputMask> {
        take(&mut self.inputs[owner as usize], count)
    }
}

/// Opens the differences within the buckets to each other, and to each party the other's shares of
/// the masks of its inputs. Gives the peer's bits of both.
pub(super) fn open<T: Transport>(
    context: &Context,
    channel: &mut Channel<T>,
    delta: &Delta,
    batch: u64,
    buckets: Option<&Buckets<'_>>,
    masks: &[SecretVec<Share>; 2],
) -> Result<Vec<bool>> {
    let differences = buckets.map_or(&[][..], |buckets| buckets.differences());
    let shares = |owner: Party| {
        let masks = masks[owner as usize].iter();
        differences.iter().chain(masks).copied()
    };
    let step = (Step::PoolMacs, batch);
    let mine = context.opening(step, shares(context.me.other()));
    mine.send(channel, Tag::PoolBits)?;
    channel.flush()?;
    let (tag, check) = (Tag::PoolBits, Check::PoolMacs);
    context.recv_opening(channel, tag, step, delta, shares(context.me), check)
}

/// Puts `fresh` behind what is there: to be taken after it.
fn put<S: DefaultIsZeroes>(pool: &mut SecretVec<S>, fresh: SecretVec<S>) {
    *pool = match pool.len() {
        0 => fresh,
        _ => [fresh.as_slice(), pool].concat().into(),
    };
}

fn take<S: DefaultIsZeroes>(pool: &mut SecretVec<S>, count: usize) -> SecretVec<S> {
    let rest = pool.len() - count;
    if rest == 0 {
        return std::mem::take(pool);
    }
    let taken = pool[rest..].to_vec().into();
    pool[rest..].zeroize();
    pool.truncate(rest);
    taken
}

#[cfg(test)]
mod tests {
    use std::thread;

    use rand::rngs::ChaCha20Rng;

    use super::*;
    use crate::circuit::Party;
    use crate::crypto::{Block, SessionId, TweakableHash};
    use crate::net::{Deadlines, MemoryTransport, memory_pair};

    const SESSION: SessionId = SessionId([9; 32]);

    fn set_up(me: Party, transport: MemoryTransport) -> (Context, Channel<MemoryTransport>, Pool) {
        let context = Context {
            session: SESSION,
            me,
            hash: TweakableHash::new(&SESSION),
        };
        let mut rng = ChaCha20Rng::from_seed([me as u8; 32]);
        let mut channel = Channel::new(transport, Deadlines::default());
        let delta = Delta::random(me == Party::Garbler, &mut rng);
        let pool = Pool::setup(&context, &mut channel, delta, &mut rng).unwrap();
        (context, channel, pool)
    }

    /// A party's Delta with what it took from its pool: triples and bits, of two batches.
    type Taken = (Block, Vec<Triple>, Vec<Share>);

    fn fill(me: Party, transport: MemoryTransport) -> Taken {
        let (context, mut channel, mut pool) = set_up(me, transport);
        let stock = |triples, bits, inputs| Stock {
            triples,
            bits,
            inputs,
        };
        (pool.reserve(&context, &mut channel, stock(40, 100, [3, 5]))).unwrap();
        let mut triples = pool.take_triples(30).to_vec();
        let mut bits = pool.take_bits(90).to_vec();
        (pool.reserve(&context, &mut channel, stock(25, 3000, [3, 0]))).unwrap();
        triples.extend_from_slice(&pool.take_triples(25));
        bits.extend_from_slice(&pool.take_bits(3000));
        (pool.delta().block(), triples, bits)
    }

    #[test]
    fn the_pool_does_not_grow_from_hand_to_hand() {
        fn hands(me: Party, transport: MemoryTransport) -> usize {
            let (context, mut channel, mut pool) = set_up(me, transport);
            let mut largest = 0;
            for hand in 0..60 {
                let bits = if hand % 2 == 0 { 7 } else { 300 };
                let stock = Stock {
                    triples: 3,
                    bits,
                    inputs: [2, 0],
                };
                pool.reserve(&context, &mut channel, stock).unwrap();
                drop((pool.take_triples(3), pool.take_bits(bits)));
                drop(pool.take_inputs(Party::Garbler, 2));
                largest = largest.max(pool.bits.len() + pool.triples.len());
            }
            largest
        }
        let (one, other) = memory_pair();
        let evaluator = thread::spawn(move || hands(Party::Evaluator, other));
        assert!(hands(Party::Garbler, one) < MIN_BITS + 300 + 128);
        assert!(evaluator.join().unwrap() < MIN_BITS + 300 + 128);
    }

    #[test]
    fn more_than_can_be_made_at_once_is_refused_before_anything_is_sent() {
        fn ask(me: Party, transport: MemoryTransport) -> usize {
            let (context, mut channel, mut pool) = set_up(me, transport);
            let sent = channel.traffic().bytes_sent;
            for most in [MAX_AT_ONCE + 1, usize::MAX] {
                for (ands, inputs) in [(most, [0, 0]), (1, [most, 0]), (1, [1, most])] {
                    let stock = Stock::for_circuits(ands, inputs);
                    let refused = pool.reserve(&context, &mut channel, stock);
                    assert!(matches!(refused, Err(Error::Usage(_))));
                }
            }
            assert_eq!(channel.traffic().bytes_sent, sent);
            let stock = Stock::for_circuits(2, [1, 1]);
            pool.reserve(&context, &mut channel, stock).unwrap();
            pool.stock().triples
        }
        let (one, other) = memory_pair();
        let evaluator = thread::spawn(move || ask(Party::Evaluator, other));
        assert_eq!(ask(Party::Garbler, one), 2);
        assert_eq!(evaluator.join().unwrap(), 2);
    }

    #[test]
    fn every_mac_fits_its_key_and_every_triple_is_a_product() {
        let (one, other) = memory_pair();
        let evaluator = thread::spawn(move || fill(Party::Evaluator, other));
        let (delta_a, triples_a, bits_a) = fill(Party::Garbler, one);
        let (delta_b, triples_b, bits_b) = evaluator.join().unwrap();
        assert!(delta_a.lsb() && !delta_b.lsb());
        let value = |a: &Share, b: &Share| {
            let fits = |holder: &Share, other: &Share, delta: Block| {
                let expected = other.key ^ delta.select(holder.bit);
                assert_eq!(holder.mac.to_bytes(), expected.to_bytes());
            };
            fits(a, b, delta_b);
            fits(b, a, delta_a);
            a.bit ^ b.bit
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
