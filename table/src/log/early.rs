//! Statements that arrive before the log has reached their steps.
//!
//! If guests are connected to each other, two statements can take two paths. A statement for step
//! `k` then arrives before the last part of step `k - 1`, whose path is slower. It is kept until the
//! log has reached step `k`. The same holds for the steps of an ahead chain, and for the deals before
//! such a chain.

use super::foul::Refused;
use super::match_log::MatchLog;
use super::signed::{Signed, Statement};

/// The early statements that one connected seat has sent.
#[derive(Debug, Default)]
pub(crate) struct Early {
    statements: Vec<Statement>,
    /// The total length of the encoded statements.
    bytes: usize,
}

impl Early {
    /// The maximum total length of the encoded statements. While a seat waits for a part, another
    /// one can sign a shuffle and some hundred moves, but opens no cards without its statement.
    const MAX_BYTES: usize = 1 << 16;

    /// Keeps a statement for a step that `log` has not reached.
    ///
    /// # Errors
    /// [`Refused::Signature`] if the statement is not signed by its seat; [`Refused::TooEarly`] if
    /// the sender has sent too many early statements.
    pub(crate) fn keep(&mut self, log: &MatchLog, statement: Statement) -> Result<(), Refused> {
        let (step, seat) = (statement.signed.step(), statement.signed.seat());
        let bytes = self.bytes + statement.encode().len();
        if bytes > Self::MAX_BYTES {
            let now = log.step();
            return Err(Refused::TooEarly { step, now });
        }
        if !statement.is_valid(log.match_info()) {
            return Err(Refused::Signature(seat));
        }
        self.bytes = bytes;
        self.statements.push(statement);
        Ok(())
    }

    /// Removes a statement whose step `log` has reached, in the order of arrival.
    pub(crate) fn take(&mut self, log: &MatchLog) -> Option<Statement> {
        let mut all = self.statements.iter();
        let reached = all.position(|early| log.has_reached(&early.signed))?;
        let statement = self.statements.remove(reached);
        self.bytes -= statement.encode().len();
        Some(statement)
    }
}

impl MatchLog {
    /// Whether the log has reached the step of this statement, in the log or in the ahead chain.
    pub(crate) fn has_reached(&self, signed: &Signed) -> bool {
        match signed.head() {
            None => signed.step() <= self.step(),
            Some(head) => self.early_ahead(head, signed.step()).is_none(),
        }
    }
}
