//! Tests that look into an engine.

mod failed;
mod numbers;
mod reader;
pub(super) mod views;
