//! A player's session as a state machine: it joins, hosts, plays, resumes and audits matches, moves the
//! identity, and answers questions about what is stored. It sees everything outside through a [`World`].
//!
//! A [`Session`] is that of a page in a browser: it sits down to matches of two, and meets other players at a
//! relay. In any program, a [`SeatInPlay`] plays matches of 2 to 10, and an [`AuditExchange`] audits one of two.
//!
//! | module | contents |
//! |---|---|
//! | `world` | what a session needs of the program around it |
//! | `session`, `program` | requests and commands; the interface of a guest, a host and an audit, one of which runs at a time |
//! | `joining`, `hosting` | a guest that meets its host and sits down; a host that invites a guest |
//! | `playing` | a seat in play |
//! | `auditing`, `audit_exchange` | an audit of a match that is over |
//! | `reception`, `lobby`, `finding` | a door; who has come to it; how the players of a match find each other again |
//! | `own`, `matches` | the identity, the known peers and the settings; the stored matches |
//! | `moving` | the identity moves away, or another one moves here |
//! | `errors` | exit codes and advice |

mod absentees;
mod admission;
mod audit_exchange;
mod auditing;
mod continued;
mod errors;
mod finding;
mod gathered;
mod gathering;
mod hosting;
mod joining;
mod lobby;
mod matches;
mod moving;
mod other_guests;
mod own;
mod page;
mod playing;
mod program;
mod reception;
mod session;
mod world;

#[cfg(test)]
mod tests;

pub use absentees::Absentees;
pub use audit_exchange::{AuditExchange, NotAuditing, OpenedInputs};
pub use continued::{in_words, must_not_be_continued, settled, went_on};
pub use errors::{AnswerIsNo, BrokenOff, Differs};
pub use finding::{Caller, Finder, Route};
pub use hosting::{Host, Hosted, host_again};
pub use joining::{Guest, Requirements};
pub use matches::{
    AUDIT, DECK, INPUTS, Kept, LISTEN, NewMatch, RECORD, Unread, all_open, beside, check,
    destroy_inputs, find, forget, inputs, keep_audit, open_with, records, resume,
};
pub use other_guests::{Ways, keep_listeners};
pub use own::{Own, Stored};
pub use playing::{FileOf, SeatFiles, SeatInPlay, SeatSetting, ValueOf};
pub use program::{InPlay, Program};
pub use reception::{Reception, notice};
pub use session::Session;
pub use world::{Files, SeatWorld, World};
