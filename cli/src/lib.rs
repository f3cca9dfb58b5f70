//! The program `dealerless`: its commands, one file each.
//!
//! This library is the program, and promises nothing to others: only [`run`] and the readers of
//! arguments, which are fuzzed, are public.
//!
//! Standard output carries what the user asked for, or one JSON object (`host`, `join`,
//! `resume` and `audit`: one a line) with `--json`; everything else goes to standard error. See `failure` for exit codes.

#![forbid(unsafe_code)]

mod audit;
mod bench;
mod circuit;
mod console;
mod cost;
mod deck_args;
mod demo;
mod doctor;
mod faces;
mod failure;
mod host;
mod identity;
mod join;
mod loopback;
mod memory;
mod output;
mod peers;
mod plain;
mod play;
mod progress;
mod record;
mod resume;
mod seat;
mod session;
mod table;
mod whole_file;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Readers of arguments and of commands, for the fuzz targets.
pub mod arguments {
    pub use crate::circuit::bits::{format as format_bits, parse as parse_bits};
    pub use crate::circuit::sweep::{Draws, Numbers};
    pub use crate::table::{reads_again, reads_typed};
}

/// Two parties shuffle and deal cards with no dealer.
#[derive(Parser)]
#[command(
    name = "dealerless",
    version,
    next_line_help = true,
    after_help = "Example: dealerless demo\n\n\
        Exit codes: 0 fine, 1 wrong usage or a local fault, 2 the peer failed a check,\n\
        broke the protocol, disagreed or aborted, 3 the connection was lost or timed out,\n\
        4 the answer is no (verify), 130 you ended the program."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Demo(demo::Args),
    Host(host::Args),
    Join(join::Args),
    Resume(resume::Args),
    History(record::history::Args),
    Show(record::show::Args),
    Verify(record::verify::Args),
    Audit(audit::Args),
    Peers(peers::Args),
    Identity(identity::Args),
    Doctor(doctor::Args),
    #[command(subcommand)]
    Circuit(circuit::Command),
    Bench(bench::Args),
}

/// Runs the program.
pub fn run() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // If the terminal is gone nobody is left to be told.
            let _ = error.print();
            let code = if error.use_stderr() {
                failure::LOCAL
            } else {
                0
            };
            return ExitCode::from(code);
        }
    };
    let outcome = match cli.command {
        Command::Demo(args) => demo::run(&args),
        Command::Host(args) => host::run(&args),
        Command::Join(args) => join::run(&args),
        Command::Resume(args) => resume::run(&args),
        Command::History(args) => record::history::run(&args),
        Command::Show(args) => record::show::run(&args),
        Command::Verify(args) => record::verify::run(&args),
        Command::Audit(args) => audit::run(&args),
        Command::Peers(args) => peers::run(&args),
        Command::Identity(args) => identity::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Circuit(command) => circuit::run(&command),
        Command::Bench(args) => bench::run(&args),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let text = failure::explain(&error);
            let code = failure::exit_code(&error);
            match code == failure::BROKEN_OFF {
                true => output::say(&text),
                false => output::say(&format!("error: {text}")),
            }
            ExitCode::from(code)
        }
    }
}
