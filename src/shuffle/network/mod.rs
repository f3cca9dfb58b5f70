//! Networks of switches: data that states which pairs of lines can be exchanged, and in what order.
//!
//! A switch has one control bit: 0 passes its two lines straight through, 1 exchanges them. A
//! network is a *permutation network* if every permutation is produced by some setting of its
//! switches. To find this setting is to *route* the permutation. All networks here are permutation
//! networks:
//!
//! | network | switches | 52 lines | routed by |
//! |---|---|---|---|
//! | `bitonic` | about n/4 log2² n | 466 | sorting |
//! | `odd_even` | about n/4 log2² n - n/4 log2 n | 417 | sorting |
//! | `waksman` | sum of ceil(log2 i), i = 1..n | 249 | looping |
//!
//! Fair control bits do not give a uniform permutation: n! does not divide a power of 2 for n > 2.
//! So each party routes a uniform permutation through its own copy of the network, and the deck
//! passes through both copies. The composition of two permutations is uniform if one of them is
//! uniform and independent of the other. Whatever bits a party enters, its copy only permutes the
//! cards. If m of n cards are drawn, the second copy has only the switches that the m outputs
//! [need](Network::needed).

pub(super) mod bitonic;
mod composed;
pub(super) mod odd_even;
mod reshuffle;
mod seam;
mod sorting;
mod translation;
pub(super) mod waksman;

pub(super) use composed::{Composed, Copies, plaintext};
pub use reshuffle::Reshuffle;

use zeroize::Zeroizing;

use super::randomness::check_permutation;

/// A switch between two different lines.
///
/// A switch itself has no direction. In a sorting network, the smaller key leaves on `upper`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Switch {
    /// The line that gets the smaller key when the network sorts.
    pub(crate) upper: usize,
    /// The line that gets the larger key when the network sorts.
    pub(crate) lower: usize,
}

/// A permutation network: its switches in order, on lines `0..n`.
///
/// Input i enters on line i.
#[derive(Clone, Debug)]
pub(crate) struct Network {
    switches: Vec<Switch>,
    outputs: Vec<usize>,
    routing: Routing,
}

/// The algorithm that sets the switches for a permutation.
#[derive(Clone, Debug)]
enum Routing {
    /// Sorts by destination.
    Sorting,
    /// For a flipped sorting network. Sorts by origin, from the last switch to the first.
    Flipped,
    /// Waksman's looping algorithm.
    Looping(waksman::Blocks),
}

impl Network {
    fn sorting(switches: Vec<Switch>, outputs: Vec<usize>) -> Self {
        Self {
            switches,
            outputs,
            routing: Routing::Sorting,
        }
    }

    /// n, the number of lines.
    pub(crate) fn lines(&self) -> usize {
        self.outputs.len()
    }

    /// The switches, in an order in which the items can pass through them.
    pub(crate) fn switches(&self) -> &[Switch] {
        &self.switches
    }

    /// The line that carries each output.
    pub(crate) fn outputs(&self) -> &[usize] {
        &self.outputs
    }

    /// The numbers of the switches that the first m outputs depend on, in order.
    ///
    /// Goes from the last switch to the first. A switch is needed if one of its lines is needed
    /// after it. Then both lines are needed before it. (If only one line is needed, the switch is a
    /// multiplexer, which costs as much.)
    ///
    /// # Panics
    /// Panics if the network has fewer than m outputs.
    pub(crate) fn needed(&self, m: usize) -> Vec<usize> {
        let mut live = vec![false; self.lines()];
        for &line in &self.outputs[..m] {
            live[line] = true;
        }
        let mut needed = Vec::new();
        for (number, &Switch { upper, lower }) in self.switches.iter().enumerate().rev() {
            if live[upper] || live[lower] {
                (live[upper], live[lower]) = (true, true);
                needed.push(number);
            }
        }
        needed.reverse();
        needed
    }

    /// The setting of the switches that produces a permutation: output j is input `permutation[j]`.
    ///
    /// Not in constant time. Checking, inverting and looping make memory accesses that depend on
    /// the permutation. Another process that shares the machine's caches may learn something about
    /// the permutation. The comparisons and exchanges of a sorting network do not depend on the
    /// permutation.
    ///
    /// # Panics
    /// Panics if `permutation` is not a permutation of `0..n`.
    pub(crate) fn route(&self, permutation: &[u32]) -> Zeroizing<Vec<bool>> {
        assert!(
            check_permutation(self.lines(), permutation.iter().map(|&item| item.into())).is_ok(),
            "not a permutation of the lines"
        );
        match &self.routing {
            Routing::Sorting => sorting::route(self, permutation),
            Routing::Flipped => sorting::route_flipped(self, permutation),
            Routing::Looping(blocks) => blocks.route(permutation),
        }
    }

    /// The outputs of the network for the inputs `items`, given the setting of the switches.
    ///
    /// # Panics
    /// Panics if there is not exactly one item for each line and one bit for each switch.
    #[cfg(test)]
    pub(crate) fn apply<T: Clone>(&self, setting: &[bool], items: &[T]) -> Vec<T> {
        assert_eq!(
            setting.len(),
            self.switches.len(),
            "one bit for each switch"
        );
        assert_eq!(items.len(), self.lines(), "one item for each line");
        let mut lines = items.to_vec();
        for (&Switch { upper, lower }, &exchange) in self.switches.iter().zip(setting) {
            if exchange {
                lines.swap(upper, lower);
            }
        }
        (self.outputs.iter())
            .map(|&line| lines[line].clone())
            .collect()
    }
}

/// The bitonic sorting network of Batcher (Sorting networks and their applications, 1968), for any
/// number of lines (Lang 1998).
#[cfg(any(test, feature = "comparison"))]
pub(crate) fn bitonic(lines: usize) -> Network {
    bitonic::network(lines, sorting::halves)
}

/// The odd-even merge sorting network of Batcher (Sorting networks and their applications, 1968),
/// for any number of lines.
#[cfg(test)]
pub(crate) fn odd_even(lines: usize) -> Network {
    odd_even::network(lines, sorting::halves)
}

/// A flipped bitonic sorting network: first the merge, and then the sorting of each of the two
/// parts. The first part has `part` lines (1 to n - 1).
///
/// # Panics
/// Panics if one of the parts is empty.
#[cfg(test)]
pub(crate) fn flipped_bitonic(lines: usize, part: usize) -> Network {
    assert!((1..lines).contains(&part), "both parts must have lines");
    sorting::flipped(bitonic::network(lines, sorting::in_parts(lines, part)))
}

/// The permutation network of Waksman (A permutation network, 1968), for any number of lines
/// (Beauquier and Darrot 2002).
pub(crate) fn waksman(lines: usize) -> Network {
    waksman::network(lines, lines)
}

/// A Waksman network laid out for its first m outputs, so that they need as few switches as
/// possible.
#[cfg(test)]
pub(crate) fn waksman_for(lines: usize, m: usize) -> Network {
    waksman::network(lines, m)
}

#[cfg(test)]
mod tests;
