//! Codes that can be spoken, over TCP: a guest that uses a code, and a host that waits with one at a
//! relay.

use std::io::ErrorKind;
use std::net::TcpStream;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use dealerless::net::system_time;

use super::super::invite::Invite;
use super::super::spoken::{Exchanged, SpokenError, SpokenExchange};
use super::super::spoken_code::SpokenCode;
use super::door::{DoorEvent, Inner};
use super::routes::connect_unless;
use super::socket::{self, read_by, write_by};
use crate::identity::Address;
use crate::random::system_rng;

/// The number of codes after the first one that a host offers for an invite because somebody has
/// used the code before. So there are at most 4 guesses for each invite.
const NEW_CODES: u32 = 3;
/// The maximum number of codes for an invite, if codes expire or the relay ends them: a day's.
const MAX_CODES: u32 = 24;
/// The time limit for the first code.
const FIRST: Duration = Duration::from_secs(4);
/// The pause after a failed connection to the relay.
const PAUSE: Duration = Duration::from_secs(2);
/// The pause between two checks whether the code is still needed.
const POLL: Duration = Duration::from_millis(100);

/// Gets the invite of the host that waits with this code at a relay. The code is void then, whatever
/// the result.
///
/// # Errors
/// [`SpokenError`].
pub fn use_code(relay: &Address, code: SpokenCode) -> Result<Invite, SpokenError> {
    let exchange = SpokenExchange::as_guest(code, system_time());
    let mut exchange = OverTcp::connect(relay, exchange, || false)?;
    loop {
        if let Some(Exchanged::Received(invite)) = exchange.step(Duration::MAX)? {
            return Ok(invite);
        }
    }
}

/// An exchange and its connection to the relay.
struct OverTcp {
    stream: TcpStream,
    exchange: SpokenExchange,
}

impl OverTcp {
    /// Connects unless `is_over`.
    fn connect(
        relay: &Address,
        mut exchange: SpokenExchange,
        is_over: impl Fn() -> bool,
    ) -> Result<Self, SpokenError> {
        let (request, deadline) = (exchange.outgoing(), exchange.deadline());
        let stream = connect_unless(relay, is_over).and_then(|stream| {
            socket::prepare(&stream)?;
            write_by(&stream, &request, deadline)?;
            Ok(stream)
        });
        match stream {
            Ok(stream) => Ok(OverTcp { stream, exchange }),
            Err(error) => Err(exchange.failed(error)),
        }
    }

    /// Receives some bytes before the time is `until`, and answers. Returns the result of the exchange
    /// when it is complete.
    fn step(&mut self, until: Duration) -> Result<Option<Exchanged>, SpokenError> {
        let mut buf = [0; 4096];
        let deadline = self.exchange.deadline();
        let exchanged = match read_by(&self.stream, &mut buf, deadline.min(until)) {
            Ok(count) => {
                let rng = &mut system_rng();
                self.exchange.received(&buf[..count], system_time(), rng)
            }
            Err(error) if error.kind() == ErrorKind::TimedOut && until < deadline => {
                return Ok(None);
            }
            Err(error) => Err(self.exchange.failed(error)),
        };
        let outgoing = self.exchange.outgoing();
        let sent = write_by(&self.stream, &outgoing, self.exchange.deadline());
        // A failed exchange is reported even if its last bytes cannot be sent.
        let exchanged = exchanged?;
        sent.map_err(|error| self.exchange.failed(error))?;
        Ok(exchanged)
    }
}

/// A host that waits with a code.
pub(super) struct Offer {
    relay: Address,
    invite: Invite,
    exchange: OverTcp,
    /// The current code.
    pub(super) code: SpokenCode,
}

impl Offer {
    /// Gets a code from a relay, unless `is_over`.
    pub(super) fn open(
        relay: &Address,
        invite: &Invite,
        is_over: impl Fn() -> bool,
    ) -> Result<Self, SpokenError> {
        let until = system_time() + FIRST;
        let exchange = SpokenExchange::as_host(invite, system_time());
        let mut exchange = OverTcp::connect(relay, exchange, is_over)?;
        while exchange.exchange.code().is_none() && system_time() < until {
            exchange.step(until)?;
        }
        let code = exchange.exchange.code().cloned();
        let late = || SpokenError::Relay(ErrorKind::TimedOut.into());
        let code = code.ok_or_else(late)?;
        let (relay, invite) = (relay.clone(), invite.clone());
        Ok(Offer {
            relay,
            invite,
            exchange,
            code,
        })
    }

    /// Waits until a guest has received the invite, the invite is used, or the door is closed. Offers a
    /// new code if a code is void without that.
    pub(super) fn wait(mut self, door: &Arc<Inner>) {
        let id = self.invite.secret.id();
        let is_needed = || door.needs_code(&id);
        let (mut offered, mut used) = (1, 0);
        while is_needed() {
            let why = match self.exchange.step(system_time() + POLL) {
                Ok(None) => continue,
                Ok(Some(_)) => return,
                Err(why) => why,
            };
            used += u32::from(matches!(why, SpokenError::Guessed | SpokenError::Left));
            let is_last = used > NEW_CODES || offered == MAX_CODES;
            door.send(DoorEvent::CodeVoid { why, is_last });
            if is_last {
                return;
            }
            self = loop {
                let again = system_time() + PAUSE;
                match Offer::open(&self.relay, &self.invite, || !is_needed()) {
                    Ok(offer) => {
                        offered += 1;
                        break offer;
                    }
                    Err(why @ SpokenError::NotOffered) => {
                        let is_last = true;
                        return door.send(DoorEvent::CodeVoid { why, is_last });
                    }
                    Err(_) => {}
                }
                while system_time() < again && is_needed() {
                    thread::sleep(POLL);
                }
                if !is_needed() {
                    return;
                }
            };
            let (invite, code) = (Box::new(self.invite.clone()), self.code.clone());
            door.send(DoorEvent::NewCode { invite, code });
        }
    }
}
