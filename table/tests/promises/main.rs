//! The promises of this crate, a module each.

mod line;
mod resuming;
mod rules;
mod two_seats;
