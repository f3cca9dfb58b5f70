//! The arguments and results of circuit runs and of openings. Arguments name a party by its role,
//! so that both parties pass the same lists.

use std::iter;
use std::ops::Index;
use std::sync::Arc;

use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::circuit::{ByParty, Circuit, Ownership, Party};

/// The source of the bits of an input value of a circuit.
pub enum Input<'a, S> {
    /// A party enters the bits.
    By(Party),
    /// The bits are shared: they are outputs of earlier runs in this session.
    Shared(&'a [S]),
}

impl<S> Input<'_, S> {
    /// The inputs of a circuit with two input values: the garbler enters the first, the evaluator
    /// the second.
    pub const ONE_EACH: [Self; 2] = [Input::By(Party::Garbler), Input::By(Party::Evaluator)];
}

/// A circuit to be run, with its inputs.
pub struct Run<'a, S> {
    pub(super) circuit: &'a Circuit,
    pub(super) inputs: &'a [Input<'a, S>],
    pub(super) mine: &'a [bool],
    pub(super) context: &'a [u8],
}

impl<'a, S> Run<'a, S> {
    /// Creates a run of `circuit`. `inputs` has one element for each input value of the circuit.
    /// `mine` has the bits that this party enters: the values that are [`Input::By`] this party,
    /// concatenated in order. Both parties must pass the same circuit and the same source of each
    /// input value.
    pub fn new(circuit: &'a Circuit, inputs: &'a [Input<'a, S>], mine: &'a [bool]) -> Self {
        Run {
            circuit,
            inputs,
            mine,
            context: &[],
        }
    }

    /// Sets data that must be the same for both parties, for example the digest of a log. The
    /// parties compare this data together with the circuit before they run the circuit.
    #[must_use]
    pub fn in_context(mut self, context: &'a [u8]) -> Self {
        self.context = context;
        self
    }

    /// The circuit.
    pub fn circuit(&self) -> &'a Circuit {
        self.circuit
    }

    /// The source of each input value.
    pub fn inputs(&self) -> &'a [Input<'a, S>] {
        self.inputs
    }

    /// The bits that this party enters.
    pub fn mine(&self) -> &'a [bool] {
        self.mine
    }

    /// The preprocessing that the run consumes.
    pub fn demand(&self) -> Demand {
        Demand::of_ownership(self.circuit, &self.ownership())
    }

    /// The number of input bits that `party` enters.
    pub(super) fn input_bits(&self, party: Party) -> usize {
        (self.inputs.iter().zip(self.circuit.inputs()))
            .filter(|(input, _)| matches!(input, Input::By(owner) if *owner == party))
            .map(|(_, bits)| bits)
            .sum()
    }

    /// The owner of each wire: the party that could compute the wire alone. A shared input value
    /// has no owner, even if one party once knew its bits.
    pub(super) fn ownership(&self) -> Arc<Ownership> {
        self.circuit
            .ownership(self.inputs.iter().map(|input| match *input {
                Input::By(party) => Some(party),
                Input::Shared(_) => None,
            }))
    }
}

/// The amount of preprocessing that circuit runs consume.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Demand {
    /// The number of garbled AND gates: the gates that depend on inputs of both parties, or on
    /// shared bits.
    pub ands: usize,
    /// The number of bits that each party enters: its inputs, and the outputs of the AND gates that
    /// depend only on its inputs.
    pub inputs: ByParty<usize>,
    /// The number of proofs that each party sends: one for each run in which the party enters
    /// outputs of AND gates. The proof shows that these outputs are correct.
    pub proofs: ByParty<usize>,
    /// The number of output bits that are not constants.
    pub outputs: usize,
}

impl Demand {
    /// The demand of one run of a circuit. The garbler enters the first input value, the evaluator
    /// enters the second, and all further input values are shared bits.
    pub fn of(circuit: &Circuit) -> Self {
        let owners = Party::BOTH.map(Some).into_iter().chain(iter::repeat(None));
        let owners = owners.take(circuit.inputs().len());
        Demand::of_ownership(circuit, &circuit.ownership(owners))
    }

    /// The demand of one run of a circuit. `owners` has the party that enters each input value.
    pub fn with_owners(circuit: &Circuit, owners: &[Party]) -> Self {
        let owners = owners.iter().copied().map(Some);
        Demand::of_ownership(circuit, &circuit.ownership(owners))
    }

    /// The demand of one run of a circuit whose wires have the given owners.
    pub(super) fn of_ownership(circuit: &Circuit, owners: &Ownership) -> Self {
        let (inputs, products) = (|party| owners.inputs(party), |party| owners.products(party));
        Demand {
            ands: owners.joint_ands().len(),
            inputs: ByParty::from_fn(|party| inputs(party).len() + products(party).len()),
            proofs: ByParty::from_fn(|party| usize::from(!products(party).is_empty())),
            outputs: circuit.output_wires(),
        }
    }

