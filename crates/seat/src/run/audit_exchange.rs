//! The exchange of an audit, in any program: a guest calls its host, a host waits for its guest, and both open
//! their inputs to the shuffles of their match, try by try.

use std::mem;
use std::time::Duration;

use anyhow::{bail, ensure};
use dealerless_connection::identity::PublicIdentity;
use dealerless_connection::{
    ConnectionError, Credentials, Dial, DoorEvent, Happened, MeetingError, PolledConnection,
    PolledDoor, Sockets, Stream,
};
use dealerless_table::Seat;
use dealerless_table::audit::{Audit, Auditing, CannotAudit};
use dealerless_table::log::{Input, MatchId, MatchLog};
use dealerless_table::play::Control;

use super::finding::{Route, request};
use super::lobby::{Arrived, Lobby};

/// Timeout for the other player to open the inputs of one try.
const ONE_TRY: Duration = Duration::from_secs(60);
/// The pause between two calls of a host that does not answer.
const PAUSE: Duration = Duration::from_secs(1);

/// The host has answered the request to audit a match with another message: it plays, or waits for a match.
#[derive(Debug, thiserror::Error)]
#[error("the host is not auditing this match: both players must audit it at the same time")]
pub struct NotAuditing;

/// The opened inputs of both players, and the connection, which closes when the other player has received the
/// last of them.
pub type OpenedInputs<S> = (Audit, PolledConnection<S>);

/// One side of an audit, as a state machine over [`Sockets`]. The caller reports what happens to its sockets,
/// and calls [`step`](Self::step) afterwards and at the time of [`timer`](Self::timer).
pub struct AuditExchange<S: Sockets> {
    of: MatchId,
    peer: PublicIdentity,
    auditing: Auditing,
    /// The deadline for the peer to connect, or for its next message.
    until: Duration,
    /// Whether the peer has sent a message that is, or should be, part of the exchange.
    has_received: bool,
    stage: Stage<S>,
}

enum Stage<S: Sockets> {
    /// The exchange has not begun, or is over.
    Idle,
    /// A guest calls its host.
    Calling(Box<Calls<S>>),
    /// A host waits for its guest.
    Waiting(Box<PolledDoor<S>>, Lobby<S>),
    Exchanging(Box<PolledConnection<S>>),
}

struct Calls<S: Sockets> {
    sockets: S,
    own: Credentials,
    route: Route,
    call: Option<Dial<S>>,
    /// The time of the next call if none is active.
    next: Duration,
    /// Why the last call has failed.
    failure: Option<MeetingError>,
}

impl<S: Sockets> AuditExchange<S> {
    /// The side of this seat in the audit of a match. `inputs` are its own. It does nothing before it is
    /// [calling](Self::calling) or [waiting](Self::waiting).
    ///
    /// # Errors
    /// [`CannotAudit::NotOver`].
    pub fn new(log: &MatchLog, seat: Seat, inputs: &[Input]) -> Result<Self, CannotAudit> {
        let auditing = Auditing::new(log, seat, inputs)?;
        let of = log.match_info();
        Ok(AuditExchange {
            of: of.id(),
            peer: of.players()[seat.next(2).index()].identity.clone(),
            auditing,
            until: Duration::MAX,
            has_received: false,
            stage: Stage::Idle,
        })
    }

    /// Calls the host, again and again until this time.
    #[must_use]
    pub fn calling(mut self, sockets: &S, own: Credentials, route: Route, until: Duration) -> Self {
        self.until = until;
        self.stage = Stage::Calling(Box::new(Calls {
            sockets: sockets.clone(),
            own,
            route,
            call: None,
            next: Duration::ZERO,
            failure: None,
        }));
        self
    }

    /// Waits for the guest at this door until the deadline. Other players are refused with [`Control::Unknown`].
    #[must_use]
    pub fn waiting(mut self, door: PolledDoor<S>, until: Duration) -> Self {
        self.until = until;
        self.stage = Stage::Waiting(Box::new(door), Lobby::new());
        self
    }

