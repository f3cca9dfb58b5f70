//! The commands of this crate as a program, for its tests. Users have them in the program `dealerless`.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use dealerless_command_line::{failure, usage};
use dealerless_lab::{bench, circuit};

#[derive(Parser)]
#[command(name = "dealerless")]
enum Command {
    #[command(subcommand)]
    Circuit(circuit::Command),
    Bench(bench::Args),
}

fn main() -> ExitCode {
    let parsed = usage::parse(Command::command(), failure::report_to_program);
    let (command, called) = match parsed {
        Ok(parsed) => parsed,
        Err(code) => return ExitCode::from(code),
    };
    let outcome = match command {
        Command::Circuit(command) => circuit::run(&command),
        Command::Bench(args) => bench::run(&args),
    };
    let Err(error) = outcome else {
        return ExitCode::SUCCESS;
    };
    let code = failure::exit_code(&error);
    let message = failure::explain(&error, failure::blame(&error));
    failure::report(&called, code, &message);
    ExitCode::from(code)
}
