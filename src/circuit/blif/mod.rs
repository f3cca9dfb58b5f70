//! Reads combinational circuits in BLIF. ABC, SIS and mockturtle write this format, and many results of
//! logic synthesis are published in it.
//!
//! The University of California, Berkeley, defines the format in
//! [Berkeley Logic Interchange Format (BLIF)](https://people.eecs.berkeley.edu/~alanmi/publications/other/blif.pdf),
//! 2005.
//!
//! ```text
//! .model and_or        a name, which does not matter
//! .inputs a b c        the inputs; a backslash at the end of a line continues it
//! .outputs y
//! .names a b c y       a signal y as a function of the signals a, b and c
//! 11- 1                it is 1 if a and b are 1,
//! --1 1                or if c is 1; otherwise 0
//! .end
//! ```
//!
//! Alternatively, a function lists the inputs for which it is 0. A function without inputs is a constant.
//! Functions come in any order. Latches, other models and libraries of gates are errors.
//!
//! [`read`] returns an [`Aig`]: each line becomes an AND, and the lines of a function become an OR. A
//! function of up to six signals that is an XOR of some of them, or its negation, becomes XORs.

mod error;
mod parse;
mod table;
#[cfg(test)]
mod tests;

use std::io::{BufRead, Read};

pub use error::{BlifError, BlifErrorKind};

use self::error::BlifErrorKind as Kind;
use self::parse::{Model, Signal};
use super::Builder;
use super::aiger::{Aig, Names};

/// Whether these are the first bytes of a file in BLIF: its first command, after comments.
pub fn begins(first_bytes: &[u8]) -> bool {
    let mut lines = first_bytes
        .split(|&byte| byte == b'\n')
        .map(<[u8]>::trim_ascii);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with(b"#"));
    first.is_some_and(|line| {
        line.first() == Some(&b'.') && line.get(1).is_some_and(u8::is_ascii_alphabetic)
    })
}

/// Reads a file of at most `size` bytes. Later bytes are ignored. Memory is linear in `size`: about 25
/// bytes per byte.
///
/// # Errors
/// When the reader fails, or when the file is not in the [format](self), or not combinational. The
/// error names the line.
pub fn read(mut reader: impl BufRead, size: u64) -> Result<Aig, BlifError> {
    let reader: &mut dyn BufRead = &mut reader;
    let model = Model::read(Read::take(reader, size))?;
    Graph::of(&model)
}

/// The state of a signal while the graph is made.
#[derive(Clone, Copy)]
enum State {
    /// Not visited yet.
    Unknown,
    /// Its function is being made.
    Open,
    /// The literal of the signal.
    Made(u32),
}

/// A graph under construction.
struct Graph {
    inputs: usize,
    gates: Vec<[u32; 2]>,
}

impl Graph {
    fn of(model: &Model) -> Result<Aig, BlifError> {
        let mut graph = Graph {
            inputs: model.inputs.len(),
            gates: Vec::new(),
        };
        let mut states = vec![State::Unknown; model.signals()];
        for (place, &input) in model.inputs.iter().enumerate() {
            states[input] = State::Made(2 * (1 + place) as u32);
        }
        for &output in &model.outputs {
            graph.make(model, output, &mut states)?;
        }
        let literal = |&signal: &Signal| match states[signal] {
            State::Made(literal) => literal,
            State::Unknown | State::Open => unreachable!("all outputs have been made"),
        };
        let outputs = model.outputs.iter().map(literal).collect();
        let names = |what, signals: &[Signal]| {
            let mut names = Names::new(what, signals.len());
            for (place, &signal) in (0..).zip(signals) {
                names
                    .set(place, model.name(signal))
                    .expect("each bit is named once");
            }
            names
        };
        Ok(Aig {
            inputs: graph.inputs,
            gates: graph.gates,
            outputs,
            input_names: names("input", &model.inputs),
            output_names: names("output", &model.outputs),
        })
    }

    /// Makes a signal, after the signals on which it depends.
    fn make(
        &mut self,
        model: &Model,
        signal: Signal,
        states: &mut [State],
    ) -> Result<(), BlifError> {
        // Not by recursion: a circuit may be as deep as the file is long.
        let mut open = vec![signal];
        while let Some(&signal) = open.last() {
            if let State::Made(_) = states[signal] {
                open.pop();
                continue;
            }
            let table = model.table(signal)?;
            let error = |kind| BlifError {
                line: table.line,
                kind,
            };
            states[signal] = State::Open;
            let before = open.len();
            let mut literals = Vec::with_capacity(table.inputs.len());
            for &input in &table.inputs {
                match states[input] {
                    State::Made(literal) => literals.push(literal),
                    State::Unknown => open.push(input),
                    State::Open => return Err(error(Kind::Cycle)),
                }
            }
            if open.len() > before {
                continue;
            }
            let literal = table.function(self, &literals).map_err(error)?;
            states[signal] = State::Made(literal);
            open.pop();
        }
        Ok(())
    }

    /// The literal of `a & b`.
    fn and(&mut self, a: u32, b: u32) -> Result<u32, Kind> {
        Ok(match (a.min(b), a.max(b)) {
            (0, _) => 0,
            (1, b) => b,
            (a, b) if a == b => a,
            (a, b) if a == b ^ 1 => 0,
            (a, b) => {
                // A netlist has more wires than nodes: NOTs and copies. Half of the nodes leave room.
                let nodes = 2 * self.inputs + Builder::MAX_NODES_PER_AND * (self.gates.len() + 1);
                if nodes >= Builder::MAX_NODES / 2 {
                    return Err(Kind::TooLarge);
                }
                self.gates.push([b, a]);
                2 * (self.inputs + self.gates.len()) as u32
            }
        })
    }

    /// The literal of `a ^ b`, in the form that [`Aig::netlist`] recognises.
    fn xor(&mut self, a: u32, b: u32) -> Result<u32, Kind> {
        if a < 2 {
            return Ok(b ^ a);
        }
        if b < 2 {
            return Ok(a ^ b);
        }
        let (both, neither) = (self.and(a, b)?, self.and(a ^ 1, b ^ 1)?);
        self.and(both ^ 1, neither ^ 1)
    }
}
