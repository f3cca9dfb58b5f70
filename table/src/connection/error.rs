//! What goes wrong with a line, and before there is one.

use std::io;

use crate::identity::{Address, BadIdentity, BadSuccession, Fingerprint};

/// A line has ended, or cannot do what was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectionError {
    /// Nothing came in time. The line is as good as before.
    #[error("nothing came from the other in time")]
    TimedOut,
    /// The other closed it.
    #[error("the other has closed the line")]
    Closed,
    /// It was closed here.
    #[error("the line was closed here")]
    ClosedHere,
    /// It was cut: the other did not close it.
    #[error("the line was cut ({0})")]
    Cut(io::ErrorKind),
    /// Nothing was heard for too long, or the other takes nothing.
    #[error("the other has been silent for too long")]
    Silent,
    /// What came was not sent by the other in this place: changed, repeated, left out, or made by
    /// somebody else.
    #[error("what came over the line is not what the other sent")]
    Forged,
    /// The other sent what no honest program sends.
    #[error("the other breaks the rules of the line: {0}")]
    Broken(&'static str),
    /// A message is empty or too long to be sent.
    #[error("a message has 1 to {most} bytes, not {0}", most = super::MAX_MESSAGE)]
    MessageSize(usize),
    /// An engine already uses the line.
    #[error("an engine already uses the line")]
    EngineInUse,
}

/// Two players did not meet.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MeetingError {
    /// The invite lists only addresses that are reached from the host's own house.
    #[error(
        "{address} cannot be reached, and the invite holds only private addresses: both must \
             be in one network, or use a relay, or the host must forward a port (--advertise)"
    )]
    OnlyPrivate {
        /// The first of them.
        address: Address,
        /// What went wrong with it.
        source: io::Error,
    },
    /// Nobody listens there.
    #[error("{address} cannot be reached: is the host still waiting, and its port open?")]
    Unreachable {
        /// The address that was tried first.
        address: Address,
        /// What went wrong with it.
        source: io::Error,
    },
    /// There is no address to try.
    #[error("no address is known")]
    NoAddress,
    /// Somebody listens, and does not answer these keys: the secret is a wrong or an old one, or it
    /// is another host.
    #[error(
        "somebody listens there and does not answer: the invite is an old one; or one of you plays \
             with a new identity since, and must come by an invite once, or tell of it; or another \
             program or version has this address now"
    )]
    NotAnswered,
    /// The invite was used by somebody else.
    #[error("the invite was used by somebody else: ask for a new one, and say that it leaked")]
    Used,
    /// The answer was not made by the host of the invite.
    #[error("the answer is not from the host that made the invite: somebody is in between")]
    WrongHost,
    /// The other shows one's own keys.
    #[error("these are your own keys: nobody can play with themselves")]
    Oneself,
    /// The other's identity is none.
    #[error("the other's identity is not valid")]
    Identity(#[from] BadIdentity),
    /// The other says that it has succeeded somebody, and that is not so.
    #[error("the other has not succeeded whom it says")]
    Succession(#[from] BadSuccession),
    /// The other breaks the rules of a meeting.
    #[error("the other breaks the rules of a meeting: {0}")]
    Broken(&'static str),
    /// The line was cut, or took too long.
    #[error("the line broke during the meeting")]
    Connection(#[source] io::Error),
    /// The host does not wait at the relay.
    #[error(
        "nobody waits at {0}: is the host still there? Whether a relay answers there: dealerless \
             doctor --relay {0}"
    )]
    NobodyAtRelay(Address),
    /// The relay does not answer as one.
    #[error("no transit relay answers at {relay}: check the address, or name another with --relay")]
    Relay {
        /// Which.
        relay: Address,
        /// What it did.
        source: io::Error,
    },
    /// A file of invites cannot be read or written.
    #[error("the invites cannot be kept")]
    Invites(#[source] io::Error),
    /// Only for the host: a second guest came with an invite.
    #[error("{0} came with an invite that belongs to somebody else")]
    SecondGuest(Fingerprint),
}
