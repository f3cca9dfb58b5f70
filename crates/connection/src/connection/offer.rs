//! The codes that a host offers for an invite at a relay, one after the other.
//!
//! A stranger can use the number of a code, and guess its words or leave. Each use allows one guess. No
//! stranger can end the codes of a host, because a used code is replaced. An attacker has little chance,
//! because codes become longer and rarer:
//!
//! - Until [`SHORT`] uses have failed, codes have two words. All guesses at them together succeed with a
//!   probability of at most 4/65 536.
//! - Later codes of the invite have four words. After a failed use, the next one comes after a pause that
//!   doubles from 1 s to 60 s. It starts at 1 s again after a code that has expired, which takes 59 minutes.
//!   So a day has fewer than 1500 guesses, and adds a probability of less than 1/2 800 000.
//!
//! The code of a one-time invite serves one use. The offer ends when a guest has received the invite. A table has
//! many guests, and one code: the host opens the code again after each guest that has received the link, after
//! a lost connection, and after a failed use, until [`SHORT`] uses have failed. The relay holds the code
//! meanwhile. A code of four words is replaced after each failed use.
//!
//! A code that nobody has used is replaced at once, until [`MAX_UNUSED`] of them were void. If the relay does not
//! give the new code, the offer reports it once, and asks again after a pause that doubles from 2 s to 60 s.

use std::io::{self, ErrorKind};
use std::time::Duration;

use rand::Rng as _;

use super::invite::Invite;
use super::place::{Happened, Place, Socket, Sockets};
use super::spoken::{CodeKey, SpokenError, SpokenExchange};
use super::spoken_code::{CodeWords, SpokenCode};
use crate::random::system_rng;

/// The number of failed uses of the codes of an invite after which its codes have four words.
const SHORT: u32 = 4;
/// The maximum number of codes of an invite that nobody uses, because they expire or the relay ends them: a
/// day's.
const MAX_UNUSED: u32 = 24;
/// How long a relay holds a code after a use, or after a lost connection.
const HELD: Duration = Duration::from_secs(30);
/// The time limit for a code, after the connection to the relay.
const FIRST: Duration = Duration::from_secs(4);
/// The shortest and the longest pause after a failure to get a code.
const FAILED_PAUSES: [Duration; 2] = [Duration::from_secs(2), Duration::from_secs(60)];
/// The shortest and the longest pause after a used code.
const USED_PAUSES: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(60)];

/// The codes of one invite.
pub(super) struct Offer<S: Sockets> {
    relay: Place,
    invite: Invite,
    /// Whether the invite is the link of a table.
    is_table: bool,
    key: CodeKey,
    /// The code of a table that is opened again, and the time until which the relay holds it if there is no
    /// current one.
    again: Option<(SpokenCode, Duration)>,
    current: Option<Current<S>>,
    /// The time of the next code if there is none.
    next: Duration,
    /// Whether no code was given yet.
    is_first: bool,
    /// The number of uses that have failed.
    used: u32,
    /// The number of void codes that nobody used.
    unused: u32,
    /// The pause after the next used code.
    pause: Duration,
    /// The pause after the next failure to get a code.
    failed_pause: Duration,
}

/// A code, or the request for one.
struct Current<S: Sockets> {
    socket: Socket<S>,
    exchange: SpokenExchange,
    /// The deadline of the relay for the code.
    code_by: Duration,
    has_code: bool,
}

/// The result of a step.
pub(super) enum Offered {
    /// The player must know this code.
    Code(SpokenCode),
    /// The code is void, or no code was given. If it is the last one, the offer is over.
    Void { why: SpokenError, is_last: bool },
    /// The guest of a one-time invite has received it. The offer is over.
    Sent,
}

impl<S: Sockets> Offer<S> {
    /// Codes at this relay for a one-time invite, or for the link of a table.
    pub(super) fn new(relay: Place, invite: Invite, is_table: bool, now: Duration) -> Self {
        let mut key = CodeKey::default();
        system_rng().fill_bytes(&mut key);
        Offer {
            relay,
            invite,
            is_table,
            key,
            again: None,
            current: None,
            next: now,
            is_first: true,
            used: 0,
            unused: 0,
            pause: USED_PAUSES[0],
            failed_pause: FAILED_PAUSES[0],
        }
    }

    pub(super) fn invite(&self) -> &Invite {
        &self.invite
    }

    /// Whether no code was given yet.
    pub(super) fn is_first(&self) -> bool {
        self.is_first
    }

    pub(super) fn socket(&self) -> Option<&Socket<S>> {
        self.current.as_ref().map(|current| &current.socket)
    }

    /// The time of the next step.
    pub(super) fn timer(&self) -> Duration {
        self.current.as_ref().map_or(self.next, Current::deadline)
    }

