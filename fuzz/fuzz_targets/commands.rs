//! Any line of a program or a person at a table is read as a command, and written and read again as
//! the same, or refused.

#![no_main]

use dealerless_cli::arguments::{reads_again, reads_typed};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|line: &str| {
    assert!(reads_again(line));
    reads_typed(line);
});
