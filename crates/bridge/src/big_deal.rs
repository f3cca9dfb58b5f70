//! Big Deal's generator, which computes deals from a seed and the name of an owner.
//!
//! The generator computes the hashes RIPEMD-160(counter ‖ seed ‖ RIPEMD-160(owner)). The counter
//! has four bytes in little-endian order, and starts at 1. The first 12 bytes of a hash, in
//! big-endian order, are the number of a deal in [`Order::BigDeal`](super::Order::BigDeal). If
//! there is no deal with this number, the hash is skipped (van Staveren, Big Deal 2.0, "Big Deal
//! detailed").

use ripemd::{Digest, Ripemd160};

use super::DealNumber;

/// The size in bytes of a seed, which is that of a RIPEMD-160 hash.
pub const SEED_BYTES: usize = 20;

/// The RIPEMD-160 hash of `bytes`.
pub(super) fn hash(bytes: &[u8]) -> [u8; SEED_BYTES] {
    Ripemd160::digest(bytes).into()
}

/// An iterator over the deals of a seed and an owner, as numbers in
/// [`Order::BigDeal`](super::Order::BigDeal). The iterator ends when the counter overflows, after
/// about 2.9 · 10^9 deals.
#[derive(Clone, Debug)]
pub struct Generator {
    seed: [u8; SEED_BYTES],
    /// The hash of the owner's name.
    owner: [u8; SEED_BYTES],
    /// The counter of the previous hash.
    counter: u32,
}

impl Generator {
    /// The generator of a seed and an owner.
    pub fn new(seed: [u8; SEED_BYTES], owner: &[u8]) -> Generator {
        let owner = hash(owner);
        Generator {
            seed,
            owner,
            counter: 0,
        }
    }

    /// The next hash; `None` if the counter overflows.
    fn next_hash(&mut self) -> Option<[u8; SEED_BYTES]> {
        self.counter = self.counter.checked_add(1)?;
        let counter = self.counter.to_le_bytes();
        let hasher = Ripemd160::new().chain_update(counter);
        let hasher = hasher.chain_update(self.seed).chain_update(self.owner);
        Some(hasher.finalize().into())
    }
}

impl Iterator for Generator {
    type Item = DealNumber;

    fn next(&mut self) -> Option<DealNumber> {
        loop {
            let hash = self.next_hash()?;
            let number = hash[..12]
                .iter()
                .fold(0, |number, byte| number << 8 | u128::from(*byte));
            if let Ok(number) = DealNumber::new(number) {
                return Some(number);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Compares the deals and the hashes with those of Big Deal (a980e7f). The number in the third
    /// hash is too large for a deal.
    #[test]
    fn deals_match_those_of_big_deal() {
        assert_eq!(hex(&hash(b"")), "9c1185a5c5e9fc54612808977ee8f548b2258d31");
        let mut generator = Generator::new([0; 20], b"Test Owner");
        let owner = "0c12bc80b1425a10fc361926dcf6c51ff9e677fe";
        assert_eq!(hex(&generator.owner), owner);
        let numbers: Vec<u128> = (generator.clone().take(4)).map(DealNumber::get).collect();
        let known: [u128; 4] = [
            36_892_843_148_362_336_617_819_499_272,
            16_075_850_015_072_357_316_001_918_959,
            32_509_522_145_603_718_247_114_771_621,
            22_698_935_206_101_244_742_010_741_536,
        ];
        assert_eq!(numbers, known);
        for known in [
            "77350b6a87f4363a6cef6b085ecd25eade580649",
            "33f1a1a78b6ccd891e4defef4fbf49f24c7e3013",
            "d960308bb542ea3aaeac71e936264837afb8eef7",
            "690b3f16d62223dbee968ca52629e646031fdae1",
            "49581e7f2d9a28f429c5232016fa0ccd9583fa17",
        ] {
            assert_eq!(hex(&generator.next_hash().unwrap()), known);
        }
    }

    #[test]
    fn generator_ends_when_its_counter_overflows() {
        let mut generator = Generator::new([0; 20], b"");
        generator.counter = u32::MAX - 1;
        assert!(generator.next_hash().is_some());
        assert_eq!(generator.next_hash(), None);
        assert_eq!(generator.next(), None);
    }
}
