//! What an error means: the exit code that the native program would have, and what to do.

use dealerless::Blame;
use dealerless_events::ending::{Breach, LOCAL, PEER};
use dealerless_table::connection::MeetingError;
use dealerless_table::play::PlayError;

/// The answer of another player is no.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct AnswerIsNo(pub(crate) &'static str);

/// The player has ended the program.
#[derive(Debug, thiserror::Error)]
#[error("Interrupted. The match stays open.")]
pub(crate) struct BrokenOff;

/// The exit code of an error.
pub(crate) fn exit_code(error: &anyhow::Error) -> u8 {
    if let Some(breach) = error.downcast_ref::<Breach>() {
        return breach.exit_code();
    }
    if error.is::<BrokenOff>() {
        return 130;
    }
    if error.is::<AnswerIsNo>() {
        return 4;
    }
    match error.downcast_ref().map(PlayError::blame) {
        Some(Blame::Connection) => 3,
        Some(Blame::ThisSide) => LOCAL,
        Some(_) => PEER,
        None if error.is::<MeetingError>() => 3,
        None => LOCAL,
    }
}
