//! Sockets over TCP and the clock of the system, which a browser does not have. One thread waits for all
//! sockets; programs with threads of their own use them through [`Door`], [`Guest`] and [`Connection`].

mod ask_relay;
mod door;
mod engine_stream;
mod join;
mod live;
mod network;
mod reach;
#[cfg(test)]
mod tests;
mod waiting;

pub use ask_relay::ask_relay;
pub use door::{Door, DoorError};
pub use engine_stream::{EngineConnection, EngineStream};
pub use join::{Guest, use_code};
pub use live::Connection;
pub use network::{Network, SocketTask, network};
pub use reach::own_addresses;
pub use waiting::{Machine, wait_for};
