//! `identity`: shows your identity, and moves it to a new machine.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use dealerless_connection::identity::{HomeError, OldIdentity, Succession};
use dealerless_connection::storage::DiskStorage;
use dealerless_seat::stored::{self, past};
use dealerless_table::log::{Journal, MatchFolder, Phase};
use serde_json::json;

use crate::output::{show, show_json};
use crate::settings::Settings;
use crate::table::FolderArgs;

/// Shows your identity, or creates one that succeeds an old one.
///
/// Do not copy an identity to a second machine: create a new identity there, which the old one
/// signs.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless identity\n  \
    dealerless identity succeed /media/stick/dealerless\n  \
    dealerless identity move moved-identity\n  \
    dealerless identity statement")]
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
    /// Creates a new identity here that succeeds the one at OLD.
    ///
    /// OLD is the folder of the old identity, its file, or the file of a moved identity. The known
    /// peers in the folder or the moved file are copied, and nobody can play with the old identity
    /// any more. Players who know the old identity recognise the new one when you meet by an invite,
    /// or when you give them the statement.
    Succeed {
        /// The folder or the file of the old identity.
        #[arg(value_name = "OLD")]
        old: PathBuf,
        /// Abandon the open matches of the old identity: they cannot be resumed.
        #[arg(long)]
        leave_open_matches: bool,
    },
    /// Moves your identity away, to a file.
    ///
    /// Nobody can play with it here any more. Take the file to the new place, such as a page in a
    /// browser: a new identity succeeds it there. The file contains secret keys: delete it then.
    Move {
        /// The file, which must not exist yet.
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Abandon your open matches: they cannot be resumed.
        #[arg(long)]
        leave_open_matches: bool,
    },
    /// Prints a line that proves to others which identities yours has succeeded. The line contains
    /// no secrets.
    Statement,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    match &args.command {
        None => own(args),
        Some(Command::Succeed {
            old,
            leave_open_matches,
        }) => succeed(args, old, *leave_open_matches),
        Some(Command::Move {
            file,
            leave_open_matches,
        }) => move_away(args, file, *leave_open_matches),
        Some(Command::Statement) => {
            let home = args.folder.open()?;
            let succession = home.identity().succession();
            ensure!(
                succession.past().len() > 0,
                "your identity has not succeeded another one, so there is no statement"
            );
            show_statement(args.json, succession)
        }
    }
}

fn show_statement(json: bool, succession: &Succession) -> anyhow::Result<()> {
    if json {
        show_json(
            "identity statement",
            &json!({ "statement": succession.to_string() }),
        )
    } else {
        show(&succession.to_string())
    }
}

fn own(args: &Args) -> anyhow::Result<()> {
    let home = match args.folder.open() {
        Err(error) => match error.downcast_ref() {
            Some(HomeError::Succeeded { path, .. }) => return retired(args, path),
            _ => return Err(error),
        },
        Ok(home) => home,
    };
    let identity = home.identity();
    let own = identity.public().fingerprint();
    let past = past(identity.succession());
    let name = Settings::read(&args.folder.folder()?)?.name();
    if args.json {
        let file = home.identity_file().display().to_string();
        let value = stored::identity(own, &file, &past, None, name.as_ref());
        return show_json("identity", &value);
    }
    if let Some(name) = name {
        show(&format!("Your name: {name}"))?;
    }
    show(&format!("Your fingerprint: {own}"))?;
    for old in past.iter().rev() {
        show(&format!("  succeeds        {old}"))?;
    }
    show(&format!("File: {}", home.identity_file().display()))
}

/// Shows an old identity.
fn retired(args: &Args, file: &Path) -> anyhow::Result<()> {
    let old = OldIdentity::open(file)?;
    let by = old.successor().map(|new| new.current().fingerprint());
    let by = by.context("the file of the identity changed while it was read")?;
    let was = old.public().fingerprint();
    if args.json {
        let past = old.successor().map(past).unwrap_or_default();
        let past = &past[..past.len().saturating_sub(1)];
        let file = file.display().to_string();
        show_json(
            "identity",
            &stored::identity(was, &file, past, Some(by), None),
        )
    } else {
        show(&format!(
            "An old identity: {was}\n  succeeded by   {by}\nIt can no longer be used to play."
        ))
    }
}

