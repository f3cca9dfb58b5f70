//! After a match: the seats open what they entered into the shuffles, and every deck is computed
//! anew.
//!
//! By agreement only, and never while a hand is open, since it shows what was mucked. The seats open
//! their inputs one try after the other, each to the commitment in its deal ([`Auditing`]). Then
//! anybody can compute the decks and compare them with the cards that were opened
//! ([`Audit::check`]).
//!
//! It shows what all *say* that they entered. If a deck disagrees with an opened card, one of the
//! seats has lied, and nobody can tell which; an opened card counts as opened whatever an audit
//! gives.

mod exchange;
mod opened;

#[cfg(test)]
mod tests;

pub use exchange::{Auditing, CannotAudit};
pub use opened::{Audit, AuditError, AuditedTry};
