//! Sockets over TCP and the clock of the system, which a browser does not have. One thread waits for all
//! sockets; programs with threads of their own use them through [`Door`], [`Guest`] and [`Connection`].

mod ask_relay;
mod engine_stream;
mod live;
mod network;
mod reach;
mod waiting;

pub use ask_relay::ask_relay;
pub use engine_stream::EngineStream;
pub use live::Connection;
pub use reach::own_addresses;
