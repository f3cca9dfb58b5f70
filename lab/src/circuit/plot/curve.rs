//! A curve, and what of its circuits is counted.

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
    /// A shuffle that is played with.
    Shuffle(Algorithm),
    /// A circuit that is only compared with, by its place in the list of all.
    Comparison(usize),
}

impl Curve {
    /// All circuits that are only compared with.
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

    /// Look of the curve: a colour, and for print a dash.
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

    /// What the circuit for a deck and a draw that are within bounds has; 0 if no session runs it, and
    /// that matters.
    pub(super) fn value(self, y: Y, checked: bool, cards: usize, draw: usize) -> usize {
        const BOUNDS: &str = "between two that are in bounds";
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

/// What the vertical axis counts.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Y {
    /// AND gates.
    Ands,
    /// AND gates that depend on inputs of both parties.
    JointAnds,
    /// The most AND gates on a path.
    Depth,
    /// Bytes of garbled tables, as half gates.
    GarbledBytes,
    /// Bytes of a malicious run, both ways, from an empty pool.
    MaliciousBytes,
    /// XOR gates.
    Xor,
}

/// Words for what the vertical axis counts.
pub(super) struct Words {
    /// Begin of the title.
    pub(super) title: &'static str,
    /// Title of the axis.
    pub(super) axis: &'static str,
    /// Column of a file of points.
    pub(super) column: &'static str,
    pub(super) unit: &'static str,
}

impl Y {
    /// Of a circuit with one input value a party; none if no session runs so large a one, and that
    /// matters.
    fn of(self, circuit: &Circuit) -> Option<usize> {
        let structure = circuit.structure(Some(&Party::BOTH));
        self.of_either(&structure, || Some(Demand::of(circuit)))
    }

    /// Of a netlist as it is written, or, for what a run takes, as it is run; none if it is not known
    /// whose its inputs are, and that matters.
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

    /// What is written of it.
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

    /// What the lowest curve is.
    pub(super) fn lowest(self) -> &'static str {
        match self {
            Y::Depth => "the shallowest",
            _ => "the cheapest",
        }
    }
}
