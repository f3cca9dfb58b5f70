//! Bytes as text that people can read aloud and chats do not change: 32 digits and letters of one
//! case, without the letters that look like others (Crockford's alphabet). Five bits a character,
//! the high ones first; the bits that fill the last character are zero.

const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// The text of these bytes.
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

/// The bytes of a text; none if it has another character or bits that [`encode`] does not write.
/// Capitals are taken as small letters, and what looks like a digit as the digit.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() * 5 / 8);
    let (mut bits, mut count) = (0u32, 0);
    for character in text.bytes() {
        let like = match character.to_ascii_lowercase() {
            b'o' => b'0',
            b'i' | b'l' => b'1',
            other => other,
        };
        let value = ALPHABET.iter().position(|&letter| letter == like)?;
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
    fn every_length_comes_back() {
        for len in 0..40u8 {
            let bytes: Vec<u8> = (0..len).map(|i| i.wrapping_mul(77) ^ 0xa5).collect();
            let text = encode(&bytes);
            assert_eq!(decode(&text), Some(bytes.clone()));
            assert_eq!(decode(&text.to_uppercase()), Some(bytes));
        }
    }

    #[test]
    fn other_characters_and_bits_left_over_are_refused() {
        for text in ["u", "0", "00u", "01", "!0", "é0", "000"] {
            assert_eq!(decode(text), None, "{text}");
        }
    }
}
