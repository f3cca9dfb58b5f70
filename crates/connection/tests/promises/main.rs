//! The connection between two players: meetings, attackers between the players, relays, and
//! connections of strangers.

mod codes;
mod hostile;
mod meetings;
mod relay;
mod routes;
mod strangers;
mod streams;
mod successors;
mod tables;
