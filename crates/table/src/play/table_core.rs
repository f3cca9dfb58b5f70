//! The rules of a table for connections, time, last words and closing, without threads and clocks: the
//! caller passes in what arrives and what time it is.

mod opening;
mod waiting;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io;
use std::time::Duration;

use dealerless::Blame;
use dealerless_connection::ConnectionError;
use dealerless_connection::storage::{Storage, Vault};
use dealerless_connection::time::Moment;
use rand::CryptoRng;

pub use self::opening::FirstOpening;
use super::clocks::Clocks;
use super::control::Control;
use super::error::PlayError;
use super::news::{Command, News, NotNow};
use super::orders::{Event, NoEngine, Orders, Outbox};
use super::seat_play::{Play, Setting};
use crate::log::Phase;
use crate::seat::Seat;

/// Timeout for receiving the remaining messages of a connection, after the engine has found it
/// lost.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(3);

/// One seat of a match, over connections that come and go. [`receive`](Self::receive) queues what
/// arrives, and [`next`](Self::next) does all that is due and returns the next event. The caller
/// calls `next` until it returns `None`, and then again after something has arrived or
/// [`until_next_timer`](Self::until_next_timer) has passed.
pub struct TableCore<S, V, R> {
    play: Play<S, V, R>,
    clocks: Clocks,
    /// The connected seats, with the time at which each connection began.
    connected: BTreeMap<Seat, Duration>,
    /// The seats that had received all messages when their last connections were closed.
    finished: BTreeSet<Seat>,
    /// What has arrived and was not processed: on the connection to a seat, or from the player.
    arrived: VecDeque<(Option<Seat>, Incoming)>,
    draining: Option<Draining>,
    /// When this side learned of a conviction that not all seats have confirmed.
    convicted: Option<Duration>,
    /// The step of the log and the number of seats that have sent their histories, and since when.
    progress: ((u64, usize), Duration),
    /// The time for the first cards that this seat opens. `None` if it is not limited.
    opening: Option<FirstOpening>,
    /// Whether this side currently looks for no connection. While this is true, other seats do not
    /// count as away. The next connection sets it to false.
    pub on_hold: bool,
}

/// Something that arrives at a table.
pub enum Incoming {
    /// An event of the connection or the engine.
    Event(Event),
    /// The connection has ended.
    Lost(ConnectionError),
    /// A message on the control stream.
    Control(Control),
    /// A command of the player, for the given turn if there is one.
    Command(Command, Option<u64>),
}

/// An event of a [`TableCore`].
#[derive(Debug)]
pub enum TableEvent {
    /// News for the player.
    News(News),
    /// The connection to this seat is lost. The match can be [resumed](TableCore::resume) on
    /// another one.
    ConnectionLost(Seat, PlayError),
    /// The peer has sent a control message.
    Control(Control),
    /// The table has accepted a [command](Incoming::Command) of the player.
    Accepted(Command),
}

/// A lost connection of a sealed deck, whose last messages are still processed: the peer may have
/// ended the match, and the engine can notice the loss before the reader of the messages does.
struct Draining {
    peer: Seat,
    error: PlayError,
    deadline: Duration,
}

impl<S: Storage, V: Vault, R: CryptoRng> TableCore<S, V, R> {
    /// A seat without a connection.
    ///
    /// # Errors
    /// [`PlayError::Vault`] if the deck cannot be read; [`PlayError::Deck`] if it is damaged.
    pub fn new(setting: Setting<S, V, R>, now: Duration) -> Result<Self, PlayError> {
        let match_info = setting.log.match_info();
        let clocks = Clocks::new(match_info.header().clock, match_info.seats());
        Ok(TableCore {
            play: Play::new(setting)?,
            clocks,
            connected: BTreeMap::new(),
            finished: BTreeSet::new(),
            arrived: VecDeque::new(),
            draining: None,
            convicted: None,
            progress: ((0, 0), now),
            opening: None,
            on_hold: false,
        })
    }

    /// The seat, with its log and the cards that it has seen.
    pub fn play(&self) -> &Play<S, V, R> {
        &self.play
    }

    /// The seat, for what needs no connection.
    pub fn play_mut(&mut self) -> &mut Play<S, V, R> {
        &mut self.play
    }

    /// Limits the time for the first cards that this seat opens. Until it opens them, it claims no absence
    /// and does not call the roll. The limit ends with the first opening. It is not stored: the caller sets
    /// it again after a restart.
    pub fn set_opening(&mut self, opening: Option<FirstOpening>) {
        self.opening = opening;
    }

    /// Starts the match on a new connection to `peer`.
    pub fn begin(&mut self, peer: Seat, now: Duration) {
        self.attach(peer, now);
        self.play.begin(peer);
    }

    /// The match begins now: no seat has a history of it. The seat then [joins](Self::join) the others.
    pub fn is_new(&mut self) {
        self.play.is_new();
    }

