//! The matches that the player has kept: one file with the record, one with the inputs to the shuffles,
//! one with the time banks, the two files of the deck in play, and the file of an audit.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use dealerless_connection::hex;
use dealerless_connection::identity::PublicIdentity;
use dealerless_connection::storage::Storage as _;
use dealerless_connection::system_rng;
use dealerless_seat::open_match::{closed_claim, names, others};
use dealerless_seat::peers::all_keys;
use dealerless_seat::seat::Stopped;
use dealerless_table::log::{
    Input, Inputs, Journal, JournalError, MatchLog, Opened, Phase, Sitting,
};
use dealerless_table::play::{DealCircuit, DeckSetting, SealedSetting, Seating, Setting};

use crate::files::{self, NamedFile};
use crate::finder::Finder;
use crate::host;
use crate::own::Own;
use crate::seat::{SeatInPlay, SeatSetting};

/// The ending of the names of records.
pub(crate) const RECORD: &str = ".log";

/// The name of the record of a match.
pub(crate) fn record_name(of: &[u8; 32]) -> String {
    hex(of) + RECORD
}

/// The ending of the names of the files of inputs.
const INPUTS: &str = ".inputs";

fn inputs_name(of: &[u8; 32]) -> String {
    hex(of) + INPUTS
}

fn audit_name(of: &[u8; 32]) -> String {
    hex(of) + ".audit"
}

fn deck_name(of: &[u8; 32]) -> String {
    hex(of) + ".deck"
}

/// The name of the file of the time banks of a match.
pub(crate) fn clock_name(of: &[u8; 32]) -> String {
    hex(of) + ".clock"
}

/// A match that was kept, with its file.
pub(crate) struct Kept {
    pub(crate) opened: Opened<NamedFile>,
    /// The time at which its file was created, in seconds since 1970.
    pub(crate) created: u64,
}

impl Kept {
    pub(crate) fn id(&self) -> [u8; 32] {
        self.opened.sitting.match_info.id()
    }

    /// The keys of the other player.
    pub(crate) fn peer(&self) -> &PublicIdentity {
        let sitting = &self.opened.sitting;
        &sitting.match_info.players()[sitting.seat.next(2).index()].identity
    }

    pub(crate) fn peer_name(&self) -> String {
        names(&self.opened, others(&self.opened))
    }

    pub(crate) fn is_over(&self) -> bool {
        matches!(self.opened.log.phase(), Phase::Over(_))
    }

    /// Closes the match on this side.
    ///
    /// # Errors
    /// If its file cannot be written.
    pub(crate) fn close(mut self) -> anyhow::Result<()> {
        let claim = closed_claim(&self.opened.log, host::unix());
        Ok(self.opened.journal.append_claim(&claim)?)
    }
}

/// The number of files of an open match.
const FILES: usize = 5;

/// Checks that the files of another match can be created.
///
/// # Errors
/// If not.
pub(crate) fn check_free() -> anyhow::Result<()> {
    Ok(files::check_free(FILES)?)
}

/// All matches of two, the newest first, and the names of the records that cannot be read with the errors.
/// Skips a record without a complete entry: the page was killed while it created the file.
pub(crate) fn all(own: &Own) -> (Vec<Kept>, Vec<(String, u64, anyhow::Error)>) {
    let (mut kept, mut unread) = (Vec::new(), Vec::new());
    for (name, created) in files::names(RECORD) {
        let Some(file) = NamedFile::open(&name) else {
            continue;
        };
        match Journal::open(file, own.identity().file_key()) {
            Ok(opened) => kept.push(Kept { opened, created }),
            Err(JournalError::NeverBegun) => {}
            Err(error) => unread.push((name, created, error.into())),
        }
    }
    (kept, unread)
}

/// The match with this id.
///
/// # Errors
/// If its record cannot be read.
pub(crate) fn find(own: &Own, of: &[u8; 32]) -> anyhow::Result<Option<Kept>> {
    let Some(file) = NamedFile::open(&record_name(of)) else {
        return Ok(None);
    };
    let opened = Journal::open(file, own.identity().file_key()).context("cannot read the match")?;
    Ok(Some(Kept { opened, created: 0 }))
}

