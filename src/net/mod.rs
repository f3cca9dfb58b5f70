//! The channel between the two parties: framing with limits, the wire format, and the transports.
//!
//! The protocols use a [`Channel`]. It sends and receives *messages* (small, typed, limited in size
//! by the receiver) and *bulk data* (blocks whose number both sides know), counts the traffic, and
//! has a deadline for every wait. A channel runs over a [`Transport`], an ordered stream of bytes:
//! [`MemoryTransport`] within a process, [`TcpTransport`] between two processes.
//!
//! All input is treated as hostile. A length is compared with the receiver's expectation before
//! memory is allocated, a tag is checked before the payload is read, and a peer that trickles bytes
//! is disconnected. See [`Channel`] for the rules.
//!
//! WebAssembly has no threads and no sockets: there, a program brings its own transport and clock.
//!
//! A frame on the wire is `[length of the payload: u32 LE][tag: u8][payload]`.

#[cfg(not(target_family = "wasm"))]
mod backlog;
mod channel;
mod clock;
mod codec;
mod error;
#[cfg_attr(
    not(feature = "internals"),
    allow(unreachable_pub, reason = "public with the feature `internals`")
)]
mod frame;
#[cfg_attr(
    not(feature = "internals"),
    allow(unreachable_pub, reason = "public with the feature `internals`")
)]
pub(crate) mod hello;
#[cfg(not(target_family = "wasm"))]
mod memory;
#[cfg(not(target_family = "wasm"))]
mod pipe;
mod tag;
#[cfg(not(target_family = "wasm"))]
mod tcp;
mod traffic;
mod transport;

pub use channel::{Channel, MAX_BACKLOG};
pub use clock::{Deadlines, system_time};
pub use codec::{MAX_MESSAGE_BYTES, Message};
pub use error::{Error, Malformed, Result};
pub(crate) use frame::{bulk_bytes, message_bytes};
pub use hello::VERSION;
#[cfg(not(target_family = "wasm"))]
pub use memory::{MemoryTransport, memory_pair, over_stream};
pub use tag::Tag;
pub(crate) use tag::tags;
#[cfg(not(target_family = "wasm"))]
pub use tcp::TcpTransport;
pub use traffic::Traffic;
pub use transport::Transport;

#[cfg(feature = "internals")]
pub use frame::{CHUNK, HEADER_BYTES};
#[cfg(feature = "internals")]
pub use hello::{MAGIC, MAX_BODY_BYTES, recv_hello, send_hello};
