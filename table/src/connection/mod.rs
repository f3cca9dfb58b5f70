//! Connections: how two players find each other, authenticate each other (a *meeting*), and
//! exchange messages over an encrypted connection.

mod again;
mod carrier;
mod core;
mod door;
mod engine_stream;
mod error;
mod first;
mod inbox;
mod incoming;
#[cfg(feature = "internals")]
pub(crate) mod internals;
mod invite;
mod invites;
mod join;
mod live;
mod meeting;
mod messages;
mod noise;
mod outbox;
mod prelude;
#[cfg(not(target_family = "wasm"))]
mod reach;
mod relay;
mod socket;
mod strangers;
mod streams;
#[cfg(test)]
mod tests;

pub use self::core::Timing;
pub use door::{Door, DoorError, DoorEvent};
pub use error::{ConnectionError, MeetingError};
pub use invite::{BadInvite, Invite};
pub use join::Guest;
pub use live::Connection;
#[cfg(not(target_family = "wasm"))]
pub use reach::own_addresses;
pub use relay::ask_relay;
pub use streams::{Message, Stream};

#[cfg(feature = "internals")]
pub use with_internals::*;
#[cfg(not(feature = "internals"))]
pub(crate) use with_internals::*;

/// Items that are public only for tests and fuzz targets.
mod with_internals {
    pub use super::core::{Core, Task};
    pub use super::engine_stream::EngineStream;
    pub use super::meeting::MAX_HEADER;
    pub use super::streams::{MAX_MESSAGE, Priority};
}
