//! The functions of signals.

use super::Graph;
use super::error::BlifErrorKind as Kind;
use super::parse::Signal;

/// A function of signals, as lines of input values.
pub(super) struct Table {
    /// The line of its `.names`.
    pub(super) line: u64,
    pub(super) inputs: Vec<Signal>,
    /// The input values of all lines, one line after the other.
    values: Vec<u8>,
    lines: usize,
    /// The value of the function for the inputs in the lines.
    listed: bool,
}

/// The maximum number of inputs of a function that is examined for XORs.
const MAX_XOR: usize = 6;

impl Table {
    pub(super) fn new(line: u64, inputs: Vec<Signal>) -> Self {
        Table {
            line,
            inputs,
            values: Vec::new(),
            lines: 0,
            listed: true,
        }
    }

    /// Adds a line with these fields.
    pub(super) fn push<'a>(
        &mut self,
        first: &'a [u8],
        mut rest: impl Iterator<Item = &'a [u8]>,
    ) -> Result<(), Kind> {
        let inputs = self.inputs.len();
        let (values, value) = match inputs {
            0 => (&b""[..], Some(first)),
            _ => (first, rest.next()),
        };
        let is_value = |byte: &u8| matches!(byte, b'0' | b'1' | b'-');
        if values.len() != inputs || !values.iter().all(is_value) || rest.next().is_some() {
            return Err(Kind::Line { inputs });
        }
        let listed = match value {
            Some(b"1") => true,
            Some(b"0") => false,
            _ => return Err(Kind::Line { inputs }),
        };
        if self.lines > 0 && self.listed != listed {
            return Err(Kind::MixedValues);
        }
        (self.listed, self.lines) = (listed, self.lines + 1);
        self.values.extend_from_slice(values);
        Ok(())
    }

    fn lines(&self) -> impl Iterator<Item = &[u8]> {
        let inputs = self.inputs.len();
        (0..self.lines).map(move |line| &self.values[line * inputs..(line + 1) * inputs])
    }

    /// Adds the function of these literals to the graph, and returns its literal.
    pub(super) fn function(&self, graph: &mut Graph, literals: &[u32]) -> Result<u32, Kind> {
        // A function that lists nothing is 0.
        let negated = u32::from(!self.listed);
        if let Some((read, constant)) = self.xor() {
            let mut sum = u32::from(constant);
            for (place, &literal) in literals.iter().enumerate() {
                if read >> place & 1 == 1 {
                    sum = graph.xor(sum, literal)?;
                }
            }
            return Ok(sum ^ negated);
        }
        let mut none = 1;
        for line in self.lines() {
            let mut all = 1;
            for (&value, &literal) in line.iter().zip(literals) {
                all = match value {
                    b'1' => graph.and(all, literal)?,
                    b'0' => graph.and(all, literal ^ 1)?,
                    _ => all,
                };
            }
            none = graph.and(none, all ^ 1)?;
        }
        Ok(none ^ 1 ^ negated)
    }

    /// If the lines list where the XOR of some inputs is 1, or 0, returns these inputs as a mask, and
    /// the value without them.
    fn xor(&self) -> Option<(u32, bool)> {
        let inputs = self.inputs.len();
        if !(1..=MAX_XOR).contains(&inputs) {
            return None;
        }
        let mut truth = 0u64;
        for line in self.lines() {
            let agrees = |number: usize| {
                let mut values = line.iter().enumerate();
                values.all(|(place, &value)| match value {
                    b'0' => number >> place & 1 == 0,
                    b'1' => number >> place & 1 == 1,
                    _ => true,
                })
            };
            (0..1 << inputs).for_each(|number| truth |= u64::from(agrees(number)) << number);
        }
        let value = |number: usize| truth >> number & 1 == 1;
        let constant = value(0);
        let read = (0..inputs).filter(|&place| value(1 << place) != constant);
        let read = read.fold(0, |read, place| read | 1usize << place);
        let sum = |number: usize| constant ^ ((number & read).count_ones() % 2 == 1);
        (0..1 << inputs)
            .all(|number| value(number) == sum(number))
            .then_some((read as u32, constant))
    }
}
