//! How much memory a command may take. It is told from the counts, before anything is built.

use std::fmt::Display;

use anyhow::ensure;
use dealerless::deck::Estimate;
use dealerless::mpc::Security;
use dealerless::shuffle::{InSlices, Spec};

use crate::output::{bytes, count};

/// The most memory that a command takes, as the user allows it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit(u64);

/// The option of commands whose counts the user gives.
#[derive(clap::Args)]
pub struct MemoryArgs {
    /// Refuse what takes more memory than this, by an estimate: 500M or 4G, for example.
    #[arg(long, value_name = "SIZE", default_value = "2G", value_parser = limit)]
    pub memory: Limit,
}

impl Limit {
    /// So many megabytes.
    pub const fn megabytes(number: u64) -> Self {
        Limit(number * UNITS[1].1)
    }

    /// Checks a circuit that is built and not run.
    ///
    /// # Errors
    /// When it takes too much.
    pub fn check_circuit(self, spec: Spec) -> anyhow::Result<()> {
        let ands = spec.estimated_ands(true);
        self.check_ands(spec.algorithm(), spec.cards(), spec.draw(), ands)
    }

    /// The same of a circuit that is built in slices, if it comes in slices.
    ///
    /// # Errors
    /// When it takes too much.
    pub fn check_slices(self, spec: Spec) -> anyhow::Result<()> {
        if InSlices::new(spec, true).is_none() {
            return self.check_circuit(spec);
        }
        self.check(SLICES, || "a circuit that is built in slices".into())
    }

    /// The same of a circuit that is known by its ANDs.
    ///
    /// # Errors
    /// When it takes too much.
    pub fn check_ands(
        self,
        name: impl Display,
        cards: usize,
        draw: usize,
        ands: usize,
    ) -> anyhow::Result<()> {
        let memory = Estimate::of_ands(ands, Security::SemiHonest, 0).memory(0);
        let (cards, draw) = (count(cards as u64), count(draw as u64));
        self.check(memory, || {
            format!("the {name} circuit that draws {draw} of {cards} cards")
        })
    }

    /// Checks a session of which this process is so many `parties`, with so many shuffles made
    /// ready `at_once`.
    ///
    /// # Errors
    /// When it takes too much.
    pub fn check_session(
        self,
        spec: Spec,
        security: Security,
        parties: u64,
        at_once: u32,
    ) -> anyhow::Result<()> {
        let estimate = Estimate::of(spec, security, at_once);
        self.check(estimate.memory(parties), || {
            let (draw, cards) = (count(spec.draw() as u64), count(spec.cards() as u64));
            let ands = count(estimate.ands() as u64);
            let algorithm = spec.algorithm();
            let ready = match at_once {
                1 => String::new(),
                _ => format!(", {} shuffles at once", count(at_once.into())),
            };
            format!(
                "a {security} session that draws {draw} of {cards} cards by {algorithm} ({ands} AND \
                 gates{ready})"
            )
        })
    }

    /// The same of a circuit that is known by its ANDs.
    ///
    /// # Errors
    /// When it takes too much.
    pub fn check_session_of(
        self,
        name: impl Display,
        ands: usize,
        security: Security,
        parties: u64,
        at_once: u32,
    ) -> anyhow::Result<()> {
        let memory = Estimate::of_ands(ands, security, at_once).memory(parties);
        self.check(memory, || {
            let (ands, at_once) = (count(ands as u64), count(at_once.into()));
            format!("a {security} session that runs {name} ({ands} AND gates, {at_once} at once)")
        })
    }

    fn check(self, memory: u64, what: impl FnOnce() -> String) -> anyhow::Result<()> {
        ensure!(
            memory <= self.0,
            "{} takes up to {} of memory, and {} are allowed; to allow more, say --memory {}",
            what(),
            bytes(memory),
            bytes(self.0),
            enough(memory)
        );
        Ok(())
    }
}

/// The most memory that slices take, of any shuffle: docs/circuits/counts.md has what was measured.
const SLICES: u64 = 150_000_000;

const UNITS: [(char, u64); 2] = [('G', 1_000_000_000), ('M', 1_000_000)];

/// Reads a number of megabytes or gigabytes.
pub fn limit(text: &str) -> Result<Limit, String> {
    let unit = |&(letter, unit): &(char, u64)| Some((text.strip_suffix(letter)?, unit));
    let (number, unit) = (UNITS.iter().find_map(unit))
        .ok_or("a number of megabytes or gigabytes is needed: 500M or 4G, for example")?;
    let bytes = number
        .parse()
        .ok()
        .and_then(|number: u64| number.checked_mul(unit));
    Ok(Limit(
        bytes.ok_or("a whole number is needed before M or G")?,
    ))
}

/// The smallest limit that allows `memory` bytes, in the form that [`limit`] reads.
fn enough(memory: u64) -> String {
    let &(letter, unit) = UNITS
        .iter()
        .find(|&&(_, unit)| memory >= unit)
        .unwrap_or(&UNITS[1]);
    format!("{}{letter}", memory.div_ceil(unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_a_whole_number_of_megabytes_or_gigabytes() {
        for (text, bytes) in [("500M", 500_000_000), ("4G", 4_000_000_000), ("0M", 0)] {
            assert_eq!(limit(text).map(|limit| limit.0), Ok(bytes));
        }
        for text in ["", "G", "4", "4g", "1.5G", "-1M", "4 G", "99999999999G"] {
            assert!(limit(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_limit_that_a_refusal_names_is_enough() {
        for memory in [
            0,
            1,
            999_999,
            64_000_001,
            999_999_999,
            1_000_000_001,
            u64::MAX,
        ] {
            let named = limit(&enough(memory)).map_or(u64::MAX, |limit| limit.0);
            assert!(named >= memory, "{memory}");
        }
    }
}
