//! Tests that look into an engine.

mod failed;
pub(super) mod views;
