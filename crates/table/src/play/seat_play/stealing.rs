//! Steals: the engine reshuffles the hand from which a card is stolen, and the seat reseals this
//! hand. If the engine session of the deck has ended, the hand cannot be reshuffled, and the seat
//! declares the steal void.

use dealerless::deck::Share;
use dealerless_connection::hash::Hash;
use dealerless_connection::storage::Storage;
use dealerless_connection::storage::Vault;
use rand::CryptoRng;
use zeroize::Zeroizing;

use super::super::deck::Shuffled;
use super::super::error::PlayError;
use super::super::orders::Reshuffling;
use super::{FailedCheck, Play};
use crate::log::{MatchLog, Part, Phase};
use crate::rules::Steal;
use crate::seat::Seat;

impl<S: Storage, V: Vault, R: CryptoRng> Play<S, V, R> {
    /// Whether the engine of this connection has shuffled the deck in play. Otherwise the cards of
    /// this deck can only be opened.
    #[cfg(feature = "internals")]
    pub fn can_steal(&self) -> bool {
        self.runs_live()
    }

    /// The hand that the engine has to reshuffle; returned once per steal.
    pub(super) fn reshuffling_due(&mut self) -> Option<Reshuffling> {
        let log = &self.setting.log;
        let (Phase::Reseal(_, steal), Some(step)) = (log.phase(), log.stolen_in()) else {
            return None;
        };
        let run = &self.connected.as_ref()?.run;
        if !run.live || run.reshuffled == Some(step) {
            return None;
        }
        let seals = Seat::all(log.seals().len()).zip(log.seals());
        let (_, theirs) = seals
            .into_iter()
            .find(|(seat, _)| *seat != self.setting.seat)?;
        let reshuffling = Reshuffling {
            step,
            after: self.reseal_steps().max(),
            hand: steal.hand.clone(),
            validity: Share {
                bits: theirs.validity.clone(),
                macs: theirs.validity_macs,
            },
            name: steal_name(log, step).unwrap_or_default(),
        };
        self.connected.as_mut()?.run.reshuffled = Some(step);
        Some(reshuffling)
    }

    /// The steps of the choices that led to the current reseals of the try.
    fn reseal_steps(&self) -> impl Iterator<Item = u64> {
        let drawn = 0..self.hand.known.len();
        drawn.filter_map(|position| Some(self.setting.log.resealed(position)?.0))
    }

    /// Stores a hand that the engine has reshuffled.
    pub(super) fn keep_reshuffled(
        &mut self,
        step: u64,
        shuffled: Box<dyn Shuffled>,
    ) -> Result<(), PlayError> {
        // The other seat may have declared the steal void in the meantime.
        if self.setting.log.stolen_in() != Some(step) {
            return Ok(());
        }
        let mut secret = Zeroizing::new([0; 32]);
        self.setting.rng.fill_bytes(&mut *secret);
        let log = &self.setting.log;
        let hand = shuffled.seated_again(log.attempt(), step, self.setting.seat, secret);
        let Some(cards) = &mut self.hand.deck else {
            return Ok(());
        };
        cards.add(step, hand);
        // The hand is stored before it is resealed.
        let bytes = cards.to_bytes();
        self.keep_hand(&bytes, None)
    }

    /// The part that this seat has to sign when a hand is resealed. `None` if the engine is not
    /// done.
    pub(super) fn reseal(&mut self, seat: Seat, steal: &Steal) -> Result<Option<Part>, PlayError> {
        let (log, live) = (&self.setting.log, self.runs_live());
        let (Some(step), Some(cards)) = (log.stolen_in(), &mut self.hand.deck) else {
            return Ok(Some(Part::Void));
        };
        let Some(reseal) = cards.reseal(step) else {
            // The engine is not done yet, or its session has ended.
            return Ok((!live).then_some(Part::Void));
        };
        let reseal = reseal.map_err(PlayError::Engine)?;
        let agrees = match log.reseal() {
            // The other seat may lack a hand that was reshuffled on a lost connection.
            None => seat != Seat::HOST || live,
            Some(first) => match cards.check_reshuffled(step, &first.masked) {
                Ok(()) => first.masked.len() == steal.hand.len(),
                // The error is reported after the steal was declared void.
                Err(error) => {
                    self.hand.failed_check = Some(FailedCheck::Seal(error));
                    false
                }
            },
        };
        Ok(Some(match agrees {
            true => Part::Reseal(reseal),
            false => Part::Void,
        }))
    }

    /// Ends a steal. `resealed` are the positions that hold other cards now, if all seats have
    /// resealed.
    pub(super) fn finish_steal(&mut self, resealed: &[usize]) {
        let used: Vec<u64> = self.reseal_steps().collect();
        if let Some(cards) = &mut self.hand.deck {
            cards.keep_only(&used);
        }
        for &position in resealed {
            self.hand.known[position] = None;
        }
    }
}

/// The name that the engines of both sides use for the hand that is reshuffled for the choice of
/// this step.
pub(super) fn steal_name(log: &MatchLog, step: u64) -> Option<Vec<u8>> {
    let (attempt, chosen) = (log.attempt(), log.hash_before(step + 1)?);
    let of = attempt.match_id.as_bytes();
    let hash = Hash::new("steal").field(of).field(&chosen);
    let numbers = [u64::from(attempt.hand), u64::from(attempt.attempt), step];
    let hash = numbers.into_iter().fold(hash, Hash::number);
    Some(hash.finish().to_vec())
}
