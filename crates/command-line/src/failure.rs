//! Errors with their own exit codes.

/// The exit code when the user has ended the program: by Ctrl-C, or by closing the terminal or
/// standard input. A match can be resumed.
pub const BROKEN_OFF: u8 = 130;

/// The answer to the user's question is "no". The command has printed the answer to standard
/// output.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct AnswerIsNo(pub &'static str);

/// The user has interrupted a measurement or a count.
#[derive(Debug, thiserror::Error)]
#[error("Ended by Ctrl-C. The results cover what was completed.")]
pub struct Stopped;

/// The peer uses different settings. Both sides may be honest.
#[derive(Debug, thiserror::Error)]
#[error("the two sides do not agree: {0}")]
pub struct OtherTerms(pub String);
