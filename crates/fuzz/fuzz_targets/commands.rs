//! Any line from a program or a person at a table is rejected, or parsed as a command that survives
//! writing and parsing.

#![no_main]

use dealerless_cli::arguments::reads_typed;
use dealerless_seat::command::{Said, parse};
use dealerless_table::play::Command;
use libfuzzer_sys::fuzz_target;

/// Parses a line, writes the command and parses the result. Returns whether both commands are the
/// same; also true for an invalid command.
fn reads_again(line: &str) -> bool {
    let Ok((said, _)) = parse(line) else {
        return true;
    };
    let again =
        serde_json::to_string(&said).is_ok_and(|text| parse(&text) == Ok((said.clone(), None)));
    let choice = match said.clone().command() {
        Some(Command::Choose(choice)) => Said::from(&choice) == said,
        _ => true,
    };
    again && choice
}

fuzz_target!(|line: &str| {
    assert!(reads_again(line));
    reads_typed(line);
});
