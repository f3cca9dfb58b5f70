//! Savings at the seam, where the garbler's copy of a network ends and the evaluator's begins.
//!
//! - Two consecutive switches on the same two lines become one switch. Its control bit is the XOR
//!   of their control bits. This saves w ANDs, for cards of w bits.
//! - Two such joint switches y1 and y2 are often part of a *square* on four lines. The garbler's
//!   switches x1 and x2 come before them, and the evaluator's switches z1 and z2 after them. Both
//!   pairs connect the lines crosswise to y1 and y2:
//!
//!   ```text
//!   a1 ─x1──y1─────z1─
//!   a2 ─x1─────y2──z1─
//!   b1 ──x2─y1──────z2
//!   b2 ──x2────y2───z2
//!   ```
//!
//!   If x1 and x2 both exchange, the pairs (a1, b1) and (a2, b2) change places. These pairs also
//!   change places if z1 and z2 both exchange, and y1 and y2 swap their control bits. So x2 is left
//!   out. Its control bit c is XORed into the control bits of x1, z1 and z2, and the control bits
//!   of y1 and y2 are swapped if c is 1. This takes one AND, and saves the w ANDs of x2. Five of
//!   the six switches are left. Four lines need at least five, since they have more than 2^4
//!   permutations.

use crate::circuit::{Bit, Builder, Party};

/// A switch of one party's copy, or several joined switches.
pub(super) struct Step {
    lines: [u32; 2],
    pub(super) control: Bit,
    owner: Option<Party>,
    /// The steps before and after this one on each of its lines.
    before: [Option<u32>; 2],
    after: [Option<u32>; 2],
}

/// The switches of the garbler's copy, followed by those of the evaluator's copy.
pub(super) struct Seam {
    steps: Vec<Step>,
    /// The last step on each line.
    last: Vec<Option<u32>>,
}

impl Seam {
    pub(super) fn new(lines: usize) -> Self {
        Self {
            steps: Vec::new(),
            last: vec![None; lines],
        }
    }

    /// The number of steps.
    pub(super) fn len(&self) -> usize {
        self.steps.len()
    }

    /// Adds a switch of one party's copy, after all steps on its lines. If the last step on both
    /// lines is the same step, joins the switch to this step.
    pub(super) fn push(&mut self, b: &mut Builder, owner: Party, lines: [usize; 2], control: Bit) {
        let before = lines.map(|line| self.last[line]);
        let lines = lines.map(|line| line as u32);
        if let [Some(first), Some(second)] = before
            && first == second
        {
            let step = &mut self.steps[first as usize];
            step.control = b.xor(step.control, control);
            step.owner = step.owner.filter(|&other| other == owner);
            return;
        }
        let number = self.steps.len() as u32;
        for (line, before) in lines.into_iter().zip(before) {
            if let Some(step) = before {
                let step = &mut self.steps[step as usize];
                step.after[usize::from(step.lines[1] == line)] = Some(number);
            }
            self.last[line as usize] = Some(number);
        }
        self.steps.push(Step {
            lines,
            control,
            owner: Some(owner),
            before,
            after: [None; 2],
        });
    }

    /// The remaining steps, in order, after one switch of each square has been removed.
    pub(super) fn into_steps(mut self, b: &mut Builder) -> Vec<Step> {
        let mut dropped = vec![false; self.steps.len()];
        for number in 0..self.steps.len() {
            if let Some(square) = self.square(number) {
                dropped[square.x[1]] = true;
                self.drop_switch(b, square);
            }
        }
        (self.steps.into_iter().zip(dropped))
            .filter(|(_, dropped)| !dropped)
            .map(|(step, _)| step)
            .collect()
    }

    /// The square whose y1 is this step and whose y2 is a later step, if there is one.
    fn square(&self, y1: usize) -> Option<Square> {
        let step = &self.steps[y1];
        let [a1, b1] = step.lines;
        let x = [step.before[0]? as usize, step.before[1]? as usize];
        let z = [step.after[0]? as usize, step.after[1]? as usize];
        let a2 = self.steps[x[0]].across(a1);
        let b2 = self.steps[x[1]].across(b1);
        let y2 = self.steps[x[0]].after(a2)?;
        let across = |step: usize, lines: [u32; 2]| {
            let step = &self.steps[step];
            step.lines == lines || step.lines == [lines[1], lines[0]]
        };
        let owned =
            |steps: [usize; 2], owner| steps.iter().all(|&step| self.steps[step].owner == owner);
        let is_square = y1 < y2
            && across(y2, [a2, b2])
            && self.steps[x[1]].after(b2) == Some(y2)
            && across(z[0], [a1, a2])
            && across(z[1], [b1, b2])
            && self.steps[y2].after(a2) == Some(z[0])
            && self.steps[y2].after(b2) == Some(z[1])
            && owned(x, Some(Party::Garbler))
            && owned([y1, y2], None)
            && owned(z, Some(Party::Evaluator));
        is_square.then_some(Square { x, y: [y1, y2], z })
    }

    /// Changes the control bits of the other five switches so that x2 can be left out.
    fn drop_switch(&mut self, b: &mut Builder, square: Square) {
        let control = self.steps[square.x[1]].control;
        let [y1, y2] = square.y.map(|step| self.steps[step].control);
        let different = b.xor(y1, y2);
        let exchange = b.and(control, different);
        let Square { x, y, z } = square;
        for (step, flip) in [
            (x[0], control),
            (y[0], exchange),
            (y[1], exchange),
            (z[0], control),
            (z[1], control),
        ] {
            let step = &mut self.steps[step];
            step.control = b.xor(step.control, flip);
        }
    }
}

impl Step {
    /// The party whose copy contains the step; `None` if it joins switches of both parties.
    pub(super) fn owner(&self) -> Option<Party> {
        self.owner
    }

    pub(super) fn lines(&self) -> [usize; 2] {
        self.lines.map(|line| line as usize)
    }

    /// The line of the step other than `line`.
    fn across(&self, line: u32) -> u32 {
        self.lines[usize::from(self.lines[0] == line)]
    }

    /// The next step on `line`.
    fn after(&self, line: u32) -> Option<usize> {
        let after = self.after[usize::from(self.lines[1] == line)];
        after.map(|step| step as usize)
    }
}

/// The steps of a square, by number.
struct Square {
    x: [usize; 2],
    y: [usize; 2],
    z: [usize; 2],
}
