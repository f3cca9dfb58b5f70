//! The line between two players: who meets whom, what somebody in between can do, and what
//! strangers cost.

mod hostile;
mod meetings;
mod players;
mod proxy;
mod relay;
mod strangers;
mod streams;
mod successors;
mod tables;
