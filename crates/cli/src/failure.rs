//! What an error means for the caller of the program: exit codes and advice.

use dealerless::{Blame, deck, mpc, net};
use dealerless_command_line::failure::Stopped;
pub(crate) use dealerless_command_line::failure::{AnswerIsNo, BROKEN_OFF, OtherTerms};
use dealerless_connection::{MeetingError, SpokenError};
use dealerless_seat::ending::{Breach, CONNECTION, LOCAL, PEER};
use dealerless_seat::event::Event;
use dealerless_seat::failure::{
    self, INTERRUPTED, NO, blame_of_code, blame_of_connection, blame_of_meeting,
};
use dealerless_table::audit::CannotAudit;
use dealerless_table::play::PlayError;
use serde::Serialize;

use crate::output::{NobodyReads, say, show_event, show_json};

/// The exit code when standard output is closed. It is the code that shells report for a program
/// that was ended by SIGPIPE.
const NOBODY_READS: u8 = 141;

/// The meaning of each exit code, as shown in the help.
pub(crate) const EXIT_CODES: [(u8, &str); 7] = [
    (0, "success"),
    (LOCAL, "wrong usage or a local error"),
    (
        PEER,
        "the peer failed a check, broke the protocol, disagreed or aborted",
    ),
    (CONNECTION, "the connection was lost or timed out"),
    (NO, "the answer is no"),
    (BROKEN_OFF, "you ended the program"),
    (NOBODY_READS, "the output was closed"),
];

/// The user has ended the program during a match.
#[derive(Debug, thiserror::Error)]
#[error("{INTERRUPTED}")]
pub(crate) struct BrokenOff;

/// Why a failed check does not prove that the other side cheated.
const LINE: &str = "\
The connection can cause this too: it is not encrypted, so anybody on its path can change
the data, and TCP's checksum detects most accidental errors but not all.";

fn blame(error: &anyhow::Error) -> Blame {
    let deck = error.downcast_ref().map(deck::Error::blame);
    let session = || error.downcast_ref().map(mpc::Error::blame);
    let channel = || error.downcast_ref().map(net::Error::blame);
    let terms = || error.is::<OtherTerms>().then_some(Blame::Either);
    let play = || error.downcast_ref().map(PlayError::blame);
    let meeting = || error.downcast_ref().map(blame_of_meeting);
    let code = || error.downcast_ref().map(blame_of_code);
    let connection = || error.downcast_ref().map(blame_of_connection);
    let audit = || error.downcast_ref().map(of_audit);
    deck.or_else(session)
        .or_else(channel)
        .or_else(terms)
        .or_else(play)
        .or_else(meeting)
        .or_else(code)
        .or_else(connection)
        .or_else(audit)
        .unwrap_or(Blame::ThisSide)
}

fn of_audit(error: &CannotAudit) -> Blame {
    match error {
        CannotAudit::Commitment { .. } => Blame::CheatOrConnection,
        CannotAudit::NotOver => Blame::ThisSide,
        _ => Blame::ProgramOrConnection,
    }
}

/// The exit code of an error, which depends on whose fault it is.
pub(crate) fn exit_code(error: &anyhow::Error) -> u8 {
    if let Some(breach) = error.downcast_ref::<Breach>() {
        return breach.exit_code();
    }
    if error.is::<BrokenOff>() || error.is::<Stopped>() {
        return BROKEN_OFF;
    }
    if error.is::<NobodyReads>() {
        return NOBODY_READS;
    }
    if error.is::<AnswerIsNo>() {
        return NO;
    }
    if let Some(error) = error.downcast_ref() {
        return failure::exit_code_of_meeting(error);
    }
    failure::exit_code(blame(error))
}

/// The message of an error, its meaning, and what to do.
pub(crate) fn explain(error: &anyhow::Error) -> String {
    match blame(error) {
        _ if error.is::<SpokenError>() => format!("{error:#}"),
        blame if error.is::<PlayError>() || error.is::<MeetingError>() => {
            let advice = error.downcast_ref().map(failure::advice);
            let advice = advice.unwrap_or_else(|| failure::meaning(blame));
            format!("{error:#}\n{advice}")
        }
        Blame::ThisSide => format!("{error:#}"),
        blame @ Blame::CheatOrConnection => format!("{error:#}\n{blame}\n{LINE}"),
        blame => format!("{error:#}\n{blame}"),
    }
}

/// The reports of a command to a program.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reports<'a> {
    /// No reports: the output is for people.
    ToNobody,
    /// Objects that name the command.
    Objects(&'a str),
    /// Events of a match.
    Events,
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

/// Reports why a command failed, to people and, if there is one, to a program. Returns the exit
/// code.
pub(crate) fn report(error: &anyhow::Error, reports: Reports<'_>) -> u8 {
    let code = exit_code(error);
    if code == NOBODY_READS {
        return code;
    }
    let message = explain(error);
    // The command's own object has reported the negative answer, or the results until Ctrl-C.
    let is_reported = matches!(code, NO | BROKEN_OFF) && reports != Reports::Events;
    if !is_reported {
        report_to_program(code, &message, reports);
    }
    match code {
        // The event is enough: the process that serves the page prints its own message.
        BROKEN_OFF if reports == Reports::Events => {}
        NO | BROKEN_OFF => say(&message),
        _ => say(&format!("error: {message}")),
    }
    code
}

/// Reports to a program why a command failed.
pub(crate) fn report_to_program(exit_code: u8, message: &str, reports: Reports<'_>) {
    // The error itself matters more than a failure to report it.
    let _ = match reports {
        Reports::ToNobody => Ok(()),
        Reports::Objects(command) => show_json(
            command,
            &Failed {
                error: Failure { exit_code, message },
            },
        ),
        Reports::Events => show_event(&Event::Error {
            code: None,
            exit_code: Some(exit_code),
            message: message.to_owned(),
        }),
    };
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
            let explained = explain(&error);
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
        assert!(explain(&error).contains("correlated OT: the consistency check"));
    }
}
