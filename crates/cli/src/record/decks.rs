//! An audit of a record: the decks recomputed from the inputs that both players opened.

use std::path::Path;

use anyhow::{Context, ensure};
use dealerless::shuffle::Spec;
use dealerless_seat::records::decks::Decks;
use dealerless_table::audit::Audit;
use dealerless_table::play::Seating;
use dealerless_table::record::Record;

use super::source::read;
use crate::failure::AnswerIsNo;
use crate::memory::Limit;

/// Recomputes the decks of a record from the file of an audit.
///
/// # Errors
/// If the file cannot be read or is not an audit, or the shuffle of the match is unknown or takes too much
/// memory.
pub(crate) fn of_file(record: &Record, path: &Path) -> anyhow::Result<Decks> {
    const MEMORY: Limit = Limit::megabytes(256);
    let audit = Audit::decode(&read(path)?);
    let audit = audit.with_context(|| path.display().to_string())?;
    let header = record.log.match_info().header();
    if let (None, Some(terms)) = (header.stakes.boards(), header.sealed()) {
        let (cards, drawn) = header.stakes.deck();
        MEMORY.check_circuit(Spec::new(cards, drawn, terms.algorithm)?)?;
    }
    Ok(Decks::of(record, &audit, &Seating::circuit_of(header)?))
}

/// Returns an error if the audit does not agree with the record.
pub(crate) fn must_agree(decks: &Decks) -> anyhow::Result<()> {
    ensure!(
        decks.agrees(),
        AnswerIsNo("the audit does not agree with the record")
    );
    Ok(())
}
