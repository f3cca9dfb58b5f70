//! `circuit optimise`: makes a netlist smaller, and checks the result.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{bail, ensure};
use dealerless::circuit::bristol::Netlist;
use dealerless_command_line::output::{count, grid, lines, say, show_json};
use dealerless_command_line::progress::Progress;
use dealerless_logic::{self as logic, Pass, Watch, live_gates, optimise};
use serde::Serialize;

use super::answer::{self, Answer};
use super::netlist_file::{self, FileArgs};
use crate::stop::Stop;

/// Writes an equivalent netlist with fewer ANDs and fewer gates.
///
/// Equal gates are merged, ANDs that are sums of other ANDs are replaced by XORs, sets of ANDs are
/// replaced by circuits with fewer ANDs, and terms that occur together in several XORs are added
/// only once. This is repeated until nothing improves. The result never has more ANDs than FILE. It
/// has at most as many gates as FILE, not counting those that no output needs, unless --max-gates
/// allows more.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless circuit optimise aes.txt.gz -o aes-small.txt\n  \
    dealerless circuit optimise decoder.blif --max-gates any -o decoder.txt\n\n\
    Each pass prints the ANDs and gates that are left. Ctrl-C ends the search and writes the\n\
    best netlist so far; another Ctrl-C after that ends the program.\n\n\
    The result is written, and then compared with FILE: on all inputs if they have up to 24\n\
    bits, otherwise on fixed and random inputs. Up to a million gates, a SAT solver then has\n\
    10 seconds of CPU time to prove that both are equal; `circuit compare` can give it more.\n\n\
    Exit codes: 0 success, 1 wrong usage, an invalid netlist, or a file that cannot be\n\
    written.")]
pub struct Args {
    #[command(flatten)]
    files: FileArgs,
    /// Maximum number of gates of the result, or `any` [default: as many as FILE, not counting those
    /// that no output needs].
    #[arg(long, value_name = "N", value_parser = max_gates)]
    max_gates: Option<usize>,
}

/// Parses `--max-gates`.
fn max_gates(text: &str) -> Result<usize, String> {
    match text {
        "any" => Ok(usize::MAX),
        text => text
            .parse()
            .map_err(|_| "expected a number or any".to_owned()),
    }
}

/// CPU time limit for the proof that the result is equal.
const PROOF_LIMIT: Duration = Duration::from_secs(10);

/// No proof is tried for a netlist with more gates: it would take longer.
const MAX_PROVED: usize = 1 << 20;

/// The object of `--json`.
#[derive(Serialize)]
struct Report {
    file: String,
    output: String,
    before: Size,
    /// The netlist after each pass.
    passes: Vec<Step>,
    /// Whether Ctrl-C ended the search.
    stopped: bool,
    /// The maximum number of gates; absent without a limit.
    max_gates: Option<usize>,
    /// Whether replacements that save ANDs were not made because of this limit.
    limited: bool,
    after: Size,
    check: answer::Report,
}

/// A pass that has ended, with the size of the netlist after it.
#[derive(Clone, Copy, Serialize)]
struct Step {
    pass: &'static str,
    and: usize,
    gates: usize,
}

/// The size of a netlist before or after optimisation.
#[derive(Serialize)]
struct Size {
    and: usize,
    xor: usize,
    not: usize,
    /// The number of constants and copies of wires.
    copies: usize,
    and_depth: usize,
    depth: usize,
    live_wires: usize,
}

impl Size {
    fn of(netlist: &Netlist) -> Self {
        let structure = netlist.structure(None);
        Size {
            and: structure.and,
            xor: structure.xor,
            not: structure.not,
            copies: structure.copies,
            and_depth: structure.and_depth,
            depth: structure.depth,
            live_wires: (structure.live_wires).expect("absent only for circuits built in slices"),
        }
    }

    /// The number of AND, XOR and NOT gates.
    fn gates(&self) -> usize {
        self.and + self.xor + self.not
    }

