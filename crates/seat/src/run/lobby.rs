//! Players who have come to a door: those who have not said yet what they want, and those who were declined.

use std::time::Duration;

use dealerless_connection::{PolledConnection, Sockets, Stream};
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

/// The connections of players who have come to a door, and have no other use yet or any more.
pub(super) struct Lobby<S: Sockets> {
    /// The connections on which the first message has not arrived, the oldest first.
    silent: Vec<Until<S>>,
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
    /// probably lost it, so that each player takes at most one place.
    pub(super) fn admit(&mut self, line: PolledConnection<S>, now: Duration) {
        let peer = &line.met.peer;
        self.silent.retain(|(other, _)| other.met.peer != *peer);
        if self.silent.len() >= MOST {
            self.silent.remove(0);
        }
        self.silent.push((line, now + FIRST_MESSAGE));
    }

    /// Sends a last message, and closes the connection when the other side has it.
    pub(super) fn decline(
        &mut self,
        mut line: PolledConnection<S>,
        control: &Control,
        now: Duration,
    ) {
        let peer = &line.met.peer;
        self.leaving.retain(|(other, _)| other.met.peer != *peer);
        if self.leaving.len() >= MOST {
            self.leaving.remove(0);
        }
        if line.core.send(Stream::Control, &control.encode()).is_ok() {
            line.core.close();
            line.flush(now);
            self.sees_off(line, now);
        }
    }

    /// Keeps a connection on which the last message was sent, until the other side has it.
    pub(super) fn sees_off(&mut self, line: PolledConnection<S>, now: Duration) {
        self.leaving.push((line, now + GOODBYE));
    }

    /// Keeps a connection on which the last message was sent, until the other side closes it.
    pub(super) fn leave(&mut self, line: PolledConnection<S>) {
        self.leaving.push((line, Duration::MAX));
    }

    /// Closes the connections of all who have not said yet what they want.
    pub(super) fn clear(&mut self) {
        self.silent.clear();
    }

    /// Whether a socket belongs to a connection here.
    pub(super) fn has(&self, number: u32) -> bool {
        let mut lines = self.silent.iter().chain(&self.leaving);
        lines.any(|(line, _)| line.number() == number)
    }

    /// The connection with this number.
    pub(super) fn line(&mut self, number: u32) -> Option<&mut PolledConnection<S>> {
        let lines = self.silent.iter_mut().chain(&mut self.leaving);
        let mut lines = lines.map(|(line, _)| line);
        lines.find(|line| line.number() == number)
    }

    /// Does all that is due. Returns the players who have said what they want.
    pub(super) fn step(&mut self, now: Duration) -> Vec<(PolledConnection<S>, Control)> {
        let mut requests = Vec::new();
        for (mut line, until) in std::mem::take(&mut self.silent) {
            line.flush(now);
            match line.core.next_message() {
                Ok(None) if now < until => self.silent.push((line, until)),
                Ok(Some(message)) => {
                    if let Some(request) = request(&message) {
                        requests.push((line, request));
                    }
                }
                _ => {}
            }
        }
        self.leaving.retain_mut(|(line, until)| {
            line.flush(now);
            line.core.ended().is_none() && now < *until
        });
        requests
    }

    /// The time of the next timer.
    pub(super) fn timer(&self) -> Duration {
        let lines = self.silent.iter().chain(&self.leaving);
        let times = lines.map(|(line, until)| line.timer().min(*until));
        times.min().unwrap_or(Duration::MAX)
    }
}
