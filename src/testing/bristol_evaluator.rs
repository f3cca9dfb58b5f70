//! A small evaluator of Bristol Fashion netlists, written only from the description of the format.
//! The evaluator uses nothing from the library, so that it does not share the library's mistakes.

/// A netlist: the sizes in its header, and the name, input wires and output wires of each gate.
pub struct Netlist {
    wires: usize,
    inputs: Vec<usize>,
    outputs: Vec<usize>,
    gates: Vec<(String, Vec<usize>, Vec<usize>)>,
}

impl Netlist {
    /// Parses a well-formed netlist. Panics on any other input.
    pub fn read(text: &str) -> Self {
        let mut lines = text.lines().filter(|line| !line.trim().is_empty());
        let mut header = || numbers(lines.next().expect("three header lines"));
        let sizes = header();
        let [inputs, outputs] = [header(), header()].map(|line| {
            assert_eq!(
                line[0],
                line.len() - 1,
                "expected a count and that many widths"
            );
            line[1..].to_vec()
        });
        let gates: Vec<_> = lines.map(gate).collect();
        assert_eq!(
            gates.len(),
            sizes[0],
            "the number of gates differs from the header"
        );
        Self {
            wires: sizes[1],
            inputs,
            outputs,
            gates,
        }
    }

    /// The widths of the input values.
    pub fn inputs(&self) -> &[usize] {
        &self.inputs
    }

    /// The widths of the output values.
    pub fn outputs(&self) -> &[usize] {
        &self.outputs
    }

    /// Evaluates 64 inputs at once: bit i of each word belongs to input i.
    pub fn evaluate(&self, inputs: &[Vec<u64>]) -> Vec<Vec<u64>> {
        let widths: Vec<_> = inputs.iter().map(Vec::len).collect();
        assert_eq!(widths, self.inputs, "wrong input widths");
        let mut wires: Vec<Option<u64>> = inputs.concat().into_iter().map(Some).collect();
        wires.resize(self.wires, None);
        for (name, from, to) in &self.gates {
            let read = |i: usize| wires[from[i]].expect("a wire is read before it is set");
            let value = match name.as_str() {
                "XOR" => read(0) ^ read(1),
                "AND" => read(0) & read(1),
                "INV" => !read(0),
                "EQW" => read(0),
                "EQ" => [0, u64::MAX][from[0]],
                _ => panic!("unknown gate {name}"),
            };
            assert!(wires[to[0]].replace(value).is_none(), "a wire is set twice");
        }
        let mut last = wires[self.wires - self.outputs.iter().sum::<usize>()..].iter();
        let mut word = |&width| {
            let bits = last.by_ref().take(width);
            bits.map(|bit| bit.expect("an output wire is never set"))
                .collect()
        };
        self.outputs.iter().map(&mut word).collect()
    }
}

fn numbers(line: &str) -> Vec<usize> {
    line.split_ascii_whitespace()
        .map(|word| word.parse().expect("a number"))
        .collect()
}

fn gate(line: &str) -> (String, Vec<usize>, Vec<usize>) {
    let (rest, name) = line.trim().rsplit_once(' ').expect("a gate");
    let rest = numbers(rest);
    let (from, to) = rest[2..].split_at(rest[0]);
    assert_eq!(
        to.len(),
        rest[1],
        "the number of output wires differs from the gate's count"
    );
    (name.to_owned(), from.to_vec(), to.to_vec())
}
