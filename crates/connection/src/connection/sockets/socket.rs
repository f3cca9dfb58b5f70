//! TCP connections with deadlines, as times since the start of [`system_time`].

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use dealerless::net::system_time;

use super::super::error::MeetingError;
use super::super::meeting::{Established, MAX_MEETING_MESSAGE, Meeting};

/// Prepares a new connection.
pub(super) fn prepare(stream: &TcpStream) -> io::Result<()> {
    // On some systems, an accepted socket inherits the non-blocking mode of the listener.
    stream.set_nonblocking(false)?;
    stream.set_nodelay(true)
}

/// Runs one side of a meeting. Reads nothing of what follows the meeting.
pub(super) fn meet(stream: &TcpStream, mut meeting: Meeting) -> Result<Established, MeetingError> {
    loop {
        if let Some(met) = advance(stream, &mut meeting, Duration::MAX)? {
            return Ok(met);
        }
    }
}

/// Runs one side of a meeting for some time. Returns its result, or `None` if the time is `until` before
/// the meeting is complete.
pub(super) fn advance(
    stream: &TcpStream,
    meeting: &mut Meeting,
    until: Duration,
) -> Result<Option<Established>, MeetingError> {
    let mut buf = [0; MAX_MEETING_MESSAGE];
    let mut received = Ok(None);
    loop {
        let sent = write_by(stream, &meeting.outgoing(), meeting.deadline());
        // A failed meeting is reported even if its last bytes cannot be sent.
        let met = received?;
        sent.map_err(MeetingError::Connection)?;
        if met.is_some() {
            return Ok(met);
        }
        let (len, deadline) = (meeting.missing().min(buf.len()), meeting.deadline());
        received = match read_by(stream, &mut buf[..len], deadline.min(until)) {
            Ok(count) => meeting.received(&mut &buf[..count], system_time()),
            Err(error) if error.kind() == ErrorKind::TimedOut && until < deadline => {
                return Ok(None);
            }
            Err(error) => Err(meeting.failed(error)),
        };
    }
}

/// Reads at least one byte before `deadline`. The end of the stream is an error.
pub(super) fn read_by(
    mut stream: &TcpStream,
    buf: &mut [u8],
    deadline: Duration,
) -> io::Result<usize> {
    loop {
        stream.set_read_timeout(Some(remaining(deadline)?))?;
        match stream.read(buf) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Err(error) if is_temporary(&error) => {}
            read => return read,
        }
    }
}

/// Writes all of `bytes` before `deadline`. A peer cannot extend the deadline by accepting one byte
/// at a time.
pub(super) fn write_by(
    mut stream: &TcpStream,
    mut bytes: &[u8],
    deadline: Duration,
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

fn remaining(deadline: Duration) -> io::Result<Duration> {
    let remaining = deadline.saturating_sub(system_time());
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
