//! Tools shared by several tests. The tests of `dealerless-cli` use some of them.
#![allow(
    dead_code,
    unreachable_pub,
    reason = "the tests of another crate use these"
)]

pub mod processes;
pub mod proxy;

use std::fs;
use std::path::Path;

/// The commands of this crate as a program.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_lab");

/// Writes a file. Returns its path.
pub fn write(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Writes a netlist of x AND y, and x XOR y, of two bits each.
pub fn small_netlist(folder: &Path) -> String {
    write(
        folder,
        "small.txt",
        "4 8\n2 2 2\n2 2 2\n\n\
         2 1 0 2 4 AND\n2 1 1 3 5 AND\n2 1 0 2 6 XOR\n2 1 1 3 7 XOR\n",
    )
}
