//! `circuit`: shuffles as circuits, and circuits run by two parties.

pub(crate) mod bits;
mod entry;
mod export;
pub(crate) mod netlist_file;
pub(crate) mod owners;
mod plot;
mod run;
pub(crate) mod selection;
mod standard;
mod stats;
pub(crate) mod sweep;

/// Counts, plots, writes and runs Boolean circuits.
#[derive(clap::Subcommand)]
#[command(after_help = "Example: dealerless circuit stats --cards 52 --draw 9")]
pub(crate) enum Command {
    Stats(stats::Args),
    Plot(plot::Args),
    Export(export::Args),
    Standard(standard::Args),
    Run(run::Args),
}

/// Runs the command.
pub(crate) fn run(command: &Command) -> anyhow::Result<()> {
    match command {
        Command::Stats(args) => stats::run(args),
        Command::Plot(args) => plot::run(args),
        Command::Export(args) => export::run(args),
        Command::Standard(args) => standard::run(args),
        Command::Run(args) => run::run(args),
    }
}
