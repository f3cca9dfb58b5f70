//! Bits on the wire: eight a byte, the first in the lowest bit.

use crate::Result;
use crate::mpc::tag::Tag;
use crate::net::{Channel, Transport};

/// Sends bits whose number the peer knows.
///
/// # Errors
/// Any error of the channel.
pub(super) fn send_bits<T: Transport>(
    channel: &mut Channel<T>,
    tag: Tag,
    bits: impl IntoIterator<Item = bool>,
) -> Result<()> {
    Ok(channel.send_bytes(tag, &pack(bits))?)
}

/// Receives `count` bits.
///
/// # Errors
/// Any error of the channel.
pub(super) fn recv_bits<T: Transport>(
    channel: &mut Channel<T>,
    tag: Tag,
    count: usize,
) -> Result<Vec<bool>> {
    let mut packed = vec![0; count.div_ceil(8)];
    channel.recv_bytes(tag, &mut packed)?;
    Ok(unpack(&packed, count))
}

fn pack(bits: impl IntoIterator<Item = bool>) -> Vec<u8> {
    let bits = bits.into_iter();
    let mut bytes = Vec::with_capacity(bits.size_hint().0.div_ceil(8));
    let mut byte = 0;
    let mut count = 0;
    for bit in bits {
        byte |= u8::from(bit) << (count % 8);
        count += 1;
        if count % 8 == 0 {
            bytes.push(byte);
            byte = 0;
        }
    }
    if count % 8 != 0 {
        bytes.push(byte);
    }
    bytes
}

/// The first `count` of the bits that [`pack`] has packed, of which there must be as many.
pub(super) fn unpack(bytes: &[u8], count: usize) -> Vec<bool> {
    let mut bits = vec![false; count];
    let (whole, rest) = bits.as_chunks_mut();
    for (eight, byte) in whole.iter_mut().zip(bytes) {
        *eight = std::array::from_fn::<_, 8, _>(|i| byte >> i & 1 == 1);
    }
    for (i, bit) in rest.iter_mut().enumerate() {
        *bit = bytes[count / 8] >> i & 1 == 1;
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unpacking_gives_what_was_packed() {
        for count in [0usize, 1, 7, 8, 9, 16, 83] {
            let bits: Vec<bool> = (0..count).map(|i| i % 3 == 0).collect();
            let bytes = pack(bits.iter().copied());
            assert_eq!(bytes.len(), count.div_ceil(8));
            assert_eq!(unpack(&bytes, count), bits);
        }
        assert_eq!(pack([true, false, false, true]), [0b1001]);
    }
}
