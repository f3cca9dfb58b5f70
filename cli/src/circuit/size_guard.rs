//! Circuits that take more memory than many machines have are built only if they are asked for.

use anyhow::ensure;
use dealerless::shuffle::{Algorithm, Spec};

use crate::output::{bytes, count};

/// What building a circuit takes at most for each of its ANDs, as measured: the builder knows each
/// wire in two tables.
const BYTES_PER_AND: usize = 270;

/// The most that is taken without being asked for: enough for a whole deck of 1 024 cards.
const MOST_BYTES: usize = 2 << 30;

/// The option that asks for more.
#[derive(clap::Args)]
pub(super) struct SizeGuard {
    /// Build also circuits that take more than about 2 GB of memory, up to 40 GB for 4096 cards.
    #[arg(long)]
    large: bool,
}

impl SizeGuard {
    /// Checks one circuit, before any is built, by an estimate of its ANDs.
    ///
    /// # Errors
    /// When it is too large and was not asked for.
    pub(super) fn check(
        &self,
        name: &str,
        cards: usize,
        draw: usize,
        ands: usize,
    ) -> anyhow::Result<()> {
        let memory = BYTES_PER_AND * ands;
        ensure!(
            self.large || memory <= MOST_BYTES,
            "the {name} circuit that draws {} of {} cards takes up to {} of memory while it is \
             built; leave it out, or ask for it with --large",
            count(draw as u64),
            count(cards as u64),
            bytes(memory as u64)
        );
        Ok(())
    }

    /// Checks a shuffle.
    ///
    /// # Errors
    /// Those of [`check`](Self::check) and of [`Spec::new`].
    pub(super) fn check_shuffle(
        &self,
        algorithm: Algorithm,
        cards: usize,
        draw: usize,
    ) -> anyhow::Result<()> {
        let spec = Spec::new(cards, draw, algorithm)?;
        match spec.estimated_ands(true) {
            Some(ands) => self.check(algorithm.name(), cards, draw, ands),
            None => Ok(()),
        }
    }
}
