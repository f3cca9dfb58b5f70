//! `bridge deal`: the deal with a given number.

use dealerless_bridge::DealNumber;

use super::{Numbered, OrderArgs};
use crate::output::{show, show_json};

/// Prints the deal with a given number in a list of all deals.
///
/// The numbers run from 0 to 53644737765488792839237439999. The Impossible Bridge Book counts pages
/// from 1, so its page 1 has deal 0.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless bridge deal 36,892,843,148,362,336,617,819,499,272\n  \
    dealerless bridge deal 0x77350b6a87f4363a6cef6b08 --order pavlicek\n\n\
    The output is PBN: N: and the hands of North, East, South and\n\
    West, each as spades.hearts.diamonds.clubs.")]
pub(crate) struct Args {
    /// The number: decimal digits, with or without commas between thousands, or 0x and hexadecimal
    /// digits.
    #[arg(value_name = "NUMBER")]
    number: DealNumber,
    #[command(flatten)]
    order: OrderArgs,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let deal = args.number.deal(args.order.order);
    if args.json {
        let report = Numbered::new(&deal, args.number, args.order.order);
        show_json("bridge deal", &report)
    } else {
        show(&deal.to_string())
    }
}
