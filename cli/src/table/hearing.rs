//! A host's door, and those who have come in and have not said yet what they want. All are listened to
//! at once, so nobody who is silent keeps another waiting.

use std::io;
use std::time::{Duration, Instant};

use dealerless_table::connection::{Connection, ConnectionError, Door, DoorEvent, Message, Stream};
use dealerless_table::identity::{Fingerprint, PublicIdentity};
use dealerless_table::play::Control;

use super::sit;

/// Timeout for a guest's first message: its player reads the terms first.
const FIRST_WORD: Duration = Duration::from_secs(600);
/// How long somebody who was turned away may take to hear it.
const GOODBYE: Duration = Duration::from_secs(2);
/// The most lines that are listened to. With one more, the oldest is dropped.
const MOST: usize = 16;
/// Between two looks at the lines, while there are any.
const LOOK: Duration = Duration::from_millis(2);

/// Listens to whoever comes in by a door.
pub(crate) struct Hearing {
    door: Door,
    /// One for each peer, the oldest first.
    silent: Vec<Silent>,
    /// Those who were turned away, and until when they may hear it.
    leaving: Vec<(Box<Connection>, Instant)>,
}

/// A line on which nothing was said yet.
struct Silent {
    connection: Box<Connection>,
    warning: Option<String>,
    until: Instant,
}

/// What happens at the door.
pub(crate) enum Comes {
    /// Somebody is there who has said nothing yet. Dropped, the line is closed.
    In(Box<Connection>),
    /// Somebody who is [listened to](Hearing::listen) says what it wants. The text is what this
    /// side's player is to know of it.
    Says(Box<Connection>, Control, Option<String>),
    /// Somebody who was listened to is gone.
    Goes(Box<Connection>, ConnectionError),
    /// Somebody else came with an invite that was used.
    Leaked(Fingerprint),
    /// Somebody came with an invite, and the file of invites cannot be written.
    CannotBurn(io::Error),
}

impl Hearing {
    pub(crate) fn new(door: Door) -> Self {
        Hearing {
            door,
            silent: Vec::new(),
            leaving: Vec::new(),
        }
    }

    pub(crate) fn door(&self) -> &Door {
        &self.door
    }

    /// Waits for what happens next; none if nothing did.
    pub(crate) fn next(&mut self, within: Duration) -> Option<Comes> {
        let deadline = Instant::now() + within;
        loop {
            self.leaving.retain(|(connection, until)| {
                connection.ended().is_none() && Instant::now() < *until
            });
            if let Some(comes) = self.first_word() {
                return Some(comes);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            let nobody = self.silent.is_empty() && self.leaving.is_empty();
            match self.door.next(if nobody { left } else { left.min(LOOK) }) {
                Some(DoorEvent::Connection(connection)) => return Some(Comes::In(connection)),
                Some(DoorEvent::InviteLeaked { second }) => return Some(Comes::Leaked(second)),
                Some(DoorEvent::CannotBurn(error)) => return Some(Comes::CannotBurn(error)),
                None if left.is_zero() => return None,
                None => {}
            }
        }
    }

    /// Listens to somebody until it says what it wants. An older line of the same peer is closed:
    /// whoever has lost a line comes anew, and nobody takes more than one place.
    pub(crate) fn listen(&mut self, connection: Box<Connection>, warning: Option<String>) {
        self.silent
            .retain(|silent| silent.connection.peer != connection.peer);
        if self.silent.len() >= MOST {
            self.silent.remove(0);
        }
        let until = Instant::now() + FIRST_WORD;
        self.silent.push(Silent {
            connection,
            warning,
            until,
        });
    }

    /// Tells somebody that it will not do, and hangs up, without waiting for it.
    pub(crate) fn decline(&mut self, connection: Box<Connection>, control: Control) {
        if sit::say(&connection, control).is_err() {
            return;
        }
        connection.close(Duration::ZERO);
        (self.leaving).retain(|(leaving, _)| leaving.peer != connection.peer);
        if self.leaving.len() >= MOST {
            self.leaving.remove(0);
        }
        self.leaving.push((connection, Instant::now() + GOODBYE));
    }

    /// Declines all peers that have said nothing yet, except this one.
    pub(crate) fn decline_others(&mut self, peer: &PublicIdentity, control: Control) {
        let all = std::mem::take(&mut self.silent).into_iter();
        let (stay, go) = all.partition(|silent| silent.connection.peer == *peer);
        self.silent = stay;
        let go: Vec<Silent> = go;
        go.into_iter()
            .for_each(|silent| self.decline(silent.connection, control));
    }

    /// The first word of somebody who has said one, or the end of a line that has none to say.
    fn first_word(&mut self) -> Option<Comes> {
        for place in 0..self.silent.len() {
            let silent = &self.silent[place];
            let said = match silent.connection.recv(Duration::ZERO) {
                Err(ConnectionError::TimedOut) if Instant::now() < silent.until => continue,
                said => said.and_then(|message| wanted(&message)),
            };
            let Silent {
                connection,
                warning,
                ..
            } = self.silent.remove(place);
            return Some(match said {
                Ok(control) => Comes::Says(connection, control, warning),
                Err(error) => Comes::Goes(connection, error),
            });
        }
        None
    }
}

/// What a guest says first, if it begins a match or an audit, or goes on with one.
fn wanted(message: &Message) -> Result<Control, ConnectionError> {
    match (message.stream, Control::decode(&message.bytes)) {
        (
            Stream::Control,
            Some(
                control @ (Control::Sit
                | Control::Resume(_)
                | Control::Audit(_)
                | Control::Declines(_)),
            ),
        ) => Ok(control),
        _ => Err(ConnectionError::Broken(
            "something else than that it sits down",
        )),
    }
}
