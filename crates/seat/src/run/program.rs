//! The interface of the programs: a guest, a host, and an audit.

use std::time::Duration;

use dealerless_table::play::Done;
use serde_json::Value;

use super::own::Own;
use super::world::{SeatWorld, World};
use crate::command::{Complaint, Said};
use crate::event::Event;
use dealerless_connection::{Happened, PolledConnection};

/// A program that plays or audits. It runs until [`step`](Self::step) returns its result, or another function
/// fails.
pub(super) trait Program<W: World> {
    /// The connection with this number.
    fn line(&mut self, number: u32) -> Option<&mut PolledConnection<W::Sockets>>;

    /// Something has happened to a connection.
    ///
    /// # Errors
    /// The program cannot continue.
    fn happened(
        &mut self,
        own: &mut Own<W>,
        number: u32,
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

    /// A result of the engine on the connection with this number.
    fn engine_done(&mut self, number: u32, done: Done);

    /// Does all that is due. Returns the result once the program has ended: of an audit the JSON object that
    /// answers its request, of a match `null`.
    ///
    /// # Errors
    /// The program cannot continue.
    fn step(&mut self, own: &mut Own<W>, now: Duration) -> anyhow::Result<Option<Value>>;

    /// The time of the next timer.
    fn timer(&mut self, now: Duration) -> Duration;

    /// The player ends the program.
    ///
    /// # Errors
    /// [`BrokenOff`](super::errors::BrokenOff), unless a match must end first.
    fn break_off(&mut self, now: Duration) -> anyhow::Result<()>;
}

/// Reports to the player why a command was refused.
pub(super) fn refuse(world: &impl SeatWorld, (code, message): Complaint) {
    world.report(&Event::refused(code, message));
}