    /// Starts a [new](Self::is_new) match on a connection to `peer`, which has begun it too.
    pub fn join(&mut self, peer: Seat, now: Duration) {
        self.attach(peer, now);
        self.play.join(peer);
    }

    /// Resumes the match on a new connection to `peer`, in place of the previous one.
    ///
    /// # Errors
    /// If the parts received before cannot be written.
    pub fn resume(&mut self, peer: Seat, now: Duration) -> Result<(), PlayError> {
        self.attach(peer, now);
        self.play.resume(peer)
    }

    fn attach(&mut self, peer: Seat, now: Duration) {
        self.lose_connection(peer);
        self.finished.remove(&peer);
        self.on_hold = false;
        self.connected.insert(peer, now);
    }

    /// Forgets the connection to `peer`, which the caller has dropped with its engine. Control messages
    /// that have arrived are still reported.
    pub fn lose_connection(&mut self, peer: Seat) {
        self.connected.remove(&peer);
        self.draining.take_if(|draining| draining.peer == peer);
        self.arrived
            .retain(|(from, item)| *from != Some(peer) || matches!(item, Incoming::Control(_)));
        self.play.lose_connection(peer);
    }

    /// Records that `peer` has received all messages, and its connection was closed.
    pub fn finish(&mut self, peer: Seat) {
        self.finished.insert(peer);
    }

    /// Whether all guests of a host, or the host of a guest, had received all messages when their
    /// last connections were closed.
    pub fn is_finished(&self) -> bool {
        self.peers().all(|peer| self.finished.contains(&peer))
    }

    /// Whether the host is connected to a guest, or a guest to the host.
    pub fn is_connected(&self) -> bool {
        self.peers().any(|peer| self.connected.contains_key(&peer))
    }

    /// Queues what has arrived: on the connection to `from`, or from the player.
    pub fn receive(&mut self, from: Option<Seat>, item: Incoming) {
        self.arrived.push_back((from, item));
    }

    /// Does all that is due, up to the next event. `None` if nothing more is to be done now.
    /// `orders` is the engine of the connection, if there is a connection.
    ///
    /// # Errors
    /// [`PlayError`], after which the seat cannot continue.
    pub fn next(
        &mut self,
        now: Moment,
        outbox: &mut impl Outbox,
        mut orders: Option<&mut impl Orders>,
    ) -> Result<Option<TableEvent>, PlayError> {
        loop {
            if let Some(draining) = self.draining.take() {
                if !self.drain(&draining, now.running)? {
                    self.draining = Some(draining);
                    return Ok(None);
                }
                return self.lose(draining.peer, draining.error, outbox).map(Some);
            }
            let opening = self.opening.as_ref();
            let needed = opening.map(|opening| (opening.needed_at(now.running), opening.seats));
            self.play.open_after(needed);
            let first = self.connected.keys().next().copied();
            let failed = match self.advance(outbox, orders.as_deref_mut()) {
                Ok(()) => self.play.failed().map(|(peer, error)| (Some(peer), error)),
                Err(error) => Some((first, error)),
            };
            if let Some((peer, error)) = failed {
                match self.handle_error(peer, error, now.running, outbox)? {
                    Some(event) => return Ok(Some(event)),
                    None => continue,
                }
            }
            if self.update_clocks(now)? || self.update_progress(now.running)? {
                continue;
            }
            self.report_unconfirmed_end(now.running);
            if let Some(news) = self.play.news() {
                return Ok(Some(TableEvent::News(news)));
            }
            if let Some(peer) = self.silent(now.running) {
                let error = PlayError::Connection(io::ErrorKind::TimedOut.into());
                return self.lose(peer, error, outbox).map(Some);
            }
            let Some((from, item)) = self.arrived.pop_front() else {
                return Ok(None);
            };
            if let Some(event) = self.process(from, item, now, outbox)? {
                return Ok(Some(event));
            }
        }
    }

    /// Does work that can wait until nothing else is to be done. Returns whether there was any.
    ///
    /// # Errors
    /// [`PlayError`], after which the seat cannot continue.
    pub fn work_ahead(&mut self) -> Result<bool, PlayError> {
        Ok(self.draining.is_none() && self.play.shuffle_ahead()?)
    }

    fn process(
        &mut self,
        from: Option<Seat>,
        item: Incoming,
        now: Moment,
        outbox: &mut impl Outbox,
    ) -> Result<Option<TableEvent>, PlayError> {
        Ok(match (from, item) {
            (_, Incoming::Command(command, turn)) => Some(self.execute(command, turn, now)?),
            // Guests have nothing to decide with each other.
            (Some(peer), Incoming::Control(_))
                if ![peer, self.play.seat()].contains(&Seat::HOST) =>
            {
                None
            }
            (_, Incoming::Control(control)) => Some(TableEvent::Control(control)),
            (Some(peer), Incoming::Event(event)) if self.connected.contains_key(&peer) => {
                match self.play.receive(event) {
                    Ok(()) => None,
                    Err(error) => self.handle_error(Some(peer), error, now.running, outbox)?,
                }
            }
            (Some(peer), Incoming::Lost(error)) if self.connected.contains_key(&peer) => {
                let error = PlayError::Connection(io::Error::other(error));
                Some(self.lose(peer, error, outbox)?)
            }
            (_, Incoming::Event(_) | Incoming::Lost(_)) => None,
        })
    }