    /// Somebody has come to the door before this side was waiting at it.
    pub fn arrived(&mut self, connection: PolledConnection<S>, now: Duration) {
        if let Stage::Waiting(_, lobby) = &mut self.stage {
            lobby.admit(connection, None, now);
        }
    }

    /// Whether a socket belongs to this side.
    pub fn has(&self, number: u32) -> bool {
        match &self.stage {
            Stage::Idle => false,
            Stage::Calling(calls) => calls.call.as_ref().is_some_and(|call| call.has(number)),
            Stage::Waiting(door, lobby) => door.has(number) || lobby.has(number),
            Stage::Exchanging(connection) => connection.number() == number,
        }
    }

    /// The connection with this number.
    pub(super) fn connection(&mut self, number: u32) -> Option<&mut PolledConnection<S>> {
        match &mut self.stage {
            Stage::Idle | Stage::Calling(_) => None,
            Stage::Waiting(_, lobby) => lobby.connection(number),
            Stage::Exchanging(connection) => {
                Some(&mut **connection).filter(|connection| connection.number() == number)
            }
        }
    }

    /// Something has happened to a socket.
    pub fn happened(&mut self, number: u32, what: Happened<'_>, now: Duration) {
        if let Some(connection) = self.connection(number) {
            return connection.happened(what, now);
        }
        match &mut self.stage {
            Stage::Calling(calls) => {
                if let Some(call) = &mut calls.call {
                    let met = call.happened(number, what, now);
                    if let Some(connection) = calls.met(met, now) {
                        self.called(connection, now);
                    }
                }
            }
            Stage::Waiting(door, _) => door.happened(number, what, now),
            Stage::Idle | Stage::Exchanging(_) => {}
        }
    }

    /// Does all that is due. `tell` is called for each event at the door that is no connection. Returns the
    /// opened inputs of both players as soon as all are open; then the exchange is over.
    ///
    /// # Errors
    /// If the other player does not connect or answer in time, disconnects, or breaks the protocol: a
    /// [`MeetingError`], a [`ConnectionError`], a [`CannotAudit`], [`NotAuditing`], or a text. Then the exchange
    /// is over.
    pub fn step(
        &mut self,
        now: Duration,
        tell: impl FnMut(DoorEvent<PolledConnection<S>>),
    ) -> anyhow::Result<Option<OpenedInputs<S>>> {
        match mem::replace(&mut self.stage, Stage::Idle) {
            Stage::Idle => {}
            Stage::Calling(mut calls) => match calls.step(self.until, now)? {
                Some(connection) => self.called(connection, now),
                None => self.stage = Stage::Calling(calls),
            },
            Stage::Waiting(mut door, mut lobby) => {
                ensure!(now < self.until, "the other player did not connect in time");
                match self.guest(&mut door, &mut lobby, tell, now) {
                    Some(connection) => self.exchange(connection, now),
                    None => self.stage = Stage::Waiting(door, lobby),
                }
            }
            exchanging => self.stage = exchanging,
        }
        match mem::replace(&mut self.stage, Stage::Idle) {
            Stage::Exchanging(connection) => self.exchanging(connection, now),
            stage => {
                self.stage = stage;
                Ok(None)
            }
        }
    }

    /// The time at which [`step`](Self::step) must be called even if nothing happens.
    pub fn timer(&self) -> Duration {
        match &self.stage {
            Stage::Idle => Duration::MAX,
            Stage::Calling(calls) => {
                let timer = calls.call.as_ref().map_or(calls.next, Dial::timer);
                match calls.failure {
                    Some(_) => timer.min(self.until),
                    None => timer,
                }
            }
            Stage::Waiting(door, lobby) => door.timer().min(lobby.timer()).min(self.until),
            Stage::Exchanging(connection) => connection.timer().min(self.until),
        }
    }

