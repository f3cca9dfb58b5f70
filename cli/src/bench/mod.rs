//! `bench`: what shuffles and other circuits cost on this machine or between two, phase by phase.

mod args;
mod csv;
mod environment;
mod line;
mod picture;
mod plan;
mod report;
mod side;
mod statistics;
mod sweep;
mod table;

use std::path::Path;

use anyhow::ensure;

pub(crate) use self::args::Args;
use self::environment::Environment;
use self::picture::Chart;
use self::report::Report;
use self::side::Stop;
use crate::failure::Stopped;
use crate::output::{say, show, show_json};
use crate::session::{PLAIN_LINE, notice};
use crate::whole_file;

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let netlists = plan::netlists(args)?;
    let configurations = plan::configurations(args, &netlists)?;
    let chart = match &args.output {
        Some(_) => Some(Chart::of(args.plot, &configurations)?),
        None => None,
    };
    let to_standard = [args.output.as_deref(), args.rounds_csv.as_deref()]
        .into_iter()
        .filter(|path| is_standard(*path));
    ensure!(
        to_standard.count() + usize::from(args.json || args.csv) <= 1,
        "one thing goes to standard output: give the others a file"
    );
    if let Some(path) = &args.output {
        let svg = path.extension().is_some_and(|extension| extension == "svg");
        ensure!(
            svg || is_standard(Some(path)),
            "the picture is SVG: give it a name that ends in .svg"
        );
    }
    let mut seen = Vec::new();
    for &security in &args.security {
        if !seen.contains(&security) {
            say(notice(security));
            seen.push(security);
        }
    }
    let both_here = args.listen.is_none() && args.connect.is_none();
    if !both_here {
        say(PLAIN_LINE);
    }
    let environment = Environment::look(both_here);
    let stop = Stop::by_signal()?;
    let measured = sweep::measure(args, &configurations, &stop)?;
    let reports: Vec<Report<'_>> = (measured.iter())
        .map(|measured| Report::new(args, measured, &environment, stop.is_asked()))
        .collect();
    if reports.is_empty() {
        say("Nothing was measured until then.");
        return Err(Stopped.into());
    }
    show_all(args, &reports, &environment)?;
    if let Some(path) = &args.rounds_csv {
        write(path, &csv::rounds(&measured))?;
    }
    if let (Some(path), Some(chart)) = (&args.output, &chart) {
        write(path, &chart.draw(&reports)?)?;
    }
    match stop.is_asked() {
        true => Err(Stopped.into()),
        false => Ok(()),
    }
}

/// Shows what was measured, in the way that the arguments ask for.
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
    let text = match reports {
        [one] => one.describe(),
        all => table::describe(all),
    };
    let text = format!("{text}\n\n{}", environment.describe());
    // Then standard output belongs to something else.
    match is_standard(args.output.as_deref()) || is_standard(args.rounds_csv.as_deref()) {
        true => say(&text),
        false => return show(&text),
    }
    Ok(())
}

fn is_standard(path: Option<&Path>) -> bool {
    path.is_some_and(whole_file::is_standard_output)
}

/// Writes what `-o` and `--rounds-csv` ask for.
fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    let written = whole_file::write_output(Some(path), |file| file.write_all(text.as_bytes()))?;
    if let Some(path) = written {
        say(&format!("Wrote {}.", path.display()));
    }
    Ok(())
}
