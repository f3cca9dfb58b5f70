//! `bridge`: deals and their numbers, files of boards, sheets for dealing by hand, and the boards
//! of tournaments.

mod board_file;
mod convert;
mod deal;
mod leakage;
mod number;
mod own_sheet;
mod records;
mod sheets;
mod squaredeal;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use dealerless_bridge::{Deal, DealNumber, Order};
use serde::Serialize;

use crate::record::boards;

/// Bridge: deals and their numbers, files of boards, sheets for dealing by hand, boards of
/// tournaments.
#[derive(clap::Subcommand)]
#[command(after_help = "Example: dealerless bridge convert set.pbn set.dlm")]
pub(crate) enum Command {
    Number(number::Args),
    Deal(deal::Args),
    Convert(convert::Args),
    Boards(boards::Args),
    Records(records::Args),
    Sheets(sheets::Args),
    OwnSheet(own_sheet::Args),
    Leakage(leakage::Args),
    #[command(subcommand)]
    Squaredeal(squaredeal::Command),
}

/// Runs the command.
pub(crate) fn run(command: &Command) -> anyhow::Result<()> {
    match command {
        Command::Number(args) => number::run(args),
        Command::Deal(args) => deal::run(args),
        Command::Convert(args) => convert::run(args),
        Command::Boards(args) => boards::run(args),
        Command::Records(args) => records::run(args),
        Command::Sheets(args) => sheets::run(args),
        Command::OwnSheet(args) => own_sheet::run(args),
        Command::Leakage(args) => leakage::run(args),
        Command::Squaredeal(command) => squaredeal::run(command),
    }
}

/// A deal and its number, in the JSON output.
#[derive(Serialize)]
struct Numbered {
    order: String,
    deal: String,
    /// In decimal digits, because it exceeds the integers of many programs.
    number: String,
}

impl Numbered {
    fn new(deal: &Deal, number: DealNumber, order: Order) -> Numbered {
        Numbered {
            order: order.to_string(),
            deal: deal.to_string(),
            number: number.to_string(),
        }
    }
}

/// The order in which deals are numbered.
#[derive(clap::Args)]
struct OrderArgs {
    /// The list of all deals: that of the program Big Deal, or of one of the two editions of the
    /// Impossible Bridge Book.
    #[arg(long, value_name = "ORDER", default_value = "bigdeal", value_parser = order())]
    order: Order,
}

/// A parser of the names of orders, which lists them in the help.
fn order() -> impl TypedValueParser<Value = Order> {
    let names = Order::ALL.map(<&'static str>::from);
    PossibleValuesParser::new(names)
        .try_map(|name| name.parse::<Order>().map_err(|error| error.to_string()))
}