    /// Waits at the door. Returns the connection to the guest, once it has asked for this audit.
    fn guest(
        &self,
        door: &mut PolledDoor<S>,
        lobby: &mut Lobby<S>,
        mut tell: impl FnMut(DoorEvent<PolledConnection<S>>),
        now: Duration,
    ) -> Option<PolledConnection<S>> {
        door.step(now);
        while let Some(event) = door.next_event() {
            match event {
                DoorEvent::Connection(connection) => lobby.admit(*connection, None, now),
                event => tell(event),
            }
        }
        while let Some(Arrived {
            connection,
            request,
            ..
        }) = lobby.step(now)
        {
            match request {
                Ok(Control::Audit(of)) if connection.met.peer == self.peer && of == self.of => {
                    return Some(connection);
                }
                Ok(_) => lobby.decline(connection, &Control::Unknown(self.of), now),
                Err(_) => {}
            }
        }
        None
    }

    /// A guest has met its host.
    fn called(&mut self, mut connection: PolledConnection<S>, now: Duration) {
        let audit = Control::Audit(self.of).encode();
        // If the connection has ended, the exchange reports it.
        let _ = connection.core.send(Stream::Control, &audit);
        self.exchange(connection, now);
    }

    fn exchange(&mut self, connection: PolledConnection<S>, now: Duration) {
        self.until = now + ONE_TRY;
        self.stage = Stage::Exchanging(Box::new(connection));
    }

    /// Exchanges the openings, try by try.
    fn exchanging(
        &mut self,
        mut connection: Box<PolledConnection<S>>,
        now: Duration,
    ) -> anyhow::Result<Option<OpenedInputs<S>>> {
        // Messages that the peer sent before it disconnected come first.
        let mut sent = Ok(());
        loop {
            while let Some(message) = self.auditing.say() {
                sent = sent.and(connection.core.send(Stream::Control, &message));
            }
            if let Some(opened) = self.auditing.opened() {
                sent?;
                connection.core.close();
                connection.flush(now);
                return Ok(Some((opened, *connection)));
            }
            let Some(message) = connection.core.next_message()? else {
                break;
            };
            let is_first = !mem::replace(&mut self.has_received, true);
            if is_first && request(&message).is_some() {
                bail!(NotAuditing);
            }
            match message.stream {
                Stream::Control => self.auditing.hear(&message.bytes)?,
                Stream::Log => Err(ConnectionError::Broken(
                    "a message that is not part of an audit",
                ))?,
            }
            self.until = now + ONE_TRY;
        }
        ensure!(now < self.until, ConnectionError::TimedOut);
        connection.flush(now);
        self.stage = Stage::Exchanging(connection);
        Ok(None)
    }
}

impl<S: Sockets> Calls<S> {
    /// Calls the host if it is time. Returns the connection to the host that was met.
    ///
    /// # Errors
    /// Why the last call has failed, at the deadline; or if there is no way to the host.
    fn step(
        &mut self,
        until: Duration,
        now: Duration,
    ) -> Result<Option<PolledConnection<S>>, MeetingError> {
        let met = match &mut self.call {
            Some(call) => call.step(now),
            None if now < self.next => Ok(None),
            None => {
                let own = self.own.clone();
                self.call = Some(self.route.call(&self.sockets, own, 1, now)?);
                Ok(None)
            }
        };
        let connection = self.met(met, now);
        match self
            .failure
            .take_if(|_| connection.is_none() && now >= until)
        {
            Some(error) => Err(error),
            None => Ok(connection),
        }
    }

    /// Continues after a step of the call.
    fn met(
        &mut self,
        met: Result<Option<PolledConnection<S>>, MeetingError>,
        now: Duration,
    ) -> Option<PolledConnection<S>> {
        met.unwrap_or_else(|error| {
            self.call = None;
            self.next = now + PAUSE;
            self.failure = Some(error);
            None
        })
    }
}
