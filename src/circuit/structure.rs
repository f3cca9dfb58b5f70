//! The [`Structure`] of a circuit: its gate counts, depths and widths.

use super::bristol::{Netlist, Operation, Step};
use super::builder::slices::Slice;
use super::{Circuit, Gate, Output, Party, Wire};

/// The gate counts, depths and widths of a circuit, or of a netlist as written.
///
/// A gate is *dead* if no output depends on it. Dead gates are included in the gate counts and in
/// `live_wires`, but not in depths and layers. A *layer* consists of the AND gates with the same
/// AND-depth.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Structure {
    /// The number of AND gates.
    pub and: usize,
    /// The number of XOR gates.
    pub xor: usize,
    /// The number of NOT gates.
    pub not: usize,
    /// The number of constants and copies of wires (`EQ` and `EQW` in a netlist). They do not count
    /// as gates.
    pub copies: usize,
    /// The number of AND gates of each owner. `None` if the owners of the inputs are unknown.
    pub ands_by_owner: Option<AndsByOwner>,
    /// The largest number of AND gates on a path from an input to an output.
    pub and_depth: usize,
    /// The largest number of gates (AND, XOR and NOT) on a path from an input to an output.
    pub depth: usize,
    /// The number of AND gates in the largest layer.
    pub widest_layer: usize,
    /// The largest number of wires that are live at the same time when the gates are evaluated in
    /// order. An input is live from the beginning, and any other wire from the gate that sets it. A
    /// wire is live until the last gate that reads it has run, and an output until the end. The
    /// operands and the result of a gate are live at the same time. `None` if the circuit was built
    /// in slices, because the last gate that reads an input is then unknown.
    pub live_wires: Option<usize>,
    /// The number of dead AND, XOR and NOT gates.
    pub dead: usize,
    /// The number of AND gates that are not dead.
    live_ands: usize,
}

impl Structure {
    /// The number of AND, XOR and NOT gates together.
    pub fn gates(&self) -> usize {
        self.and + self.xor + self.not
    }

    /// The mean number of AND gates in a layer. 0 if there are no layers.
    pub fn mean_layer(&self) -> f64 {
        match self.and_depth {
            0 => 0.0,
            depth => self.live_ands as f64 / depth as f64,
        }
    }
}

/// The number of AND gates of each owner.
///
/// A party *owns* a gate whose result depends on inputs of this party only. A result depends on
/// every input from which a path leads to the gate, whatever function the gates compute.
///
/// The engines of this crate garble only the joint gates. A party computes the gates that it owns
/// in the clear and enters the results. In a malicious session, the party also proves the results
/// with QuickSilver (Yang, Sarkar, Weng and Wang, CCS 2021).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AndsByOwner {
    /// The AND gates that depend on inputs of both parties.
    pub joint: usize,
    /// The AND gates that depend only on inputs of the garbler.
    pub garbler: usize,
    /// The AND gates that depend only on inputs of the evaluator.
    pub evaluator: usize,
    /// The AND gates that depend only on constants.
    pub nobody: usize,
}

impl Circuit {
    /// Analyses the gates in layer order. `owners` has the owner of each input value, if the owners
    /// are known. Takes time linear in the number of gates.
    ///
    /// # Panics
    /// Panics if `owners` does not have exactly one element for each input value.
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
    /// Analyses the gates as written. `owners` has the owner of each input value, if the owners are
    /// known. Takes time linear in the number of gates.
    ///
    /// # Panics
    /// Panics if `owners` does not have exactly one element for each input value.
    pub fn structure(&self, owners: Option<&[Party]>) -> Structure {
        let steps = self.steps().iter().copied();
        let outputs = self.first_output()..self.wires();
        survey(self.inputs(), self.wires(), steps, outputs, owners)
    }
}

/// The structure of the circuit that consists of `steps`. `outputs` are the output wires.
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

/// Marks in `needed` all wires that the outputs are computed from. On entry, only the outputs are
/// marked. Returns [`Structure::live_wires`].
fn mark_needed(steps: impl DoubleEndedIterator<Item = Step>, needed: &mut [bool]) -> usize {
    // The loop runs backwards. The outputs are live when it begins. Any other wire becomes live at
    // the last step that reads it. No wire is live before the step that sets it.
    let mut live = needed.to_vec();
    let mut count = live.iter().filter(|&&live| live).count();
    let mut most = count;
    for step in steps.rev() {
        let result = step.sets.index();
        let is_needed = needed[result];
        let was_live = std::mem::replace(&mut live[result], false);
        for wire in step.operation.reads() {
            needed[wire.index()] |= is_needed;
            count += usize::from(!std::mem::replace(&mut live[wire.index()], true));
        }
        most = usize::max(most, count + usize::from(!was_live));
        count -= usize::from(was_live);
    }
    most
}

/// The depths of the gates seen so far.
struct Depths {
    /// For each wire, its AND-depth and its depth: the largest number of AND gates and the largest
    /// number of all gates on a path to the wire.
    reached: Vec<(u32, u32)>,
    /// The number of AND gates in each layer. The first layer has AND-depth 1.
    layers: Vec<usize>,
    /// The largest depth of a wire.
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

    /// Counts a gate, and returns the AND-depth and the depth of its output.
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

/// The members of a set of parties, one bit each.
const GARBLER: u8 = 1;
const EVALUATOR: u8 = 2;

/// The owners of the gates seen so far.
struct Owned {
    /// For each wire, the set of parties on whose inputs the wire depends.
    depends: Vec<u8>,
    /// The number of AND gates of each owner.
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

    /// Counts a gate, and returns the set of parties on whose inputs its output depends.
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

/// Computes the structure of a circuit whose gates arrive one at a time.
pub(super) struct Tally {
    depths: Depths,
    owned: Owned,
    kinds: Kinds,
}

impl Tally {
    /// Creates a tally without gates. The first wires are the input bits: `inputs` has the number
    /// of bits of each input value, and `owners` its owner.
    pub(super) fn new(inputs: &[usize], owners: &[Party]) -> Self {
        let owned = Owned::new(inputs, owners);
        Tally {
            depths: Depths::new(owned.depends.len()),
            owned,
            kinds: Kinds::default(),
        }
    }

    /// Counts a gate. The gate sets the wire after the last known wire.
    pub(super) fn add(&mut self, gate: Gate) {
        let operation = Operation::from(gate);
        self.kinds.add(operation);
        let reached = self.depths.reach(operation);
        self.depths.reached.push(reached);
        let owner = self.owned.add(operation);
        self.owned.depends.push(owner);
    }

    /// Forgets all wires except the input bits, `inputs` in number, and the wires that `slice`
    /// carries over to the next slice.
    pub(super) fn carry(&mut self, slice: &Slice, inputs: usize) {
        slice.carry(&mut self.depths.reached, inputs);
        slice.carry(&mut self.owned.depends, inputs);
    }

    pub(super) fn ands(&self) -> usize {
        self.kinds.and
    }

    /// The structure after the last gate. No gate counts as dead: a slice contains only gates that
    /// a bit in use depends on, and it is not known whether an output depends on this bit.
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
