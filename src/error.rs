//! What can go wrong in a session, and whose fault it can be.

use crate::circuit::Party;
use crate::mpc::Security;
use crate::{Blame, net, ot};

/// The result of an operation that talks to the peer.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of a two-party session. [`blame`](Self::blame) says whose fault it can be.
///
/// After any of these but [`Error::Usage`] the session is unusable: its secrets are wiped and a new
/// one must be begun. What exactly went wrong stays on this side: the peer is told only that the
/// session was aborted. No variant carries a secret, so that an error can be shown and logged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An error of the channel.
    #[error(transparent)]
    Channel(#[from] net::Error),
    /// A cryptographic check failed: the peer cheated, or the line corrupts data.
    #[error("a check failed: {0}")]
    Check(Check),
    /// The two sides want different things. Both may be honest.
    #[error("the two sides do not agree: {0}")]
    Disagreement(Disagreement),
    /// The caller asked for something that cannot be done; nothing was sent.
    #[error("{0}")]
    Usage(String),
    /// The session has made as much as its counters can count.
    #[error("this session can make no more: begin a new one")]
    Exhausted,
    /// An earlier error ended this session.
    #[error("this session has failed and cannot be used again")]
    Failed,
}

impl Error {
    /// A misuse by the local caller.
    pub fn usage(what: impl Into<String>) -> Self {
        Error::Usage(what.into())
    }

    /// Whose fault it can be.
    pub fn blame(&self) -> Blame {
        match self {
            Error::Channel(error) => error.blame(),
            Error::Check(_) => Blame::CheatOrLine,
            Error::Disagreement(_) => Blame::Either,
            Error::Usage(_) | Error::Exhausted | Error::Failed => Blame::ThisSide,
        }
    }
}

impl From<ot::Error> for Error {
    fn from(error: ot::Error) -> Self {
        match error {
            ot::Error::Channel(error) => Error::Channel(error),
            ot::Error::Check(check) => Error::Check(Check::Ot(check)),
            ot::Error::Exhausted => Error::Exhausted,
        }
    }
}

/// A cryptographic check: an honest peer on a line that changes nothing passes it, but for the
/// chances that `docs/protocol.md` of the repository counts.
///
/// It shows as the protocol and its step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum Check {
    /// The peer's hello has this side's nonce.
    #[error("hello: the peer repeats this side's nonce")]
    HelloNonce,
    /// A check of oblivious transfer.
    #[error(transparent)]
    Ot(ot::Check),
    /// The garbler opens something else than it has committed to.
    #[error("triples: the commitment")]
    TripleCommitment,
    /// The parties' leaky triples do not fit together.
    #[error("triples: the equality check")]
    TripleEquality,
    /// The bits opened to fill the pool are not those that were authenticated.
    #[error("filling the pool: the MACs of the opened bits")]
    PoolMacs,
    /// The bits opened for the gates of a run are not those that were authenticated.
    #[error("authenticated garbling: the MACs of the opened bits")]
    GateMacs,
    /// A masked value of an AND gate is wrong.
    #[error("authenticated garbling: the check of the AND gates")]
    AndGates,
    /// The opened mask shares of outputs are not those that were authenticated.
    #[error("opening: the MACs of the mask shares")]
    OpeningMacs,
    /// What opens a bit to the semi-honest garbler is the hash of neither of its labels.
    #[error("opening: the hash of neither label")]
    OpeningHash,
    /// A party entered seeds that no honest one draws.
    #[error("the seeds of the {0} are out of range")]
    SeedsOutOfRange(Party),
    /// An opened card is none of the deck.
    #[error("an opened card is not in the deck")]
    CardNotInDeck,
    /// An opened card has been seen at another position.
    #[error("the same card was opened twice")]
    CardOpenedTwice,
}

/// What two sides do not agree on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Disagreement {
    /// Both want to garble, or both to evaluate.
    #[error("both parties want the same role")]
    SameRole,
    /// They want to be protected against different peers.
    #[error("the peer wants {theirs} security, this side {ours}")]
    Security {
        /// What the peer wants.
        theirs: Security,
        /// What this side wants.
        ours: Security,
    },
    /// They are about to run, open or make ahead different things.
    #[error("the peer runs another circuit, or means other inputs, openings or preparations")]
    Plan,
}
