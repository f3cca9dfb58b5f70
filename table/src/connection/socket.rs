//! A TCP connection with a deadline for everything.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// A connection of which all that is read and written together must be done by one moment.
pub(super) struct Socket {
    stream: TcpStream,
    deadline: Instant,
}

impl Socket {
    pub(super) fn new(stream: TcpStream, within: Duration) -> io::Result<Self> {
        // Some systems let an accepted socket inherit the listener's mode.
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

    /// Reads `u16 length | bytes`, of at most `most` bytes.
    pub(super) fn read_message(&mut self, most: usize) -> io::Result<Vec<u8>> {
        let mut len = [0; 2];
        self.read_exact(&mut len)?;
        let len = usize::from(u16::from_le_bytes(len));
        if len > most {
            return Err(io::Error::new(
                ErrorKind::InvalidData,
                "a message is too long",
            ));
        }
        let mut bytes = vec![0; len];
        self.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    fn remaining(&self) -> io::Result<Duration> {
        remaining(self.deadline)
    }
}

/// Writes all of `bytes` by `deadline`: a peer that takes a byte at a time gains nothing.
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
    match remaining.is_zero() {
        true => Err(ErrorKind::TimedOut.into()),
        false => Ok(remaining),
    }
}

/// Whether trying again can help: nothing was ready, or a signal came.
pub(super) fn is_temporary(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted
    )
}

/// `u16 length | bytes`.
pub(super) fn with_length(bytes: &[u8]) -> Vec<u8> {
    let len = u16::try_from(bytes.len()).expect("messages of a meeting are short");
    [&len.to_le_bytes(), bytes].concat()
}
