//! The owner of each input value of a netlist: the party that enters the value.

use std::str::FromStr;

use anyhow::{Context, ensure};
use dealerless::circuit::Party;

/// A party, as named on the command line.
#[derive(Clone, Copy)]
pub(crate) struct Owner(Party);

impl FromStr for Owner {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "g" | "garbler" => Ok(Owner(Party::Garbler)),
            "e" | "evaluator" => Ok(Owner(Party::Evaluator)),
            _ => Err("expected g (garbler) or e (evaluator)".into()),
        }
    }
}

impl Owner {
    /// The party.
    pub(super) fn party(self) -> Party {
        self.0
    }
}

/// The owner of each input value.
pub(crate) struct Owners(Vec<Party>);

impl Owners {
    /// The owners `given`. If `given` is empty, the first value belongs to the garbler and the
    /// second to the evaluator.
    ///
    /// # Errors
    /// If the numbers of owners and values differ, or `given` is empty for three or more values.
    pub(crate) fn of(values: usize, given: &[Owner]) -> anyhow::Result<Self> {
        if given.is_empty() {
            return Self::obvious(values).with_context(|| {
                format!(
                    "the netlist has {values} input values; name the owner of each with --owner"
                )
            });
        }
        ensure!(
            given.len() == values,
            "the netlist has {values} input values, but --owner names {}",
            given.len()
        );
        Ok(Owners(given.iter().map(|owner| owner.0).collect()))
    }

    /// The default owners of at most two values; `None` for more values.
    pub(super) fn obvious(values: usize) -> Option<Self> {
        let owners = Party::BOTH.get(..values)?;
        Some(Owners(owners.to_vec()))
    }

    /// The owner of each value.
    pub(crate) fn parties(&self) -> &[Party] {
        &self.0
    }

    /// Selects the widths of a party's values from `inputs`, the widths of all values in bits.
    pub(crate) fn widths(&self, inputs: &[usize], party: Party) -> Vec<usize> {
        let owned = self.0.iter().zip(inputs);
        let owned = owned.filter(|(owner, _)| **owner == party);
        owned.map(|(_, &bits)| bits).collect()
    }

    /// The owners in the notation of the command line, without commas.
    pub(crate) fn letters(&self) -> String {
        self.0
            .iter()
            .map(|owner| match owner {
                Party::Garbler => 'g',
                Party::Evaluator => 'e',
            })
            .collect()
    }
}
