//! The command `bench`: measures shuffles and other circuits phase by phase, on this machine or
//! between two machines.

mod args;
mod barrier;
mod csv;
mod environment;
mod link;
mod picture;
mod plan;
mod remote_barrier;
mod report;
mod resources;
mod shaped;
mod side;
mod statistics;
mod sweep;
mod table;
mod verifiable;
mod virtual_link;

use std::path::Path;

use anyhow::ensure;
use dealerless_command_line::failure::Stopped;
use dealerless_command_line::output::{say, show, show_json};
use dealerless_command_line::whole_file;

pub use self::args::Args;
use self::args::DeckKind;
use self::environment::Environment;
use self::picture::Sweep;
use self::report::Report;
use self::sweep::Measured;
use crate::plot::Picture;
use crate::session::{Evaluates, PLAIN_TCP_WARNING, notice};
use crate::stop::Stop;

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<()> {
    if let Some(DeckKind::Verifiable) = args.deck {
        return verifiable::run(args);
    }
    let netlists = plan::netlists(args)?;
    let configurations = plan::configurations(args, &netlists)?;
    let sweep = match &args.output {
        Some(_) => Some(Sweep::of(args.plot, &configurations)?),
        None => None,
    };
    check_outputs(args)?;
    let evaluates = if netlists.is_empty() {
        Evaluates::Deck
    } else {
        Evaluates::Circuit
    };
    for engine in plan::once(&args.engine) {
        say(notice(engine.security(), evaluates));
    }
    let both_here = args.listen.is_none() && args.connect.is_none();
    if !both_here {
        say(PLAIN_TCP_WARNING);
    }
    let environment = Environment::detect(both_here);
    let stop = Stop::by_signal("Stopping after this round; press Ctrl-C again to stop at once.")?;
    let mut measured = Vec::new();
    let outcome = sweep::measure(args, &configurations, &stop, &mut measured);
    let ended = if stop.is_asked() {
        outcome.and(Err(Stopped.into()))
    } else {
        outcome
    };
    if measured.is_empty() {
        if stop.is_asked() {
            say("Nothing was measured before the interruption.");
        }
        return ended;
    }
    if ended.is_err() {
        let (done, all) = (measured.len(), configurations.len());
        say(&format!(
            "Measured before the interruption: {done} of {all} rows."
        ));
    }
    // The error that ended the measurement takes precedence over errors of the output.
    ended.and(write_results(args, &measured, &environment, sweep.as_ref()))
}

/// Checks before the measurement that the requested outputs can be written.
///
/// # Errors
/// If two outputs have the same destination, or a destination is invalid.
fn check_outputs(args: &Args) -> anyhow::Result<()> {
    let files = [args.output.as_deref(), args.rounds_csv.as_deref()];
    let to_standard = files.iter().filter(|path| is_standard(**path)).count();
    ensure!(
        to_standard + usize::from(args.json || args.csv || args.latex) <= 1,
        "only one output can go to standard output: give the other outputs a file"
    );
    ensure!(
        files[0].is_none() || files[0] != files[1],
        "the picture and the rounds cannot be the same file"
    );
    whole_file::check_output(files[0], &Picture::ENDINGS, &[])?;
    for path in files.into_iter().flatten() {
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        if let Some(folder) = folder {
            ensure!(
                folder.is_dir(),
                "folder {} does not exist",
                folder.display()
            );
        }
    }
    Ok(())
}

/// Shows the results and writes the requested files. An error with one output does not prevent the
/// other outputs.
fn write_results(
    args: &Args,
    measured: &[Measured<'_>],
    environment: &Environment,
    sweep: Option<&Sweep>,
) -> anyhow::Result<()> {
    let reports: Vec<Report<'_>> = (measured.iter())
        .map(|measured| Report::new(args, measured, environment))
        .collect();
    let rounds = match &args.rounds_csv {
        Some(path) => write(path, csv::rounds(measured, environment).as_bytes()),
        None => Ok(()),
    };
    let picture = match (&args.output, sweep) {
        (Some(path), Some(sweep)) => sweep
            .draw(&reports, path)
            .and_then(|picture| write(path, &picture)),
        _ => Ok(()),
    };
    show_all(args, &reports, environment)
        .and(rounds)
        .and(picture)
}

/// Shows the results in the requested format.
fn show_all(args: &Args, reports: &[Report<'_>], environment: &Environment) -> anyhow::Result<()> {
    if args.json {
        for report in reports {
            show_json("bench", report)?;
        }
        return Ok(());
    }
    if args.csv {
        return show(csv::reports(reports).trim_end());
    }
    if args.latex {
        return show(&table::latex(reports, environment));
    }
    let text = match reports {
        [one] => one.describe(),
        all => table::describe(all),
    };
    let text = format!("{text}\n\n{}", environment.describe());
    // Use standard error if standard output carries the picture or the rounds.
    if is_standard(args.output.as_deref()) || is_standard(args.rounds_csv.as_deref()) {
        say(&text);
    } else {
        return show(&text);
    }
    Ok(())
}

fn is_standard(path: Option<&Path>) -> bool {
    path.is_some_and(whole_file::is_standard_output)
}

/// Writes a file of `-o` or `--rounds-csv`.
fn write(path: &Path, content: &[u8]) -> anyhow::Result<()> {
    let written = whole_file::write_output(Some(path), |file| file.write_all(content))?;
    if let Some(path) = written {
        say(&format!("Wrote {}.", path.display()));
    }
    Ok(())
}
