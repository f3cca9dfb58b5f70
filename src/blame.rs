//! The party that can be at fault for an error.

use std::fmt;

/// The party that can be at fault for an error. Displays as one or two sentences of advice to the
/// user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Blame {
    /// A peer that cheats, or a connection that corrupts data or lets an attacker change it. An
    /// honest peer never causes this error, whatever its version.
    CheatOrConnection,
    /// A peer that runs another program or version, is faulty or cheats; or the connection.
    ProgramOrConnection,
    /// Either side. Both may be honest but disagree on what to run.
    Either,
    /// The peer, which ended the session without giving a reason.
    Peer,
    /// The connection, or a peer that disconnected or is slow.
    Connection,
    /// The caller on this side. If the session has already ended, see the error that ended it.
    ThisSide,
}

impl Blame {
    /// The exit code of a program that ends with this error: 1 for this side, 3 for the connection,
    /// otherwise 2.
    pub const fn exit_code(self) -> u8 {
        match self {
            Blame::ThisSide => 1,
            Blame::Connection => 3,
            _ => 2,
        }
    }
}

impl fmt::Display for Blame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Blame::CheatOrConnection => {
                "The other side cheated, or the connection corrupts data: stop playing with them."
            }
            Blame::ProgramOrConnection => {
                "The other side runs another program or version, is faulty, or cheats; or the \
                 connection corrupts data."
            }
            Blame::Either => {
                "Nobody need have cheated: agree with the other side on what both run, and start \
                 again."
            }
            Blame::Peer => "The other side gave no reason.",
            Blame::Connection => "The session is over. Start both sides again.",
            Blame::ThisSide => "The error is on this side.",
        })
    }
}