    fn advance(
        &mut self,
        outbox: &mut impl Outbox,
        orders: Option<&mut impl Orders>,
    ) -> Result<(), PlayError> {
        match orders {
            Some(orders) => self.play.advance(outbox, orders),
            None => self.play.advance(outbox, &mut NoEngine),
        }
    }

    /// Drops the connection to `peer` after an error that a new connection can fix, and returns any
    /// other error. With a verifiable deck, that includes all errors of the peer, which must not
    /// stop the other seats. With a sealed deck, the connection is [drained](Draining) first, unless
    /// it has ended; then the result is `None`.
    fn handle_error(
        &mut self,
        peer: Option<Seat>,
        error: PlayError,
        now: Duration,
        outbox: &mut impl Outbox,
    ) -> Result<Option<TableEvent>, PlayError> {
        let Some(peer) = peer else {
            return Err(error);
        };
        let is_sealed = self.play.is_sealed();
        let is_fixable = match error.blame() {
            Blame::Connection | Blame::Peer => true,
            Blame::ThisSide => false,
            _ => !is_sealed,
        };
        if !is_fixable {
            return Err(error);
        }
        if is_sealed && self.connected.contains_key(&peer) {
            let deadline = now + DRAIN_TIMEOUT;
            self.draining = Some(Draining {
                peer,
                error,
                deadline,
            });
            return Ok(None);
        }
        self.lose(peer, error, outbox).map(Some)
    }

    /// Processes the messages that have arrived on the connection that is being drained. Returns
    /// whether nothing else is expected on it.
    fn drain(&mut self, draining: &Draining, now: Duration) -> Result<bool, PlayError> {
        while !matches!(self.play.log().phase(), Phase::Over(_)) {
            let is_next = |(from, item): &(Option<Seat>, Incoming)| {
                *from == Some(draining.peer)
                    && matches!(item, Incoming::Event(_) | Incoming::Lost(_))
            };
            let next = self.arrived.iter().position(is_next);
            match next.and_then(|next| self.arrived.remove(next)) {
                Some((_, Incoming::Event(event))) => self.play.receive(event)?,
                Some(_) => return Ok(true),
                None => return Ok(now >= draining.deadline),
            }
        }
        Ok(true)
    }

    fn lose(
        &mut self,
        peer: Seat,
        error: PlayError,
        outbox: &mut impl Outbox,
    ) -> Result<TableEvent, PlayError> {
        self.lose_connection(peer);
        self.play.advance(outbox, &mut NoEngine)?;
        Ok(TableEvent::ConnectionLost(peer, error))
    }

    /// Executes a command of the player. [`Close`](Command::Close) is only checked, not executed.
    ///
    /// # Errors
    /// [`NotNow`]. The table is unchanged.
    pub fn command(&mut self, command: Command) -> Result<(), NotNow> {
        match command {
            Command::Leave { anyhow: false } if self.may_close().is_some() => Err(NotNow::MayClose),
            Command::Close if self.may_close().is_none() => Err(NotNow::NobodyLate),
            Command::Close => Ok(()),
            // The caller makes the new connection.
            Command::Again if !self.is_connected() => Ok(()),
            Command::Again => {
                let again = self.play.command(Command::DealAgain);
                again.map_err(|_| NotNow::Connected)
            }
            command => self.play.command(command),
        }
    }

    /// Executes a command from the mailbox.
    fn execute(
        &mut self,
        command: Command,
        turn: Option<u64>,
        now: Moment,
    ) -> Result<TableEvent, PlayError> {
        let result = match turn.filter(|turn| *turn != self.play.log().step()) {
            Some(turn) => Err(NotNow::OtherTurn(turn)),
            None => self.command(command.clone()),
        };
        if let Err(refused) = result {
            return Ok(TableEvent::News(News::NotNow(refused)));
        }
        if command == Command::Close {
            self.record_close(now.unix)?;
        }
        Ok(TableEvent::Accepted(command))
    }

    fn others(&self) -> impl Iterator<Item = Seat> + use<S, V, R> {
        let own = self.play.seat();
        Seat::all(self.play.log().match_info().seats()).filter(move |seat| *seat != own)
    }

    /// The seats to which this seat needs a connection, without those that are gone: all guests if it is
    /// the host, otherwise the host, or the other guests if the host is gone.
    fn peers(&self) -> impl Iterator<Item = Seat> + use<S, V, R> {
        let gone = self.play.log().gone().to_vec();
        let is_star = self.play.seat() == Seat::HOST || gone.contains(&Seat::HOST);
        self.others()
            .filter(move |seat| !gone.contains(seat) && (is_star || *seat == Seat::HOST))
    }
}

#[cfg(test)]
mod tests;