fn succeed(args: &Args, path: &Path, leave_open_matches: bool) -> anyhow::Result<()> {
    let own = args.folder.folder()?;
    ensure!(
        !is_within(path, &own),
        "{} is the identity of this folder; give --home DIR for the new one",
        path.display()
    );
    let old = OldIdentity::open(path).context("cannot open the old identity")?;
    let open = left_matches(&old, leave_open_matches)?;
    let (was, has_peers) = (old.public().fingerprint(), old.has_known_peers());
    let (succession, peers) = old.be_succeeded(args.folder.open()?)?;
    let now = succession.current().fingerprint();
    if args.json {
        return show_json(
            "identity succeed",
            &json!({
                "fingerprint": now.to_string(), "succeeds": past(&succession),
                "peers": peers, "left_matches": open,
                "statement": succession.to_string(),
            }),
        );
    }
    show(&format!(
        "Your new identity: {now}\n  succeeds         {was}\nThe old identity can no longer be used. {}",
        if has_peers {
            format!("Known peers copied: {}.", peers)
        } else {
            "Its folder is unknown: known peers were not copied, and open matches were not checked."
                .into()
        }
    ))?;
    show(&format!(
        "Players who know you recognise the new identity when you meet by an invite. Or send them this\n\
         line for `dealerless peers follow`; the line contains no secrets:\n\n{}",
        succession
    ))
}

fn move_away(args: &Args, to: &Path, leave_open_matches: bool) -> anyhow::Result<()> {
    ensure!(!to.exists(), "{} exists already", to.display());
    let old = args.folder.old()?;
    let open = left_matches(&old, leave_open_matches)?;
    let was = old.public().fingerprint();
    old.move_to(to)?;
    if args.json {
        return show_json(
            "identity move",
            &json!({
                "fingerprint": was.to_string(), "file": to.display().to_string(),
                "left_matches": open,
            }),
        );
    }
    show(&format!(
        "Moved away: {was}\nFile: {}\nNobody can play with this identity here any more. Take the file, which \
         contains\nsecret keys, to the new place, and delete it when a new identity has succeeded it there.",
        to.display()
    ))
}

/// The number of open matches that the user agrees to abandon.
///
/// # Errors
/// If there are open matches and the user has not agreed.
fn left_matches(old: &OldIdentity, leave_open_matches: bool) -> anyhow::Result<usize> {
    let open = open_matches(old)?;
    if !open.is_empty() && !leave_open_matches {
        let files: Vec<String> = open.iter().map(|file| file.display().to_string()).collect();
        bail!(
            "the old identity has open matches, and only it can resume them:\n  {}\nFinish them first, or \
             abandon them with --leave-open-matches.",
            files.join("\n  ")
        );
    }
    Ok(open.len())
}

/// Whether the old identity is in the folder of the new one.
fn is_within(old: &Path, own: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    let Some(own) = real(own) else { return false };
    real(old).is_some_and(|old| old == own || old == own.join("identity"))
}

/// The match files of an old identity that are not over or cannot be read.
fn open_matches(old: &OldIdentity) -> anyhow::Result<Vec<PathBuf>> {
    let Some(folder) = old.matches() else {
        return Ok(Vec::new());
    };
    let mut open = Vec::new();
    for file in MatchFolder(folder).list()? {
        let journal = DiskStorage::open(&file.path)
            .map_err(anyhow::Error::from)
            .and_then(|storage| Ok(Journal::open(storage, old.file_key())?));
        if !journal.is_ok_and(|opened| matches!(opened.log.phase(), Phase::Over(_))) {
            open.push(file.path);
        }
    }
    Ok(open)
}

/// The statement in an argument, or in the file that the argument names.
///
/// # Errors
/// If the text is not a statement, or the file cannot be read.
pub(crate) fn statement(text_or_file: &str) -> anyhow::Result<Succession> {
    let path = Path::new(text_or_file);
    if !path.is_file() {
        return Ok(text_or_file.parse()?);
    }
    let mut text = String::new();
    let file = std::fs::File::open(path);
    let read = file.and_then(|file| {
        // The limit is larger than any statement.
        std::io::Read::read_to_string(&mut std::io::Read::take(file, 1 << 16), &mut text)
    });
    read.with_context(|| format!("cannot read {}", path.display()))?;
    Ok(text.parse()?)
}
