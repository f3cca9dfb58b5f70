//! The loss of a connection and the start of a new one: the state that a seat drops, sends and
//! restores.

use dealerless_connection::storage::Storage;
use dealerless_connection::storage::Vault;
use rand::CryptoRng;

use super::super::error::PlayError;
use super::super::news::News;
use super::own_deck::OwnDeck;
use super::roll_calls::Over;
use super::{Peer, Play};
use crate::log::{LogEvent, LogMessage, MatchLog, Phase, Resuming};
use crate::seat::{Seat, SeatSet};

impl<S: Storage, V: Vault, R: CryptoRng> Play<S, V, R> {
    /// Starts the match on its first connection to `peer`.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn begin(&mut self, peer: Seat) {
        self.connect(peer, Resuming::first_connection());
        self.heard.insert(peer);
        self.is_restarted = false;
        // No seat has a history.
        self.waived |= self.is_guest_of_several() && peer == Seat::HOST;
        self.waived |= self.setting.log.match_info().has_roll_calls();
    }

    fn is_guest_of_several(&self) -> bool {
        self.setting.log.match_info().seats() > 2 && self.setting.seat != Seat::HOST
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
        self.write()?;
        self.connect(peer, Resuming::reconnection());
        self.send_own_history()
    }

    /// Queues the history of this side for all connected seats that do not have it yet. The host of
    /// several guests waits until it may sign or the match is over.
    pub(super) fn send_own_history(&mut self) -> Result<(), PlayError> {
        let log = &self.setting.log;
        let hosts_several = log.match_info().seats() > 2 && self.setting.seat == Seat::HOST;
        if hosts_several && !self.is_synced() && !matches!(log.phase(), Phase::Over(_)) {
            return Ok(());
        }
        let lacking = self.peers.iter().filter(|(_, peer)| !peer.has_own);
        let lacking: Vec<Seat> = lacking.map(|(seat, _)| *seat).collect();
        if !lacking.is_empty() {
            self.write()?;
        }
        for peer in lacking {
            self.send_history_from(peer, self.setting.log.resume().from);
        }
        Ok(())
    }

    fn connect(&mut self, peer: Seat, history: Resuming) {
        self.peers.insert(peer, Peer::new(history));
        self.failed.remove(&peer);
        // The history of the seat contains them.
        if !self.is_merging() {
            self.early.remove(&peer);
        }
        self.deck.connect();
    }

    /// Drops the connection to `peer`. With a sealed deck, the engine and all its orders are lost
    /// with it.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn lose_connection(&mut self, peer: Seat) {
        self.peers.remove(&peer);
        self.deck.lose_connection();
        if !self.is_synced() || peer == Seat::HOST {
            self.reports.repeat_step();
        }
    }

    /// Whether this seat may sign. With more than two seats, it needs the histories of all others that
    /// are not gone, once after the program has started: later, a lost connection does not stop the
    /// other seats. A guest needs a connection, too, and waits only a short time for the other guests.
    /// With roll calls, all seats need a connection, and wait only a short time for the others, as long
    /// as so many have sent their histories that a card could be opened. With two seats, there must be a
    /// connection on which the other side has sent its complete history.
    pub fn is_synced(&self) -> bool {
        let match_info = self.setting.log.match_info();
        let (seats, gone) = (match_info.seats(), self.setting.log.gone());
        let is_missing = |seat: &Seat| !gone.contains(seat) && !self.heard.contains(seat);
        let mut others = Seat::all(seats).filter(|seat| *seat != self.setting.seat);
        let has_heard_all = !others.any(|seat| is_missing(&seat));
        let mut peers = self.peers.values();
        let is_connected = peers.any(|peer| peer.history.is_complete());
        match (seats, self.setting.seat) {
            (2, _) => is_connected,
            _ if match_info.has_roll_calls() => is_connected && self.waived,
            (_, Seat::HOST) => has_heard_all,
            _ => {
                let has_heard_host = self.heard.contains(&Seat::HOST);
                is_connected && has_heard_host && (has_heard_all || self.waived)
            }
        }
    }

    /// The seats for whose histories this seat waits before it may sign, and whether they are there. Only
    /// the host knows which other guests are there, unless they are connected to each other. Empty if this
    /// seat may itself be the one without a connection.
    pub fn waits_for_histories(&self) -> (Vec<Seat>, bool) {
        let log = &self.setting.log;
        let (seats, has_roll_calls) = (log.match_info().seats(), log.match_info().has_roll_calls());
        let needs_host = self.is_guest_of_several() && !has_roll_calls;
        let is_missing = |seat: &Seat| match needs_host && !self.has_heard(Seat::HOST) {
            true => *seat == Seat::HOST,
            false => {
                let is_heard = seats > 2 && self.heard.contains(seat);
                *seat != self.setting.seat && !is_heard && !log.gone().contains(seat)
            }
        };
        let is_here =
            |seat: &Seat| self.peers.contains_key(seat) || needs_host && *seat != Seat::HOST;
        let (here, away): (Vec<Seat>, Vec<Seat>) =
            Seat::all(seats).filter(is_missing).partition(is_here);
        let is_cut_off = self.is_guest_of_several() && has_roll_calls && self.peers.is_empty();
        match (here.is_empty(), away.is_empty()) {
            (_, false) if is_cut_off => (Vec::new(), false),
            (false, true) => (here, true),
            _ => (away, false),
        }
    }

    /// Whether this seat, which has started again in a match with roll calls, keeps what it receives
    /// until enough seats have sent their histories. In order of arrival, a history that lacks this
    /// seat's own votes could complete a step by other parts.
    pub(in crate::play) fn is_merging(&self) -> bool {
        self.setting.log.match_info().has_roll_calls() && !self.waived
    }

    /// Accepts what this seat has kept since its start, in the order of the log, if enough seats have
    /// sent their histories: all that are left, or, if this seat no longer `waits`, the threshold. They
    /// are counted in the log that results, which knows who is gone.
    ///
    /// # Errors
    /// [`PlayError::OwnHistory`]. Nothing was accepted.
    pub(super) fn merge(&mut self, waits: bool) -> Result<(), PlayError> {
        if self.is_merging() {
            let (merged, parted) = self.merged();
            self.unheard = merged.unheard(&self.heard);
            if merged.has_heard_enough(&self.heard, waits) {
                parted?;
                self.waived = true;
                self.over = Over::default();
                self.accept_early(u64::MAX)?;
            }
        }
        Ok(())
    }

    /// The log with what this seat has kept since its start, and an error if it does not contain all that
    /// this seat has signed.
    fn merged(&self) -> (MatchLog, Result<(), PlayError>) {
        let (merged, parted) = self.setting.log.with_early(&self.early);
        let last = merged.last_signed(self.setting.seat);
        let parted = parted.or(self.signed_in.filter(|step| last < Some(*step)));
        let parted = parted.filter(|_| !merged.is_removed());
        let is_own = parted.map_or(Ok(()), |step| Err(PlayError::OwnHistory { step }));
        (merged, is_own)
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
        self.merged().1?;
        self.accept_early(u64::MAX)?;
        self.write()?;
        Ok(self.setting.log.unheard(&self.heard))
    }

    /// Makes room in what this seat has kept since its start: accepts the steps before the last one in
    /// which this seat has signed, because it had this history then.
    pub(super) fn merge_signed_steps(&mut self) -> Result<(), PlayError> {
        let (merged, _) = self.merged();
        match merged.last_signed(self.setting.seat) {
            Some(step) if step > self.setting.log.step() => self.accept_early(step),
            // The seat is gone, or the match is over.
            _ => self.merge(true),
        }
    }

    /// Whether another seat has sent back a statement of this seat which the log has not reached. Until
    /// then this seat signs nothing, because it could sign something else than before.
    pub(super) fn lacks_own_statement(&self) -> bool {
        let signed = self.signed_in;
        signed.is_some_and(|step| self.setting.log.last_signed(self.setting.seat) < Some(step))
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
        let has_roll_calls = self.setting.log.match_info().has_roll_calls();
        if has_roll_calls {
            self.merge(false)?;
        } else if self.is_guest_of_several() && self.heard.contains(&Seat::HOST) {
            self.waived = true;
        }
        if !was_synced && self.is_synced() {
            self.finish_resume()?;
            self.send_own_history()?;
        }
        Ok(())
    }

    /// The number of seats that have sent their histories since the program has started.
    pub(in crate::play) fn heard(&self) -> usize {
        self.heard.len()
    }

    /// Whether `peer` is connected and has sent its complete history on this connection.
    pub fn has_heard(&self, peer: Seat) -> bool {
        let peer = self.peers.get(&peer);
        peer.is_some_and(|peer| peer.history.is_complete())
    }

    /// Queues the history of this side from a step on, for `peer`.
    pub(super) fn send_history_from(&mut self, peer: Seat, from: u64) {
        let log = &self.setting.log;
        let resume = LogMessage::Resume(log.resume_from(from));
        let statements = log.statements(from).into_iter();
        let mut messages = vec![resume];
        messages.extend(statements.map(|statement| self.message(statement)));
        if log.match_info().seats() > 2 {
            let evidence = log.evidence().iter().cloned().map(Box::new);
            messages.extend(evidence.map(LogMessage::Evidence));
        }
        if let Some(peer) = self.peers.get_mut(&peer) {
            peer.has_own = true;
            peer.unsent.extend(messages);
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

    /// Completes the resumption once the other side has sent its complete history, or all other
    /// sides.
    pub(super) fn finish_resume(&mut self) -> Result<(), PlayError> {
        self.restore()?;
        if let OwnDeck::Sealed(deck) = &mut self.deck {
            deck.resume(&self.setting.log)?;
        }
        self.reports.ask_again();
        self.queue_orders();
        self.reports.push(News::Resumed);
        if self.is_restarted && self.setting.log.match_info().has_roll_calls() {
            let seats = self.setting.log.gone().to_vec();
            self.reports.push(News::Log(LogEvent::Removed { seats }));
        }
        self.report_end();
        Ok(())
    }

    /// Restores what this seat had of the try in play, and learns the cards that were opened to it.
    pub(super) fn restore(&mut self) -> Result<(), PlayError> {
        let (setting, reports) = (&mut self.setting, &mut self.reports);
        self.hand.restore(&setting.log, reports);
        let is_restored = match &mut self.deck {
            OwnDeck::Sealed(deck) => deck.restore(&setting.log, setting.seat)?,
            OwnDeck::Verifiable(deck) => {
                deck.restore(setting, &mut self.hand, reports)?;
                true
            }
        };
        if is_restored {
            self.report_sealed();
            for opened in self.setting.log.opened() {
                if opened.opener != self.setting.seat {
                    self.learn(opened.step, &opened.cards)?;
                }
            }
        }
        Ok(())
    }
}
