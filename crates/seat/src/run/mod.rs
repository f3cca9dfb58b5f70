//! A player's programs as state machines: a guest, a host, a seat in play and an audit, and the session of a page, which
//! runs one of them at a time. They reach everything outside through a [`SeatWorld`], a session through a [`World`].
//!
//! | module | contents |
//! |---|---|
//! | `world` | what a program needs of its surroundings |
//! | `program` | the interface of all programs |
//! | `joining`, `other_guests` | a guest; its connections to other guests |
//! | `hosting`, `admission`, `gathering` | a host; the questions about peers; the guests whom it has admitted to a table |
//! | `at_table`, `handover` | a player at a table: its lists, its messages and its next match; the rules of the handover from one match to the next |
//! | `continued` | matches that were continued by other ones |
//! | `playing` | a seat in play; how its match stops |
//! | `auditing`, `audit_exchange` | an audit of a match that is over |
//! | `door`, `lobby`, `finding` | a door; the players who have come to it; how the players of a match find each other again |
//! | `own`, `matches` | the identity, the known peers and the settings; the stored matches |
//! | `session`, `page`, `moving` | a page: its requests, its terms and limits, and how its identity moves |
//! | `errors` | exit codes and advice |

mod admission;
mod at_table;
mod audit_exchange;
mod auditing;
mod continued;
mod door;
mod errors;
mod finding;
mod gathering;
mod handover;
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
mod session;
mod world;

#[cfg(any(test, all(feature = "internals", not(target_family = "wasm"))))]
#[doc(hidden)]
pub mod testing;
#[cfg(test)]
mod tests;

pub use audit_exchange::{AuditExchange, NotAuditing, OpenedInputs};
pub use auditing::Auditor;
pub use door::door;
pub use errors::{AnswerIsNo, BrokenOff, Differs, NotBegun};
pub use finding::{Caller, Finder, Route};
pub use hosting::{Host, Hosted, HostedAt, host_again, host_table_again, invite_event};
pub use joining::{AnyMatch, Guest, Requirements};
pub use matches::{
    AUDIT, DECK, INPUTS, Kept, LISTEN, NewMatch, RECORD, Unread, all_open, all_resumable, beside,
    check, destroy_inputs, destroy_old_inputs, find, forget, inputs, open_with, records, resume,
};
pub use other_guests::{Ways, keep_listeners, kept_listeners};
pub use own::{Own, Stored};
pub use playing::{FileOf, SeatFiles, SeatInPlay, SeatSetting, ValueOf};
pub use program::{InPlay, Input, Program};
pub use session::Session;
pub use world::{Files, SeatWorld, World};
