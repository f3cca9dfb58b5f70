//! The four streams of a line, and how they share it.
//!
//! The plaintext of a frame begins with its stream: 0 control, 1 the log, 2 the engine while people
//! wait for it, 3 the engine while it fills a pool. Control and log carry messages, `u32 length |
//! bytes`; 2 and 3 are one stream of bytes in one order, with two priorities. Control goes before
//! the log, the log before the engine.
//!
//! **Nobody can make the other keep much**: of each stream only so many bytes may be on their way or
//! unread. Who reads them says so (an `ACK`), and only then may more be sent. The streams wait for
//! themselves alone, so a full one blocks no other.
//!
//! **Nothing waits long behind a pool**: of its bytes at most [`POOL_WINDOW`] are unread or under
//! way, in frames of at most [`POOL_FRAME`].
//!
//! A control frame holds items, each a byte that says which and its numbers of eight bytes:
//!
//! | item | numbers | |
//! |---|---|---|
//! | 0 `BYTES` | | the rest of the frame is of the stream of control messages |
//! | 1 `ACK` | | one byte, the stream (0, 1 or 2); then how many of its bytes were read in all |
//! | 2 `PING` | 1 | to be answered with the same number |
//! | 3 `PONG` | 1 | |
//! | 4 `BEGIN` | 1 | the engine's bytes that follow are of the session with this number, which grows |
//! | 5 `END` | | the session sends no more |
//! | 6 `BYE` | | the line is closed; nothing follows |

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

/// The longest message of control and log.
pub const MAX_MESSAGE: usize = 256 << 10;
/// Unread bytes of the control stream and of the log, each. More than three messages: so a message
/// that is not complete never keeps the rest of it from coming.
pub(super) const MESSAGE_WINDOW: u64 = 1 << 20;
/// Unread bytes of the engine: more than a hand.
pub(super) const RUN_WINDOW: u64 = 256 << 10;
/// Unread bytes of the engine when the next are of a pool. At 10 Mbit/s they take 26 ms.
pub(super) const POOL_WINDOW: u64 = 32 << 10;

/// Bytes in one frame, but for a pool's.
pub(super) const FRAME: usize = 16 << 10;
/// Bytes of a pool in one frame.
pub(super) const POOL_FRAME: usize = 4 << 10;

/// The streams that others than the engine use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Whatever is neither signed nor kept.
    Control,
    /// Parts of steps.
    Log,
}

/// What came over one of the streams.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Which.
    pub stream: Stream,
    /// The message.
    pub bytes: Vec<u8>,
}

/// How urgent the engine's bytes are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Priority {
    /// People wait for them.
    #[default]
    Run,
    /// They fill a pool, while people think: all else goes before them.
    Pool,
}
