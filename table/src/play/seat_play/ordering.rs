//! What a seat orders of its engine: when the log has come to where it is due, and never before all that
//! was said is on the disk.

use std::collections::VecDeque;

use rand::CryptoRng;

use super::super::error::PlayError;
use super::super::orders::{Order, Orders};
use super::super::vault::Vault;
use super::{Connected, Play};
use crate::hash::Hash;
use crate::log::{MatchLog, Phase, Storage};
use crate::seat::Seat;

impl<S: Storage, V: Vault, R: CryptoRng> Play<S, V, R> {
    /// Whether the match cannot go on without another shuffle.
    pub(in crate::play) fn needs_engine(&self) -> bool {
        match self.set.log.phase() {
            Phase::Deal => true,
            Phase::Seal(_) => self.hand.deck.is_none(),
            Phase::Reseal(seat, _) => self.runs_live() && seat == self.set.seat,
            _ => false,
        }
    }

    /// Notes what the engine is to do where the log has come to: the shuffle of a try that all seats
    /// have begun, a hand that is shuffled again, the batch behind a hand that stands. Both sides'
    /// logs come to the same, one part after the other, so both engines get the same orders in the
    /// same order, however many parts are heard at once.
    pub(super) fn note_due(&mut self) {
        if !self.is_synced() {
            return;
        }
        let reshuffling = self.reshuffling_due();
        let lost_engine_run = self.has_lost_its_run();
        let (stands, log) = (self.stands(), &self.set.log);
        let Some(Connected {
            run, due, pooled, ..
        }) = &mut self.connected
        else {
            return;
        };
        if log.phase() == Phase::Seal(Seat::HOST)
            && !run.ordered
            && !lost_engine_run
            && let (Some(seeds), Some(name)) = (run.seeds.take(), deck_name(log))
        {
            run.ordered = true;
            due.push_back(Order::Shuffle(seeds, name));
            *pooled = pooled.saturating_sub(1);
        }
        due.extend(reshuffling.map(Order::Reshuffle));
        let batch = log.batch();
        if batch > 0 && stands && !run.prepared {
            run.prepared = true;
            due.push_back(Order::Prepare(batch));
            *pooled += batch;
        }
    }

    /// Orders what is due. All that was said before is on the disk before the engine runs.
    pub(super) fn order(&mut self, orders: &mut impl Orders) -> Result<(), PlayError> {
        let connected = self.connected.as_mut();
        let due = connected.map_or_else(VecDeque::new, |now| std::mem::take(&mut now.due));
        if !due.is_empty() {
            self.write()?;
        }
        for order in due {
            orders.order(order);
        }
        Ok(())
    }
}

/// What the engines of both sides call the deck of the try that all seats have begun, if they have.
/// It takes in all that was said up to their deals.
pub fn deck_name(log: &MatchLog) -> Option<Vec<u8>> {
    let (attempt, dealt) = (log.attempt(), log.dealt_hash()?);
    let hash = Hash::new("deck").field(&attempt.match_id).field(&dealt);
    let numbers = [attempt.hand, attempt.attempt].map(u64::from);
    let hash = numbers.into_iter().fold(hash, Hash::number);
    Some(hash.finish().to_vec())
}
