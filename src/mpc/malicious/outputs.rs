//! Outputs: each output bit leaves its run under a mask of its own.
//!
//! The masks of output wires depend on each other: a conditional swap keeps the XOR of what it
//! swaps, so the masks of a full deal add up to those of the inputs, *for each party by itself*. A
//! reader of the line who sees the shares that are opened would learn the XOR of a hand. So every
//! output bit that is not a constant, also a wire that is output twice or is an input, gets a fresh
//! shared bit `<r>` as its mask. The parties open `d = l ^ r` with what they open for the gates,
//! and then `V := V ^ d`, and the garbler's label for 0 shifts by `d * Delta_A`.
//!
//! The *shares* of `d` add up to what the reader was after, so they do not travel in the clear:
//! each party adds a pad made from the channel secret. The MACs are those of the bits without the pad.

use zeroize::Zeroize;

use super::context::Context;
use super::share::Share;
use crate::circuit::{Circuit, Output, Party};
use crate::crypto::{SecretBit, SecretVec, Step};
use crate::mpc::label::{ActiveLabel, HeldLabel, ZeroLabel};
use crate::ot::Delta;

/// What a party holds of an output bit.
#[derive(Clone, Zeroize)]
pub(super) struct HeldOutput {
    /// The value, XORed with the mask.
    pub(super) masked: bool,
    pub(super) mask: Share,
    pub(super) label: HeldLabel,
}

impl HeldOutput {
    /// The label that the evaluator holds.
    pub(super) fn active_label(&self, delta: &Delta) -> ActiveLabel {
        match self.label {
            HeldLabel::Zero(label) => label.active(self.masked, delta),
            HeldLabel::Active(label) => label,
        }
    }

    /// A constant: a wire without a mask, whose label at the evaluator is zero.
    pub(super) fn constant(value: bool, me: Party, delta: &Delta) -> Self {
        let label = match me {
            Party::Garbler => HeldLabel::Zero(ZeroLabel(delta.select(value))),
            Party::Evaluator => HeldLabel::Active(ActiveLabel::default()),
        };
        HeldOutput {
            masked: value,
            mask: Share::default(),
            label,
        }
    }

    /// The output under the mask `fresh`, which differs from its own by `d`.
    pub(super) fn remasked(self, fresh: Share, d: bool, delta: &Delta) -> Self {
        HeldOutput {
            masked: self.masked ^ d,
            mask: fresh,
            label: match self.label {
                HeldLabel::Zero(label) => HeldLabel::Zero(label.flipped(d, delta)),
                active @ HeldLabel::Active(_) => active,
            },
        }
    }
}

/// `<d> = <l ^ r>` for every output bit that is not a constant, to be opened.
pub(super) fn differences<'a>(
    circuit: &'a Circuit,
    masks: &'a [Share],
    fresh: &'a [Share],
) -> impl Iterator<Item = Share> + 'a {
    let wires = circuit
        .outputs()
        .iter()
        .flatten()
        .filter_map(|output| match output {
            Output::Wire(wire) => Some(wire.index()),
            Output::Const(_) => None,
        });
    wires.zip(fresh).map(|(wire, fresh)| masks[wire] ^ *fresh)
}

/// The pads of the shares of `d` that `sender` sends in a run, as many as there are outputs.
pub(super) fn pads(
    context: &Context,
    run: u64,
    sender: Party,
    count: usize,
) -> SecretVec<SecretBit> {
    let mut pads = SecretVec::with_capacity(count);
    let pad = context
        .channel_secret
        .pad(&context.session, (Step::OutputPad, run), sender);
    pads.extend(pad.take(count));
    pads
}
