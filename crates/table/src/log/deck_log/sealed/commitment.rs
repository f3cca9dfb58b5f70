//! The commitments of a seat.

use dealerless_connection::hash::Hash;
use zeroize::Zeroizing;

use crate::log::players::MatchId;
use crate::seat::Seat;

/// A try of a hand of a match. If a try is declared void, the hand is dealt again in the next try.
/// A commitment for one try is not valid for any other try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The id of the match.
    pub match_id: MatchId,
    /// The number of the hand, counted from 1.
    pub hand: u32,
    /// The number of the try, counted from 0.
    pub attempt: u32,
}

impl Attempt {
    fn hash(&self, tag: &str, seat: Seat) -> Hash {
        Hash::new(tag)
            .field(self.match_id.as_bytes())
            .number(u64::from(self.hand))
            .number(u64::from(self.attempt))
            .number(u64::from(seat.number()))
    }

    /// The commitment of a seat to its input bits of the circuit.
    pub fn input_commitment(&self, seat: Seat, bits: &[bool], nonce: &[u8; 32]) -> [u8; 32] {
        // Allocated at once: a growing vector would leave copies behind that nobody wipes.
        let mut bytes = Zeroizing::new(vec![0; bits.len()]);
        for (byte, &bit) in bytes.iter_mut().zip(bits) {
            *byte = u8::from(bit);
        }
        self.hash("input", seat).field(&bytes).field(nonce).finish()
    }

    /// The commitment of a seat to its share of the card at `position`.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn share_commitment(
        &self,
        seat: Seat,
        position: usize,
        share: u64,
        nonce: &[u8; 32],
    ) -> [u8; 32] {
        self.hash("share", seat)
            .number(position as u64)
            .number(share)
            .field(nonce)
            .finish()
    }

    /// The commitment of a seat to its share of a resealed card: the card at `place` of the hand
    /// that was reshuffled for the choice of step `step`.
    pub(crate) fn reseal_commitment(
        &self,
        seat: Seat,
        (step, place): (u64, usize),
        share: u64,
        nonce: &[u8; 32],
    ) -> [u8; 32] {
        self.hash("share again", seat)
            .number(step)
            .number(place as u64)
            .number(share)
            .field(nonce)
            .finish()
    }

    /// The context of all commitments to dice in this try.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn dice_context(&self) -> [u8; 32] {
        Hash::new("dice")
            .field(self.match_id.as_bytes())
            .number(u64::from(self.hand))
            .number(u64::from(self.attempt))
            .finish()
    }

    /// The nonce of the commitment to a share, derived from the fresh `secret` of this try.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn share_nonce(&self, seat: Seat, position: usize, secret: &[u8; 32]) -> [u8; 32] {
        let nonce = self.hash("nonce", seat).field(secret);
        nonce.number(position as u64).finish()
    }
}
