//! The loss of a connection and the start of a new one: the state that a seat drops, sends and
//! restores.

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
    /// Starts the match on its first connection.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn begin(&mut self) {
        self.connected = Some(Connected::new(Resuming::first_connection()));
    }

    /// Resumes the match on a new connection. [`advance`](Self::advance) then sends the history of
    /// this side, and signs nothing before the peer has sent its own history.
    ///
    /// # Errors
    /// If the received parts cannot be written.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn resume(&mut self) -> Result<(), PlayError> {
        self.lose_connection();
        self.write()?;
        self.connected = Some(Connected::new(Resuming::reconnection()));
        self.send_history_from(self.setting.log.resume().from);
        Ok(())
    }

    /// Drops the connection, and with it the engine and all its orders.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn lose_connection(&mut self) {
        self.connected = None;
    }

    /// Whether there is a connection on which the peer has sent its complete history. Only then may
    /// this seat sign a part.
    pub fn is_synced(&self) -> bool {
        let connected = self.connected.as_ref();
        connected.is_some_and(|connected| connected.peer_history.is_complete())
    }

    /// Queues the history of this side from a step on.
    pub(super) fn send_history_from(&mut self, from: u64) {
        let log = &self.setting.log;
        if let Some(connected) = &mut self.connected {
            let resume = LogMessage::Resume(log.resume_from(from));
            let parts = log.history(from).cloned().map(LogMessage::Part);
            connected.unsent.extend(iter::once(resume).chain(parts));
        }
    }

    /// Reloads forgotten parts of the log from the match file.
    pub(super) fn reload_log(&mut self) -> Result<(), PlayError> {
        if !self.setting.log.is_whole() {
            self.write()?;
            self.setting.log = self.setting.journal.read_log()?;
        }
        Ok(())
    }

    /// Completes the resumption once the peer has sent its complete history and both sides have the
    /// same log.
    pub(super) fn finish_resume(&mut self) -> Result<(), PlayError> {
        let attempt = self.setting.log.attempt();
        self.restore()?;
        if self.setting.log.game().is_none() {
            // The deck belongs to a hand that is over.
            self.destroy_deck()?;
        }
        let lacks_deck =
            matches!(self.setting.log.phase(), Phase::Seal(_)) && self.hand.deck.is_none();
        if self.setting.log.lost_engine_run() || lacks_deck {
            self.lost_engine_run = Some((attempt.hand, attempt.attempt));
        }
        self.ask_again();
        self.queue_orders();
        self.news.push_back(News::Resumed);
        self.report_end();
        Ok(())
    }

    /// Whether the engine run of this try was lost with its connection. This seat declares such a
    /// try void instead of sealing it.
    pub(super) fn has_lost_engine_run(&self) -> bool {
        let attempt = self.setting.log.attempt();
        self.lost_engine_run == Some((attempt.hand, attempt.attempt))
    }

    /// Restores the deck of the try in play, if the vault has this deck. Then checks the seals of
    /// the other seats, and learns the cards that they have opened.
    pub(super) fn restore(&mut self) -> Result<(), PlayError> {
        let log = &self.setting.log;
        let (attempt, is_sealed) = (log.attempt(), log.phase().is_sealed());
        let kept = self.setting.vault.kept().map_err(PlayError::Vault)?;
        self.vault_has_deck |= kept.is_some();
        let (None, Some(name)) = (&self.hand.deck, deck_name(log)) else {
            return Ok(());
        };
        if self.hand.known.is_empty()
            && let Some(begun) = log.begun()
        {
            self.handle_event(log.step(), LogEvent::Begun(begun))?;
        }
        let Some(kept) = kept else {
            return Ok(());
        };
        let log = &self.setting.log;
        let read = own_dice::from_bytes(&kept).and_then(|(cards, dice)| {
            let of = (attempt, self.setting.seat);
            let hand_name = |step| steal_name(log, step);
            let cards = HandCards::from_bytes(cards, of, &name, hand_name)?;
            cards.has_all(log).then_some((cards, dice))
        });
        match read {
            Some((deck, dice)) => {
                self.hand.deck = Some(deck);
                self.hand.dice = dice;
            }
            // The user may have another copy of the file. Once connected, the seat has to continue
            // without the deck.
            None if is_sealed && self.connected.is_none() => return Err(PlayError::Deck),
            // The deck belongs to an earlier try.
            None => return Ok(()),
        }
        let seals = self.setting.log.seals().to_vec();
        for (seat, seal) in Seat::all(seals.len()).zip(&seals) {
            if seat != self.setting.seat {
                self.check_seal(seal);
            }
        }
        self.report_sealed();
        for opened in self.setting.log.opened() {
            if opened.opener != self.setting.seat {
                self.learn(opened.step, &opened.cards)?;
            }
        }
        Ok(())
    }
}
