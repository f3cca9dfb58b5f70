//! The promises of this crate, a module each.

mod connection;
mod resuming;
mod rules;
mod two_seats;
