//! A netlist with its gates as written in a file.

use std::fmt;
use std::str::FromStr;

use super::read::Sink;
use super::write::Numbering;
use crate::circuit::evaluate::{InputError, as_bits, as_lanes, check_shape};
use crate::circuit::gates::Gates;
use crate::circuit::{Bit, Builder, Circuit, Gate, Output, Wire};

/// The format of a netlist.
///
/// In the old format, the second line has three numbers, and the third line is a gate, which ends
/// with a name. In Bristol Fashion, the third line contains only numbers. So the two formats can be
/// distinguished, unless a netlist has no gates. A netlist without gates is read as Bristol
/// Fashion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Bristol Fashion, of 2019.
    Fashion,
    /// The earlier format: one output value, and one input value for each of two parties. The
    /// second party's value may have no bits.
    Old,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Format::Fashion => "fashion",
            Format::Old => "old",
        })
    }
}

/// The error for a name that is not a [`Format`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown format; use fashion or old")]
pub struct UnknownFormat;

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        match name {
            "fashion" => Ok(Format::Fashion),
            "old" => Ok(Format::Old),
            _ => Err(UnknownFormat),
        }
    }
}

/// The operation of one gate of a netlist. A `MAND` counts as one gate for each result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Exclusive or.
    Xor(Wire, Wire),
    /// And.
    And(Wire, Wire),
    /// Negation.
    Not(Wire),
    /// A copy of a wire: `EQW`.
    Copy(Wire),
    /// A constant: `EQ`.
    Const(bool),
}

impl Operation {
    /// The wires that the operation reads.
    pub fn reads(self) -> impl Iterator<Item = Wire> {
        let (first, second) = match self {
            Operation::Xor(a, b) | Operation::And(a, b) => (Some(a), Some(b)),
            Operation::Not(a) | Operation::Copy(a) => (Some(a), None),
            Operation::Const(_) => (None, None),
        };
        first.into_iter().chain(second)
    }

    /// The operation on renumbered wires. `numbers` holds the number of each wire.
    pub(in crate::circuit) fn renumbered(self, numbers: &[Wire]) -> Self {
        let number = |wire: Wire| numbers[wire.index()];
        match self {
            Operation::Xor(a, b) => Operation::Xor(number(a), number(b)),
            Operation::And(a, b) => Operation::And(number(a), number(b)),
            Operation::Not(a) => Operation::Not(number(a)),
            Operation::Copy(a) => Operation::Copy(number(a)),
            Operation::Const(bit) => Operation::Const(bit),
        }
    }
}

impl From<Gate> for Operation {
    fn from(gate: Gate) -> Self {
        match gate {
            Gate::Xor(a, b) => Operation::Xor(a, b),
            Gate::And(a, b) => Operation::And(a, b),
            Gate::Not(a) => Operation::Not(a),
        }
    }
}

/// The copy or the constant that sets an output without a gate of its own.
impl From<Output> for Operation {
    fn from(output: Output) -> Self {
        match output {
            Output::Const(bit) => Operation::Const(bit),
            Output::Wire(wire) => Operation::Copy(wire),
        }
    }
}

/// A gate of a netlist, and the wire that it sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The operation, with the wires that it reads.
    pub operation: Operation,
    /// The wire that the gate sets.
    pub sets: Wire,
}

impl Step {
    /// Adds the gate to a circuit. `bits` has the bit on each wire.
    fn add_to(self, builder: &mut Builder, bits: &mut [Bit]) {
        let on = |wire: Wire| bits[wire.index()];
        bits[self.sets.index()] = match self.operation {
            Operation::Xor(a, b) => builder.xor(on(a), on(b)),
            Operation::And(a, b) => builder.and(on(a), on(b)),
            Operation::Not(a) => builder.not(on(a)),
            Operation::Copy(a) => on(a),
            Operation::Const(bit) => Bit::from(bit),
        };
    }
}

/// The error for widths of values whose sum is not the number of bits.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the netlist has {bits} {what} bits, but the given widths add up to {sum}")]
pub struct WidthsError {
    /// `input` or `output`.
    pub what: &'static str,
    /// The number of bits of the netlist.
    pub bits: usize,
    /// The sum of the given widths.
    pub sum: usize,
}

/// A netlist as written: every gate, in the order of the file.
///
/// Each gate reads wires that are set before it, and sets a wire that no other gate sets.
#[derive(Clone)]
pub struct Netlist {
    pub(super) format: Format,
    pub(super) ors: usize,
    pub(super) inputs: Vec<usize>,
    pub(super) outputs: Vec<usize>,
    pub(super) wires: usize,
    pub(super) steps: Vec<Step>,
}

