//! Dice rolls: the seat draws dice, stores them and commits to them. Then it reveals the dice, or
//! forfeits if it has lost them.

use dealerless::dice::{Dice, Reveal, Terms};
use dealerless_connection::storage::Storage;
use dealerless_connection::storage::Vault;
use rand::CryptoRng;

use super::super::error::PlayError;
use super::super::own_dice::{self, OwnDice};
use super::Play;
use crate::log::Part;
use crate::rules::Hand;

impl<S: Storage, V: Vault, R: CryptoRng> Play<S, V, R> {
    /// Draws dice and commits to them. The dice are on the disk before the commitment is signed.
    pub(super) fn commit_to_dice(&mut self, dice: Dice) -> Result<Part, PlayError> {
        let reveal = Reveal::draw(dice, &mut self.setting.rng);
        let commitment = self.with_terms(dice, |terms| {
            reveal.commitment(terms, self.setting.seat.number())
        });
        let roll = self.rolls();
        let own = OwnDice { roll, reveal };
        let deck = self.hand.deck.as_ref().map(|deck| deck.to_bytes());
        self.keep_hand(&deck.unwrap_or_default(), Some(&own))?;
        self.hand.dice = Some(own);
        Ok(Part::Commit(commitment.0))
    }

    /// Reveals the dice. A seat that has lost the dice that it committed to forfeits, because
    /// revealing other dice would be a foul.
    pub(super) fn reveal_dice(&self, dice: Dice) -> Part {
        let seat = self.setting.seat.number();
        let committed = self.setting.log.dice_commitment(self.setting.seat);
        let own = self.hand.dice.as_ref().filter(|own| {
            let fits = |terms: &Terms<'_>| {
                committed.is_some_and(|to| own.reveal.check(terms, seat, &to).is_ok())
            };
            own.roll == self.rolls() && self.with_terms(dice, fits)
        });
        own.map_or(Part::Forfeit, |own| Part::Reveal(own.reveal.clone()))
    }

    /// Stores the deck and the dice of the hand in play.
    pub(super) fn keep_hand(
        &mut self,
        deck: &[u8],
        dice: Option<&OwnDice>,
    ) -> Result<(), PlayError> {
        let bytes = own_dice::to_bytes(deck, dice);
        if let Some(deck) = self.sealed_mut() {
            deck.vault.keep(&bytes).map_err(PlayError::Vault)?;
        }
        self.vault_has_deck = true;
        Ok(())
    }

    fn rolls(&self) -> u32 {
        self.setting.log.game().map_or(0, Hand::rolls)
    }

    fn with_terms<T>(&self, dice: Dice, act: impl FnOnce(&Terms<'_>) -> T) -> T {
        act(&Terms {
            context: &self.setting.log.attempt().dice_context(),
            number: self.rolls().into(),
            dice,
        })
    }
}
