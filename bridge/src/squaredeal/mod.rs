//! SquareDeal: the boards of a tournament, recomputed from what its organiser published.
//!
//! 1. The organiser draws a secret key for each session, and publishes a hash of all keys and the
//!    description of a value that nobody knows yet (the file `.sqd`).
//! 2. When the value is known, it and a key give the seed of a session, and the seed gives its boards.
//! 3. At the end the organiser publishes the keys (the file `.sqk`). Anybody can hash them, can compute
//!    each board again, and can compare the boards that were published with these.
//!
//! This shows that the organiser did not choose the boards. It does not keep them from the organiser,
//! who knows them all as soon as the value is known. The hash binds the keys, and neither the phases
//! nor the description of the value: whoever checks needs the `.sqd` as it was published.
//!
//! Source: van Staveren, SquareDeal 2.7, its documentation and the files of its tournaments.

mod boards;
mod compare;
mod description;
mod error;
mod keys;
mod session;
mod verify;

pub use boards::{BoardRange, Boards};
pub use compare::{Compared, ComparedBoard, Comparison, Published};
pub use description::{Description, Phase, canonical_value};
pub use error::{BadLine, Problem};
pub use keys::Keys;
pub use session::{Session, Set};
pub use verify::{KeyHash, Verdict, verify};

/// The most bytes of a file: enough for the keys of 15 000 sessions.
pub const MAX_BYTES: usize = 1 << 20;

/// The most sessions of a tournament.
pub const MAX_SESSIONS: u32 = 9999;

/// The most bytes of a phase's prefix, and of its description.
const MAX_TEXT: usize = 1000;

#[cfg(test)]
mod tests;
