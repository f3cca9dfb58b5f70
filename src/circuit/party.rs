//! The two parties.

/// One of the two parties that run a circuit. It shows as its name in lower case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::Display)]
#[strum(serialize_all = "lowercase")]
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
