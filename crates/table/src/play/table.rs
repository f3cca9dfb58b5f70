//! A seat of a match over connections that come and go, with its threads: messages of the peers,
//! results of the engine and commands of the player arrive in one queue, in the order in which they
//! happen.

use std::collections::BTreeMap;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use dealerless::mpc::Attempts;
use dealerless::net::{Deadlines, system_time};
use dealerless_connection::Connection;
use dealerless_connection::random::SystemRng;
use dealerless_connection::storage::{Storage, Vault};
use dealerless_connection::time::Moment;

use super::attached::{Attached, Connections, EngineSetting};
use super::clock::TimeLeft;
use super::error::PlayError;
use super::news::{Command, NotNow};
use super::seat_play::{Play, Setting};
use super::table_core::{Incoming, TableCore, TableEvent};
use crate::seat::Seat;

/// One seat of a match, over connections that come and go. It executes commands of its player even
/// without a connection.
pub struct Table<S, V, X> {
    core: TableCore<S, V, SystemRng, X>,
    deadlines: Deadlines,
    /// The current connections. Items of older connections are ignored.
    attached: BTreeMap<Seat, Attached>,
    /// The number of the last connection.
    connection_number: u64,
    mailbox: Mailbox<X>,
    queue: Receiver<(u64, Incoming<X>)>,
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
    /// current step. [`Table::next`] reports [`TableEvent::Accepted`] or
    /// [`News::NotNow`](super::News::NotNow). Returns `false` if the table no longer exists.
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
        Ok(Table {
            core: TableCore::new(setting, system_time())?,
            deadlines,
            attached: BTreeMap::new(),
            connection_number: 0,
            mailbox: Mailbox(sender),
            queue,
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
        self.core.begin(peer, system_time());
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
        self.core.resume(peer, system_time())
    }

    fn attach(&mut self, peer: Seat, connection: Connection, attempts: Option<Box<dyn Attempts>>) {
        self.connection_number += 1;
        let engine = attempts.map(|attempts| EngineSetting {
            attempts,
            deadlines: self.deadlines,
        });
        let sender = (self.connection_number, self.mailbox.0.clone());
        let attached = Attached::new(peer, connection, engine, sender);
        self.attached.insert(peer, attached);
    }

    /// Drops the connection to `peer`, if there is one, and the engine with it.
    pub fn lose_connection(&mut self, peer: Seat) {
        self.attached.remove(&peer);
        self.core.lose_connection(peer);
    }

    /// Drops all connections.
    pub fn lose_connections(&mut self) {
        while let Some(&peer) = self.attached.keys().next() {
            self.lose_connection(peer);
        }
    }

    /// Writes the parts that were received since this side last signed one, so that the file of an
    /// interrupted match shows whose turn it is.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write_received(&mut self) -> Result<(), PlayError> {
        self.core.play_mut().write()
    }

    /// Executes a command of the player. [`Close`](Command::Close) is only checked, not executed.
    ///
    /// # Errors
    /// [`NotNow`]. The table is unchanged.
    pub fn command(&mut self, command: Command) -> Result<(), NotNow> {
        self.core.command(command)
    }

    /// The mailbox for the player's commands.
    pub fn mailbox(&self) -> Mailbox<X> {
        self.mailbox.clone()
    }

    /// The seat, with its log and the cards that it has seen.
    pub fn play(&self) -> &Play<S, V, SystemRng> {
        self.core.play()
    }

    /// The connection to `peer`, if there is one.
    pub fn connection(&self, peer: Seat) -> Option<&Connection> {
        self.attached
            .get(&peer)
            .map(|attached| &*attached.connection)
    }

    /// Whether the host is connected to a guest, or a guest to the host.
    pub fn is_connected(&self) -> bool {
        self.core.is_connected()
    }

    /// Sets whether this side has stopped looking for a connection. Meanwhile, other seats do not count
    /// as away. The next connection resets this.
    pub fn hold(&mut self, on_hold: bool) {
        self.core.on_hold = on_hold;
    }

