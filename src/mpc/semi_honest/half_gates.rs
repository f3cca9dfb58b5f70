//! Half gates: garbling and evaluating (Zahur, Rosulek, Evans 2015, figure 2).
//!
//! Both walk the record of the circuit layer by layer. The ANDs of a layer do not depend on each
//! other, so many of them go through the hash side by side.

use zeroize::Zeroizing;

use crate::Result;
use crate::circuit::{Circuit, Gate};
use crate::crypto::{Block, TweakDomain, TweakableHash};
use crate::ot::Delta;

/// AND gates whose labels are hashed side by side: four labels each.
const GARBLED: usize = TweakableHash::LANES / 4;
/// The same for the evaluator, which has two.
const EVALUATED: usize = TweakableHash::LANES / 2;

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
    let mut tweak = Tweaks::of_run(number);
    let mut hashes = Zeroizing::new([Block::ZERO; TweakableHash::LANES]);
    let mut tweaks = [Block::ZERO; TweakableHash::LANES];
    let mut tables = [Block::ZERO; 2 * GARBLED];
    for layer in circuit.layers() {
        for gate in layer.ands.clone().step_by(GARBLED) {
            let ands = &circuit.gates()[gate..layer.ands.end.min(gate + GARBLED)];
            for ((and, hashes), tweaks) in ands
                .iter()
                .zip(hashes.chunks_exact_mut(4))
                .zip(tweaks.chunks_exact_mut(4))
            {
                let (a, b) = and_labels(and, labels);
                let (t0, t1) = tweak.next_pair();
                hashes.copy_from_slice(&[a, a ^ delta_block, b, b ^ delta_block]);
                tweaks.copy_from_slice(&[t0, t0, t1, t1]);
            }
            let used = lanes(4 * ands.len());
            hash.hash_each(&mut hashes[..used], &tweaks[..used]);
            for (((lane, and), hashes), table) in ands
                .iter()
                .enumerate()
                .zip(hashes.chunks_exact(4))
                .zip(tables.chunks_exact_mut(2))
            {
                let (a, b) = and_labels(and, labels);
                let generator_half = hashes[0] ^ hashes[1] ^ delta.select(b.lsb());
                let evaluator_half = hashes[2] ^ hashes[3] ^ a;
                labels[inputs + gate + lane] = hashes[0]
                    ^ generator_half.select(a.lsb())
                    ^ hashes[2]
                    ^ (evaluator_half ^ a).select(b.lsb());
                table.copy_from_slice(&[generator_half, evaluator_half]);
            }
            emit(&tables[..2 * ands.len()])?;
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
    let mut tweak = Tweaks::of_run(number);
    let mut hashes = Zeroizing::new([Block::ZERO; TweakableHash::LANES]);
    let mut tweaks = [Block::ZERO; TweakableHash::LANES];
    let mut tables = [Block::ZERO; 2 * EVALUATED];
    for layer in circuit.layers() {
        for gate in layer.ands.clone().step_by(EVALUATED) {
            let ands = &circuit.gates()[gate..layer.ands.end.min(gate + EVALUATED)];
            fetch(&mut tables[..2 * ands.len()])?;
            for ((and, hashes), tweaks) in ands
                .iter()
                .zip(hashes.chunks_exact_mut(2))
                .zip(tweaks.chunks_exact_mut(2))
            {
                let (a, b) = and_labels(and, labels);
                let (t0, t1) = tweak.next_pair();
                hashes.copy_from_slice(&[a, b]);
                tweaks.copy_from_slice(&[t0, t1]);
            }
            let used = lanes(2 * ands.len());
            hash.hash_each(&mut hashes[..used], &tweaks[..used]);
            for (((lane, and), hashes), table) in ands
                .iter()
                .enumerate()
                .zip(hashes.chunks_exact(2))
                .zip(tables.chunks_exact(2))
            {
                let (a, b) = and_labels(and, labels);
                labels[inputs + gate + lane] = hashes[0]
                    ^ table[0].select(a.lsb())
                    ^ hashes[1]
                    ^ (table[1] ^ a).select(b.lsb());
            }
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

/// The tweaks of the AND gates of a run, two a gate, in order.
struct Tweaks {
    number: u64,
    index: u64,
}

impl Tweaks {
    fn of_run(number: u64) -> Self {
        Tweaks { number, index: 0 }
    }

    #[inline]
    fn next_pair(&mut self) -> (Block, Block) {
        let tweak = |index| TweakDomain::Garbling.tweak(self.number, index);
        let pair = (tweak(self.index), tweak(self.index + 1));
        self.index += 2;
        pair
    }
}

/// The labels that an AND gate reads.
#[inline]
fn and_labels(gate: &Gate, labels: &[Block]) -> (Block, Block) {
    match gate {
        Gate::And(a, b) => (labels[a.index()], labels[b.index()]),
        _ => unreachable!("a layer's ANDs hold nothing else"),
    }
}

/// How many lanes to hash when `used` hold something: with wide registers a full batch costs less
/// than a batch that is nearly full, so the last lanes may hold what was left there before.
fn lanes(used: usize) -> usize {
    if 2 * used > TweakableHash::LANES {
        TweakableHash::LANES
    } else {
        used
    }
}
