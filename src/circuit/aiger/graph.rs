//! The graph of an AIGER file, and the netlist with its XORs.

use std::fmt;

use super::names::{Names, Values};
use crate::circuit::bristol::{Netlist, WidthsError};
use crate::circuit::{Gate, Output, Wire};

/// An And-Inverter Graph: the content of an AIGER file, or of a file in [BLIF](crate::circuit::blif).
pub struct Aig {
    /// The number of inputs. Input i is variable i + 1.
    pub(in crate::circuit) inputs: usize,
    /// The operands of each AND, which are literals below its own. AND g is variable
    /// `inputs + g + 1`.
    pub(in crate::circuit) gates: Vec<[u32; 2]>,
    /// The literals of the outputs.
    pub(in crate::circuit) outputs: Vec<u32>,
    pub(in crate::circuit) input_names: Names,
    pub(in crate::circuit) output_names: Names,
}

impl Aig {
    /// The number of inputs, each of one bit.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// The number of outputs, each of one bit.
    pub fn outputs(&self) -> usize {
        self.outputs.len()
    }

    /// The number of ANDs. A XOR consists of three.
    pub fn ands(&self) -> usize {
        self.gates.len()
    }

    /// The netlist of the graph, with its ANDs in their order, in values with the given numbers of
    /// bits.
    ///
    /// If the widths of the inputs are `None`, names with an index form values: `a[0]` to `a[31]`
    /// are a value of 32 bits, least significant bit first. A name without an index is a value of
    /// one bit. The values come in the order of their first bits in the file. If a bit has no name,
    /// or if two have the same, all bits are one value. The same holds for the outputs.
    ///
    /// An AND of two negated ANDs is a XOR if the operands of one are the negated operands of the
    /// other. Such an AND becomes a XOR, and its two operands are dropped if nothing else reads
    /// them. A negated literal becomes a NOT, at most one for each variable, unless it is an
    /// operand of a XOR: then the XOR is negated instead. ANDs with a constant operand are folded.
    ///
    /// # Errors
    /// When the sum of the given widths is not the number of bits.
    pub fn netlist(
        &self,
        inputs: Option<&[usize]>,
        outputs: Option<&[usize]>,
    ) -> Result<Netlist, WidthsError> {
        let values = |given: Option<&[usize]>, names: &Names, bits| match given {
            Some(_) => Values::one(bits),
            None => names.values(),
        };
        let input_values = values(inputs, &self.input_names, self.inputs);
        let output_values = values(outputs, &self.output_names, self.outputs.len());

        let mut gates = Gates::new(&input_values, self.gates.len());
        for (gate, kept) in self.kept().into_iter().enumerate() {
            gates.push(match (kept, self.xor(gate)) {
                (false, _) => None,
                (true, Some(operands)) => Some(Operands::Xor(operands)),
                (true, None) => Some(Operands::And(self.gates[gate])),
            });
        }
        let mut bits = (output_values.order.iter()).map(|&place| self.outputs[place as usize]);
        let mut words: Vec<Vec<Output>> = Vec::with_capacity(output_values.widths.len());
        for &width in &output_values.widths {
            let bits = bits.by_ref().take(width);
            words.push(bits.map(|literal| gates.output(literal)).collect());
        }
        Netlist::new(input_values.widths, &gates.list, &words).regrouped(inputs, outputs)
    }

    /// If an AND is a XOR of two literals, returns them.
    fn xor(&self, gate: usize) -> Option<[u32; 2]> {
        let negated = |literal: u32| (literal % 2 == 1).then(|| self.operands(literal)).flatten();
        let [a, b] = self.gates[gate];
        let ([x, y], [mut v, mut w]) = (negated(a)?, negated(b)?);
        if v != x ^ 1 {
            (v, w) = (w, v);
        }
        (v == x ^ 1 && w == y ^ 1).then_some([x, y])
    }

    /// The operands of the AND that a literal refers to.
    fn operands(&self, literal: u32) -> Option<[u32; 2]> {
        let gate = (literal as usize / 2).checked_sub(1 + self.inputs)?;
        Some(self.gates[gate])
    }

