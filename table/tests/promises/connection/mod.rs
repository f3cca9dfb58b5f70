//! The connection between two players: meeting, attacks from the middle of the connection, and the
//! cost of strangers.

mod hostile;
mod meetings;
mod players;
mod proxy;
mod relay;
mod strangers;
mod streams;
mod successors;
mod tables;
