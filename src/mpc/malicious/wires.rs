//! What a party holds for the wires of a circuit in authenticated garbling.

use std::ops::BitXor;

use zeroize::DefaultIsZeroes;

use super::leaky_and::Triple;
use super::share::Share;
use crate::circuit::{Circuit, Gate, Ownership, Party};
use crate::crypto::SecretVec;
use crate::mpc::label::ActiveLabel;
use crate::mpc::walk::WireValue;
use crate::ot::Delta;

/// Fills in the masks `<l>` of all wires, from those of the wires that are entered or shared and
/// fresh ones for the joint AND gates.
///
/// The mask of an XOR gate's output is the XOR of its inputs' masks. That of a NOT gate's output is
/// its input's; only the masked value flips.
pub(super) fn fill_masks(
    circuit: &Circuit,
    owners: &Ownership,
    masks: &mut [Share],
    fresh: &[Share],
) {
    let mut fresh = fresh.iter();
    for (gate, wire) in circuit.gates().iter().zip(circuit.input_bits()..) {
        match gate {
            Gate::And(..) if owners.wires()[wire].is_some() => {}
            Gate::And(..) => masks[wire] = *fresh.next().expect("a fresh mask for each AND"),
            Gate::Xor(a, b) => masks[wire] = masks[a.index()] ^ masks[b.index()],
            Gate::Not(a) => masks[wire] = masks[a.index()],
        }
    }
}

/// Fills in the masked values of the XOR and NOT gates of one owner, or of the joint ones. Those of
/// all wires before are already there, and those of the AND gates.
pub(super) fn fill_values(
    circuit: &Circuit,
    owners: &Ownership,
    owner: Option<Party>,
    values: &mut [bool],
) {
    for (gate, wire) in circuit.gates().iter().zip(circuit.input_bits()..) {
        if owners.wires()[wire] == owner {
            match gate {
                Gate::And(..) => {}
                Gate::Xor(a, b) => values[wire] = values[a.index()] ^ values[b.index()],
                Gate::Not(a) => values[wire] = !values[a.index()],
            }
        }
    }
}

/// The input wires and the output wire of each joint AND gate, in the order of the gates.
pub(super) fn joint_ands<'a>(
    circuit: &'a Circuit,
    owners: &'a Ownership,
) -> impl Iterator<Item = [usize; 3]> + 'a {
    (owners.joint_ands().iter()).map(|&number| match circuit.gates()[number as usize] {
        Gate::And(a, b) => [a.index(), b.index(), circuit.input_bits() + number as usize],
        _ => unreachable!("a joint AND is an AND"),
    })
}

/// What is opened for each joint AND gate with inputs `a`, `b` and triple `x`, `y`, `z`: `<e> = <l_a ^
/// x>` and `<f> = <l_b ^ y>`.
pub(super) fn differences<'a>(
    circuit: &'a Circuit,
    owners: &'a Ownership,
    masks: &'a [Share],
    triples: &'a [Triple],
) -> impl Iterator<Item = Share> + 'a {
    (joint_ands(circuit, owners).zip(triples))
        .flat_map(|([a, b, _], triple)| [masks[a] ^ triple.x, masks[b] ^ triple.y])
}

/// `<s> = <l_a * l_b>` for each joint AND gate, from its triple and the opened `e`, `f` (Beaver).
pub(super) fn products(
    triples: &[Triple],
    opened: impl Iterator<Item = bool>,
    me: Party,
    delta: &Delta,
) -> SecretVec<Share> {
    let mut opened = opened;
    let mut next = || opened.next().expect("two opened bits for each AND");
    triples
        .iter()
        .map(|triple| {
            let (e, f) = (next(), next());
            (triple.z ^ triple.y.times(e) ^ triple.x.times(f)).plus(e & f, me, delta)
        })
        .collect()
}

/// The evaluator's view of a wire: its label, and the masked value that the label stands for.
#[derive(Clone, Copy, Default)]
pub(super) struct MaskedLabel {
    pub(super) label: ActiveLabel,
    pub(super) value: bool,
}

impl DefaultIsZeroes for MaskedLabel {}

impl BitXor for MaskedLabel {
    type Output = MaskedLabel;

    #[inline]
    fn bitxor(self, other: MaskedLabel) -> MaskedLabel {
        MaskedLabel {
            label: self.label ^ other.label,
            value: self.value ^ other.value,
        }
    }
}

impl WireValue for MaskedLabel {}
