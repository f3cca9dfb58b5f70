//! A meeting as a state machine, its result, and the introductions of the players.
//!
//! The files of the two kinds of meetings describe each side as a chain of [`Step`]s. [`Meeting`]
//! takes the received bytes and the time, and returns the bytes to send. It uses no clock and no
//! socket.

use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::time::Duration;

use rand::CryptoRng;

use super::error::MeetingError;
use super::invite::{Invite, InviteId};
use super::noise::{Agreed, NotGenuine};
use super::prelude::Prelude;
use crate::identity::{BadIdentity, Identity, Name, PublicIdentity, Succession};
use crate::wire::{Reader, Writer};

/// The maximum length of the header of a match in bytes.
pub const MAX_HEADER: usize = 4096;
/// The maximum length of a meeting message in bytes.
pub(super) const MAX_MEETING_MESSAGE: usize = MAX_HEADER + 512 + Succession::PADDED;

/// The identity and the name that this side sends in a meeting.
#[derive(Clone)]
pub struct Credentials {
    /// The identity.
    pub identity: Arc<Identity>,
    /// The name.
    pub name: Name,
}

/// A side of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The player who invites.
    Host = 0,
    /// The player who is invited.
    Guest = 1,
}

/// What a meeting has established about the peer, whose keys have been verified.
pub struct Met {
    /// This side.
    pub side: Side,
    /// The keys of the peer.
    pub peer: PublicIdentity,
    /// The keys of the peer. If the players met by an invite, also the past keys that these keys
    /// have succeeded. Known peers do not exchange past keys.
    pub succession: Succession,
    /// The name that the peer chose.
    pub peer_name: Name,
    /// The hash of the Noise handshake. It is unique to this connection.
    pub handshake_hash: [u8; 32],
    /// The host's description of the match, encoded by the caller.
    pub header: Vec<u8>,
    /// The nonces of the host and of the guest, for a match that starts on this connection.
    pub nonces: [[u8; 32]; 2],
    /// The invite by which the players met. `None` for known peers.
    pub(super) invite: Option<InviteId>,
}

impl Met {
    /// Whether the players met by this invite.
    pub fn came_by(&self, invite: &Invite) -> bool {
        self.invite == Some(invite.secret.id())
    }
}

/// The result of a meeting, and the cipher of the connection. Only the messages of the meeting have
/// been exchanged so far.
pub(super) type Established = (Met, Agreed);

/// What the peer has shown so far in a meeting to authenticate itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Shown {
    /// Nothing.
    Nothing,
    /// The id or the secret of the link of a table. Many may hold the link.
    Link,
    /// The id of a valid one-time invite or the tag of a known peer. Both can be observed on the network
    /// and replayed.
    Prelude,
    /// A proof that it holds the secret of the one-time invite or the private key of the known peer.
    Secret,
}

/// A step of one side of a meeting: bytes to send, and what happens then.
pub(super) struct Step {
    send: Vec<u8>,
    next: Next,
    /// What the peer has shown by the step before, at least.
    shown: Shown,
}

/// Processes the bytes of an item.
type Then = Box<dyn FnOnce(&[u8]) -> Stepped + Send>;

/// The result of a step.
pub(super) type Stepped = Result<Step, MeetingError>;

enum Next {
    /// Wait for an item of the peer, and process its bytes.
    Wait(Item, Then),
    /// The meeting is over.
    Over(Box<Result<Established, MeetingError>>),
}

/// What one side waits for.
#[derive(Clone, Copy)]
enum Item {
    /// The prelude.
    Prelude,
    /// `u16 length | bytes`, with at most this number of bytes.
    Message(usize),
}

