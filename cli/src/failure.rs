//! What an error means for the caller of the program.

use std::error::Error;

use dealerless::{Blame, deck, mpc, net};
use dealerless_events::ending::{Breach, LOCAL, PEER};
use dealerless_events::event::Event;
use dealerless_program::failure::Stopped;
pub(crate) use dealerless_program::failure::{AnswerIsNo, BROKEN_OFF, OtherTerms};
use dealerless_table::audit::CannotAudit;
use dealerless_table::connection::{ConnectionError, MeetingError};
use dealerless_table::play::PlayError;
use serde::Serialize;

use crate::output::{NobodyReads, say, show_event, show_json};

/// The exit code when the connection was lost or timed out.
const LOST: u8 = 3;
/// The exit code when all went well and the answer is no: a record does not verify, for example.
const NO: u8 = 4;
/// The exit code when nobody reads standard output any more: the one that shells give to a program
/// that the system has ended for it.
const NOBODY_READS: u8 = 141;

/// What each exit code means, as the help says it.
pub(crate) const EXIT_CODES: [(u8, &str); 7] = [
    (0, "fine"),
    (LOCAL, "wrong usage or a local fault"),
    (
        PEER,
        "the peer failed a check, broke the protocol, disagreed or aborted",
    ),
    (LOST, "the connection was lost or timed out"),
    (NO, "the answer is no"),
    (BROKEN_OFF, "you ended the program"),
    (NOBODY_READS, "nobody reads the output any more"),
];

/// The user has ended the program in a match.
#[derive(Debug, thiserror::Error)]
#[error("Broken off. The match stays open: `dealerless resume` goes on with it.")]
pub(crate) struct BrokenOff;

/// Why a check that fails does not prove that the other side cheated.
const LINE: &str = "\
The line can do it too: it is not encrypted, so whoever is on it can change what passes,
and TCP's own checksum finds most accidents, not all.";

fn blame(error: &anyhow::Error) -> Blame {
    let deck = error.downcast_ref().map(deck::Error::blame);
    let session = || error.downcast_ref().map(mpc::Error::blame);
    let channel = || error.downcast_ref().map(net::Error::blame);
    let terms = || error.is::<OtherTerms>().then_some(Blame::Either);
    let play = || error.downcast_ref().map(PlayError::blame);
    let meeting = || error.downcast_ref().map(of_meeting);
    let connection = || error.downcast_ref().map(of_connection);
    let audit = || error.downcast_ref().map(of_audit);
    deck.or_else(session)
        .or_else(channel)
        .or_else(terms)
        .or_else(play)
        .or_else(meeting)
        .or_else(connection)
        .or_else(audit)
        .unwrap_or(Blame::ThisSide)
}

fn of_meeting(error: &MeetingError) -> Blame {
    match error {
        MeetingError::OnlyPrivate { .. }
        | MeetingError::Unreachable { .. }
        | MeetingError::NotAnswered
        | MeetingError::Connection(_)
        | MeetingError::Relay { .. }
        | MeetingError::NobodyAtRelay(_) => Blame::Connection,
        MeetingError::NoAddress | MeetingError::Oneself | MeetingError::Invites(_) => {
            Blame::ThisSide
        }
        MeetingError::Used => Blame::Either,
        MeetingError::WrongHost => Blame::CheatOrConnection,
        _ => Blame::ProgramOrConnection,
    }
}

fn of_connection(error: &ConnectionError) -> Blame {
    match error {
        ConnectionError::Forged | ConnectionError::Broken(_) => Blame::ProgramOrConnection,
        ConnectionError::MessageSize(_)
        | ConnectionError::EngineInUse
        | ConnectionError::ClosedHere => Blame::ThisSide,
        _ => Blame::Connection,
    }
}

fn of_audit(error: &CannotAudit) -> Blame {
    match error {
        CannotAudit::Commitment { .. } => Blame::CheatOrConnection,
        CannotAudit::NotOver => Blame::ThisSide,
        _ => Blame::ProgramOrConnection,
    }
}

/// The exit code that says whose fault it is.
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
    match blame(error) {
        Blame::Connection => LOST,
        Blame::ThisSide => LOCAL,
        _ => PEER,
    }
}

/// The message, what it means, and how to go on.
pub(crate) fn explain(error: &anyhow::Error) -> String {
    match blame(error) {
        Blame::ThisSide if error.is::<PlayError>() => {
            format!("{error:#}\n{}", on_this_side(error))
        }
        // On an encrypted line only its ends can change what passes.
        blame if error.is::<PlayError>() || error.is::<MeetingError>() => {
            format!("{error:#}\n{}", at_a_table(blame))
        }
        Blame::ThisSide => format!("{error:#}"),
        blame @ Blame::CheatOrConnection => format!("{error:#}\n{blame}\n{LINE}"),
        blame => format!("{error:#}\n{blame}"),
    }
}

