//! Orders of a seat to its engine. An order is given when the log requires it, after all parts
//! signed before are on the disk.

use dealerless_connection::hash::Hash;
use dealerless_connection::storage::{Storage, Vault};

use super::super::super::error::PlayError;
use super::super::super::orders::{Order, Orders};
use super::super::own_seat::OwnSeat;
use super::SealedSide;
use crate::log::{MatchLog, PartKind, Phase};
use crate::seat::Seat;

impl<S: Storage, V: Vault> SealedSide<S, V> {
    /// Whether the match cannot continue without another shuffle.
    pub(in super::super) fn needs_engine(&self, log: &MatchLog, own: Seat) -> bool {
        match log.phase() {
            Phase::Deal => true,
            Phase::Seal(_) => self.hand.deck.is_none(),
            Phase::Reseal(seat, _) => self.runs_live() && seat == own,
            _ => false,
        }
    }

    /// Queues the orders that the current state of the log requires: the shuffle of a try that all
    /// seats have begun, the reshuffle of a hand, and the next batch once the deck is final. The
    /// caller calls this after each single part. The logs of both sides then go through the same
    /// states, so both engines get the same orders in the same sequence.
    pub(in super::super) fn queue_orders(&mut self, log: &MatchLog, seat: Seat) {
        let reshuffling = self.reshuffling_due(log, seat);
        let lost_engine_run = self.has_lost_engine_run(log);
        let Some(connected) = &mut self.connected else {
            return;
        };
        let (run, due) = (&mut connected.run, &mut connected.due);
        if log.phase() == Phase::Seal(Seat::HOST)
            && !run.ordered
            && !lost_engine_run
            && let (Some(seeds), Some(name)) = (run.seeds.take(), deck_name(log))
        {
            run.ordered = true;
            due.push_back(Order::Shuffle(seeds, name));
            connected.pooled = connected.pooled.saturating_sub(1);
        }
        due.extend(reshuffling.map(Order::Reshuffle));
        let batch = log.batch();
        if batch > 0 && is_final(log) && !run.prepared {
            run.prepared = true;
            due.push_back(Order::Prepare(batch));
            connected.pooled += batch;
        }
    }

    /// Gives the engine the queued orders, after all parts signed before are on the disk.
    ///
    /// # Errors
    /// The error with which the engine has ended, if the match needs the engine.
    pub(in super::super) fn send_orders<R>(
        &mut self,
        own: &mut OwnSeat<S, R>,
        orders: &mut impl Orders,
    ) -> Result<(), PlayError> {
        let needs_engine = self.needs_engine(&own.log, own.seat);
        let Some(connected) = &mut self.connected else {
            return Ok(());
        };
        if let Some(error) = connected.failed.take_if(|_| needs_engine) {
            return Err(PlayError::Engine(error));
        }
        if !connected.due.is_empty() {
            own.write()?;
        }
        for order in connected.due.drain(..) {
            orders.order(order);
        }
        Ok(())
    }
}

/// Whether the deck of the try is final, because a card was opened.
fn is_final(log: &MatchLog) -> bool {
    log.phase().is_sealed() && !log.may_sign(Seat::HOST).contains(&PartKind::Again)
}

/// The name that the engines of both sides use for the deck of the current try. `None` if not all
/// seats have dealt. The name depends on all steps up to the deals of the try.
pub fn deck_name(log: &MatchLog) -> Option<Vec<u8>> {
    let (attempt, dealt) = (log.attempt(), log.dealt_hash()?);
    let of = attempt.match_id.as_bytes();
    let hash = Hash::new("deck").field(of).field(&dealt);
    let numbers = [attempt.hand, attempt.attempt].map(u64::from);
    let hash = numbers.into_iter().fold(hash, Hash::number);
    Some(hash.finish().to_vec())
}
