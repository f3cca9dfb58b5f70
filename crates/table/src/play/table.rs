//! A seat of a match with threads of its own, for programs whose seats only play: the demo, benches and tests.
//! Messages of the peers and results of the engine arrive in one queue, in the order in which they happen.

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

    /// Executes a command of the player. [`Close`](Command::Close) is only checked, not executed.
    ///
    /// # Errors
    /// [`NotNow`]. The table is unchanged.
    pub fn command(&mut self, command: Command) -> Result<(), NotNow> {
        self.core.command(command)
    }

    /// The mailbox of the table.
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
        let mut closing = Vec::new();
        for (peer, attached) in std::mem::take(&mut self.attached) {
            self.core.lose_connection(peer);
            // A slow peer does not keep the others waiting.
            closing.push((peer, thread::spawn(|| attached.close())));
        }
        for (peer, thread) in closing {
            if thread.join().unwrap_or(false) {
                self.core.finish(peer);
            }
        }
        self.core.is_finished()
    }
}
