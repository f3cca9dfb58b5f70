//! The promises of this crate, a module each.

mod bridge_boards;
mod uniform_boards;