    /// Whether each AND is kept. An AND is dropped if the graph reads it, but only for XORs that do
    /// not need it.
    fn kept(&self) -> Vec<bool> {
        let variables = 1 + self.inputs + self.gates.len();
        let mut read = vec![false; variables];
        let mut needed = vec![false; variables];
        let mark = |marks: &mut Vec<bool>, literals: &[u32]| {
            (literals.iter()).for_each(|&literal| marks[literal as usize / 2] = true);
        };
        mark(&mut needed, &self.outputs);
        for (gate, operands) in self.gates.iter().enumerate() {
            mark(&mut read, operands);
            mark(&mut needed, &self.xor(gate).unwrap_or(*operands));
        }
        let ands = 1 + self.inputs..variables;
        ands.map(|and| needed[and] || !read[and]).collect()
    }
}

/// The operands of a gate, as literals of the graph.
enum Operands {
    Xor([u32; 2]),
    And([u32; 2]),
}

/// The gates of a netlist under construction.
///
/// A *bit* here is a literal of the netlist: 2 (w + 1) for wire w, or that plus 1 for its negation;
/// 0 and 1 are the constants.
struct Gates {
    list: Vec<Gate>,
    input_bits: usize,
    /// The bit of each variable. Unspecified if the variable was dropped.
    bits: Vec<u32>,
    /// The wire of the NOT of each wire, or 0. Ends after the last wire that has a NOT.
    negations: Vec<u32>,
}

impl Gates {
    fn new(inputs: &Values, ands: usize) -> Self {
        let input_bits = inputs.order.len();
        let mut bits = vec![0; 1 + input_bits];
        for (wire, &place) in inputs.order.iter().enumerate() {
            bits[1 + place as usize] = bit(wire);
        }
        bits.reserve(ands);
        Gates {
            list: Vec::new(),
            input_bits,
            bits,
            negations: Vec::new(),
        }
    }

    /// Adds the gate of the next variable, or `None` for a variable that is dropped. Files have the
    /// larger operand first, and netlists usually the smaller one, so operands are swapped.
    fn push(&mut self, operands: Option<Operands>) {
        let bit = match operands {
            None => 0,
            Some(Operands::Xor([x, y])) => self.xor(self.bit(y), self.bit(x)),
            Some(Operands::And([a, b])) => self.and(self.bit(b), self.bit(a)),
        };
        self.bits.push(bit);
    }

    /// The bit of a literal of the graph.
    fn bit(&self, literal: u32) -> u32 {
        self.bits[literal as usize / 2] ^ (literal % 2)
    }

    fn xor(&mut self, x: u32, y: u32) -> u32 {
        let negated = (x ^ y) % 2;
        match (wire(x), wire(y)) {
            (None, _) | (_, None) => x ^ y,
            (Some(x), Some(y)) => bit(self.gate(Gate::Xor(x, y)).index()) ^ negated,
        }
    }

    fn and(&mut self, a: u32, b: u32) -> u32 {
        match (a, b) {
            (0, _) | (_, 0) => 0,
            (1, bit) | (bit, 1) => bit,
            _ => {
                let (a, b) = (self.positive(a), self.positive(b));
                bit(self.gate(Gate::And(a, b)).index())
            }
        }
    }

    fn output(&mut self, literal: u32) -> Output {
        match self.bit(literal) {
            constant @ 0..2 => Output::Const(constant == 1),
            bit => Output::Wire(self.positive(bit)),
        }
    }

    /// A wire that carries a bit, which is not a constant.
    fn positive(&mut self, bit: u32) -> Wire {
        let wire = wire(bit).expect("the constants are folded");
        if bit.is_multiple_of(2) {
            return wire;
        }
        if self.negations.len() <= wire.index() {
            self.negations.resize(wire.index() + 1, 0);
        }
        match self.negations[wire.index()] {
            0 => {
                let not = self.gate(Gate::Not(wire));
                self.negations[wire.index()] = not.index() as u32;
                not
            }
            not => Wire::new(not as usize),
        }
    }

    fn gate(&mut self, gate: Gate) -> Wire {
        self.list.push(gate);
        Wire::new(self.input_bits + self.list.len() - 1)
    }
}

/// The bit on a wire.
fn bit(wire: usize) -> u32 {
    2 * (wire as u32 + 1)
}

/// The wire of a bit, or `None` if the bit is a constant.
fn wire(bit: u32) -> Option<Wire> {
    (bit as usize / 2).checked_sub(1).map(Wire::new)
}

impl fmt::Debug for Aig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Aig")
            .field("inputs", &self.inputs)
            .field("ands", &self.gates.len())
            .field("outputs", &self.outputs.len())
            .finish_non_exhaustive()
    }
}
