//! What goes into a run, what comes out, and who learns it. Parties are named by their roles, so
//! that both write the same lists.

use std::ops::Index;

use crate::circuit::{ByParty, Circuit, Party};

/// Where the bits of an input value of a circuit come from.
pub enum Input<'a, S> {
    /// A party enters them.
    By(Party),
    /// They came out of an earlier run of this session.
    Shared(&'a [S]),
}

impl<S> Input<'_, S> {
    /// The input values of a circuit of which the garbler enters the first, the evaluator the
    /// second.
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
    /// Runs `circuit` on `inputs`, one for each of its input values, of which this party enters
    /// `mine`: the bits of all values that are [`Input::By`] it, one after the other. Everything
    /// but `mine` is the same at both parties.
    pub fn new(circuit: &'a Circuit, inputs: &'a [Input<'a, S>], mine: &'a [bool]) -> Self {
        Run {
            circuit,
            inputs,
            mine,
            context: &[],
        }
    }

    /// What else both parties must agree on before they run it, such as the digest of a log. It
    /// goes into the plan that they compare.
    #[must_use]
    pub fn in_context(mut self, context: &'a [u8]) -> Self {
        self.context = context;
        self
    }

    /// The circuit.
    pub fn circuit(&self) -> &'a Circuit {
        self.circuit
    }

    /// Where each input value comes from.
    pub fn inputs(&self) -> &'a [Input<'a, S>] {
        self.inputs
    }

    /// The bits that this party enters.
    pub fn mine(&self) -> &'a [bool] {
        self.mine
    }

    /// What the run takes from the preprocessing.
    pub fn demand(&self) -> Demand {
        let mut demand = Demand::of_gates(self.circuit);
        for (input, bits) in self.inputs.iter().zip(self.circuit.inputs()) {
            if let Input::By(party) = input {
                demand.inputs[*party] += bits;
            }
        }
        demand
    }
}

/// What runs of circuits take from the preprocessing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Demand {
    /// AND gates.
    pub ands: usize,
    /// Input bits that each party enters.
    pub inputs: ByParty<usize>,
    /// Output bits that are not constants.
    pub outputs: usize,
}

impl Demand {
    /// Of one run of a circuit of which the garbler enters the first input value and the evaluator
    /// the second.
    pub fn of(circuit: &Circuit) -> Self {
        let mut demand = Demand::of_gates(circuit);
        for (party, bits) in Party::BOTH.into_iter().zip(circuit.inputs()) {
            demand.inputs[party] = *bits;
        }
        demand
    }

    fn of_gates(circuit: &Circuit) -> Self {
        Demand {
            ands: circuit.ands(),
            inputs: ByParty::default(),
            outputs: circuit.output_wires(),
        }
    }

    /// Of so many runs. What does not fit in a number is the largest one, which every engine
    /// refuses.
    #[must_use]
    pub fn times(self, runs: usize) -> Self {
        Demand {
            ands: self.ands.saturating_mul(runs),
            inputs: ByParty::from_fn(|party| self.inputs[party].saturating_mul(runs)),
            outputs: self.outputs.saturating_mul(runs),
        }
    }
}

/// Who learns opened bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// One party, and the other does not.
    Only(Party),
    /// Both.
    Both,
}

impl Audience {
    /// Whether `party` learns them.
    pub fn includes(self, party: Party) -> bool {
        self == Audience::Both || self == Audience::Only(party)
    }
}

/// Shared bits and who is to learn them.
pub struct Opening<'a, S> {
    /// Who learns them.
    pub to: Audience,
    /// The bits.
    pub bits: &'a [S],
}

/// Makes a type that only borrows shared bits `Copy`, whether or not the bits are: a derive would
/// ask that of them.
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

/// The bits of all openings that `party` learns, in order.
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

/// What a party learned from openings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opened(Vec<Option<Vec<bool>>>);

impl Opened {
    /// From the values that `me` learned, in the order of the openings. For engines.
    pub fn new<S>(
        openings: &[Opening<'_, S>],
        me: Party,
        values: impl IntoIterator<Item = bool>,
    ) -> Self {
        let mut values = values.into_iter();
        let deal = |opening: &Opening<'_, S>| {
            (opening.to.includes(me)).then(|| values.by_ref().take(opening.bits.len()).collect())
        };
        Opened(openings.iter().map(deal).collect())
    }

    /// The bits of an opening, counted from 0; `None` if this party is not in its audience.
    ///
    /// # Panics
    /// If there are not as many openings.
    pub fn get(&self, opening: usize) -> Option<&[bool]> {
        self.0[opening].as_deref()
    }

    /// The bits of each opening, in order, as [`get`](Self::get) gives them.
    pub fn iter(&self) -> impl Iterator<Item = Option<&[bool]>> {
        self.0.iter().map(Option::as_deref)
    }
}

/// Words of bits: word after word in one vector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words<S> {
    bits: Vec<S>,
    /// Where each word ends.
    ends: Vec<usize>,
}

impl<S> Words<S> {
    /// The output values of a circuit, from all of their bits in order. For engines.
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

    /// How many words there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The words, in order.
    pub fn iter(&self) -> impl Iterator<Item = &[S]> {
        (0..self.len()).map(|word| &self[word])
    }

    /// All bits, word after word.
    pub fn bits(&self) -> &[S] {
        &self.bits
    }

    /// The same words of other bits. What is in these is not moved but copied, and wiped here.
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
