//! The circuits that `stats` counts, and what is counted of each.

use dealerless::circuit::Circuit;
use dealerless::shuffle::comparison::biased::Biased;
use dealerless::shuffle::comparison::sort_by_joint_keys;
use dealerless::shuffle::{Algorithm, Computed, ShuffleCircuit, Spec, SpecError};
use serde::Serialize;

/// Bytes of garbled tables for an AND gate: two blocks, as half gates.
const HALF_GATE_BYTES: usize = 32;

/// The size of one circuit.
#[derive(Clone, Serialize)]
pub(super) struct Counts {
    pub(super) and: usize,
    pub(super) xor: usize,
    pub(super) not: usize,
    /// AND, XOR and NOT together.
    pub(super) gates: usize,
    pub(super) and_depth: usize,
    /// Bits.
    pub(super) garbler_inputs: usize,
    /// Bits.
    pub(super) evaluator_inputs: usize,
    /// Bits.
    pub(super) outputs: usize,
    pub(super) half_gate_bytes: usize,
}

impl Counts {
    /// Of a circuit with one input value per party.
    pub(super) fn of(circuit: &Circuit) -> Self {
        let stats = circuit.stats();
        Counts {
            and: stats.and,
            xor: stats.xor,
            not: stats.not,
            gates: circuit.gates().len(),
            and_depth: stats.and_depth,
            garbler_inputs: stats.inputs[0],
            evaluator_inputs: stats.inputs[1],
            outputs: stats.outputs.iter().sum(),
            half_gate_bytes: HALF_GATE_BYTES * stats.and,
        }
    }
}

/// What `stats` says of the size of a circuit: all of it, if the circuit was built.
#[derive(Clone, Serialize)]
pub(super) struct Size {
    pub(super) and: usize,
    pub(super) xor: Option<usize>,
    pub(super) not: Option<usize>,
    pub(super) gates: Option<usize>,
    pub(super) and_depth: Option<usize>,
    pub(super) garbler_inputs: usize,
    pub(super) evaluator_inputs: usize,
    pub(super) outputs: usize,
    pub(super) half_gate_bytes: usize,
    /// Whether it is computed, and no circuit was built.
    pub(super) computed: bool,
    /// Whether the circuit has just so many ANDs.
    pub(super) exact: bool,
}

impl From<Counts> for Size {
    fn from(counts: Counts) -> Self {
        Size {
            and: counts.and,
            xor: Some(counts.xor),
            not: Some(counts.not),
            gates: Some(counts.gates),
            and_depth: Some(counts.and_depth),
            garbler_inputs: counts.garbler_inputs,
            evaluator_inputs: counts.evaluator_inputs,
            outputs: counts.outputs,
            half_gate_bytes: counts.half_gate_bytes,
            computed: false,
            exact: true,
        }
    }
}

impl Size {
    fn computed(computed: &Computed, checked: bool) -> Self {
        let (and, validity) = match checked {
            true => (computed.checked_and, computed.validity_outputs),
            false => (computed.and, 0),
        };
        Size {
            and,
            xor: None,
            not: None,
            gates: None,
            and_depth: None,
            garbler_inputs: computed.garbler_inputs,
            evaluator_inputs: computed.evaluator_inputs,
            outputs: computed.outputs + validity,
            half_gate_bytes: HALF_GATE_BYTES * and,
            computed: true,
            exact: computed.exact,
        }
    }
}

/// A shuffle, and the size of its circuits for one deck and draw.
pub(super) struct Entry {
    pub(super) name: &'static str,
    /// Whether it is only compared with, and never offered to players.
    pub(super) comparison: bool,
    pub(super) unchecked: Size,
    /// With the check that both parties' inputs are in range; absent where there is none.
    pub(super) checked: Option<Size>,
}

