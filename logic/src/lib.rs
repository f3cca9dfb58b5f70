//! Makes Boolean circuits smaller, proves that two circuits compute the same function, and counts the
//! draws of shuffle netlists ([`draws`]).
//!
//! XOR and NOT are free in garbled circuits, so the cost of a circuit is its number of ANDs. The
//! smallest number of ANDs with which a function can be computed is its *multiplicative
//! complexity*.

#![forbid(unsafe_code)]

pub mod draws;
