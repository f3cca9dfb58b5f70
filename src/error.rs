//! What can go wrong in a session, and whose fault it can be.

use std::time::Duration;

/// The result of an operation that talks to the peer.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of a two-party session.
///
/// After any of these but [`Error::Usage`] the session is unusable: its secrets are wiped and a new
/// one must be begun.
/// No variant carries a secret, so that an error can be shown and logged.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The peer sent something that an honest peer never sends. The name of the check stays on
    /// this side: the peer is told only that the session was aborted.
    #[error("the peer broke the protocol: {check}")]
    Protocol {
        /// The check that failed, in a few words.
        check: String,
    },
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
    /// A violation of the protocol by the peer, naming the `check` that caught it.
    pub fn protocol(check: impl Into<String>) -> Self {
        Error::Protocol {
            check: check.into(),
        }
    }

    /// A misuse by the local caller.
    pub fn usage(what: impl Into<String>) -> Self {
        Error::Usage(what.into())
    }
}
