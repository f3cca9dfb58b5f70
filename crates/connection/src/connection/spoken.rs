//! How a code that can be spoken becomes an invite: [CPace](super::cpace) in a room of a relay, as a state
//! machine without threads, clock and sockets.
//!
//! ```text
//! host  -> relay  please open a code as KEY
//! relay -> host   code N
//! guest -> relay  please use code N
//! relay -> both   ok                       from here, the relay forwards bytes
//! host  -> guest  session, X               16 + 32 bytes
//! guest -> host   Y, confirmation          32 + 32 bytes
//! host  -> guest  1, encrypted invite      1 + 2576 bytes; or 0: the code is wrong
//! ```
//!
//! | step | source |
//! |---|---|
//! | X and Y are the shares of CPace, with the host as the initiator and the guest as the responder | draft-irtf-cfrg-cpace-21, section 7 |
//! | the channel identifier names the version and N, the associated data name the roles | the same, section 10.1 |
//! | the session identifier is random, and sent by the initiator | the same, section 4.1 |
//! | key confirmation, first by the guest: a hash of the session key, which depends on the whole transcript | the same, *Key confirmation*; the hash is `Hash` (BLAKE3 in key-derivation mode) |
//! | the encrypted invite confirms the host's key | RFC 8439: ChaCha20-Poly1305 under a key for this message alone |
//!
//! A guest commits to one guess with its confirmation before it receives anything by which a guess can
//! be tested. An attacker in the place of the host also gets one guess, from the guest's
//! confirmation. The relay gives a room to one guest at a time, and a [`SpokenExchange`] is one exchange. The
//! host may open the code again after it, with `please open code N as KEY`: each exchange is one more guess at
//! its words. The padded invite always has the same length.
//!
//! Words, scalars, keys and the invite are wiped.

use std::io::{self, ErrorKind};
use std::mem;
use std::time::Duration;

use chacha20poly1305::aead::AeadInPlace;
use chacha20poly1305::{ChaCha20Poly1305, KeyInit, Nonce, Tag};
use rand::CryptoRng;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use super::cpace::{self, Context, Party, SHARE};
use super::invite::Invite;
use super::relay_request::{not_a_relay, refused};
use super::spoken_code::{CodeWords, SpokenCode, room_number};
use crate::hash::{Hash, hex};

/// The version of the exchange.
const VERSION: u32 = 2;
/// The length of the session identifier.
const SESSION: usize = 16;
const CONFIRMATION: usize = 32;
/// The length of the padded invite, more than that of the longest invite.
const PADDED: usize = 2560;
const TAG: usize = 16;
/// The maximum length of a line of the relay.
const MAX_LINE: usize = 64;

/// What shows a relay that a host has opened a code before. The host draws it.
pub type CodeKey = [u8; 16];

const WRONG: u8 = 0;
const RIGHT: u8 = 1;

/// One side of the exchange of an invite by a code.
pub struct SpokenExchange {
    state: State,
    /// The received bytes of the current item.
    received: Vec<u8>,
    outgoing: Vec<u8>,
    deadline: Duration,
}

/// What the exchange waits for.
enum State {
    /// The host: the relay's line with the number of the room.
    Number(Opens, PaddedInvite),
    /// The host: the relay's line that a guest has come.
    Guest(SpokenCode, PaddedInvite),
    /// The host: the guest's share and confirmation.
    Guess(Started, PaddedInvite),
    /// The guest: the relay's line that the host is there.
    Room(SpokenCode),
    /// The guest: the host's session identifier and share.
    Share(SpokenCode),
    /// The guest: the host's answer.
    Answer(Keys),
    Over,
}

/// Which code a host opens.
enum Opens {
    New(CodeWords),
    Again(SpokenCode),
}

pub(super) type PaddedInvite = Zeroizing<Vec<u8>>;

/// The result of a complete exchange.
#[derive(Debug)]
pub enum Exchanged {
    /// The host has sent its invite to a guest that knows the code.
    Sent,
    /// The guest has received the host's invite.
    Received(Invite),
}

