//! The four streams of a connection, and how they share it.
//!
//! The plaintext of a frame starts with its stream: 0 control, 1 the log, 2 the engine while people
//! wait for it, 3 the engine while it fills a pool. Control and log carry messages,
//! `u32 length | bytes`. Streams 2 and 3 are one ordered stream of bytes with two priorities.
//! Control has priority over the log, and the log over the engine.
//!
//! **A peer cannot make this side keep much**: on each stream, only a limited number of bytes may
//! be in transit or unread. The reader acknowledges the bytes that it has read (`ACK`), and only
//! then may more be sent. Each stream has its own limit, so a full stream does not block the
//! others.
//!
//! **Nothing waits long for a pool**: at most [`POOL_WINDOW`] bytes of a pool are in transit or
//! unread, in frames of at most [`POOL_FRAME`] bytes.
//!
//! A control frame holds items. Each item is a byte for its kind, followed by its numbers of eight
//! bytes each:
//!
//! | item | numbers | |
//! |---|---|---|
//! | 0 `BYTES` | | the rest of the frame belongs to the stream of control messages |
//! | 1 `ACK` | | one byte for the stream (0, 1 or 2), then the total number of its bytes read |
//! | 2 `PING` | 1 | must be answered with the same number |
//! | 3 `PONG` | 1 | |
//! | 4 `BEGIN` | 1 | the next engine bytes belong to the session with this number, which grows |
//! | 5 `END` | | the session sends no more bytes |
//! | 6 `BYE` | | the connection is closed; nothing follows |

pub(super) const CONTROL: u8 = 0;
pub(super) const LOG: u8 = 1;
pub(super) const RUN: u8 = 2;
pub(super) const POOL: u8 = 3;

pub(super) const BYTES: u8 = 0;
pub(super) const ACK: u8 = 1;
pub(super) const PING: u8 = 2;
pub(super) const PONG: u8 = 3;
pub(super) const BEGIN: u8 = 4;
pub(super) const END: u8 = 5;
pub(super) const BYE: u8 = 6;

/// The maximum length of a control or log message in bytes.
pub const MAX_MESSAGE: usize = 256 << 10;
/// The maximum number of unread bytes of the control stream and of the log, each. This is more than
/// three messages, so an incomplete message never blocks its own rest.
pub(super) const MESSAGE_WINDOW: u64 = 1 << 20;
/// The maximum number of unread bytes of the engine: more than a hand.
pub(super) const RUN_WINDOW: u64 = 256 << 10;
/// The maximum number of unread bytes of the engine while the next bytes belong to a pool. They
/// take 26 ms at 10 Mbit/s.
pub(super) const POOL_WINDOW: u64 = 32 << 10;

/// The maximum number of bytes in one frame, except for a frame of a pool.
pub(super) const FRAME: usize = 16 << 10;
/// The maximum number of bytes in one frame of a pool.
pub(super) const POOL_FRAME: usize = 4 << 10;

/// The streams that are not used by the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Messages that are neither signed nor kept.
    Control,
    /// Parts of steps.
    Log,
}

/// A message received on one of the streams.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The stream of the message.
    pub stream: Stream,
    /// The message.
    pub bytes: Vec<u8>,
}

/// The priority of the engine's bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Priority {
    /// People wait for these bytes.
    #[default]
    Run,
    /// The bytes fill a pool while people think. All other data is sent first.
    Pool,
}
