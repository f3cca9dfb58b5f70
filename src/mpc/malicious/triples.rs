//! A batch of AND triples: the leaky triples, their equality check, the coin, and the buckets.
//!
//! ```text
//!   evaluator                                        garbler
//!   tables                  <-- both at once -->     tables
//!   lowest bits             ------------------->
//!                           <-------------------     lowest bits, commitment (digest, coin)
//!   digest, coin share      ------------------->     compares the digests
//!   compares the digests    <-------------------     opening
//! ```
//!
//! Afterwards the differences within the buckets are opened.
//!
//! The digest covers everything that must be equal in all triples of the batch. The garbler commits
//! to its digest before it sees the evaluator's digest. It opens the commitment only if the digests
//! are equal; by then the evaluator has sent its digest.
//!
//! The coin is the XOR of two shares. The garbler commits to its share before it sees the
//! evaluator's share; the evaluator sends its share before the garbler opens the commitment. So
//! before either party can know the coin, each has sent its tables and lowest bits and is bound to
//! its digest: no choice is left that it could use to cheat. No difference is opened before the
//! digests have been found equal.
//!
//! (The paper's order, with one message for each step, takes two more flights, and leaves neither
//! party with fewer choices.)

use rand::CryptoRng;
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;

use super::bucket_size::batch;
use super::context::Context;
use super::leaky_and::{Leaky, Triple};
use super::share::{RandomShares, Share};
use crate::circuit::Party;
use crate::crypto::{Block, Generator, SecretVec, Step};
use crate::mpc::error::{Check, Fault};
use crate::mpc::packed_bits::{self, recv_bits, send_bits};
use crate::mpc::tag::Tag;
use crate::net::{self, Channel, Message};
use crate::ot::Delta;
use crate::uniform;

#[cfg(test)]
mod tests;

type Digest = [u8; 32];

/// The garbler's commitment to its digest and its share of the coin.
#[derive(Serialize, Deserialize)]
struct TripleCommitment(Digest);

impl Message for TripleCommitment {
    const TAG: net::Tag = Tag::TripleCommitment.tag();
    const MAX_BYTES: usize = 32;
}

/// The evaluator's digest and share of the coin.
#[derive(Serialize, Deserialize)]
struct TripleDigest {
    digest: Digest,
    coin: [u8; 16],
}

impl Message for TripleDigest {
    const TAG: net::Tag = Tag::TripleDigest.tag();
    const MAX_BYTES: usize = 48;
}

/// The opening of the garbler's commitment.
#[derive(Serialize, Deserialize)]
struct TripleOpening {
    digest: Digest,
    coin: [u8; 16],
    nonce: [u8; 32],
}

impl Message for TripleOpening {
    const TAG: net::Tag = Tag::TripleOpening.tag();
    const MAX_BYTES: usize = 80;
}

impl TripleOpening {
    fn commitment(&self, context: &Context, batch: u64) -> Digest {
        context
            .oracle((Step::TripleCommitment, batch), Party::Garbler)
            .absorb(&self.digest)
            .absorb(&self.coin)
            .absorb(&self.nonce)
            .digest()
    }
}

/// The number of triples that a batch finishes, and the number of leaky triples it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Amount {
    pub(super) finished: usize,
    pub(super) leaky: usize,
}

impl Amount {
    /// The amount for at least `needed` triples, at `rho` bits of statistical security.
    pub(super) fn for_at_least(needed: usize, rho: u8) -> Self {
        let (finished, size) = match needed {
            0 => (0, 0),
            _ => batch(needed, rho),
        };
        Amount {
            finished,
            leaky: finished * size,
        }
    }
}

/// The bytes that a party sends for `leaky` triples, one or more, before the differences are
/// opened.
pub(super) fn sent_bytes(sender: Party, leaky: usize) -> u64 {
    let tables = net::bulk_bytes(leaky * size_of::<Block>());
    let check = match sender {
        Party::Garbler => {
            net::message_bytes::<TripleCommitment>() + net::message_bytes::<TripleOpening>()
        }
        Party::Evaluator => net::message_bytes::<TripleDigest>(),
    };
    tables + packed_bits::sent_bytes(leaky) + check
}

/// Leaky triples that have passed the equality check, sorted into buckets.
#[derive(Default)]
pub(super) struct Buckets {
    triples: Leaky,
    /// The coin. It is public.
    coin: Block,
    /// The number of the bucket of each leaky triple.
    numbers: Vec<u32>,
    /// The resulting triple of each bucket. Before [`combine`](Self::combine), `y` is the `y` of
    /// the bucket's first leaky triple, and `x` and `z` are zeros.
    sums: SecretVec<Triple>,
    /// For each leaky triple except the first of its bucket, the XOR of its `y` and the first
    /// triple's `y`.
    differences: SecretVec<Share>,
}

impl Buckets {
    /// Makes the leaky triples of a batch from the first `shares`, three for each triple, checks
    /// them, and sorts them into buckets.
    ///
    /// # Errors
    /// Any error of the channel or of a check.
    pub(super) fn fill(
        &mut self,
        context: &Context,
        channel: &mut Channel,
        delta: &Delta,
        (batch, amount): (u64, Amount),
        shares: &RandomShares,
        rng: &mut impl CryptoRng,
    ) -> Result<(), Fault> {
        let triples = &mut self.triples;
        let tables = triples.tables(shares, amount.leaky, &context.hash, delta, batch);
        let tables = bytemuck::cast_slice_mut(tables);
        channel.send_bytes(Tag::LeakyTables, tables)?;
        channel.flush()?;
        channel.recv_bytes(Tag::LeakyTables, tables)?;
        let bits = triples.receive(shares);
        self.coin = triples.check(context, channel, delta, batch, &bits, rng)?;
        self.sort(shares, amount);
        Ok(())
    }

