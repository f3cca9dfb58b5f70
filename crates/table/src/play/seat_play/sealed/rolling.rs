//! Dice rolls: the seat draws dice, stores them and commits to them. Then it reveals the dice, or
//! forfeits if it has lost them.

use dealerless::dice::{Dice, Reveal, Terms};
use dealerless_connection::storage::{Storage, Vault};
use rand::CryptoRng;

use super::super::super::error::PlayError;
use super::super::super::own_dice::OwnDice;
use super::super::own_seat::OwnSeat;
use super::SealedSide;
use crate::log::{MatchLog, Part};
use crate::rules::Hand;
use crate::seat::Seat;

impl<S: Storage, V: Vault> SealedSide<S, V> {
    /// Draws dice and commits to them. The dice are on the disk before the commitment is signed.
    pub(super) fn commit_to_dice<R: CryptoRng>(
        &mut self,
        dice: Dice,
        own: &mut OwnSeat<S, R>,
    ) -> Result<Part, PlayError> {
        let reveal = Reveal::draw(dice, &mut own.rng);
        let commitment = with_terms(&own.log, dice, |terms| {
            reveal.commitment(terms, own.seat.number())
        });
        let roll = rolls(&own.log);
        let drawn = OwnDice { roll, reveal };
        let deck = self.hand.deck.as_ref().map(|deck| deck.to_bytes());
        self.keep_hand(&deck.unwrap_or_default(), Some(&drawn))?;
        self.hand.dice = Some(drawn);
        Ok(Part::Commit(commitment.0))
    }

    /// Reveals the dice. A seat that has lost the dice that it committed to forfeits, because
    /// revealing other dice would be a foul.
    pub(super) fn reveal_dice(&self, dice: Dice, log: &MatchLog, seat: Seat) -> Part {
        let committed = log.dice_commitment(seat);
        let own = self.hand.dice.as_ref().filter(|own| {
            let fits = |terms: &Terms<'_>| {
                committed.is_some_and(|to| own.reveal.check(terms, seat.number(), &to).is_ok())
            };
            own.roll == rolls(log) && with_terms(log, dice, fits)
        });
        own.map_or(Part::Forfeit, |own| Part::Reveal(own.reveal.clone()))
    }
}

fn rolls(log: &MatchLog) -> u32 {
    log.game().map_or(0, Hand::rolls)
}

fn with_terms<T>(log: &MatchLog, dice: Dice, act: impl FnOnce(&Terms<'_>) -> T) -> T {
    act(&Terms {
        context: &log.attempt().dice_context(),
        number: rolls(log).into(),
        dice,
    })
}
