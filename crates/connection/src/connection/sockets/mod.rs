//! Sockets over TCP and the clock of the system, which a browser does not have. One thread waits for all sockets.

mod ask_relay;
mod engine_stream;
mod network;
mod reach;

pub use ask_relay::ask_relay;
pub use engine_stream::{EngineConnection, EngineStream};
pub use network::{CannotListen, Network, SocketTask, network};
pub use reach::own_addresses;
