//! Audits: after a match, the seats open the inputs of their shuffles, and every deck is
//! recomputed.
//!
//! An audit takes place only by agreement, and never during a hand, because it reveals mucked
//! cards. The seats open their inputs one try after another, each against the commitment in its
//! deal ([`Auditing`]). Then anybody can compute the decks and compare them with the cards that
//! were opened ([`Audit::check`]).
//!
//! An audit shows what the seats *claim* as their inputs. If a deck disagrees with an opened card,
//! one of the seats has lied, and nobody can tell which. An opened card counts as opened, whatever
//! the result of an audit.

mod exchange;
mod opened;

#[cfg(test)]
mod tests;

pub use exchange::{Auditing, CannotAudit};
pub use opened::{Audit, AuditError, AuditedTry};
