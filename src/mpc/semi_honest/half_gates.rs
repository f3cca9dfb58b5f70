//! Half gates: garbling and evaluating (Zahur, Rosulek, Evans 2015, figure 2).

use crate::circuit::Party;
#[cfg(feature = "internals")]
use crate::circuit::{Circuit, Ownership, Slots};
use crate::crypto::Block;
#[cfg(feature = "internals")]
use crate::crypto::TweakableHash;
use crate::mpc::label::{ActiveLabel, ZeroLabel};
use crate::mpc::walk::{Part, RunHash, walk};
use crate::ot::Delta;

/// Garbles a part of a circuit. `labels` holds labels for 0; the labels of the wires before the
/// part must be set. `product` returns the label of the next AND gate that a party owns, or `None`
/// if this label is already in `labels`. `emit` is called with one table for each joint AND gate,
/// in the order of the gates.
///
/// # Errors
/// Any error that `emit` returns.
pub(super) fn garble_part<E>(
    part: &Part<'_>,
    labels: &mut [ZeroLabel],
    product: impl FnMut(Party) -> Option<ZeroLabel>,
    delta: &Delta,
    hashes: &RunHash<'_>,
    mut emit: impl FnMut([Block; 2]) -> Result<(), E>,
) -> Result<(), E> {
    let shift = delta.block();
    walk(
        part,
        labels,
        product,
        hashes,
        |a, b| [a.0, a.0 ^ shift, b.0, b.0 ^ shift],
        |label| ZeroLabel(label.0 ^ shift),
        |gate, [ha0, ha1, hb0, hb1]| {
            let (ZeroLabel(a), ZeroLabel(b)) = gate.values;
            let generator_half = *ha0 ^ *ha1 ^ delta.select(b.lsb());
            let evaluator_half = *hb0 ^ *hb1 ^ a;
            emit([generator_half, evaluator_half])?;
            let of_a = *ha0 ^ generator_half.select(a.lsb());
            let of_b = *hb0 ^ (evaluator_half ^ a).select(b.lsb());
            Ok(ZeroLabel(of_a ^ of_b))
        },
    )
}

/// Evaluates a part of a garbled circuit. `labels` holds active labels; the labels of the wires
/// before the part must be set. `product` returns the label of the next AND gate that a party owns,
/// or `None` if this label is already in `labels`. `fetch` returns one table for each joint AND
/// gate, in the order of the gates.
///
/// # Errors
/// Any error that `fetch` returns.
pub(super) fn evaluate_part<E>(
    part: &Part<'_>,
    labels: &mut [ActiveLabel],
    product: impl FnMut(Party) -> Option<ActiveLabel>,
    hashes: &RunHash<'_>,
    mut fetch: impl FnMut() -> Result<[Block; 2], E>,
) -> Result<(), E> {
    walk(
        part,
        labels,
        product,
        hashes,
        |a, b| [a.0, b.0],
        |label| label,
        |gate, [ha, hb]| {
            let (ActiveLabel(a), ActiveLabel(b)) = gate.values;
            let [generator_half, evaluator_half] = fetch()?;
            let of_a = *ha ^ generator_half.select(a.lsb());
            let of_b = *hb ^ (evaluator_half ^ a).select(b.lsb());
            Ok(ActiveLabel(of_a ^ of_b))
        },
    )
}

/// Garbles a circuit, and keeps the labels of all wires.
///
/// `labels` holds the labels for 0 of all wires. The labels of the inputs, and of the outputs of
/// AND gates that a party owns, must be set; all other labels are computed. `run` is the number of
/// the run, which must not repeat in a session. `emit` is called with one table for each joint AND
/// gate, in the order of the gates.
///
/// # Errors
/// Any error that `emit` returns.
///
/// # Panics
/// If `labels` is shorter than the number of the circuit's wires.
#[cfg(feature = "internals")]
pub fn garble<E>(
    circuit: &Circuit,
    owners: &Ownership,
    labels: &mut [ZeroLabel],
    delta: &Delta,
    hash: &TweakableHash,
    run: u64,
    emit: impl FnMut([Block; 2]) -> Result<(), E>,
) -> Result<(), E> {
    let slots = Slots::for_each_wire(circuit.wires());
    let part = Part::whole(circuit, owners, &slots);
    garble_part(&part, labels, |_| None, delta, &RunHash { hash, run }, emit)
}

/// Evaluates a garbled circuit, and keeps the labels of all wires.
///
/// `labels` holds the active labels of all wires. The labels of the inputs, and of the outputs of
/// AND gates that a party owns, must be set; all other labels are computed. `run` is the number of
/// the run. `fetch` returns one table for each joint AND gate, in the order of the gates.
///
/// # Errors
/// Any error that `fetch` returns.
///
/// # Panics
/// If `labels` is shorter than the number of the circuit's wires.
#[cfg(feature = "internals")]
pub fn evaluate<E>(
    circuit: &Circuit,
    owners: &Ownership,
    labels: &mut [ActiveLabel],
    hash: &TweakableHash,
    run: u64,
    fetch: impl FnMut() -> Result<[Block; 2], E>,
) -> Result<(), E> {
    let slots = Slots::for_each_wire(circuit.wires());
    let part = Part::whole(circuit, owners, &slots);
    evaluate_part(&part, labels, |_| None, &RunHash { hash, run }, fetch)
}
