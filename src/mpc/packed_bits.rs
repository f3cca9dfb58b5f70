//! Bits on the wire: eight a byte, the first in the lowest bit.

/// Packs bits.
pub(super) fn pack(bits: impl IntoIterator<Item = bool>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (i, bit) in bits.into_iter().enumerate() {
        if i % 8 == 0 {
            bytes.push(0);
        }
        bytes[i / 8] |= u8::from(bit) << (i % 8);
    }
    bytes
}

/// The inverse of [`pack`], with the last byte's unused bits at the end.
pub(super) fn unpack(bytes: &[u8]) -> impl Iterator<Item = bool> {
    bytes
        .iter()
        .flat_map(|byte| (0..8).map(move |i| byte >> i & 1 == 1))
}
