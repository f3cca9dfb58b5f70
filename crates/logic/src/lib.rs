//! Makes Boolean circuits smaller, proves that two circuits compute the same function, and counts the
//! draws of shuffle netlists ([`draws`]).
//!
//! XOR and NOT are free in garbled circuits, so the cost of a circuit is its number of ANDs. The
//! smallest number of ANDs with which a function can be computed is its *multiplicative
//! complexity*. [`optimise()`] works on a circuit as ANDs and sums: each operand of an AND is an XOR
//! of inputs, ANDs and possibly the constant 1.

#![forbid(unsafe_code)]

pub mod classes;
mod cones;
pub mod draws;
pub mod equal;
mod forms;
pub mod function;
mod graph;
mod lists;
mod optimise;
mod rewrite;
mod sums;
mod windows;

pub use graph::Size;
pub use optimise::{Pass, Watch, live_gates, optimise};
