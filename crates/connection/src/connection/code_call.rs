//! A guest that uses a spoken code at a relay, without threads and sockets.

use std::time::Duration;

use super::invite::Invite;
use super::place::{Happened, Place, Socket, Sockets};
use super::spoken::{Exchanged, SpokenError, SpokenExchange};
use super::spoken_code::SpokenCode;
use crate::random::system_rng;

/// A guest that gets the invite of the host that waits with a code at a relay.
pub struct CodeCall<S: Sockets> {
    socket: Socket<S>,
    exchange: SpokenExchange,
}

impl<S: Sockets> CodeCall<S> {
    /// Connects to the relay at `place`. Unless it is that of a table, the code is void then, whatever the
    /// result, except after [`SpokenError::TooMany`].
    pub fn new(sockets: &S, place: &Place, code: SpokenCode, now: Duration) -> Self {
        CodeCall {
            socket: Socket::open(sockets, place),
            exchange: SpokenExchange::as_guest(code, now),
        }
    }

    /// Whether this is its socket.
    pub fn has(&self, socket: u32) -> bool {
        self.socket.number() == socket
    }

    /// The time at which [`step`](Self::step) must be called even if nothing happens.
    pub fn timer(&self) -> Duration {
        self.exchange.deadline()
    }

    /// Processes what has happened to its socket. Returns the invite when the exchange is complete.
    ///
    /// # Errors
    /// [`SpokenError`]: the exchange has failed.
    pub fn happened(
        &mut self,
        what: Happened<'_>,
        now: Duration,
    ) -> Result<Option<Invite>, SpokenError> {
        let bytes = self.socket.happened(what);
        let bytes = bytes.map_err(|error| self.exchange.failed(error))?;
        let exchanged = self.exchange.received(bytes, now, &mut system_rng())?;
        if self.socket.is_open() {
            self.socket.send(&self.exchange.outgoing());
        }
        Ok(match exchanged {
            Some(Exchanged::Received(invite)) => Some(invite),
            _ => None,
        })
    }

    /// Acts on the time.
    ///
    /// # Errors
    /// [`SpokenError`]: the exchange has taken too long.
    pub fn step(&mut self, now: Duration) -> Result<(), SpokenError> {
        self.happened(Happened::Received(&[]), now).map(drop)
    }
}
