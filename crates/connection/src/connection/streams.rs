//! The four streams of a connection, their limits and their priorities.
//!
//! The first byte of a frame's plaintext is the number of its stream: 0 control, 1 the log of the
//! match, 2 the shuffling engine while people wait for it, 3 the engine while it fills a pool of
//! precomputed data. Control and log carry messages, `u32 length | bytes`. Streams 2 and 3 are one
//! ordered stream of bytes with two priorities. Control has priority over the log, and the log over
//! the engine.
//!
//! **A peer cannot make this side store much data**: each stream has a *window*, the maximum number
//! of bytes that are in transit or unread. The sender may send more when the receiver has
//! acknowledged the bytes that it has read (`ACK`). Each stream has its own window, so a full
//! stream does not block the other streams. A peer that does not acknowledge cannot make the sender
//! store much either: the connection ends at the first message behind more than [`MAX_BACKLOG`].
//!
//! **Pool bytes never delay other data for long**: at most [`POOL_WINDOW`] bytes of a pool are in
//! transit or unread, in frames of at most [`POOL_FRAME`] bytes.
//!
//! A control frame holds items. Each item starts with a byte for its kind. A stream has one byte,
//! and a number eight.
//!
//! | kind | contents | meaning |
//! |---|---|---|
//! | 0 `BYTES` | the rest of the frame | bytes of the stream of control messages |
//! | 1 `ACK` | stream (0, 1 or 2), number | the total number of bytes read from the stream |
//! | 2 `PING` | number | the peer must answer with a `PONG` of the same number |
//! | 3 `PONG` | number | the answer to the `PING` with this number |
//! | 4 `BEGIN` | number | an engine session with this number starts; numbers increase |
//! | 5 `END` | | the engine session sends no more bytes |
//! | 6 `BYE` | | the goodbye: the sender needs nothing more and sends no more frames |
//!
//! After a `BYE`, the other side sends only its own `BYE`, when its program has processed all messages
//! that came before. A received `BYE` therefore shows that the peer needs no more messages of this side,
//! even if the two `BYE`s have crossed. If the connection ends in another way, the last messages may be
//! lost.

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
/// The window of the control stream and of the log, in bytes. It holds more than three messages, so
/// there is always room for the end of an incomplete message.
pub(super) const MESSAGE_WINDOW: u64 = 1 << 20;
/// The window of the engine, in bytes: more than the engine sends for one hand.
pub(super) const RUN_WINDOW: u64 = 256 << 10;
/// The window of the engine, in bytes, while the next bytes belong to a pool. 32 KiB take 26 ms at
/// 10 Mbit/s.
pub(super) const POOL_WINDOW: u64 = 32 << 10;
/// The maximum number of unsent engine bytes: far more than the engine sends between two receptions.
pub(super) const MAX_UNSENT: usize = 64 << 20;

/// The maximum number of unsent bytes of messages that the peer leaves when the next message is queued: more than 100 hands
/// of ten players. The answer to a request is queued at once, and may be longer, as a whole record is.
pub(super) const MAX_BACKLOG: usize = 16 << 20;

/// The maximum number of bytes in one frame, except for a frame of a pool.
pub(super) const FRAME: usize = 16 << 10;
/// The maximum number of bytes in one frame of a pool.
pub(super) const POOL_FRAME: usize = 4 << 10;

/// The streams that carry messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Messages that are neither signed nor stored.
    Control,
    /// Messages about the match log: signed parts, and what is needed to resume a match.
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
