//! Wire labels. For each wire the garbler holds the label for 0, `L0`, and the evaluator holds the
//! active label, `L = L0 ^ V * Delta`, which represents the bit `V`. The two kinds of labels have
//! different types, so that an engine cannot confuse them.

use zeroize::Zeroize;

#[cfg(test)]
use crate::crypto::Block;
use crate::crypto::{Generator, Oracle, SecretBit, SecretVec, SessionId, Step, block_type};
use crate::ot::Delta;

block_type! {
    /// The garbler's label of a wire, which represents 0.
    ZeroLabel
}

block_type! {
    /// The evaluator's label of a wire, which represents the bit on the wire.
    ActiveLabel
}

impl ZeroLabel {
    /// The label that represents `bit`.
    #[inline]
    pub fn active(self, bit: impl Into<SecretBit>, delta: &Delta) -> ActiveLabel {
        ActiveLabel(self.0 ^ delta.select(bit))
    }

    /// The label for 0 of the wire after the value of the wire is XORed with `bit`.
    #[inline]
    pub fn flipped(self, bit: impl Into<SecretBit>, delta: &Delta) -> ZeroLabel {
        ZeroLabel(self.0 ^ delta.select(bit))
    }
}

impl ActiveLabel {
    /// The label for 0, if this label represents `bit`.
    #[inline]
    pub fn zero(self, bit: impl Into<SecretBit>, delta: &Delta) -> ZeroLabel {
        ZeroLabel(self.0 ^ delta.select(bit))
    }

    /// The label if `bit` is 1, else the zero block.
    #[inline]
    pub fn select(self, bit: impl Into<SecretBit>) -> ActiveLabel {
        ActiveLabel(self.0.select(bit))
    }
}

/// The evaluator's labels of `count` wires whose bits the parties enter.
///
/// The labels are not sent. Both parties expand them from a public seed. The garbler computes each
/// label for 0 from the evaluator's label and the bit that this label represents: the value of the
/// wire or its masked value. So the garbler must know this bit before it garbles.
pub(super) fn active_labels(session: &SessionId, run: u64, count: usize) -> SecretVec<ActiveLabel> {
    let seed = Oracle::new(session, Step::ActiveLabels, run).block();
    let mut labels = SecretVec::zeros(count);
    Generator::new(seed).fill(bytemuck::cast_slice_mut(&mut labels));
    labels
}

/// A party's label of an output wire.
#[derive(Clone, Copy)]
pub(super) enum HeldLabel {
    Zero(ZeroLabel),
    Active(ActiveLabel),
}

impl HeldLabel {
    /// The garbler's label.
    ///
    /// # Panics
    /// If this party is the evaluator. A session creates only labels of its own role.
    pub(super) fn zero(self) -> ZeroLabel {
        match self {
            HeldLabel::Zero(label) => label,
            HeldLabel::Active(_) => unreachable!("the garbler holds labels for 0"),
        }
    }

    /// The evaluator's label.
    ///
    /// # Panics
    /// If this party is the garbler.
    pub(super) fn active(self) -> ActiveLabel {
        match self {
            HeldLabel::Active(label) => label,
            HeldLabel::Zero(_) => unreachable!("the evaluator holds active labels"),
        }
    }
}

#[cfg(test)]
impl HeldLabel {
    pub(super) fn block(self) -> Block {
        match self {
            HeldLabel::Zero(label) => label.0,
            HeldLabel::Active(label) => label.0,
        }
    }
}

impl Zeroize for HeldLabel {
    fn zeroize(&mut self) {
        match self {
            HeldLabel::Zero(label) => label.zeroize(),
            HeldLabel::Active(label) => label.zeroize(),
        }
    }
}
