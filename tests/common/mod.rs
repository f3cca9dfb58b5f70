//! What several of the integration tests use.

// Each test binary compiles all of this and uses a part; nothing is reachable from outside of one.
#![allow(dead_code, unreachable_pub)]

pub mod biased;
pub mod bristol_evaluator;
pub mod chi_square;
pub mod shuffles;
