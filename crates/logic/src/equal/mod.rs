//! Whether two netlists compute the same function, by SAT sweeping.
//!
//! A search for an input on which two circuits differ is hopeless for large circuits if it only
//! looks at the outputs. *SAT sweeping* works from the inputs to the outputs, and merges nodes that
//! are equal, so that each proof needs only the gates between merged nodes:
//!
//! 1. Both netlists enter one graph, in which equal gates are one node (Kuehlmann and Krohm,
//!    "Equivalence checking using cuts and heaps", DAC 1997). The graph has a node for each *linear
//!    form* of inputs and ANDs, so XORs of the same bits in any order are equal without a proof, and
//!    an AND is known by the span of its operands. This is how [`Builder`] shares gates. If all
//!    outputs are equal now, the search ends.
//! 2. Random inputs give each gate a signature. Gates with equal or complementary signatures are
//!    candidates for a proof (Mishchenko, Chatterjee, Brayton and Een, "Improvements to
//!    combinational equivalence checking", ICCAD 2006).
//! 3. In topological order, a SAT solver proves that two candidates are equal. The first attempts
//!    are over a window of a few ANDs near the two gates; the last one is over their whole cones. A
//!    proved gate is replaced by the earlier one. Otherwise the input found refines the signatures.
//! 4. If a proved gate is the XOR of ANDs of its own layer, the proof says what the XOR of these
//!    ANDs is. Such equations are solved for the ANDs, so that later forms of the second netlist
//!    consist of ANDs of the first one. Without this step, a netlist with other ANDs would have
//!    hardly any equal forms.
//! 5. The rounds repeat with more effort for each proof, until every pair of outputs is decided or
//!    the caller stops.
//!
//! Linear forms are compared by fingerprints of 256 random bits that the operating system seeds. Two
//! different forms have the same fingerprint with probability 2^-256, and a window uses at most 128
//! independent forms, so it assumes a wrong linear relation with probability below 2^-128. Up to
//! this probability, which no netlist can influence, *equal* is a proof. An input on which the
//! netlists differ is always evaluated by both of them.
//!
//! [`Builder`]: dealerless::circuit::Builder

use std::rc::Rc;

use dealerless::circuit::bristol::{CompareError, Netlist, check_shapes};

use self::sweep::Sweep;

mod basis;
mod cnf;
mod cones;
mod literal;
mod network;
mod nodes;
mod sweep;
mod window;

#[cfg(test)]
mod tests;

/// The maximum number of gates of both netlists together. Larger netlists are not decided. A gate
/// takes about 150 bytes of memory.
pub const MAX_GATES: usize = 1 << 23;

/// Whether two netlists compute the same function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// They compute the same function.
    Equal,
    /// They differ on this input: the bits of the input values, one value after the other.
    Different(Vec<bool>),
    /// The caller stopped the search, or the netlists have more than [`MAX_GATES`] gates.
    Undecided {
        /// The number of output bits that are equal.
        proved: usize,
        /// The number of output bits.
        of: usize,
    },
}

/// Decides whether `a` and `b` compute the same function. Values without bits are ignored.
///
/// `stop` is called often, also within a proof; the search ends soon after it returns `true`.
/// `progress` is called with the number of the round, from 1, and the number of gates swept in it.
///
/// # Errors
/// When the values have different numbers of bits.
pub fn decide(
    a: &Netlist,
    b: &Netlist,
    stop: impl Fn() -> bool + 'static,
    progress: impl FnMut(u32, usize),
) -> Result<Verdict, CompareError> {
    check_shapes(a, b)?;
    if a.gates().saturating_add(b.gates()) > MAX_GATES {
        return Ok(Verdict::Undecided {
            proved: 0,
            of: a.outputs().iter().sum(),
        });
    }
    let verdict = Sweep::new([a, b], Rc::new(stop)).run(progress);
    if let Verdict::Different(input) = &verdict {
        assert!(
            outputs(a, input) != outputs(b, input),
            "the netlists agree on an input on which their gates differ"
        );
    }
    Ok(verdict)
}

/// The output bits for the bits of all input values.
fn outputs(netlist: &Netlist, input: &[bool]) -> Vec<bool> {
    let mut bits = input.iter().copied();
    let widths = netlist.inputs().iter();
    let inputs: Vec<Vec<bool>> = widths
        .map(|&width| bits.by_ref().take(width).collect())
        .collect();
    let outputs = netlist.evaluate(&inputs);
    let outputs = outputs.expect("the input has the shape of the netlist");
    outputs.concat()
}
