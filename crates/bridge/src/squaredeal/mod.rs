//! SquareDeal: recomputes the boards of a tournament from the data that its organiser published.
//!
//! A tournament has several phases, and each phase has several sessions. A session has a set of
//! boards for play, and a reserve set.
//!
//! 1. The organiser draws a secret key for each session. Before the tournament, the organiser
//!    publishes a hash of all keys, and the description of a value that nobody knows yet, such as a
//!    stock index (the file `.sqd`).
//! 2. When the awaited value is known, this value and the key of a session determine its seeds, and
//!    the seeds determine its boards.
//! 3. At the end the organiser publishes the keys (the file `.sqk`). Anybody can then verify the
//!    hash of the keys, recompute every board, and compare the result with the published boards.
//!
//! This procedure proves that the organiser did not choose the boards. It does not hide the boards
//! from the organiser, who can compute all of them as soon as the value is known. The hash binds
//! only the keys, not the phases or the description of the value. So a verifier needs the `.sqd`
//! file as it was originally published.
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

/// The maximum size of a file in bytes, enough for the keys of 15 000 sessions.
pub const MAX_BYTES: usize = 1 << 20;

/// The maximum number of sessions of a tournament.
pub const MAX_SESSIONS: u32 = 9999;

/// The maximum size in bytes of a phase's prefix, and of its description.
const MAX_TEXT: usize = 1000;

#[cfg(test)]
mod tests;
