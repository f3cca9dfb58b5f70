//! Signatures of a seat that signs any part.

use super::super::*;
use crate::seat::Seat;
pub(crate) use crate::testing::test_match::*;

impl TestMatch {
    /// The part with this seat's signature, whether or not the seat may sign it.
    pub(crate) fn sign(&self, log: &MatchLog, seat: Seat, part: &Part) -> SignedPart {
        self.sign_bytes(log, seat, part.encode(log.shape(), log.size(seat)))
    }

    pub(crate) fn sign_bytes(&self, log: &MatchLog, seat: Seat, part: Vec<u8>) -> SignedPart {
        let identity = &self.identities[seat.index()];
        SignedPart::sign(
            identity,
            self.match_info.id().as_bytes(),
            log.step(),
            &log.hash(),
            seat,
            part,
        )
    }
}
