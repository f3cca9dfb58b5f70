//! Conversion between numbers and the bits of input and output values.

/// Returns the `bits` lowest bits of a number, least significant first, as for an input value.
/// `None` if the number needs more bits.
///
/// ```
/// use dealerless::circuit::{from_bits, to_bits};
///
/// assert_eq!(to_bits(6, 4), Some(vec![false, true, true, false]));
/// assert_eq!(to_bits(16, 4), None);
/// assert_eq!(from_bits(&[false, true, true, false]), Some(6));
/// ```
pub fn to_bits(number: u64, bits: usize) -> Option<Vec<bool>> {
    let needed = (u64::BITS - number.leading_zeros()) as usize;
    (needed <= bits).then(|| {
        (0..bits)
            .map(|place| place < needed && number >> place & 1 == 1)
            .collect()
    })
}

/// Returns the number whose bits, least significant first, are those of an output value. `None` if
/// the number does not fit into 64 bits.
pub fn from_bits(bits: &[bool]) -> Option<u64> {
    let (low, high) = bits.split_at(bits.len().min(u64::BITS as usize));
    let number = (low.iter().rev()).fold(0, |number, &bit| number << 1 | u64::from(bit));
    (!high.contains(&true)).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_survive_a_round_trip_through_any_number_of_bits() {
        for number in [
            0,
            1,
            6,
            1 << 31,
            u64::from(u32::MAX),
            u64::MAX - 1,
            u64::MAX,
        ] {
            for bits in 0..70 {
                let fits = bits >= 64 || number >> bits == 0;
                let written = to_bits(number, bits);
                assert_eq!(written.is_some(), fits, "{number} in {bits} bits");
                if let Some(written) = written {
                    assert_eq!(written.len(), bits);
                    assert_eq!(from_bits(&written), Some(number));
                }
            }
        }
    }

    #[test]
    fn value_longer_than_64_bits_is_a_number_only_if_its_high_bits_are_0() {
        let mut bits = vec![true; 64];
        bits.extend([false; 3]);
        assert_eq!(from_bits(&bits), Some(u64::MAX));
        bits[66] = true;
        assert_eq!(from_bits(&bits), None);
    }
}
