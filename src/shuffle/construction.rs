//! What an algorithm is made of.
//!
//! Each algorithm has one [`Construction`]; the file `catalogue.rs` has the list. Everything else knows only
//! the two kinds of constructions.

use super::deck::Card;
use super::network::Copies;
use super::spec::Spec;
use crate::circuit::Builder;

/// What an algorithm is made of.
pub(super) enum Construction {
    /// Draw i takes an index `r_i = (a_i + b_i) mod (n - i)` from the seeds of both parties.
    Additive(Additive),
    /// The deck goes through two copies of a permutation network, of which each party sets one.
    Routed(Copies),
}

/// A shuffle that is given by the indices r_i.
#[derive(Debug)]
pub(super) struct Additive {
    /// The m drawn cards, given the r_i: the definition of the shuffle.
    pub(super) plaintext: fn(Spec, &[usize]) -> Vec<u32>,
    /// Records the circuit, and gives the m drawn cards.
    pub(super) record: fn(&mut Builder, Spec) -> Vec<Card>,
    /// The ANDs that `record` records.
    pub(super) cost: fn(Spec) -> Cost,
}

/// A number of ANDs, told without a circuit.
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
