//! Conversion between numbers of any size and bits.

use anyhow::ensure;
use zeroize::Zeroizing;

use super::{BitOrder, Result};

/// The maximum number of bits of a value that is read or shown in decimal. The conversion takes
/// time quadratic in the number of bits.
const DECIMAL_BITS: usize = 4096;

/// Converts between the bits of a number, least significant first, and the bits on wires. The
/// conversion is the same in both directions.
fn ordered(mut bits: Zeroizing<Vec<bool>>, order: BitOrder) -> Zeroizing<Vec<bool>> {
    if order == BitOrder::Msb {
        bits.reverse();
    }
    bits
}

/// Parses hexadecimal digits, most significant first.
///
/// # Errors
/// If a character is not a digit, or the number has more than `bits` bits. The error does not
/// repeat the digits.
pub(super) fn from_hexadecimal(digits: &str, bits: usize, order: BitOrder, who: &str) -> Result {
    check_digits(digits, |digit| digit.is_ascii_hexdigit(), who)?;
    let mut number = Zeroizing::new(vec![false; bits]);
    for (place, digit) in digits.chars().rev().enumerate() {
        let digit = digit.to_digit(16).unwrap_or_default();
        for bit in (0..4).filter(|bit| digit >> bit & 1 == 1) {
            let set = number.get_mut(4 * place + bit);
            *set.ok_or_else(|| too_large(bits, who))? = true;
        }
    }
    Ok(ordered(number, order))
}

/// Parses decimal digits.
///
/// # Errors
/// Same as [`from_hexadecimal`].
pub(super) fn from_decimal(digits: &str, bits: usize, order: BitOrder, who: &str) -> Result {
    check_digits(digits, |digit| digit.is_ascii_digit(), who)?;
    ensure!(
        bits <= DECIMAL_BITS,
        "{who} has {bits} bits; a value of more than {DECIMAL_BITS} bits cannot be given in decimal, \
         only as bits, hex: or 0x"
    );
    let digits = digits.trim_start_matches('0');
    // A decimal digit holds more than three bits.
    ensure!(digits.len() <= 1 + bits / 3, too_large(bits, who));
    let mut digits: Zeroizing<Vec<u8>> =
        Zeroizing::new(digits.bytes().map(|digit| digit - b'0').collect());
    let mut number = Zeroizing::new(Vec::with_capacity(bits));
    for _ in 0..bits {
        // Halve the number; the remainder is the next bit.
        let mut remainder = 0;
        for digit in digits.iter_mut() {
            let value = 10 * remainder + *digit;
            (*digit, remainder) = (value / 2, value % 2);
        }
        number.push(remainder == 1);
    }
    ensure!(digits.iter().all(|&digit| digit == 0), too_large(bits, who));
    Ok(ordered(number, order))
}

fn check_digits(digits: &str, is_digit: fn(&u8) -> bool, who: &str) -> anyhow::Result<()> {
    ensure!(!digits.is_empty(), "{who} has no digits");
    let odd = digits.bytes().position(|digit| !is_digit(&digit));
    if let Some(place) = odd {
        anyhow::bail!("{who}: invalid digit at position {}", place + 1);
    }
    Ok(())
}

fn too_large(bits: usize, who: &str) -> anyhow::Error {
    anyhow::anyhow!("{who} has {bits} bits, but the given number has more")
}

/// Formats a number in hexadecimal, with a digit for every four bits.
pub(super) fn hexadecimal(bits: &[bool], order: BitOrder) -> String {
    let number = ordered(Zeroizing::new(bits.to_vec()), order);
    let digits = number.chunks(4).rev().map(|bits| {
        let value = (bits.iter().rev()).fold(0, |value, &bit| 2 * value + u32::from(bit));
        char::from_digit(value, 16).unwrap_or_default()
    });
    let digits = digits.collect::<String>();
    format!("0x{}", if digits.is_empty() { "0" } else { &digits })
}

/// Formats a number in decimal, or in hexadecimal if it is too large.
pub(super) fn decimal(bits: &[bool], order: BitOrder) -> String {
    if bits.len() > DECIMAL_BITS {
        return hexadecimal(bits, order);
    }
    let number = ordered(Zeroizing::new(bits.to_vec()), order);
    // Least significant digit first.
    let mut digits = vec![0u8];
    for &bit in number.iter().rev() {
        let mut carry = u8::from(bit);
        for digit in &mut digits {
            let value = 2 * *digit + carry;
            (*digit, carry) = (value % 10, value / 10);
        }
        if carry > 0 {
            digits.push(carry);
        }
    }
    digits
        .iter()
        .rev()
        .map(|&digit| char::from(b'0' + digit))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, bits: usize) -> std::result::Result<u128, String> {
        let read = match text.strip_prefix("0x") {
            Some(digits) => from_hexadecimal(digits, bits, BitOrder::Lsb, "it"),
            None => from_decimal(text, bits, BitOrder::Lsb, "it"),
        };
        read.map(|bits| (bits.iter().rev()).fold(0, |value, &bit| 2 * value + u128::from(bit)))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn numbers_are_read_up_to_the_largest_that_fits() {
        for bits in [1, 3, 4, 8, 31, 64, 126] {
            let most = (1u128 << bits) - 1;
            for number in [0, 1, most / 3, most - 1, most] {
                assert_eq!(read(&number.to_string(), bits), Ok(number));
                assert_eq!(read(&format!("0x{number:x}"), bits), Ok(number));
                assert_eq!(read(&format!("000{number}"), bits), Ok(number));
            }
            for more in [most + 1, 3 * most] {
                assert!(read(&more.to_string(), bits).unwrap_err().contains("more"));
                assert!(read(&format!("0x{more:x}"), bits).is_err());
            }
        }
        assert_eq!(read("0", 0), Ok(0));
        assert!(read("1", 0).is_err());
    }

    #[test]
    fn invalid_number_is_rejected_and_not_repeated() {
        for text in ["", "0x", "12a", "0x1g", "-1", "+1", "1_0", "½"] {
            let error = read(text, 64).unwrap_err();
            assert!(text.len() < 2 || !error.contains(text), "{error}");
        }
        assert!(read("1", 4097).unwrap_err().contains("decimal"));
        assert!(read("0x1", 4097).is_ok());
    }

    #[test]
    fn formatted_decimal_has_no_leading_zeros() {
        let bits = |number: u128, bits: usize| -> Vec<bool> {
            (0..bits).map(|bit| number >> bit & 1 == 1).collect()
        };
        assert_eq!(decimal(&bits(6, 8), BitOrder::Lsb), "6");
        assert_eq!(decimal(&bits(0, 8), BitOrder::Lsb), "0");
        assert_eq!(
            decimal(&bits(u128::MAX, 128), BitOrder::Lsb),
            u128::MAX.to_string()
        );
        assert_eq!(hexadecimal(&bits(6, 9), BitOrder::Lsb), "0x006");
        assert_eq!(hexadecimal(&[], BitOrder::Lsb), "0x0");
        assert!(decimal(&vec![true; 4097], BitOrder::Lsb).starts_with("0x1fff"));
    }
}
