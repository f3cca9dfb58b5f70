//! Connections: how two players find each other, authenticate each other (a *meeting*), and
//! exchange messages over an encrypted connection.

mod again;
mod code_call;
mod core;
mod cpace;
mod dial;
mod door;
mod error;
mod first;
mod inbox;
mod incoming;
#[cfg(all(feature = "internals", not(target_family = "wasm")))]
pub(crate) mod internals;
mod invite;
mod invites;
mod meeting;
mod messages;
mod noise;
mod offer;
mod outbox;
mod place;
mod polled;
mod prelude;
mod relay_request;
#[cfg(not(target_family = "wasm"))]
mod sockets;
mod spoken;
mod spoken_code;
mod strangers;
mod streams;
#[cfg(test)]
mod tests;

pub use self::core::{Core, Task, Timing};
pub use code_call::CodeCall;
pub use dial::Dial;
pub use door::{Admits, DoorEvent, PolledDoor};
pub use error::{ConnectionError, MeetingError, SecondGuest};
pub use invite::{BadInvite, Invite, InviteId};
pub use invites::Invites;
pub use meeting::{Credentials, MAX_HEADER, Met, Side};
pub use place::{Happened, Place, Sockets};
pub use polled::PolledConnection;
#[cfg(not(target_family = "wasm"))]
pub use sockets::{
    CannotListen, EngineConnection, EngineStream, Network, SocketTask, ask_relay, network,
    own_addresses,
};
pub use spoken::{CodeKey, Exchanged, SpokenError, SpokenExchange};
pub use spoken_code::{BadCode, CodeWords, SpokenCode};
pub use streams::{MAX_MESSAGE, Message, Priority, Stream};
