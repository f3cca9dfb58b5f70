//! `show`: prints the hands of a match.

use anyhow::bail;
use dealerless_table::record::{Record, RecordedHand};

use super::source::Folder;
use super::words::{self, Moment};
use super::{json, listing, phh, pokerstars};
use crate::output::{say, show, show_json};
use crate::table::FolderArgs;

/// Prints the hands of a match, for people and for programs that read hand histories.
///
/// Poker is printed in the text format of PokerStars, or with --phh in the Poker Hand History
/// format. Other games are listed plainly. Your own cards are shown if the file is yours. The cards
/// of other players are shown only if they were opened.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless show 3f2a9c0d\n  \
    dealerless show Bert --hand 3\n  \
    dealerless show match.log --phh > match.phhs\n\n\
    A record contains no time of day. Hands get the date of the last change of the file, in UTC, which\n\
    is unproven.")]
pub(crate) struct Args {
    /// The file of a match, the beginning of its id, or the name of the other player.
    #[arg(value_name = "FILE|MATCH")]
    which: String,
    #[command(flatten)]
    folder: FolderArgs,
    /// Only this hand.
    #[arg(long, value_name = "N")]
    hand: Option<u32>,
    /// Print Poker Hand History (PHH).
    #[arg(long, conflicts_with = "json")]
    phh: bool,
    /// Print one JSON object; everything else goes to standard error.
    #[arg(long)]
    json: bool,
}

/// The notice about dates, for which the format of PokerStars has no place.
const DATED: &str =
    "The date of the hands is that of the last change of the file, in UTC. It is unproven.";

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let folder = Folder::open(&args.folder)?;
    let (record, changed) = folder.record(&args.which)?;
    let hands = chosen(&record, args.hand)?;
    if args.json {
        return show_json("show", &json::shown(&record, &hands));
    }
    let date = Moment::of_file(changed);
    if args.phh {
        return show(&phh::write(&record, &hands, args.hand.is_some(), date)?);
    }
    let poker = record.log.match_info().header().stakes.betting().is_some();
    if hands.is_empty() {
        say("No hand was dealt.");
    } else if poker {
        say(DATED);
    }
    show(&if poker {
        pokerstars::write(&record, &hands, date)
    } else {
        listing::write(&record, &hands)
    })
}

fn chosen(record: &Record, number: Option<u32>) -> anyhow::Result<Vec<&RecordedHand>> {
    let wanted = |hand: &&RecordedHand| number.is_none_or(|number| hand.begun.hand == number);
    let hands: Vec<&RecordedHand> = record.hands.iter().filter(wanted).collect();
    match (number, hands.is_empty()) {
        (Some(number), true) => bail!(
            "there is no hand {number} ({} dealt)",
            words::hands(&record.log.match_info().header().stakes, record.hands.len())
        ),
        _ => Ok(hands),
    }
}
