//! Tools shared by several tests.
#![allow(dead_code, unreachable_pub, reason = "each test uses some of these")]

pub mod cuts;
pub mod matches;
pub mod page;
#[path = "../../../../lab/tests/promises/common/processes.rs"]
pub mod processes;
pub mod relay;
pub mod side;
pub mod tables;

/// The program.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_dealerless");