    /// Plays until there is an event, or until the timeout `within` has passed. After
    /// [`News::Over`](super::News::Over) there is no more news of the match, but on a later
    /// connection the table still sends the end of the match to the peer.
    ///
    /// # Errors
    /// [`PlayError`], after which the seat cannot continue.
    pub fn next(&mut self, within: Duration) -> Result<Option<TableEvent<X>>, PlayError> {
        let deadline = system_time() + within;
        loop {
            let mut outbox = Connections::of(&self.attached);
            let engine = self.attached.values_mut().next();
            if let Some(event) = self.core.next(Moment::now(), &mut outbox, engine)? {
                if let TableEvent::ConnectionLost(peer, _) = &event {
                    self.attached.remove(peer);
                }
                return Ok(Some(event));
            }
            let received = match self.queue.try_recv() {
                Ok(item) => Ok(item),
                // Nothing else is to be done.
                Err(_) if self.core.work_ahead()? => continue,
                Err(_) => {
                    let now = system_time();
                    let timer = self.core.until_next_timer(now);
                    let wait = deadline.saturating_sub(now).min(timer);
                    self.queue.recv_timeout(wait)
                }
            };
            match received {
                Ok((0, item)) => self.core.receive(None, item),
                Ok((number, item)) => {
                    let mut attached = self.attached.iter();
                    // Items of old connections are dropped.
                    if let Some((peer, attached)) =
                        attached.find(|(_, attached)| attached.number == number)
                    {
                        attached.processed(&item);
                        self.core.receive(Some(*peer), item);
                    }
                }
                Err(RecvTimeoutError::Timeout) if system_time() < deadline => {}
                Err(RecvTimeoutError::Timeout) => return Ok(None),
                Err(RecvTimeoutError::Disconnected) => {
                    unreachable!("the table holds a sender of its own")
                }
            }
        }
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
        let synced = connected.filter(|peer| self.play().has_heard(*peer));
        let synced = synced.collect();
        self.close_each(synced)
    }

    fn close_each(&mut self, peers: Vec<Seat>) -> bool {
        let mut closing = Vec::new();
        for peer in peers {
            self.core.lose_connection(peer);
            if let Some(attached) = self.attached.remove(&peer) {
                // A slow peer does not keep the others waiting.
                closing.push((peer, thread::spawn(|| attached.close())));
            }
        }
        for (peer, thread) in closing {
            if thread.join().unwrap_or(false) {
                self.core.finish(peer);
            }
        }
        self.core.is_finished()
    }

    /// The time that a seat has left, as this side counts it. `None` in a match without a clock.
    pub fn time_left(&self, seat: Seat) -> Option<TimeLeft> {
        self.core.time_left(seat)
    }

    /// The seat that has run out of time, so that this side may [close](Command::Close) the match:
    /// this side waits for that seat, and the seat's time and a grace period are over. In a match
    /// without a clock, each seat has ten minutes for each step.
    ///
    /// `None` while enough seats are left without those that are late: then the others can remove them
    /// and go on.
    pub fn may_close(&self) -> Option<Seat> {
        self.core.may_close()
    }

    /// Makes the seat wait for [`Command::Next`] after each showdown, so that a person can look at
    /// the cards.
    pub fn pause_after_showdowns(&mut self) {
        self.core.play_mut().pause_after_showdowns();
    }

    /// The time until this side counts another seat as out of time, if nothing changes. `None` if it waits
    /// for nothing of that seat, or no time runs. In a match without a clock, a seat has ten minutes.
    pub fn until_out(&self, seat: Seat) -> Option<Duration> {
        self.core.until_out(seat)
    }

    /// The time in the bank of a seat, as it has to be stored for another run of the program. In the
    /// [own turn](Self::own_turn), this is the bank at its beginning. `None` in a match without a clock.
    pub fn bank_to_store(&self, seat: Seat) -> Option<Duration> {
        self.core.bank_to_store(seat)
    }

    /// The step of the own turn, and the seconds since 1970 at which it was first shown, in a match whose
    /// seats can be removed: there the clock of a turn does not begin again after a restart. `None` if the
    /// player has nothing to choose.
    pub fn own_turn(&self) -> Option<(u64, u64)> {
        self.core.own_turn()
    }

    /// Restores the banks of all seats from an earlier run of the program, in order of the seats, and the
    /// [own turn](Self::own_turn).
    pub fn restore_banks(&mut self, banks: &[Duration], own_turn: Option<(u64, u64)>) {
        self.core.restore_banks(banks, own_turn);
    }
}
