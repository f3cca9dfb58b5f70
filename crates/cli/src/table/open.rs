//! The match files in the player's folder. A match is open if it has begun and is not over.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, bail, ensure};
use dealerless_connection::hex;
use dealerless_connection::identity::{Name, PublicIdentity};
use dealerless_connection::storage::DiskStorage;
use dealerless_native::NativeFile;
use dealerless_seat::open_match::{self, closed_claim, with_old_keys};
use dealerless_seat::peers::all_keys;
use dealerless_table::Seat;
use dealerless_table::log::{
    Input, Inputs, Journal, JournalError, MatchEntry, MatchFolder, MatchId, Opened, Past, Phase,
    Settled,
};
use dealerless_table::play::Control;

use super::absence;
use super::own::Own;
use crate::output::say;

/// A match file, opened and locked.
pub(crate) struct MatchFile {
    pub(crate) path: PathBuf,
    pub(crate) opened: Opened<NativeFile>,
}

impl MatchFile {
    pub(crate) fn open(own: &Own, path: PathBuf) -> anyhow::Result<Self> {
        let storage =
            DiskStorage::open(&path).with_context(|| format!("cannot open {}", path.display()))?;
        let storage: NativeFile = Box::new(storage);
        let opened = Journal::open(storage, own.home.identity().file_key())
            .with_context(|| format!("cannot read {}", path.display()))?;
        Ok(MatchFile { path, opened })
    }

    pub(crate) fn id(&self) -> MatchId {
        self.opened.sitting.match_info.id()
    }

    pub(crate) fn seat(&self) -> Seat {
        self.opened.sitting.seat
    }

    /// The seats of the other players.
    fn others(&self) -> impl Iterator<Item = Seat> {
        open_match::others(&self.opened)
    }

    fn identity(&self, seat: Seat) -> &PublicIdentity {
        &self.opened.sitting.match_info.players()[seat.index()].identity
    }

    /// The keys of the other players, in order of their seats. The first one is the host, unless
    /// this side is the host.
    pub(crate) fn peers(&self) -> Vec<PublicIdentity> {
        self.others()
            .map(|seat| self.identity(seat).clone())
            .collect()
    }

    /// The keys of the host, or on the host's side those of the first guest.
    pub(crate) fn peer(&self) -> &PublicIdentity {
        self.identity(match self.seat() {
            Seat::HOST => Seat::GUEST,
            _ => Seat::HOST,
        })
    }

    /// Whether the deck of the match is sealed.
    pub(crate) fn is_sealed(&self) -> bool {
        self.opened.sitting.match_info.header().sealed().is_some()
    }

    /// Whether this side connects to `peer` in this match: one of the two is the host.
    fn connects_to(&self, peer: &PublicIdentity) -> bool {
        let mut others = self
            .others()
            .filter(|seat| [*seat, self.seat()].contains(&Seat::HOST));
        others.any(|seat| self.identity(seat) == peer)
    }

    /// The name that the player at a seat gave.
    fn name(&self, seat: Seat) -> Name {
        let name = self.opened.sitting.names.get(seat.index());
        name.cloned().unwrap_or_else(|| Name::clean(""))
    }

    /// The keys and the name of the player at a seat.
    pub(crate) fn player(&self, seat: Seat) -> (PublicIdentity, Name) {
        (self.identity(seat).clone(), self.name(seat))
    }

    /// The names of the players at these seats, as a list.
    pub(crate) fn names(&self, seats: &[Seat]) -> String {
        open_match::names(&self.opened, seats.iter().copied())
    }

    /// The names of the other players, as a list.
    pub(crate) fn peer_names(&self) -> String {
        open_match::names(&self.opened, self.others())
    }

    /// Checks that the match was begun with the identity `peer`, and not with an older identity of
    /// the same player.
    ///
    /// # Errors
    /// If the match was begun with an older identity, so that it cannot be resumed.
    pub(crate) fn must_be_with(&self, peer: &PublicIdentity) -> anyhow::Result<()> {
        match self.connects_to(peer) {
            true => Ok(()),
            false => bail!(with_old_keys(&self.id(), &self.peer_names())),
        }
    }

    /// Whether `which` means another player or the match.
    pub(crate) fn is_called(&self, which: &str) -> bool {
        let lower = which.to_lowercase();
        let is_hex = lower.bytes().all(|digit| digit.is_ascii_hexdigit());
        // A player who chooses such an id as its name must not be found with it.
        let is_printed_id = is_hex && lower.len() >= 16;
        let is_meant = |seat| self.identity(seat).is_meant_by(which, &self.name(seat));
        (lower.len() >= 4 && hex(self.id().as_bytes()).starts_with(&lower))
            || (!is_printed_id && self.others().any(is_meant))
    }

