//! Half gates: garbling and evaluating (Zahur, Rosulek, Evans 2015, figure 2).
//!
//! Both walk the record of the circuit layer by layer. The ANDs of a layer do not depend on each
//! other, so [`BATCH`] of them go through the hash side by side.

use crate::Result;
use crate::circuit::{Circuit, Gate, Wire};
use crate::crypto::{Block, TweakDomain, TweakableHash};
use crate::ot::Delta;

/// AND gates that are hashed side by side.
const BATCH: usize = 8;

/// Garbles a circuit.
///
/// `labels` holds the label for 0 of every wire; those of the inputs are set, the others are
/// filled in. `number` is that of the run: with the gate's it makes the tweak, and must not repeat
/// in a session. `emit` gets the tables, two blocks an AND, in the order of the record.
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
    number: u64,
    mut emit: impl FnMut(&[Block]) -> Result<()>,
) -> Result<()> {
    let inputs = circuit.input_bits();
    let delta_block = delta.block();
    let mut index = 0;
    let mut hashes = [Block::ZERO; 4 * BATCH];
    let mut tweaks = [Block::ZERO; 4 * BATCH];
    let mut tables = [Block::ZERO; 2 * BATCH];
    for layer in circuit.layers() {
        let mut gate = layer.ands.start;
        while gate < layer.ands.end {
            let batch = BATCH.min(layer.ands.end - gate);
            let ands = &circuit.gates()[gate..gate + batch];
            for (lane, and) in ands.iter().enumerate() {
                let (a, b) = and_inputs(and);
                let (a, b) = (labels[a.index()], labels[b.index()]);
                hashes[4 * lane..4 * lane + 4].copy_from_slice(&[
                    a,
                    a ^ delta_block,
                    b,
                    b ^ delta_block,
                ]);
                let [t0, t1] = gate_tweaks(number, index + lane as u64);
                tweaks[4 * lane..4 * lane + 4].copy_from_slice(&[t0, t0, t1, t1]);
            }
            hash.hash_each(&mut hashes[..4 * batch], &tweaks[..4 * batch]);
            for (lane, and) in ands.iter().enumerate() {
                let (a, b) = and_inputs(and);
                let (a, b) = (labels[a.index()], labels[b.index()]);
                let [ha0, ha1, hb0, hb1] = [0, 1, 2, 3].map(|i| hashes[4 * lane + i]);
                let generator_half = ha0 ^ ha1 ^ delta.select(b.lsb());
                let evaluator_half = hb0 ^ hb1 ^ a;
                labels[inputs + gate + lane] = ha0
                    ^ generator_half.select(a.lsb())
                    ^ hb0
                    ^ (evaluator_half ^ a).select(b.lsb());
                tables[2 * lane] = generator_half;
                tables[2 * lane + 1] = evaluator_half;
            }
            emit(&tables[..2 * batch])?;
            gate += batch;
            index += batch as u64;
        }
        for gate in layer.free.clone() {
            labels[inputs + gate] = match circuit.gates()[gate] {
                Gate::Xor(a, b) => labels[a.index()] ^ labels[b.index()],
                Gate::Not(a) => labels[a.index()] ^ delta_block,
                Gate::And(..) => unreachable!("a layer's free gates hold no AND"),
            };
        }
    }
    Ok(())
}

/// Evaluates a garbled circuit.
///
/// `labels` holds the label of every wire; those of the inputs are set, the others are filled in.
/// `number` is that of the run. `fetch` fills in the next tables, two blocks an AND.
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
    number: u64,
    mut fetch: impl FnMut(&mut [Block]) -> Result<()>,
) -> Result<()> {
    let inputs = circuit.input_bits();
    let mut index = 0;
    let mut hashes = [Block::ZERO; 2 * BATCH];
    let mut tweaks = [Block::ZERO; 2 * BATCH];
    let mut tables = [Block::ZERO; 2 * BATCH];
    for layer in circuit.layers() {
        let mut gate = layer.ands.start;
        while gate < layer.ands.end {
            let batch = BATCH.min(layer.ands.end - gate);
            let ands = &circuit.gates()[gate..gate + batch];
            fetch(&mut tables[..2 * batch])?;
            for (lane, and) in ands.iter().enumerate() {
                let (a, b) = and_inputs(and);
                hashes[2 * lane] = labels[a.index()];
                hashes[2 * lane + 1] = labels[b.index()];
                let pair = gate_tweaks(number, index + lane as u64);
                tweaks[2 * lane..2 * lane + 2].copy_from_slice(&pair);
            }
            hash.hash_each(&mut hashes[..2 * batch], &tweaks[..2 * batch]);
            for (lane, and) in ands.iter().enumerate() {
                let (a, b) = and_inputs(and);
                let (a, b) = (labels[a.index()], labels[b.index()]);
                labels[inputs + gate + lane] = hashes[2 * lane]
                    ^ tables[2 * lane].select(a.lsb())
                    ^ hashes[2 * lane + 1]
                    ^ (tables[2 * lane + 1] ^ a).select(b.lsb());
            }
            gate += batch;
            index += batch as u64;
        }
        for gate in layer.free.clone() {
            labels[inputs + gate] = match circuit.gates()[gate] {
                Gate::Xor(a, b) => labels[a.index()] ^ labels[b.index()],
                Gate::Not(a) => labels[a.index()],
                Gate::And(..) => unreachable!("a layer's free gates hold no AND"),
            };
        }
    }
    Ok(())
}

/// The two tweaks of AND gate `index` of run `number`.
fn gate_tweaks(number: u64, index: u64) -> [Block; 2] {
    [2 * index, 2 * index + 1].map(|i| TweakDomain::Garbling.tweak(number, i))
}

fn and_inputs(gate: &Gate) -> (Wire, Wire) {
    match gate {
        Gate::And(a, b) => (*a, *b),
        _ => unreachable!("a layer's ANDs hold nothing else"),
    }
}
