//! The interface of the programs: a guest, a host, and an audit.

use std::time::Duration;

use dealerless_seat::command::Said;
use dealerless_table::play::Done;

use crate::line::{Happened, Line};
use crate::own::Own;

/// A program that plays or audits. It runs until [`step`](Self::step) returns how it has ended, or another function
/// fails.
pub(crate) trait Program {
    /// The connection with this socket.
    fn line(&mut self, socket: u32) -> Option<&mut Line>;

    /// Something has happened to a socket.
    ///
    /// # Errors
    /// The program cannot continue.
    fn happened(
        &mut self,
        own: &mut Own,
        socket: u32,
        what: Happened<'_>,
        now: Duration,
    ) -> anyhow::Result<()>;

    /// A command of the player, for the given turn if there is one.
    ///
    /// # Errors
    /// The program cannot continue, or the player ends it.
    fn said(
        &mut self,
        own: &mut Own,
        said: Said,
        turn: Option<u64>,
        now: Duration,
    ) -> anyhow::Result<()>;

    /// A result of the engine on the connection with this socket.
    fn engine_done(&mut self, socket: u32, done: Done);

    /// Does all that is due. Returns how the program has ended, once it has.
    fn step(&mut self, own: &mut Own, now: Duration) -> Option<anyhow::Result<()>>;

    /// The time of the next timer.
    fn timer(&mut self, now: Duration) -> Duration;

    /// The player ends the program.
    ///
    /// # Errors
    /// [`BrokenOff`](crate::failure::BrokenOff), unless a match must end first.
    fn break_off(&mut self, now: Duration) -> anyhow::Result<()>;

    /// Whether this is an audit, which ends when its player wants something else.
    fn is_audit(&self) -> bool {
        false
    }
}