impl Netlist {
    /// The format of the file.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The number of ORs in the file. Each is an AND and three negations in [`steps`](Self::steps).
    pub fn ors(&self) -> usize {
        self.ors
    }

    /// The number of bits of each input value.
    pub fn inputs(&self) -> &[usize] {
        &self.inputs
    }

    /// The number of bits of each output value.
    pub fn outputs(&self) -> &[usize] {
        &self.outputs
    }

    /// The netlist with these gates, in their order. Gate `g` is on wire `input_bits + g`, in
    /// `gates` and in `outputs`. An output without a gate of its own becomes a constant or a copy
    /// at the end, as in [`write`](super::write()). The format is [`Format::Fashion`].
    ///
    /// # Panics
    /// Panics if a gate reads a wire that is not set before it, or if an output is a wire that does
    /// not exist.
    pub fn new(inputs: Vec<usize>, gates: &[Gate], outputs: &[Vec<Output>]) -> Self {
        Self::of(Gates {
            inputs: &inputs,
            list: gates,
            outputs,
        })
    }

    /// Adds the gates to a circuit that is being built, on these input bits. Returns the output bits.
    ///
    /// # Panics
    /// Panics if the number of input bits is wrong.
    pub fn add_to(&self, builder: &mut Builder, inputs: &[Bit]) -> Vec<Bit> {
        assert_eq!(
            inputs.len(),
            self.inputs.iter().sum::<usize>(),
            "input bits"
        );
        let mut bits = inputs.to_vec();
        bits.resize(self.wires, Bit::ZERO);
        for step in &self.steps {
            step.add_to(builder, &mut bits);
        }
        bits.split_off(self.first_output())
    }

    /// The gates of a circuit, numbered as in a file.
    pub(in crate::circuit) fn of(gates: Gates) -> Self {
        let Numbering {
            numbers,
            copies,
            wires,
        } = Numbering::new(gates);
        let input_bits = gates.input_bits();
        let mut steps = Vec::with_capacity(gates.list.len() + copies.len());
        for (place, &gate) in (input_bits..).zip(gates.list) {
            let operation = Operation::from(gate);
            assert!(
                operation.reads().all(|wire| wire.index() < place),
                "a gate reads a wire that is not set before it"
            );
            steps.push(Step {
                operation: operation.renumbered(&numbers),
                sets: numbers[place],
            });
        }
        steps.extend(copies.into_iter().map(|(output, sets)| Step {
            operation: Operation::from(output).renumbered(&numbers),
            sets,
        }));
        Netlist {
            format: Format::Fashion,
            ors: 0,
            inputs: gates.inputs.to_vec(),
            outputs: gates.outputs.iter().map(Vec::len).collect(),
            wires,
            steps,
        }
    }

    /// The number of gates. A `MAND` counts as one gate for each result.
    pub fn gates(&self) -> usize {
        self.steps.len()
    }

    /// The netlist with its input or output bits grouped into values of other widths, unless they
    /// are `None`. The order of the bits does not change.
    ///
    /// # Errors
    /// When the sum of the given widths is not the number of bits.
    pub fn regrouped(
        mut self,
        inputs: Option<&[usize]>,
        outputs: Option<&[usize]>,
    ) -> Result<Self, WidthsError> {
        let regroup = |what, widths: &mut Vec<usize>, given: Option<&[usize]>| {
            let Some(given) = given else { return Ok(()) };
            let bits = widths.iter().sum();
            let sum = (given.iter()).fold(0, |sum: usize, width| sum.saturating_add(*width));
            if sum != bits {
                return Err(WidthsError { what, bits, sum });
            }
            *widths = given.to_vec();
            Ok(())
        };
        regroup("input", &mut self.inputs, inputs)?;
        regroup("output", &mut self.outputs, outputs)?;
        Ok(self)
    }

    /// The circuit that a [`Builder`] creates from the netlist: constants are folded, equal gates
    /// merged, dead gates dropped, and the remaining gates put into layers. The circuit has no more
    /// AND gates than the netlist.
    pub fn circuit(&self) -> Circuit {
        let mut building = Building::new(&self.inputs, self.wires);
        for step in &self.steps {
            building.push(*step);
        }
        building.finish(&self.outputs)
    }

    /// Evaluates the netlist on one input, gate by gate as written.
    ///
    /// # Errors
    /// When the number of values, or the number of bits of a value, differs from
    /// [`inputs`](Self::inputs).
    pub fn evaluate(&self, inputs: &[Vec<bool>]) -> Result<Vec<Vec<bool>>, InputError> {
        let inputs = as_lanes(inputs);
        check_shape(&self.inputs, &inputs)?;
        let mut lanes = self.lanes();
        let mut outputs = lanes.evaluate(inputs.iter().flatten().copied()).iter();
        let words = self.outputs.iter();
        Ok(words
            .map(|&width| as_bits(outputs.by_ref().take(width)))
            .collect())
    }

