//! The pool: triples and random shared bits, made ahead in batches and used once.
//!
//! A batch becomes visible after its last check only. Both parties take from the pool in the order
//! of the protocol, so they always hold parts of the same triples and bits.

use rand::rngs::StdRng;
use rand::{CryptoRng, SeedableRng};
use zeroize::{DefaultIsZeroes, Zeroize};

use super::context::Context;
use super::leaky_and::Triple;
use super::share::{RandomShares, Share};
use super::triples;
use crate::Result;
use crate::crypto::SecretVec;
use crate::net::{Channel, Transport};
use crate::ot::{CotReceiver, CotSender, Delta, setup_both};

/// Random shared bits that are made at once, at least.
const MIN_BITS: usize = 1024;

/// The pool, with the correlated OTs of both directions that fill it.
pub(super) struct Pool {
    sender: CotSender,
    receiver: CotReceiver,
    /// In reverse order: the next ones are taken from the end.
    triples: SecretVec<Triple>,
    bits: SecretVec<Share>,
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
        // Bits are made in plenty when they are missing, and never put aside otherwise: a pool that
        // kept what is left over from each batch of triples would grow from hand to hand.
        let for_bits = match missing_bits {
            0 => 0,
            missing => missing.max(MIN_BITS),
        };
        let blocks = (for_triples + for_bits).div_ceil(128);
        let shares = RandomShares::make(channel, &mut self.sender, &mut self.receiver, blocks)?;
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
            SecretVec::default()
        };
        self.batches += 1;
        put(&mut self.triples, fresh);
        if missing_bits > 0 {
            put(&mut self.bits, shares.rest(for_triples));
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

    /// The next `count` random shared bits, which must have been reserved.
    pub(super) fn take_bits(&mut self, count: usize) -> SecretVec<Share> {
        take(&mut self.bits, count)
    }
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
        pool.reserve(&context, &mut channel, 40, 100).unwrap();
        let mut triples = pool.take_triples(30).to_vec();
        let mut bits = pool.take_bits(90).to_vec();
        pool.reserve(&context, &mut channel, 25, 3000).unwrap();
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
                pool.reserve(&context, &mut channel, 3, bits).unwrap();
                drop((pool.take_triples(3), pool.take_bits(bits)));
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
