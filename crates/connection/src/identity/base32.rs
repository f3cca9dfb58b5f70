//! Base32: bytes as text that people can read aloud and that chat programs do not change. The
//! alphabet is Crockford's: digits and letters of one case, without letters that look like digits.
//! Each character holds five bits, the high ones first. The last character is padded with zero
//! bits.

const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// Encodes bytes.
pub(crate) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 8 / 5 + 1);
    let (mut bits, mut count) = (0u32, 0);
    for &byte in bytes {
        bits = bits << 8 | u32::from(byte);
        count += 8;
        while count >= 5 {
            count -= 5;
            text.push(ALPHABET[(bits >> count & 31) as usize].into());
        }
        bits &= (1 << count) - 1;
    }
    if count > 0 {
        text.push(ALPHABET[(bits << (5 - count) & 31) as usize].into());
    }
    text
}

/// Decodes a text. `None` if the text is not an output of [`encode`], except that capital letters
/// count as small letters, and letters that look like a digit (`o`, `i`, `l`) as the digit.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() * 5 / 8);
    let (mut bits, mut count) = (0u32, 0);
    for character in text.bytes() {
        let digit = match character.to_ascii_lowercase() {
            b'o' => b'0',
            b'i' | b'l' => b'1',
            other => other,
        };
        let value = ALPHABET.iter().position(|&letter| letter == digit)?;
        bits = bits << 5 | value as u32;
        count += 5;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    (count < 5 && bits == 0).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_round_trips() {
        for len in 0..40u8 {
            let bytes: Vec<u8> = (0..len).map(|i| i.wrapping_mul(77) ^ 0xa5).collect();
            let text = encode(&bytes);
            assert_eq!(decode(&text), Some(bytes.clone()));
            assert_eq!(decode(&text.to_uppercase()), Some(bytes));
        }
    }

    #[test]
    fn invalid_characters_and_leftover_bits_are_refused() {
        for text in ["u", "0", "00u", "01", "!0", "é0", "000"] {
            assert_eq!(decode(text), None, "{text}");
        }
    }
}
