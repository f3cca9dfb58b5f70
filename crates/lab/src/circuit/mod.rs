//! The command `circuit`: shuffles as circuits, netlist files, and circuits run by two parties.

mod answer;
mod compare;
mod convert;
mod entry;
mod evaluate;
mod export;
pub(crate) mod netlist_file;
mod optimise;
pub(crate) mod owners;
mod plot;
mod prove;
mod run;
pub(crate) mod selection;
mod split;
mod standard;
mod stats;
pub(crate) mod sweep;
pub(crate) mod values;

/// Counts, plots, writes, compares and runs Boolean circuits.
#[derive(clap::Subcommand)]
#[command(after_help = "Example: dealerless circuit stats --cards 52 --draw 9")]
#[expect(
    missing_docs,
    reason = "a doc comment on a variant would replace the help text of its command"
)]
pub enum Command {
    Stats(stats::Args),
    Plot(plot::Args),
    Export(export::Args),
    Split(split::Args),
    Prove(prove::Args),
    Standard(standard::Args),
    Run(run::Args),
    Evaluate(evaluate::Args),
    Compare(compare::Args),
    Convert(convert::Args),
    Optimise(optimise::Args),
}

/// Runs the command.
pub fn run(command: &Command) -> anyhow::Result<()> {
    match command {
        Command::Stats(args) => stats::run(args),
        Command::Plot(args) => plot::run(args),
        Command::Export(args) => export::run(args),
        Command::Split(args) => split::run(args),
        Command::Prove(args) => prove::run(args),
        Command::Standard(args) => standard::run(args),
        Command::Run(args) => run::run(args),
        Command::Evaluate(args) => evaluate::run(args),
        Command::Compare(args) => compare::run(args),
        Command::Convert(args) => convert::run(args),
        Command::Optimise(args) => optimise::run(args),
    }
}
