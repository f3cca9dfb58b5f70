//! The connection as a transport for the engine.

use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::time::Duration;

use dealerless::net::{Transport, system_time};

use super::live::Shared;

/// A transport for one session of the engine, over the streams of a connection. Dropping it ends
/// the session but not the connection.
pub struct EngineStream {
    shared: Arc<Shared>,
    closed: bool,
}

impl EngineStream {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        EngineStream {
            shared,
            closed: false,
        }
    }
}

impl Transport for EngineStream {
    fn send(&mut self, bytes: Vec<u8>, within: Duration) -> io::Result<()> {
        if self.closed {
            return Err(ErrorKind::NotConnected.into());
        }
        let mut state = self.shared.lock();
        let core = state.core()?;
        let sent = core.send_engine(&bytes, within, system_time());
        self.shared.flush(&mut state);
        Ok(sent?)
    }

    fn recv(&mut self, buf: &mut [u8], within: Duration) -> io::Result<usize> {
        let deadline = system_time() + within;
        let mut state = self.shared.lock();
        loop {
            if let Some(count) = state.core()?.read_engine(buf)? {
                // Acknowledges the bytes.
                self.shared.flush(&mut state);
                return Ok(count);
            }
            state = self
                .shared
                .wait(state, deadline)
                .ok_or(ErrorKind::TimedOut)?;
        }
    }

    fn drain(&mut self, max_unsent: usize, within: Duration) -> io::Result<()> {
        let deadline = system_time() + within;
        let mut state = self.shared.lock();
        while state.core()?.engine_unsent() > max_unsent {
            state.core()?.check()?;
            state = self
                .shared
                .wait(state, deadline)
                .ok_or(ErrorKind::TimedOut)?;
        }
        Ok(state.core()?.check()?)
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
        if let Ok(core) = state.core() {
            core.end_engine();
        }
        self.shared.flush(&mut state);
    }
}
