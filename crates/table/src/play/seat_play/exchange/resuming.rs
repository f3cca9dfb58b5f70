//! The loss of a connection and the start of a new one: the state that a seat drops, sends and
//! restores, and whether it has heard enough to sign.

use std::collections::BTreeSet;

use dealerless_connection::storage::{Storage, Vault};
use rand::CryptoRng;

use super::super::super::error::PlayError;
use super::super::super::news::News;
use super::super::Play;
use super::super::own_deck::OwnDeck;
use super::super::roll_calls::Over;
use super::Peer;
use crate::log::{LogEvent, LogMessage, MatchLog, Phase, Resuming};
use crate::seat::{Seat, SeatSet};

impl<S: Storage, V: Vault, R: CryptoRng> Play<S, V, R> {
    /// Starts the match on its first connection to `peer`.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn begin(&mut self, peer: Seat) {
        self.connect(peer, Resuming::first_connection());
        self.exchange.heard.insert(peer);
        self.exchange.may_have_signed = true;
        // No seat has a history.
        self.exchange.waived |=
            self.has_roll_calls() || self.is_guest_of_several() && peer == Seat::HOST;
    }

    /// The match begins now: no seat has a history of it, and none is waited for.
    pub(in crate::play) fn is_new(&mut self) {
        let seats = Seat::all(self.own.log.match_info().seats());
        self.exchange.heard.extend(seats);
        self.exchange.may_have_signed = true;
        self.exchange.waived = true;
    }

    /// Starts the match on a connection to `peer`, which has begun it too. Sends what this seat has of it so far.
    pub(in crate::play) fn join(&mut self, peer: Seat) {
        self.begin(peer);
        self.answer(peer, 0);
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
        self.connect(peer, Resuming::reconnection());
        self.send_own_history()
    }

    fn connect(&mut self, peer: Seat, history: Resuming) {
        let connection = Peer {
            own_from: history.is_complete().then_some(0),
            history,
            answered: (0, BTreeSet::new()),
            unsent: Vec::new(),
        };
        self.exchange.peers.insert(peer, connection);
        self.exchange.failed.remove(&peer);
        // The history of the seat contains them.
        if !self.is_merging() {
            self.exchange.early.remove(&peer);
        }
        if let OwnDeck::Sealed(deck) = &mut self.deck {
            deck.connect();
        }
    }

    /// Queues the history of this side for all connected seats that do not have it yet. The host of
    /// several guests waits until it may sign or the match is over.
    pub(in super::super) fn send_own_history(&mut self) -> Result<(), PlayError> {
        let log = &self.own.log;
        let hosts_several = self.has_several() && self.own.seat == Seat::HOST;
        if hosts_several && !self.is_synced() && !matches!(log.phase(), Phase::Over(_)) {
            return Ok(());
        }
        let peers = self.exchange.peers.iter();
        let lacking = peers.filter(|(_, peer)| peer.own_from.is_none());
        let lacking: Vec<Seat> = lacking.map(|(seat, _)| *seat).collect();
        if !lacking.is_empty() {
            self.own.write()?;
        }
        for peer in lacking {
            self.send_history_from(peer, self.own.log.resume().from);
        }
        Ok(())
    }

    /// Drops the connection to `peer`. With a sealed deck, the engine and all its orders are lost
    /// with it.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn lose_connection(&mut self, peer: Seat) {
        self.exchange.peers.remove(&peer);
        if let OwnDeck::Sealed(deck) = &mut self.deck {
            deck.lose_connection();
        }
        if !self.is_synced() || peer == Seat::HOST {
            self.own.reports.repeat_step();
        }
    }

    /// Whether the match has more than two seats.
    pub(in crate::play) fn has_several(&self) -> bool {
        self.own.log.match_info().seats() > 2
    }

    pub(super) fn has_roll_calls(&self) -> bool {
        self.own.log.match_info().has_roll_calls()
    }

    fn is_guest_of_several(&self) -> bool {
        self.has_several() && self.own.seat != Seat::HOST
    }

    /// Whether this seat may sign. With more than two seats, it needs the histories of all others that
    /// are not gone, once after the program has started: later, a lost connection does not stop the
    /// other seats. A guest needs a connection, too, and waits only a short time for the other guests.
    /// With roll calls, all seats need a connection, and wait only a short time for the others once as
    /// many have sent their histories as can open a card. With two seats, there must be a
    /// connection on which the other side has sent its complete history.
    pub fn is_synced(&self) -> bool {
        let (exchange, gone) = (&self.exchange, self.own.log.gone());
        let has_heard_all = Seat::all(self.own.log.match_info().seats()).all(|seat| {
            seat == self.own.seat || gone.contains(&seat) || exchange.heard.contains(&seat)
        });
        let mut peers = exchange.peers.values();
        let is_connected = peers.any(|peer| peer.history.is_complete());
        match self.own.seat {
            _ if !self.has_several() => is_connected,
            _ if self.has_roll_calls() => is_connected && exchange.waived,
            Seat::HOST => has_heard_all,
            _ => {
                let has_heard_host = exchange.heard.contains(&Seat::HOST);
                is_connected && has_heard_host && (has_heard_all || exchange.waived)
            }
        }
    }

    /// The seats for whose histories this seat waits before it may sign, and whether they are there. Only
    /// the host knows which other guests are there, unless they are connected to each other. Empty if this
    /// seat may itself be the one without a connection.
    pub fn waits_for_histories(&self) -> (Vec<Seat>, bool) {
        let (exchange, log) = (&self.exchange, &self.own.log);
        let needs_host = self.is_guest_of_several() && !self.has_roll_calls();
        let is_missing = |seat: &Seat| match needs_host && !self.has_heard(Seat::HOST) {
            true => *seat == Seat::HOST,
            false => {
                let is_heard = self.has_several() && exchange.heard.contains(seat);
                *seat != self.own.seat && !is_heard && !log.gone().contains(seat)
            }
        };
        let is_here =
            |seat: &Seat| exchange.peers.contains_key(seat) || needs_host && *seat != Seat::HOST;
        let missing = Seat::all(log.match_info().seats()).filter(is_missing);
        let (here, away): (Vec<Seat>, Vec<Seat>) = missing.partition(is_here);
        let is_cut_off =
            self.is_guest_of_several() && self.has_roll_calls() && exchange.peers.is_empty();
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
        self.has_roll_calls() && !self.exchange.waived
    }

    /// Accepts what this seat has kept since its start, in the order of the log, if enough seats have
    /// sent their histories: all that are left, or, if this seat no longer `waits`, the threshold. They
    /// are counted in the log that results, which knows who is gone.
    ///
    /// # Errors
    /// [`PlayError::OwnHistory`]. Nothing was accepted.
    pub(in super::super) fn merge(&mut self, waits: bool) -> Result<(), PlayError> {
        if self.is_merging() {
            let (merged, parted) = self.merged();
            self.exchange.unheard = merged.unheard(&self.exchange.heard);
            if merged.has_heard_enough(&self.exchange.heard, waits) {
                parted?;
                self.exchange.waived = true;
                self.over = Over::default();
                self.accept_early(u64::MAX)?;
            }
        }
        Ok(())
    }

    /// The log with what this seat has kept since its start, and an error if it does not contain all that
    /// this seat has signed.
    fn merged(&self) -> (MatchLog, Result<(), PlayError>) {
        let (merged, parted) = self.own.log.with_early(&self.exchange.early);
        let last = merged.last_signed(self.own.seat);
        let parted = parted.or(self.exchange.signed_in.filter(|step| last < Some(*step)));
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
        self.own.write()?;
        Ok(self.own.log.unheard(&self.exchange.heard))
    }

    /// Makes room in what this seat has kept since its start: accepts the steps before the last one in
    /// which this seat has signed, because it had this history then.
    pub(in super::super) fn merge_signed_steps(&mut self) -> Result<(), PlayError> {
        let (merged, _) = self.merged();
        match merged.last_signed(self.own.seat) {
            Some(step) if step > self.own.log.step() => self.accept_early(step),
            // The seat is gone, or the match is over.
            _ => self.merge(true),
        }
    }

    /// The seats without whose histories this seat cannot sign, while it merges. The kept statements may
    /// contain the votes that removed another seat.
    pub(in super::super) fn unheard(&self) -> SeatSet {
        let unheard = self.own.log.unheard(&self.exchange.heard);
        let unheard = unheard.iter().chain(self.exchange.unheard.iter());
        unheard.collect()
    }

    /// Records that this seat signs now, if it may. It may not while it lacks a statement of its own that
    /// another seat has sent back, because it could sign something else than before.
    pub(in super::super) fn start_signing(&mut self) -> bool {
        let last = self.own.log.last_signed(self.own.seat);
        let signed = self.exchange.signed_in;
        let may_sign = self.is_synced() && signed.is_none_or(|step| last >= Some(step));
        self.exchange.may_have_signed |= may_sign;
        may_sign
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
        match self.has_roll_calls() {
            true => self.merge(false)?,
            false => {
                let has_heard_host = self.exchange.heard.contains(&Seat::HOST);
                self.exchange.waived |= self.is_guest_of_several() && has_heard_host;
            }
        }
        if !was_synced && self.is_synced() {
            self.finish_resume()?;
            self.send_own_history()?;
        }
        Ok(())
    }

    /// The number of seats that have sent their histories since the program has started.
    pub(in crate::play) fn heard(&self) -> usize {
        self.exchange.heard.len()
    }

    /// Whether `peer` is connected and has sent its complete history on this connection.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn has_heard(&self, peer: Seat) -> bool {
        let peer = self.exchange.peers.get(&peer);
        peer.is_some_and(|peer| peer.history.is_complete())
    }

    /// Whether `peer` is connected, has sent its complete history, and will not request the whole history
    /// of this side. A peer whose log ends before the announced section requests it.
    pub fn have_exchanged(&self, peer: Seat) -> bool {
        let will_request = |peer: &Peer| {
            let from = peer.own_from;
            from.is_none_or(|from| peer.history.may_be_requested(from))
        };
        let connection = self.exchange.peers.get(&peer);
        self.has_heard(peer) && connection.is_some_and(|peer| !will_request(peer))
    }

    /// A seat whose connection was dropped because of an early statement, and the error.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn failed(&mut self) -> Option<(Seat, PlayError)> {
        self.exchange.failed.pop_first()
    }

    /// Requests the statements that this seat lacks from all connected seats, if it waits for another
    /// seat. A cheat can send a statement to some seats only.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn request_missing(&mut self) {
        let waits_for = self.own.log.waits_for();
        let waits = waits_for.iter().any(|seat| *seat != self.own.seat);
        if !waits || !self.has_several() {
            return;
        }
        let request = LogMessage::RequestFrom(self.own.log.step());
        for peer in self.exchange.peers.values_mut() {
            if peer.own_from.is_some() && peer.history.is_complete() {
                peer.unsent.push(request.clone());
            }
        }
    }

    /// Completes the resumption once the other side has sent its complete history, or all other
    /// sides.
    pub(in super::super) fn finish_resume(&mut self) -> Result<(), PlayError> {
        self.restore()?;
        if let OwnDeck::Sealed(deck) = &mut self.deck {
            deck.resume(&self.own.log)?;
        }
        self.own.reports.ask_again();
        self.queue_orders();
        self.report(News::Resumed);
        if !self.exchange.may_have_signed && self.has_roll_calls() {
            let seats = self.own.log.gone().to_vec();
            self.report(News::Log(LogEvent::Removed { seats }));
        }
        self.report_end();
        Ok(())
    }
}
