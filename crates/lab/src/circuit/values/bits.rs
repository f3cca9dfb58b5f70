//! Parsing and formatting of bits on the command line.

use anyhow::{bail, ensure};
use zeroize::Zeroizing;

/// Parses a value of `bits` bits. The text consists of 0s and 1s, first wire first; or of `hex:`
/// and the hexadecimal digits of bytes, where bit i is bit i mod 8 of byte i / 8, counted from the
/// least significant. `who` names the value in errors.
///
/// # Errors
/// If the text is malformed or has a different number of bits. The error does not repeat the text.
pub(crate) fn parse(text: &str, bits: usize, who: &str) -> anyhow::Result<Zeroizing<Vec<bool>>> {
    match text.strip_prefix("hex:") {
        None => parse_binary(text, bits, who),
        Some(digits) => parse_hex(digits, bits, who),
    }
}

fn parse_binary(text: &str, bits: usize, who: &str) -> anyhow::Result<Zeroizing<Vec<bool>>> {
    if let Some(place) = text.bytes().position(|byte| !matches!(byte, b'0' | b'1')) {
        bail!("{who}: character {} is neither 0 nor 1", place + 1);
    }
    ensure!(
        text.len() == bits,
        "{who} has {bits} bits, but {} were given",
        text.len()
    );
    Ok(Zeroizing::new(
        text.bytes().map(|byte| byte == b'1').collect(),
    ))
}

fn parse_hex(digits: &str, bits: usize, who: &str) -> anyhow::Result<Zeroizing<Vec<bool>>> {
    if let Some(place) = digits.bytes().position(|byte| !byte.is_ascii_hexdigit()) {
        bail!("{who}: digit {} is not hexadecimal", place + 1);
    }
    let expected = 2 * bits.div_ceil(8);
    ensure!(
        digits.len() == expected,
        "{who} of {bits} bits takes {expected} hexadecimal digits, but {} were given",
        digits.len()
    );
    let digits = digits.as_bytes();
    let digit = |i: usize| char::from(digits[i]).to_digit(16).unwrap_or_default();
    // The second digit of a byte is its low half.
    let bit = |i: usize| digit(2 * (i / 8) + usize::from(i % 8 < 4)) >> (i % 4) & 1 == 1;
    ensure!(
        !(bits..8 * bits.div_ceil(8)).any(bit),
        "{who} has {bits} bits, but an unused bit after them is not 0"
    );
    Ok(Zeroizing::new((0..bits).map(bit).collect()))
}

/// Formats bits as 0s and 1s, first wire first.
pub fn format(bits: &[bool]) -> String {
    bits.iter()
        .map(|&bit| if bit { '1' } else { '0' })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHO: &str = "the garbler's input";

    fn read(text: &str, bits: usize) -> anyhow::Result<String> {
        parse(text, bits, WHO).map(|bits| format(&bits))
    }

    #[test]
    fn binary_is_read_first_wire_first() {
        let bits = parse("0011", 4, WHO).unwrap();
        assert_eq!(*bits, [false, false, true, true]);
        assert_eq!(format(&bits), "0011");
        assert_eq!(read("", 0).unwrap(), "");
    }

    #[test]
    fn hex_is_read_byte_by_byte_low_bit_first() {
        assert_eq!(read("hex:01", 8).unwrap(), "10000000");
        assert_eq!(read("hex:1280", 16).unwrap(), "0100100000000001");
        assert_eq!(read("hex:aF", 8).unwrap(), "11110101");
        assert_eq!(read("hex:05", 3).unwrap(), "101");
        assert_eq!(read("hex:", 0).unwrap(), "");
    }

    #[test]
    fn invalid_input_is_an_error_that_does_not_repeat_it() {
        for (text, bits) in [
            ("012", 3),
            ("01", 3),
            ("0101", 3),
            ("0x01", 4),
            (" 01", 3),
            ("hex:0g", 8),
            ("hex:1", 4),
            ("hex:0101", 8),
            ("hex:08", 3),
            ("hex:é", 8),
            ("½½", 4),
        ] {
            let error = read(text, bits).unwrap_err().to_string();
            assert!(error.starts_with("the garbler's input"), "{error}");
            assert!(!error.contains(text), "{error}");
        }
    }
}
