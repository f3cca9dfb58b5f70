//! The input bits of a run: the bits that each party enters, and the bits that are outputs of
//! earlier runs.

use std::slice;
use std::sync::Arc;

use zeroize::DefaultIsZeroes;

use super::walk::Part;
use super::{Demand, Input, Run};
use crate::circuit::{ByParty, Circuit, Gate, Ownership, Party, Slots, Wire};
use crate::crypto::{SecretBit, SecretVec};

/// The input bits that a run takes from each party and from earlier runs.
///
/// A party *enters* its inputs and the outputs of the AND gates that it owns, which it computes in
/// the clear. A party owns a gate if the gate depends only on inputs of this party.
pub(super) struct InputLayout<'a, S> {
    circuit: &'a Circuit,
    /// The owner of each wire.
    pub(super) owners: Arc<Ownership>,
    /// The wires whose bits are outputs of earlier runs, and this party's parts of these bits.
    pub(super) shared: Vec<(usize, &'a S)>,
}

impl<'a, S> InputLayout<'a, S> {
    pub(super) fn new(run: &Run<'a, S>) -> Self {
        let mut shared = Vec::new();
        let mut wire = 0;
        for (input, bits) in run.inputs.iter().zip(run.circuit.inputs()) {
            let wires = wire..wire + bits;
            wire = wires.end;
            if let Input::Shared(bits) = *input {
                shared.extend(wires.zip(bits));
            }
        }
        InputLayout {
            circuit: run.circuit,
            owners: run.ownership(),
            shared,
        }
    }

    /// The preprocessing that the run consumes.
    pub(super) fn demand(&self) -> Demand {
        Demand::of_ownership(self.circuit, &self.owners)
    }

    /// The slots in which the run keeps the values of its wires.
    pub(super) fn slots(&self) -> &Slots {
        self.owners.slots(self.circuit)
    }

    /// All gates of the circuit.
    pub(super) fn whole(&self) -> Part<'_> {
        Part::whole(self.circuit, &self.owners, self.slots())
    }

    /// The number of bits that a party enters.
    pub(super) fn count(&self, party: Party) -> usize {
        self.owners.inputs(party).len() + self.owners.products(party).len()
    }

    /// All bits that `me` enters, computed from its `inputs`.
    pub(super) fn enter(&self, me: Party, inputs: &[bool]) -> SecretVec<SecretBit> {
        let own = self.owners.own_gates(me);
        let mut entered = SecretVec::<SecretBit>::with_capacity(self.count(me));
        entered.extend(inputs.iter().map(|&input| SecretBit::hidden(input)));
        let mut known = SecretVec::<SecretBit>::zeros(own.places());
        for (place, input) in own.inputs().iter().zip(entered.iter()) {
            known[place.index()] = *input;
        }
        for (gate, set) in own.gates() {
            let on = |place: Wire| known[place.index()];
            let bit = match *gate {
                Gate::Xor(a, b) => on(a) ^ on(b),
                Gate::And(a, b) => on(a) & on(b),
                Gate::Not(a) => !on(a),
            };
            if matches!(gate, Gate::And(..)) {
                entered.push(bit);
            }
            known[set.index()] = bit;
        }
        entered
    }

    /// Copies `list` to `entered`. `list` has one element for each bit that `party` enters.
    pub(super) fn put<T: DefaultIsZeroes>(
        &self,
        party: Party,
        list: &[T],
        entered: &mut Entered<T>,
    ) {
        let wires = self.owners.inputs(party);
        let (inputs, products) = list.split_at(wires.len());
        for (&wire, element) in wires.iter().zip(inputs) {
            entered.inputs[wire as usize] = *element;
        }
        entered.products[party].copy_from_slice(products);
    }

    /// Returns a zero for each wire that is entered or shared.
    pub(super) fn zeros<T: DefaultIsZeroes>(&self) -> Entered<T> {
        Entered {
            inputs: SecretVec::zeros(self.circuit.input_bits()),
            products: ByParty::from_fn(|party| SecretVec::zeros(self.owners.products(party).len())),
        }
    }
}

/// An element for each wire whose bit is entered or shared.
#[derive(Default)]
pub(super) struct Entered<T: DefaultIsZeroes> {
    /// One element for each wire of the input values.
    pub(super) inputs: SecretVec<T>,
    /// One element for each AND gate that a party owns, in the order of the gates.
    pub(super) products: ByParty<SecretVec<T>>,
}

impl<T: DefaultIsZeroes> Entered<T> {
    /// Combines the elements of `self` and `other` with `of`, wire by wire.
    pub(super) fn with<U: DefaultIsZeroes, R: DefaultIsZeroes>(
        &self,
        other: &Entered<U>,
        of: impl Fn(T, U) -> R,
    ) -> Entered<R> {
        let all = |one: &[T], other: &[U]| -> SecretVec<R> {
            let pairs = one.iter().zip(other);
            pairs.map(|(&one, &other)| of(one, other)).collect()
        };
        Entered {
            inputs: all(&self.inputs, &other.inputs),
            products: ByParty::from_fn(|owner| all(&self.products[owner], &other.products[owner])),
        }
    }

    /// Iterates over all elements: the inputs, the garbler's products, the evaluator's products.
    pub(super) fn all(&self) -> impl Iterator<Item = &T> {
        let products = [&self.products.garbler, &self.products.evaluator];
        let products = products.into_iter().flat_map(|products| products.iter());
        self.inputs.iter().chain(products)
    }

    /// Iterates, for each owner, over the products from the first gate of `part` to the end of the
    /// circuit.
    pub(super) fn products_from(&self, part: &Part<'_>) -> ByParty<slice::Iter<'_, T>> {
        let first = part.circuit.input_bits() + part.gates.start;
        ByParty::from_fn(|owner| {
            let before = part
                .owners
                .products(owner)
                .partition_point(|&wire| (wire as usize) < first);
            self.products[owner][before..].iter()
        })
    }
}

/// The values of one kind that a party holds for the wires of a run: masks, masked values or
/// labels.
#[derive(Default)]
pub(super) struct Wires<W: DefaultIsZeroes> {
    pub(super) entered: Entered<W>,
    /// The elements of the wires that have been computed and are still needed, each in its slot.
    pub(super) held: SecretVec<W>,
}

impl<W: DefaultIsZeroes> Wires<W> {
    /// Creates the elements as they are before the first gate.
    pub(super) fn new(entered: Entered<W>, slots: &Slots) -> Self {
        let mut wires = Wires {
            entered,
            held: SecretVec::default(),
        };
        wires.begin(slots);
        wires
    }

    /// Copies the inputs to their slots, before the first gate.
    pub(super) fn begin(&mut self, slots: &Slots) {
        self.held = SecretVec::zeros(slots.count());
        for (wire, element) in self.entered.inputs.iter().enumerate() {
            self.held[slots.of(wire)] = *element;
        }
    }
}
