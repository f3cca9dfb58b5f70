//! `bridge deal`: the deal of a number.

use dealerless::bridge::DealNumber;

use super::OrderArgs;
use crate::output::show;

/// Prints the deal that has a number.
///
/// The Impossible Bridge Book counts pages from 1: its page 1 has the deal 0.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless bridge deal 36,892,843,148,362,336,617,819,499,272\n  \
    dealerless bridge deal 0x77350b6a87f4363a6cef6b08 --order pavlicek")]
pub(crate) struct Args {
    /// The number, from 0 on: digits with commas between thousands or without, or 0x and hexadecimal
    /// digits.
    #[arg(value_name = "NUMBER")]
    number: DealNumber,
    #[command(flatten)]
    order: OrderArgs,
}

/// Runs the command.
pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    show(&args.number.deal(args.order.order).to_string())
}
