//! Tests that need the private parts of the engine.

mod failed;
mod numbers;
mod reader;
pub(super) mod views;
