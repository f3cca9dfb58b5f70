//! The properties of a circuit's gates that are known without running it.

use super::bristol::{Netlist, Operation, Step};
use super::builder::slices::Slice;
use super::{Circuit, Gate, Output, Party, Wire};

/// The structure of the gates of a circuit, or of a netlist as written.
///
/// A gate is dead if no output needs it. Dead gates are included in the gate counts, but not in
/// depths and widths.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Structure {
    /// AND gates.
    pub and: usize,
    /// XOR gates.
    pub xor: usize,
    /// NOT gates.
    pub not: usize,
    /// Constants and copies of wires (`EQ` and `EQW` in a netlist), which are not gates.
    pub copies: usize,
    /// The number of AND gates for each party that could compute them alone. `None` if the owners
    /// of the inputs are unknown.
    pub ands_by_owner: Option<AndsByOwner>,
    /// The largest number of AND gates on a path from an input to an output.
    pub and_depth: usize,
    /// The largest number of gates (AND, XOR and NOT) on a path from an input to an output.
    pub depth: usize,
    /// The largest number of AND gates with the same AND-depth.
    pub widest_layer: usize,
    /// The largest number of wires held at once when the gates are evaluated in order. A wire is
    /// held from the gate that sets it (an input: from the beginning) until its last reader has
    /// run; an output is held until the end. The result of a gate is held together with the
    /// operands of the gate. `None` if the circuit was built in slices: the last reader of an input
    /// is then unknown.
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

    /// The mean number of live AND gates per AND-depth, from depth 1 on. 0 if no output needs an
    /// AND gate.
    pub fn mean_layer(&self) -> f64 {
        match self.and_depth {
            0 => 0.0,
            depth => self.live_ands as f64 / depth as f64,
        }
    }
}

/// The number of AND gates of each owner.
///
/// A wire that depends only on the inputs of one party is owned by that party, and the owner of a
/// gate is the owner of its result. The engines of this crate garble only the joint gates. A party
/// computes the gates that it owns in the clear and enters the results. In a malicious session, it
/// also proves the results with QuickSilver (Yang, Sarkar, Weng and Wang, CCS 2021). Ownership
/// follows from the wires that a gate reads, not from the function that it computes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AndsByOwner {
    /// AND gates that depend on inputs of both parties.
    pub joint: usize,
    /// AND gates that depend only on inputs of the garbler.
    pub garbler: usize,
    /// AND gates that depend only on inputs of the evaluator.
    pub evaluator: usize,
    /// AND gates that depend on no input, only on constants.
    pub nobody: usize,
}

impl Circuit {
    /// Analyses the gates in layer order. `owners` gives the owner of each input value, if known.
    /// Runs in time linear in the number of gates.
    ///
    /// # Panics
    /// Panics if there is not exactly one owner for each input value.
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
    /// Analyses the gates as written. `owners` gives the owner of each input value, if known. Runs
    /// in time linear in the number of gates.
    ///
    /// # Panics
    /// Panics if there is not exactly one owner for each input value.
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

/// The structure of the circuit that consists of `steps`.
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

/// The number of gates of each kind.
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

/// Initially, only the outputs are marked in `needed`. Marks all wires that they are computed from.
/// Returns the largest number of wires held at once, as defined by [`Structure::live_wires`].
fn mark_needed(steps: impl DoubleEndedIterator<Item = Step>, needed: &mut [bool]) -> usize {
    // Goes from the last step to the first. Outputs are held from the start; any other wire is held
    // once a step that reads it is found. The step that sets a wire releases it.
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

/// The depths of the gates seen so far.
struct Depths {
    /// For each wire, the largest number of ANDs and the largest number of gates on a path to it.
    reached: Vec<(u32, u32)>,
    /// The number of ANDs of each AND-depth, from 1.
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

    /// Counts a gate and returns the depths of its output.
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

/// For each wire, the parties that it depends on ([`GARBLER`], [`EVALUATOR`] or both); and the ANDs
/// seen so far, by owner.
struct Owned {
    depends: Vec<u8>,
    ands: AndsByOwner,
}

impl Owned {
    fn new(inputs: &[usize], owners: &[Party]) -> Self {
        assert_eq!(inputs.len(), owners.len(), "one owner for each input value");
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

    /// Counts a gate and returns the parties that its output depends on.
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

/// The structure of a circuit whose gates arrive one at a time.
pub(super) struct Tally {
    depths: Depths,
    owned: Owned,
    kinds: Kinds,
}

impl Tally {
    /// Creates a tally without gates. The input bits are the first wires. `owners` gives the owner
    /// of each input value.
    pub(super) fn new(inputs: &[usize], owners: &[Party]) -> Self {
        let owned = Owned::new(inputs, owners);
        Tally {
            depths: Depths::new(owned.depends.len()),
            owned,
            kinds: Kinds::default(),
        }
    }

    /// Counts a gate, which sets the next wire.
    pub(super) fn add(&mut self, gate: Gate) {
        let operation = Operation::from(gate);
        self.kinds.add(operation);
        let reached = self.depths.reach(operation);
        self.depths.reached.push(reached);
        let owner = self.owned.add(operation);
        self.owned.depends.push(owner);
    }

    /// Forgets all wires except the inputs and the wires that `slice` carries over to the next
    /// slice.
    pub(super) fn carry(&mut self, slice: &Slice, inputs: usize) {
        slice.carry(&mut self.depths.reached, inputs);
        slice.carry(&mut self.owned.depends, inputs);
    }

    pub(super) fn ands(&self) -> usize {
        self.kinds.and
    }

    /// The structure after the last gate. Reports no dead gates: each gate of a slice is needed by
    /// a bit that was declared in use.
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
