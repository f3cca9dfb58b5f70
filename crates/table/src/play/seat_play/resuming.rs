//! The loss of a connection and the start of a new one: the state that a seat drops, sends and
//! restores.

use dealerless_connection::storage::Storage;
use dealerless_connection::storage::Vault;
use rand::CryptoRng;

use super::super::error::PlayError;
use super::super::news::News;
use super::Play;
use super::own_deck::OwnDeck;
use super::roll_calls::Over;
use crate::log::{LogEvent, Resuming};
use crate::seat::{Seat, SeatSet};

impl<S: Storage, V: Vault, R: CryptoRng> Play<S, V, R> {
    /// Starts the match on its first connection to `peer`.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn begin(&mut self, peer: Seat) {
        self.exchange.begin(peer);
        self.connect_engine();
    }

    /// Resumes the match on a new connection to `peer`. [`advance`](Self::advance) then sends the
    /// history of this side, and signs nothing before the peer has sent its own history. The host of
    /// several guests sends its history only when it may sign, so that no guest signs before the
    /// others have sent what they have.
    ///
    /// # Errors
    /// If the received parts cannot be written.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn resume(&mut self, peer: Seat) -> Result<(), PlayError> {
        self.lose_connection(peer);
        self.own.write()?;
        self.exchange.connect(peer, Resuming::reconnection());
        self.connect_engine();
        self.send_own_history()
    }

    /// Queues the history of this side for all connected seats that it is due to.
    pub(super) fn send_own_history(&mut self) -> Result<(), PlayError> {
        let due_to = self.exchange.history_due_to(&self.own.log);
        if !due_to.is_empty() {
            self.own.write()?;
        }
        let log = &self.own.log;
        for peer in due_to {
            self.exchange
                .send_history_from(peer, log.resume().from, log);
        }
        Ok(())
    }

    fn connect_engine(&mut self) {
        if let OwnDeck::Sealed(deck) = &mut self.deck {
            deck.connect();
        }
    }

    /// Drops the connection to `peer`. With a sealed deck, the engine and all its orders are lost
    /// with it.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn lose_connection(&mut self, peer: Seat) {
        self.exchange.lose_connection(peer);
        if let OwnDeck::Sealed(deck) = &mut self.deck {
            deck.lose_connection();
        }
        if !self.is_synced() || peer == Seat::HOST {
            self.own.reports.repeat_step();
        }
    }

    /// Whether this seat may sign. With more than two seats, it needs the histories of all others that
    /// are not gone, once after the program has started: later, a lost connection does not stop the
    /// other seats. A guest needs a connection, too, and waits only a short time for the other guests.
    /// With roll calls, all seats need a connection, and wait only a short time for the others, as long
    /// as so many have sent their histories that a card could be opened. With two seats, there must be a
    /// connection on which the other side has sent its complete history.
    pub fn is_synced(&self) -> bool {
        self.exchange.is_synced(&self.own.log)
    }

    /// The seats for whose histories this seat waits before it may sign, and whether they are there. Only
    /// the host knows which other guests are there, unless they are connected to each other. Empty if this
    /// seat may itself be the one without a connection.
    pub fn waits_for_histories(&self) -> (Vec<Seat>, bool) {
        self.exchange.waits_for_histories(&self.own.log)
    }

    /// Whether this seat, which has started again in a match with roll calls, keeps what it receives
    /// until enough seats have sent their histories. In order of arrival, a history that lacks this
    /// seat's own votes could complete a step by other parts.
    pub(in crate::play) fn is_merging(&self) -> bool {
        self.exchange.is_merging()
    }

    /// Accepts what this seat has kept since its start, in the order of the log, if enough seats have
    /// [sent](super::exchange::Exchange::ends_merge) their histories.
    ///
    /// # Errors
    /// [`PlayError::OwnHistory`]. Nothing was accepted.
    pub(super) fn merge(&mut self, waits: bool) -> Result<(), PlayError> {
        if self.exchange.ends_merge(waits, &self.own.log)? {
            self.over = Over::default();
            self.accept_early(u64::MAX)?;
        }
        Ok(())
    }

    /// Accepts what this seat has kept since its start, although too few seats have sent their histories,
    /// so that the others can settle the match without those that have not. Returns these. This seat
    /// signs nothing more before it starts again.
    ///
    /// # Errors
    /// [`PlayError::OwnHistory`].
    pub(in crate::play) fn merge_for_good(&mut self) -> Result<SeatSet, PlayError> {
        if !self.is_merging() {
            return Ok(SeatSet::default());
        }
        self.exchange.merged(&self.own.log).1?;
        self.accept_early(u64::MAX)?;
        self.own.write()?;
        Ok(self.own.log.unheard(self.exchange.heard()))
    }

    /// Makes room in what this seat has kept since its start: accepts the steps before the last one in
    /// which this seat has signed, because it had this history then.
    pub(super) fn merge_signed_steps(&mut self) -> Result<(), PlayError> {
        let (merged, _) = self.exchange.merged(&self.own.log);
        match merged.last_signed(self.own.seat) {
            Some(step) if step > self.own.log.step() => self.accept_early(step),
            // The seat is gone, or the match is over.
            _ => self.merge(true),
        }
    }

    /// Stops waiting for guests that have not sent their histories since the program has started, if
    /// this seat is a guest that the host has sent its history. With roll calls, stops waiting for all
    /// seats, once enough have sent their histories.
    ///
    /// # Errors
    /// If the deck cannot be restored.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn stop_waiting(&mut self) -> Result<(), PlayError> {
        let was_synced = self.is_synced();
        match self.own.log.match_info().has_roll_calls() {
            true => self.merge(false)?,
            false => self.exchange.waive_guests(),
        }
        if !was_synced && self.is_synced() {
            self.finish_resume()?;
            self.send_own_history()?;
        }
        Ok(())
    }

    /// The number of seats that have sent their histories since the program has started.
    pub(in crate::play) fn heard(&self) -> usize {
        self.exchange.heard().len()
    }

    /// Whether `peer` is connected and has sent its complete history on this connection.
    pub fn has_heard(&self, peer: Seat) -> bool {
        self.exchange.has_heard(peer)
    }

    /// Completes the resumption once the other side has sent its complete history, or all other
    /// sides.
    pub(super) fn finish_resume(&mut self) -> Result<(), PlayError> {
        self.restore()?;
        if let OwnDeck::Sealed(deck) = &mut self.deck {
            deck.resume(&self.own.log)?;
        }
        self.own.reports.ask_again();
        self.queue_orders();
        self.own.reports.push(News::Resumed);
        if self.exchange.is_restarted() && self.own.log.match_info().has_roll_calls() {
            let seats = self.own.log.gone().to_vec();
            self.own
                .reports
                .push(News::Log(LogEvent::Removed { seats }));
        }
        self.own.report_end();
        Ok(())
    }

    /// Restores what this seat had of the try in play, and learns the cards that were opened to it.
    pub(super) fn restore(&mut self) -> Result<(), PlayError> {
        self.own.restore_hand();
        match &mut self.deck {
            OwnDeck::Sealed(deck) => deck.restore(&mut self.own),
            OwnDeck::Verifiable(deck) => deck.restore(&mut self.own),
        }
    }
}
