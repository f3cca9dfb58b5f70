//! The program `dealerless`. Each command has its own module.
//!
//! This library is the program, without a stable interface: only [`run`] and the parsers that are
//! fuzzed are public.
//!
//! Standard output carries what the user asked for, or with `--json` one JSON object a line, as
//! described in docs/json.md. Everything else goes to standard error. See `failure` for the exit
//! codes.

#![forbid(unsafe_code)]

mod audit;
mod bridge;
#[cfg(feature = "browser")]
mod browser;
mod config;
mod demo;
mod doctor;
mod failure;
mod host;
mod identity;
mod in_browser;
mod join;
mod link;
mod manual;
mod peers;
mod record;
mod relay;
mod resume;
mod settings;
mod table;
mod usage;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use dealerless_command_line::usage::parse;
use dealerless_command_line::{latex, memory, output, progress, whole_file};
use dealerless_lab::{bench, circuit};

/// Parsers of user input, for the fuzz targets.
pub mod arguments {
    pub use crate::table::reads_typed;
}

/// Shuffle and deal cards between two players without a dealer.
#[derive(Parser)]
#[command(
    name = "dealerless",
    version,
    next_line_help = true,
    max_term_width = 80,
    after_help = "Example: dealerless demo"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Demo(demo::Args),
    #[cfg(feature = "browser")]
    Table(browser::Args),
    Host(host::Args),
    Join(join::Args),
    Resume(resume::Args),
    History(record::history::Args),
    Show(record::show::Args),
    Verify(record::verify::Args),
    Audit(audit::Args),
    Peers(peers::Args),
    Identity(identity::Args),
    Config(config::Args),
    Doctor(doctor::Args),
    Relay(relay::Args),
    #[command(subcommand)]
    Circuit(circuit::Command),
    #[command(subcommand)]
    Bridge(bridge::Command),
    Bench(bench::Args),
    Completions(manual::CompletionsArgs),
    Man(manual::ManArgs),
}

/// Runs the program.
pub fn run() -> ExitCode {
    let parsed = parse::<Cli>(usage::command(), failure::report_to_program);
    let (cli, called) = match parsed {
        Ok(parsed) => parsed,
        Err(code) => return ExitCode::from(code),
    };
    let outcome = match cli.command {
        Command::Demo(args) => demo::run(&args),
        #[cfg(feature = "browser")]
        Command::Table(args) => browser::run(&args),
        Command::Host(args) => host::run(&args),
        Command::Join(args) => join::run(&args),
        Command::Resume(args) => resume::run(&args),
        Command::History(args) => record::history::run(&args),
        Command::Show(args) => record::show::run(&args),
        Command::Verify(args) => record::verify::run(&args),
        Command::Audit(args) => audit::run(&args),
        Command::Peers(args) => peers::run(&args),
        Command::Identity(args) => identity::run(&args),
        Command::Config(args) => config::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Relay(args) => relay::run(&args),
        Command::Circuit(command) => circuit::run(&command),
        Command::Bridge(command) => bridge::run(&command),
        Command::Bench(args) => bench::run(&args),
        Command::Completions(args) => manual::completions(&args),
        Command::Man(args) => manual::man(&args),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => ExitCode::from(failure::report(&called, &error)),
    }
}
