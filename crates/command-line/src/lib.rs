//! The code shared by the commands of the program `dealerless`. It depends on the library
//! `dealerless`, but not on the table or the lab.
//!
//! - [`output`]: standard output, JSON reports, tables, and numbers for people
//! - [`latex`]: tables for LaTeX
//! - [`whole_file`]: atomic file replacement
//! - [`progress`]: a progress bar for long work
//! - [`memory`]: the memory limit, checked before anything is built
//! - [`arguments`]: values and options that several commands share
//! - [`usage`]: parsing of the command line, and errors of usage
//! - [`failure`]: errors with their own exit codes, and the report of an error

#![forbid(unsafe_code)]

pub mod arguments;
pub mod failure;
pub mod latex;
pub mod memory;
pub mod output;
pub mod progress;
pub mod usage;
pub mod whole_file;

use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;

/// Returns the random number generator of the operating system. Its methods panic if the system
/// fails.
pub fn system_rng() -> UnwrapErr<SysRng> {
    UnwrapErr(SysRng)
}
