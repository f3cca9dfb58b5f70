//! How a guest connects to its host and runs the meeting.

use std::io::{self, ErrorKind};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use dealerless::net::system_time;

use super::super::core::Timing;
use super::super::error::MeetingError;
use super::super::invite::Invite;
use super::super::meeting::{Meeting, Own, Stepped};
use super::super::relay_request::RelayToken;
use super::super::{again, first};
use super::live::Connection;
use super::relay;
use super::socket;
use crate::identity::{Address, Identity, Name, PublicIdentity};
use crate::random::system_rng;
use crate::seat::Seat;

/// The time limit for connecting to one address.
const CONNECT_TIME: Duration = Duration::from_secs(4);
/// The maximum number of connections to a relay. More than one is needed if the relay pairs the
/// guest with a dead connection of the host.
const RELAY_TRIES: usize = 4;

/// A player who connects to a host.
pub struct Guest<'a> {
    /// The identity of the guest.
    pub identity: &'a Identity,
    /// The name of the guest.
    pub name: &'a Name,
    /// The time limits of the guest's meetings and connections.
    pub timing: Timing,
}

impl Guest<'_> {
    /// Meets the host of an invite. Tries the addresses in the invite in order, then the relay in
    /// the invite.
    ///
    /// # Errors
    /// The most informative [`MeetingError`] of all attempts.
    pub fn join(&self, invite: &Invite) -> Result<Connection, MeetingError> {
        let own = Own {
            identity: self.identity,
            name: self.name,
        };
        let begin = || first::as_guest(own, invite.clone(), &mut system_rng());
        let token = RelayToken(invite.secret.relay_token());
        self.meet(invite.addresses(), invite.relay(), &token, begin)
    }

    /// Meets a known peer that waits for guests. Tries `addresses` in order, then `relay`.
    ///
    /// # Errors
    /// As for [`join`](Self::join).
    pub fn join_again(
        &self,
        peer: &PublicIdentity,
        addresses: &[Address],
        relay: Option<&Address>,
    ) -> Result<Connection, MeetingError> {
        let own = Own {
            identity: self.identity,
            name: self.name,
        };
        let secret = self
            .identity
            .secret_with(peer)
            .ok_or(MeetingError::Oneself)?;
        let begin = || again::as_guest(own, peer.clone(), &mut system_rng());
        self.meet(addresses, relay, &RelayToken::of_peers(&secret), begin)
    }

    fn meet<'a>(
        &self,
        addresses: &[Address],
        relay: Option<&Address>,
        token: &RelayToken,
        begin: impl Fn() -> Stepped<'a>,
    ) -> Result<Connection, MeetingError> {
        let mut failure = MeetingError::NoAddress;
        for address in addresses {
            let outcome = connect(address)
                .map_err(|source| unreachable(address, addresses, source))
                .and_then(|stream| self.meet_on(stream, begin()));
            match outcome {
                Err(error) if !error.is_final() => failure = more_informative(failure, error),
                outcome => return outcome,
            }
        }
        for _ in 0..RELAY_TRIES {
            let Some(relay) = relay else { break };
            let stream = match self.connect_through(relay, token) {
                Ok(stream) => stream,
                Err(error) => return Err(more_informative(failure, error)),
            };
            match self.meet_on(stream, begin()) {
                Err(error) if !error.is_final() => failure = more_informative(failure, error),
                outcome => return outcome,
            }
        }
        Err(failure)
    }

    fn meet_on(&self, stream: TcpStream, first: Stepped) -> Result<Connection, MeetingError> {
        socket::prepare(&stream).map_err(MeetingError::Connection)?;
        let meeting = Meeting::guest(first?, system_time() + self.timing.meeting);
        let met = socket::meet(&stream, meeting)?;
        Connection::new(stream, met, self.timing).map_err(MeetingError::Connection)
    }

    fn connect_through(
        &self,
        relay: &Address,
        token: &RelayToken,
    ) -> Result<TcpStream, MeetingError> {
        let deadline = system_time() + self.timing.meeting;
        relay::connect_through(relay, token, Seat::GUEST, deadline).map_err(|source| {
            match source.kind() {
                ErrorKind::TimedOut => MeetingError::NobodyAtRelay(relay.clone()),
                _ => MeetingError::Relay {
                    relay: relay.clone(),
                    source,
                },
            }
        })
    }
}

/// Connects to the first IP address of `address` that accepts a connection.
pub(super) fn connect(address: &Address) -> io::Result<TcpStream> {
    let mut outcome = Err(ErrorKind::NotFound.into());
    for address in address.to_string().to_socket_addrs()? {
        outcome = TcpStream::connect_timeout(&address, CONNECT_TIME);
        if outcome.is_ok() {
            break;
        }
    }
    outcome
}

fn unreachable(address: &Address, all: &[Address], source: io::Error) -> MeetingError {
    let address = address.clone();
    if all.iter().all(Address::is_private) {
        MeetingError::OnlyPrivate { address, source }
    } else {
        MeetingError::Unreachable { address, source }
    }
}

/// Returns the more informative of two errors. A failed meeting says more than an unreachable
/// address.
fn more_informative(a: MeetingError, b: MeetingError) -> MeetingError {
    let rank = |error: &MeetingError| match error {
        MeetingError::NoAddress => 0,
        MeetingError::OnlyPrivate { .. } | MeetingError::Unreachable { .. } => 1,
        MeetingError::Relay { .. } | MeetingError::NobodyAtRelay(_) => 2,
        MeetingError::Connection(_) => 3,
        MeetingError::NotAnswered => 4,
        _ => 5,
    };
    if rank(&b) > rank(&a) { b } else { a }
}
