//! `history`: the matches of this folder.

use std::time::{Duration, SystemTime};

use anyhow::bail;
use dealerless_seat::records::history::{self, Listed, RecordFile};
use dealerless_table::log::MatchEntry;

use super::source::Folder;
use crate::output::{show, show_json, width, wrapped};
use crate::table::FolderArgs;

/// Lists the matches that you have played, or deletes their records.
///
/// The record of a match is kept until you delete it. It grows by about 6 kB with each hand of two
/// players, and by about 90 kB with each hand of six. Its deck, keys, clock, inputs and audit files
/// are deleted with it.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless history\n  \
    dealerless history --delete 3f2a9c0d\n  \
    dealerless history --older-than 30 --delete")]
pub(crate) struct Args {
    #[command(flatten)]
    folder: FolderArgs,
    /// Only matches whose record has not changed for this many days.
    #[arg(long, value_name = "DAYS")]
    older_than: Option<u32>,
    /// Delete the records of these matches for good. Name a match by the beginning of its id or by
    /// the other player. Without a name, --older-than deletes all listed matches that are over.
    #[arg(long, value_name = "MATCH", num_args = 0..)]
    delete: Option<Vec<String>>,
    /// Print one JSON object; everything else goes to standard error.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let folder = Folder::open(&args.folder)?;
    let listed = match &args.delete {
        None => list(&folder, args)?,
        Some(_) => delete(&folder, args)?,
    };
    if args.json {
        return show_json("history", &serde_json::json!({ "matches": listed }));
    }
    show(&screen(&listed, args))
}

fn old_enough(args: &Args, file: &MatchEntry) -> bool {
    let age = Duration::from_secs(86_400 * u64::from(args.older_than.unwrap_or(0)));
    let passed = SystemTime::now().duration_since(file.changed);
    args.older_than.is_none() || passed.unwrap_or_default() >= age
}

fn list(folder: &Folder, args: &Args) -> anyhow::Result<Vec<Listed>> {
    let files = all(folder)?.into_iter();
    let files = files.filter(|(file, _)| old_enough(args, file));
    Ok(files.map(|(_, listed)| listed).collect())
}

/// All matches of the folder.
fn all(folder: &Folder) -> anyhow::Result<Vec<(MatchEntry, Listed)>> {
    let files = folder.list()?;
    let read = |file: &MatchEntry| {
        let record = folder.read(&file.path);
        (of_entry(file), record.map_err(|error| format!("{error:#}")))
    };
    let listed = history::list(files.iter().map(read));
    Ok(files.into_iter().zip(listed).collect())
}

fn of_entry(file: &MatchEntry) -> RecordFile {
    let since = file.changed.duration_since(SystemTime::UNIX_EPOCH);
    RecordFile {
        match_id: file.match_id.clone(),
        file: file.path.display().to_string(),
        peer: file.peer.clone(),
        bytes: file.len,
        changed: since.map_or(0, |since| since.as_secs()),
    }
}

/// Deletes the named matches, or all matches that are old enough and over.
fn delete(folder: &Folder, args: &Args) -> anyhow::Result<Vec<Listed>> {
    let named = args.delete.as_deref().unwrap_or_default();
    let mut files = Vec::new();
    match (named, args.older_than) {
        ([], None) => bail!("name the matches to delete, or give --older-than DAYS"),
        ([], Some(_)) => {
            for (file, listed) in all(folder)? {
                if listed.is_over() && old_enough(args, &file) {
                    files.push(file);
                }
            }
        }
        (named, _) => {
            for called in named {
                files.push(folder.find(called)?);
            }
        }
    }
    let mut deleted = Vec::new();
    for file in files {
        let record = folder.read(&file.path);
        folder.forget(&file)?;
        let record = record.map_err(|error| format!("{error:#}"));
        deleted.push(Listed::of(of_entry(&file), record).deleted());
    }
    Ok(deleted)
}

/// The list as text for people.
fn screen(listed: &[Listed], args: &Args) -> String {
    match (listed, &args.delete, args.older_than) {
        ([], None, None) => "No match has been played here.".into(),
        ([], Some(_), _) => "No finished match is that old.".into(),
        ([], None, Some(_)) => "No match is that old.".into(),
        _ => wrapped(&history::lines(listed), width(), "    "),
    }
}