    /// This side's inputs to the shuffles.
    ///
    /// # Errors
    /// If the input file cannot be read.
    pub(crate) fn inputs(&self, own: &Own) -> anyhow::Result<Vec<Input>> {
        let storage = DiskStorage::open(&inputs_file(&self.path))
            .context("cannot open the file of your inputs to the shuffles")?;
        let key = own.home.identity().file_key();
        let inputs = Inputs::open(storage, key, self.id())
            .context("cannot read the file of your inputs to the shuffles")?;
        Ok(inputs.inputs)
    }

    /// The match as a line of a list.
    fn line(&self) -> String {
        format!("{}  with {}", self.id(), self.peer_names())
    }

    pub(crate) fn is_over(&self) -> bool {
        matches!(self.opened.log.phase(), Phase::Over(_))
    }

    /// Whether the log contains a part that the other player signed.
    pub(crate) fn has_peer_parts(&self) -> bool {
        open_match::has_peer_parts(&self.opened.log, self.seat())
    }

    /// Whether the log contains a part of either player.
    pub(crate) fn is_begun(&self) -> bool {
        self.opened.log.history(0).next().is_some()
    }

    /// Removes the files of a match that contains no part of the other player. For that player, the
    /// match never began. A match that continues another one without absent seats is closed instead
    /// if this player has signed in it: its file shows that this player signs nothing in the other
    /// one any more.
    ///
    /// # Errors
    /// If a file cannot be removed.
    pub(crate) fn forget(self) -> anyhow::Result<()> {
        let past = &self.opened.sitting.match_info.header().past;
        let settles = past.as_ref().is_some_and(|past| !past.without.is_empty());
        if settles && self.is_begun() {
            return self.close().map(drop);
        }
        let MatchFile { path, opened } = self;
        // `MatchFolder::remove` takes the lock again.
        drop(opened);
        forget(&path)
    }

    /// Closes the match on this side: appends a claim with the step and the seat that the match
    /// waits for. Returns the opened file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub(crate) fn close(mut self) -> anyhow::Result<Opened<NativeFile>> {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let time = since.map_or(0, |since| since.as_secs());
        let claim = closed_claim(&self.opened.log, time);
        self.opened.journal.append_claim(&claim)?;
        Ok(self.opened)
    }

    /// The state on one line, such as `hand 3 of 10, Bert to speak`.
    pub(crate) fn state(&self) -> String {
        open_match::state(&self.opened)
    }
}

/// Removes the file of a match, and the files next to it.
///
/// # Errors
/// If a file cannot be removed.
pub(crate) fn forget(path: &Path) -> anyhow::Result<()> {
    MatchFolder::remove(path).with_context(|| format!("cannot remove {}", path.display()))?;
    let siblings = [
        deck_file,
        keys_file,
        clock_file,
        inputs_file,
        audit_file,
        listen_file,
        guests_file,
    ];
    for sibling in siblings {
        let sibling = sibling(path);
        match std::fs::remove_file(&sibling) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error)?,
            _ => {}
        }
    }
    Ok(())
}

pub(crate) fn deck_file(log: &Path) -> PathBuf {
    log.with_extension("deck")
}

pub(crate) fn inputs_file(log: &Path) -> PathBuf {
    log.with_extension("inputs")
}

/// The file with the inputs that both sides opened in an audit.
pub(crate) fn audit_file(log: &Path) -> PathBuf {
    log.with_extension("audit")
}

/// The file of the secret from which a seat's keys of a verifiable deck are derived.
pub(crate) fn keys_file(log: &Path) -> PathBuf {
    log.with_extension("keys")
}

/// The file of the addresses on which the host, or a guest, listened for the other players.
pub(crate) fn listen_file(log: &Path) -> PathBuf {
    log.with_extension("listen")
}

/// The file of the addresses of the other guests.
pub(crate) fn guests_file(log: &Path) -> PathBuf {
    log.with_extension("guests")
}

pub(crate) fn clock_file(log: &Path) -> PathBuf {
    log.with_extension("clock")
}

/// The match files of a folder without the finished matches, the most recently changed first.
#[derive(Default)]
pub(crate) struct Files {
    /// The matches that have begun and are not over.
    pub(crate) open: Vec<MatchFile>,
    /// The files that cannot be read, each with the error.
    pub(crate) unread: Vec<(MatchEntry, anyhow::Error)>,
}

