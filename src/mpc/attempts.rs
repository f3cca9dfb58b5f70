//! Counts the steps in which a peer could cheat.
//!
//! A cheating peer is caught with high probability. When the peer sees that it will be caught, it
//! may close the connection; then it looks like an honest peer on a bad connection. So a caller
//! that has many sessions with the same peer counts each step in which the peer can try to cheat.
//! The caller counts a step before the step begins, and takes the count back if the step succeeds.

use std::io;

/// A step of a malicious session in which a peer can try to cheat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Attempt {
    /// The setup: all messages between the hellos and the last check of the base OTs.
    Setup,
    /// A batch of preprocessing.
    Batch,
    /// A run of a circuit, or one slice of a long run.
    Run,
}

/// Counts a peer's attempts.
pub trait Attempts: Send {
    /// Called before the first message of an attempt is sent.
    ///
    /// # Errors
    /// If the attempt cannot be counted. In this case the session ends and the message is not sent.
    fn begins(&mut self, attempt: Attempt) -> io::Result<()>;

    /// Called when `attempt`, the attempt that began last, has passed its last check.
    fn ends_well(&mut self, attempt: Attempt);
}

/// A counter that ignores all attempts.
pub struct Uncounted;

impl Attempts for Uncounted {
    fn begins(&mut self, _: Attempt) -> io::Result<()> {
        Ok(())
    }

    fn ends_well(&mut self, _: Attempt) {}
}
