//! Outputs that outlive the session. The data kept for a bit is just enough to open it later
//! without the engine. No Delta, key, MAC or label is kept, only hashes of MACs (tags). So somebody
//! who steals the data can open these bits, if the peer cooperates, but no other bits.

use zeroize::{Zeroize, ZeroizeOnDrop};

use super::{AuthenticatedBit, Malicious};
use crate::circuit::Party;
use crate::crypto::SecretBit;
use crate::mpc::TwoParty;
use crate::mpc::error::Result;
use crate::ot::Mac;

const CONTEXT: &str = "dealerless 2026-11 tag of a MAC v1";

/// One party's part of a shared bit that can be opened after the session. The value of the bit is
/// the XOR of `masked` and both parties' `share`.
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
pub struct KeptBit {
    /// The value XOR the mask. Both parties know it.
    pub masked: bool,
    /// This party's share of the mask.
    pub share: bool,
    /// The tag of the MAC of that share. To open the bit to the peer, this party sends the share
    /// and the tag.
    pub tag: [u8; 32],
    /// The tags that this party accepts for the peer's share: the first if the share is 0, the
    /// second if the share is 1.
    pub accepted: [[u8; 32]; 2],
}

/// An engine that protects against a malicious peer, and whose outputs can outlive the session.
pub trait Keep: TwoParty {
    /// Returns the data that opens `bits` after the session. Each tag depends on `name`, on the
    /// party that reveals the tag and on the index of the bit. Both parties must pass the same
    /// `name` (for example the match, the hand and the card).
    ///
    /// Implementations must ensure that both parties keep the same `masked`; that the tags which a
    /// party accepts are those which the honest peer keeps, for this name, opener and index only;
    /// that a party finds an accepted tag of the wrong share only with negligible probability; and
    /// that a tag reveals nothing about other bits. Otherwise a seat could make an honest one look
    /// guilty.
    ///
    /// # Errors
    /// [`Error::Usage`](crate::mpc::Error::Usage) if a bit is from a different session;
    /// [`Error::Ended`](crate::mpc::Error::Ended) if the session has ended.
    fn keep(&self, bits: &[Self::Shared], name: &[u8]) -> Result<Vec<KeptBit>>;
}

impl Keep for Malicious {
    fn keep(&self, bits: &[AuthenticatedBit], name: &[u8]) -> Result<Vec<KeptBit>> {
        self.live.check_bits(bits)?;
        let delta = self.live.secrets()?.pool.delta();
        let me = self.live.role();
        let keep = |(number, bit): (u64, &AuthenticatedBit)| {
            let mask = &bit.held.mask;
            let accepted = [false, true].map(|bit| delta.mac(mask.key, SecretBit::from(bit)));
            KeptBit {
                masked: bit.held.masked,
                share: mask.bit.reveal(),
                tag: tag(name, me, number, mask.mac),
                accepted: accepted.map(|mac| tag(name, me.other(), number, mac)),
            }
        };
        // Allocated once, because a vector that grows leaves unwiped copies behind.
        let mut kept = Vec::with_capacity(bits.len());
        kept.extend((0..).zip(bits).map(keep));
        Ok(kept)
    }
}

/// The tag of the MAC of bit `number`, which `opener` reveals.
fn tag(name: &[u8], opener: Party, number: u64, mac: Mac) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_derive_key(CONTEXT);
    hasher.update(&(name.len() as u64).to_le_bytes());
    hasher.update(name);
    hasher.update(&[opener as u8]);
    hasher.update(&number.to_le_bytes());
    hasher.update(&mac.0.to_bytes());
    let tag = *hasher.finalize().as_bytes();
    hasher.zeroize();
    tag
}
