//! `bridge`: deals of bridge and what goes with them.

mod leakage;
mod sheets;

/// Deals bridge hands and says what is known about them.
#[derive(clap::Subcommand)]
#[command(after_help = "Example: dealerless bridge sheets --boards 24 -o evening")]
pub(crate) enum Command {
    Sheets(sheets::Args),
    Leakage(leakage::Args),
}

/// Runs the command.
pub(crate) fn run(command: &Command) -> anyhow::Result<()> {
    match command {
        Command::Sheets(args) => sheets::run(args),
        Command::Leakage(args) => leakage::run(args),
    }
}
