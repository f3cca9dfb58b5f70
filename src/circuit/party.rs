//! The two parties.

use std::fmt;
use std::ops::{Index, IndexMut};

/// One of the two parties that run a circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Party {
    /// The party that garbles: A in the papers.
    Garbler,
    /// The party that evaluates the garbled circuit: B in the papers.
    Evaluator,
}

impl Party {
    /// Both parties, the garbler first.
    pub const BOTH: [Party; 2] = [Party::Garbler, Party::Evaluator];

    /// The other party.
    pub fn other(self) -> Self {
        match self {
            Party::Garbler => Party::Evaluator,
            Party::Evaluator => Party::Garbler,
        }
    }
}

/// One value for each party.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ByParty<V> {
    /// The value of the garbler.
    pub garbler: V,
    /// The value of the evaluator.
    pub evaluator: V,
}

impl<V> ByParty<V> {
    /// Calls `of` for each party, the garbler first.
    pub fn from_fn(mut of: impl FnMut(Party) -> V) -> Self {
        ByParty {
            garbler: of(Party::Garbler),
            evaluator: of(Party::Evaluator),
        }
    }
}

impl<V> Index<Party> for ByParty<V> {
    type Output = V;

    fn index(&self, party: Party) -> &V {
        match party {
            Party::Garbler => &self.garbler,
            Party::Evaluator => &self.evaluator,
        }
    }
}

impl<V> IndexMut<Party> for ByParty<V> {
    fn index_mut(&mut self, party: Party) -> &mut V {
        match party {
            Party::Garbler => &mut self.garbler,
            Party::Evaluator => &mut self.evaluator,
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
