//! `history`: the matches of this folder.

use std::time::{Duration, SystemTime};

use anyhow::bail;
use dealerless_events::game_name;
use dealerless_table::identity::Name;
use dealerless_table::log::{MatchEntry, Past};
use dealerless_table::record::{BadRecord, MatchState, Record};
use dealerless_table::{Seat, hex};
use serde::Serialize;

use super::source::Folder;
use super::words::{self, Who};
use crate::output::{count, show, show_json};
use crate::table::FolderArgs;
use crate::table::open::forget;

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

/// A match in the JSON output.
#[derive(Serialize)]
pub(super) struct Listed {
    #[serde(rename = "match")]
    pub(super) of: String,
    pub(super) file: String,
    pub(super) peer: String,
    pub(super) bytes: u64,
    /// The time of the last change, in seconds since 1970.
    pub(super) changed: u64,
    /// `over`, `open`, `settled`, `damaged` or `deleted`.
    pub(super) state: &'static str,
    /// The state as a sentence.
    pub(super) message: String,
    #[serde(flatten)]
    pub(super) played: Option<Played>,
}

/// The contents of a readable record.
#[derive(Serialize)]
pub(super) struct Played {
    pub(super) with: Vec<String>,
    /// The names of the other players, joined for people.
    #[serde(skip)]
    pub(super) called: String,
    pub(super) game: &'static str,
    pub(super) hands: usize,
    /// The chips won, or negative for chips lost. `None` in a game without chips.
    pub(super) won: Option<i128>,
    /// The chips in a pot that nobody has won yet.
    pub(super) undecided: Option<u64>,
    /// The end of the match before, if that one was settled without absent players.
    #[serde(skip)]
    settles: Option<Past>,
    #[serde(skip)]
    seat: Seat,
    /// The names of all players, in order of their seats.
    #[serde(skip)]
    names: Vec<Name>,
    /// The chips that the owner has bought.
    #[serde(skip)]
    bought: i128,
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
    let files = folder.list()?.into_iter().map(|file| {
        let listed = of_file(&file, &folder.read(&file.path));
        (file, listed)
    });
    let mut files: Vec<_> = files.collect();
    let settle = |(_, next): &(MatchEntry, Listed)| {
        let past = next.played.as_ref()?.settles.clone()?;
        Some((past, next.of.clone()))
    };
    let pasts: Vec<(Past, String)> = files.iter().filter_map(settle).collect();
    for (_, listed) in &mut files {
        let is_it = |(past, _): &&(Past, String)| hex(&past.match_id).starts_with(&listed.of);
        if let Some((past, next)) = pasts.iter().find(is_it) {
            listed.settle(past, next);
        }
    }
    Ok(files)
}

impl Listed {
    /// Replaces the state of an open match that others continue in the match `next` without absent
    /// players.
    fn settle(&mut self, past: &Past, next: &str) {
        let open = self.played.as_mut().filter(|_| self.state == "open");
        let Some(played) = open else {
            return;
        };
        let named = |seat: &Seat| Some(played.names.get(seat.index())?.to_string());
        let without: Vec<String> = past.without.iter().filter_map(named).collect();
        let chips = past.player(played.seat).map(|(_, chips)| i128::from(chips));
        self.state = "settled";
        self.message = format!(
            "Settled without {}, and continued in match {next}.",
            without.join(", ")
        );
        played.undecided = None;
        played.won = (played.won.and(chips)).map(|chips| chips - played.bought);
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
                // A damaged record may be the only trace of an open match.
                let over = ["over", "settled"].contains(&listed.state);
                if over && old_enough(args, &file) {
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
        forget(&file.path)?;
        deleted.push(Listed {
            state: "deleted",
            ..of_file(&file, &record)
        });
    }
    Ok(deleted)
}

fn is_over(record: &Record) -> bool {
    matches!(record.state(), MatchState::Over(_))
}

/// The list entry of a file. The file may be unreadable.
pub(super) fn of_file(
    file: &MatchEntry,
    record: &anyhow::Result<Result<Record, BadRecord>>,
) -> Listed {
    let (state, message, played) = match record {
        Err(error) => ("damaged", format!("Cannot be read: {error:#}."), None),
        Ok(Err(error)) => ("damaged", words::bad(error), None),
        Ok(Ok(record)) => {
            let state = if is_over(record) { "over" } else { "open" };
            let message = words::state(&Who::of(record), record);
            (state, message, Some(played(record)))
        }
    };
    Listed {
        of: file.match_id.clone(),
        file: file.path.display().to_string(),
        peer: file.peer.clone(),
        bytes: file.len,
        changed: (file.changed.duration_since(SystemTime::UNIX_EPOCH))
            .map_or(0, |since| since.as_secs()),
        state,
        message,
        played,
    }
}

fn played(record: &Record) -> Played {
    let own = record.owner;
    let others = Seat::all(record.log.match_info().seats()).filter(|&seat| seat != own);
    let others: Vec<Seat> = others.collect();
    let stakes = &record.log.match_info().header().stakes;
    let chips = |chips: Vec<u64>| i128::from(chips[own.index()]);
    let bought = chips(record.bought());
    let won = || chips(record.log.final_stacks()) - bought;
    let past = record.log.match_info().header().past.clone();
    let is_begun = record.log.history(0).next().is_some();
    Played {
        with: (others.iter())
            .map(|seat| record.names[seat.index()].as_str().to_owned())
            .collect(),
        called: Who::of(record).list(&others),
        game: game_name::title(stakes),
        hands: record.played(),
        won: stakes.betting().map(|_| won()),
        undecided: words::undecided_pot(record),
        settles: past.filter(|past| is_begun && !past.without.is_empty()),
        seat: own,
        names: record.names.clone(),
        bought,
    }
}

/// The list as text for people.
fn screen(listed: &[Listed], args: &Args) -> String {
    match (listed, &args.delete, args.older_than) {
        ([], None, None) => "No match has been played here.".into(),
        ([], Some(_), _) => "No finished match is that old.".into(),
        ([], None, Some(_)) => "No match is that old.".into(),
        _ => lines(listed),
    }
}

/// Two lines for each match.
pub(super) fn lines(listed: &[Listed]) -> String {
    let one = |one: &Listed| {
        let date = words::date(one.changed);
        let Some(played) = &one.played else {
            return format!(
                "{}  {date}  with {}\n  {}",
                one.of,
                Name::clean(&one.peer),
                one.message.replace('\n', "\n  ")
            );
        };
        let won = match played.won {
            None => String::new(),
            Some(0) if played.undecided.is_some() => String::new(),
            Some(0) => ", even".to_owned(),
            Some(won) if won > 0 => format!(", won {}", count(won.unsigned_abs() as u64)),
            Some(lost) => format!(", lost {}", count(lost.unsigned_abs() as u64)),
        };
        let state = match one.state {
            "deleted" => "Deleted.",
            _ => &one.message,
        };
        format!(
            "{}  {date}  with {}\n  {}, {}{won}. {state}",
            one.of,
            played.called,
            played.game,
            words::rounds(played.game == "bridge", played.hands)
        )
    };
    listed.iter().map(one).collect::<Vec<_>>().join("\n")
}
