//! A seat of a match over connections that come and go. Messages of the peer, results of the engine
//! and commands of the player arrive in one queue, in the order in which they happen.

mod waiting;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use dealerless::Blame;
use dealerless::mpc::Attempts;
use dealerless::net::Deadlines;

use super::attached::{Attached, Connections, Disconnected, Incoming};
use super::clocks::Clocks;
use super::control::Control;
use super::error::PlayError;
use super::news::{Command, News, NotNow};
use super::seat_play::{Play, Setting};
use super::vault::Vault;
use crate::connection::Connection;
use crate::log::{Phase, Storage};
use crate::random::SystemRng;
use crate::seat::Seat;

/// Timeout for receiving the remaining messages of a connection, after the engine has found it
/// lost.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(3);

/// One seat of a match, over connections that come and go. It executes commands of its player even
/// without a connection.
pub struct Table<S, V, X> {
    play: Play<S, V, SystemRng>,
    deadlines: Deadlines,
    /// The current connections. Items of older connections are ignored.
    attached: BTreeMap<Seat, Attached>,
    /// The number of the last connection.
    connection_number: u64,
    /// The seats that had received all messages when their last connections were closed.
    finished: BTreeSet<Seat>,
    mailbox: Mailbox<X>,
    queue: Receiver<(u64, Incoming<X>)>,
    /// Commands and posted items that arrived while a connection was drained.
    deferred: VecDeque<Incoming<X>>,
    /// Control messages that arrived while a connection was drained.
    controls: VecDeque<Control>,
    /// When this side learned of a conviction that not all seats have confirmed.
    convicted: Option<Instant>,
    clocks: Clocks,
    /// The step of the log and the number of seats that have sent their histories, and since when.
    progress: ((u64, usize), Instant),
    /// Whether this side currently looks for no connection. While this is true, other seats do not
    /// count as away. The next connection sets it to false.
    pub on_hold: bool,
}

/// An event of a [`Table`].
#[derive(Debug)]
pub enum TableEvent<X> {
    /// News for the player.
    News(News),
    /// The connection to this seat is lost. The match can be [resumed](Table::resume) on another
    /// one.
    ConnectionLost(Seat, PlayError),
    /// The peer has sent a control message.
    Control(Control),
    /// The table has accepted a [command](Mailbox::command) of the player.
    Accepted(Command),
    /// An item that was [posted](Mailbox::post).
    Posted(X),
}

/// Sends items to a table from any thread.
pub struct Mailbox<X>(Sender<(u64, Incoming<X>)>);

impl<X> Clone for Mailbox<X> {
    fn clone(&self) -> Self {
        Mailbox(self.0.clone())
    }
}

impl<X> Mailbox<X> {
    /// Sends a command of the player. If `turn` is given, the command is refused unless this is the
    /// current step. [`Table::next`] reports [`TableEvent::Accepted`] or [`News::NotNow`]. Returns
    /// `false` if the table no longer exists.
    pub fn command(&self, command: Command, turn: Option<u64>) -> bool {
        self.0.send((0, Incoming::Command(command, turn))).is_ok()
    }

    /// Posts an item, which [`Table::next`] returns as [`TableEvent::Posted`]. Returns `false` if
    /// the table no longer exists.
    pub fn post(&self, item: X) -> bool {
        self.0.send((0, Incoming::Posted(item))).is_ok()
    }
}

