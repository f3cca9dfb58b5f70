//! The streams of a connection as a transport for the engine, which waits in a thread of its own.

use std::io::{self, ErrorKind};
use std::time::Duration;

use dealerless::net::{Transport, system_time};

use super::super::core::Core;

/// A connection that the thread of the engine shares with that of the sockets.
pub trait EngineConnection: Send {
    /// Calls `work`, and again each time that something has changed, until it returns true. Afterwards, sends
    /// what may be sent.
    ///
    /// # Errors
    /// [`ErrorKind::TimedOut`] at the `deadline`; [`ErrorKind::ConnectionAborted`] if the connection was
    /// dropped; the error of `work`.
    fn until(
        &self,
        deadline: Duration,
        work: &mut dyn FnMut(&mut Core) -> io::Result<bool>,
    ) -> io::Result<()>;
}

/// A transport for one session of the engine, over the streams of a connection. Dropping it ends
/// the session but not the connection.
pub struct EngineStream<C: EngineConnection> {
    connection: C,
    is_closed: bool,
}

impl<C: EngineConnection> EngineStream<C> {
    /// A transport for the session that has begun on this connection.
    pub fn new(connection: C) -> Self {
        EngineStream {
            connection,
            is_closed: false,
        }
    }
}

impl<C: EngineConnection> Transport for EngineStream<C> {
    fn send(&mut self, bytes: Vec<u8>, within: Duration) -> io::Result<()> {
        if self.is_closed {
            return Err(ErrorKind::NotConnected.into());
        }
        let now = system_time();
        self.connection.until(now + within, &mut |core| {
            core.send_engine(&bytes, within, now)?;
            Ok(true)
        })
    }

    fn recv(&mut self, buf: &mut [u8], within: Duration) -> io::Result<usize> {
        let mut received = 0;
        self.connection.until(system_time() + within, &mut |core| {
            let count = core.read_engine(buf)?;
            received = count.unwrap_or(0);
            Ok(count.is_some())
        })?;
        Ok(received)
    }

    fn drain(&mut self, max_unsent: usize, within: Duration) -> io::Result<()> {
        self.connection.until(system_time() + within, &mut |core| {
            core.check()?;
            Ok(core.engine_unsent() <= max_unsent)
        })
    }

    fn close(&mut self, within: Duration) {
        // Bytes that cannot be sent within the given time are dropped.
        let _ = self.drain(0, within);
        self.is_closed = true;
    }
}

impl<C: EngineConnection> Drop for EngineStream<C> {
    fn drop(&mut self) {
        // If the connection was dropped, the session has ended with it.
        let _ = self.connection.until(system_time(), &mut |core| {
            core.end_engine();
            Ok(true)
        });
    }
}
