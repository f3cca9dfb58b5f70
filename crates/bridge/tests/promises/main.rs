//! The promises of this crate, with a module for each.

mod bridge_boards;
mod uniform_boards;
