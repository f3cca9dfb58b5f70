//! Players who have come to a door: those who have not said yet what they want, and those who were declined.

use std::time::Duration;

use dealerless_connection::{ConnectionError, PolledConnection, Sockets, Stream};
use dealerless_table::play::Control;

use super::finding::request;

/// Timeout for the first message of a player who has come. It is long because a guest's player may be
/// reading the terms of another match.
const FIRST_MESSAGE: Duration = Duration::from_secs(600);
/// Timeout for a declined player to receive the reason.
const GOODBYE: Duration = Duration::from_secs(2);
/// The maximum number of silent connections, and of leaving ones. A new connection replaces the oldest one.
const MOST: usize = 16;

/// A connection, and its deadline.
type Until<S> = (PolledConnection<S>, Duration);

/// A player who has not said yet what it wants.
struct Silent<S: Sockets> {
    connection: PolledConnection<S>,
    until: Duration,
    warning: Option<String>,
}

/// What a player wants who has come to a door.
pub(super) struct Arrived<S: Sockets> {
    pub(super) connection: PolledConnection<S>,
    /// The request, or why there is none: the connection has ended, or the first message is invalid.
    pub(super) request: Result<Control, ConnectionError>,
    /// What the own player is told if this one sits down.
    pub(super) warning: Option<String>,
}

/// The connections of players who have come to a door, and have no other use yet or any more.
pub(super) struct Lobby<S: Sockets> {
    /// The connections on which the first message has not arrived, the oldest first.
    silent: Vec<Silent<S>>,
    /// The connections on which the last message was sent.
    leaving: Vec<Until<S>>,
}

impl<S: Sockets> Lobby<S> {
    /// An empty lobby.
    pub(super) fn new() -> Self {
        Lobby {
            silent: Vec::new(),
            leaving: Vec::new(),
        }
    }

    /// Waits for the request of a player who has come. Closes an older connection of the same player, who has
    /// probably lost it, so that each player takes at most one place. `warning` is what the own player is told if this
    /// one sits down.
    pub(super) fn admit(
        &mut self,
        connection: PolledConnection<S>,
        warning: Option<String>,
        now: Duration,
    ) {
        let peer = &connection.met.peer;
        self.silent
            .retain(|other| other.connection.met.peer != *peer);
        if self.silent.len() >= MOST {
            self.silent.remove(0);
        }
        self.silent.push(Silent {
            connection,
            until: now + FIRST_MESSAGE,
            warning,
        });
    }

    /// Closes the connections of this kind on which the first message has not arrived.
    pub(super) fn drop_silent(&mut self, is_it: impl Fn(&PolledConnection<S>) -> bool) {
        self.silent.retain(|silent| !is_it(&silent.connection));
    }

    /// Takes the connections of all who have not said yet what they want.
    pub(super) fn take_silent(&mut self) -> Vec<PolledConnection<S>> {
        let silent = std::mem::take(&mut self.silent).into_iter();
        silent.map(|silent| silent.connection).collect()
    }

    /// Sends a last message, and closes the connection when the other side has it.
    pub(super) fn decline(
        &mut self,
        mut connection: PolledConnection<S>,
        control: &Control,
        now: Duration,
    ) {
        let peer = &connection.met.peer;
        self.leaving.retain(|(other, _)| other.met.peer != *peer);
        if self.leaving.len() >= MOST {
            self.leaving.remove(0);
        }
        if connection
            .core
            .send(Stream::Control, &control.encode())
            .is_ok()
        {
            connection.core.close();
            connection.flush(now);
            self.sees_off(connection, now);
        }
    }

    /// Keeps a connection on which the last message was sent, until the other side has it.
    pub(super) fn sees_off(&mut self, connection: PolledConnection<S>, now: Duration) {
        self.leaving.push((connection, now + GOODBYE));
    }

    /// Keeps a connection on which the last message was sent, until the other side closes it.
    pub(super) fn leave(&mut self, connection: PolledConnection<S>) {
        self.leaving.push((connection, Duration::MAX));
    }

    /// Closes the connections of all who have not said yet what they want.
    pub(super) fn clear(&mut self) {
        self.silent.clear();
    }

    /// Whether a socket belongs to a connection here.
    pub(super) fn has(&self, number: u32) -> bool {
        let silent = self.silent.iter().map(|silent| &silent.connection);
        let mut connections = silent.chain(self.leaving.iter().map(|(connection, _)| connection));
        connections.any(|connection| connection.number() == number)
    }

    /// The connection with this number.
    pub(super) fn connection(&mut self, number: u32) -> Option<&mut PolledConnection<S>> {
        let silent = self.silent.iter_mut().map(|silent| &mut silent.connection);
        let mut connections =
            silent.chain(self.leaving.iter_mut().map(|(connection, _)| connection));
        connections.find(|connection| connection.number() == number)
    }

    /// Does all that is due, but lets the players wait who have said what they want.
    pub(super) fn keep_waiting(&mut self, now: Duration) {
        self.see_off(now);
        self.silent.retain_mut(|silent| {
            silent.connection.flush(now);
            now < silent.until
        });
    }

    fn see_off(&mut self, now: Duration) {
        self.leaving.retain_mut(|(connection, until)| {
            connection.flush(now);
            connection.core.ended().is_none() && now < *until
        });
    }

    /// Does all that is due. Returns a player who has said what it wants, or has left. The caller calls this again until
    /// there is none.
    pub(super) fn step(&mut self, now: Duration) -> Option<Arrived<S>> {
        self.see_off(now);
        for place in 0..self.silent.len() {
            let silent = &mut self.silent[place];
            silent.connection.flush(now);
            let request = match silent.connection.core.next_message() {
                Ok(None) if now < silent.until => continue,
                Ok(None) => Err(ConnectionError::TimedOut),
                Ok(Some(message)) => request(&message).ok_or(ConnectionError::Broken(
                    "a first message that is not a request",
                )),
                Err(why) => Err(why),
            };
            let Silent {
                connection,
                warning,
                ..
            } = self.silent.remove(place);
            return Some(Arrived {
                connection,
                request,
                warning,
            });
        }
        None
    }

    /// The time of the next timer.
    pub(super) fn timer(&self) -> Duration {
        let silent = self
            .silent
            .iter()
            .map(|silent| (&silent.connection, silent.until));
        let leaving = self
            .leaving
            .iter()
            .map(|(connection, until)| (connection, *until));
        let times = silent.chain(leaving);
        let times = times.map(|(connection, until)| connection.timer().min(until));
        times.min().unwrap_or(Duration::MAX)
    }
}
