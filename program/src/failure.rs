//! Errors with an exit code of their own.

/// The exit code when the user has ended the program (Ctrl-C, the end of the terminal or of its
/// input). A match can be resumed.
pub const BROKEN_OFF: u8 = 130;

/// The answer to the user's question is no. The command has printed it on standard output.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct AnswerIsNo(pub &'static str);

/// The user has ended a measurement.
#[derive(Debug, thiserror::Error)]
#[error("Ended by Ctrl-C: what is shown is of the rounds until then.")]
pub struct Stopped;

/// The peer asked for other terms than this side. Both may be honest.
#[derive(Debug, thiserror::Error)]
#[error("the two sides do not agree: {0}")]
pub struct OtherTerms(pub String);
