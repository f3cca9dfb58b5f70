//! The lines of an ASCII file: inputs, outputs and ANDs, with any numbers and in any order.

use std::io::BufRead;

use super::AigerErrorKind as Kind;
use super::read::{Body, Header};
use super::source::Source;

/// Reads the inputs, outputs and ANDs. Renumbers the variables, and sorts the ANDs.
pub(super) fn read_body(source: &mut Source<impl BufRead>, header: &Header) -> Result<Body, Kind> {
    let mut variables = Variables::new(header);
    for _ in 0..header.inputs {
        let [literal] = source.numbers("an input")?;
        variables.define(literal)?;
    }
    // The lists grow with the lines present, whatever the header declares.
    let mut outputs = Vec::new();
    for _ in 0..header.outputs {
        let [literal] = source.numbers("an output")?;
        outputs.push(header.check_range(literal)?);
    }
    let mut gates = Vec::new();
    for _ in 0..header.ands {
        let [literal, a, b] = source.numbers("an AND")?;
        variables.define(literal)?;
        gates.push([header.check_range(a)?, header.check_range(b)?]);
    }
    // The header is line 1, and each input takes a line.
    let first_output = 2 + header.inputs;
    let first_gate = first_output + header.outputs;
    for (line, output) in (first_output..).zip(&mut outputs) {
        source.set_line(line as u64);
        *output = variables.renumbered(*output)?;
    }
    for (line, operands) in (first_gate..).zip(&mut gates) {
        source.set_line(line as u64);
        for operand in operands {
            *operand = variables.renumbered(*operand)?;
        }
    }
    let order = Order::of(&gates, header.inputs).map_err(|gate| {
        source.set_line((first_gate + gate) as u64);
        Kind::Cycle
    })?;
    let sorted = order.gates.iter();
    let sorted = sorted.map(|&gate| gates[gate as usize].map(|operand| order.renumbered(operand)));
    let gates = sorted.collect();
    outputs
        .iter_mut()
        .for_each(|output| *output = order.renumbered(*output));
    Ok((gates, outputs))
}

/// The variables defined so far, with numbers from 1 in the order of their definitions.
struct Variables<'h> {
    header: &'h Header,
    /// The number of each variable of the file; 0 if it is not defined, and for the constant.
    numbers: Vec<u32>,
    defined: u32,
}

impl<'h> Variables<'h> {
    fn new(header: &'h Header) -> Self {
        Variables {
            header,
            numbers: vec![0; header.maximum as usize + 1],
            defined: 0,
        }
    }

    fn define(&mut self, literal: u32) -> Result<(), Kind> {
        let variable = self.header.check_range(literal)? / 2;
        if literal % 2 == 1 || variable == 0 {
            return Err(Kind::NotAVariable { literal });
        }
        let number = &mut self.numbers[variable as usize];
        if *number != 0 {
            return Err(Kind::DefinedTwice { literal });
        }
        self.defined += 1;
        *number = self.defined;
        Ok(())
    }

    /// The literal in the new numbering.
    fn renumbered(&self, literal: u32) -> Result<u32, Kind> {
        let variable = literal / 2;
        let number = self.numbers[variable as usize];
        if number == 0 && variable != 0 {
            return Err(Kind::Undefined { literal });
        }
        Ok(2 * number + literal % 2)
    }
}

/// An order of the ANDs in which each follows its operands.
struct Order {
    inputs: usize,
    /// The ANDs in this order, by their places in the file.
    gates: Vec<u32>,
    /// The place of each AND in this order.
    places: Vec<u32>,
}

/// The place of an AND that is not visited yet, and of one whose operands are being visited.
const NEW: u32 = u32::MAX;
const OPEN: u32 = u32::MAX - 1;

impl Order {
    /// Visits the ANDs depth first, in the order of the file: if that is such an order, it is kept.
    /// Fails with an AND that depends on itself.
    fn of(gates: &[[u32; 2]], inputs: usize) -> Result<Self, usize> {
        let mut order = Order {
            inputs,
            gates: Vec::with_capacity(gates.len()),
            places: vec![NEW; gates.len()],
        };
        let mut open = Vec::new();
        for first in 0..gates.len() {
            let mut next = Some(first).filter(|&first| order.places[first] == NEW);
            loop {
                if let Some(gate) = next {
                    order.places[gate] = OPEN;
                    open.push(gate);
                }
                let Some(&gate) = open.last() else { break };
                let mut operands = gates[gate].iter();
                next = operands.find_map(|&operand| {
                    order
                        .gate(operand)
                        .filter(|&gate| order.places[gate] >= OPEN)
                });
                match next {
                    Some(operand) if order.places[operand] == OPEN => return Err(gate),
                    Some(_) => {}
                    None => {
                        order.places[gate] = order.gates.len() as u32;
                        order.gates.push(gate as u32);
                        open.pop();
                    }
                }
            }
        }
        Ok(order)
    }

    /// The AND that a literal refers to, if it is not an input or a constant.
    fn gate(&self, literal: u32) -> Option<usize> {
        (literal as usize / 2).checked_sub(1 + self.inputs)
    }

    /// The literal in the numbering of the sorted ANDs.
    fn renumbered(&self, literal: u32) -> u32 {
        match self.gate(literal) {
            Some(gate) => {
                let variable = 1 + self.inputs as u32 + self.places[gate];
                2 * variable + literal % 2
            }
            None => literal,
        }
    }
}
