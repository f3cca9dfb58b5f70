//! `bridge number`: the number of a deal.

use dealerless_bridge::{Deal, DealNumber};

use super::{Numbered, OrderArgs};
use crate::output::{show, show_json};

/// Prints the number of a deal in a list of all deals, counted from 0.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  dealerless bridge number \\\n    \
    'N:J2.AQ.A7652.J543 QT87.T8.KJ843.A2 6543.J42.Q9.QT76 AK9.K97653.T.K98'\n\n\
    `bridge deal` turns the number back into the deal.")]
pub(crate) struct Args {
    /// The deal in PBN: a seat and a colon, then the four hands clockwise from that seat, each as
    /// spades.hearts.diamonds.clubs, with T for a ten and nothing for a void.
    #[arg(value_name = "DEAL", required = true, num_args = 1..=4)]
    deal: Vec<String>,
    #[command(flatten)]
    order: OrderArgs,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    // Without quotes each hand is a separate argument.
    let deal: Deal = args.deal.join(" ").parse()?;
    let number = DealNumber::of(&deal, args.order.order);
    if args.json {
        let report = Numbered::new(&deal, number, args.order.order);
        show_json("bridge number", &report)
    } else {
        show(&number.to_string())
    }
}
