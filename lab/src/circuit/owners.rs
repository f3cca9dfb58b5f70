//! Which party enters which input value of a netlist.

use std::str::FromStr;

use anyhow::{Context, ensure};
use dealerless::circuit::Party;

/// A party's name on the command line.
#[derive(Clone, Copy)]
pub(crate) struct Owner(Party);

impl FromStr for Owner {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "g" | "garbler" => Ok(Owner(Party::Garbler)),
            "e" | "evaluator" => Ok(Owner(Party::Evaluator)),
            _ => Err("an owner is g (garbler) or e (evaluator)".into()),
        }
    }
}

/// The owner of each input value.
pub(crate) struct Owners(Vec<Party>);

impl Owners {
    /// The owners as given, or the obvious ones: the first value is the garbler's, the second the
    /// evaluator's.
    ///
    /// # Errors
    /// When there is not one for each value, or three values or more come without.
    pub(crate) fn of(values: usize, given: &[Owner]) -> anyhow::Result<Self> {
        if given.is_empty() {
            return Self::obvious(values).with_context(|| {
                format!("the netlist has {values} input values; say whose each is with --owner")
            });
        }
        ensure!(
            given.len() == values,
            "the netlist has {values} input values, and --owner names {}",
            given.len()
        );
        Ok(Owners(given.iter().map(|owner| owner.0).collect()))
    }

    /// The owners of the values, if they are obvious.
    pub(super) fn obvious(values: usize) -> Option<Self> {
        let owners = Party::BOTH.get(..values)?;
        Some(Owners(owners.to_vec()))
    }

    /// The owner of each value.
    pub(crate) fn parties(&self) -> &[Party] {
        &self.0
    }

    /// The bits of each of a party's values, of the bits of all values.
    pub(crate) fn widths(&self, inputs: &[usize], party: Party) -> Vec<usize> {
        let owned = self.0.iter().zip(inputs);
        let owned = owned.filter(|(owner, _)| **owner == party);
        owned.map(|(_, &bits)| bits).collect()
    }

    /// The owners as the command line writes them.
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
