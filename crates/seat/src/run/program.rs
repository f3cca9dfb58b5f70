//! The interface of the programs: a guest, a host, a seat in play, and an audit.

use std::time::Duration;

use dealerless_table::play::Done;

use super::errors::{BrokenOff, NotBegun};
use super::matches;
use super::own::Own;
use super::playing::SeatInPlay;
use super::world::SeatWorld;
use crate::command::{Complaint, Said};
use crate::event::Event;
use crate::seat::Stopped;
use dealerless_connection::{Happened, PolledConnection};

/// A program that plays or audits. It runs until [`step`](Self::step) returns true, or a function fails.
pub trait Program<W: SeatWorld> {
    /// Whether a socket belongs to the program.
    fn has(&mut self, number: u32) -> bool;

    /// The connection with this number.
    fn connection(&mut self, number: u32) -> Option<&mut PolledConnection<W::Sockets>>;

    /// The seat, once a match is played.
    fn seat(&mut self) -> Option<&mut SeatInPlay<W>>;

    /// Processes an input. The caller calls [`step`](Self::step) afterwards.
    ///
    /// # Errors
    /// The program cannot continue, or the player ends it.
    fn input(&mut self, own: &mut Own<W>, input: Input<'_>, now: Duration) -> anyhow::Result<()>;

    /// Does all that is due. Returns whether the program has ended.
    ///
    /// # Errors
    /// The program cannot continue.
    fn step(&mut self, own: &mut Own<W>, now: Duration) -> anyhow::Result<bool>;

    /// The time of the next timer.
    fn timer(&mut self, now: Duration) -> Duration;
}

/// An input of a program.
pub enum Input<'a> {
    /// Something has happened to the socket with this number.
    Socket(u32, Happened<'a>),
    /// A command of the player, for the given turn if there is one.
    Said(Said, Option<u64>),
    /// A line of the player that is not a command.
    Refused(Complaint),
    /// The player asks what it costs to leave.
    AskLeave,
    /// The player's input has ended, which does not end a match that has stopped already.
    Ended,
    /// The player ends the program. A match that has not stopped here stays open.
    BreakOff,
    /// The program cannot continue for this reason, but a match must end first.
    Failed(anyhow::Error),
    /// A result of the engine on the connection with this number.
    EngineDone(u32, Done),
    /// A session of the engine has written its final counts.
    EngineSettled,
}

/// Processes an input before a match, if all programs process it alike.
///
/// # Errors
/// The input ends the program.
pub(super) fn input_before_match(world: &impl SeatWorld, input: Input<'_>) -> anyhow::Result<()> {
    match input {
        Input::Refused(complaint) => refuse(world, complaint),
        Input::Ended | Input::BreakOff => return Err(NotBegun.into()),
        Input::Failed(why) => return Err(why),
        // Nobody plays yet.
        Input::Socket(..)
        | Input::Said(..)
        | Input::AskLeave
        | Input::EngineDone(..)
        | Input::EngineSettled => {}
    }
    Ok(())
}

/// Reports to the player why a command was refused.
pub(super) fn refuse(world: &impl SeatWorld, (code, message): Complaint) {
    world.report(&Event::refused(code, message));
}

/// Reports how a match has stopped, and removes the files that only an open match needs.
///
/// # Errors
/// If a player has broken the match, or the own player has ended the program.
pub(super) fn ended<W: SeatWorld>(
    own: &Own<W>,
    seat: &SeatInPlay<W>,
    stopped: &Stopped,
) -> anyhow::Result<()> {
    let told = seat.tell_end(stopped);
    match stopped {
        Stopped::Over(_) => matches::over(&own.files, seat.record()),
        Stopped::BrokenOff => return Err(BrokenOff.into()),
        _ => {}
    }
    told
}

/// A seat in play as a program, which ends when the match has stopped here.
pub struct InPlay<W: SeatWorld>(pub SeatInPlay<W>);

impl<W: SeatWorld> Program<W> for InPlay<W> {
    fn has(&mut self, number: u32) -> bool {
        self.0.has(number)
    }

    fn connection(&mut self, number: u32) -> Option<&mut PolledConnection<W::Sockets>> {
        self.0.connection(number)
    }

    fn seat(&mut self) -> Option<&mut SeatInPlay<W>> {
        Some(&mut self.0)
    }

    fn input(&mut self, _: &mut Own<W>, input: Input<'_>, now: Duration) -> anyhow::Result<()> {
        self.0.input(input, now);
        Ok(())
    }

    fn step(&mut self, own: &mut Own<W>, now: Duration) -> anyhow::Result<bool> {
        let Some(stopped) = self.0.step(now).transpose()? else {
            return Ok(false);
        };
        ended(own, &self.0, &stopped).map(|()| true)
    }

    fn timer(&mut self, now: Duration) -> Duration {
        self.0.timer(now)
    }
}
