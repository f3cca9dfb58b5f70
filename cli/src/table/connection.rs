//! What a match needs of the line between its seats.

use std::io;
use std::time::Duration;

use dealerless::net::Transport;
use dealerless_table::{EngineStream, Line, LineError, Priority, Stream};

/// How long what was said last may take to leave.
const GOODBYE: Duration = Duration::from_secs(5);
/// The line itself notices when the other is gone; this only says how often the wait begins anew.
const LONG: Duration = Duration::from_secs(3600);

/// A line to the other seat.
pub(crate) trait Connection: Send + Sync + 'static {
    /// What the engine talks over.
    type Engine: Transport + 'static;

    /// Sends a part. It does not wait for the other.
    ///
    /// # Errors
    /// If the line has ended.
    fn send(&self, part: Vec<u8>) -> Result<(), LineError>;

    /// Waits for the next part.
    ///
    /// # Errors
    /// Why the line has ended, after all that came before.
    fn receive(&self) -> Result<Vec<u8>, LineError>;

    /// The transport for the engine.
    ///
    /// # Errors
    /// If the line has ended.
    fn engine(&self) -> Result<Self::Engine, LineError>;

    /// Whether all else goes before what the engine sends.
    fn give_way(&self, whether: bool);

    /// Sends what is queued and ends the line. Whoever waits for a part is told.
    fn close(&self);
}

impl Connection for Line {
    type Engine = EngineStream;

    fn send(&self, part: Vec<u8>) -> Result<(), LineError> {
        self.send_log(part)
    }

    fn receive(&self) -> Result<Vec<u8>, LineError> {
        loop {
            match self.recv(LONG) {
                Ok(message) if message.stream == Stream::Log => return Ok(message.bytes),
                // A newer program may say more here; this one has nothing to do with it.
                Ok(_) | Err(LineError::TimedOut) => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn engine(&self) -> Result<EngineStream, LineError> {
        Line::engine(self, 1)
    }

    fn give_way(&self, whether: bool) {
        self.set_engine_priority(match whether {
            true => Priority::Pool,
            false => Priority::Run,
        });
    }

    fn close(&self) {
        Line::close(self, GOODBYE);
    }
}

/// An end of a line as an error of input and output.
pub(crate) fn lost(error: LineError) -> io::Error {
    io::Error::new(io::ErrorKind::ConnectionAborted, error)
}
