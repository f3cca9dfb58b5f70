//! What several integration tests share.
#![allow(dead_code, unreachable_pub, reason = "each test uses a part of it")]

pub mod affine;
pub mod binomial;
pub mod bristol_evaluator;
pub mod chi_square;
pub mod circuits;
pub mod failed;
pub mod kind;
pub mod liar;
pub mod line;
pub mod session;
pub mod shuffles;
pub mod soak;
pub mod tap;
pub mod view;
