//! A curve, and what of its circuits is counted.

use std::fmt;

use dealerless::circuit::bristol::Netlist;
use dealerless::circuit::{Circuit, Party, Structure};
use dealerless::mpc::Demand;
use dealerless::shuffle::{Algorithm, ShuffleCircuit, Spec};
use serde::{Serialize, Serializer};

use crate::circuit::entry::{Comparison, HALF_GATE_BYTES, malicious_bytes};
use crate::circuit::owners::Owners;

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

    /// What the circuit for a deck and a draw that are within bounds has; 0 if no session runs it, and
    /// that matters.
    pub(super) fn value(self, y: Y, checked: bool, cards: usize, draw: usize) -> usize {
        const BOUNDS: &str = "between two that are in bounds";
        let value = match self {
            Curve::Shuffle(algorithm) => {
                let spec = Spec::new(cards, draw, algorithm).expect(BOUNDS);
                let shuffle = match checked {
                    true => ShuffleCircuit::build_checked(spec),
                    false => ShuffleCircuit::build(spec),
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

    /// What is counted, as the title begins.
    pub(super) fn title(self) -> &'static str {
        match self {
            Y::Ands => "AND gates",
            Y::JointAnds => "AND gates that depend on both parties",
            Y::Depth => "AND depth",
            Y::GarbledBytes => "Bytes garbled",
            Y::MaliciousBytes => "Bytes of a malicious run",
            Y::Xor => "XOR gates",
        }
    }

    /// What is written along the axis.
    pub(super) fn axis(self) -> &'static str {
        match self {
            Y::Ands => "AND gates of the circuit",
            Y::JointAnds => "AND gates that depend on inputs of both",
            Y::Depth => "AND gates on the longest path",
            Y::GarbledBytes => "bytes of garbled tables (half gates)",
            Y::MaliciousBytes => "bytes both ways, from an empty pool",
            Y::Xor => "XOR gates of the circuit",
        }
    }

    /// The column of a file of points.
    pub(super) fn column(self) -> &'static str {
        match self {
            Y::Ands => "and",
            Y::JointAnds => "joint_and",
            Y::Depth => "and_depth",
            Y::GarbledBytes => "half_gate_bytes",
            Y::MaliciousBytes => "malicious_bytes",
            Y::Xor => "xor",
        }
    }

    /// The unit of a number of it.
    pub(super) fn unit(self) -> &'static str {
        match self {
            Y::Ands => "ANDs",
            Y::JointAnds => "joint ANDs",
            Y::Depth => "layers",
            Y::GarbledBytes | Y::MaliciousBytes => "bytes",
            Y::Xor => "XORs",
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
