//! The connection between two players: meetings, attackers between the players, relays, and
//! connections of strangers.

mod codes;
mod hostile;
mod meetings;
pub(crate) mod players;
mod proxy;
mod relay;
mod rosters;
mod routes;
mod strangers;
mod streams;
mod successors;
mod tables;
