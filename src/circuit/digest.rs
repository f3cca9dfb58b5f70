//! The digest of a circuit, which two parties compare before they run it.

use super::{Circuit, Gate, Output, Wire};

/// Separates this use of BLAKE3 from all other uses, and this encoding from later encodings.
const CONTEXT: &str = "dealerless circuit v1";

/// The number of gates that are encoded before they are hashed together. BLAKE3 is fast only on
/// long inputs.
const STRETCH: usize = 4096;

/// Computes the digest that [`Circuit::digest`] defines.
pub(super) fn digest(circuit: &Circuit) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_derive_key(CONTEXT);
    let mut bytes = Vec::new();

    put_count(&mut bytes, circuit.inputs.len());
    for &bits in &circuit.inputs {
        put_count(&mut bytes, bits);
    }
    put_count(&mut bytes, circuit.gates.len());
    for gates in circuit.gates.chunks(STRETCH) {
        for &gate in gates {
            put_gate(&mut bytes, gate);
        }
        hasher.update(&bytes);
        bytes.clear();
    }
    put_count(&mut bytes, circuit.outputs.len());
    for word in &circuit.outputs {
        put_count(&mut bytes, word.len());
        for &output in word {
            put_output(&mut bytes, output);
        }
    }
    hasher.update(&bytes);
    hasher.finalize().into()
}

fn put_count(bytes: &mut Vec<u8>, count: usize) {
    bytes.extend((count as u64).to_le_bytes());
}

fn put_wire(bytes: &mut Vec<u8>, wire: Wire) {
    bytes.extend(wire.0.to_le_bytes());
}

fn put_gate(bytes: &mut Vec<u8>, gate: Gate) {
    match gate {
        Gate::Xor(a, b) => {
            bytes.push(0);
            put_wire(bytes, a);
            put_wire(bytes, b);
        }
        Gate::And(a, b) => {
            bytes.push(1);
            put_wire(bytes, a);
            put_wire(bytes, b);
        }
        Gate::Not(a) => {
            bytes.push(2);
            put_wire(bytes, a);
        }
    }
}

fn put_output(bytes: &mut Vec<u8>, output: Output) {
    match output {
        Output::Const(bit) => bytes.push(u8::from(bit)),
        Output::Wire(wire) => {
            bytes.push(2);
            put_wire(bytes, wire);
        }
    }
}
