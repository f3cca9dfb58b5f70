//! What an error means for the player: the exit code that the native program would have, and what to do.

use dealerless::Blame;
use dealerless_connection::{ConnectionError, MeetingError, SpokenError};
use dealerless_table::play::{PlayError, Term};

use crate::ending::Breach;
use crate::failure::{
    INTERRUPTED, NO, advice, blame_of_code, blame_of_connection, blame_of_meeting,
    exit_code_of_meeting, meaning,
};

/// The exit code when the player has ended the program.
const BROKEN_OFF: u8 = 130;

/// The answer of a player is no.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct AnswerIsNo(pub &'static str);

/// The host's proposal does not meet the requirements of a guest.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Differs {
    /// The term that the host is told.
    pub term: Term,
    /// The message to the guest's player.
    pub message: String,
}

/// The player has ended the program.
#[derive(Debug, thiserror::Error)]
#[error("{INTERRUPTED}")]
pub struct BrokenOff;

/// The player has ended the program before a match. There is nothing to tell.
#[derive(Debug, thiserror::Error)]
#[error("ended before a match")]
pub struct NotBegun;

/// Whether the player has ended the program.
pub(super) fn is_by_player(error: &anyhow::Error) -> bool {
    error.is::<BrokenOff>() || error.is::<NotBegun>()
}

fn blame(error: &anyhow::Error) -> Option<Blame> {
    let play = error.downcast_ref().map(PlayError::blame);
    let meeting = || error.downcast_ref::<MeetingError>().map(blame_of_meeting);
    let connection = || {
        error
            .downcast_ref::<ConnectionError>()
            .map(blame_of_connection)
    };
    let code = error.downcast_ref().map(blame_of_code);
    play.or_else(meeting).or(code).or_else(connection)
}

/// The exit code of an error.
pub(super) fn exit_code(error: &anyhow::Error) -> u8 {
    if let Some(breach) = error.downcast_ref::<Breach>() {
        return breach.exit_code();
    }
    if is_by_player(error) {
        return BROKEN_OFF;
    }
    if error.is::<AnswerIsNo>() {
        return NO;
    }
    if let Some(error) = error.downcast_ref() {
        return exit_code_of_meeting(error);
    }
    blame(error).unwrap_or(Blame::ThisSide).exit_code()
}

/// The message of an error, and what to do.
pub(super) fn explain(error: &anyhow::Error) -> String {
    let advice = match error.downcast_ref::<PlayError>() {
        Some(error) => Some(advice(error)),
        None if error.is::<SpokenError>() => None,
        None => blame(error).map(meaning),
    };
    match advice {
        Some(advice) => format!("{error:#}\n{advice}"),
        None => format!("{error:#}"),
    }
}