impl Entry {
    /// Counts a shuffle.
    ///
    /// # Errors
    /// Those of [`Spec::new`].
    pub(super) fn of_shuffle(
        algorithm: Algorithm,
        cards: usize,
        draw: usize,
    ) -> Result<Self, SpecError> {
        let spec = Spec::new(cards, draw, algorithm)?;
        let checked = ShuffleCircuit::build_checked(spec);
        let checked_counts = Counts::of(checked.circuit());
        // If every input is in range, the two circuits are the same. Otherwise the first is dropped
        // before the second is built: a large one takes a gigabyte.
        let unchecked = match checked.validity() {
            None => checked_counts.clone(),
            Some(_) => {
                drop(checked);
                Counts::of(ShuffleCircuit::build(spec).circuit())
            }
        };
        Ok(Entry {
            name: algorithm.name(),
            comparison: false,
            unchecked: unchecked.into(),
            checked: Some(checked_counts.into()),
        })
    }

    /// The same without building anything.
    ///
    /// # Errors
    /// Those of [`Computed::of`].
    pub(super) fn computed(
        algorithm: Algorithm,
        cards: usize,
        draw: usize,
    ) -> Result<Self, SpecError> {
        let computed = Computed::of(cards, draw, algorithm)?;
        Ok(Entry {
            name: algorithm.name(),
            comparison: false,
            unchecked: Size::computed(&computed, false),
            checked: Some(Size::computed(&computed, true)),
        })
    }

    /// Counts a circuit that is for comparison only.
    ///
    /// # Errors
    /// Those of [`Spec::new`].
    pub(super) fn of_comparison(
        comparison: &Comparison,
        cards: usize,
        draw: usize,
    ) -> Result<Self, SpecError> {
        Ok(Entry {
            name: comparison.name,
            comparison: true,
            unchecked: Counts::of(&(comparison.circuit)(cards, draw)?).into(),
            checked: None,
        })
    }
}

/// A circuit that is only compared with.
pub(super) struct Comparison {
    pub(super) name: &'static str,
    circuit: fn(cards: usize, draw: usize) -> Result<Circuit, SpecError>,
    /// About how many ANDs it has, rather too many; nothing is built for it.
    pub(super) estimated_ands: fn(cards: usize, draw: usize) -> usize,
}

/// Bits of a key for the classical way.
const KEY_BITS: usize = 48;

/// Draw i moves words along all places behind it.
fn ands_of_swaps(cards: usize, draw: usize) -> usize {
    (cards * draw - draw * draw / 2) * card_bits(cards)
}

/// Each switch compares two keys, and moves them and the cards.
fn ands_of_sorting(cards: usize, _: usize) -> usize {
    let depth = card_bits(cards);
    let switches = (cards.next_power_of_two() / 2) * (depth * (depth + 1) / 2);
    switches * (2 * KEY_BITS + depth)
}

fn card_bits(cards: usize) -> usize {
    cards.next_power_of_two().ilog2() as usize
}

impl Comparison {
    /// The name of a biased shuffle.
    pub(super) const fn name_of(biased: Biased) -> &'static str {
        match biased {
            Biased::FairBitBubble => "bubble-fair-bits",
            Biased::XorThenModulo => "fisher-yates-xor-modulo",
        }
    }

    /// All of them.
    pub(super) const ALL: [Self; 3] = [
        Comparison {
            name: Self::name_of(Biased::FairBitBubble),
            circuit: |cards, draw| Biased::FairBitBubble.circuit(cards, draw),
            estimated_ands: ands_of_swaps,
        },
        Comparison {
            name: Self::name_of(Biased::XorThenModulo),
            circuit: |cards, draw| Biased::XorThenModulo.circuit(cards, draw),
            estimated_ands: ands_of_swaps,
        },
        Comparison {
            name: "bitonic-48-bit-keys",
            circuit: |cards, draw| Ok(sort_by_joint_keys(cards, draw, KEY_BITS)),
            estimated_ands: ands_of_sorting,
        },
    ];
}
