//! Any text on the command line is refused with an error, or read as what it says: the bits of an
//! input, and lists of numbers.
//!
//! Input: how many bits there should be, and the text.

#![no_main]

use dealerless::circuit::Party;
use dealerless::shuffle::Computed;
use dealerless_cli::arguments::{Draws, format_bits, parse_bits};
use libfuzzer_sys::fuzz_target;

fn read_bits(text: &str, count: usize) {
    let Ok(read) = parse_bits(text, count, Party::Garbler) else {
        return;
    };
    let binary = format_bits(&read);
    assert_eq!(binary.len(), count);
    if !text.starts_with("hex:") {
        assert_eq!(binary, text);
    }
}

fn read_numbers(text: &str) {
    let Ok(Draws::These(numbers)) = text.parse() else {
        return;
    };
    let numbers = numbers.as_slice();
    assert!(!numbers.is_empty());
    assert!(numbers.is_sorted_by(|a, b| a < b));
    assert!(numbers.iter().all(|&number| number <= Computed::MAX_CARDS));
}

fuzz_target!(|input: (u16, &str)| {
    let (count, text) = input;
    read_bits(text, usize::from(count));
    read_numbers(text);
});
