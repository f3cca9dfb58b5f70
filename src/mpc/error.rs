//! The errors of a session.

use std::io;

use crate::Blame;
use crate::mpc::EngineKind;
use crate::{net, ot};

/// The result of a call on a session.
pub type Result<R, E = Error> = std::result::Result<R, E>;

/// An error of a session. [`blame`](Self::blame) tells who can be at fault.
///
/// [`Error::Usage`] leaves the session usable; nothing was sent. Any other error ends the session
/// and wipes its secrets. The peer learns only that the session was aborted, not the error. No
/// error contains a secret.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The caller's request is invalid. Nothing was sent.
    #[error("{0}")]
    Usage(String),
    /// A cryptographic check failed: the peer cheated, or the connection corrupts data.
    #[error("a check failed: {0}")]
    Check(Check),
    /// The two parties requested different things. Both may be honest.
    #[error("the two sides do not agree: {0}")]
    Disagreement(Disagreement),
    /// The channel failed: the peer broke the protocol, aborted, or the connection was lost.
    #[error(transparent)]
    Channel(#[from] net::Error),
    /// The caller's [`Attempts`](super::Attempts) failed to count an attempt.
    #[error("an attempt cannot be counted")]
    NotCounted(#[source] io::Error),
    /// The session has used up its batches of oblivious transfers.
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

    /// Returns who can be at fault.
    pub fn blame(&self) -> Blame {
        match self {
            Error::Check(_) => Blame::CheatOrConnection,
            Error::Disagreement(_) => Blame::Either,
            Error::Channel(error) => error.blame(),
            Error::Usage(_) | Error::NotCounted(_) | Error::Exhausted | Error::Ended => {
                Blame::ThisSide
            }
        }
    }
}

/// An error that ends the session. Functions that send messages return it instead of [`Error`],
/// because [`Error`] has a variant that does not end the session.
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

/// A cryptographic check of a session. An honest peer passes every check if the connection does not
/// corrupt data. The text of a check names the protocol and the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum Check {
    /// A check of oblivious transfer.
    #[error(transparent)]
    ObliviousTransfer(ot::Check),
    /// The peer's hello has the nonce of this party's hello.
    #[error("hello: the peer repeats this side's nonce")]
    HelloNonce,
    /// The key in the peer's hello is not a canonical point, or is the identity.
    #[error("hello: the peer's key is not a valid point")]
    HelloKey,
    /// The garbler's opening does not match its commitment.
    #[error("triples: the commitment")]
    TripleCommitment,
    /// The equality check of the leaky triples failed.
    #[error("triples: the equality check")]
    TripleEquality,
    /// The MACs of the bits opened in the preprocessing are wrong.
    #[error("filling the pool: the MACs of the opened bits")]
    PoolMacs,
    /// The MACs of the bits opened for the gates and outputs of a run are wrong.
    #[error("authenticated garbling: the MACs of the opened bits")]
    GateMacs,
    /// The peer's proof that it correctly computed the AND gates that it owns is wrong.
    #[error("authenticated garbling: the proof of the peer's products")]
    Products,
    /// A masked value of an AND gate is wrong, or the parties hold different masked values or
    /// output labels.
    #[error(
        "authenticated garbling: the check of the AND gates and of the values that both parties hold"
    )]
    AndGates,
    /// The MACs of the shares that open outputs are wrong.
    #[error("opening: the MACs of the mask shares")]
    OpeningMacs,
    /// The semi-honest evaluator's masked inputs were changed in transit.
    #[error("inputs: the digest of the masked inputs")]
    MaskedInputs,
    /// The pairs of hashes that open bits to the semi-honest evaluator were changed in transit.
    #[error("opening: the digest of the pairs of hashes")]
    OpenedPairs,
    /// A hash that should open a bit to a semi-honest party does not match exactly one label.
    #[error("opening: the hash of the label")]
    OpeningHash,
}

/// A disagreement between the two parties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Disagreement {
    /// Both parties want to be the garbler, or both want to be the evaluator.
    #[error("both parties want the same role")]
    SameRole,
    /// The parties want different engines.
    #[error("the peer wants {theirs} security, this side {ours}")]
    Engine {
        /// The engine that the peer wants.
        theirs: EngineKind,
        /// The engine that this party wants.
        ours: EngineKind,
    },
    /// The parties want different numbers of bits of statistical security.
    #[error("the peer wants {theirs} bits of statistical security, this side {ours}")]
    StatisticalSecurity {
        /// The number of bits that the peer wants.
        theirs: u8,
        /// The number of bits that this party wants.
        ours: u8,
    },
    /// The parties are about to run, open or preprocess different things.
    #[error("the peer's circuit, inputs, openings or preparations differ from this side's")]
    Plan,
}
