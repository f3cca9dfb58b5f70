//! A TCP connection with a deadline for all operations.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// A connection with one deadline for all reads and writes.
pub(super) struct Socket {
    stream: TcpStream,
    deadline: Instant,
}

impl Socket {
    pub(super) fn new(stream: TcpStream, within: Duration) -> io::Result<Self> {
        // On some systems, an accepted socket inherits the non-blocking mode of the listener.
        stream.set_nonblocking(false)?;
        stream.set_nodelay(true)?;
        Ok(Socket {
            stream,
            deadline: Instant::now() + within,
        })
    }

    pub(super) fn set_deadline(&mut self, deadline: Instant) {
        self.deadline = deadline;
    }

    pub(super) fn into_stream(self) -> TcpStream {
        self.stream
    }

    pub(super) fn read_exact(&mut self, mut buf: &mut [u8]) -> io::Result<()> {
        while !buf.is_empty() {
            self.stream.set_read_timeout(Some(self.remaining()?))?;
            match self.stream.read(buf) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(len) => buf = &mut buf[len..],
                Err(error) if is_temporary(&error) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    pub(super) fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        write_by(&self.stream, bytes, self.deadline)
    }

    /// Reads `u16 length | bytes` with at most `max` bytes.
    pub(super) fn read_message(&mut self, max: usize) -> io::Result<Vec<u8>> {
        let mut len = [0; 2];
        self.read_exact(&mut len)?;
        let len = usize::from(u16::from_le_bytes(len));
        if len > max {
            return Err(io::Error::new(ErrorKind::InvalidData, "message too long"));
        }
        let mut bytes = vec![0; len];
        self.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    fn remaining(&self) -> io::Result<Duration> {
        remaining(self.deadline)
    }
}

/// Writes all of `bytes` before `deadline`. A peer cannot extend the deadline by accepting one byte
/// at a time.
pub(super) fn write_by(
    mut stream: &TcpStream,
    mut bytes: &[u8],
    deadline: Instant,
) -> io::Result<()> {
    while !bytes.is_empty() {
        stream.set_write_timeout(Some(remaining(deadline)?))?;
        match stream.write(bytes) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(len) => bytes = &bytes[len..],
            Err(error) if is_temporary(&error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn remaining(deadline: Instant) -> io::Result<Duration> {
    let remaining = deadline.saturating_duration_since(Instant::now());
    if remaining.is_zero() {
        return Err(ErrorKind::TimedOut.into());
    }
    Ok(remaining)
}

/// Whether a retry can help: no data was ready, or a signal arrived.
pub(super) fn is_temporary(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted
    )
}

/// Encodes `u16 length | bytes`.
pub(super) fn with_length(bytes: &[u8]) -> Vec<u8> {
    let len = u16::try_from(bytes.len()).expect("meeting messages are short");
    [&len.to_le_bytes(), bytes].concat()
}
