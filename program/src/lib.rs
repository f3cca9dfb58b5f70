//! What the commands of the program `dealerless` share. It knows neither a table nor circuits.
//!
//! - [`output`]: standard output, lines of JSON, grids, numbers for people
//! - [`whole_file`]: files that are replaced as a whole
//! - [`progress`]: a bar for work that takes long
//! - [`memory`]: the limit of memory, checked before anything is built
//! - [`arguments`]: values and options of several commands
//! - [`failure`]: the errors that have an exit code of their own

#![forbid(unsafe_code)]

pub mod arguments;
pub mod failure;
pub mod memory;
pub mod output;
pub mod progress;
pub mod whole_file;

use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;

/// The operating system's generator.
pub fn system_rng() -> UnwrapErr<SysRng> {
    UnwrapErr(SysRng)
}