/// The open match with this peer that was begun last, also with keys that the peer has succeeded. Matches
/// that have no part are removed: for the peer, they never began. Files that a killed page has left of
/// other matches are removed, too.
///
/// # Errors
/// If a file cannot be removed.
pub(crate) fn open_with(own: &Own, peer: &PublicIdentity) -> anyhow::Result<Option<Kept>> {
    for (name, _) in files::names(RECORD) {
        if let Some(file) = NamedFile::open(&name)
            && let Err(JournalError::NeverBegun) = Journal::sitting(file, own.identity().file_key())
        {
            NamedFile::remove(&name)?;
        }
    }
    let keys = all_keys(&own.peers.lock(), peer);
    let (kept, _) = all(own);
    for kept in kept {
        if kept.is_over() {
            over(&kept.id())?;
            continue;
        }
        if kept.opened.is_closed() || !keys.contains(kept.peer()) {
            continue;
        }
        if kept.opened.log.history(0).next().is_none() {
            forget(&kept.id())?;
            continue;
        }
        return Ok(Some(kept));
    }
    Ok(None)
}

/// Whether the match is neither over nor without any part.
pub(crate) fn is_open(kept: &Kept) -> bool {
    !kept.is_over() && kept.opened.log.history(0).next().is_some()
}

/// The number of matches that are open, even if they are closed here, or that cannot be read.
pub(crate) fn left_open(own: &Own) -> usize {
    let (kept, unread) = all(own);
    kept.iter().filter(|kept| is_open(kept)).count() + unread.len()
}

/// The bytes of a record.
///
/// # Errors
/// If there is no such record, or it cannot be read.
pub(crate) fn record(name: &str) -> anyhow::Result<Vec<u8>> {
    let mut file = NamedFile::open(name).context("there is no such match here")?;
    Ok(file.read()?)
}

/// Removes the files of a match.
///
/// # Errors
/// If a file cannot be removed.
pub(crate) fn forget(of: &[u8; 32]) -> anyhow::Result<()> {
    over(of)?;
    destroy_inputs(of)?;
    Ok(NamedFile::remove(&record_name(of))?)
}

/// Removes the files that only an open match needs.
///
/// # Errors
/// If a file cannot be removed.
pub(crate) fn over(of: &[u8; 32]) -> anyhow::Result<()> {
    NamedFile::remove(&clock_name(of))?;
    Ok(files::remove_value(&deck_name(of))?)
}

/// This player's inputs to the shuffles of a match. `None` if they were destroyed.
///
/// # Errors
/// If their file cannot be read.
pub(crate) fn inputs(own: &Own, of: &[u8; 32]) -> anyhow::Result<Option<Vec<Input>>> {
    let Some(file) = NamedFile::open(&inputs_name(of)) else {
        return Ok(None);
    };
    let inputs = Inputs::open(file, own.identity().file_key(), *of);
    let inputs = inputs.context("cannot read the file of your inputs to the shuffles")?;
    Ok(Some(inputs.inputs))
}

/// Destroys this player's inputs to the shuffles of a match that is over. It cannot be audited any more.
///
/// # Errors
/// If their file cannot be removed.
pub(crate) fn destroy_inputs(of: &[u8; 32]) -> io::Result<()> {
    NamedFile::remove(&inputs_name(of))
}

/// Retention time of the inputs to the shuffles of a match, in seconds.
const INPUTS_KEPT: u64 = 30 * 86_400;

