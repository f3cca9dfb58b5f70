//! Audits: after a match, the seats disclose (*open*) their secret inputs of each shuffle, and
//! every deck is recomputed.
//!
//! An audit takes place only by agreement, and never during a hand, because it reveals mucked
//! cards. The seats open their inputs one *try* (attempt to deal a hand) after another. Each input
//! must match the commitment that the seat signed at the deal ([`Auditing`]). Then anybody can
//! recompute the decks and compare them with the cards that were opened in the match
//! ([`Audit::check`]).
//!
//! An audit shows what the seats *claim* as their inputs. If a recomputed deck disagrees with an
//! opened card, one of the seats has lied about its input, and nobody can tell which. The opened
//! card stays valid, whatever the result of an audit.

mod exchange;
mod opened;

#[cfg(test)]
mod tests;

pub use exchange::{Auditing, CannotAudit};
pub use opened::{Audit, AuditError, AuditedTry};
