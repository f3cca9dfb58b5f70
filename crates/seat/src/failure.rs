//! What an error at a table means for the player: whose fault it can be, the exit code, and advice.

use dealerless::Blame;
use dealerless_connection::{ConnectionError, MeetingError, SpokenError};
use dealerless_table::play::PlayError;

/// The exit code when the command succeeded and the answer is no, for example when the host declines.
pub const NO: u8 = 4;

/// The error of a player who has ended the program during a match.
pub const INTERRUPTED: &str =
    "Interrupted. The match stays open; `dealerless resume` continues it.";

/// Returns whose fault the error of a meeting can be.
pub fn blame_of_meeting(error: &MeetingError) -> Blame {
    match error {
        MeetingError::OnlyPrivate { .. }
        | MeetingError::Unreachable { .. }
        | MeetingError::NotAnswered
        | MeetingError::WrongHost
        | MeetingError::Connection(_)
        | MeetingError::Relay { .. }
        | MeetingError::NobodyAtRelay(_)
        | MeetingError::NobodyWaits
        | MeetingError::NoRelay(_) => Blame::Connection,
        MeetingError::NoAddress | MeetingError::Oneself | MeetingError::Invites(_) => {
            Blame::ThisSide
        }
        MeetingError::Used => Blame::Either,
        _ => Blame::ProgramOrConnection,
    }
}

/// Returns whose fault the error of a code can be.
pub fn blame_of_code(error: &SpokenError) -> Blame {
    match error {
        SpokenError::Relay(_)
        | SpokenError::NoNewCode(_)
        | SpokenError::TooMany
        | SpokenError::WrongHost => Blame::Connection,
        SpokenError::Invite => Blame::ProgramOrConnection,
        _ => Blame::ThisSide,
    }
}

/// Returns whose fault the error of a connection can be.
pub fn blame_of_connection(error: &ConnectionError) -> Blame {
    match error {
        ConnectionError::Forged | ConnectionError::Broken(_) => Blame::ProgramOrConnection,
        ConnectionError::MessageSize(_)
        | ConnectionError::EngineInUse
        | ConnectionError::ClosedHere => Blame::ThisSide,
        _ => Blame::Connection,
    }
}

/// Returns the exit code of an error of a meeting.
pub fn exit_code_of_meeting(error: &MeetingError) -> u8 {
    match error {
        MeetingError::Used => NO,
        _ => blame_of_meeting(error).exit_code(),
    }
}

/// Returns advice about an error that stopped a seat.
pub fn advice(error: &PlayError) -> &'static str {
    match (error.blame(), error) {
        (Blame::ThisSide, PlayError::Deck) => {
            "Restore the file. If it is lost, `dealerless resume --forfeit` removes it and gives up the hand."
        }
        (Blame::ThisSide, PlayError::Journal(_) | PlayError::Vault(_)) => {
            "Everything that was sent is in the file. When the disk is writable again, `dealerless \
             resume` continues the match."
        }
        (Blame::ThisSide, PlayError::Uncounted(_)) => {
            "If the peer's attempts are used up, `dealerless peers forgive NAME` resets the count, at a \
             small cost in security."
        }
        (blame, _) => meaning(blame),
    }
}

/// Returns the meaning of an error with this blame, in a match or a meeting. On an encrypted
/// connection, only the two sides can change the data.
pub fn meaning(blame: Blame) -> &'static str {
    match blame {
        Blame::CheatOrConnection => "The other side cheated: stop playing with them.",
        Blame::ProgramOrConnection => {
            "The other side runs another program or version, has a bug, or cheats."
        }
        Blame::Either => {
            "This does not mean that anybody cheated: agree with the other side, and start again."
        }
        Blame::Peer => "The other side gave no reason.",
        Blame::Connection => {
            "If the match had begun, its record contains everything played so far."
        }
        _ => "The error is on this side.",
    }
}