/// Destroys the inputs of matches that are over and began long ago.
///
/// # Errors
/// If a file cannot be removed.
pub(crate) fn destroy_old_inputs(own: &Own) -> io::Result<()> {
    let is_old = |created| host::unix().saturating_sub(created) > INPUTS_KEPT;
    let mut inputs = files::names(INPUTS).into_iter();
    if !inputs.any(|(_, created)| is_old(created)) {
        return Ok(());
    }
    let (kept, _) = all(own);
    let mut old = kept
        .iter()
        .filter(|kept| kept.is_over() && is_old(kept.created));
    old.try_for_each(|kept| destroy_inputs(&kept.id()))
}

/// Whether a match was audited, or can be.
pub(crate) fn audit_state(of: &[u8; 32]) -> Option<&'static str> {
    if NamedFile::open(&audit_name(of)).is_some() {
        return Some("made");
    }
    NamedFile::open(&inputs_name(of)).map(|_| "possible")
}

/// The file of an audit.
///
/// # Errors
/// If the match was not audited here, or the file cannot be read.
pub(crate) fn audit(of: &[u8; 32]) -> anyhow::Result<Vec<u8>> {
    let file = NamedFile::open(&audit_name(of));
    Ok(file.context("this match was not audited here")?.read()?)
}

/// Keeps the file of an audit.
///
/// # Errors
/// If it cannot be written.
pub(crate) fn keep_audit(of: &[u8; 32], bytes: &[u8]) -> io::Result<()> {
    let mut file = NamedFile::open_or_create(&audit_name(of))?;
    // An interrupted audit may have left a part.
    file.truncate(0)?;
    file.append(bytes)?;
    file.sync()
}

/// Cleans up after a match that has stopped here.
///
/// # Errors
/// If a file cannot be written or removed.
pub(crate) fn stopped(own: &Own, of: &[u8; 32], stopped: &Stopped) -> anyhow::Result<()> {
    match stopped {
        Stopped::Over(_) => over(of),
        Stopped::Closed => find(own, of)?.map_or(Ok(()), Kept::close),
        _ => Ok(()),
    }
}

/// Begins a match to which both players have agreed.
///
/// # Errors
/// If its files cannot be created.
pub(crate) fn begin(
    own: &Own,
    seating: Seating,
    finder: Finder,
    now: Duration,
) -> anyhow::Result<SeatInPlay> {
    let Seating { sitting, circuit } = seating;
    let of = sitting.match_info.id();
    let file = NamedFile::open_or_create(&record_name(&of));
    let file = file.context("cannot make the file of the match")?;
    let journal = Journal::create(file, own.identity().file_key(), &sitting)?;
    let log = MatchLog::new(sitting.match_info.clone(), sitting.seat);
    let setting = setting(own, &sitting, journal, log, circuit)?;
    SeatInPlay::new(own, &sitting, setting, false, finder, now)
}

/// Resumes a match, still without a connection.
///
/// # Errors
/// If this program cannot resume it, or a file is damaged.
pub(crate) fn resume(
    own: &Own,
    kept: Kept,
    finder: Finder,
    now: Duration,
) -> anyhow::Result<SeatInPlay> {
    let opened = kept.opened;
    let Seating { sitting, circuit } = Seating::of_file(opened.sitting)?;
    let setting = setting(own, &sitting, opened.journal, opened.log, circuit)?;
    SeatInPlay::new(own, &sitting, setting, true, finder, now)
}

fn setting(
    own: &Own,
    sitting: &Sitting,
    journal: Journal<NamedFile>,
    log: MatchLog,
    circuit: Arc<DealCircuit>,
) -> anyhow::Result<SeatSetting> {
    let of = sitting.match_info.id();
    let inputs = NamedFile::open_or_create(&inputs_name(&of))
        .and_then(|file| Inputs::open(file, own.identity().file_key(), of))
        .context("cannot open the file of your inputs to the shuffles")?;
    let vault = files::value(&deck_name(&of)).context("cannot open the files of the deck")?;
    Ok(Setting {
        identity: own.shared_identity(),
        seat: sitting.seat,
        log,
        journal,
        deck: DeckSetting::Sealed(SealedSetting {
            inputs: inputs.file,
            vault,
            circuit,
        }),
        rng: system_rng(),
    })
}
