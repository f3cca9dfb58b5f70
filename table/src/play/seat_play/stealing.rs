//! What a seat does when a card is stolen: its engine shuffles the hand again, and it seals the cards
//! anew. A deck whose engine is gone can only be opened: then the hand stays as it is.

use dealerless::deck::Share;
use rand::CryptoRng;
use zeroize::Zeroizing;

use super::super::deck::Shuffled;
use super::super::error::PlayError;
use super::super::orders::Reshuffling;
use super::super::vault::Vault;
use super::{Play, Trouble};
use crate::hash::Hash;
use crate::log::{MatchLog, Part, Phase, Storage};
use crate::rules::Steal;
use crate::seat::Seat;

impl<S: Storage, V: Vault, R: CryptoRng> Play<S, V, R> {
    /// Whether the engine of this line has dealt the hand in play. Otherwise its cards can be
    /// opened, and nothing else.
    #[cfg(feature = "internals")]
    pub fn can_steal(&self) -> bool {
        self.runs_live()
    }

    /// The hand that the engine is to shuffle again, once.
    pub(super) fn reshuffling_due(&mut self) -> Option<Reshuffling> {
        let log = &self.set.log;
        let (Phase::Reseal(_, steal), Some(step)) = (log.phase(), log.stolen_in()) else {
            return None;
        };
        let run = &self.connected.as_ref()?.run;
        if !run.live || run.reshuffled == Some(step) {
            return None;
        }
        let seals = Seat::all(log.seals().len()).zip(log.seals());
        let (_, theirs) = seals.into_iter().find(|(seat, _)| *seat != self.set.seat)?;
        let reshuffling = Reshuffling {
            step,
            after: self.steps_resealed().max(),
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

    /// The steps of the choices for which cards of the try lie where they lie now.
    fn steps_resealed(&self) -> impl Iterator<Item = u64> {
        let drawn = 0..self.hand.known.len();
        drawn.filter_map(|position| Some(self.set.log.resealed(position)?.0))
    }

    /// The engine has shuffled a hand again.
    pub(super) fn keep_reshuffled(
        &mut self,
        step: u64,
        shuffled: Box<dyn Shuffled>,
    ) -> Result<(), PlayError> {
        // The other may have said in the meantime that it could not be.
        if self.set.log.stolen_in() != Some(step) {
            return Ok(());
        }
        let mut secret = Zeroizing::new([0; 32]);
        self.set.rng.fill_bytes(&mut *secret);
        let log = &self.set.log;
        let hand = shuffled.seated_again(log.attempt(), step, self.set.seat, secret);
        let Some(cards) = &mut self.hand.deck else {
            return Ok(());
        };
        cards.add(step, hand);
        // Before it is sealed.
        let bytes = cards.to_bytes();
        self.keep_hand(&bytes, None)
    }

    /// What this seat says when it is to seal a hand anew, if anything.
    pub(super) fn reseal(&mut self, seat: Seat, steal: &Steal) -> Result<Option<Part>, PlayError> {
        let (log, live) = (&self.set.log, self.runs_live());
        let (Some(step), Some(cards)) = (log.stolen_in(), &mut self.hand.deck) else {
            return Ok(Some(Part::Void));
        };
        let Some(reseal) = cards.reseal(step) else {
            // The engine is not done yet, or it is gone.
            return Ok((!live).then_some(Part::Void));
        };
        let reseal = reseal.map_err(PlayError::Engine)?;
        let agrees = match log.reseal() {
            // What was shuffled on a line that is gone, the other may not have.
            None => seat != Seat::HOST || live,
            Some(first) => match cards.check_again(step, &first.masked) {
                Ok(()) => first.masked.len() == steal.hand.len(),
                // Told once it has been said that nothing is stolen.
                Err(error) => {
                    self.hand.trouble = Some(Trouble::Seal(error));
                    false
                }
            },
        };
        Ok(Some(match agrees {
            true => Part::Reseal(reseal),
            false => Part::Void,
        }))
    }

    /// A theft is settled: other cards lie at the positions that all have sealed anew, if they have.
    pub(super) fn settled(&mut self, resealed: &[usize]) {
        let used: Vec<u64> = self.steps_resealed().collect();
        if let Some(cards) = &mut self.hand.deck {
            cards.keep_only(&used);
        }
        for &position in resealed {
            self.hand.known[position] = None;
        }
    }
}

/// What the engines of both sides call the hand that is shuffled again for the choice of this step.
pub(super) fn steal_name(log: &MatchLog, step: u64) -> Option<Vec<u8>> {
    let (attempt, said) = (log.attempt(), log.hash_before(step + 1)?);
    let hash = Hash::new("steal").field(&attempt.match_id).field(&said);
    let numbers = [u64::from(attempt.hand), u64::from(attempt.attempt), step];
    let hash = numbers.into_iter().fold(hash, Hash::number);
    Some(hash.finish().to_vec())
}
