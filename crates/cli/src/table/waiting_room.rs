//! A host's door, and the peers that have connected but have not sent their first message. All
//! these peers are polled together, so a silent peer does not keep the other peers waiting. When a match begins,
//! [`WaitingRoom::into_finder`] passes the door and the peers to its seat.

use std::io;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use dealerless::net::system_time;
use dealerless_connection::{
    Connection, ConnectionError, Door, DoorEvent, Message, SpokenCode, SpokenError, Stream,
};
use dealerless_native::Native;
use dealerless_seat::peers::Leaks;
use dealerless_seat::run::{Finder, Reception, SeatWorld as _, notice};
use dealerless_table::play::Control;

use super::sit;

/// Timeout for a guest's first message. It is long because the guest's player reads the terms.
const FIRST_MESSAGE: Duration = Duration::from_secs(600);
/// Timeout for a declined peer to receive the reason.
const GOODBYE: Duration = Duration::from_secs(2);
/// The maximum number of silent connections, and of leaving ones. A new connection replaces the
/// oldest one.
const MOST: usize = 16;
/// Poll interval while there are waiting connections.
const POLL: Duration = Duration::from_millis(2);

/// Reads the first message of each peer that connects at a door.
pub(crate) struct WaitingRoom {
    door: Door,
    /// The waiting connections, one for each peer, the oldest first.
    silent: Vec<Silent>,
    /// The declined connections, each with the time at which it is dropped.
    leaving: Vec<(Box<Connection>, Instant)>,
    leaks: Leaks,
}

/// A connection on which the first message has not arrived.
struct Silent {
    connection: Box<Connection>,
    warning: Option<String>,
    until: Instant,
}

/// An event at the door.
pub(crate) enum RoomEvent {
    /// A peer has connected. Dropping the connection closes it.
    Connected(Box<Connection>),
    /// A peer that [waits](WaitingRoom::admit) has sent its request. The text is a notice about the
    /// peer for this side's player.
    Request(Box<Connection>, Control, Option<String>),
    /// A waiting peer has disconnected.
    Gone(Box<Connection>, ConnectionError),
    /// Another peer has used the same invite. The text is a notice about it for this side's player.
    Leaked(String),
    /// A peer has come with an invite, but the file of invites cannot be written.
    CannotBurn(io::Error),
    /// A code is void and its invite has reached nobody, or no new code is given yet. If the flag is set, no
    /// new code follows.
    CodeVoid(SpokenError, bool),
    /// A new code for an invite of this host.
    NewCode(SpokenCode),
}

impl WaitingRoom {
    pub(crate) fn new(door: Door) -> Self {
        WaitingRoom {
            door,
            silent: Vec::new(),
            leaving: Vec::new(),
            leaks: Leaks::default(),
        }
    }

    pub(crate) fn door(&self) -> &Door {
        &self.door
    }

