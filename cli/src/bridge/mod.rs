//! `bridge`: deals, boards and their files.

mod convert;

/// Boards of bridge, and files of them.
#[derive(clap::Subcommand)]
#[command(after_help = "Example: dealerless bridge convert set.pbn set.dlm")]
pub(crate) enum Command {
    Convert(convert::Args),
}

/// Runs the command.
pub(crate) fn run(command: &Command) -> anyhow::Result<()> {
    match command {
        Command::Convert(args) => convert::run(args),
    }
}
