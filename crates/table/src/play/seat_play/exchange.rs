//! The exchange of histories: what each seat has sent on its connection, and what this seat has sent to
//! it.

mod resuming;

use std::collections::{BTreeMap, BTreeSet};

use dealerless_connection::storage::{Storage, Vault};
use rand::CryptoRng;

use super::super::error::PlayError;
use super::super::orders::Outbox;
use super::Play;
use crate::log::{
    Early, Head, LogMessage, Refused, Resuming, Signed, Statement, StatementPlace, ToDo,
};
use crate::seat::{Seat, SeatSet};

/// The histories that this seat exchanges with the others.
#[derive(Default)]
pub(super) struct Exchange {
    /// The seats that this seat is connected to.
    peers: BTreeMap<Seat, Peer>,
    /// The seats that have sent their histories since the program has started.
    heard: BTreeSet<Seat>,
    /// Whether this seat no longer waits for histories: a guest for those of the other guests, and with
    /// roll calls any seat for those of all others. With roll calls, it has then accepted what it had
    /// kept in `early`.
    waived: bool,
    /// Whether this seat was allowed to sign since the program has started.
    may_have_signed: bool,
    /// The last step of a statement of this seat that another seat has sent back before its step.
    signed_in: Option<u64>,
    /// The seats without whose histories this seat cannot accept what it has kept since its start.
    unheard: SeatSet,
    /// What each seat has sent for later steps. It outlives the connection on which it arrived.
    early: BTreeMap<Seat, Early>,
    /// The seats whose connections were dropped because of an early statement.
    failed: BTreeMap<Seat, PlayError>,
}

/// The state of a connection to another seat.
struct Peer {
    /// The progress of the seat's history.
    history: Resuming,
    /// The step from which this seat has queued its own history for the peer, 0 if it had none. `None` before that.
    own_from: Option<u64>,
    /// The step up to which requests on this connection were answered, and the statements of this
    /// step and of the ahead chain that were sent: their chains, and their places.
    answered: (u64, BTreeSet<(Option<Head>, StatementPlace)>),
    /// Messages to send once all signed parts are on the disk.
    unsent: Vec<LogMessage>,
}

/// The connection on which a statement came.
#[derive(Clone, Copy)]
pub(super) struct Source {
    pub(super) from: Seat,
    /// Whether it was part of the history that the seat sends on a new connection.
    in_history: bool,
}

impl Exchange {
    /// Queues a message for a connected seat.
    pub(super) fn send(&mut self, to: Seat, message: LogMessage) {
        if let Some(peer) = self.peers.get_mut(&to) {
            peer.unsent.push(message);
        }
    }

    /// Queues a message that came from one seat for all other connected seats that have the history
    /// of this side. The history contains what is not forwarded.
    pub(super) fn forward(&mut self, from: Seat, message: &LogMessage) {
        for (seat, peer) in &mut self.peers {
            if *seat != from && peer.own_from.is_some() {
                peer.unsent.push(message.clone());
            }
        }
    }

    pub(super) fn has_unsent(&self) -> bool {
        self.peers.values().any(|peer| !peer.unsent.is_empty())
    }

    /// Sends the queued messages.
    ///
    /// # Errors
    /// [`PlayError::Connection`], if a lost connection `stops` this seat.
    pub(super) fn send_queued(
        &mut self,
        outbox: &mut impl Outbox,
        stops: bool,
    ) -> Result<(), PlayError> {
        for (&seat, peer) in &mut self.peers {
            for message in peer.unsent.drain(..) {
                let sent = outbox.send(seat, message.encode());
                if stops {
                    sent.map_err(PlayError::Connection)?;
                }
            }
        }
        Ok(())
    }
}

impl<S: Storage, V: Vault, R: CryptoRng> Play<S, V, R> {
    /// Processes a message from the connection to `from`.
    pub(super) fn receive_message(&mut self, from: Seat, bytes: &[u8]) -> Result<(), PlayError> {
        let message = LogMessage::decode(bytes).map_err(|_| PlayError::NoMessage)?;
        let was_synced = self.is_synced();
        let Some(peer) = self.exchange.peers.get_mut(&from) else {
            return Ok(());
        };
        let in_history = !peer.history.is_complete();
        let source = Source { from, in_history };
        let to_do = peer.history.receive(&self.own.log, message);
        match to_do.map_err(PlayError::Resume)? {
            ToDo::Nothing => {}
            ToDo::Accept(part) => self.accept(source, Signed::Part(part), None)?,
            ToDo::AcceptStatement(Statement { before, signed }) => {
                self.accept(source, signed, Some(before))?;
            }
            ToDo::Convict(evidence) => self.convict(from, evidence)?,
            ToDo::RequestAll => {
                self.own.reload_log()?;
                self.exchange.send(from, LogMessage::RequestAll);
            }
            ToDo::SendAll => {
                self.own.reload_log()?;
                self.send_history_from(from, 0);
            }
            ToDo::SendFrom(step) => self.answer(from, step),
        }
        let is_heard = in_history && self.has_heard(from);
        if is_heard {
            self.exchange.heard.insert(from);
            self.merge(true)?;
        }
        if self.is_synced() && (!was_synced || is_heard && from == Seat::HOST) {
            self.finish_resume()?;
        }
        self.send_own_history()
    }

