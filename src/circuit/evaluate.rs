//! Plaintext evaluation.

use super::{Circuit, Gate, Output, Wire};

/// The input values do not have the shape that the circuit expects.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InputError {
    /// Wrong number of input values.
    #[error("the circuit takes {expected} input values, but {given} were given")]
    Values {
        /// The number of input values of the circuit.
        expected: usize,
        /// The number of input values given.
        given: usize,
    },
    /// Wrong number of bits in an input value.
    #[error("input value {value} of the circuit has {expected} bits, but {given} were given")]
    Bits {
        /// The number of the input value, from 0.
        value: usize,
        /// The number of bits that the circuit expects.
        expected: usize,
        /// The number of bits given.
        given: usize,
    },
}

impl Circuit {
    /// Evaluates the circuit on one input.
    ///
    /// Takes the input values and returns the output values, each with its least significant bit
    /// first. To evaluate many inputs, use [`evaluate_lanes`](Self::evaluate_lanes), which takes
    /// the same time for 64 inputs.
    ///
    /// # Errors
    /// When the number of values, or the number of bits of a value, differs from
    /// [`inputs`](Self::inputs).
    pub fn evaluate(&self, inputs: &[Vec<bool>]) -> Result<Vec<Vec<bool>>, InputError> {
        let outputs = self.evaluate_lanes(&as_lanes(inputs))?;
        Ok(outputs.iter().map(as_bits).collect())
    }

    /// Evaluates the circuit on 64 inputs at once, bit-sliced. Takes and returns a `u64` in place
    /// of each bit of [`evaluate`](Self::evaluate): bit `i` of the `u64` belongs to the `i`-th
    /// evaluation.
    ///
    /// # Errors
    /// When the number of values, or the number of bits of a value, differs from
    /// [`inputs`](Self::inputs).
    pub fn evaluate_lanes(&self, inputs: &[Vec<u64>]) -> Result<Vec<Vec<u64>>, InputError> {
        check_shape(&self.inputs, inputs)?;
        let mut wires: Vec<u64> = Vec::with_capacity(self.wires());
        wires.extend(inputs.iter().flatten());
        for &gate in &self.gates {
            let on = |wire: Wire| wires[wire.index()];
            wires.push(match gate {
                Gate::Xor(a, b) => on(a) ^ on(b),
                Gate::And(a, b) => on(a) & on(b),
                Gate::Not(a) => !on(a),
            });
        }
        let read = |output: &Output| match *output {
            Output::Const(bit) => {
                if bit {
                    u64::MAX
                } else {
                    0
                }
            }
            Output::Wire(wire) => wires[wire.index()],
        };
        Ok(self
            .outputs
            .iter()
            .map(|word| word.iter().map(read).collect())
            .collect())
    }
}

/// Puts each bit into the first of 64 lanes.
pub(super) fn as_lanes(values: &[Vec<bool>]) -> Vec<Vec<u64>> {
    values
        .iter()
        .map(|value| value.iter().map(|&bit| u64::from(bit)).collect())
        .collect()
}

/// The bits in the first of 64 lanes.
pub(super) fn as_bits<'a>(lanes: impl IntoIterator<Item = &'a u64>) -> Vec<bool> {
    lanes.into_iter().map(|lanes| lanes & 1 == 1).collect()
}

/// Checks that the number of input values and their widths match `widths`.
pub(super) fn check_shape(widths: &[usize], inputs: &[Vec<u64>]) -> Result<(), InputError> {
    if inputs.len() != widths.len() {
        return Err(InputError::Values {
            expected: widths.len(),
            given: inputs.len(),
        });
    }
    for (value, (bits, &expected)) in inputs.iter().zip(widths).enumerate() {
        if bits.len() != expected {
            return Err(InputError::Bits {
                value,
                expected,
                given: bits.len(),
            });
        }
    }
    Ok(())
}
