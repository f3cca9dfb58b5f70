//! The promises of this crate. Each module tests one.

mod connection;
mod resuming;
mod rules;
mod several_seats;
mod two_seats;
