//! What every proof of a hand is bound to.

use super::group::Transcript;
use super::keys::Roster;

/// The place of a part in a log. Every hash of a shuffle, of partials and of shows begins with it,
/// so that a part is valid at this place only.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The public keys of the match.
    pub roster: &'a Roster,
    /// The match.
    pub match_id: [u8; 32],
    /// The chain of steps in that match.
    pub chain: [u8; 32],
    /// The hand.
    pub hand: u64,
    /// The number of the deck in the hand, from 0. It is 0 for partials and shows, whose slots name
    /// their decks.
    pub deck: u64,
    /// The step.
    pub step: u64,
    /// The hash of all steps before.
    pub before: [u8; 32],
    /// The seat that signs the part.
    pub seat: usize,
}

impl Context<'_> {
    /// A hash that begins with this context.
    pub(super) fn hash(&self, tag: &str) -> Transcript {
        let hash = Transcript::new(tag)
            .bytes(&self.match_id)
            .bytes(&self.chain);
        let hash = hash.number(self.hand).number(self.deck).number(self.step);
        let hash = hash.bytes(&self.before).number(self.seat as u64);
        hash.bytes(&self.roster.digest)
    }
}
