//! The hash of the table: `H(tag, fields...)`.
//!
//! BLAKE3 in key-derivation mode with one context string per tag, so that a hash made for one
//! purpose is never valid for another. Each field is prefixed with its length, so that different
//! lists of fields never give the same hash input.

use zeroize::Zeroize;

/// A hash over a sequence of fields.
pub struct Hash(blake3::Hasher);

impl Hash {
    /// The hash for the purpose named by `tag`.
    pub fn new(tag: &str) -> Self {
        let context = format!("dealerless-table 2026-11 {tag} v1");
        Hash(blake3::Hasher::new_derive_key(&context))
    }

    /// Adds a byte string.
    #[must_use]
    pub fn field(mut self, bytes: &[u8]) -> Self {
        self.0.update(&(bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
        self
    }

    /// Adds a number.
    #[must_use]
    pub fn number(self, number: u64) -> Self {
        self.field(&number.to_le_bytes())
    }

    /// The endless output for all fields. The hash itself is wiped.
    pub fn output(mut self) -> blake3::OutputReader {
        let output = self.0.finalize_xof();
        self.0.zeroize();
        output
    }

    /// The hash of all fields.
    pub fn finish(self) -> [u8; 32] {
        *self.0.finalize().as_bytes()
    }
}

/// Encodes the bytes as lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_lists_of_fields_have_different_hashes() {
        let hashes = [
            Hash::new("a").finish(),
            Hash::new("b").finish(),
            Hash::new("a").field(b"").finish(),
            Hash::new("a").field(b"xy").finish(),
            Hash::new("a").field(b"x").field(b"y").finish(),
            Hash::new("a").field(b"").field(b"xy").finish(),
            Hash::new("a").number(0).finish(),
        ];
        for (i, hash) in hashes.iter().enumerate() {
            assert!(!hashes[..i].contains(hash), "{i}");
        }
    }
}
