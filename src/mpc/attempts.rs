//! Counting what a peer could have cheated in.
//!
//! A peer that cheats is caught unless it is lucky, and it may cut the connection when it sees that
//! it will be caught: then it looks as innocent as a bad line. So whoever plays with a peer again
//! counts the steps in which it could have tried, before they begin, and takes back those that end
//! well.

use std::io;

/// A step of a malicious session in which a peer can try to cheat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Attempt {
    /// The base OTs, from after the hellos to the last check.
    Setup,
    /// A batch of the preprocessing.
    Batch,
    /// A run of a circuit.
    Run,
}

/// Counts attempts.
pub trait Attempts: Send {
    /// An attempt begins: nothing of it has been sent.
    ///
    /// # Errors
    /// When it cannot be counted; the session ends then, before anything of the attempt is sent.
    fn begins(&mut self, attempt: Attempt) -> io::Result<()>;

    /// The attempt that began last has passed its last check.
    fn ends_well(&mut self, attempt: Attempt);
}

/// Counts nothing.
pub(super) struct Uncounted;

impl Attempts for Uncounted {
    fn begins(&mut self, _: Attempt) -> io::Result<()> {
        Ok(())
    }

    fn ends_well(&mut self, _: Attempt) {}
}
