//! The circuits that `stats` counts, and the counts of each.

use dealerless::circuit::bristol::Netlist;
use dealerless::circuit::{ByParty, Circuit, Party, Structure};
use dealerless::mpc::{Demand, MaliciousBytes, STATISTICAL_SECURITY};
use dealerless::shuffle::comparison::biased::Biased;
use dealerless::shuffle::comparison::sort_by_joint_keys;
use dealerless::shuffle::{Algorithm, Computed, InSlices, ShuffleCircuit, Spec, SpecError};
use serde::Serialize;

use super::netlist_file;
use super::owners::Owners;

/// Bytes of the garbled table of an AND gate with half gates: two blocks.
pub(super) const HALF_GATE_BYTES: usize = 32;

/// Bytes of one run with this demand in a malicious session, in both directions, starting from an
/// empty pool. `None` if the circuit is too large for a session.
pub(super) fn malicious_bytes(demand: Demand) -> Option<u64> {
    let bytes = MaliciousBytes::of(demand, 1, STATISTICAL_SECURITY);
    bytes.ok().map(|bytes| bytes.total())
}

/// The size of one circuit. Some fields are absent unless the circuit was built.
#[derive(Clone, Serialize)]
pub(super) struct Counts {
    pub(super) and: usize,
    /// The ANDs that depend on inputs of both parties. This field and the next two are absent if
    /// the owners of the inputs are unknown.
    pub(super) joint_and: Option<usize>,
    /// The ANDs that depend only on the garbler's inputs.
    pub(super) garbler_and: Option<usize>,
    /// The ANDs that depend only on the evaluator's inputs.
    pub(super) evaluator_and: Option<usize>,
    /// The garbler's input bits; absent if the owners of the inputs are unknown.
    pub(super) garbler_inputs: Option<usize>,
    /// The evaluator's input bits; absent if the owners of the inputs are unknown.
    pub(super) evaluator_inputs: Option<usize>,
    /// The number of output bits.
    pub(super) outputs: usize,
    pub(super) half_gate_bytes: usize,
    /// The bytes of a malicious run of the circuit; absent if the owners of the inputs are unknown,
    /// or if the circuit is too large for a session.
    pub(super) malicious_bytes: Option<u64>,
    /// Whether the counts were computed without building a circuit.
    pub(super) computed: bool,
    /// Whether the number of ANDs is exact.
    pub(super) exact: bool,
    #[serde(flatten)]
    pub(super) built: Option<Built>,
}

/// The counts that are available only if the circuit was built.
#[derive(Clone, Serialize)]
pub(super) struct Built {
    pub(super) xor: usize,
    pub(super) not: usize,
    /// AND, XOR and NOT together.
    pub(super) gates: usize,
    pub(super) and_depth: usize,
    /// The ANDs left after the netlist is simplified for a run.
    pub(super) run_and: usize,
    pub(super) depth: usize,
    pub(super) widest_layer: usize,
    pub(super) mean_layer: f64,
    /// Absent if the circuit was built in slices.
    pub(super) live_wires: Option<usize>,
    /// The number of constants and copies of wires.
    pub(super) copies: usize,
    pub(super) dead: usize,
    /// The bits of each input value.
    pub(super) input_bits: Vec<usize>,
    /// The digest of the circuit as it is run; absent if the circuit was built in slices.
    pub(super) digest: Option<String>,
}

/// The resources that a run of a shuffle uses up. `joint` are the ANDs that depend on inputs of
/// both parties, `owned` the ANDs that depend on inputs of one party, and `inputs` the input bits
/// of each party.
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
    /// Counts a circuit with one input value per party.
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

    /// Counts the gates of a netlist as written.
    pub(super) fn of_netlist(netlist: &Netlist, owners: Option<&Owners>) -> Self {
        let structure = netlist.structure(owners.map(Owners::parties));
        let outputs = netlist.outputs().iter().sum();
        let circuit = netlist.circuit();
        let digest = netlist_file::digest(&circuit);
        let built = Built::new(&structure, circuit.ands(), circuit.inputs(), Some(digest));
        let demand = owners.map(|owners| Demand::with_owners(&circuit, owners.parties()));
        Self::new(&structure, built, outputs, owners, demand)
    }

    /// Counts a shuffle by building it in slices; `None` if it cannot be built in slices.
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

    /// Formats a count of a circuit that was built; an empty string for any other circuit.
    pub(super) fn of_built(&self, format: impl Fn(&Built) -> String) -> String {
        self.built.as_ref().map_or(String::new(), format)
    }

    /// Takes the counts from a computed size, without building the shuffle.
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
            // Without the check, no AND depends only on the evaluator's inputs.
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
    /// Takes the counts from a structure. `run_and` is the number of ANDs of the circuit as it is
    /// run.
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
            // Rounded to hundredths.
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
    /// Whether the shuffle serves only as a comparison and is never offered to players.
    pub(super) comparison: bool,
    pub(super) unchecked: Counts,
    /// The circuit with the check that both parties' inputs are in range; absent if there is no
    /// such circuit.
    pub(super) checked: Option<Counts>,
}

impl Entry {
    /// Counts a shuffle.
    ///
    /// # Errors
    /// Same as [`Spec::new`].
    pub(super) fn of_shuffle(
        algorithm: Algorithm,
        cards: usize,
        draw: usize,
    ) -> Result<Self, SpecError> {
        let spec = Spec::new(cards, draw, algorithm)?;
        let checked = ShuffleCircuit::build_checked(spec);
        let checked_counts = Counts::of(checked.circuit());
        // If every input is in range, both circuits are the same. Otherwise the checked circuit is
        // dropped before the other is built, since a large circuit takes a gigabyte.
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

    /// Counts a shuffle by building it in slices; `None` if it cannot be built in slices.
    /// `progress` is called with the number of ANDs so far.
    pub(super) fn in_slices(spec: Spec, progress: impl Fn(usize)) -> Option<Self> {
        let counts = |checked| Counts::of_slices(spec, checked, &progress);
        Some(Entry {
            name: spec.algorithm().name(),
            comparison: false,
            unchecked: counts(false)?,
            checked: Some(counts(true)?),
        })
    }

    /// Computes the counts of a shuffle without building it.
    ///
    /// # Errors
    /// Same as [`Computed::of`].
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

    /// Counts a circuit that serves only as a comparison.
    ///
    /// # Errors
    /// Same as [`Spec::new`].
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

/// A circuit that serves only as a comparison.
pub(super) struct Comparison {
    pub(super) name: &'static str,
    pub(super) circuit: fn(cards: usize, draw: usize) -> Result<Circuit, SpecError>,
    /// A high estimate of the number of ANDs, computed without building the circuit.
    pub(super) estimated_ands: fn(cards: usize, draw: usize) -> usize,
}

/// Bits of a key in the classical method, which sorts the cards by random keys.
const KEY_BITS: usize = 48;

/// Estimates the ANDs of a shuffle in which draw i moves words through all later positions.
fn ands_of_swaps(cards: usize, draw: usize) -> usize {
    (cards * draw - draw * draw / 2) * card_bits(cards)
}

/// Estimates the ANDs of sorting. Each switch compares two keys, and moves the keys and the cards.
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

    /// All comparison circuits.
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
