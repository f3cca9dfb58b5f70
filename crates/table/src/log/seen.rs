//! Notes in a player's own file about cards that only this player has seen.
//!
//! For a card that only one player sees, the log contains the shares of the other seats, but not
//! the player's own share. Without a note, not even the player could later read the card from the
//! file. A note proves nothing to others. Only the owner's key decrypts the card, so a player may
//! give its file to anybody.

use dealerless::deck::Card;
use dealerless_connection::hash::Hash;
use dealerless_connection::wire::{Malformed, Reader, Writer};

use super::deck_log::Attempt;
use super::players::MatchId;

/// A card that the owner of a file has seen, but not all seats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The try in which the card was seen.
    pub attempt: Attempt,
    /// The position of the card.
    pub position: u16,
    /// The step of the choice for which the card was reshuffled; 0 if the card was not reshuffled.
    pub since: u64,
    /// The card, or the hand of a board.
    pub card: Card,
    /// Whether `card` is a hand of a board, which takes more than 16 bits.
    pub wide: bool,
}

/// A note as stored in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Note {
    hand: u32,
    attempt: u32,
    position: u16,
    since: u64,
    /// The number of the card, XORed with bytes that only the owner knows: two bytes, or eight for
    /// a hand of a board.
    hidden: u64,
    wide: bool,
}

impl Note {
    /// The maximum length of an encoded note in bytes.
    pub(super) const MAX_LEN: usize = Self::OVERHEAD + 8;
    const OVERHEAD: usize = 4 + 4 + 2 + 8;

    pub(super) fn of(seen: &Seen, key: &[u8; 32]) -> Self {
        Note {
            hand: seen.attempt.hand,
            attempt: seen.attempt.attempt,
            position: seen.position,
            since: seen.since,
            hidden: seen.card.0 ^ pad(&seen.attempt, (seen.position, seen.since), seen.wide, key),
            wide: seen.wide,
        }
    }

    /// Decrypts a note of the given match.
    pub(crate) fn seen(&self, match_id: MatchId, key: &[u8; 32]) -> Seen {
        let attempt = Attempt {
            match_id,
            hand: self.hand,
            attempt: self.attempt,
        };
        let pad = pad(&attempt, (self.position, self.since), self.wide, key);
        Seen {
            attempt,
            position: self.position,
            since: self.since,
            card: Card(self.hidden ^ pad),
            wide: self.wide,
        }
    }

    /// The numbers of the hand and the try.
    pub(crate) fn attempt(&self) -> (u32, u32) {
        (self.hand, self.attempt)
    }

    /// The position of the card.
    pub(crate) fn position(&self) -> usize {
        self.position.into()
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.u32(self.hand).u32(self.attempt);
        writer.u16(self.position).u64(self.since);
        match self.wide {
            true => writer.u64(self.hidden),
            // A deck has at most 4 096 cards.
            false => writer.u16(self.hidden as u16),
        }
        .finish()
    }

    pub(super) fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(bytes);
        let wide = bytes.len() == Self::MAX_LEN;
        let note = Note {
            hand: reader.u32()?,
            attempt: reader.u32()?,
            position: reader.u16()?,
            since: reader.u64()?,
            hidden: match wide {
                true => reader.u64()?,
                false => reader.u16()?.into(),
            },
            wide,
        };
        reader.finish()?;
        Ok(note)
    }
}

/// The bytes with which a card is encrypted. A position has one card until the card is reshuffled,
/// so each card is encrypted with different bytes.
fn pad(attempt: &Attempt, (position, since): (u16, u64), wide: bool, key: &[u8; 32]) -> u64 {
    let of = attempt.match_id.as_bytes();
    let hash = Hash::new("file seen").field(key).field(of);
    let hash = hash
        .number(attempt.hand.into())
        .number(attempt.attempt.into());
    let hash = hash.number(position.into()).number(since).finish();
    let [a, b, c, d, e, f, g, h, ..] = hash;
    match wide {
        true => u64::from_le_bytes([a, b, c, d, e, f, g, h]),
        false => u16::from_le_bytes([a, b]).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_cards_at_one_position_are_hidden_by_different_bytes() {
        let attempt = Attempt {
            match_id: MatchId::new([9; 32]),
            hand: 1,
            attempt: 0,
        };
        let key = [5; 32];
        let note = |since, wide| {
            let card = Card(if wide { 7 << 49 } else { 7 });
            let seen = Seen {
                attempt,
                position: 3,
                since,
                card,
                wide,
            };
            (seen, Note::of(&seen, &key))
        };
        for wide in [false, true] {
            let hidden: Vec<u64> = (0..8).map(|since| note(since, wide).1.hidden).collect();
            assert!(hidden.iter().any(|one| *one != hidden[0]), "{hidden:?}");
            for since in 0..8 {
                let (seen, note) = note(since, wide);
                assert_eq!(Note::decode(&note.encode()), Ok(note));
                assert_eq!(note.seen(attempt.match_id, &key), seen);
                assert!(Note::decode(&note.encode()[1..]).is_err());
                // All bits of a hand are hidden, not only the lowest.
                assert!(!wide || note.hidden >> 16 != seen.card.0 >> 16);
            }
        }
    }
}
