//! Tests that need the private parts of the engine.

mod failed;
mod numbers;
mod reader;
mod targets;
pub(super) mod views;
