//! What can be said of a circuit's gates without running them.

use super::bristol::{Netlist, Operation, Step};
use super::builder::slices::Slice;
use super::{Circuit, Gate, Output, Party, Wire};

/// The gates of a circuit or of a netlist as it is written, and how they hang together.
///
/// A gate is dead if no output needs it. Dead gates are in the counts of gates, and in nothing that
/// is said of depths and widths.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Structure {
    /// AND gates.
    pub and: usize,
    /// XOR gates.
    pub xor: usize,
    /// NOT gates.
    pub not: usize,
    /// Constants and copies of wires (`EQ` and `EQW` in a netlist), which are no gates.
    pub copies: usize,
    /// The AND gates by the party that could compute them alone; absent if it is not known whose
    /// the inputs are.
    pub ands_by_owner: Option<AndsByOwner>,
    /// The most AND gates on a path from an input to an output.
    pub and_depth: usize,
    /// The most gates (AND, XOR and NOT) on a path from an input to an output.
    pub depth: usize,
    /// The most AND gates of the same AND-depth.
    pub widest_layer: usize,
    /// The most wires that an evaluation in the order of the gates holds at once. A wire is held from
    /// when it is set (an input: from the beginning) until after it is read for the last time; an
    /// output until the end. The result of a gate is held together with what the gate reads. Absent if
    /// the circuit was built in slices, where it is not known when an input is read for the last time.
    pub live_wires: Option<usize>,
    /// AND, XOR and NOT gates that no output needs.
    pub dead: usize,
    live_ands: usize,
}

impl Structure {
    /// AND, XOR and NOT gates together.
    pub fn gates(&self) -> usize {
        self.and + self.xor + self.not
    }

    /// The mean number of AND gates of the same AND-depth, from depth 1 on; 0 without any.
    pub fn mean_layer(&self) -> f64 {
        match self.and_depth {
            0 => 0.0,
            depth => self.live_ands as f64 / depth as f64,
        }
    }
}

/// AND gates by owner.
///
/// A wire that depends on the inputs of one party only is that party's, and a gate is the owner's of
/// its result. The engines of this crate garble only the joint ones. A party computes those that it
/// owns in the clear and enters the results; in a malicious session it also proves them, by QuickSilver
/// (Yang, Sarkar, Weng and Wang, CCS 2021). An owner follows from the wires that a gate reads, and not
/// from what it computes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AndsByOwner {
    /// Those that depend on inputs of both.
    pub joint: usize,
    /// The garbler's alone.
    pub garbler: usize,
    /// The evaluator's alone.
    pub evaluator: usize,
    /// Those of constants, which are nobody's.
    pub nobody: usize,
}

impl Circuit {
    /// Looks at the gates in layer order. `owners` says whose each input value is, if it is known.
    /// Linear in the number of gates.
    ///
    /// # Panics
    /// When there is not one owner for each input value.
    pub fn structure(&self, owners: Option<&[Party]>) -> Structure {
        let steps = (self.gates().iter().enumerate()).map(|(number, &gate)| Step {
            operation: gate.into(),
            sets: Wire::new(self.input_bits() + number),
        });
        let outputs = self
            .outputs()
            .iter()
            .flatten()
            .filter_map(|output| match *output {
                Output::Const(_) => None,
                Output::Wire(wire) => Some(wire.index()),
            });
        survey(self.inputs(), self.wires(), steps, outputs, owners)
    }
}

