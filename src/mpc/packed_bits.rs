//! Bits on the wire: eight bits per byte, the first bit in the lowest position.

use super::tag::Tag;
use crate::net::{self, Channel, Malformed};

/// Sends bits. The peer must know their number.
///
/// # Errors
/// Any error of the channel.
pub(super) fn send_bits(
    channel: &mut Channel,
    tag: Tag,
    bits: impl IntoIterator<Item = bool>,
) -> net::Result<()> {
    channel.send_bytes(tag, &pack(bits))
}

/// Receives `count` bits.
///
/// # Errors
/// [`Malformed::PaddingBits`] if a padding bit is not 0; any other error of the channel.
pub(super) fn recv_bits(channel: &mut Channel, tag: Tag, count: usize) -> net::Result<Vec<bool>> {
    let mut packed = vec![0; count.div_ceil(8)];
    channel.recv_bytes(tag, &mut packed)?;
    unpack(&packed, count).ok_or_else(|| Malformed::PaddingBits(tag.into()).into())
}

/// The number of bytes on the wire for `count` bits.
pub(super) fn sent_bytes(count: usize) -> u64 {
    net::bulk_bytes(count.div_ceil(8))
}

pub(super) fn pack(bits: impl IntoIterator<Item = bool>) -> Vec<u8> {
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

/// Unpacks `count` bits packed by [`pack`]. Returns `None` if a padding bit is not 0: no MAC or
/// digest covers the padding, so an attacker could change it.
pub(super) fn unpack(bytes: &[u8], count: usize) -> Option<Vec<bool>> {
    let mut bits = vec![false; count];
    let (whole, rest) = bits.as_chunks_mut();
    for (eight, byte) in whole.iter_mut().zip(bytes) {
        *eight = std::array::from_fn::<_, 8, _>(|i| byte >> i & 1 == 1);
    }
    for (i, bit) in rest.iter_mut().enumerate() {
        *bit = bytes[count / 8] >> i & 1 == 1;
    }
    let padding = bytes
        .last()
        .is_some_and(|last| !count.is_multiple_of(8) && last >> (count % 8) != 0);
    (!padding).then_some(bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unpack_inverts_pack() {
        for count in [0usize, 1, 7, 8, 9, 16, 83] {
            let bits: Vec<bool> = (0..count).map(|i| i % 3 == 0).collect();
            let bytes = pack(bits.iter().copied());
            assert_eq!(bytes.len(), count.div_ceil(8));
            assert_eq!(unpack(&bytes, count), Some(bits));
        }
        assert_eq!(pack([true, false, false, true]), [0b1001]);
    }

    #[test]
    fn every_nonzero_padding_bit_is_rejected() {
        for count in 1..=16 {
            let bytes = pack((0..count).map(|_| true));
            for bit in count..8 * bytes.len() {
                let mut more = bytes.clone();
                more[bit / 8] |= 1 << (bit % 8);
                assert_eq!(unpack(&more, count), None, "{count} {bit}");
            }
        }
    }
}
