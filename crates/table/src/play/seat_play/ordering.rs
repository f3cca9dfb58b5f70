//! Orders of a seat to its engine. An order is given when the log requires it, after all parts
//! signed before are on the disk.

use std::collections::VecDeque;

use dealerless_connection::hash::Hash;
use dealerless_connection::storage::Storage;
use dealerless_connection::storage::Vault;
use rand::CryptoRng;

use super::super::error::PlayError;
use super::super::orders::{Order, Orders};
use super::{Connected, Play};
use crate::log::{MatchLog, Phase};
use crate::seat::Seat;

impl<S: Storage, V: Vault, R: CryptoRng> Play<S, V, R> {
    /// Whether the match cannot continue without another shuffle.
    pub(in crate::play) fn needs_engine(&self) -> bool {
        match self.setting.log.phase() {
            Phase::Deal => true,
            Phase::Seal(_) => self.hand.deck.is_none(),
            Phase::Reseal(seat, _) => self.runs_live() && seat == self.setting.seat,
            _ => false,
        }
    }

    /// Queues the orders that the current state of the log requires: the shuffle of a try that all
    /// seats have begun, the reshuffle of a hand, and the next batch once the deck is final. The
    /// caller calls this after each single part. The logs of both sides then go through the same
    /// states, so both engines get the same orders in the same sequence.
    pub(super) fn queue_orders(&mut self) {
        if !self.is_synced() {
            return;
        }
        let reshuffling = self.reshuffling_due();
        let lost_engine_run = self.has_lost_engine_run();
        let (is_final, log) = (self.deck_is_final(), &self.setting.log);
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
        if batch > 0 && is_final && !run.prepared {
            run.prepared = true;
            due.push_back(Order::Prepare(batch));
            *pooled += batch;
        }
    }

    /// Gives the engine the queued orders, after all parts signed before are on the disk.
    pub(super) fn send_orders(&mut self, orders: &mut impl Orders) -> Result<(), PlayError> {
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
