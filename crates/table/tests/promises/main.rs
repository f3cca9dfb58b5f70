//! The promises of this crate. Each module tests one.

mod connected;
mod resuming;
mod rules;
mod several_seats;
mod two_seats;
