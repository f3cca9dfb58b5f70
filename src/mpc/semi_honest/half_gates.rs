//! Half gates: garbling and evaluating (Zahur, Rosulek, Evans 2015, figure 2).

use crate::Result;
use crate::circuit::Circuit;
use crate::crypto::{Block, TweakableHash};
use crate::mpc::walk::{RunHash, walk};
use crate::ot::Delta;

/// Garbles a circuit.
///
/// `labels` holds the label for 0 of every wire; those of the inputs are set, the others are
/// filled in. `run` is the number of the run: it must not repeat in a session. `emit` gets the
/// tables, one an AND, in the order of the record.
///
/// # Errors
/// Whatever `emit` gives.
///
/// # Panics
/// If `labels` is shorter than the circuit's wires.
pub fn garble(
    circuit: &Circuit,
    labels: &mut [Block],
    delta: &Delta,
    hash: &TweakableHash,
    run: u64,
    mut emit: impl FnMut([Block; 2]) -> Result<()>,
) -> Result<()> {
    let shift = delta.block();
    walk(
        circuit,
        labels,
        &RunHash { hash, run },
        |a, b| [a, a ^ shift, b, b ^ shift],
        |label| label ^ shift,
        |gate, [ha0, ha1, hb0, hb1]| {
            let (a, b) = gate.values;
            let generator_half = *ha0 ^ *ha1 ^ delta.select(b.lsb());
            let evaluator_half = *hb0 ^ *hb1 ^ a;
            emit([generator_half, evaluator_half])?;
            Ok(*ha0 ^ generator_half.select(a.lsb()) ^ *hb0 ^ (evaluator_half ^ a).select(b.lsb()))
        },
    )
}

/// Evaluates a garbled circuit.
///
/// `labels` holds the label of every wire; those of the inputs are set, the others are filled in.
/// `run` is the number of the run. `fetch` gives the tables, one an AND, in the order of the
/// record.
///
/// # Errors
/// Whatever `fetch` gives.
///
/// # Panics
/// If `labels` is shorter than the circuit's wires.
pub fn evaluate(
    circuit: &Circuit,
    labels: &mut [Block],
    hash: &TweakableHash,
    run: u64,
    mut fetch: impl FnMut() -> Result<[Block; 2]>,
) -> Result<()> {
    walk(
        circuit,
        labels,
        &RunHash { hash, run },
        |a, b| [a, b],
        |label| label,
        |gate, [ha, hb]| {
            let (a, b) = gate.values;
            let [generator_half, evaluator_half] = fetch()?;
            Ok(*ha ^ generator_half.select(a.lsb()) ^ *hb ^ (evaluator_half ^ a).select(b.lsb()))
        },
    )
}
