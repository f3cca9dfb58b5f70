//! The memory limit of a command. The needed memory is estimated before any circuit is built.

use std::fmt::Display;

use anyhow::ensure;
use dealerless::deck::Estimate;
use dealerless::mpc::EngineKind;
use dealerless::shuffle::{InSlices, Spec};

use crate::output::{bytes, count};

/// The memory that a command may use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit(u64);

/// The memory option, for commands whose memory depends on numbers that the user gives.
#[derive(clap::Args)]
pub struct MemoryArgs {
    /// Memory limit, for example 500M or 4G. A command whose estimated need is larger does not
    /// start.
    #[arg(long, value_name = "SIZE", default_value = "2G", value_parser = limit)]
    pub memory: Limit,
}

impl Limit {
    /// Returns a limit of `number` megabytes.
    pub const fn megabytes(number: u64) -> Self {
        Limit(number * UNITS[1].1)
    }

    /// Checks a circuit that is built but not run.
    ///
    /// # Errors
    /// If the circuit needs more memory than the limit.
    pub fn check_circuit(self, spec: Spec) -> anyhow::Result<()> {
        let ands = spec.estimated_ands(true);
        self.check_ands(spec.algorithm(), spec.cards(), spec.draw(), ands)
    }

    /// Checks a circuit that is built in slices if its algorithm supports them.
    ///
    /// # Errors
    /// If the circuit needs more memory than the limit.
    pub fn check_slices(self, spec: Spec) -> anyhow::Result<()> {
        if InSlices::new(spec, true).is_none() {
            return self.check_circuit(spec);
        }
        self.check(SLICES, || "a circuit that is built in slices".into())
    }

    /// Checks a circuit, given its number of AND gates.
    ///
    /// # Errors
    /// If the circuit needs more memory than the limit.
    pub fn check_ands(
        self,
        name: impl Display,
        cards: usize,
        draw: usize,
        ands: usize,
    ) -> anyhow::Result<()> {
        let memory = Estimate::of_ands(ands, EngineKind::SemiHonest, 0).memory(0);
        let (cards, draw) = (count(cards as u64), count(draw as u64));
        self.check(memory, || {
            format!("the {name} circuit that draws {draw} of {cards} cards")
        })
    }

    /// Checks a session. `parties` is the number of parties that this process runs, and `at_once`
    /// the number of shuffles that are prepared at once.
    ///
    /// # Errors
    /// If the session needs more memory than the limit.
    pub fn check_session(
        self,
        spec: Spec,
        engine: EngineKind,
        parties: u64,
        at_once: u32,
    ) -> anyhow::Result<()> {
        let estimate = Estimate::of(spec, engine, at_once);
        self.check(estimate.memory(parties), || {
            let (draw, cards) = (count(spec.draw() as u64), count(spec.cards() as u64));
            let ands = count(estimate.ands() as u64);
            let algorithm = spec.algorithm();
            let ready = match at_once {
                1 => String::new(),
                _ => format!(", {} shuffles at once", count(at_once.into())),
            };
            format!(
                "a {engine} session that draws {draw} of {cards} cards by {algorithm} ({ands} AND \
                 gates{ready})"
            )
        })
    }

    /// Checks a session that runs a circuit, given the number of AND gates of the circuit.
    ///
    /// # Errors
    /// If the session needs more memory than the limit.
    pub fn check_session_of(
        self,
        name: impl Display,
        ands: usize,
        engine: EngineKind,
        parties: u64,
        at_once: u32,
    ) -> anyhow::Result<()> {
        let memory = Estimate::of_ands(ands, engine, at_once).memory(parties);
        self.check(memory, || {
            let (ands, at_once) = (count(ands as u64), count(at_once.into()));
            format!("a {engine} session that runs {name} ({ands} AND gates, {at_once} at once)")
        })
    }

    fn check(self, memory: u64, what: impl FnOnce() -> String) -> anyhow::Result<()> {
        ensure!(
            memory <= self.0,
            "{} needs up to {} of memory, but the limit is {}; to allow more, use --memory {}",
            what(),
            bytes(memory),
            bytes(self.0),
            enough(memory)
        );
        Ok(())
    }
}

/// The maximum memory in bytes for building a circuit in slices, for any shuffle.
/// `docs/circuits/counts.md` has the measurements.
const SLICES: u64 = 150_000_000;

const UNITS: [(char, u64); 2] = [('G', 1_000_000_000), ('M', 1_000_000)];

/// Parses a number of megabytes or gigabytes.
pub fn limit(text: &str) -> Result<Limit, String> {
    let unit = |&(letter, unit): &(char, u64)| Some((text.strip_suffix(letter)?, unit));
    let (number, unit) = (UNITS.iter().find_map(unit))
        .ok_or("expected megabytes or gigabytes, for example 500M or 4G")?;
    let bytes = number
        .parse()
        .ok()
        .and_then(|number: u64| number.checked_mul(unit));
    Ok(Limit(bytes.ok_or("expected a whole number before M or G")?))
}

/// Returns the smallest limit that allows `memory` bytes, in the format of [`limit`].
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
    fn limit_is_a_whole_number_of_megabytes_or_gigabytes() {
        for (text, bytes) in [("500M", 500_000_000), ("4G", 4_000_000_000), ("0M", 0)] {
            assert_eq!(limit(text).map(|limit| limit.0), Ok(bytes));
        }
        for text in ["", "G", "4", "4g", "1.5G", "-1M", "4 G", "99999999999G"] {
            assert!(limit(text).is_err(), "{text}");
        }
    }

    #[test]
    fn limit_named_in_the_error_is_enough() {
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
