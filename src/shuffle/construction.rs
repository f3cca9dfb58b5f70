//! The constructions of algorithms.
//!
//! Each algorithm has one [`Construction`]; `catalogue.rs` lists them. All other code knows only
//! the two kinds of constructions.

use super::deck::Card;
use super::network::Copies;
use super::spec::Spec;
use crate::circuit::Builder;

/// The construction of an algorithm.
pub(super) enum Construction {
    /// Draw i takes an index `r_i = (a_i + b_i) mod (n - i)` from the seeds of both parties.
    Additive(Additive),
    /// The deck goes through two copies of a permutation network, one set by each party.
    Routed(Copies),
}

/// A shuffle that is determined by the indices r_i.
#[derive(Debug)]
pub(super) struct Additive {
    /// The m drawn cards, given the r_i: the definition of the shuffle.
    pub(super) plaintext: fn(Spec, &[usize]) -> Vec<u32>,
    /// Records the circuit and returns the m drawn cards.
    pub(super) record: fn(&mut Builder, Spec) -> Vec<Card>,
    /// The number of ANDs that `record` records.
    pub(super) cost: fn(Spec) -> Cost,
}

/// A number of ANDs, computed without a circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cost {
    pub(super) ands: usize,
    /// Whether the number is exact. Otherwise it is a few per cent too high.
    pub(super) exact: bool,
}

impl Cost {
    pub(super) fn exact(ands: usize) -> Self {
        Self { ands, exact: true }
    }
}