impl Item {
    /// The number of bytes that are missing after `bytes`. More may be missing after them.
    fn missing(self, bytes: &[u8]) -> Result<usize, MeetingError> {
        let len = match (self, bytes) {
            (Item::Prelude, _) => Prelude::len(bytes)
                .ok_or(MeetingError::Broken("invalid prelude or another version"))?,
            (Item::Message(max), [a, b, ..]) => {
                let len = usize::from(u16::from_le_bytes([*a, *b]));
                if len > max {
                    return Err(MeetingError::Broken("message too long"));
                }
                2 + len
            }
            (Item::Message(_), _) => 2,
        };
        Ok(len - bytes.len())
    }
}

impl Step {
    /// Waits for a prelude.
    pub(super) fn prelude(then: impl FnOnce(Prelude) -> Stepped + Send + 'static) -> Self {
        let decoded = |bytes: &[u8]| then(Prelude::decode(bytes));
        Step {
            send: Vec::new(),
            next: Next::Wait(Item::Prelude, Box::new(decoded)),
            shown: Shown::Nothing,
        }
    }

    /// Sends bytes, and waits for a message of at most `max` bytes.
    pub(super) fn exchange(
        send: Vec<u8>,
        max: usize,
        then: impl FnOnce(&[u8]) -> Stepped + Send + 'static,
    ) -> Self {
        let contents = |bytes: &[u8]| then(&bytes[2..]);
        Step {
            send,
            next: Next::Wait(Item::Message(max), Box::new(contents)),
            shown: Shown::Prelude,
        }
    }

    /// The same step, after the peer has shown this.
    pub(super) fn shows(self, shown: Shown) -> Self {
        Step { shown, ..self }
    }

    /// Sends the last bytes of the meeting.
    pub(super) fn over(send: Vec<u8>, result: Result<Established, MeetingError>) -> Self {
        Step {
            send,
            next: Next::Over(Box::new(result)),
            shown: Shown::Secret,
        }
    }
}

/// One side of a meeting.
pub(super) struct Meeting {
    next: Option<Next>,
    shown: Shown,
    /// The received bytes of the current item.
    received: Vec<u8>,
    outgoing: Vec<u8>,
    /// Whether this side is a guest that has received nothing yet.
    unanswered: bool,
    /// The deadlines of the prelude and of all messages.
    deadlines: [Duration; 2],
}

impl Meeting {
    /// The side of a guest.
    pub(super) fn guest(first: Step, deadline: Duration) -> Self {
        let mut meeting = Self::host(first, [deadline; 2]);
        meeting.unanswered = true;
        meeting
    }

    /// The side of a host. `deadlines` are those of the prelude and of the whole meeting.
    pub(super) fn host(first: Step, deadlines: [Duration; 2]) -> Self {
        Meeting {
            outgoing: first.send,
            next: Some(first.next),
            shown: first.shown,
            received: Vec::new(),
            unanswered: false,
            deadlines,
        }
    }

    /// What the peer has shown so far.
    pub(super) fn shown(&self) -> Shown {
        self.shown
    }

    /// The time at which the meeting fails, unless it makes progress.
    pub(super) fn deadline(&self) -> Duration {
        let [prelude, all] = self.deadlines;
        match self.next {
            Some(Next::Wait(Item::Prelude, _)) => prelude,
            _ => all,
        }
    }

    /// Changes the deadline of the whole meeting.
    pub(super) fn end_by(&mut self, deadline: Duration) {
        self.deadlines[1] = deadline;
    }

