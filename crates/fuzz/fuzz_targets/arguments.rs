//! Any text on the command line is rejected with an error or parsed correctly: an input value, and
//! lists of numbers.
//!
//! Input: the expected number of bits, and the text.

#![no_main]

use dealerless::shuffle::Computed;
use dealerless_lab::arguments::{BitOrder, Draws, format_bits, read_value};
use libfuzzer_sys::fuzz_target;

fn read_bits(text: &str, count: usize) {
    // This target does not test paths.
    if text.starts_with('@') {
        return;
    }
    for order in [BitOrder::Lsb, BitOrder::Msb] {
        let Ok(read) = read_value(text, count, order, "it") else {
            continue;
        };
        let binary = format_bits(&read.bits);
        assert_eq!(binary.len(), count);
        if text.bytes().all(|byte| matches!(byte, b'0' | b'1')) {
            assert_eq!(binary, text);
        }
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
