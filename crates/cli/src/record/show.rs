//! `show`: prints the hands of a match.

use std::time::SystemTime;

use anyhow::Error;
use dealerless_seat::records::words::Moment;
use dealerless_seat::records::{phh, show as hands_of};

use super::source::Folder;
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
    let hands = hands_of::chosen(&record, args.hand).map_err(Error::msg)?;
    if args.json {
        return show_json("show", &hands_of::object(&record, &hands));
    }
    let since = changed.duration_since(SystemTime::UNIX_EPOCH);
    let date = Moment::of_file(since.unwrap_or_default());
    if args.phh {
        return show(&phh::write(&record, &hands, args.hand.is_some(), date)?);
    }
    if hands.is_empty() {
        say("No hand was dealt.");
    } else if hands_of::is_dated(&record) {
        say(DATED);
    }
    show(&hands_of::text(&record, &hands, date))
}