    /// An evaluator of 64 inputs at once.
    pub(super) fn lanes(&self) -> Lanes<'_> {
        Lanes {
            netlist: self,
            wires: vec![0; self.wires],
        }
    }

    /// The number of wires. The first wires are the bits of the input values, and the last wires
    /// are the bits of the output values.
    pub fn wires(&self) -> usize {
        self.wires
    }

    /// The gates, in the order of the file.
    ///
    /// Wires are numbered as in the file, unless it has [ORs](Self::ors).
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The number of the first output wire.
    pub fn first_output(&self) -> usize {
        self.wires - self.outputs.iter().sum::<usize>()
    }
}

/// The gates of the circuit in layer order, numbered as [`write`](super::write()) numbers them.
impl From<&Circuit> for Netlist {
    fn from(circuit: &Circuit) -> Self {
        Netlist::of(circuit.parts())
    }
}

/// A circuit under construction from the gates of a netlist.
pub(super) struct Building {
    builder: Builder,
    /// The bit on each wire. [`Bit::ZERO`] if the wire is not set yet.
    bits: Vec<Bit>,
    /// The number of ORs.
    pub(super) ors: usize,
}

impl Building {
    pub(super) fn new(inputs: &[usize], wires: usize) -> Self {
        let builder = Builder::sharing_at_the_end(inputs);
        let mut bits: Vec<Bit> = Vec::with_capacity(wires);
        bits.extend(builder.input_bits());
        bits.resize(wires, Bit::ZERO);
        Building {
            builder,
            bits,
            ors: 0,
        }
    }

    /// The finished circuit. `outputs` gives the width of each output value; the last wires are the
    /// outputs.
    pub(super) fn finish(mut self, outputs: &[usize]) -> Circuit {
        let first_output = self.bits.len() - outputs.iter().sum::<usize>();
        let mut bits = self.bits.split_off(first_output).into_iter();
        let words = outputs.iter();
        let words = words.map(|&width| bits.by_ref().take(width).collect());
        let words = words.collect();
        drop(self.bits);
        self.builder.build(words)
    }
}

impl Sink for Building {
    fn push(&mut self, step: Step) {
        step.add_to(&mut self.builder, &mut self.bits);
    }

    fn or(&mut self, operands: [Wire; 2], sets: Wire) {
        let [a, b] = operands.map(|wire| self.bits[wire.index()]);
        self.bits[sets.index()] = self.builder.or(a, b);
        self.ors += 1;
    }
}

impl fmt::Debug for Netlist {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Netlist")
            .field("format", &self.format)
            .field("inputs", &self.inputs)
            .field("outputs", &self.outputs)
            .field("gates", &self.steps.len())
            .finish_non_exhaustive()
    }
}

/// Evaluates a netlist on 64 inputs at once: bit `i` of each `u64` belongs to the `i`-th
/// evaluation. All evaluations use the same memory for the wires.
pub(super) struct Lanes<'n> {
    netlist: &'n Netlist,
    wires: Vec<u64>,
}

