//! Whose fault an error can be.

use std::fmt;

/// Whose fault an error can be. It shows as what that means for the user, in a sentence or two.
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
    /// The caller's on this side; for what has ended, that of the error before.
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
