//! The connection as a transport for the engine.

use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use dealerless::net::Transport;

use super::carrier::Shared;
use super::error::ConnectionError;
use super::inbox::Read;

/// A transport for one session of the engine, over the streams of a connection. Dropping it ends
/// the session but not the connection.
pub struct EngineStream {
    shared: Arc<Shared>,
    number: u64,
    /// The time limit of the last `send`: how long the peer may accept no bytes.
    limit: Duration,
    closed: bool,
}

impl EngineStream {
    pub(super) fn new(shared: Arc<Shared>, number: u64) -> Self {
        EngineStream {
            shared,
            number,
            limit: Duration::MAX,
            closed: false,
        }
    }
}

impl Transport for EngineStream {
    fn send(&mut self, bytes: Vec<u8>, within: Duration) -> io::Result<()> {
        let mut state = self.shared.lock();
        state.check().map_err(broken)?;
        if self.closed {
            return Err(ErrorKind::NotConnected.into());
        }
        if state.outbox.engine_unsent() == 0 {
            state.engine_moved = Instant::now();
        } else if state.engine_moved.elapsed() > self.limit {
            return Err(broken(ConnectionError::Silent));
        }
        self.limit = within;
        state.outbox.engine(&bytes);
        self.shared.wake_writer();
        Ok(())
    }

    fn recv(&mut self, buf: &mut [u8], within: Duration) -> io::Result<usize> {
        let deadline = Instant::now() + within;
        let mut state = self.shared.lock();
        loop {
            match state.inbox.read_engine(self.number, buf) {
                Read::Bytes(count) => {
                    self.shared.acknowledge(&mut state);
                    return Ok(count);
                }
                Read::Ended => return Ok(0),
                Read::Nothing => match state.check() {
                    Ok(()) => {}
                    Err(ConnectionError::Closed | ConnectionError::ClosedHere) => return Ok(0),
                    Err(error) => return Err(broken(error)),
                },
            }
            state = self
                .shared
                .wait(state, deadline)
                .ok_or(ErrorKind::TimedOut)?;
        }
    }

    fn drain(&mut self, max_unsent: usize, within: Duration) -> io::Result<()> {
        let deadline = Instant::now() + within;
        let mut state = self.shared.lock();
        while state.outbox.engine_unsent() > max_unsent {
            state.check().map_err(broken)?;
            state = self
                .shared
                .wait(state, deadline)
                .ok_or(ErrorKind::TimedOut)?;
        }
        state.check().map_err(broken)
    }

    fn close(&mut self, within: Duration) {
        // Bytes that cannot be sent within the given time are dropped.
        let _ = self.drain(0, within);
        self.closed = true;
    }
}

impl Drop for EngineStream {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.engine_in_use = false;
        state.outbox.end_engine();
        state.inbox.want_from(self.number + 1);
        self.shared.acknowledge(&mut state);
        self.shared.wake_writer();
    }
}

/// Converts the reason for the end of a connection into a transport error. The returned kinds never
/// tell the engine to retry.
fn broken(error: ConnectionError) -> io::Error {
    let kind = match error {
        ConnectionError::Cut(kind) => kind,
        ConnectionError::Forged | ConnectionError::Broken(_) => ErrorKind::InvalidData,
        _ => ErrorKind::ConnectionAborted,
    };
    io::Error::new(kind, error)
}