impl Netlist {
    /// Looks at the gates as they are written. `owners` says whose each input value is, if it is
    /// known. Linear in the number of gates.
    ///
    /// # Panics
    /// When there is not one owner for each input value.
    pub fn structure(&self, owners: Option<&[Party]>) -> Structure {
        let steps = self.steps().iter().copied();
        let outputs = self.first_output()..self.wires();
        survey(self.inputs(), self.wires(), steps, outputs, owners)
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

/// The structure of the circuit that these steps set the wires of.
fn survey(
    inputs: &[usize],
    wires: usize,
    steps: impl DoubleEndedIterator<Item = Step> + Clone,
    outputs: impl Iterator<Item = usize>,
    owners: Option<&[Party]>,
) -> Structure {
    let mut needed = vec![false; wires];
    outputs.for_each(|wire| needed[wire] = true);
    let live_wires = mark_needed(steps.clone(), &mut needed);
    let mut depths = Depths::new(wires);
    let mut owned = owners.map(|owners| Owned::new(inputs, owners));
    if let Some(owned) = &mut owned {
        owned.depends.resize(wires, 0);
    }
    let (mut kinds, mut dead) = (Kinds::default(), 0);
    for Step { operation, sets } in steps {
        kinds.add(operation);
        if needed[sets.index()] {
            depths.reached[sets.index()] = depths.reach(operation);
        } else {
            dead += usize::from(is_gate(operation));
        }
        if let Some(owned) = &mut owned {
            owned.depends[sets.index()] = owned.add(operation);
        }
    }
    Structure {
        and: kinds.and,
        xor: kinds.xor,
        not: kinds.not,
        copies: kinds.copies,
        ands_by_owner: owned.map(|owned| owned.ands),
        and_depth: depths.layers.len(),
        depth: depths.depth as usize,
        widest_layer: depths.layers.iter().copied().max().unwrap_or(0),
        live_wires: Some(live_wires),
        dead,
        live_ands: depths.layers.iter().sum(),
    }
}

/// How many gates there are of each kind.
#[derive(Default)]
struct Kinds {
    and: usize,
    xor: usize,
    not: usize,
    copies: usize,
}

impl Kinds {
    fn add(&mut self, operation: Operation) {
        *match operation {
            Operation::And(..) => &mut self.and,
            Operation::Xor(..) => &mut self.xor,
            Operation::Not(_) => &mut self.not,
            Operation::Copy(_) | Operation::Const(_) => &mut self.copies,
        } += 1;
    }
}

fn is_and(operation: Operation) -> bool {
    matches!(operation, Operation::And(..))
}

fn is_gate(operation: Operation) -> bool {
    !matches!(operation, Operation::Copy(_) | Operation::Const(_))
}

/// Marks what the wires that are marked, the outputs, are computed from. Gives the most wires held at
/// once, where outputs are held until the end.
fn mark_needed(steps: impl DoubleEndedIterator<Item = Step>, needed: &mut [bool]) -> usize {
    // From the end to the beginning: a wire is held before a gate that reads it, if it is an output or
    // read later or by that gate, and no longer before the gate that sets it.
    let mut held = needed.to_vec();
    let mut now = held.iter().filter(|&&held| held).count();
    let mut most = now;
    for step in steps.rev() {
        let result = step.sets.index();
        let is_needed = needed[result];
        let read_later = std::mem::replace(&mut held[result], false);
        for wire in step.operation.reads() {
            needed[wire.index()] |= is_needed;
            now += usize::from(!std::mem::replace(&mut held[wire.index()], true));
        }
        most = usize::max(most, now + usize::from(!read_later));
        now -= usize::from(read_later);
    }
    most
}

/// How deep the gates are that were seen so far.
struct Depths {
    /// For each wire the most ANDs, and the most gates, on a path to it.
    reached: Vec<(u32, u32)>,
    /// The ANDs of each AND-depth, from 1.
    layers: Vec<usize>,
    depth: u32,
}

impl Depths {
    fn new(wires: usize) -> Self {
        Depths {
            reached: vec![(0, 0); wires],
            layers: Vec::new(),
            depth: 0,
        }
    }

    /// Counts a gate, and gives what its wire has reached.
    fn reach(&mut self, operation: Operation) -> (u32, u32) {
        let (mut ands, mut gates) = (0, 0);
        for wire in operation.reads() {
            let (a, g) = self.reached[wire.index()];
            (ands, gates) = (ands.max(a), gates.max(g));
        }
        gates += u32::from(is_gate(operation));
        if is_and(operation) {
            if self.layers.len() == ands as usize {
                self.layers.push(0);
            }
            self.layers[ands as usize] += 1;
            ands += 1;
        }
        self.depth = self.depth.max(gates);
        (ands, gates)
    }
}

const GARBLER: u8 = 1;
const EVALUATOR: u8 = 2;

/// The parties that the wires depend on, and the ANDs that were seen so far.
struct Owned {
    depends: Vec<u8>,
    ands: AndsByOwner,
}

impl Owned {
    fn new(inputs: &[usize], owners: &[Party]) -> Self {
        assert_eq!(inputs.len(), owners.len(), "an owner for each input value");
        let mut depends = Vec::new();
        for (&bits, owner) in inputs.iter().zip(owners) {
            let owner = match owner {
                Party::Garbler => GARBLER,
                Party::Evaluator => EVALUATOR,
            };
            depends.extend(std::iter::repeat_n(owner, bits));
        }
        let ands = AndsByOwner::default();
        Owned { depends, ands }
    }

    /// Counts a gate, and gives the owners of its wire.
    fn add(&mut self, operation: Operation) -> u8 {
        let owner = operation
            .reads()
            .fold(0, |owner, wire| owner | self.depends[wire.index()]);
        if is_and(operation) {
            *match owner {
                0 => &mut self.ands.nobody,
                GARBLER => &mut self.ands.garbler,
                EVALUATOR => &mut self.ands.evaluator,
                _ => &mut self.ands.joint,
            } += 1;
        }
        owner
    }
}

/// The structure of a circuit whose gates come one after the other.
pub(super) struct Tally {
    depths: Depths,
    owned: Owned,
    kinds: Kinds,
}

impl Tally {
    /// Begins with the inputs, which are the first wires. `owners` says whose each value is.
    pub(super) fn new(inputs: &[usize], owners: &[Party]) -> Self {
        let owned = Owned::new(inputs, owners);
        Tally {
            depths: Depths::new(owned.depends.len()),
            owned,
            kinds: Kinds::default(),
        }
    }

    /// Counts a gate, which drives the next wire.
    pub(super) fn add(&mut self, gate: Gate) {
        let operation = Operation::from(gate);
        self.kinds.add(operation);
        let reached = self.depths.reach(operation);
        self.depths.reached.push(reached);
        let owner = self.owned.add(operation);
        self.owned.depends.push(owner);
    }

    /// Forgets the wires but the inputs and those that the slice carries over.
    pub(super) fn carry(&mut self, slice: &Slice, inputs: usize) {
        slice.carry(&mut self.depths.reached, inputs);
        slice.carry(&mut self.owned.depends, inputs);
    }

    pub(super) fn ands(&self) -> usize {
        self.kinds.and
    }

    /// What is known when all gates have come. Those that nobody needs did not come.
    pub(super) fn structure(self) -> Structure {
        Structure {
            and: self.kinds.and,
            xor: self.kinds.xor,
            not: self.kinds.not,
            copies: 0,
            ands_by_owner: Some(self.owned.ands),
            and_depth: self.depths.layers.len(),
            depth: self.depths.depth as usize,
            widest_layer: self.depths.layers.iter().copied().max().unwrap_or(0),
            live_wires: None,
            dead: 0,
            live_ands: self.kinds.and,
        }
    }
}

#[cfg(test)]
mod tests;
