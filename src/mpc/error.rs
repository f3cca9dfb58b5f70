//! What can go wrong in a session.

use std::io;

use crate::Blame;
use crate::mpc::Security;
use crate::{net, ot};

/// The result of a call on a session.
pub type Result<R, E = Error> = std::result::Result<R, E>;

/// An error of a session. [`blame`](Self::blame) says whose fault it can be.
///
/// After [`Error::Usage`] nothing has been sent, and the session goes on. After any other the
/// session is over: its secrets are wiped. What exactly went wrong stays on this side: the peer is
/// told only that the session was aborted. No variant carries a secret.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The caller asked for something that cannot be done. Nothing was sent.
    #[error("{0}")]
    Usage(String),
    /// A cryptographic check failed: the peer cheated, or the line corrupts data.
    #[error("a check failed: {0}")]
    Check(Check),
    /// The two sides want different things. Both may be honest.
    #[error("the two sides do not agree: {0}")]
    Disagreement(Disagreement),
    /// The channel failed: the peer broke the protocol, aborted, or the connection was lost.
    #[error(transparent)]
    Channel(#[from] net::Error),
    /// An [`Attempts`](super::Attempts) could not count an attempt.
    #[error("an attempt cannot be counted")]
    NotCounted(#[source] io::Error),
    /// The session has made as many batches of preprocessing as it can.
    #[error("a session makes at most 2^32 batches of OTs")]
    Exhausted,
    /// An earlier error ended this session.
    #[error("this session has ended and cannot be used again")]
    Ended,
}

impl Error {
    pub(super) fn usage(what: impl Into<String>) -> Self {
        Error::Usage(what.into())
    }

    /// Whose fault it can be.
    pub fn blame(&self) -> Blame {
        match self {
            Error::Check(_) => Blame::CheatOrLine,
            Error::Disagreement(_) => Blame::Either,
            Error::Channel(error) => error.blame(),
            Error::Usage(_) | Error::NotCounted(_) | Error::Exhausted | Error::Ended => {
                Blame::ThisSide
            }
        }
    }
}

/// What ends a session. What may have sent something gives this and not [`Error`]: it has no
/// misuse, after which the session would go on out of step.
#[derive(Debug)]
pub(super) enum Fault {
    Check(Check),
    Disagreement(Disagreement),
    Channel(net::Error),
    NotCounted(io::Error),
    Exhausted,
}

impl From<net::Malformed> for Fault {
    fn from(malformed: net::Malformed) -> Self {
        Fault::Channel(malformed.into())
    }
}

impl From<net::Error> for Fault {
    fn from(error: net::Error) -> Self {
        Fault::Channel(error)
    }
}

impl From<ot::Error> for Fault {
    fn from(error: ot::Error) -> Self {
        match error {
            ot::Error::Channel(error) => Fault::Channel(error),
            ot::Error::Check(check) => Fault::Check(Check::ObliviousTransfer(check)),
            ot::Error::Exhausted => Fault::Exhausted,
        }
    }
}

impl From<Check> for Fault {
    fn from(check: Check) -> Self {
        Fault::Check(check)
    }
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Check(check) => Error::Check(check),
            Fault::Disagreement(disagreement) => Error::Disagreement(disagreement),
            Fault::Channel(error) => Error::Channel(error),
            Fault::NotCounted(error) => Error::NotCounted(error),
            Fault::Exhausted => Error::Exhausted,
        }
    }
}

/// A cryptographic check of a session. An honest peer on a line that changes nothing passes it,
/// but for the chances that `docs/protocol.md` of the repository counts.
///
/// It shows as the protocol and its step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum Check {
    /// A check of oblivious transfer.
    #[error(transparent)]
    ObliviousTransfer(ot::Check),
    /// The peer's hello has this side's nonce.
    #[error("hello: the peer repeats this side's nonce")]
    HelloNonce,
    /// The key in the peer's hello is not canonical, or is the identity.
    #[error("hello: the peer's key is not a valid point")]
    HelloKey,
    /// The garbler opens something else than it has committed to.
    #[error("triples: the commitment")]
    TripleCommitment,
    /// The parties' leaky triples do not fit together.
    #[error("triples: the equality check")]
    TripleEquality,
    /// The bits opened to fill the pool are not those that were authenticated.
    #[error("filling the pool: the MACs of the opened bits")]
    PoolMacs,
    /// The bits opened for the gates and outputs of a run are not those that were authenticated.
    #[error("authenticated garbling: the MACs of the opened bits")]
    GateMacs,
    /// A masked value of an AND gate is wrong, or the parties do not hold the same masked values
    /// of inputs and the same labels.
    #[error("authenticated garbling: the check of the AND gates and of what both hold")]
    AndGates,
    /// The opened mask shares of outputs are not those that were authenticated.
    #[error("opening: the MACs of the mask shares")]
    OpeningMacs,
    /// The semi-honest evaluator's inputs did not arrive as they were sent.
    #[error("inputs: the digest of the masked inputs")]
    MaskedInputs,
    /// What opens a bit to a semi-honest party is the hash of neither of its labels.
    #[error("opening: the hash of neither label")]
    OpeningHash,
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
    /// They want other statistical security.
    #[error("the peer wants {theirs} bits of statistical security, this side {ours}")]
    StatisticalSecurity {
        /// What the peer wants, in bits.
        theirs: u8,
        /// What this side wants, in bits.
        ours: u8,
    },
    /// They are about to run, open or make ahead different things.
    #[error("the peer runs another circuit, or means other inputs, openings or preparations")]
    Plan,
}