    /// The demand of `runs` repetitions. A number that would overflow becomes `usize::MAX`, which
    /// [`TwoParty::prepare`](super::TwoParty::prepare) refuses.
    #[must_use]
    pub fn times(self, runs: usize) -> Self {
        Demand {
            ands: self.ands.saturating_mul(runs),
            inputs: ByParty::from_fn(|party| self.inputs[party].saturating_mul(runs)),
            proofs: ByParty::from_fn(|party| self.proofs[party].saturating_mul(runs)),
            outputs: self.outputs.saturating_mul(runs),
        }
    }
}

/// The parties that learn opened bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// One party only.
    Only(Party),
    /// Both parties.
    Both,
}

impl Audience {
    /// Whether `party` learns the bits.
    pub fn includes(self, party: Party) -> bool {
        self == Audience::Both || self == Audience::Only(party)
    }
}

/// Shared bits to open, and the parties that learn these bits.
pub struct Opening<'a, S> {
    /// The parties that learn the bits.
    pub to: Audience,
    /// The bits.
    pub bits: &'a [S],
}

/// Implements `Copy` for types that only borrow shared bits. A derive would require `S: Copy`.
macro_rules! copy {
    ($($name:ident),*) => {
        $(
            impl<S> Copy for $name<'_, S> {}

            impl<S> Clone for $name<'_, S> {
                fn clone(&self) -> Self {
                    *self
                }
            }
        )*
    };
}

copy!(Input, Run, Opening);

/// The bits that `party` learns, in the order of `openings`.
pub(super) fn opened_to<'a, S>(
    openings: &[Opening<'a, S>],
    party: Party,
) -> impl Iterator<Item = &'a S> + Clone {
    let openings: Vec<&'a [S]> = (openings.iter())
        .filter(|opening| opening.to.includes(party))
        .map(|opening| opening.bits)
        .collect();
    openings.into_iter().flatten()
}

/// The bits that this party learned from a list of openings. They are wiped on drop.
#[derive(Clone, Debug, PartialEq, Eq, Zeroize, ZeroizeOnDrop)]
pub struct Opened(Vec<Option<Vec<bool>>>);

impl Opened {
    /// For engines: creates the result from `values`, the bits that `me` learned, in the order of
    /// `openings`.
    pub fn new<S>(
        openings: &[Opening<'_, S>],
        me: Party,
        values: impl IntoIterator<Item = bool>,
    ) -> Self {
        let mut values = values.into_iter();
        Opened(
            openings
                .iter()
                .map(|opening| {
                    let count = opening.bits.len();
                    opening.to.includes(me).then(|| {
                        // Allocated once, because a vector that grows leaves unwiped copies behind.
                        let mut bits = Vec::with_capacity(count);
                        bits.extend(values.by_ref().take(count));
                        bits
                    })
                })
                .collect(),
        )
    }

    /// The bits of opening number `opening`, counted from 0. `None` if this party does not learn
    /// these bits.
    ///
    /// # Panics
    /// If there is no such opening.
    pub fn get(&self, opening: usize) -> Option<&[bool]> {
        self.0[opening].as_deref()
    }

    /// The results of [`get`](Self::get) for all openings, in order.
    pub fn iter(&self) -> impl Iterator<Item = Option<&[bool]>> {
        self.0.iter().map(Option::as_deref)
    }
}

/// The output values of a circuit. Each value is a *word*: a list of bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words<S> {
    bits: Vec<S>,
    /// For each word, the index in `bits` after its last bit.
    ends: Vec<usize>,
}

impl<S> Words<S> {
    /// For engines: divides `bits`, all output bits in order, into the output values of `circuit`.
    pub fn of_outputs(circuit: &Circuit, bits: Vec<S>) -> Self {
        let mut end = 0;
        let ends = (circuit.outputs().iter())
            .map(|word| {
                end += word.len();
                end
            })
            .collect();
        Words { bits, ends }
    }

    /// The number of words.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no words.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The words, in order.
    pub fn iter(&self) -> impl Iterator<Item = &[S]> {
        (0..self.len()).map(|word| &self[word])
    }

    /// The bits of all words, in order.
    pub fn bits(&self) -> &[S] {
        &self.bits
    }

    /// Converts each bit and keeps the lengths of the words. Drops the old bits, which wipes them.
    pub(super) fn map<R>(self, change: impl FnMut(&S) -> R) -> Words<R> {
        Words {
            bits: self.bits.iter().map(change).collect(),
            ends: self.ends,
        }
    }
}

impl<S> Index<usize> for Words<S> {
    type Output = [S];

    fn index(&self, word: usize) -> &[S] {
        let start = word.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bits[start..self.ends[word]]
    }
}
