//! The circuits that `stats` counts, and what is counted of each.

use dealerless::circuit::bristol::Netlist;
use dealerless::circuit::{ByParty, Circuit, Party, Structure};
use dealerless::mpc::{Demand, MaliciousBytes, STATISTICAL_SECURITY};
use dealerless::shuffle::comparison::biased::Biased;
use dealerless::shuffle::comparison::sort_by_joint_keys;
use dealerless::shuffle::{Algorithm, Computed, InSlices, ShuffleCircuit, Spec, SpecError};
use serde::Serialize;

use super::netlist_file;
use super::owners::Owners;

/// Bytes of garbled tables for an AND gate: two blocks, as half gates.
pub(super) const HALF_GATE_BYTES: usize = 32;

/// Bytes of one run with this demand in a malicious session, both ways, from an empty pool; none if no
/// session runs so large a circuit.
pub(super) fn malicious_bytes(demand: Demand) -> Option<u64> {
    let bytes = MaliciousBytes::of(demand, 1, STATISTICAL_SECURITY);
    bytes.ok().map(|bytes| bytes.total())
}

/// The size of one circuit: all of it, if the circuit was built.
#[derive(Clone, Serialize)]
pub(super) struct Counts {
    pub(super) and: usize,
    /// The ANDs that depend on inputs of both; absent, as the next two, if it is not known whose the
    /// inputs are.
    pub(super) joint_and: Option<usize>,
    /// The ANDs that the garbler could compute alone.
    pub(super) garbler_and: Option<usize>,
    /// The ANDs that the evaluator could compute alone.
    pub(super) evaluator_and: Option<usize>,
    /// Bits; absent if it is not known whose the inputs are.
    pub(super) garbler_inputs: Option<usize>,
    /// Bits.
    pub(super) evaluator_inputs: Option<usize>,
    /// Bits.
    pub(super) outputs: usize,
    pub(super) half_gate_bytes: usize,
    /// Of the circuit as it is run; absent if it is not known whose the inputs are, or no session
    /// runs so large a circuit.
    pub(super) malicious_bytes: Option<u64>,
    /// Whether it is computed, and no circuit was built.
    pub(super) computed: bool,
    /// Whether the number of ANDs is exact.
    pub(super) exact: bool,
    #[serde(flatten)]
    pub(super) built: Option<Built>,
}

/// What only a circuit that was built tells.
#[derive(Clone, Serialize)]
pub(super) struct Built {
    pub(super) xor: usize,
    pub(super) not: usize,
    /// AND, XOR and NOT together.
    pub(super) gates: usize,
    pub(super) and_depth: usize,
    /// The ANDs that are left when the netlist is read to be run.
    pub(super) run_and: usize,
    pub(super) depth: usize,
    pub(super) widest_layer: usize,
    pub(super) mean_layer: f64,
    /// Absent if it was built in slices.
    pub(super) live_wires: Option<usize>,
    /// Constants and copies of wires.
    pub(super) copies: usize,
    pub(super) dead: usize,
    /// The bits of each input value.
    pub(super) input_bits: Vec<usize>,
    /// Of the circuit as it is run; absent if it was built in slices.
    pub(super) digest: Option<String>,
}

/// What a run of a shuffle uses up, given the ANDs that depend on both parties' inputs and on those of
/// one, and the bits of both parties' inputs.
fn shuffle_demand(
    joint: usize,
    owned: ByParty<usize>,
    inputs: [usize; 2],
    outputs: usize,
) -> Demand {
    Demand {
        ands: joint,
        inputs: ByParty::from_fn(|party| inputs[party as usize] + owned[party]),
        proofs: ByParty::from_fn(|party| usize::from(owned[party] > 0)),
        // No output of a shuffle is a constant.
        outputs,
    }
}

impl Counts {
    /// Of a circuit with one input value per party.
    pub(super) fn of(circuit: &Circuit) -> Self {
        let owners = Owners::obvious(circuit.inputs().len());
        let parties = owners.as_ref().map(Owners::parties);
        let structure = circuit.structure(parties);
        let outputs = circuit.output_bits();
        let digest = netlist_file::digest(circuit);
        let built = Built::new(&structure, circuit.ands(), circuit.inputs(), Some(digest));
        let demand = parties.map(|parties| Demand::with_owners(circuit, parties));
        Self::new(&structure, built, outputs, owners.as_ref(), demand)
    }

    /// Of a netlist as it is written.
    pub(super) fn of_netlist(netlist: &Netlist, owners: Option<&Owners>) -> Self {
        let structure = netlist.structure(owners.map(Owners::parties));
        let outputs = netlist.outputs().iter().sum();
        let circuit = netlist.circuit();
        let digest = netlist_file::digest(&circuit);
        let built = Built::new(&structure, circuit.ands(), circuit.inputs(), Some(digest));
        let demand = owners.map(|owners| Demand::with_owners(&circuit, owners.parties()));
        Self::new(&structure, built, outputs, owners, demand)
    }

