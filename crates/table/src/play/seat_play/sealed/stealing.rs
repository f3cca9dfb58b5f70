//! Steals: the engine reshuffles the hand from which a card is stolen, and the seat reseals this
//! hand. If the engine session of the deck has ended, the hand cannot be reshuffled, and the seat
//! declares the steal void.

use dealerless::deck::Share;
use dealerless_connection::hash::Hash;
use dealerless_connection::storage::{Storage, Vault};
use rand::CryptoRng;
use zeroize::Zeroizing;

use super::super::super::deck::Shuffled;
use super::super::super::error::PlayError;
use super::super::super::orders::Reshuffling;
use super::super::own_seat::OwnSeat;
use super::{FailedCheck, SealedSide};
use crate::log::{MatchLog, Part, Phase};
use crate::rules::Steal;
use crate::seat::Seat;

impl<S: Storage, V: Vault> SealedSide<S, V> {
    /// The hand that the engine has to reshuffle; returned once per steal.
    pub(super) fn reshuffling_due(&mut self, log: &MatchLog, own: Seat) -> Option<Reshuffling> {
        let (Phase::Reseal(_, steal), Some(step)) = (log.phase(), log.stolen_in()) else {
            return None;
        };
        let run = &mut self.connected.as_mut()?.run;
        if !run.live || run.reshuffled == Some(step) {
            return None;
        }
        let mut seals = Seat::all(log.seals().len()).zip(log.seals());
        let (_, theirs) = seals.find(|(seat, _)| *seat != own)?;
        run.reshuffled = Some(step);
        Some(Reshuffling {
            step,
            after: reseal_steps(log).max(),
            hand: steal.hand.clone(),
            validity: Share {
                bits: theirs.validity.clone(),
                macs: theirs.validity_macs,
            },
            name: steal_name(log, step).unwrap_or_default(),
        })
    }

    /// Stores a hand that the engine has reshuffled.
    pub(super) fn keep_reshuffled<R: CryptoRng>(
        &mut self,
        step: u64,
        shuffled: Box<dyn Shuffled>,
        own: &mut OwnSeat<S, R>,
    ) -> Result<(), PlayError> {
        // The other seat may have declared the steal void in the meantime.
        if own.log.stolen_in() != Some(step) {
            return Ok(());
        }
        let mut secret = Zeroizing::new([0; 32]);
        own.rng.fill_bytes(&mut *secret);
        let hand = shuffled.seated(own.log.attempt(), Some(step), own.seat, secret);
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
    pub(super) fn reseal(
        &mut self,
        seat: Seat,
        steal: &Steal,
        log: &MatchLog,
    ) -> Result<Option<Part>, PlayError> {
        let live = self.runs_live();
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

    /// Ends a steal: drops the reshuffled hands that the log does not use.
    pub(super) fn finish_steal(&mut self, log: &MatchLog) {
        if let Some(cards) = &mut self.hand.deck {
            cards.keep_only(&reseal_steps(log).collect::<Vec<_>>());
        }
    }
}

/// The steps of the choices that led to the current reseals of the try.
fn reseal_steps(log: &MatchLog) -> impl Iterator<Item = u64> {
    let (_, drawn) = log.match_info().header().stakes.deck();
    (0..drawn).filter_map(|position| Some(log.resealed(position)?.0))
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