    fn sort(&mut self, shares: &RandomShares, amount: Amount) {
        let Amount { finished, leaky } = amount;
        bucket_numbers(&mut self.numbers, amount, self.coin);
        let mut firsts = Firsts::new(finished);
        self.sums = SecretVec::zeros(finished);
        self.differences.reuse(leaky - finished);
        let mut differences = self.differences.iter_mut();
        for (index, &bucket) in self.numbers.iter().enumerate() {
            let sum = &mut self.sums[bucket as usize];
            let y = self.triples.y(shares, index);
            if firsts.insert(bucket) {
                sum.y = y;
            } else {
                *differences.next().expect("one difference per triple") = sum.y ^ y;
            }
        }
    }

    /// The coin that determined the buckets.
    pub(super) fn coin(&self) -> Block {
        self.coin
    }

    /// The shared bits to open before the triples of each bucket are combined.
    pub(super) fn differences(&self) -> &[Share] {
        &self.differences
    }

    /// Combines each bucket into one triple. May be called only once after each
    /// [`fill`](Self::fill). `theirs` are the peer's bits of the [differences](Self::differences).
    pub(super) fn combine(
        &mut self,
        shares: &RandomShares,
        theirs: &[bool],
        me: Party,
        delta: &Delta,
    ) -> SecretVec<Triple> {
        let mut opened = (self.differences.iter())
            .zip(theirs)
            .map(|(share, theirs)| (share.bit ^ *theirs).reveal());
        let mut firsts = Firsts::new(self.sums.len());
        for (index, &bucket) in self.numbers.iter().enumerate() {
            let sum = &mut self.sums[bucket as usize];
            let (x, z) = self.triples.x_and_z(shares, index, me, delta);
            sum.x ^= x;
            sum.z ^= z;
            if !firsts.insert(bucket) {
                let d = opened.next().expect("one difference per triple");
                sum.z ^= x.times(d);
            }
        }
        std::mem::take(&mut self.sums)
    }
}

impl Leaky {
    /// Corrects the triples with the lowest bits of both parties; `bits` are the bits of this
    /// party. Checks the values that must be equal at both parties in all triples. Returns the
    /// coin.
    fn check(
        &mut self,
        context: &Context,
        channel: &mut Channel,
        delta: &Delta,
        batch: u64,
        bits: &[bool],
        rng: &mut impl CryptoRng,
    ) -> Result<Block, Fault> {
        match context.me {
            Party::Evaluator => {
                send_bits(channel, Tag::LeakyBits, bits.iter().copied())?;
                channel.flush()?;
                let theirs = recv_bits(channel, Tag::LeakyBits, bits.len())?;
                self.correct(sums(bits, &theirs), delta);
                let digest = equality_digest(context, batch, self);
                let TripleCommitment(commitment) = channel.recv_message()?;
                let coin = Block::random(rng);
                channel.send_message(&TripleDigest {
                    digest,
                    coin: coin.to_bytes(),
                })?;
                let opening: TripleOpening = channel.recv_message()?;
                if !bool::from(opening.commitment(context, batch).ct_eq(&commitment)) {
                    return Err(Check::TripleCommitment.into());
                }
                if !bool::from(opening.digest.ct_eq(&digest)) {
                    return Err(Check::TripleEquality.into());
                }
                Ok(coin ^ Block::from(opening.coin))
            }
            Party::Garbler => {
                let theirs = recv_bits(channel, Tag::LeakyBits, bits.len())?;
                send_bits(channel, Tag::LeakyBits, bits.iter().copied())?;
                channel.flush()?;
                self.correct(sums(bits, &theirs), delta);
                let digest = equality_digest(context, batch, self);
                let coin = Block::random(rng);
                let mut opening = TripleOpening {
                    digest,
                    coin: coin.to_bytes(),
                    nonce: [0; 32],
                };
                rng.fill_bytes(&mut opening.nonce);
                channel.send_message(&TripleCommitment(opening.commitment(context, batch)))?;
                let evaluator: TripleDigest = channel.recv_message()?;
                if !bool::from(evaluator.digest.ct_eq(&digest)) {
                    return Err(Check::TripleEquality.into());
                }
                channel.send_message(&opening)?;
                // Flushed now, so that both parties sort the triples at the same time.
                channel.flush()?;
                Ok(coin ^ Block::from(evaluator.coin))
            }
        }
    }
}

/// The buckets whose first triple has been seen.
struct Firsts(Vec<bool>);

impl Firsts {
    fn new(buckets: usize) -> Self {
        Firsts(vec![false; buckets])
    }

    /// Returns `true` if this is the first triple of `bucket`, and records the bucket.
    #[inline]
    fn insert(&mut self, bucket: u32) -> bool {
        !std::mem::replace(&mut self.0[bucket as usize], true)
    }
}

/// Fills `numbers` with the bucket of each leaky triple. The coin is public.
fn bucket_numbers(numbers: &mut Vec<u32>, Amount { finished, leaky }: Amount, coin: Block) {
    numbers.clear();
    numbers.extend((0..leaky).map(|index| (index % finished) as u32));
    let mut words = Generator::new(coin).words();
    uniform::shuffle(numbers, || words.next().expect("the iterator is endless"));
}

fn equality_digest(context: &Context, batch: u64, triples: &Leaky) -> Digest {
    // Both parties must compute the same digest, so the sender in the oracle is fixed.
    context
        .oracle((Step::TripleEquality, batch), Party::Garbler)
        .absorb_long(bytemuck::cast_slice(triples.expected()))
        .digest()
}

fn sums(mine: &[bool], theirs: &[bool]) -> Vec<bool> {
    mine.iter().zip(theirs).map(|(a, b)| a ^ b).collect()
}
