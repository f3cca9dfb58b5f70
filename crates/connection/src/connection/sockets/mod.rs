//! Connections over TCP, with threads and the clock of the system: everything that a browser does
//! not have.

mod carrier;
mod door;
mod engine_stream;
mod join;
mod live;
mod reach;
mod relay;
mod routes;
mod socket;
mod spoken;
mod strangers;
#[cfg(test)]
mod tests;

pub use door::{Door, DoorError, DoorEvent};
pub use engine_stream::EngineStream;
pub use join::Guest;
pub use live::Connection;
pub use reach::own_addresses;
pub use relay::ask_relay;
pub use spoken::use_code;
