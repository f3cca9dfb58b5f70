//! Outputs: each output bit leaves the run under a fresh mask.
//!
//! The masks of output wires depend on each other. A conditional swap preserves the XOR of the
//! values it swaps, and the deck before the shuffle is constant. So in a full deal *each party's
//! shares* of the output masks add up to 0, and an eavesdropper who sees the opened shares of a
//! hand would learn the XOR of its cards. For this reason each output bit that is not a constant
//! gets a fresh shared bit `<r>` as its mask, even if its wire is an input or is output twice. The
//! parties open `d = l ^ r` together with the bits opened for the gates. Then `V := V ^ d`, and the
//! garbler's label for 0 is XORed with `d * Delta_A`.
//!
//! The *shares* of `d` would add up to the same XOR, so they are not sent in the clear: each party
//! XORs its shares with a pad derived from the channel secret. The MACs authenticate the shares
//! without the pad.

use zeroize::Zeroize;

use super::context::Context;
use super::share::Share;
use crate::circuit::{Circuit, Output, Party};
use crate::crypto::{SecretBit, SecretVec, Step};
use crate::mpc::label::{ActiveLabel, HeldLabel, ZeroLabel};
use crate::ot::Delta;

/// The data that a party holds for an output bit.
#[derive(Clone, Zeroize)]
pub(super) struct HeldOutput {
    /// The value XOR the mask.
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

    /// A constant output: the mask is 0, and so is the evaluator's label.
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

    /// Replaces the mask with `fresh`. `d` is the XOR of the old and the new mask.
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

/// The share `<d> = <l ^ r>` to open, for each output bit that is not a constant.
pub(super) fn differences<'a>(
    circuit: &'a Circuit,
    mask: impl Fn(usize) -> Share + 'a,
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
    wires
        .zip(fresh)
        .map(move |(wire, fresh)| mask(wire) ^ *fresh)
}

/// The pads for the `count` shares of `d` that `sender` sends in a run.
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
