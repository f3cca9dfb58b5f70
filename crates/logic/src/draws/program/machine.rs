//! The evaluation of a compiled netlist.

use super::{Instruction, Kind, Lanes, Program, Read, WORDS};
use crate::function::counting;

/// The state of an evaluation.
pub(in crate::draws) struct Machine<'p> {
    program: &'p Program,
    slots: Vec<Lanes>,
    block: u64,
}

impl<'p> Machine<'p> {
    pub(in crate::draws) fn new(program: &'p Program) -> Self {
        let mut slots = vec![[0; WORDS]; program.slots];
        for (digit, slot) in program.lane_slots.iter().enumerate() {
            if let Some(slot) = *slot {
                slots[slot as usize] = counting(digit);
            }
        }
        Machine {
            program,
            slots,
            block: 0,
        }
    }

    /// The number of evaluations of a block that differ.
    pub(in crate::draws) fn lanes(&self) -> usize {
        self.program.lanes()
    }

    /// Sets the parameters, by number. Takes effect with [`start`](Self::start).
    pub(in crate::draws) fn set(&mut self, parameter: impl Fn(usize) -> Lanes) {
        for &(number, slot) in &self.program.parameters {
            self.slots[slot as usize] = parameter(number);
        }
    }

    /// Evaluates the block of this number.
    pub(in crate::draws) fn start(&mut self, block: u64) {
        self.block = block;
        for (digit, slot) in self.program.digit_slots.iter().enumerate() {
            if let Some(slot) = *slot {
                self.slots[slot as usize] = [(block >> digit & 1).wrapping_neg(); WORDS];
            }
        }
        self.run(0);
    }

    /// Evaluates the next block, which must exist.
    pub(in crate::draws) fn advance(&mut self) {
        self.block += 1;
        let highest = self.block.trailing_zeros() as usize;
        for (digit, slot) in self.program.digit_slots[..=highest].iter().enumerate() {
            if let Some(slot) = *slot {
                self.slots[slot as usize] = [(self.block >> digit & 1).wrapping_neg(); WORDS];
            }
        }
        self.run(self.program.starts[highest]);
    }

    fn run(&mut self, first: usize) {
        for run in &self.program.runs[first..] {
            let instructions = &self.program.instructions[run.instructions.clone()];
            let slots = &mut self.slots[..];
            match run.kind {
                Kind::Xor => each(slots, instructions, |a, b| a ^ b),
                Kind::And => each(slots, instructions, |a, b| a & b),
                Kind::AndNot => each(slots, instructions, |a, b| a & !b),
                Kind::Nor => each(slots, instructions, |a, b| !(a | b)),
            }
        }
    }

    fn read(&self, read: Read) -> Lanes {
        match read {
            Read::Const(bit) => [u64::from(bit).wrapping_neg(); WORDS],
            Read::Slot(slot, negated) => {
                let negated = u64::from(negated).wrapping_neg();
                self.slots[slot as usize].map(|word| word ^ negated)
            }
        }
    }

    /// A bit of the outcome.
    pub(in crate::draws) fn bit(&self, number: usize) -> Lanes {
        self.read(self.program.outcome[number])
    }

    /// Calls `each` for each valid evaluation among the first `lanes`, with its lane and its outcome:
    /// the bits of the outcome, the first bit lowest.
    pub(in crate::draws) fn outcomes<const W: usize>(
        &self,
        lanes: usize,
        mut each: impl FnMut(usize, [u64; W]),
    ) {
        let bits = self.program.outcome.as_slice();
        for (word, valid) in self.read(self.program.valid).into_iter().enumerate() {
            let mut lanes = valid
                & match usize::saturating_sub(lanes, 64 * word) {
                    0 => 0,
                    used @ 1..64 => (1 << used) - 1,
                    64.. => u64::MAX,
                };
            if lanes == 0 {
                continue;
            }
            let mut columns = [[0; 64]; W];
            for (column, reads) in columns.iter_mut().zip(bits.chunks(64)) {
                for (row, read) in column.iter_mut().zip(reads) {
                    *row = match *read {
                        Read::Const(bit) => u64::from(bit).wrapping_neg(),
                        Read::Slot(slot, negated) => {
                            self.slots[slot as usize][word] ^ u64::from(negated).wrapping_neg()
                        }
                    };
                }
                transpose(column);
            }
            while lanes > 0 {
                let lane = lanes.trailing_zeros() as usize;
                let outcome = std::array::from_fn(|column| columns[column][lane]);
                each(64 * word + lane, outcome);
                lanes &= lanes - 1;
            }
        }
    }
}

#[inline]
fn each(slots: &mut [Lanes], instructions: &[Instruction], gate: impl Fn(u64, u64) -> u64) {
    for instruction in instructions {
        let a = slots[instruction.a as usize];
        let b = slots[instruction.b as usize];
        slots[instruction.sets as usize] = std::array::from_fn(|word| gate(a[word], b[word]));
    }
}

/// Transposes a matrix of 64 rows of 64 bits (Warren, "Hacker's Delight", 7-3): bit `j` of row `i`
/// becomes bit `i` of row `j`.
fn transpose(rows: &mut [u64; 64]) {
    let mut size = 32;
    let mut mask = 0x0000_0000_ffff_ffff_u64;
    while size > 0 {
        for square in rows.chunks_exact_mut(2 * size) {
            let (upper, lower) = square.split_at_mut(size);
            for (upper, lower) in upper.iter_mut().zip(lower) {
                let exchange = ((*upper >> size) ^ *lower) & mask;
                *upper ^= exchange << size;
                *lower ^= exchange;
            }
        }
        size /= 2;
        mask ^= mask << size;
    }
}
