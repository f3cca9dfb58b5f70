//! The data that a party holds for the wires of a circuit in authenticated garbling.

use std::ops::BitXor;

use zeroize::DefaultIsZeroes;

use super::leaky_and::Triple;
use super::share::Share;
use crate::circuit::{Gate, Party, Wire};
use crate::crypto::SecretVec;
use crate::mpc::label::ActiveLabel;
use crate::mpc::layout::Wires;
use crate::mpc::walk::{Part, WireValue};
use crate::ot::Delta;

impl<W: DefaultIsZeroes + WireValue> Wires<W> {
    /// Walks over the gates of a part. `and` returns the element for the output of the next joint
    /// AND gate, given the elements for its inputs; `not` returns the element for a negated wire.
    fn pass(&mut self, part: &Part<'_>, not: impl Fn(W) -> W, mut and: impl FnMut(W, W) -> W) {
        let mut products = self.entered.products_from(part);
        let (held, slots) = (&mut self.held, part.slots);
        for (gate, wire) in part.gates() {
            let product = match (gate, part.owners.wires()[wire]) {
                (Gate::And(..), Some(owner)) => products[owner].next(),
                _ => None,
            };
            let Some(slot) = slots.of_output(wire) else {
                continue;
            };
            let on = |wire: Wire| held[slots.of(wire.index())];
            held[slot] = match (gate, product) {
                (_, Some(&product)) => product,
                (Gate::Xor(a, b), None) => on(a) ^ on(b),
                (Gate::Not(a), None) => not(on(a)),
                (Gate::And(a, b), None) => and(on(a), on(b)),
            };
        }
    }
}

/// The masks of the wires of a joint AND gate.
#[derive(Clone, Copy, Default)]
pub(super) struct AndMasks {
    pub(super) a: Share,
    pub(super) b: Share,
    /// `<l_c>`; after [`add_products`], `<s> ^ <l_c>` with `s = l_a * l_b`.
    pub(super) out: Share,
}

impl DefaultIsZeroes for AndMasks {}

impl Wires<Share> {
    /// Computes the masks `<l>` of a part, given fresh masks for its joint AND gates. Returns the
    /// masks of these gates.
    ///
    /// The mask of an XOR gate's output is the XOR of its inputs' masks. The mask of a NOT gate's
    /// output is that of its input; only the masked value flips.
    pub(super) fn fill_masks(&mut self, part: &Part<'_>, fresh: &[Share]) -> SecretVec<AndMasks> {
        let mut ands = SecretVec::with_capacity(fresh.len());
        let mut fresh = fresh.iter();
        let and = |a, b| {
            let out = *fresh.next().expect("one fresh mask per AND gate");
            ands.push(AndMasks { a, b, out });
            out
        };
        self.pass(part, |mask| mask, and);
        ands
    }
}

/// The masked values of the wires of a joint AND gate: `a`, `b` and the output.
pub(super) type AndValues = [bool; 3];

impl Wires<bool> {
    /// Computes the masked values of a part, given the masked values of the outputs of its joint
    /// AND gates. Returns the masked values of these gates.
    pub(super) fn fill_values(&mut self, part: &Part<'_>, of_ands: &[bool]) -> Vec<AndValues> {
        let mut ands = Vec::with_capacity(of_ands.len());
        let mut of_ands = of_ands.iter();
        let and = |a, b| {
            let out = *of_ands.next().expect("one masked value per AND gate");
            ands.push([a, b, out]);
            out
        };
        self.pass(part, |value| !value, and);
        ands
    }
}

impl WireValue for Share {}

impl WireValue for bool {}

/// The shares to open for each joint AND gate with inputs `a`, `b` and triple `x`, `y`, `z`:
/// `<e> = <l_a ^ x>` and `<f> = <l_b ^ y>`.
pub(super) fn differences<'a>(
    ands: &'a [AndMasks],
    triples: &'a [Triple],
) -> impl Iterator<Item = Share> + 'a {
    (ands.iter().zip(triples)).flat_map(|(and, triple)| [and.a ^ triple.x, and.b ^ triple.y])
}

/// Adds `<s> = <l_a * l_b>` to `out` of each joint AND gate. `<s>` is computed from the gate's
/// triple and the opened bits `e` and `f` (Beaver).
pub(super) fn add_products(
    ands: &mut [AndMasks],
    triples: &[Triple],
    opened: impl Iterator<Item = bool>,
    me: Party,
    delta: &Delta,
) {
    let mut opened = opened;
    let mut next = || opened.next().expect("two opened bits per AND gate");
    for (and, triple) in ands.iter_mut().zip(triples) {
        let (e, f) = (next(), next());
        let product = triple.z ^ triple.y.times(e) ^ triple.x.times(f);
        and.out ^= product.plus(e & f, me, delta);
    }
}

/// The evaluator's view of a wire: its label, and the masked value that the label represents.
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
