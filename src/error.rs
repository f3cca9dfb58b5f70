//! What can go wrong in a session, and whose fault it can be.

use std::fmt;
use std::time::Duration;

use crate::circuit::Party;
use crate::mpc::Security;
use crate::net::Tag;

/// The result of an operation that talks to the peer.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of a two-party session. [`blame`](Self::blame) says whose fault it can be.
///
/// After any of these but [`Error::Usage`] the session is unusable: its secrets are wiped and a new
/// one must be begun. What exactly went wrong stays on this side: the peer is told only that the
/// session was aborted. No variant carries a secret, so that an error can be shown and logged.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A cryptographic check failed: the peer cheated, or the line corrupts data.
    #[error("a check failed: {0}")]
    Check(Check),
    /// The peer sent a message that this version of the protocol does not send, or not here.
    #[error("the peer broke the protocol: {0}")]
    Malformed(Malformed),
    /// The two sides want different things. Both may be honest.
    #[error("the two sides do not agree: {0}")]
    Disagreement(Disagreement),
    /// The peer ended the session on purpose, and does not say why.
    #[error("the peer aborted the session")]
    Aborted,
    /// The connection was closed or broke.
    #[error("the connection was lost while {during}: {cause}")]
    Lost {
        /// What was going on.
        during: &'static str,
        /// What the transport said.
        cause: String,
    },
    /// The peer did not answer, or not fast enough.
    #[error("no answer from the peer within {limit:?} while {during}")]
    Timeout {
        /// What was going on.
        during: &'static str,
        /// The deadline that passed.
        limit: Duration,
    },
    /// The caller asked for something that cannot be done; nothing was sent.
    #[error("{0}")]
    Usage(String),
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
            Error::Check(_) => Blame::CheatOrLine,
            Error::Malformed(_) => Blame::ProgramOrLine,
            Error::Disagreement(_) => Blame::Either,
            Error::Aborted => Blame::Peer,
            Error::Lost { .. } | Error::Timeout { .. } => Blame::Connection,
            Error::Usage(_) | Error::Failed => Blame::ThisSide,
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
    /// A point of the base OTs' receiver is not canonical, or is the identity.
    #[error("base OT: a receiver's point is not a valid point")]
    BaseOtReceiverPoint,
    /// The point of the base OTs' sender is not canonical, or is the identity.
    #[error("base OT: the sender's point is not a valid point")]
    BaseOtSenderPoint,
    /// The sender of the base OTs does not prove its challenge: it tries to guess choices.
    #[error("base OT: the sender's challenge")]
    BaseOtChallenge,
    /// The receiver of the base OTs does not know a pad of every instance.
    #[error("base OT: the receiver's answer")]
    BaseOtAnswer,
    /// The sums of the all-but-one OTs belong to no trees: their sender tries to guess Delta.
    #[error("all-but-one OT: the check of the trees")]
    Trees,
    /// The correction matrix of a batch of correlated OTs is not consistent.
    #[error("correlated OT: the consistency check")]
    CotConsistency,
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

/// What is wrong with a message, seen before its content is used. Nothing of the content is quoted,
/// which may be meant for the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Malformed {
    /// The first bytes are not a hello.
    #[error("it does not speak dealerless")]
    Stranger,
    /// The frame carries something else.
    #[error("{expected} expected, {} found", tag_name(*found))]
    Tag {
        /// What is due.
        expected: Tag,
        /// The byte that came instead of its tag.
        found: u8,
    },
    /// The message is longer than its kind ever is.
    #[error("{tag}: {bytes} bytes, of at most {limit}")]
    TooLong {
        /// The kind of the message.
        tag: Tag,
        /// How long it says that it is.
        bytes: usize,
        /// How long it may be.
        limit: usize,
    },
    /// A frame of bulk data has another length than both sides compute.
    #[error("{tag}: a frame of {bytes} bytes instead of {expected}")]
    Length {
        /// The kind of the message.
        tag: Tag,
        /// How long it says that it is.
        bytes: usize,
        /// How long it must be.
        expected: usize,
    },
    /// The bytes are no message of this kind.
    #[error("{0}: cannot be decoded")]
    Undecodable(Tag),
    /// The frame holds more than the message.
    #[error("{tag}: {extra} bytes follow the message in its frame")]
    TrailingBytes {
        /// The kind of the message.
        tag: Tag,
        /// How many bytes are too many.
        extra: usize,
    },
    /// A list in the message has another length than the protocol's.
    #[error("{list}: {found} elements instead of {expected}")]
    ListLength {
        /// Which list.
        list: &'static str,
        /// How many elements came.
        found: usize,
        /// How many must come.
        expected: usize,
    },
}

fn tag_name(byte: u8) -> String {
    match Tag::from_byte(byte) {
        Some(tag) => tag.to_string(),
        None => format!("unknown tag {byte}"),
    }
}

/// What two sides do not agree on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Disagreement {
    /// The peer speaks another version of the protocol.
    #[error("it speaks version {theirs} of the protocol, and this is version {ours}")]
    Version {
        /// The peer's.
        theirs: u16,
        /// This side's.
        ours: u16,
    },
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

/// Whose fault an [`Error`] can be. It shows as what that means for the user, in a sentence or two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Blame {
    /// A peer that cheats, or a line that corrupts data or lets somebody change it. An honest peer
    /// never causes it, whatever its version.
    CheatOrLine,
    /// A peer that is another program, of another version, broken or cheating; or the line.
    ProgramOrLine,
    /// Either side's: both may be honest, and mean different things.
    Either,
    /// The peer's: it went away on purpose. Why, it alone knows.
    Peer,
    /// The line's, or a peer's that went away or is slow.
    Connection,
    /// The caller's on this side; for [`Error::Failed`], that of the error before it.
    ThisSide,
}

impl fmt::Display for Blame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Blame::CheatOrLine => {
                "The other side cheated, or the line corrupts data: stop playing with them."
            }
            Blame::ProgramOrLine => {
                "The other side runs another program or version, a broken one, or cheats; or the \
                 line corrupts data."
            }
            Blame::Either => {
                "Nobody need have cheated: agree with the other side on what both run, and begin \
                 anew."
            }
            Blame::Peer => "The other side does not say why.",
            Blame::Connection => "The session is over. Begin anew: start both sides again.",
            Blame::ThisSide => "The fault is on this side.",
        })
    }
}
