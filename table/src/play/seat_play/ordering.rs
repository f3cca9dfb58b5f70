//! What a seat orders of its engine: when the log has come to where it is due, and never before all that
//! was said is on the disk.

use dealerless::shuffle::Randomness;
use rand::CryptoRng;

use super::super::error::PlayError;
use super::super::vault::Vault;
use super::{Orders, Play, Reshuffling};
use crate::hash::Hash;
use crate::log::{MatchLog, Phase, Storage};
use crate::seat::Seat;

/// Something for the engine to do.
pub(super) enum Due {
    Shuffle(Randomness, Vec<u8>),
    Reshuffle(Reshuffling),
    Prepare(u32),
}

impl<S: Storage, V: Vault, R: CryptoRng> Play<S, V, R> {
    /// Whether the match cannot go on without another shuffle.
    pub(in crate::play) fn needs_engine(&self) -> bool {
        match self.set.log.phase() {
            Phase::Deal => true,
            Phase::Seal(_) => self.hand.deck.is_none(),
            Phase::Reseal(seat, _) => self.hand.live && seat == self.set.seat,
            _ => false,
        }
    }

    /// Notes what the engine is to do where the log has come to: the shuffle of a try that all seats
    /// have begun, a hand that is shuffled again, the batch behind a hand that stands. Both sides'
    /// logs come to the same, one part after the other, so both engines get the same orders in the
    /// same order, however many parts are heard at once.
    pub(super) fn note_due(&mut self) {
        if !self.may_speak() {
            return;
        }
        if self.set.log.phase() == Phase::Seal(Seat::HOST)
            && !self.hand.ordered
            && !self.has_lost_its_run()
            && let (Some(seeds), Some(name)) = (self.hand.seeds.take(), deck_name(&self.set.log))
        {
            self.hand.ordered = true;
            self.due.push_back(Due::Shuffle(seeds, name));
            self.pooled = self.pooled.saturating_sub(1);
        }
        let reshuffling = self.reshuffling_due();
        self.due.extend(reshuffling.map(Due::Reshuffle));
        let batch = self.set.log.batch();
        if batch > 0 && self.stands() && !self.hand.prepared {
            self.hand.prepared = true;
            self.due.push_back(Due::Prepare(batch));
            self.pooled += batch;
        }
    }

    /// Orders what is due. All that was said before is on the disk before the engine runs.
    pub(super) fn order(&mut self, orders: &mut impl Orders) -> Result<(), PlayError> {
        if !self.due.is_empty() {
            self.write()?;
        }
        for due in self.due.drain(..) {
            match due {
                Due::Shuffle(seeds, name) => orders.shuffle(seeds, name),
                Due::Reshuffle(reshuffling) => orders.reshuffle(reshuffling),
                Due::Prepare(hands) => orders.prepare(hands),
            }
        }
        Ok(())
    }
}

/// What the engines of both sides call the deck of the try that all seats have begun, if they have.
/// It takes in all that was said up to their deals.
pub fn deck_name(log: &MatchLog) -> Option<Vec<u8>> {
    let (attempt, dealt) = (log.attempt(), log.dealt_hash()?);
    let hash = Hash::new("deck").field(&attempt.of).field(&dealt);
    let numbers = [attempt.hand, attempt.attempt].map(u64::from);
    let hash = numbers.into_iter().fold(hash, Hash::number);
    Some(hash.finish().to_vec())
}