    fn rows(&self) -> [(&'static str, usize); 7] {
        [
            ("AND", self.and),
            ("XOR", self.xor),
            ("NOT", self.not),
            ("constants, copies", self.copies),
            ("AND depth", self.and_depth),
            ("depth", self.depth),
            ("live wires", self.live_wires),
        ]
    }
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let files = &args.files;
    files.check()?;
    let (netlist, _) = files.read()?;
    let live = live_gates(&netlist);
    let most = args.max_gates.unwrap_or(live);
    ensure!(
        most >= live,
        "the outputs of the netlist need {} gates; --max-gates cannot be less",
        count(live as u64)
    );
    let watch = Passes::by_signal(!files.json)?;
    let result = optimise(&netlist, args.max_gates, &watch);
    let written = netlist_file::write(&result, Some(&files.output));
    watch.stop.saved();
    let path = written?;
    if let Some(path) = path.filter(|_| !files.json) {
        say(&format!("Wrote {}.", path.display()));
    }
    let State {
        ended: passes,
        limited,
        ..
    } = std::mem::take(&mut *watch.state());
    let stopped = watch.is_stopped();
    let limit = if netlist.gates() <= MAX_PROVED && !stopped {
        PROOF_LIMIT
    } else {
        Duration::ZERO
    };
    let answer = Answer::find([&netlist, &result], None, None, limit)?;
    let (before, after) = (Size::of(&netlist), Size::of(&result));
    if answer.difference().is_some() || after.and > before.and || after.gates() > most {
        if let Some(path) = path.filter(|path| path.is_file()) {
            std::fs::remove_file(path)?;
        }
        bail!(
            "the result computes different outputs, or is too large, and was deleted: this is a bug"
        );
    }
    if files.json {
        let report = Report {
            file: files.netlist.display().to_string(),
            output: files.output.display().to_string(),
            before,
            passes,
            stopped,
            max_gates: Some(most).filter(|&most| most < usize::MAX),
            limited,
            after,
            check: answer.report(),
        };
        return show_json("circuit optimise", &report);
    }
    say(&screen(&before, &after));
    say(&answer.describe());
    if limited {
        say(&lines(&format!(
            "The limit of {} gates prevented replacements that save ANDs; --max-gates sets another limit.",
            count(most as u64)
        )));
    }
    Ok(())
}

/// Shows the passes, and stops the optimisation at Ctrl-C.
struct Passes {
    shows: bool,
    stop: Stop,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    progress: Option<Progress>,
    ended: Vec<Step>,
    limited: bool,
}

impl Passes {
    /// Watches for the signal. `shows` is whether each pass prints a line.
    ///
    /// # Errors
    /// If the handler cannot be installed.
    fn by_signal(shows: bool) -> anyhow::Result<Self> {
        let stop = Stop::by_signal("Ending the search. The best netlist so far is written first.")?;
        stop.unsaved();
        Ok(Passes {
            shows,
            stop,
            state: Mutex::default(),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watch for Passes {
    fn begin(&self, pass: Pass, steps: usize) {
        let progress = match pass {
            Pass::Rewrite => Progress::begin(steps, "ANDs examined"),
            _ => Progress::of_one_step(name(pass).into()),
        };
        self.state().progress = Some(progress);
    }

    fn step(&self) {
        if let Some(progress) = &self.state().progress {
            progress.step();
        }
    }

    fn end(&self, pass: Pass, size: logic::Size) {
        let mut state = self.state();
        state.progress = None;
        let step = Step {
            pass: name(pass),
            and: size.ands,
            gates: size.gates,
        };
        if self.shows {
            let [ands, gates] = [step.and, step.gates].map(|number| count(number as u64));
            say(&format!(
                "{:<10} {ands:>12} ANDs {gates:>12} gates",
                step.pass
            ));
        }
        state.ended.push(step);
    }

    fn limited(&self) {
        self.state().limited = true;
    }

    fn is_stopped(&self) -> bool {
        self.stop.is_asked()
    }
}

/// The name of a pass.
fn name(pass: Pass) -> &'static str {
    match pass {
        Pass::Merge => "merge",
        Pass::Substitute => "substitute",
        Pass::Rewrite => "rewrite",
        Pass::Share => "share",
    }
}

fn screen(before: &Size, after: &Size) -> String {
    let mut grid = grid();
    grid.set_header(["", "before", "after", "saved"]);
    for ((name, before), (_, after)) in before.rows().into_iter().zip(after.rows()) {
        let saved = match before.checked_sub(after) {
            Some(fewer) => count(fewer as u64),
            None => format!("-{}", count((after - before) as u64)),
        };
        let [before, after] = [before, after].map(|number| count(number as u64));
        grid.add_row([name.to_owned(), before, after, saved]);
    }
    for column in grid.column_iter_mut().skip(1) {
        column.set_cell_alignment(comfy_table::CellAlignment::Right);
    }
    format!("{}\n", grid.trim_fmt())
}