    /// Waits for the next event, or returns `None` after the timeout `within`.
    pub(crate) fn next(&mut self, within: Duration) -> Option<RoomEvent> {
        let deadline = Instant::now() + within;
        loop {
            self.leaving.retain(|(connection, until)| {
                connection.ended().is_none() && Instant::now() < *until
            });
            if let Some(event) = self.first_message() {
                return Some(event);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            let nobody = self.silent.is_empty() && self.leaving.is_empty();
            match self.door.next(if nobody { left } else { left.min(POLL) }) {
                Some(DoorEvent::Connection(connection)) => {
                    return Some(RoomEvent::Connected(connection));
                }
                Some(DoorEvent::InviteLeaked { invite, second }) => {
                    if let Some(text) = self.leaks.notice(invite, &second) {
                        return Some(RoomEvent::Leaked(text));
                    }
                }
                Some(DoorEvent::CannotBurn(error)) => return Some(RoomEvent::CannotBurn(error)),
                Some(DoorEvent::CodeVoid { why, is_last, .. }) => {
                    return Some(RoomEvent::CodeVoid(why, is_last));
                }
                Some(DoorEvent::NewCode { code, .. }) => return Some(RoomEvent::NewCode(code)),
                // The addresses of the host may still lead here.
                Some(DoorEvent::RelayFails { .. }) => {}
                None if left.is_zero() => return None,
                None => {}
            }
        }
    }

    /// Waits for the first message on a connection. Closes an older connection of the same peer,
    /// which has probably lost it, so that each peer takes at most one place.
    pub(crate) fn admit(&mut self, connection: Box<Connection>, warning: Option<String>) {
        self.silent
            .retain(|silent| silent.connection.met.peer != connection.met.peer);
        if self.silent.len() >= MOST {
            self.silent.remove(0);
        }
        let until = Instant::now() + FIRST_MESSAGE;
        self.silent.push(Silent {
            connection,
            warning,
            until,
        });
    }

    /// Sends a refusal to a peer and closes the connection, without blocking.
    pub(crate) fn decline(&mut self, connection: Box<Connection>, control: Control) {
        if sit::send(&connection, control).is_err() {
            return;
        }
        connection.close(Duration::ZERO);
        (self.leaving).retain(|(leaving, _)| leaving.met.peer != connection.met.peer);
        if self.leaving.len() >= MOST {
            self.leaving.remove(0);
        }
        self.leaving.push((connection, Instant::now() + GOODBYE));
    }

    /// Gives the door and all who are there to the finder of a match, which answers them from now on.
    pub(crate) fn into_finder(self, world: &Native, finder: Finder<Native>) -> Finder<Native> {
        self.door.end_codes();
        let leaks = Arc::new(Mutex::new(self.leaks));
        let (door, events) = self.door.into_polled();
        let arrived: Vec<_> = (events.into_iter())
            .filter_map(|event| match event {
                DoorEvent::Connection(connection) => Some(connection),
                event => {
                    let notice = notice(event, &leaks, false);
                    notice.iter().for_each(|notice| world.report(notice));
                    None
                }
            })
            .collect();
        let mut finder = match door {
            Some(door) => finder.waiting(Reception::of_door(world, door, leaks)),
            None => finder,
        };
        let silent = self.silent.into_iter().map(|silent| silent.connection);
        let now = system_time();
        for line in silent.chain(arrived).filter_map(|line| line.into_polled()) {
            finder.admit(line, now);
        }
        let leaving = self.leaving.into_iter().map(|(line, _)| line.into_polled());
        leaving
            .flatten()
            .for_each(|line| finder.sees_off(line, now));
        finder
    }

    /// The request of a waiting peer, or the end of its connection, if one has arrived.
    fn first_message(&mut self) -> Option<RoomEvent> {
        for place in 0..self.silent.len() {
            let silent = &self.silent[place];
            let received = match silent.connection.recv(Duration::ZERO) {
                Err(ConnectionError::TimedOut) if Instant::now() < silent.until => continue,
                received => received.and_then(|message| request(&message)),
            };
            let Silent {
                connection,
                warning,
                ..
            } = self.silent.remove(place);
            return Some(match received {
                Ok(control) => RoomEvent::Request(connection, control, warning),
                Err(error) => RoomEvent::Gone(connection, error),
            });
        }
        None
    }
}

/// Parses the first message of a guest: a request to begin, resume or audit a match, the answer
/// that the guest declines the match, or the report that others have continued a match.
fn request(message: &Message) -> Result<Control, ConnectionError> {
    match (message.stream, Control::decode(&message.bytes)) {
        (
            Stream::Control,
            Some(
                control @ (Control::Sit
                | Control::Resume(_)
                | Control::Audit(_)
                | Control::WentOn(..)
                | Control::Declines(_)),
            ),
        ) => Ok(control),
        _ => Err(ConnectionError::Broken(
            "a first message that is not a request",
        )),
    }
}
