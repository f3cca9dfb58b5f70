//! `matches`: the files of the matches that were played here.

use std::path::Path;
use std::time::{Duration, SystemTime};

use anyhow::Context;
use dealerless_table::{DiskStorage, End, Home, Journal, Phase, Shelf, Stop};
use serde::Serialize;

use crate::output::{count, show, show_json};
use crate::table::FolderArgs;

/// Lists the files of the matches that you have played, or removes old ones.
///
/// A match is kept in one file, which grows by about 5 kB with each hand, until you remove it.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless matches\n  \
    dealerless matches remove --older-than 30")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    folder: FolderArgs,
    /// Print one JSON object; everything else goes to standard error.
    #[arg(long, global = true)]
    json: bool,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Removes the files of matches that are over, for good.
    Remove {
        /// Only those that have not changed for so many days.
        #[arg(long, value_name = "DAYS")]
        older_than: u32,
    },
}

/// A file, for a program.
#[derive(Serialize)]
struct Listed {
    file: String,
    peer: String,
    bytes: u64,
    /// Seconds since 1970.
    changed: u64,
    state: String,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let home = args.folder.open()?;
    let shelf = Shelf::new(home.matches());
    let files = match args.command {
        None => shelf.list(),
        Some(Command::Remove { older_than }) => {
            let age = Duration::from_secs(86_400 * u64::from(older_than));
            let before = SystemTime::now().checked_sub(age);
            let over = |path: &Path| matches!(phase(&home, path), Ok(Phase::Over(_)));
            shelf.prune(before.unwrap_or(SystemTime::UNIX_EPOCH), over)
        }
    };
    let files = files.context("cannot read the folder of matches")?;
    let listed: Vec<Listed> = (files.iter())
        .map(|file| Listed {
            file: file.path.display().to_string(),
            peer: file.peer.clone(),
            bytes: file.len,
            changed: (file.changed.duration_since(SystemTime::UNIX_EPOCH))
                .map_or(0, |since| since.as_secs()),
            state: match args.command {
                None => state(&home, &file.path),
                Some(_) => "removed".to_owned(),
            },
        })
        .collect();
    if args.json {
        return show_json(&serde_json::json!({ "matches": listed }));
    }
    if listed.is_empty() {
        return show(match args.command {
            None => "No match was played here.",
            Some(_) => "No match is that old.",
        });
    }
    let line = |one: &Listed| {
        let Listed {
            file,
            peer,
            state,
            bytes,
            ..
        } = one;
        format!("{file}\n  with {peer}, {} bytes: {state}", count(*bytes))
    };
    show(&listed.iter().map(line).collect::<Vec<_>>().join("\n"))
}

/// Where the match of a file stands.
fn phase(home: &Home, path: &Path) -> anyhow::Result<Phase> {
    let storage = DiskStorage::open(path)?;
    let opened = Journal::open(storage, home.identity().file_key())?;
    Ok(opened.log.phase())
}

/// The same in words.
fn state(home: &Home, path: &Path) -> String {
    match phase(home, path) {
        Ok(Phase::Over(End::Played | End::NoChips)) => "played to its end".to_owned(),
        Ok(Phase::Over(End::Stopped(stops))) => match stops.first() {
            Some((seat, Stop::Leave)) => format!("{seat} has left"),
            Some((seat, Stop::Forfeit)) => format!("{seat} could not go on"),
            _ => "ended in a dispute".to_owned(),
        },
        Ok(Phase::Over(_)) => "ended by a foul".to_owned(),
        Ok(_) => "broken off".to_owned(),
        Err(error) => format!("{error:#}"),
    }
}
