//! What a party holds of the wires of a circuit, for authenticated garbling.

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
/// A XOR's mask is the XOR of its inputs' masks, a NOT's that of its input: the masked value flips
/// instead.
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

/// The wires that each AND gate reads, in the order of the record.
pub(super) fn and_inputs(circuit: &Circuit) -> impl Iterator<Item = (usize, usize)> + '_ {
    circuit.gates().iter().filter_map(|gate| match gate {
        Gate::And(a, b) => Some((a.index(), b.index())),
        _ => None,
    })
}

/// The wires that the AND gates drive, in the order of the record.
pub(super) fn and_outputs(circuit: &Circuit) -> impl Iterator<Item = usize> + '_ {
    circuit
        .layers()
        .iter()
        .flat_map(|layer| layer.ands.clone())
        .map(|gate| circuit.input_bits() + gate)
}

/// `<e> = <l_a ^ x>` and `<f> = <l_b ^ y>` for every AND gate with inputs `a`, `b` and triple
/// `x`, `y`, `z`: one after the other, to be opened.
pub(super) fn differences<'a>(
    circuit: &'a Circuit,
    masks: &'a [Share],
    triples: &'a [Triple],
) -> impl Iterator<Item = Share> + 'a {
    (and_inputs(circuit).zip(triples))
        .flat_map(|((a, b), triple)| [masks[a] ^ triple.x, masks[b] ^ triple.y])
}

/// `<s> = <l_a * l_b>` for every AND gate, from its triple and the opened `e`, `f` (Beaver).
pub(super) fn products(
    triples: &[Triple],
    opened: impl Iterator<Item = bool>,
    me: Party,
    delta: &Delta,
) -> SecretVec<Share> {
    let mut opened = opened;
    let mut next = || opened.next().expect("two opened bits an AND");
    triples
        .iter()
        .map(|triple| {
            let (e, f) = (next(), next());
            (triple.z ^ triple.y.times(e) ^ triple.x.times(f)).plus(e & f, me, delta)
        })
        .collect()
}

/// The evaluator's view of a wire: its label, and the value that the label stands for.
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
