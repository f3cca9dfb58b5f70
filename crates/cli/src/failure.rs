//! What an error means for the caller of the program: exit codes and advice.

use dealerless::Blame;
use dealerless_command_line::failure;
pub(crate) use dealerless_command_line::failure::{AnswerIsNo, BROKEN_OFF};
use dealerless_command_line::failure::{NO, NOBODY_READS};
use dealerless_command_line::usage::{Called, LOCAL};
use dealerless_connection::{MeetingError, SpokenError};
use dealerless_seat::ending::{Breach, CONNECTION, PEER};
use dealerless_seat::event::Event;
use dealerless_seat::failure::{
    advice, blame_of_code, blame_of_connection, blame_of_meeting, exit_code_of_meeting, meaning,
};
use dealerless_seat::run;
pub(crate) use dealerless_seat::run::{BrokenOff, NotBegun};
use dealerless_seat::words::Narrator;
use dealerless_table::audit::CannotAudit;
use dealerless_table::play::PlayError;

use crate::output::show;

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

/// Returns whose fault an error of a table can be, or `None` for other errors.
fn blame(error: &anyhow::Error) -> Option<Blame> {
    let play = error.downcast_ref().map(PlayError::blame);
    let meeting = || error.downcast_ref().map(blame_of_meeting);
    let code = || error.downcast_ref().map(blame_of_code);
    let connection = || error.downcast_ref().map(blame_of_connection);
    let audit = || error.downcast_ref().map(of_audit);
    play.or_else(meeting)
        .or_else(code)
        .or_else(connection)
        .or_else(audit)
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
    if error.is::<BrokenOff>() || error.is::<NotBegun>() {
        return BROKEN_OFF;
    }
    if error.is::<run::AnswerIsNo>() {
        return NO;
    }
    if let Some(error) = error.downcast_ref() {
        return exit_code_of_meeting(error);
    }
    blame(error).map_or_else(|| failure::exit_code(error), Blame::exit_code)
}

/// The message of an error, its meaning, and what to do.
pub(crate) fn explain(error: &anyhow::Error) -> String {
    if error.is::<SpokenError>() {
        return format!("{error:#}");
    }
    let blame = blame(error).unwrap_or_else(|| failure::blame(error));
    if error.is::<PlayError>() || error.is::<MeetingError>() {
        let advice = error.downcast_ref().map(advice);
        let advice = advice.unwrap_or_else(|| meaning(blame));
        return format!("{error:#}\n{advice}");
    }
    failure::explain(error, blame)
}

/// Whether the command reports events of a match to a program.
fn reports_events(called: &Called) -> bool {
    called.json && ["host", "join", "resume", "audit"].contains(&&*called.name)
}

/// Reports why a command failed, to people and, with `--json`, to a program. Returns the exit code.
pub(crate) fn report(called: &Called, error: &anyhow::Error) -> u8 {
    let (code, message) = (exit_code(error), explain(error));
    if error.is::<NotBegun>() {
        return code;
    }
    if !reports_events(called) {
        failure::report(called, code, &message);
    } else if code != NOBODY_READS {
        report_to_program(called, code, &message);
        // After Ctrl-C the event is enough: the process that serves the page prints its own message.
        if code != BROKEN_OFF {
            failure::report_to_people(code, &message);
        }
    }
    code
}

/// Reports with `--json` to a program why a command failed.
pub(crate) fn report_to_program(called: &Called, exit_code: u8, message: &str) {
    if !reports_events(called) {
        return failure::report_to_program(called, exit_code, message);
    }
    // The error itself matters more than a failure to report it.
    let event = Event::Error {
        code: None,
        exit_code: Some(exit_code),
        message: message.to_owned(),
    };
    let line = Narrator::default().line(&event);
    let _ = line.map_err(Into::into).and_then(|line| show(&line));
}