    /// The bytes to send now.
    pub(super) fn outgoing(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.outgoing)
    }

    /// The number of bytes to receive next. More may be needed after them.
    pub(super) fn missing(&self) -> usize {
        match &self.next {
            Some(Next::Wait(item, _)) => item.missing(&self.received).unwrap_or(0),
            _ => 0,
        }
    }

    /// Removes bytes from the front of `bytes` and processes them. Returns the result of the
    /// meeting when it is over. The remaining bytes are then the first ones of the connection.
    ///
    /// # Errors
    /// The meeting has failed. [`outgoing`](Self::outgoing) may still have bytes for the peer.
    pub(super) fn received(
        &mut self,
        bytes: &mut &[u8],
        now: Duration,
    ) -> Result<Option<Established>, MeetingError> {
        if now >= self.deadline() {
            return Err(self.failed(ErrorKind::TimedOut.into()));
        }
        loop {
            let (item, then) = match self.next.take() {
                Some(Next::Wait(item, then)) => (item, then),
                Some(Next::Over(result)) => return (*result).map(Some),
                None => return Ok(None),
            };
            let missing = item.missing(&self.received)?;
            if missing == 0 {
                self.unanswered = false;
                let step = then(&std::mem::take(&mut self.received))?;
                self.outgoing.extend(step.send);
                self.next = Some(step.next);
                self.shown = self.shown.max(step.shown);
                continue;
            }
            self.next = Some(Next::Wait(item, then));
            if bytes.is_empty() {
                return Ok(None);
            }
            let (taken, rest) = bytes.split_at(missing.min(bytes.len()));
            self.received.extend_from_slice(taken);
            *bytes = rest;
        }
    }

    /// The error of a meeting in which no more bytes are received because of `error`.
    pub(super) fn failed(&self, error: io::Error) -> MeetingError {
        match error.kind() {
            ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset | ErrorKind::TimedOut
                if self.unanswered =>
            {
                MeetingError::NotAnswered
            }
            _ => MeetingError::Connection(error),
        }
    }
}

/// Encodes the identity, the name and the past identities of this side.
pub(super) fn introduction(own: &Credentials) -> Vec<u8> {
    let mut writer = Writer::default();
    writer.raw(&own.identity.public().encode());
    writer.string(own.name.as_str().as_bytes());
    writer.raw(&own.identity.succession().padded()).finish()
}

/// Decodes the peer's [`introduction`] and checks that it belongs to `key`, the X25519 key that the
/// peer has used in the handshake.
pub(super) fn introduced(
    reader: &mut Reader,
    key: &[u8; 32],
    own: &Credentials,
) -> Result<(Succession, Name), MeetingError> {
    let peer = PublicIdentity::decode(reader.raw(PublicIdentity::LEN)?)?;
    if peer.shares_a_key_with(own.identity.public()) {
        return Err(MeetingError::Oneself);
    }
    if peer.x25519() != key {
        return Err(BadIdentity::Proof.into());
    }
    let name = name(reader)?;
    let past = reader.raw(Succession::PADDED)?;
    Ok((Succession::of_padded(past, peer)?, name))
}

pub(super) fn name(reader: &mut Reader) -> Result<Name, MeetingError> {
    let name = reader.string(Name::MAX_BYTES)?;
    Ok(Name::decode(name)?)
}

pub(super) fn nonce(rng: &mut impl CryptoRng) -> [u8; 32] {
    let mut nonce = [0; 32];
    rng.fill_bytes(&mut nonce);
    nonce
}

/// Encodes `u16 length | bytes`.
pub(super) fn with_length(bytes: &[u8]) -> Vec<u8> {
    let len = u16::try_from(bytes.len()).expect("meeting messages are short");
    [&len.to_le_bytes(), bytes].concat()
}

impl Agreed {
    /// Encrypts the next message of the meeting as a frame.
    pub(super) fn seal(&mut self, plain: &[u8]) -> Vec<u8> {
        let mut frame = Vec::new();
        self.sealer.seal(plain, &mut frame);
        frame
    }

    /// Decrypts the next message of the meeting. If it is not genuine, it was changed on its way: the
    /// peer's program seals no such message.
    pub(super) fn open(&mut self, frame: &[u8]) -> Result<Vec<u8>, MeetingError> {
        let opened = self.opener.open_alone(frame);
        opened.map_err(|NotGenuine| {
            let why = "a message was changed on its way";
            MeetingError::Connection(io::Error::new(ErrorKind::InvalidData, why))
        })
    }
}
