//! The codes that a host offers for an invite at a relay, one after the other.
//!
//! A stranger can use the number of a code, and guess its words or leave. Each code allows one guess. No
//! stranger can end the codes of a host, because a used code is replaced. An attacker has little chance,
//! because codes become longer and rarer:
//!
//! - The first [`SHORT`] used codes have two words. All guesses at them together succeed with a probability
//!   of at most 4/65 536.
//! - Later codes of the invite have four words. After a used code, the next one comes after a pause that
//!   doubles from 1 s to 60 s. It starts at 1 s again after a code that has expired, which takes 59 minutes.
//!   So a day has fewer than 1500 guesses, and adds a probability of less than 1/2 800 000.
//!
//! A code that nobody has used is replaced at once, until [`MAX_UNUSED`] of them were void. If the relay does not
//! give the new code, the offer reports it once, and asks again after a pause that doubles from 2 s to 60 s.

use std::io::{self, ErrorKind};
use std::time::Duration;

use super::invite::Invite;
use super::place::{Happened, Place, Socket, Sockets};
use super::spoken::{SpokenError, SpokenExchange};
use super::spoken_code::{CodeWords, SpokenCode};
use crate::random::system_rng;

/// The number of used codes of an invite after which its codes have four words.
const SHORT: u32 = 4;
/// The maximum number of codes of an invite that nobody uses, because they expire or the relay ends them: a
/// day's.
const MAX_UNUSED: u32 = 24;
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
    current: Option<Current<S>>,
    /// The time of the next code if there is none.
    next: Duration,
    /// Whether no code was given yet.
    is_first: bool,
    /// The number of codes that somebody used without success.
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
    /// A guest has received the invite. The offer is over.
    Sent,
}

impl<S: Sockets> Offer<S> {
    /// Codes at this relay.
    pub(super) fn new(relay: Place, invite: Invite, now: Duration) -> Self {
        Offer {
            relay,
            invite,
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
                self.current = Some(Current {
                    socket: Socket::open(sockets, &self.relay),
                    exchange: SpokenExchange::as_host(&self.invite, self.words(), now),
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
            Ok(Some(_)) => Some(Offered::Sent),
            Ok(None) => {
                let code = exchange.code().filter(|_| !current.has_code)?.clone();
                (current.has_code, self.is_first) = (true, false);
                self.failed_pause = FAILED_PAUSES[0];
                Some(Offered::Code(code))
            }
            Err(why) => self.failed(why, now),
        }
    }

    fn failed(&mut self, why: SpokenError, now: Duration) -> Option<Offered> {
        if !self.current.take()?.has_code {
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
        if matches!(why, SpokenError::Guessed | SpokenError::Left) {
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
