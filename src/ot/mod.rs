//! Oblivious transfer, secure against malicious parties.
//!
//! There are three layers, each in one file. A layer only creates and consumes messages, and has
//! the code of both parties side by side. This file sends and receives the messages over the
//! channel.
//!
//! | file | protocol | result |
//! |---|---|---|
//! | `base` | Canetti, Sarkar, Wang 2020 | 128 random OTs |
//! | `all_but_one` | the punctured trees of SoftSpokenOT, with their check | all seeds except one |
//! | `correlated` | SoftSpokenOT (Roy 2022), with the subspace-VOLE check | correlated OT |
//!
//! In a correlated OT the *sender* holds a global key Delta and a key `K`, the *receiver* holds a
//! choice bit `b` and a MAC `M`, and `M = K ^ b * Delta`. The sender of the correlated OT is the
//! receiver of the base OT, with the bits of Delta as its choice bits.

mod all_but_one;
mod base;
mod correlated;
#[cfg(feature = "internals")]
pub mod dealt;
mod error;
mod tag;
#[cfg(test)]
mod tests;

use rand::CryptoRng;
use subtle::ConstantTimeEq;
use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::circuit::Party;
use crate::crypto::{Block, Oracle, SecretBit, SecretVec, SessionId, Step, block_type};
use crate::net::{self, Channel, Malformed};
use crate::parallel;

#[cfg(feature = "internals")]
pub use all_but_one::TreeSums;
#[cfg(feature = "internals")]
pub use base::{BaseOtAnswer, BaseOtPads, BaseOtPoints};
pub use correlated::CotCheck;
pub use error::{Check, Error, Result};
pub use tag::Tag;

/// A party's global key: the constant `Delta` of its correlated OTs and, at the garbler, the
/// constant difference between the two labels of a wire.
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
pub struct Delta(Block);

impl Delta {
    /// Draws a uniform global key whose bit 0 is `lsb`. A key of 0 or 1 is drawn again: the 127
    /// bits that the peer must guess would all be 0.
    pub fn random(lsb: bool, rng: &mut impl CryptoRng) -> Self {
        loop {
            let delta = Delta(Block::random(rng).with_lsb(lsb));
            let high = delta.0.with_lsb(false);
            if !bool::from(high.ct_eq(&Block::ZERO)) {
                return delta;
            }
        }
    }

    /// Returns `bit * Delta`, without a branch.
    #[inline]
    pub fn select(&self, bit: impl Into<SecretBit>) -> Block {
        self.0.select(bit)
    }

    /// Returns the MAC that the peer holds for `bit`, if this side holds `key`.
    #[inline]
    pub fn mac(&self, key: Key, bit: impl Into<SecretBit>) -> Mac {
        Mac(key.0 ^ self.select(bit))
    }

    /// The key itself.
    #[inline]
    pub fn block(&self) -> Block {
        self.0
    }
}

block_type! {
    /// The sender's half of a correlated OT.
    Key
}

block_type! {
    /// The receiver's half of a correlated OT, in addition to the choice bit.
    Mac
}

/// One of the two directions of correlated OT in a session: `sender` is the party that holds Delta.
/// Every oracle absorbs the direction.
#[derive(Clone, Copy)]
struct Direction {
    session: SessionId,
    sender: Party,
}

impl Direction {
    fn of(session: &SessionId, sender: Party) -> Self {
        Direction {
            session: *session,
            sender,
        }
    }

    /// The oracle of a step. `number` is the number of the batch or instance, less than 2^32.
    fn oracle(self, step: Step, number: u64) -> Oracle {
        Oracle::new(&self.session, step, (self.sender as u64) << 32 | number)
    }

    /// The oracle of a step that occurs once.
    fn oracle_once(self, step: Step) -> Oracle {
        Oracle::new(&self.session, step, self.sender as u64)
    }
}

/// The sender of correlated OTs, which holds Delta.
pub struct CotSender(correlated::Sender);

