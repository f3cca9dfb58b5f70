//! How a match stops here: the goodbyes on its connections, and the last call to players who may not know the end.

use std::time::Duration;

use dealerless_connection::PolledConnection;
use dealerless_table::log::End;

use super::SeatInPlay;
use crate::ending::Breach;
use crate::run::program::Input;
use crate::run::world::SeatWorld;
use crate::seat::{LAST_CALL, Stopped};

/// Timeout for a peer to receive the last messages on a connection, and to say goodbye.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

/// A match that has stopped here. The peers may not know it yet.
pub(super) struct Stopping {
    pub(super) stopped: anyhow::Result<Stopped>,
    /// The time until which this side waits.
    pub(super) until: Duration,
    last_call: LastCall,
}

/// The wait for a new connection, on which a peer receives the end.
#[derive(Clone, Copy)]
enum LastCall {
    Skipped,
    /// It begins once the connections are closed, unless all peers have said goodbye.
    Due,
    Begun,
}

impl<W: SeatWorld> SeatInPlay<W> {
    /// The player ends the program, or it cannot continue.
    pub(super) fn must_stop(&mut self, input: Input<'_>, now: Duration) {
        match (input, &mut self.end) {
            (Input::Failed(error), None) => self.stop(Err(error), now),
            (_, None) => self.stop(Ok(Stopped::BrokenOff), now),
            // The peers may not know how the match has stopped. They learn it when they resume the match.
            (Input::BreakOff, Some(end)) => {
                end.until = now;
                end.last_call = LastCall::Skipped;
            }
            (Input::Failed(_), Some(end)) => match end.last_call {
                LastCall::Begun => end.until = now,
                _ => end.last_call = LastCall::Skipped,
            },
            _ => {}
        }
    }

    /// Stops the match on this side, and starts to close the connections.
    pub(super) fn stop(&mut self, mut stopped: anyhow::Result<Stopped>, now: Duration) {
        self.finder.stop();
        self.pending = None;
        self.reconnects = false;
        if matches!(stopped, Ok(Stopped::BrokenOff)) {
            // The match stays open even if this fails, and the peer resends its parts.
            let _ = self.table.play_mut().write();
        }
        match &stopped {
            // Peers that still lack something are sent it first.
            Ok(Stopped::Over(_)) => {}
            Ok(Stopped::BrokenOff) | Err(_) => {
                // Without a goodbye, because this side may not have the end of the match.
                self.connections.clear();
                if self.uses_engine() {
                    self.world.detach_engine();
                }
            }
            Ok(_) => {
                let connections = self.connections.values_mut();
                connections.for_each(|connection| connection.core.close());
            }
        }
        // A player who has signed the last step, and then closed the connection, has learned the end from others.
        let last = self.log().step().saturating_sub(1);
        for peer in std::mem::take(&mut self.closed) {
            if self.log().history(last).any(|part| part.seat == peer) {
                self.table.finish(peer);
            }
        }
        let play = self.table.play();
        let outcome = stopped.as_ref().map_err(|error| error.downcast_ref());
        if !self.was_over
            && let Err(error) = self.story.settle(play.log(), play.seat(), outcome)
        {
            stopped = stopped.and(Err(error.into()));
        }
        let last_call = match &stopped {
            // Nobody waits for a seat that was removed: the others play on.
            Ok(Stopped::Over(end)) if *end != End::Removed => LastCall::Due,
            _ => LastCall::Skipped,
        };
        self.end = Some(Stopping {
            stopped,
            until: now + CLOSE_TIMEOUT,
            last_call,
        });
    }

    /// Processes all messages after the end of the match, and closes the connections to seats that need nothing more.
    /// Errors change nothing: the match is over here.
    fn receive_after_end(&mut self, now: Duration) {
        while matches!(self.next(now), Ok(Some(_))) || self.receive_message(now) {}
        let play = self.table.play();
        for (peer, connection) in &mut self.connections {
            if play.have_exchanged(*peer) {
                connection.core.close();
            }
        }
    }

    /// Continues to close the connections, and makes the last call. Returns whether everything is done.
    pub(super) fn stops(&mut self, now: Duration) -> bool {
        let Some(end) = &self.end else {
            return false;
        };
        let (until, last_call) = (end.until, end.last_call);
        if matches!(end.stopped, Ok(Stopped::Over(_))) {
            self.receive_after_end(now);
        }
        let is_last_call = matches!(last_call, LastCall::Begun);
        if is_last_call {
            // Errors change nothing: the match is over here.
            let _ = self.look_for_connection(now);
            self.receive_after_end(now);
        } else {
            // The door still listens. A player who comes now waits for the last call.
            self.finder.step(now);
        }
        let is_closed = |connection: &PolledConnection<W::Sockets>| {
            connection.core.ended().is_some() || now >= until
        };
        let connections = self.connections.iter();
        let closed = connections.filter(|(_, connection)| is_closed(connection));
        for peer in closed.map(|(peer, _)| *peer).collect::<Vec<_>>() {
            self.drop_connection(peer);
        }
        self.flush(now);
        if now >= until {
            self.answering.clear();
        }
        let is_finished = self.table.is_finished();
        // In the last call, nobody else has to learn the end from this seat once all have said goodbye.
        if !self.answering.is_empty()
            || !(self.connections.is_empty() || is_last_call && is_finished)
        {
            return false;
        }
        match (last_call, &mut self.end) {
            (LastCall::Due, Some(end)) if !is_finished => {
                end.last_call = LastCall::Begun;
                end.until = now + LAST_CALL;
                self.report(&self.story.last_call());
                self.look(now);
                false
            }
            (LastCall::Begun, _) => is_finished || now >= until,
            _ => true,
        }
    }

    /// Reports to the player how the match has stopped.
    ///
    /// # Errors
    /// If a player has broken the match.
    pub fn tell_end(&self, stopped: &Stopped) -> anyhow::Result<()> {
        let play = self.table.play();
        if let Some(event) = self.story.last_event(stopped, play.log(), play.seat()) {
            self.report(&event);
        }
        if let Stopped::Over(end) = stopped {
            Breach::check(end, play.seat(), self.story.names())?;
        }
        Ok(())
    }
}