    /// Accepts the early statements whose steps the log has reached, up to the given step. Drops the
    /// connection to a seat whose statement is refused.
    pub(super) fn accept_early(&mut self, end: u64) -> Result<(), PlayError> {
        while let Some((from, statement)) =
            Early::take(&mut self.exchange.early, &self.own.log, end)
        {
            let Statement { before, signed } = statement;
            let in_history = !self.exchange.may_have_signed && self.has_roll_calls();
            match self.accept_now(Source { from, in_history }, signed, Some(before)) {
                Err(error @ PlayError::Refused(_)) => {
                    self.exchange.early.remove(&from);
                    if self.exchange.peers.contains_key(&from) {
                        self.exchange.failed.insert(from, error);
                        self.lose_connection(from);
                    }
                }
                accepted => accepted?,
            }
        }
        Ok(())
    }

    /// Keeps a statement that came from the connection to `from` and cannot be accepted yet.
    pub(super) fn keep_early(&mut self, from: Seat, statement: Statement) -> Result<(), Refused> {
        let max = match self.is_merging() {
            true => Early::MAX_BYTES_AT_START,
            false => Early::MAX_BYTES,
        };
        let Statement { signed, .. } = &statement;
        let is_own = signed.head().is_none() && signed.seat() == self.own.seat;
        let step = signed.step();
        let early = self.exchange.early.entry(from).or_default();
        early.keep(&self.own.log, statement, max)?;
        let signed_in = &mut self.exchange.signed_in;
        *signed_in = (*signed_in).max(is_own.then_some(step));
        Ok(())
    }

    /// Whether this seat passes on a new statement from this source. The host does so always. A guest
    /// passes on what another guest's history brings, because the host can lack it, too. Each seat passes
    /// on votes, so that a cut connection does not keep a refusal from those who signed the call.
    pub(super) fn passes_on(&self, source: Source, signed: &Signed) -> bool {
        let is_vote = matches!(signed, Signed::Vote(_));
        self.own.seat == Seat::HOST || is_vote || source.in_history && source.from != Seat::HOST
    }

    /// Queues a part or an ack of this seat for all connected seats. It was signed for the history
    /// with the hash `before`.
    pub(super) fn send_own(&mut self, before: [u8; 32], signed: Signed) {
        self.own.keep(signed.clone());
        let message = self.message(Statement { before, signed });
        for peer in self.exchange.peers.values_mut() {
            peer.unsent.push(message.clone());
        }
    }

    /// Queues the statements from step `from` on for a connected seat, as far as no earlier request
    /// on this connection was answered with them.
    pub(super) fn answer(&mut self, to: Seat, from: u64) {
        let log = &self.own.log;
        let peer = self.exchange.peers.get_mut(&to);
        let Some(peer) = peer.filter(|peer| peer.own_from.is_some() && from <= log.step()) else {
            return;
        };
        let (step, places) = &peer.answered;
        let from = from.max(*step);
        let place = |statement: &Statement| (statement.signed.head(), statement.place());
        let is_new = |statement: &Statement| {
            let Statement { signed, .. } = statement;
            let is_due = signed.head().is_some() || signed.step() >= from;
            is_due && !places.contains(&place(statement))
        };
        let new: Vec<_> = log.statements(from).into_iter().filter(is_new).collect();
        let now = log.statements(log.step());
        peer.answered = (log.step(), now.iter().map(place).collect());
        peer.unsent
            .extend(new.into_iter().map(LogMessage::Statement));
    }

    /// Queues the history of this side from a step on, for `peer`.
    pub(super) fn send_history_from(&mut self, peer: Seat, from: u64) {
        let log = &self.own.log;
        let resume = log.resume_from(from);
        let from = resume.from;
        let statements = log.statements(from).into_iter();
        let mut messages = vec![LogMessage::Resume(resume)];
        messages.extend(statements.map(|statement| self.message(statement)));
        if self.has_several() {
            let evidence = log.evidence().iter().cloned().map(Box::new);
            messages.extend(evidence.map(LogMessage::Evidence));
        }
        if let Some(peer) = self.exchange.peers.get_mut(&peer) {
            peer.own_from = Some(from);
            peer.unsent.extend(messages);
        }
    }

    /// The message with a statement, in the form for the number of seats.
    fn message(&self, statement: Statement) -> LogMessage {
        match statement.signed {
            Signed::Part(part) if !self.has_several() => LogMessage::Part(part),
            _ => LogMessage::Statement(statement),
        }
    }
}
