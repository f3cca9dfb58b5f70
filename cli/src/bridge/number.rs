//! `bridge number`: the number of a deal.

use dealerless::bridge::{Deal, DealNumber};

use super::OrderArgs;
use crate::output::show;

/// Prints the number of a deal, from 0 on.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  dealerless bridge number \\\n    \
    'N:J2.AQ.A7652.J543 QT87.T8.KJ843.A2 6543.J42.Q9.QT76 AK9.K97653.T.K98'")]
pub(crate) struct Args {
    /// The deal as PBN writes it: a seat and the four hands from there clockwise, each as
    /// spades.hearts.diamonds.clubs.
    #[arg(value_name = "DEAL")]
    deal: Deal,
    #[command(flatten)]
    order: OrderArgs,
}

/// Runs the command.
pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    show(&DealNumber::of(&args.deal, args.order.order).to_string())
}