/// An error and its sources, in one line.
pub(crate) fn with_sources(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        let more = error.to_string();
        if !text.ends_with(&more) {
            text = format!("{text}: {more}");
        }
        source = error.source();
    }
    text
}

/// How a command reports to a program.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reports<'a> {
    /// Not at all: only people read it.
    ToNobody,
    /// By objects that name the command.
    Objects(&'a str),
    /// By the events of a match.
    Events,
}

/// The object that stands for an error.
#[derive(Serialize)]
struct Failed<'a> {
    error: Told<'a>,
}

#[derive(Serialize)]
struct Told<'a> {
    exit_code: u8,
    message: &'a str,
}

/// Tells why a command failed, to people and, if there is one, to a program. Gives the exit code.
pub(crate) fn tell(error: &anyhow::Error, reports: Reports<'_>) -> u8 {
    let code = exit_code(error);
    if code == NOBODY_READS {
        return code;
    }
    let message = explain(error);
    // What was found, or measured until Ctrl-C, was told by the object of the command.
    let is_told = matches!(code, NO | BROKEN_OFF) && reports != Reports::Events;
    if !is_told {
        tell_program(code, &message, reports);
    }
    match code {
        // A program that ends another one is told by the event. The terminal of a page is told by the page.
        BROKEN_OFF if reports == Reports::Events => {}
        NO | BROKEN_OFF => say(&message),
        _ => say(&format!("error: {message}")),
    }
    code
}

/// Tells a program why a command failed.
pub(crate) fn tell_program(exit_code: u8, message: &str, reports: Reports<'_>) {
    // The error itself matters more than that it could not be shown here.
    let _ = match reports {
        Reports::ToNobody => Ok(()),
        Reports::Objects(command) => show_json(
            command,
            &Failed {
                error: Told { exit_code, message },
            },
        ),
        Reports::Events => show_event(&Event::Error {
            code: None,
            exit_code: Some(exit_code),
            message: message.to_owned(),
        }),
    };
}

/// What to do about a fault of this side in a match.
fn on_this_side(error: &anyhow::Error) -> &'static str {
    match error.downcast_ref() {
        Some(PlayError::Deck) => {
            "Put the file back as it was. If it is lost, `dealerless resume --forfeit` removes it and \
             gives up the hand."
        }
        Some(PlayError::Journal(_) | PlayError::Vault(_)) => {
            "Nothing was sent that is not written. When the disk can be written to again, \
             `dealerless resume` goes on."
        }
        Some(PlayError::Uncounted(_)) => {
            "If the peer's attempts are used up, `dealerless peers forgive NAME` allows as many again, \
             which costs a bit of security."
        }
        _ => "The fault is on this side.",
    }
}

/// What an error means for a match over an encrypted line.
fn at_a_table(blame: Blame) -> &'static str {
    match blame {
        Blame::CheatOrConnection => "The other side cheated: stop playing with them.",
        Blame::ProgramOrConnection => {
            "The other side runs another program or version, a broken one, or cheats."
        }
        Blame::Either => "Nobody need have cheated: agree with the other side, and begin anew.",
        Blame::Peer => "The other side does not say why.",
        Blame::Connection => {
            "What was played until now is in the record of the match, if it had begun."
        }
        _ => "The fault is on this side.",
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

    /// An error for each blame, with its exit code and a part of the advice.
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
            (net::Error::Aborted.into(), 2, "does not say why"),
            (
                net::Error::Lost { during, source }.into(),
                3,
                "connection reset\nThe session is over. Begin anew",
            ),
            (
                mpc::Error::Channel(net::Error::Timeout { during, limit }).into(),
                3,
                "Begin anew",
            ),
            (
                net::Error::Address(io::ErrorKind::NotFound.into()).into(),
                1,
                "not found",
            ),
            (
                deck::Error::Session(mpc::Error::Channel(net::Error::Aborted)).into(),
                2,
                "does not say why",
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
    fn the_exit_code_tells_the_peer_from_the_line_and_from_this_side() {
        for (error, code, _) in errors() {
            assert_eq!(exit_code(&error), code);
        }
        assert_eq!(exit_code(&anyhow::anyhow!("no such file")), 1);
    }

    #[test]
    fn every_error_of_a_session_comes_with_what_it_means_and_none_of_this_side_does() {
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
