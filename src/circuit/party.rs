//! The two parties.

use std::fmt;

/// One of the two parties that run a circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Party {
    /// The party that garbles: A in the papers.
    Garbler,
    /// The party that evaluates what was garbled: B in the papers.
    Evaluator,
}

impl Party {
    /// The other one.
    pub fn other(self) -> Self {
        match self {
            Party::Garbler => Party::Evaluator,
            Party::Evaluator => Party::Garbler,
        }
    }
}

impl fmt::Display for Party {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Party::Garbler => "garbler",
            Party::Evaluator => "evaluator",
        })
    }
}