impl<S: Storage, V: Vault, X: Send + 'static> Table<S, V, X> {
    /// A seat without a connection, of a match that begins or is resumed.
    ///
    /// # Errors
    /// [`PlayError::Vault`] if the deck cannot be read; [`PlayError::Deck`] if it is damaged.
    pub fn new(setting: Setting<S, V, SystemRng>, deadlines: Deadlines) -> Result<Self, PlayError> {
        let (sender, queue) = mpsc::channel();
        let header = setting.log.match_info().header();
        let clocks = Clocks::new(header.clock, setting.log.match_info().seats());
        Ok(Table {
            play: Play::new(setting)?,
            clocks,
            progress: ((0, 0), Instant::now()),
            on_hold: false,
            deadlines,
            attached: BTreeMap::new(),
            connection_number: 0,
            finished: BTreeSet::new(),
            mailbox: Mailbox(sender),
            queue,
            deferred: VecDeque::new(),
            controls: VecDeque::new(),
            convicted: None,
        })
    }

    /// Starts the match on this connection to `peer`. With a sealed deck, the engine's session is
    /// bound to the connection, and `attempts` counts its attempts. A host of several guests starts
    /// the match on all connections before it [plays](Self::next). A guest starts the match on the
    /// connection to the host, and [resumes](Self::resume) it on connections to other guests.
    pub fn begin(
        &mut self,
        peer: Seat,
        connection: Connection,
        attempts: Option<Box<dyn Attempts>>,
    ) {
        self.attach(peer, connection, attempts);
        self.play.begin(peer);
    }

    /// Resumes the match on this connection to `peer`, in place of the previous one. A guest may have
    /// a connection to each other guest. Such a connection is optional: the host forwards all
    /// statements, too.
    ///
    /// # Errors
    /// If the parts received before cannot be written.
    pub fn resume(
        &mut self,
        peer: Seat,
        connection: Connection,
        attempts: Option<Box<dyn Attempts>>,
    ) -> Result<(), PlayError> {
        self.attach(peer, connection, attempts);
        self.play.resume(peer)
    }

    fn attach(&mut self, peer: Seat, connection: Connection, attempts: Option<Box<dyn Attempts>>) {
        self.lose_connection(peer);
        self.connection_number += 1;
        self.finished.remove(&peer);
        self.on_hold = false;
        let sender = (self.connection_number, self.mailbox.0.clone());
        let attached = Attached::new(peer, connection, attempts, sender);
        self.attached.insert(peer, attached);
    }

    /// Drops the connection to `peer`, if there is one, and the engine with it.
    pub fn lose_connection(&mut self, peer: Seat) {
        self.attached.remove(&peer);
        self.play.lose_connection(peer);
    }

    /// Drops all connections.
    pub fn lose_connections(&mut self) {
        self.others().for_each(|peer| self.lose_connection(peer));
    }

    /// Writes the parts that were received since this side last signed one, so that the file of an
    /// interrupted match shows whose turn it is.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write_received(&mut self) -> Result<(), PlayError> {
        self.play.write()
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
    fn execute(&mut self, command: Command, turn: Option<u64>) -> Result<TableEvent<X>, PlayError> {
        let result = match turn.filter(|turn| *turn != self.play.log().step()) {
            Some(turn) => Err(NotNow::OtherTurn(turn)),
            None => self.command(command.clone()),
        };
        if let Err(refused) = result {
            return Ok(TableEvent::News(News::NotNow(refused)));
        }
        if command == Command::Close {
            self.record_close()?;
        }
        Ok(TableEvent::Accepted(command))
    }

    /// The mailbox for the player's commands.
    pub fn mailbox(&self) -> Mailbox<X> {
        self.mailbox.clone()
    }

    /// The seat, with its log and the cards that it has seen.
    pub fn play(&self) -> &Play<S, V, SystemRng> {
        &self.play
    }

    /// The connection to `peer`, if there is one.
    pub fn connection(&self, peer: Seat) -> Option<&Connection> {
        self.attached
            .get(&peer)
            .map(|attached| &*attached.connection)
    }

    /// Whether the host is connected to a guest, or a guest to the host.
    pub fn is_connected(&self) -> bool {
        self.peers().any(|peer| self.attached.contains_key(&peer))
    }

    /// Whether the deck is sealed. Then there is one connection at most, and the engine runs on it.
    fn is_sealed(&self) -> bool {
        self.play.circuit().is_some()
    }

    /// Plays until there is an event, or until the timeout `within` has passed. After
    /// [`News::Over`] there is no more news of the match, but on a later connection the table still
    /// sends the end of the match to the peer.
    ///
    /// # Errors
    /// [`PlayError`], after which the seat cannot continue.
    pub fn next(&mut self, within: Duration) -> Result<Option<TableEvent<X>>, PlayError> {
        let deadline = Instant::now() + within;
        loop {
            if let Err(error) = self.advance() {
                let peer = self.attached.keys().next().copied();
                return self.handle_error(peer, error).map(Some);
            }
            if let Some((peer, error)) = self.play.failed() {
                return self.handle_error(Some(peer), error).map(Some);
            }
            if self.update_clocks(Instant::now())? || self.update_progress()? {
                continue;
            }
            let until_end = self.until_unconfirmed_end();
            if let Some(news) = self.play.news() {
                return Ok(Some(TableEvent::News(news)));
            }
            if let Some(peer) = self.silent() {
                self.lose_connection(peer);
                let error = PlayError::Connection(io::ErrorKind::TimedOut.into());
                return Ok(Some(TableEvent::ConnectionLost(peer, error)));
            }
            if let Some(control) = self.controls.pop_front() {
                return Ok(Some(TableEvent::Control(control)));
            }
            let left = deadline.saturating_duration_since(Instant::now());
            let next_timeout = self.clocks.until_next_timeout(self.play.seat());
            let next_timeout = next_timeout.min(self.until_patience_ends()).min(until_end);
            let waiting = match self.deferred.pop_front() {
                Some(item) => Some((0, item)),
                None => self.queue.try_recv().ok(),
            };
            let item = match waiting {
                Some(item) => Ok(item),
                // Nothing else is to be done.
                None if self.play.shuffle_ahead()? => continue,
                None => self.queue.recv_timeout(left.min(next_timeout)),
            };
            match item {
                Ok((0, Incoming::Command(command, turn))) => {
                    return self.execute(command, turn).map(Some);
                }
                Ok((0, Incoming::Posted(item))) => return Ok(Some(TableEvent::Posted(item))),
                Ok((connection, item)) => match (self.peer_of(connection), item) {
                    // Guests have nothing to decide with each other.
                    (Some(peer), Incoming::Control(_))
                        if ![peer, self.play.seat()].contains(&Seat::HOST) => {}
                    (Some(_), Incoming::Control(control)) => {
                        return Ok(Some(TableEvent::Control(control)));
                    }
                    (Some(peer), item) => {
                        if let Err(error) = self.receive(peer, item) {
                            return self.handle_error(Some(peer), error).map(Some);
                        }
                    }
                    // An item of an old connection.
                    (None, _) => {}
                },
                Err(RecvTimeoutError::Timeout) if next_timeout < left => {}
                Err(RecvTimeoutError::Timeout) => return Ok(None),
                Err(RecvTimeoutError::Disconnected) => {
                    unreachable!("the table holds a sender of its own")
                }
            }
        }
    }

    /// The seat at the other end of the connection with this number.
    fn peer_of(&self, number: u64) -> Option<Seat> {
        let mut attached = self.attached.iter();
        let found = attached.find(|(_, attached)| attached.number == number);
        found.map(|(peer, _)| *peer)
    }

    fn advance(&mut self) -> Result<(), PlayError> {
        let connections = self.attached.iter();
        let mut connections = Connections(
            connections
                .map(|(peer, attached)| (*peer, Arc::clone(&attached.connection)))
                .collect(),
        );
        let attached = self.attached.values_mut().next();
        let (Some(attached), Some(circuit)) = (attached, self.play.circuit()) else {
            return self.play.advance(&mut connections, &mut Disconnected);
        };
        // Both sides have the same log at this point, so either both start the engine or neither
        // does.
        if self.play.is_synced() && !matches!(self.play.log().phase(), Phase::Over(_)) {
            let setting = (self.play.seat(), circuit);
            let sender = (attached.number, self.mailbox.0.clone());
            let started = attached.start_engine(setting, self.deadlines, sender);
            started.map_err(|error| PlayError::Connection(io::Error::other(error)))?;
        }
        self.play.advance(&mut connections, attached)
    }

    /// Processes an item of the connection to `peer`.
    fn receive(&mut self, peer: Seat, item: Incoming<X>) -> Result<(), PlayError> {
        let Some(attached) = self.attached.get_mut(&peer) else {
            return Ok(());
        };
        match item {
            Incoming::Event(event) => {
                attached.processed(&event);
                self.play.receive(event)
            }
            Incoming::Lost(error) => {
                attached.ended = true;
                Err(PlayError::Connection(io::Error::other(error)))
            }
            Incoming::Command(..) | Incoming::Posted(_) | Incoming::Control(_) => Ok(()),
        }
    }

    /// Drops the connection to `peer` after an error that a new connection can fix, and returns any
    /// other error. With a verifiable deck, that includes all errors of the peer, which must not
    /// stop the other seats. With a sealed deck, processes the messages that the peer has already
    /// sent before dropping the connection: the peer may have ended the match, and the engine can
    /// notice a lost connection before the table does.
    fn handle_error(
        &mut self,
        peer: Option<Seat>,
        error: PlayError,
    ) -> Result<TableEvent<X>, PlayError> {
        let Some(peer) = peer else {
            return Err(error);
        };
        let is_fixable = match error.blame() {
            Blame::Connection | Blame::Peer => true,
            Blame::ThisSide => false,
            _ => !self.is_sealed(),
        };
        if !is_fixable {
            return Err(error);
        }
        let ended = self
            .attached
            .get(&peer)
            .is_none_or(|attached| attached.ended);
        if !ended && self.is_sealed() {
            self.drain_connection(peer)?;
        }
        self.lose_connection(peer);
        self.advance()?;
        Ok(TableEvent::ConnectionLost(peer, error))
    }

    fn drain_connection(&mut self, peer: Seat) -> Result<(), PlayError> {
        let deadline = Instant::now() + DRAIN_TIMEOUT;
        let number = self.attached.get(&peer).map(|attached| attached.number);
        while !matches!(self.play.log().phase(), Phase::Over(_)) {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.queue.recv_timeout(left) {
                Ok((0, item)) => self.deferred.push_back(item),
                Ok((connection, Incoming::Lost(_))) if Some(connection) == number => {
                    break;
                }
                Ok((connection, Incoming::Control(control))) if Some(connection) == number => {
                    self.controls.push_back(control);
                }
                Ok((connection, item)) if Some(connection) == number => self.receive(peer, item)?,
                Ok(_) => {}
                Err(_) => break,
            }
        }
        Ok(())
    }

    /// Sends the last messages and closes all connections. Returns whether all guests of a host, or
    /// the host of a guest, have received all messages. If not, a later connection can still deliver
    /// them.
    pub fn close(&mut self) -> bool {
        let connected = self.attached.keys().copied().collect();
        self.close_each(connected)
    }

    /// Like [`close`](Self::close), but closes only connections on which the other side has sent its
    /// history.
    pub fn close_synced(&mut self) -> bool {
        let connected = self.attached.keys().copied();
        let synced = connected.filter(|peer| self.play.has_heard(*peer));
        let synced = synced.collect();
        self.close_each(synced)
    }

    fn close_each(&mut self, peers: Vec<Seat>) -> bool {
        let mut closing = Vec::new();
        for peer in peers {
            self.play.lose_connection(peer);
            if let Some(attached) = self.attached.remove(&peer) {
                // A slow peer does not keep the others waiting.
                closing.push((peer, thread::spawn(|| attached.close())));
            }
        }
        for (peer, thread) in closing {
            if thread.join().unwrap_or(false) {
                self.finished.insert(peer);
            }
        }
        self.peers().all(|peer| self.finished.contains(&peer))
    }

    fn others(&self) -> impl Iterator<Item = Seat> + use<S, V, X> {
        let own = self.play.seat();
        Seat::all(self.play.log().match_info().seats()).filter(move |seat| *seat != own)
    }

    /// The seats to which this seat needs a connection, without those that are gone: all guests if it is
    /// the host, otherwise the host, or the other guests if the host is gone.
    fn peers(&self) -> impl Iterator<Item = Seat> + use<S, V, X> {
        let gone = self.play.log().gone().to_vec();
        let is_star = self.play.seat() == Seat::HOST || gone.contains(&Seat::HOST);
        self.others()
            .filter(move |seat| !gone.contains(seat) && (is_star || *seat == Seat::HOST))
    }

    /// Makes the seat wait for [`Command::Next`] after each showdown, so that a person can look at
    /// the cards.
    pub fn pause_after_showdowns(&mut self) {
        self.play.pause_after_showdowns();
    }
}

#[cfg(test)]
mod tests;