    /// Of a shuffle that is built in slices.
    fn of_slices(spec: Spec, checked: bool, progress: &impl Fn(usize)) -> Option<Self> {
        let shuffle = InSlices::new(spec, checked)?;
        let structure = shuffle.structure(progress);
        let inputs =
            Party::BOTH.map(|party| shuffle.seeds(party).iter().map(|seed| seed.bits).sum());
        let validity = shuffle.validity().map_or(0, |_| Party::BOTH.len());
        let outputs = spec.draw() * spec.word_bits() + validity;
        let built = Built::new(&structure, structure.and, &inputs, None);
        let demand = structure.ands_by_owner.map(|ands| {
            let owned = ByParty {
                garbler: ands.garbler,
                evaluator: ands.evaluator,
            };
            shuffle_demand(ands.joint, owned, inputs, outputs)
        });
        let owners = Owners::obvious(inputs.len());
        Some(Self::new(
            &structure,
            built,
            outputs,
            owners.as_ref(),
            demand,
        ))
    }

    /// Of what was built.
    fn new(
        structure: &Structure,
        built: Built,
        outputs: usize,
        owners: Option<&Owners>,
        demand: Option<Demand>,
    ) -> Self {
        let ands = structure.ands_by_owner;
        let inputs = |party| {
            let widths = owners.map(|owners| owners.widths(&built.input_bits, party));
            widths.map(|widths| widths.iter().sum())
        };
        Counts {
            and: structure.and,
            joint_and: ands.map(|ands| ands.joint),
            garbler_and: ands.map(|ands| ands.garbler),
            evaluator_and: ands.map(|ands| ands.evaluator),
            garbler_inputs: inputs(Party::Garbler),
            evaluator_inputs: inputs(Party::Evaluator),
            outputs,
            half_gate_bytes: HALF_GATE_BYTES * ands.map_or(structure.and, |ands| ands.joint),
            malicious_bytes: demand.and_then(malicious_bytes),
            computed: false,
            exact: true,
            built: Some(built),
        }
    }

    /// Whether the circuit was built in slices.
    pub(super) fn in_slices(&self) -> bool {
        (self.built.as_ref()).is_some_and(|built| built.digest.is_none())
    }

    /// What only a circuit that was built tells, or nothing.
    pub(super) fn of_built(&self, tell: impl Fn(&Built) -> String) -> String {
        self.built.as_ref().map_or(String::new(), tell)
    }

    /// Of a shuffle that is not built.
    fn computed(computed: &Computed, checked: bool) -> Self {
        let (and, validity) = if checked {
            (computed.checked_and, computed.validity_outputs)
        } else {
            (computed.and, 0)
        };
        let outputs = computed.outputs + validity;
        let owned = if checked {
            computed.owned_and
        } else {
            // Without a check, an additive shuffle has none.
            ByParty {
                garbler: computed.and - computed.joint_and,
                evaluator: 0,
            }
        };
        let inputs = [computed.garbler_inputs, computed.evaluator_inputs];
        let demand = shuffle_demand(computed.joint_and, owned, inputs, outputs);
        Counts {
            and,
            joint_and: Some(computed.joint_and),
            garbler_and: Some(owned.garbler),
            evaluator_and: Some(owned.evaluator),
            garbler_inputs: Some(computed.garbler_inputs),
            evaluator_inputs: Some(computed.evaluator_inputs),
            outputs,
            half_gate_bytes: HALF_GATE_BYTES * computed.joint_and,
            malicious_bytes: malicious_bytes(demand),
            computed: true,
            exact: computed.exact,
            built: None,
        }
    }
}

impl Built {
    /// Of what has this structure, and is run as a circuit of so many ANDs.
    fn new(
        structure: &Structure,
        run_and: usize,
        input_bits: &[usize],
        digest: Option<String>,
    ) -> Self {
        Built {
            xor: structure.xor,
            not: structure.not,
            gates: structure.gates(),
            and_depth: structure.and_depth,
            run_and,
            depth: structure.depth,
            widest_layer: structure.widest_layer,
            // Hundredths.
            mean_layer: (100.0 * structure.mean_layer()).round() / 100.0,
            live_wires: structure.live_wires,
            copies: structure.copies,
            dead: structure.dead,
            input_bits: input_bits.to_vec(),
            digest,
        }
    }
}

/// A shuffle, and the size of its circuits for one deck and draw.
pub(super) struct Entry {
    pub(super) name: &'static str,
    /// Whether it is only compared with, and never offered to players.
    pub(super) comparison: bool,
    pub(super) unchecked: Counts,
    /// With the check that both parties' inputs are in range; absent where there is none.
    pub(super) checked: Option<Counts>,
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
            unchecked,
            checked: Some(checked_counts),
        })
    }

    /// The same, built in slices: nothing if the shuffle does not come in slices. `progress` hears how
    /// many ANDs there are so far.
    pub(super) fn in_slices(spec: Spec, progress: impl Fn(usize)) -> Option<Self> {
        let counts = |checked| Counts::of_slices(spec, checked, &progress);
        Some(Entry {
            name: spec.algorithm().name(),
            comparison: false,
            unchecked: counts(false)?,
            checked: Some(counts(true)?),
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
            unchecked: Counts::computed(&computed, false),
            checked: Some(Counts::computed(&computed, true)),
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
            unchecked: Counts::of(&(comparison.circuit)(cards, draw)?),
            checked: None,
        })
    }
}

/// A circuit that is only compared with.
pub(super) struct Comparison {
    pub(super) name: &'static str,
    pub(super) circuit: fn(cards: usize, draw: usize) -> Result<Circuit, SpecError>,
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
