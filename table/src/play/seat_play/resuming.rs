//! A line that goes, and another that comes: what a seat forgets, tells, and takes up again.

use std::iter;

use rand::CryptoRng;

use super::super::error::PlayError;
use super::super::hand_cards::HandCards;
use super::super::news::News;
use super::super::own_dice;
use super::super::vault::Vault;
use super::stealing::steal_name;
use super::{Connected, Play, deck_name};
use crate::log::{LogEvent, LogMessage, Phase, Resuming, Storage};
use crate::seat::Seat;

impl<S: Storage, V: Vault, R: CryptoRng> Play<S, V, R> {
    /// The match begins on a line on which both sides have agreed to it.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn begin(&mut self) {
        self.connected = Some(Connected::new(Resuming::first_connection()));
    }

    /// The match goes on on a new line. [`go_on`](Self::go_on) then tells what this side has, and
    /// says nothing else before the other has told what it has.
    ///
    /// # Errors
    /// If what was heard cannot be written.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn resume(&mut self) -> Result<(), PlayError> {
        self.lose_connection();
        self.write()?;
        self.connected = Some(Connected::new(Resuming::reconnection()));
        self.tell_from(self.set.log.resume().from);
        Ok(())
    }

    /// The connection is lost, and with it the engine and all its orders.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn lose_connection(&mut self) {
        self.connected = None;
    }

    /// Whether there is a line on which the other side has told all that it has.
    pub fn is_synced(&self) -> bool {
        let connected = self.connected.as_ref();
        connected.is_some_and(|connected| connected.told.is_complete())
    }

    /// Tells what this side has of the match, from a step on.
    pub(super) fn tell_from(&mut self, from: u64) {
        let log = &self.set.log;
        if let Some(connected) = &mut self.connected {
            let resume = LogMessage::Resume(log.resume_from(from));
            let parts = log.history(from).cloned().map(LogMessage::Part);
            connected.unsent.extend(iter::once(resume).chain(parts));
        }
    }

    /// Takes what was forgotten of the log from its file.
    pub(super) fn recall(&mut self) -> Result<(), PlayError> {
        if !self.set.log.is_whole() {
            self.write()?;
            self.set.log = self.set.journal.read_log()?;
        }
        Ok(())
    }

    /// The other side has told all that it has, and both have the same log.
    pub(super) fn resumed(&mut self) -> Result<(), PlayError> {
        let attempt = self.set.log.attempt();
        self.restore()?;
        if self.set.log.game().is_none() {
            // That of a hand that is over.
            self.destroy_deck()?;
        }
        let lacks_deck = matches!(self.set.log.phase(), Phase::Seal(_)) && self.hand.deck.is_none();
        if self.set.log.lost_engine_run() || lacks_deck {
            self.lost_run = Some((attempt.hand, attempt.attempt));
        }
        self.ask_again();
        self.note_due();
        self.news.push_back(News::Resumed);
        self.over();
        Ok(())
    }

    /// Whether the engine's run for this try is gone with its line: the try is void, unless both
    /// have their deck.
    pub(super) fn has_lost_its_run(&self) -> bool {
        let attempt = self.set.log.attempt();
        self.lost_run == Some((attempt.hand, attempt.attempt))
    }

    /// Takes up the deck of the try in play, if this seat has kept it: checks again what the others
    /// have sealed, and learns again what they have opened.
    pub(super) fn restore(&mut self) -> Result<(), PlayError> {
        let log = &self.set.log;
        let (attempt, stands) = (log.attempt(), log.phase().is_sealed());
        let kept = self.set.vault.kept().map_err(PlayError::Vault)?;
        self.kept |= kept.is_some();
        let (None, Some(name)) = (&self.hand.deck, deck_name(log)) else {
            return Ok(());
        };
        if self.hand.known.is_empty()
            && let Some(begun) = log.begun()
        {
            self.happened(log.step(), LogEvent::Begun(begun))?;
        }
        let Some(kept) = kept else {
            return Ok(());
        };
        let log = &self.set.log;
        let read = own_dice::from_bytes(&kept).and_then(|(cards, dice)| {
            let of = (attempt, self.set.seat);
            let again = |step| steal_name(log, step);
            let cards = HandCards::from_bytes(cards, of, &name, again)?;
            cards.has_all(log).then_some((cards, dice))
        });
        match read {
            Some((deck, dice)) => {
                self.hand.deck = Some(deck);
                self.hand.dice = dice;
            }
            // Its user may have another copy. On a line it is known that there is no other way on.
            None if stands && self.connected.is_none() => return Err(PlayError::Deck),
            // That of a try before.
            None => return Ok(()),
        }
        let seals = self.set.log.seals().to_vec();
        for (seat, seal) in Seat::all(seals.len()).zip(&seals) {
            if seat != self.set.seat {
                self.check_seal(seal);
            }
        }
        self.tell_sealed();
        for said in self.set.log.opened() {
            if said.opener != self.set.seat {
                self.learn(said.step, &said.cards)?;
            }
        }
        Ok(())
    }
}