/// The exchange of an invite by a code failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpokenError {
    /// The relay knows no codes.
    #[error("this relay offers no codes")]
    NotOffered,
    /// The host: no guest has used the code in time.
    #[error("the code has expired")]
    Expired,
    /// The host: a client used the number of the code, and left without a guess.
    #[error("somebody used the number of the code and left: the code is void")]
    Left,
    /// The host: a guest has used other words.
    #[error(
        "somebody entered a wrong code or tried to guess it: the code is void, the invite stays valid"
    )]
    Guessed,
    /// The guest: the relay has no such room.
    #[error("no host waits with this code: check it, or ask the host for a new one")]
    NoSuchCode,
    /// The guest: the relay takes no more codes now, of this address or of all.
    #[error("too many codes were tried at this relay: try again in a minute")]
    TooMany,
    /// The guest: the host has other words.
    #[error("the code is wrong, and is void now: ask the host for a new one")]
    Wrong,
    /// The answer was not made by a host that knows the code.
    #[error(
        "the answer is not from the host of this code: somebody is intercepting the connection; ask for a new code"
    )]
    WrongHost,
    /// The host knows the code, and has sent something else than an invite.
    #[error("the host of this code sent an invalid invite: ask for a new code")]
    Invite,
    /// The host: its relay gives no code in place of a void one. The host asks again.
    #[error("the relay gives no new code now: this program asks it again")]
    NoNewCode(#[source] io::Error),
    /// The relay cannot be reached or violates its protocol, or the other player has left.
    #[error("the connection to the relay of the code failed, or the other player left")]
    Relay(#[source] io::Error),
}

impl SpokenExchange {
    /// The time limit for an answer of the relay, and for all messages once the players are paired.
    pub const WITHIN: Duration = Duration::from_secs(20);
    /// The time limit of a guest until it is paired. The relay lets it wait for 20 s for a host that opens its
    /// code again.
    pub const UNTIL_PAIRED: Duration = Duration::from_secs(30);
    /// The time for which a code is valid. The relay ends it a minute later.
    pub const LIFETIME: Duration = Duration::from_secs(59 * 60);

    /// A host that waits with a new code of this number of words, to send this invite.
    pub fn as_host(invite: &Invite, words: CodeWords, key: &CodeKey, now: Duration) -> Self {
        Self::as_host_with(padded(invite), words, key, now)
    }

    /// A host that sends these bytes as its padded invite.
    pub(super) fn as_host_with(
        invite: PaddedInvite,
        words: CodeWords,
        key: &CodeKey,
        now: Duration,
    ) -> Self {
        let request = format!("please open a code as {}\n", hex(key));
        let state = State::Number(Opens::New(words), invite);
        Self::new(state, request, now + Self::WITHIN)
    }

    /// A host that waits again with a code that it has opened with this key.
    pub fn as_host_again(invite: &Invite, code: SpokenCode, key: &CodeKey, now: Duration) -> Self {
        let request = format!("please open code {} as {}\n", code.number(), hex(key));
        let state = State::Number(Opens::Again(code), padded(invite));
        Self::new(state, request, now + Self::WITHIN)
    }

    /// A guest that uses a code.
    pub fn as_guest(code: SpokenCode, now: Duration) -> Self {
        let request = format!("please use code {}\n", code.number());
        Self::new(State::Room(code), request, now + Self::UNTIL_PAIRED)
    }

    fn new(state: State, request: String, deadline: Duration) -> Self {
        SpokenExchange {
            state,
            received: Vec::new(),
            outgoing: request.into_bytes(),
            deadline,
        }
    }

    /// Whether the relay has opened the code of the host, as long as the exchange has not failed.
    pub(super) fn is_open(&self) -> bool {
        !matches!(self.state, State::Number(..))
    }

    /// The code of the host, while it waits for a guest.
    pub fn code(&self) -> Option<&SpokenCode> {
        match &self.state {
            State::Guest(code, _) => Some(code),
            _ => None,
        }
    }

    /// The bytes to send now.
    pub fn outgoing(&mut self) -> Vec<u8> {
        mem::take(&mut self.outgoing)
    }

    /// The time at which the exchange fails, unless it makes progress.
    pub fn deadline(&self) -> Duration {
        self.deadline
    }

    /// The error of the exchange after an error of its connection, or [`ErrorKind::TimedOut`] at its
    /// deadline.
    pub fn failed(&self, error: io::Error) -> SpokenError {
        match &self.state {
            State::Guest(..) if error.kind() == ErrorKind::TimedOut => SpokenError::Expired,
            State::Guess(..) if self.received.len() >= SHARE => SpokenError::Guessed,
            State::Guess(..) => SpokenError::Left,
            _ => SpokenError::Relay(error),
        }
    }

    /// Processes received bytes. Returns the result when the exchange is over.
    ///
    /// # Errors
    /// The exchange has failed. [`outgoing`](Self::outgoing) may still have bytes for the guest.
    pub fn received(
        &mut self,
        mut bytes: &[u8],
        now: Duration,
        rng: &mut impl CryptoRng,
    ) -> Result<Option<Exchanged>, SpokenError> {
        if now >= self.deadline {
            return Err(self.failed(ErrorKind::TimedOut.into()));
        }
        loop {
            let missing = self.missing()?;
            if missing > 0 {
                if bytes.is_empty() {
                    return Ok(None);
                }
                let (taken, rest) = bytes.split_at(missing.min(bytes.len()));
                self.received.extend_from_slice(taken);
                bytes = rest;
                continue;
            }
            let item = mem::take(&mut self.received);
            match mem::replace(&mut self.state, State::Over) {
                State::Over => return Ok(None),
                State::Number(opens, invite) => {
                    let number = number(&item)?;
                    let code = match opens {
                        // Otherwise the relay could make a guess before the player knows that there is a code.
                        Opens::New(words) if bytes.is_empty() => {
                            SpokenCode::new(number, words, rng)
                        }
                        Opens::Again(code) if code.number() == number => code,
                        _ => return Err(SpokenError::Relay(not_a_relay())),
                    };
                    self.deadline = now + Self::LIFETIME;
                    self.state = State::Guest(code, invite);
                }
                State::Guest(code, invite) => {
                    paired(&item)?;
                    self.deadline = now + Self::WITHIN;
                    let mut session = [0; SESSION];
                    rng.fill_bytes(&mut session);
                    let started = Started::new(&code, session, Party::Initiator, rng);
                    self.outgoing.extend(session);
                    self.outgoing.extend(started.cpace.share);
                    self.state = State::Guess(started, invite);
                }
                State::Guess(started, invite) => return self.answer(started, &invite, &item),
                State::Room(code) => {
                    paired(&item)?;
                    self.deadline = now + Self::WITHIN;
                    self.state = State::Share(code);
                }
                State::Share(code) => {
                    let (session, theirs) =
                        item.split_first_chunk().ok_or(SpokenError::WrongHost)?;
                    let started = Started::new(&code, *session, Party::Responder, rng);
                    let share = started.cpace.share;
                    let keys = started.finish(theirs).ok_or(SpokenError::WrongHost)?;
                    self.outgoing.extend(share);
                    self.outgoing.extend(keys.confirmation);
                    self.state = State::Answer(keys);
                }
                State::Answer(keys) => {
                    let Some((&RIGHT, sealed)) = item.split_first() else {
                        return Err(SpokenError::Wrong);
                    };
                    let invite = keys.open(sealed).ok_or(SpokenError::WrongHost)?;
                    let invite = unpadded(&invite).ok_or(SpokenError::Invite)?;
                    return Ok(Some(Exchanged::Received(invite)));
                }
            }
        }
    }

    /// The number of bytes that are missing at the current item. More may be missing after them.
    fn missing(&self) -> Result<usize, SpokenError> {
        let len = match (&self.state, self.received.as_slice()) {
            (State::Over, _) => 0,
            (State::Number(..) | State::Guest(..) | State::Room(_), line) => {
                // Byte by byte, because the bytes after the line are from the other player.
                return match line.last() {
                    Some(b'\n') => Ok(0),
                    _ if line.len() < MAX_LINE => Ok(1),
                    _ => Err(SpokenError::Relay(not_a_relay())),
                };
            }
            (State::Guess(..), _) => SHARE + CONFIRMATION,
            (State::Share(_), _) => SESSION + SHARE,
            (State::Answer(_), []) | (State::Answer(_), [WRONG, ..]) => 1,
            (State::Answer(_), [RIGHT, ..]) => 1 + PADDED + TAG,
            (State::Answer(_), _) => return Err(SpokenError::WrongHost),
        };
        Ok(len - self.received.len())
    }

    /// Checks the guess of a guest, and answers.
    fn answer(
        &mut self,
        started: Started,
        invite: &[u8],
        guess: &[u8],
    ) -> Result<Option<Exchanged>, SpokenError> {
        let (theirs, confirmation) = guess.split_at(SHARE);
        let right = started
            .finish(theirs)
            .filter(|keys| keys.confirmation.ct_eq(confirmation).into());
        match right {
            Some(keys) => {
                self.outgoing.push(RIGHT);
                self.outgoing.extend(keys.seal(invite));
                Ok(Some(Exchanged::Sent))
            }
            None => {
                self.outgoing.push(WRONG);
                Err(SpokenError::Guessed)
            }
        }
    }
}

/// Reads the relay's line with the number of the host's room.
fn number(line: &[u8]) -> Result<u32, SpokenError> {
    let number = std::str::from_utf8(line).ok();
    let number = number.and_then(|line| line.strip_prefix("code ")?.strip_suffix('\n'));
    match (number.and_then(room_number), line) {
        (Some(number), _) => Ok(number),
        // A relay that knows only the requests of a transit relay.
        (None, b"bad handshake\n") => Err(SpokenError::NotOffered),
        (None, _) => Err(SpokenError::Relay(not_a_relay())),
    }
}

/// Checks the relay's line that both players are there.
fn paired(line: &[u8]) -> Result<(), SpokenError> {
    match line {
        b"ok\n" => Ok(()),
        b"no such code\n" => Err(SpokenError::NoSuchCode),
        b"too many codes\n" => Err(SpokenError::TooMany),
        b"bad handshake\n" => Err(SpokenError::NotOffered),
        b"impatient\n" => Err(SpokenError::Relay(refused("the relay answered: impatient"))),
        _ => Err(SpokenError::Relay(not_a_relay())),
    }
}

/// One side of CPace after its share.
struct Started {
    party: Party,
    session: [u8; SESSION],
    cpace: cpace::Started,
}

impl Started {
    fn new(
        code: &SpokenCode,
        session: [u8; SESSION],
        party: Party,
        rng: &mut impl CryptoRng,
    ) -> Self {
        let channel = format!("dealerless spoken code {VERSION}, room {}", code.number());
        let password = code.password();
        let context = Context {
            password: password.as_bytes(),
            channel: channel.as_bytes(),
            session: &session,
        };
        let cpace = cpace::Started::new(&context, rng);
        Started {
            party,
            session,
            cpace,
        }
    }

    /// Derives the keys from the share of the other side. `None` if it is invalid.
    fn finish(self, theirs: &[u8]) -> Option<Keys> {
        let (session, roles) = (&self.session, [&b"host"[..], b"guest"]);
        let key = (self.cpace).finish(self.party, session, theirs.try_into().ok()?, roles)?;
        let hash = |tag| Hash::new(tag).field(&*key).finish();
        Some(Keys {
            confirmation: hash("spoken code confirmation"),
            invite: Zeroizing::new(hash("spoken code invite")),
        })
    }
}

/// What both sides derive from the shared key and the transcript.
struct Keys {
    /// The guest's proof that it has the key.
    confirmation: [u8; CONFIRMATION],
    /// The key of the invite.
    invite: Zeroizing<[u8; 32]>,
}

impl Keys {
    fn cipher(&self) -> ChaCha20Poly1305 {
        ChaCha20Poly1305::new((&*self.invite).into())
    }

    /// Encrypts the invite: the only message under its key, so the nonce is zero.
    fn seal(&self, invite: &[u8]) -> Vec<u8> {
        let mut sealed = invite.to_vec();
        let tag = self
            .cipher()
            .encrypt_in_place_detached(&Nonce::default(), &[], &mut sealed)
            .expect("the invite is short");
        sealed.extend_from_slice(&tag);
        sealed
    }

    /// Decrypts the padded invite. `None` if it was not encrypted under this key.
    fn open(&self, sealed: &[u8]) -> Option<PaddedInvite> {
        let (sealed, tag) = sealed.split_last_chunk::<TAG>()?;
        let mut opened = Zeroizing::new(sealed.to_vec());
        let tag = Tag::from_slice(tag);
        self.cipher()
            .decrypt_in_place_detached(&Nonce::default(), &[], &mut opened, tag)
            .ok()?;
        Some(opened)
    }
}

/// Encodes an invite as `u16 length | invite | zeros`.
fn padded(invite: &Invite) -> PaddedInvite {
    let invite = invite.encode();
    let len = u16::try_from(invite.len()).expect("an invite is short");
    let mut padded = Zeroizing::new(vec![0; PADDED]);
    padded[..2].copy_from_slice(&len.to_le_bytes());
    padded[2..][..invite.len()].copy_from_slice(&invite);
    padded
}

/// Decodes a [`padded`] invite.
fn unpadded(bytes: &[u8]) -> Option<Invite> {
    let (len, rest) = bytes.split_first_chunk()?;
    let (invite, padding) = rest.split_at_checked(u16::from_le_bytes(*len).into())?;
    let is_padding = padding.iter().all(|byte| *byte == 0);
    is_padding.then(|| Invite::decode(invite).ok()).flatten()
}
