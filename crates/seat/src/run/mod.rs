//! A player's session as a state machine: it joins, hosts, plays, resumes and audits matches, moves the
//! identity, and answers questions about what is stored. It sees everything outside through a [`World`].
//!
//! It is the session of a page in a browser: it plays matches of two, and meets other players at a relay.
//!
//! | module | contents |
//! |---|---|
//! | `world` | what a session needs of the program around it |
//! | `session`, `program` | requests and commands; the interface of a guest, a host and an audit, one of which runs at a time |
//! | `joining`, `hosting` | a guest that meets its host and sits down; a host that invites a guest |
//! | `playing` | a seat in play |
//! | `auditing` | an audit of a match that is over |
//! | `line` | how a guest calls its host, and how a host waits for its guest, at a relay |
//! | `reception`, `finding` | where a host waits for its guest; how a seat finds its peer again |
//! | `own`, `matches` | the identity, the known peers and the settings; the stored matches |
//! | `moving` | the identity moves away, or another one moves here |
//! | `errors` | exit codes and advice |

mod auditing;
mod errors;
mod finding;
mod hosting;
mod joining;
mod line;
mod matches;
mod moving;
mod own;
mod playing;
mod program;
mod reception;
mod session;
mod world;

#[cfg(test)]
mod tests;

pub use session::Session;
pub use world::World;
