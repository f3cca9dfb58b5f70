//! The promises of this crate. Each module tests one.

mod aiger;
mod bench;
mod circuit;
mod common;
mod laboratory;
mod netlists;
mod plot;
mod prints;
mod prove;
mod prove_netlists;
mod strangers;
mod two_processes;
mod usage;
