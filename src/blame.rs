//! Whose fault an error can be.

use std::fmt;

/// Whose fault an error can be. It displays as advice to the user, in a sentence or two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Blame {
    /// A peer that cheats, or a connection that corrupts data or lets an attacker change it. An
    /// honest peer never causes it, whatever its version.
    CheatOrConnection,
    /// A peer that runs another program or version, is broken or cheats; or the connection.
    ProgramOrConnection,
    /// Either side: both may be honest, and disagree on what to run.
    Either,
    /// The peer, which ended the session. It does not say why.
    Peer,
    /// The connection, or a peer that went away or is slow.
    Connection,
    /// The caller on this side. For a session that has ended, see the error that ended it.
    ThisSide,
}

impl fmt::Display for Blame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Blame::CheatOrConnection => {
                "The other side cheated, or the connection corrupts data: stop playing with them."
            }
            Blame::ProgramOrConnection => {
                "The other side runs another program or version, a broken one, or cheats; or the \
                 connection corrupts data."
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
