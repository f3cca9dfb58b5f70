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
    fn line(&mut self, number: u32) -> Option<&mut PolledConnection<W::Sockets>>;

    /// The seat, once a match is played.
    fn seat(&mut self) -> Option<&mut SeatInPlay<W>>;

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

    /// Does all that is due. Returns whether the program has ended.
    ///
    /// # Errors
    /// The program cannot continue.
    fn step(&mut self, own: &mut Own<W>, now: Duration) -> anyhow::Result<bool>;

    /// The time of the next timer.
    fn timer(&mut self, now: Duration) -> Duration;

    /// A result of the engine on the connection with this number.
    fn engine_done(&mut self, number: u32, done: Done) {
        if let Some(seat) = self.seat() {
            seat.engine_done(number, done);
        }
    }

    /// The player ends the program.
    ///
    /// # Errors
    /// [`NotBegun`], unless a match must end first.
    fn break_off(&mut self, now: Duration) -> anyhow::Result<()> {
        let seat = self.seat().ok_or(NotBegun)?;
        seat.break_off(now);
        Ok(())
    }

    /// The player's input has ended, which does not end a match that has stopped already.
    ///
    /// # Errors
    /// The same as of [`break_off`](Self::break_off).
    fn input_ended(&mut self, _own: &mut Own<W>, now: Duration) -> anyhow::Result<()> {
        let seat = self.seat().ok_or(NotBegun)?;
        seat.input_ended(now);
        Ok(())
    }

    /// The program cannot continue for this reason.
    ///
    /// # Errors
    /// This reason, unless a match must end first.
    fn fail(&mut self, why: anyhow::Error, now: Duration) -> anyhow::Result<()> {
        match self.seat() {
            None => Err(why),
            Some(seat) => {
                seat.fail(why, now);
                Ok(())
            }
        }
    }
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

    fn line(&mut self, number: u32) -> Option<&mut PolledConnection<W::Sockets>> {
        self.0.line(number)
    }

    fn seat(&mut self) -> Option<&mut SeatInPlay<W>> {
        Some(&mut self.0)
    }

    fn happened(
        &mut self,
        _: &mut Own<W>,
        number: u32,
        what: Happened<'_>,
        now: Duration,
    ) -> anyhow::Result<()> {
        self.0.happened(number, what, now);
        Ok(())
    }

    fn said(
        &mut self,
        _: &mut Own<W>,
        said: Said,
        turn: Option<u64>,
        _: Duration,
    ) -> anyhow::Result<()> {
        self.0.said(said, turn);
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