/// Lists the files of matches that are not over, and were not continued without absent seats. Matches
/// without any part are removed, unless there are several other players: they may have begun without
/// this one, who has agreed to the match.
///
/// # Errors
/// If the folder cannot be read.
pub(crate) fn all(own: &Own) -> anyhow::Result<Files> {
    let files = MatchFolder(own.home.matches()).list();
    let settled = all_settled(own)?;
    let Files {
        mut open,
        mut unread,
    } = Files::default();
    for file in files.context("cannot read the folder of matches")? {
        match MatchFile::open(own, file.path.clone()) {
            Ok(file) if file.is_over() => {}
            Ok(file) if settled.contains(&file.id()) => {}
            Ok(file) if !file.is_begun() && file.is_sealed() => file.forget()?,
            Ok(file) => open.push(file),
            Err(error) => match error.downcast_ref() {
                // The process was killed before it wrote the first record.
                Some(JournalError::NeverBegun) => forget(&file.path)?,
                _ => unread.push((file, error)),
            },
        }
    }
    Ok(Files { open, unread })
}

/// Returns the only match, open or over, that satisfies `fits` and is called `which`. An empty
/// `which` stands for all matches. Skips files that cannot be read.
///
/// # Errors
/// If the folder cannot be read; with the message `none` if there is no such match; with the
/// message `several` if there are several, after printing them.
pub(crate) fn only_one(
    own: &Own,
    which: &str,
    fits: impl Fn(&MatchFile) -> bool,
    none: &'static str,
    several: &'static str,
) -> anyhow::Result<MatchFile> {
    let files = MatchFolder(own.home.matches()).list();
    let files = files.context("cannot read the folder of matches")?;
    let opened = files
        .into_iter()
        .map(|file| MatchFile::open(own, file.path));
    let is_called = |file: &MatchFile| which.is_empty() || file.is_called(which);
    let found = opened.filter_map(Result::ok);
    let mut found: Vec<MatchFile> = found.filter(|file| fits(file) && is_called(file)).collect();
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => bail!(none),
        _ => {
            let lines: Vec<String> = found.iter().map(MatchFile::line).collect();
            say(&lines.join("\n"));
            bail!(several)
        }
    }
}

/// The match of several players that `host --after` continues: the last finished one if `which` is
/// empty, otherwise the one that is called `which`, finished or open.
///
/// # Errors
/// If the folder cannot be read, or no such match or several are there.
pub(crate) fn before(own: &Own, which: &str) -> anyhow::Result<MatchFile> {
    const NONE: &str = "you have no finished match of several players that fits";
    if !which.is_empty() {
        let fits = |file: &MatchFile| !file.is_sealed();
        let several = "several matches fit: name one by the first digits of its id";
        return only_one(own, which, fits, NONE, several);
    }
    let is_finished = |file: &MatchFile| file.is_over() && !file.is_sealed();
    let files = MatchFolder(own.home.matches()).list();
    let mut files = files
        .context("cannot read the folder of matches")?
        .into_iter();
    let found = files.find_map(|file| MatchFile::open(own, file.path).ok().filter(is_finished));
    found.context(NONE)
}

/// A match file that names the match before, and whether a seat has signed anything in it.
struct Successor {
    path: PathBuf,
    id: MatchId,
    past: Past,
    is_begun: bool,
}

/// The matches of this folder that continue another one. Reads only the beginnings of the files, and
/// skips files that cannot be read.
fn successors(own: &Own) -> anyhow::Result<Vec<Successor>> {
    let files = MatchFolder(own.home.matches()).list();
    let files = files.context("cannot read the folder of matches")?;
    let successor = |file: MatchEntry| {
        let storage = DiskStorage::open(&file.path).ok()?;
        let key = own.home.identity().file_key();
        let (sitting, is_begun) = Journal::sitting(storage, key).ok()?;
        Some(Successor {
            path: file.path,
            id: sitting.match_info.id(),
            past: sitting.match_info.header().past.clone()?,
            is_begun,
        })
    };
    Ok(files.into_iter().filter_map(successor).collect())
}

/// The match that continues the match `of` without absent seats, if this folder has one that has
/// begun. From its first signed part on, this player signs nothing in the match `of`.
///
/// # Errors
/// If the folder cannot be read.
pub(crate) fn is_settled(own: &Own, of: &MatchId) -> anyhow::Result<Option<MatchId>> {
    let mut all = successors(own)?.into_iter();
    Ok(all.find(|next| next.settles(of)).map(|next| next.id))
}

/// The ids of the matches that [were continued](is_settled) without absent seats.
fn all_settled(own: &Own) -> anyhow::Result<Vec<MatchId>> {
    let all = successors(own)?.into_iter();
    let settling = all.filter(|next| next.settles(&next.past.match_id));
    Ok(settling.map(|next| next.past.match_id).collect())
}

