//! A transport between two threads of one process, or over any reader and writer.

use std::io::{self, ErrorKind, Read, Write};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use super::pipe::Pipe;
use super::transport::Transport;

/// The maximum number of bytes that are read from a stream or written to a stream at once.
const STREAM_BYTES: usize = 128 * 1024;

/// One end of a connection in memory. [`memory_pair`] creates both ends; [`over_stream`] creates
/// one end and copies the bytes between this end and a stream.
///
/// Bytes count as sent once the other end has received them. Use the two ends in two threads,
/// because waiting for the peer blocks the thread.
pub struct MemoryTransport {
    outgoing: Arc<Pipe>,
    incoming: Arc<Pipe>,
    /// Whether `close` waits until the other end has taken the queued bytes. It does so for
    /// streams, because queued bytes are lost if the process exits.
    lingers: bool,
}

/// Creates the two ends of a connection.
pub fn memory_pair() -> (MemoryTransport, MemoryTransport) {
    let (there, back) = <(Arc<Pipe>, Arc<Pipe>)>::default();
    let end = |outgoing: &Arc<Pipe>, incoming: &Arc<Pipe>| MemoryTransport {
        outgoing: Arc::clone(outgoing),
        incoming: Arc::clone(incoming),
        lingers: false,
    };
    (end(&there, &back), end(&back, &there))
}

/// Creates a transport over any reader and writer: the standard input and output of another
/// program, a serial port, an encrypted stream.
///
/// Two threads copy the bytes. A blocking read or write cannot be interrupted. After
/// [`close`](Transport::close) the writing thread writes the queued bytes, drops the writer and
/// ends; the reading thread ends when its current read returns. The deadlines of the channel apply
/// even while a read or write blocks.
///
/// # Errors
/// If the system cannot create the threads.
pub fn over_stream(
    reader: impl Read + Send + 'static,
    writer: impl Write + Send + 'static,
) -> io::Result<MemoryTransport> {
    let transport = MemoryTransport {
        outgoing: Arc::default(),
        incoming: Arc::default(),
        lingers: true,
    };
    let outgoing = Arc::clone(&transport.outgoing);
    thread::Builder::new()
        .name("dealerless-writer".into())
        .spawn(move || outgoing.close(write_all(&outgoing, writer).err()))?;
    let incoming = Arc::clone(&transport.incoming);
    thread::Builder::new()
        .name("dealerless-reader".into())
        .spawn(move || incoming.close(read_all(reader, &incoming).err()))?;
    Ok(transport)
}

/// Writes the bytes from `pipe` to `writer` until the pipe is closed and empty.
fn write_all(pipe: &Pipe, mut writer: impl Write) -> io::Result<()> {
    let mut buf = vec![0; STREAM_BYTES];
    loop {
        match pipe.peek(&mut buf)? {
            0 => return Ok(()),
            len => {
                writer.write_all(&buf[..len])?;
                writer.flush()?;
                pipe.remove(len);
            }
        }
    }
}

/// Reads from `reader` into `pipe`. Waits before each read until at most [`STREAM_BYTES`] bytes are
/// in the pipe.
fn read_all(mut reader: impl Read, pipe: &Pipe) -> io::Result<()> {
    let mut buf = vec![0; STREAM_BYTES];
    loop {
        match reader.read(&mut buf) {
            Ok(0) => return Ok(()),
            Ok(len) => {
                pipe.push(&buf[..len])?;
                pipe.drain(STREAM_BYTES, Duration::MAX)?;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

impl Transport for MemoryTransport {
    fn send(&mut self, bytes: Vec<u8>, _: Duration) -> io::Result<()> {
        self.outgoing.push(&bytes)
    }

    fn recv(&mut self, buf: &mut [u8], within: Duration) -> io::Result<usize> {
        self.incoming.pull(buf, within)
    }

    fn drain(&mut self, max_unsent: usize, within: Duration) -> io::Result<()> {
        self.outgoing.drain(max_unsent, within)
    }

    fn close(&mut self, within: Duration) {
        if self.lingers {
            // Bytes that are not taken in time are lost if the process exits.
            let _ = self.outgoing.drain(0, within);
        }
        self.outgoing.close(None);
        self.incoming.close(None);
    }
}

impl Drop for MemoryTransport {
    fn drop(&mut self) {
        self.close(Duration::ZERO);
    }
}
