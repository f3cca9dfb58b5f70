//! A player's session as a state machine: it joins, hosts, plays, resumes and audits matches, moves the
//! identity, and answers questions about what is kept. It sees everything outside through a [`World`].

mod auditing;
mod failing;
mod finding;
mod hosting;
mod joining;
mod line;
mod matches;
mod moving;
mod own;
mod playing;
mod program;
mod reception;
mod session;
mod world;

#[cfg(test)]
mod tests;

pub use line::{Happened, Line};
pub use session::Session;
pub use world::World;