impl CotSender {
    /// Sets up `me` as the sender: runs 128 base OTs, in which `me` is the receiver, and receives
    /// the punctured trees.
    ///
    /// # Errors
    /// Any [`Error`] of the channel; [`Error::Check`] if a check of the base OT or of the trees
    /// fails.
    pub fn setup(
        channel: &mut Channel,
        session: &SessionId,
        me: Party,
        delta: Delta,
        rng: &mut impl CryptoRng,
    ) -> Result<Self> {
        let direction = Direction::of(session, me);
        // The base OTs deliver the pads of the sides that are not on the paths. The bits of Delta
        // are the paths.
        let choices = all_but_one::base_choices(&delta);
        let (receiver, points) = base::Receiver::begin(direction, choices, rng);
        channel.send_message(&points)?;
        let pads = channel.recv_message()?;
        let (keys, answer) = receiver.finish(&pads)?;
        channel.send_message(&answer)?;
        channel.flush()?;
        let sums = channel.recv_message()?;
        let leaves = all_but_one::puncture(direction, &delta, &keys, &sums)?;
        Ok(CotSender(correlated::Sender::new(direction, delta, leaves)))
    }

    /// Makes correlated OTs with random choice bits. Overwrites each element of `keys` with the key
    /// of one OT.
    ///
    /// # Errors
    /// Any [`Error`] of the channel; [`Error::Check`] if the receiver's consistency check fails. In
    /// this case the keys must not be used.
    ///
    /// # Panics
    /// If the number of keys is not a multiple of 128.
    pub fn extend(&mut self, channel: &mut Channel, keys: &mut [Key]) -> Result<()> {
        let size = batch_size(keys.len());
        for keys in keys.chunks_mut(size * parallel::threads()) {
            // All these batches are received before the first one is checked. Nothing is sent in
            // between.
            let mut corrections = Vec::new();
            for keys in keys.chunks(size) {
                let blocks = correlated::correction_blocks(keys.len() / 128);
                let mut matrix = vec![Block::ZERO; blocks];
                channel.recv_bytes(Tag::CotCorrection, bytemuck::cast_slice_mut(&mut matrix))?;
                corrections.push((matrix, channel.recv_message()?));
            }
            self.0.extend(size, &corrections, keys)?;
        }
        Ok(())
    }

    /// The global key.
    pub fn delta(&self) -> &Delta {
        self.0.delta()
    }
}

/// The receiver of correlated OTs, which holds the choice bits.
pub struct CotReceiver(correlated::Receiver);

/// The output of the receiver of correlated OTs.
#[derive(Default)]
pub struct CotBits {
    /// The random choice bits.
    pub choices: SecretVec<SecretBit>,
    /// The MAC for each choice bit.
    pub macs: SecretVec<Mac>,
}

impl CotBits {
    /// Resizes both lists to `count` elements that the caller overwrites, like
    /// [`SecretVec::reuse`].
    pub fn reuse(&mut self, count: usize) {
        self.choices.reuse(count);
        self.macs.reuse(count);
    }
}

impl CotReceiver {
    /// Sets up `me` as the receiver: runs 128 base OTs, in which `me` is the sender, and sends the
    /// punctured trees.
    ///
    /// # Errors
    /// Any [`Error`] of the channel; [`Error::Check`] if a check of the base OT fails.
    pub fn setup(
        channel: &mut Channel,
        session: &SessionId,
        me: Party,
        rng: &mut impl CryptoRng,
    ) -> Result<Self> {
        let direction = Direction::of(session, me.other());
        let points = channel.recv_message()?;
        let (sender, pads) = base::Sender::reply(direction, &points, rng)?;
        channel.send_message(&pads)?;
        let keys = sender.finish(&channel.recv_message()?)?;
        let (leaves, sums) = all_but_one::plant(direction, &keys);
        channel.send_message(&sums)?;
        channel.flush()?;
        Ok(CotReceiver(correlated::Receiver::new(direction, leaves)))
    }

