//! Errors with their own exit codes, and the report of an error to the caller of a program.

use dealerless::{Blame, deck, mpc, net};
use serde::Serialize;

use crate::output::{NobodyReads, say, show_json};
use crate::usage::Called;

/// The exit code when the command succeeded and the answer is no.
pub const NO: u8 = 4;

/// The exit code when the user has ended the program: by Ctrl-C, or by closing the terminal or
/// standard input. A match can be resumed.
pub const BROKEN_OFF: u8 = 130;

/// The exit code when standard output is closed. It is the code that shells report for a program
/// that was ended by SIGPIPE.
pub const NOBODY_READS: u8 = 141;

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

/// Why a failed check does not prove that the other side cheated.
const LINE: &str = "\
The connection can cause this too: it is not encrypted, so anybody on its path can change
the data, and TCP's checksum detects most accidental errors but not all.";

/// Returns whose fault an error can be.
pub fn blame(error: &anyhow::Error) -> Blame {
    let deck = error.downcast_ref().map(deck::Error::blame);
    let session = || error.downcast_ref().map(mpc::Error::blame);
    let channel = || error.downcast_ref().map(net::Error::blame);
    let terms = || error.is::<OtherTerms>().then_some(Blame::Either);
    deck.or_else(session)
        .or_else(channel)
        .or_else(terms)
        .unwrap_or(Blame::ThisSide)
}

/// Returns the exit code of an error.
pub fn exit_code(error: &anyhow::Error) -> u8 {
    if error.is::<Stopped>() {
        return BROKEN_OFF;
    }
    if error.is::<NobodyReads>() {
        return NOBODY_READS;
    }
    if error.is::<AnswerIsNo>() {
        return NO;
    }
    blame(error).exit_code()
}

/// Returns the message of an error with this blame, its meaning, and what to do.
pub fn explain(error: &anyhow::Error, blame: Blame) -> String {
    match blame {
        Blame::ThisSide => format!("{error:#}"),
        Blame::CheatOrConnection => format!("{error:#}\n{blame}\n{LINE}"),
        _ => format!("{error:#}\n{blame}"),
    }
}

/// The JSON object that reports an error.
#[derive(Serialize)]
struct Failed<'a> {
    error: Failure<'a>,
}

#[derive(Serialize)]
struct Failure<'a> {
    exit_code: u8,
    message: &'a str,
}

/// Reports why a command failed, to people and, with `--json`, to a program.
pub fn report(called: &Called, exit_code: u8, message: &str) {
    // The command's own object has reported the negative answer, or the results until Ctrl-C.
    if !matches!(exit_code, NO | BROKEN_OFF | NOBODY_READS) {
        report_to_program(called, exit_code, message);
    }
    report_to_people(exit_code, message);
}

/// Reports with `--json` to a program why a command failed.
pub fn report_to_program(called: &Called, exit_code: u8, message: &str) {
    let error = Failure { exit_code, message };
    if called.json {
        // The error itself matters more than a failure to report it.
        let _ = show_json(&called.name, &Failed { error });
    }
}

/// Reports to people why a command failed.
pub fn report_to_people(exit_code: u8, message: &str) {
    match exit_code {
        NOBODY_READS => {}
        NO | BROKEN_OFF => say(message),
        _ => say(&format!("error: {message}")),
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::time::Duration;

    use anyhow::Context;
    use dealerless::mpc::Check;
    use dealerless::net::Malformed;
    use dealerless::ot;

    use super::*;
    use crate::usage::LOCAL;

    /// Errors for each blame, with the exit code and a part of the advice.
    fn errors() -> [(anyhow::Error, u8, &'static str); 11] {
        let during = "testing";
        let source = io::ErrorKind::ConnectionReset.into();
        let limit = Duration::from_secs(1);
        [
            (
                mpc::Error::Check(mpc::Check::AndGates).into(),
                2,
                "cheated, or the connection corrupts data: stop playing",
            ),
            (
                net::Error::Malformed(Malformed::Stranger).into(),
                2,
                "another program or version",
            ),
            (
                mpc::Error::Disagreement(mpc::Disagreement::SameRole).into(),
                2,
                "Nobody need have cheated",
            ),
            (net::Error::Aborted.into(), 2, "gave no reason"),
            (
                net::Error::Lost { during, source }.into(),
                3,
                "connection reset\nThe session is over. Start both sides again",
            ),
            (
                mpc::Error::Channel(net::Error::Timeout { during, limit }).into(),
                3,
                "Start both sides again",
            ),
            (
                net::Error::Address(io::ErrorKind::NotFound.into()).into(),
                1,
                "not found",
            ),
            (
                deck::Error::Session(mpc::Error::Channel(net::Error::Aborted)).into(),
                2,
                "gave no reason",
            ),
            (
                OtherTerms("testing".into()).into(),
                2,
                "Nobody need have cheated",
            ),
            (mpc::Error::Usage("misuse".into()).into(), 1, ""),
            (mpc::Error::Ended.into(), 1, ""),
        ]
    }

    #[test]
    fn the_exit_code_distinguishes_peer_connection_and_this_side() {
        for (error, code, _) in errors() {
            assert_eq!(exit_code(&error), code);
        }
        assert_eq!(exit_code(&anyhow::anyhow!("no such file")), 1);
    }

    #[test]
    fn errors_of_a_session_are_explained_and_local_errors_are_not() {
        for (error, code, advice) in errors() {
            let text = error.to_string();
            let explained = explain(&error, blame(&error));
            assert!(explained.starts_with(&text), "{explained}");
            assert!(explained.contains(advice), "{explained}");
            assert_eq!(explained.contains('\n'), code != LOCAL, "{explained}");
        }
    }

    #[test]
    fn context_hides_neither_the_exit_code_nor_the_check() {
        let check = Check::ObliviousTransfer(ot::Check::CotConsistency);
        let outcome: mpc::Result<()> = Err(mpc::Error::Check(check));
        let error = outcome.context("while playing").unwrap_err();
        assert_eq!(exit_code(&error), 2);
        assert!(explain(&error, blame(&error)).contains("correlated OT: the consistency check"));
    }
}