impl Lanes<'_> {
    /// The output bits of all values, given the input bits of all values.
    pub(super) fn evaluate(&mut self, inputs: impl Iterator<Item = u64>) -> &[u64] {
        let wires = &mut self.wires;
        for (wire, input) in wires.iter_mut().zip(inputs) {
            *wire = input;
        }
        for step in &self.netlist.steps {
            wires[step.sets.index()] = match step.operation {
                Operation::Xor(a, b) => wires[a.index()] ^ wires[b.index()],
                Operation::And(a, b) => wires[a.index()] & wires[b.index()],
                Operation::Not(a) => !wires[a.index()],
                Operation::Copy(a) => wires[a.index()],
                Operation::Const(bit) => u64::from(bit).wrapping_neg(),
            };
        }
        &wires[self.netlist.first_output()..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// x0 AND y0, and the negation of x1, for inputs of two bits and one bit.
    const OLD: &str = "2 5\n2 1 2\n\n2 1 0 2 3 AND\n1 1 1 4 INV";

    fn netlist(text: &str) -> Netlist {
        Netlist::parse(text.as_bytes(), None).unwrap()
    }

    #[test]
    fn old_format_is_recognised_by_a_gate_in_its_third_line() {
        let old = netlist(OLD);
        assert_eq!(old.format(), Format::Old);
        assert_eq!((old.inputs(), old.outputs()), (&[2, 1][..], &[2][..]));
        let inputs = [vec![true, false], vec![true]];
        assert_eq!(old.evaluate(&inputs), Ok(vec![vec![true, true]]));
        let same = netlist("2 5\n2 2 1\n1 2\n\n2 1 0 2 3 AND\n1 1 1 4 INV\n");
        assert_eq!(same.format(), Format::Fashion);
        assert_eq!(same.circuit().digest(), old.circuit().digest());
    }

    #[test]
    fn netlist_of_gates_keeps_them_and_survives_writing_and_reading() {
        let wire = Wire::new;
        let gates = [
            Gate::And(wire(0), wire(1)),
            Gate::And(wire(0), wire(1)),
            Gate::Not(wire(2)),
        ];
        let outputs = [
            vec![Output::Wire(wire(4)), Output::Wire(wire(4))],
            vec![Output::Const(true), Output::Wire(wire(0))],
        ];
        let netlist = Netlist::new(vec![2], &gates, &outputs);
        let structure = netlist.structure(None);
        assert_eq!((structure.and, structure.not, structure.copies), (2, 1, 3));
        let mut text = Vec::new();
        netlist.write(&mut text).unwrap();
        let read = Netlist::parse(&text, None).unwrap();
        assert_eq!(read.steps(), netlist.steps());
        for (x, y) in [(false, true), (true, true)] {
            let outputs = read.evaluate(&[vec![x, y]]).unwrap();
            assert_eq!(outputs, [[!(x && y); 2], [true, x]]);
        }
    }

    #[test]
    fn netlist_without_gates_is_bristol_fashion_by_default() {
        let text = b"0 2\n2 1 1\n1 1\n";
        let fashion = Netlist::parse(text, None).unwrap();
        assert_eq!(fashion.format(), Format::Fashion);
        let old = Netlist::parse(b"0 2\n1 1 1\n", Some(Format::Old)).unwrap();
        assert_eq!((old.inputs(), old.outputs()), (&[1, 1][..], &[1][..]));
    }

    #[test]
    fn requested_format_is_the_only_one_accepted() {
        let error = |text: &str, format| {
            let error = Netlist::parse(text.as_bytes(), Some(format)).unwrap_err();
            error.to_string()
        };
        assert_eq!(
            error(OLD, Format::Fashion),
            "line 4 of the netlist: the output values have more bits than there are wires (5)"
        );
        assert_eq!(
            error("0 3\n2 1 1\n1 1\n", Format::Old),
            "line 3 of the netlist: there are more lines than the 0 gates declared"
        );
        let short = error("1 3\n2 1\n2 1 0 1 2 AND\n", Format::Old);
        assert_eq!(short, "line 2 of the netlist: a field is missing");
        let long = error("1 3\n1 1 1 1\n2 1 0 1 2 AND\n", Format::Old);
        assert_eq!(long, "line 2 of the netlist: too many fields");
    }

    #[test]
    fn error_in_old_format_is_reported_with_its_line() {
        for (text, message) in [
            (
                "1 3\n\n2 2 1\n2 1 0 1 2 AND\n",
                "line 3 of the netlist: the input values have more bits than there are wires (3)",
            ),
            (
                "1 3\n1 1 4\n2 1 0 1 2 AND\n",
                "line 2 of the netlist: the output values have more bits than there are wires (3)",
            ),
            (
                "2 3\n1 1 1\n2 1 0 1 2 AND\n\n",
                "line 5 of the netlist: expected a gate, found the end of the file",
            ),
            (
                "1 3\n1 1 1\n\n2 1 0 2 2 AND\n",
                "line 4 of the netlist: wire 2 is read before it is set",
            ),
        ] {
            let error = Netlist::parse(text.as_bytes(), None).unwrap_err();
            assert_eq!(error.to_string(), message, "{text:?}");
        }
    }

    #[test]
    fn gates_of_a_netlist_are_kept_as_written() {
        // Wires 2, 3 and 8 carry the same AND, wire 4 a constant, and wire 5 a copy. A MAND sets
        // wires 6, 7 and 8. No output needs wires 2, 3, 5 and 6.
        let netlist = netlist(
            "5 9\n1 2\n1 2\n2 1 0 1 2 AND\n2 1 1 0 3 AND\n1 1 1 4 EQ\n1 1 2 5 EQW\n\
             6 3 3 4 0 5 4 1 6 7 8 MAND\n",
        );
        assert_eq!(netlist.gates(), 7);
        assert_eq!(netlist.structure(None).and, 5);
        assert_eq!(netlist.circuit().ands(), 1);
        for input in 0..4 {
            let bits = vec![input & 1 == 1, input & 2 == 2];
            let outputs = netlist.evaluate(std::slice::from_ref(&bits)).unwrap();
            assert_eq!(outputs, [[true, bits[0] && bits[1]]]);
            assert_eq!(netlist.circuit().evaluate(&[bits]), Ok(outputs));
        }
    }
}
