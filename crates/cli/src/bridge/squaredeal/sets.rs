//! The sets of a tournament.

use std::io::{self, Write};

use dealerless_bridge::squaredeal::{BoardRange, Session, Set};
use serde::Serialize;

use super::verdict::Checked;
use crate::output::json_line;

/// Values that the organiser announced after the description was published.
#[derive(Clone, Copy)]
pub(super) struct Announced {
    /// The boards of each phase for which the description has no board numbers.
    pub(super) boards: Option<BoardRange>,
    /// The number of sessions of each phase for which the description has no such number.
    pub(super) sessions: Option<u32>,
}

/// Passes each set to `take`, with its phase and session. Returns the phases with sets that cannot
/// be computed.
pub(super) fn each<E>(
    checked: &Checked<'_>,
    later: Announced,
    set: Set,
    mut take: impl FnMut([u32; 2], Session<'_>) -> Result<(), E>,
) -> Result<Vec<u32>, E> {
    let mut left_out = Vec::new();
    for (number, phase) in (1..).zip(checked.description.phases()) {
        let sessions = phase.sessions().or(later.sessions).unwrap_or(0);
        let mut is_complete = sessions > 0;
        for session in 1..=sessions {
            let (of, keys) = ([number, session], checked.keys);
            match (checked.description).session(keys, of, set, checked.value, later.boards) {
                Some(session) => take(of, session)?,
                None => is_complete = false,
            }
        }
        if !is_complete {
            left_out.push(number);
        }
    }
    Ok(left_out)
}

/// A set in the output of `--json`.
#[derive(Serialize)]
struct SetReport {
    set: String,
    description: String,
    phase: u32,
    session: u32,
    reserve: bool,
    boards: Vec<BoardReport>,
}

#[derive(Serialize)]
struct BoardReport {
    board: u32,
    deal: String,
}

/// A phase with sets that cannot be computed, in the output of `--json`.
#[derive(Serialize)]
struct LeftOut {
    left_out_of_phase: u32,
}

/// Writes the boards of all sets of a kind, each set with the name of its file.
pub(super) fn write(
    checked: &Checked<'_>,
    later: Announced,
    set: Set,
    json: Option<&str>,
    output: &mut dyn Write,
) -> io::Result<()> {
    let left_out = each(checked, later, set, |of, session| match json {
        Some(command) => write_json(command, of, set, &session, output),
        None => write_text(&session, output),
    })?;
    write_left_out(&left_out, json, output)
}

/// Reports the phases with sets that cannot be computed.
pub(super) fn write_left_out(
    phases: &[u32],
    json: Option<&str>,
    output: &mut dyn Write,
) -> io::Result<()> {
    for &phase in phases {
        match json {
            Some(command) => {
                let left_out_of_phase = phase;
                writeln!(output, "{}", line(command, &LeftOut { left_out_of_phase })?)?;
            }
            None => writeln!(
                output,
                "Phase {phase}: skipped sets whose key, boards (--boards) or number (--sessions) is unknown."
            )?,
        }
    }
    Ok(())
}

fn write_text(session: &Session<'_>, output: &mut dyn Write) -> io::Result<()> {
    writeln!(output, "{}  {}", session.file_name(), session.description())?;
    for board in session.boards() {
        writeln!(output, "{:4}  {}", board.number, board.deal)?;
    }
    Ok(())
}

fn write_json(
    command: &str,
    [phase, number]: [u32; 2],
    set: Set,
    session: &Session<'_>,
    output: &mut dyn Write,
) -> io::Result<()> {
    let boards = session.boards().map(|board| BoardReport {
        board: board.number,
        deal: board.deal.to_string(),
    });
    let report = SetReport {
        set: session.file_name(),
        description: session.description(),
        phase,
        session: number,
        reserve: set == Set::Reserve,
        boards: boards.collect(),
    };
    writeln!(output, "{}", line(command, &report)?)
}

/// A line of `--json`.
pub(super) fn line(command: &str, report: &impl Serialize) -> io::Result<String> {
    json_line(command, report).map_err(io::Error::other)
}