    /// The number of words of the next code.
    fn words(&self) -> CodeWords {
        if self.used < SHORT {
            CodeWords::Two
        } else {
            CodeWords::Four
        }
    }

    /// Something has happened to the socket.
    pub(super) fn happened(&mut self, what: Happened<'_>, now: Duration) -> Option<Offered> {
        let socket = &mut self.current.as_mut()?.socket;
        let was_open = socket.is_open();
        let received = socket.happened(what);
        if !was_open && socket.is_open() {
            self.current.as_mut()?.code_by = now + FIRST;
        }
        self.exchange(received, now)
    }

    /// Does all that is due.
    pub(super) fn step(&mut self, sockets: &S, now: Duration) -> Option<Offered> {
        match &self.current {
            Some(current) if now >= current.deadline() => {
                self.exchange(Err(ErrorKind::TimedOut.into()), now)
            }
            None if now >= self.next => {
                let (invite, key) = (&self.invite, &self.key);
                let exchange = match &self.again {
                    Some((code, _)) => {
                        SpokenExchange::as_host_again(invite, code.clone(), key, now)
                    }
                    None => SpokenExchange::as_host(invite, self.words(), key, now),
                };
                self.current = Some(Current {
                    socket: Socket::open(sockets, &self.relay),
                    exchange,
                    code_by: Duration::MAX,
                    has_code: false,
                });
                None
            }
            _ => None,
        }
    }

    /// Continues the exchange with received bytes, or after an error of the connection.
    fn exchange(&mut self, received: io::Result<&[u8]>, now: Duration) -> Option<Offered> {
        let current = self.current.as_mut()?;
        let exchange = &mut current.exchange;
        let exchanged = match received {
            Ok(bytes) => exchange.received(bytes, now, &mut system_rng()),
            Err(error) => Err(exchange.failed(error)),
        };
        if current.socket.is_open() {
            current.socket.send(&exchange.outgoing());
        }
        match exchanged {
            Ok(Some(_)) if self.is_table => {
                self.current = None;
                self.open_again(now, now);
                None
            }
            Ok(Some(_)) => Some(Offered::Sent),
            Ok(None) => {
                if current.has_code || !exchange.is_open() {
                    return None;
                }
                (current.has_code, self.is_first) = (true, false);
                self.failed_pause = FAILED_PAUSES[0];
                if self.again.is_some() {
                    return None;
                }
                let code = exchange.code()?.clone();
                self.again = self.is_table.then(|| (code.clone(), now));
                Some(Offered::Code(code))
            }
            Err(why) => self.failed(why, now),
        }
    }

    /// Opens the code of the table again at this time.
    fn open_again(&mut self, at: Duration, now: Duration) {
        self.next = at;
        if let Some((_, held_until)) = &mut self.again {
            *held_until = now + HELD;
        }
    }

    fn failed(&mut self, why: SpokenError, now: Duration) -> Option<Offered> {
        if !self.current.take()?.has_code {
            if let Some((_, held_until)) = self.again {
                let has_answered = !matches!(&why, SpokenError::Relay(error) if error.kind() != ErrorKind::InvalidData);
                if has_answered || now >= held_until {
                    (self.again, self.next) = (None, now);
                    return Some(Offered::Void {
                        why,
                        is_last: false,
                    });
                }
                self.next = now + self.failed_pause;
                self.failed_pause = FAILED_PAUSES[1].min(2 * self.failed_pause);
                return None;
            }
            let is_reported = self.failed_pause > FAILED_PAUSES[0];
            self.next = now + self.failed_pause;
            self.failed_pause = FAILED_PAUSES[1].min(2 * self.failed_pause);
            let (why, is_last) = match why {
                SpokenError::Relay(error) if !self.is_first => {
                    (SpokenError::NoNewCode(error), false)
                }
                why => (why, true),
            };
            return (is_last || !is_reported).then_some(Offered::Void { why, is_last });
        }
        self.next = now;
        let has_failed = matches!(why, SpokenError::Guessed | SpokenError::Left);
        if has_failed {
            self.used = self.used.saturating_add(1);
            self.next += self.pause;
            self.pause = USED_PAUSES[1].min(2 * self.pause);
        } else {
            self.unused += 1;
        }
        if matches!(why, SpokenError::Expired) {
            self.pause = USED_PAUSES[0];
        }
        let is_last = self.unused == MAX_UNUSED;
        if self.is_table && !is_last && !(has_failed && self.used >= SHORT) {
            self.open_again(self.next, now);
            return None;
        }
        self.again = None;
        Some(Offered::Void { why, is_last })
    }
}

impl<S: Sockets> Current<S> {
    /// The time at which the exchange fails, unless it makes progress.
    fn deadline(&self) -> Duration {
        let deadline = self.exchange.deadline();
        match self.has_code {
            true => deadline,
            false => deadline.min(self.code_by),
        }
    }
}
