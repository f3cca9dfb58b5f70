//! The curves of a plot, and the quantities on the vertical axis.

use std::fmt;

use dealerless::circuit::bristol::Netlist;
use dealerless::circuit::{Circuit, Party, Structure};
use dealerless::mpc::Demand;
use dealerless::shuffle::{Algorithm, ShuffleCircuit, Spec};
use serde::{Serialize, Serializer};

use crate::circuit::entry::{Comparison, HALF_GATE_BYTES, malicious_bytes};
use crate::circuit::owners::Owners;
use crate::plot::{BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, SKY_BLUE, Stroke, VERMILION};

/// A family of circuits, one for each deck and draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Curve {
    /// A shuffle that matches can use.
    Shuffle(Algorithm),
    /// A comparison circuit, by its index in [`Comparison::ALL`].
    Comparison(usize),
}

impl Curve {
    /// All comparison circuits.
    pub(super) fn comparisons() -> impl Iterator<Item = Self> {
        (0..Comparison::ALL.len()).map(Curve::Comparison)
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Curve::Shuffle(algorithm) => algorithm.name(),
            Curve::Comparison(place) => Comparison::ALL[place].name,
        }
    }

    pub(super) fn is_comparison(self) -> bool {
        matches!(self, Curve::Comparison(_))
    }

    /// The stroke of the curve: a colour, and a dash pattern for print without colours.
    pub(super) fn stroke(self) -> Stroke {
        const SHUFFLES: [Stroke; 7] = [
            Stroke::solid(BLUE),
            Stroke::dashed(SKY_BLUE, 9, 4),
            Stroke::dashed(VERMILION, 5, 4),
            Stroke::dashed(BLACK, 2, 4),
            Stroke::solid(PURPLE),
            Stroke::dashed(ORANGE, 12, 4),
            Stroke::solid(GREEN),
        ];
        const COMPARISONS: [Stroke; 3] = [
            Stroke::dashed(GREY, 12, 4),
            Stroke::dashed(GREY, 6, 4),
            Stroke::dashed(GREY, 2, 3),
        ];
        match self {
            Curve::Shuffle(algorithm) => SHUFFLES[algorithm as usize % SHUFFLES.len()],
            Curve::Comparison(place) => COMPARISONS[place % COMPARISONS.len()],
        }
    }

    /// Builds the circuit for a deck and a draw, and counts `y`. The deck and the draw must be in
    /// bounds. The value is 0 if `y` requires a session and the circuit is too large for one.
    pub(super) fn value(self, y: Y, checked: bool, cards: usize, draw: usize) -> usize {
        const BOUNDS: &str = "the number lies between two numbers that are in bounds";
        let value = match self {
            Curve::Shuffle(algorithm) => {
                let spec = Spec::new(cards, draw, algorithm).expect(BOUNDS);
                let shuffle = if checked {
                    ShuffleCircuit::build_checked(spec)
                } else {
                    ShuffleCircuit::build(spec)
                };
                y.of(shuffle.circuit())
            }
            Curve::Comparison(place) => {
                y.of(&(Comparison::ALL[place].circuit)(cards, draw).expect(BOUNDS))
            }
        };
        value.unwrap_or(0)
    }
}

impl fmt::Display for Curve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for Curve {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// The quantity on the vertical axis.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Y {
    /// AND gates.
    Ands,
    /// AND gates that depend on inputs of both parties.
    JointAnds,
    /// AND gates on the longest path.
    Depth,
    /// Bytes of garbled tables, with half gates.
    GarbledBytes,
    /// Bytes of a malicious run in both directions, from an empty pool.
    MaliciousBytes,
    /// XOR gates.
    Xor,
}

/// The labels for the quantity on the vertical axis.
pub(super) struct Words {
    /// The start of the title.
    pub(super) title: &'static str,
    /// The title of the axis.
    pub(super) axis: &'static str,
    /// The column name in a file of points.
    pub(super) column: &'static str,
    pub(super) unit: &'static str,
}

impl Y {
    /// Counts a circuit with one input value per party; `None` if the quantity requires a session
    /// and the circuit is too large for one.
    fn of(self, circuit: &Circuit) -> Option<usize> {
        let structure = circuit.structure(Some(&Party::BOTH));
        self.of_either(&structure, || Some(Demand::of(circuit)))
    }

    /// Counts a netlist as written or, for the cost of a run, as it is run. `None` if the quantity
    /// requires the owners of the inputs, but the owners are unknown.
    pub(super) fn of_netlist(self, netlist: &Netlist) -> Option<usize> {
        let owners = Owners::obvious(netlist.inputs().len());
        let owners = owners.as_ref().map(Owners::parties);
        self.of_either(&netlist.structure(owners), || {
            Some(Demand::with_owners(&netlist.circuit(), owners?))
        })
    }

    fn of_either(
        self,
        structure: &Structure,
        demand: impl FnOnce() -> Option<Demand>,
    ) -> Option<usize> {
        Some(match self {
            Y::Ands => structure.and,
            Y::JointAnds => structure.ands_by_owner?.joint,
            Y::Depth => structure.and_depth,
            Y::GarbledBytes => {
                let ands = structure.ands_by_owner;
                HALF_GATE_BYTES * ands.map_or(structure.and, |ands| ands.joint)
            }
            Y::MaliciousBytes => malicious_bytes(demand()?)? as usize,
            Y::Xor => structure.xor,
        })
    }

    /// The labels of the quantity.
    pub(super) fn words(self) -> Words {
        let (title, axis, column, unit) = match self {
            Y::Ands => ("AND gates", "AND gates of the circuit", "and", "ANDs"),
            Y::JointAnds => (
                "AND gates that depend on both parties",
                "AND gates that depend on inputs of both",
                "joint_and",
                "joint ANDs",
            ),
            Y::Depth => (
                "AND depth",
                "AND gates on the longest path",
                "and_depth",
                "layers",
            ),
            Y::GarbledBytes => (
                "Bytes garbled",
                "bytes of garbled tables (half gates)",
                "half_gate_bytes",
                "bytes",
            ),
            Y::MaliciousBytes => (
                "Bytes of a malicious run",
                "bytes both ways, from an empty pool",
                "malicious_bytes",
                "bytes",
            ),
            Y::Xor => ("XOR gates", "XOR gates of the circuit", "xor", "XORs"),
        };
        Words {
            title,
            axis,
            column,
            unit,
        }
    }

    /// The description of the lowest curve.
    pub(super) fn lowest(self) -> &'static str {
        match self {
            Y::Depth => "the shallowest",
            _ => "the cheapest",
        }
    }
}