    /// Makes correlated OTs with random choice bits. Overwrites each element of `bits` with one OT.
    ///
    /// # Errors
    /// Any [`Error`] of the channel.
    ///
    /// # Panics
    /// If the number of bits is not a multiple of 128.
    pub fn extend(&mut self, channel: &mut Channel, bits: &mut CotBits) -> Result<()> {
        assert_eq!(bits.choices.len(), bits.macs.len(), "one MAC per choice");
        let size = batch_size(bits.macs.len());
        let at_once = size * parallel::threads();
        let lists = (bits.choices.chunks_mut(at_once)).zip(bits.macs.chunks_mut(at_once));
        for (choices, macs) in lists {
            for (correction, check) in self.0.extend(size, choices, macs)? {
                channel.send_bytes(Tag::CotCorrection, bytemuck::cast_slice(&correction))?;
                channel.send_message(&check)?;
            }
        }
        channel.flush()?;
        Ok(())
    }

    /// The number of bytes that [`extend`](Self::extend) sends for `128 * blocks` OTs.
    pub fn sent_bytes(blocks: usize) -> u64 {
        let batch = batch_size(128 * blocks) / 128;
        let sent = |blocks| {
            let correction = correlated::correction_blocks(blocks) * size_of::<Block>();
            net::bulk_bytes(correction) + net::message_bytes::<CotCheck>()
        };
        let last = match blocks % batch {
            0 => 0,
            rest => sent(rest),
        };
        (blocks / batch) as u64 * sent(batch) + last
    }
}

/// The number of OTs in each batch for a total of `count` OTs, a multiple of 128. There are as few
/// batches as possible, all of the same size except the last, which may be smaller.
fn batch_size(count: usize) -> usize {
    assert!(
        count.is_multiple_of(128),
        "the number of OTs must be a multiple of 128"
    );
    let blocks = count / 128;
    let batches = blocks.div_ceil(correlated::MAX_BLOCKS).max(1);
    128 * blocks.div_ceil(batches).max(1)
}

/// Sets up correlated OT in both directions at once. In each step both parties send their message
/// before they wait for the peer's message, so that neither party is idle while the other computes.
///
/// # Errors
/// Any [`Error`] of the channel; [`Error::Check`] if a check of the base OT or of the trees
/// fails.
pub fn setup_both(
    channel: &mut Channel,
    session: &SessionId,
    me: Party,
    delta: Delta,
    rng: &mut impl CryptoRng,
) -> Result<(CotSender, CotReceiver)> {
    let [mine, theirs] = [me, me.other()].map(|sender| Direction::of(session, sender));
    let choices = all_but_one::base_choices(&delta);
    let (base_receiver, points) = base::Receiver::begin(mine, choices, rng);
    channel.send_message(&points)?;
    let points = channel.recv_message()?;
    let (base_sender, pads) = base::Sender::reply(theirs, &points, rng)?;
    channel.send_message(&pads)?;
    let pads = channel.recv_message()?;
    let (chosen, answer) = base_receiver.finish(&pads)?;
    channel.send_message(&answer)?;
    let both = base_sender.finish(&channel.recv_message()?)?;
    let (all_leaves, sums) = all_but_one::plant(theirs, &both);
    channel.send_message(&sums)?;
    let sums = channel.recv_message()?;
    let leaves = all_but_one::puncture(mine, &delta, &chosen, &sums)?;
    Ok((
        CotSender(correlated::Sender::new(mine, delta, leaves)),
        CotReceiver(correlated::Receiver::new(theirs, all_leaves)),
    ))
}

/// Checks the length of a list in a message.
fn expect_length(list: &'static str, found: usize, expected: usize) -> Result<()> {
    if found == expected {
        Ok(())
    } else {
        Err(Error::from(Malformed::ListLength {
            list,
            found,
            expected,
        }))
    }
}
