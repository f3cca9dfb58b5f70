//! The dice that this seat has drawn, and their encoding. The dice are stored, because they must
//! survive a crash between commitment and reveal.
//!
//! One file contains the cards of a hand and the dice: the length of the cards in bytes, the cards,
//! the dice if there are any, and a digest of all these bytes. Without the digest, damage to the
//! file could make an honest seat look like a cheater.

use dealerless::dice::Reveal;
use dealerless_connection::hash::Hash;
use zeroize::Zeroizing;

/// The dice that this seat has drawn for one roll.
pub(super) struct OwnDice {
    /// The number of the roll within the hand.
    pub(super) roll: u32,
    /// The drawn values and the nonce of the commitment.
    pub(super) reveal: Reveal,
}

/// Encodes the content of the file. `deck` is the encoding of the cards.
pub(super) fn to_bytes(deck: &[u8], dice: Option<&OwnDice>) -> Zeroizing<Vec<u8>> {
    let values = dice.map_or(&[][..], |dice| &dice.reveal.values);
    // Allocated once, because a vector that grows leaves unwiped copies behind.
    let mut bytes = Zeroizing::new(Vec::with_capacity(
        4 + deck.len() + 36 + 4 * values.len() + 32,
    ));
    bytes.extend_from_slice(&(deck.len() as u32).to_le_bytes());
    bytes.extend_from_slice(deck);
    if let Some(OwnDice { roll, reveal }) = dice {
        bytes.extend_from_slice(&roll.to_le_bytes());
        bytes.extend_from_slice(&reveal.nonce);
        for value in &reveal.values {
            bytes.extend_from_slice(&value.to_le_bytes());
        }
    }
    let digest = digest(&bytes);
    bytes.extend_from_slice(&digest);
    bytes
}

fn digest(bytes: &[u8]) -> [u8; 32] {
    Hash::new("kept hand").field(bytes).finish()
}

/// Decodes the output of [`to_bytes`] into the encoded cards and the dice. Returns `None` if the
/// file is damaged. Does not check whether the dice match the commitment, which is in the log.
pub(super) fn from_bytes(bytes: &[u8]) -> Option<(&[u8], Option<OwnDice>)> {
    let (bytes, expected) = bytes.split_last_chunk::<32>()?;
    if digest(bytes) != *expected {
        return None;
    }
    let (length, rest) = bytes.split_first_chunk()?;
    let (deck, dice) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    let read = || {
        let (roll, dice) = dice.split_first_chunk()?;
        let (nonce, values) = dice.split_first_chunk()?;
        let (values, []) = values.as_chunks() else {
            return None;
        };
        Some(OwnDice {
            roll: u32::from_le_bytes(*roll),
            reveal: Reveal {
                values: values.iter().copied().map(u32::from_le_bytes).collect(),
                nonce: *nonce,
            },
        })
    };
    Some((deck, read()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_hand_is_read_as_written_and_damage_is_detected() {
        let dice = |values: &[u32]| OwnDice {
            roll: 7,
            reveal: Reveal {
                values: values.to_vec(),
                nonce: [3; 32],
            },
        };
        for deck in [&[][..], &[1, 2, 3]] {
            assert!(
                matches!(from_bytes(&to_bytes(deck, None)), Some((same, None)) if same == deck)
            );
            for dice in [dice(&[5]), dice(&[0, u32::MAX, 6])] {
                let bytes = to_bytes(deck, Some(&dice));
                let (same, read) = from_bytes(&bytes).unwrap();
                let read = read.unwrap();
                assert_eq!((same, read.roll), (deck, 7));
                assert_eq!(read.reveal, dice.reveal);
                for at in 0..bytes.len() {
                    let mut other = bytes.to_vec();
                    other[at] ^= 1;
                    assert!(from_bytes(&other).is_none(), "{at}");
                    assert!(from_bytes(&bytes[..at]).is_none(), "{at}");
                }
            }
        }
        assert!(from_bytes(&[1, 0, 0]).is_none());
        assert!(from_bytes(&[5, 0, 0, 0, 1, 2, 3, 4]).is_none());
    }
}
