//! The labels of the evaluator's inputs. The labels come from correlated OTs with random choice
//! bits, which are made in advance in batches. For each input the evaluator sends one bit, which
//! replaces the random choice bit by the input bit (Beaver, "Precomputing Oblivious Transfer",
//! CRYPTO 1995).
//!
//! The evaluator holds `(r, M)`, the garbler `K = M ^ r * Delta`. For an input `x` the evaluator
//! sends `d = x ^ r`. The label for 0 is `K ^ d * Delta`, and the evaluator's label is `M`.

use crate::crypto::{SecretBit, SecretVec};
use crate::mpc::error::Fault;
use crate::mpc::label::{ActiveLabel, ZeroLabel};
use crate::mpc::packed_bits::{recv_bits, send_bits};
use crate::mpc::tag::Tag;
use crate::net::Channel;
use crate::ot::{CotBits, CotReceiver, CotSender, Delta, Key, Mac};

/// The minimum number of OTs that are made at once, in blocks of 128: enough for a few shuffles,
/// and made in well under a millisecond.
const MIN_BLOCKS: usize = 32;

/// Returns the number of blocks of OTs to make if `needed` OTs are required and `left` are left.
/// Both parties compute the same result.
fn blocks_to_make(needed: usize, left: usize) -> usize {
    if needed <= left {
        0
    } else {
        (needed - left).div_ceil(128).max(MIN_BLOCKS)
    }
}

/// The garbler's correlated OTs.
pub(super) struct GarblerCots {
    sender: CotSender,
    keys: SecretVec<Key>,
}

impl GarblerCots {
    /// Makes the first batch of OTs.
    pub(super) fn first(channel: &mut Channel, sender: CotSender) -> Result<Self, Fault> {
        let mut cots = GarblerCots {
            sender,
            keys: SecretVec::default(),
        };
        cots.reserve(channel, 1)?;
        Ok(cots)
    }

    pub(super) fn delta(&self) -> &Delta {
        self.sender.delta()
    }

    /// Makes OTs if fewer than `needed` are left.
    pub(super) fn reserve(&mut self, channel: &mut Channel, needed: usize) -> Result<(), Fault> {
        let blocks = blocks_to_make(needed, self.keys.len());
        if blocks > 0 {
            let mut fresh = SecretVec::zeros(128 * blocks);
            self.sender.extend(channel, &mut fresh)?;
            self.keys = SecretVec::concat(&[&self.keys, &fresh]);
        }
        Ok(())
    }

    /// Receives `count` masked inputs of the evaluator. Returns the masked bits, and the labels for
    /// 0 of the inputs.
    pub(super) fn receive_inputs(
        &mut self,
        channel: &mut Channel,
        count: usize,
    ) -> Result<(Vec<bool>, SecretVec<ZeroLabel>), Fault> {
        let flips = recv_bits(channel, Tag::MaskedInputs, count)?;
        let keys = self.keys.take_last(count);
        let labels = keys.iter().zip(&flips);
        let labels = labels.map(|(key, flip)| ZeroLabel(self.delta().mac(*key, *flip).0));
        let labels = labels.collect();
        Ok((flips, labels))
    }
}

/// The evaluator's correlated OTs.
pub(super) struct EvaluatorCots {
    receiver: CotReceiver,
    bits: CotBits,
}

impl EvaluatorCots {
    /// Makes the first batch of OTs.
    pub(super) fn first(channel: &mut Channel, receiver: CotReceiver) -> Result<Self, Fault> {
        let mut cots = EvaluatorCots {
            receiver,
            bits: CotBits::default(),
        };
        cots.reserve(channel, 1)?;
        Ok(cots)
    }

    /// Makes OTs if fewer than `needed` are left.
    pub(super) fn reserve(&mut self, channel: &mut Channel, needed: usize) -> Result<(), Fault> {
        let blocks = blocks_to_make(needed, self.bits.macs.len());
        if blocks > 0 {
            let mut fresh = CotBits::default();
            fresh.reuse(128 * blocks);
            self.receiver.extend(channel, &mut fresh)?;
            self.bits = CotBits {
                choices: SecretVec::concat(&[&self.bits.choices, &fresh.choices]),
                macs: SecretVec::concat(&[&self.bits.macs, &fresh.macs]),
            };
        }
        Ok(())
    }

    /// Sends the masked `inputs`. Returns the masked bits, and the active labels of the inputs.
    pub(super) fn send_inputs(
        &mut self,
        channel: &mut Channel,
        inputs: &[SecretBit],
    ) -> Result<(Vec<bool>, SecretVec<ActiveLabel>), Fault> {
        let choices = self.bits.choices.take_last(inputs.len());
        let masked: Vec<bool> = (inputs.iter().zip(choices.iter()))
            .map(|(input, choice)| (*choice ^ *input).reveal())
            .collect();
        send_bits(channel, Tag::MaskedInputs, masked.iter().copied())?;
        let macs = self.bits.macs.take_last(inputs.len());
        let labels = macs.iter().map(|Mac(label)| ActiveLabel(*label));
        Ok((masked, labels.collect()))
    }
}
