//! What a party holds for the wires of a circuit in authenticated garbling.

use std::ops::BitXor;

use zeroize::DefaultIsZeroes;

use super::leaky_and::Triple;
use super::share::Share;
use crate::circuit::{Circuit, Gate, Party};
use crate::crypto::SecretVec;
use crate::mpc::label::ActiveLabel;
use crate::mpc::walk::WireValue;
use crate::ot::Delta;

/// The masks `<l>` of all wires, from those of the inputs and fresh ones for the AND gates.
///
/// The mask of an XOR gate's output is the XOR of its inputs' masks. That of a NOT gate's output is
/// its input's; only the masked value flips.
pub(super) fn masks(circuit: &Circuit, inputs: &[Share], fresh: &[Share]) -> SecretVec<Share> {
    let mut masks = SecretVec::with_capacity(circuit.wires());
    masks.extend(inputs.iter().copied());
    let mut fresh = fresh.iter();
    for gate in circuit.gates() {
        let mask = match gate {
            Gate::And(..) => *fresh.next().expect("a fresh mask for each AND"),
            Gate::Xor(a, b) => masks[a.index()] ^ masks[b.index()],
            Gate::Not(a) => masks[a.index()],
        };
        masks.push(mask);
    }
    masks
}

/// The masked values of all wires, from those of the inputs and of the AND gates.
pub(super) fn masked_values(circuit: &Circuit, inputs: &[bool], ands: &[bool]) -> Vec<bool> {
    let mut values = Vec::with_capacity(circuit.wires());
    values.extend_from_slice(inputs);
    let mut ands = ands.iter();
    for gate in circuit.gates() {
        let value = match gate {
            Gate::And(..) => *ands.next().expect("a value for each AND"),
            Gate::Xor(a, b) => values[a.index()] ^ values[b.index()],
            Gate::Not(a) => !values[a.index()],
        };
        values.push(value);
    }
    values
}

/// The input wires of each AND gate, in the order of the gates.
pub(super) fn and_inputs(circuit: &Circuit) -> impl Iterator<Item = (usize, usize)> + '_ {
    circuit.gates().iter().filter_map(|gate| match gate {
        Gate::And(a, b) => Some((a.index(), b.index())),
        _ => None,
    })
}

/// The output wire of each AND gate, in the order of the gates.
pub(super) fn and_outputs(circuit: &Circuit) -> impl Iterator<Item = usize> + '_ {
    circuit
        .layers()
        .iter()
        .flat_map(|layer| layer.ands.clone())
        .map(|gate| circuit.input_bits() + gate)
}

/// What is opened for each AND gate with inputs `a`, `b` and triple `x`, `y`, `z`: `<e> = <l_a ^
/// x>` and `<f> = <l_b ^ y>`.
pub(super) fn differences<'a>(
    circuit: &'a Circuit,
    masks: &'a [Share],
    triples: &'a [Triple],
) -> impl Iterator<Item = Share> + 'a {
    (and_inputs(circuit).zip(triples))
        .flat_map(|((a, b), triple)| [masks[a] ^ triple.x, masks[b] ^ triple.y])
}

/// `<s> = <l_a * l_b>` for each AND gate, from its triple and the opened `e`, `f` (Beaver).
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