impl Successor {
    fn settles(&self, of: &MatchId) -> bool {
        self.is_begun && self.past.match_id == *of && !self.past.without.is_empty()
    }
}

/// Checks that this player may still sign in the match of this file.
///
/// # Errors
/// If the match was continued without absent seats.
pub(crate) fn must_not_be_settled(own: &Own, of: &MatchId) -> anyhow::Result<()> {
    if let Some(next) = is_settled(own, of)? {
        bail!(
            "match {of} cannot be resumed: the players who were still there have continued it in match {next}"
        );
    }
    Ok(())
}

/// The answer to a player of the match `of` who resumes it, if it was continued without absent seats.
///
/// # Errors
/// If the folder cannot be read.
pub(crate) fn went_on(
    own: &Own,
    of: &MatchId,
    peer: &PublicIdentity,
) -> anyhow::Result<Option<Control>> {
    let mut all = successors(own)?.into_iter();
    let next = all.find(|next| next.settles(of));
    Ok(next.and_then(|next| open_match::answer_after(&next.past, peer)))
}

/// Checks that this player has not taken its chips from the match `of` to another match. A match in
/// which no hand was dealt counts only if it was continued itself. Skips files whose beginning cannot
/// be read.
///
/// # Errors
/// If there is such a match, or the folder cannot be read.
pub(crate) fn must_not_be_continued(own: &Own, of: &MatchId) -> anyhow::Result<()> {
    let all = successors(own)?;
    let mut from = vec![*of];
    while let Some(before) = from.pop() {
        for next in all.iter().filter(|next| next.past.match_id == before) {
            let file = MatchFile::open(own, next.path.clone())?;
            let log = &file.opened.log;
            ensure!(
                log.attempt().hand == 1 && log.game().is_none(),
                "the chips of match {of} are already in match {}; continue that one",
                next.id
            );
            from.push(next.id);
        }
    }
    Ok(())
}

/// Checks the match that the host wants to continue against the file of this player. A player who
/// was not there cannot check it, and sees the chips of all in the terms. Returns the file if the
/// match is open and the host settles it without absent seats.
///
/// # Errors
/// If the files differ, this player has already continued the match elsewhere, or the absent seats
/// are not absent by the claims of this player's program.
pub(crate) fn must_agree(own: &Own, past: &Past) -> anyhow::Result<Option<(MatchFile, Settled)>> {
    let of = past.match_id.to_string();
    let files = MatchFolder(own.home.matches()).list();
    let files = files
        .context("cannot read the folder of matches")?
        .into_iter();
    let mut files = files.filter(|file| file.match_id == of);
    let file = match files.next() {
        Some(file) => Some(MatchFile::open(own, file.path)?),
        None => None,
    };
    let settled = match file {
        Some(file) if !past.without.is_empty() && !file.is_over() => {
            let settled = absence::must_agree(&file, past)?;
            Some((file, settled))
        }
        Some(file) => {
            ensure!(
                past.agrees_with(&file.opened.log),
                "the host continues match {of} with another end than the one in your file. If it is \
                 open here, resume it first; otherwise do not sit down"
            );
            None
        }
        None => None,
    };
    must_not_be_continued(own, &past.match_id)?;
    Ok(settled)
}

/// The open match in which this side connects to the player `peer`, unless this side closed it. A match with an older
/// identity of the player is also returned: it cannot be resumed, but a player must not get another
/// deal by creating a new identity. The match `except` is left out.
///
/// # Errors
/// The errors of [`all`].
pub(crate) fn with(
    own: &Own,
    peer: &PublicIdentity,
    except: Option<MatchId>,
) -> anyhow::Result<Option<MatchFile>> {
    let all_keys = all_keys(&own.peers.lock(), peer);
    let fits = |file: &MatchFile| {
        let is_with_peer = all_keys.iter().any(|keys| file.connects_to(keys));
        is_with_peer && !file.opened.is_closed() && Some(file.id()) != except
    };
    Ok(all(own)?.open.into_iter().find(fits))
}

/// The match with this id and this player, open or over.
///
/// # Errors
/// If the folder or the file cannot be read.
pub(crate) fn find(
    own: &Own,
    of: &MatchId,
    peer: &PublicIdentity,
) -> anyhow::Result<Option<MatchFile>> {
    let files = MatchFolder(own.home.matches()).list();
    let mut files = files
        .context("cannot read the folder of matches")?
        .into_iter();
    let Some(found) = files.find(|file| file.match_id == of.to_string()) else {
        return Ok(None);
    };
    let file = MatchFile::open(own, found.path)?;
    Ok(Some(file).filter(|file| file.id() == *of && file.connects_to(peer)))
}
