//! The interface of the programs: a guest, a host, and an audit.

use std::time::Duration;

use crate::command::Said;
use dealerless_table::play::Done;
use serde_json::Value;

use super::line::{Happened, Line};
use super::own::Own;
use super::world::World;

/// A program that plays or audits. It runs until [`step`](Self::step) returns how it has ended, or another function
/// fails.
pub(super) trait Program<W: World> {
    /// The connection with this socket.
    fn line(&mut self, socket: u32) -> Option<&mut Line<W>>;

    /// Something has happened to a socket.
    ///
    /// # Errors
    /// The program cannot continue.
    fn happened(
        &mut self,
        own: &mut Own<W>,
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
        own: &mut Own<W>,
        said: Said,
        turn: Option<u64>,
        now: Duration,
    ) -> anyhow::Result<()>;

    /// A result of the engine on the connection with this socket.
    fn engine_done(&mut self, socket: u32, done: Done);

    /// Does all that is due. Returns how the program has ended, once it has.
    fn step(&mut self, own: &mut Own<W>, now: Duration) -> Option<anyhow::Result<Ended>>;

    /// The time of the next timer.
    fn timer(&mut self, now: Duration) -> Duration;

    /// The player ends the program.
    ///
    /// # Errors
    /// [`BrokenOff`](super::failing::BrokenOff), unless a match must end first.
    fn break_off(&mut self, now: Duration) -> anyhow::Result<()>;
}

/// How a program has ended.
pub(super) enum Ended {
    /// The match has stopped here.
    Played,
    /// The decks were recomputed from the opened inputs. They are in this JSON object.
    Audited(Value),
}
