//! `verify`: replays the record of a match, and compares the records of several sides.

use std::path::PathBuf;

use dealerless_seat::records::verify::{Read, Verified, outcome, pairs, report};

use super::decks;
use super::source::{keys, path_of, read};
use crate::failure::AnswerIsNo;
use crate::output::{show, show_json};
use crate::table::FolderArgs;

/// Replays the record of a match: every signature, card, choice and result.
///
/// This needs no keys, so anybody can settle an argument with the file of any side. With the keys in
/// your folder, it also checks that nobody has changed a byte of your own file. A valid record proves
/// who signed what in which order, that each opened card is the one that was sealed, and that
/// the chips add up. For two players, it does not prove that a shuffle took place, or who lied when an
/// opening is disputed. For more players, it also proves each shuffle and each opening. It never
/// proves who interrupted an open match.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless verify match.log\n  \
    dealerless verify Bert\n  \
    dealerless verify mine.log theirs.log\n  \
    dealerless verify anna.log bert.log cleo.log\n  \
    dealerless verify mine.log --audit mine.audit\n\n\
    Exit codes: 0 everything is valid and agrees, 1 a file cannot be read, 4 a file was changed,\n\
    the files do not agree, or a file shows that somebody broke the rules.")]
pub(crate) struct Args {
    /// The file of one side, or the id of one of your own matches, or the name of a player for your
    /// latest match with that player. With the files of other sides, checks that they all agree.
    #[arg(value_name = "FILE|MATCH", required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    folder: FolderArgs,
    /// Recompute every deck from the inputs that both players opened in an audit.
    #[arg(long, value_name = "AUDIT")]
    audit: Option<PathBuf>,
    /// Show the result of each hand.
    #[arg(long, short)]
    verbose: bool,
    /// Print one JSON object; everything else goes to standard error.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let own = keys(&args.folder)?;
    let mut files = Vec::new();
    for given in &args.files {
        let path = path_of(given, &args.folder)?;
        let bytes = read(&path)?;
        files.push(Read::of(path.display().to_string(), &bytes, own.as_deref()));
    }
    let pairs = pairs(&files);
    let decks = match (&args.audit, &files[0].record) {
        (Some(path), Ok(record)) => Some(decks::of_file(record, path)?),
        _ => None,
    };
    if args.json {
        let mut verified = Verified::of(&files, &pairs);
        if let Some(decks) = &decks {
            verified = verified.with_audit(decks.agrees(), decks.json());
        }
        show_json("verify", &verified)?;
    } else {
        show(&report(&files, &pairs, args.verbose))?;
        if let Some(decks) = &decks {
            show(&format!("\n{decks}"))?;
        }
    }
    outcome(&files, &pairs).map_err(AnswerIsNo)?;
    decks.as_ref().map_or(Ok(()), decks::must_agree)
}
