//! `bridge`: deals and their numbers, files of boards, and the boards of tournaments.

mod convert;
mod deal;
mod number;
mod squaredeal;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use dealerless::bridge::Order;

/// Bridge: deals, their numbers, files of boards, the boards of tournaments.
#[derive(clap::Subcommand)]
#[command(after_help = "Example: dealerless bridge convert set.pbn set.dlm")]
pub(crate) enum Command {
    Number(number::Args),
    Deal(deal::Args),
    Convert(convert::Args),
    #[command(subcommand)]
    Squaredeal(squaredeal::Command),
}

/// Runs the command.
pub(crate) fn run(command: &Command) -> anyhow::Result<()> {
    match command {
        Command::Number(args) => number::run(args),
        Command::Deal(args) => deal::run(args),
        Command::Convert(args) => convert::run(args),
        Command::Squaredeal(command) => squaredeal::run(command),
    }
}

/// In which order deals are numbered.
#[derive(clap::Args)]
struct OrderArgs {
    /// Whose order of the deals.
    #[arg(long, value_name = "ORDER", default_value = "bigdeal", value_parser = order())]
    order: Order,
}

/// Parses the name of an order, and lists them in the help.
fn order() -> impl TypedValueParser<Value = Order> {
    let names = Order::ALL.map(<&'static str>::from);
    PossibleValuesParser::new(names)
        .try_map(|name| name.parse::<Order>().map_err(|error| error.to_string()))
}
