//! The matches that the player has kept: one file with the record, one with the inputs to the shuffles,
//! one with the time banks, the two files of the deck in play, and the file of an audit.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use dealerless_connection::identity::PublicIdentity;
use dealerless_connection::storage::Storage as _;
use dealerless_connection::{hex, system_rng};
use dealerless_table::log::{
    Input, Inputs, Journal, JournalError, MatchId, MatchLog, Opened, Phase, Sitting,
};
use dealerless_table::play::{DealCircuit, DeckSetting, SealedSetting, Seating, Setting};

use super::finding::Finder;
use super::own::Own;
use super::playing::{SeatFiles, SeatInPlay, SeatSetting};
use super::world::World;
use crate::open_match::{closed_claim, names, others};
use crate::peers::all_keys;
use crate::seat::{PlayerNeeds, Stopped};

/// The ending of the names of records.
pub(super) const RECORD: &str = ".log";

/// The name of the record of a match.
pub(super) fn record_name(of: &MatchId) -> String {
    hex(of.as_bytes()) + RECORD
}

/// The ending of the names of the files of inputs.
const INPUTS: &str = ".inputs";

fn inputs_name(of: &MatchId) -> String {
    hex(of.as_bytes()) + INPUTS
}

fn audit_name(of: &MatchId) -> String {
    hex(of.as_bytes()) + ".audit"
}

fn deck_name(of: &MatchId) -> String {
    hex(of.as_bytes()) + ".deck"
}

/// The name of the file of the time banks of a match.
pub(super) fn clock_name(of: &MatchId) -> String {
    hex(of.as_bytes()) + ".clock"
}

/// A match that was kept, with its file.
pub(super) struct Kept<W: World> {
    pub(super) opened: Opened<W::File>,
    /// The time at which its file was created, in seconds since 1970.
    pub(super) created: u64,
}

impl<W: World> Kept<W> {
    pub(super) fn id(&self) -> MatchId {
        self.opened.sitting.match_info.id()
    }

    /// The keys of the other player.
    pub(super) fn peer(&self) -> &PublicIdentity {
        let sitting = &self.opened.sitting;
        &sitting.match_info.players()[sitting.seat.next(2).index()].identity
    }

    pub(super) fn peer_name(&self) -> String {
        names(&self.opened, others(&self.opened))
    }

    pub(super) fn is_over(&self) -> bool {
        matches!(self.opened.log.phase(), Phase::Over(_))
    }

    /// Closes the match on this side.
    ///
    /// # Errors
    /// If its file cannot be written.
    pub(super) fn close(mut self) -> anyhow::Result<()> {
        let claim = closed_claim(&self.opened.log, W::unix());
        Ok(self.opened.journal.append_claim(&claim)?)
    }
}

/// The number of files of an open match.
const FILES: usize = 5;

/// Checks that the files of another match can be created.
///
/// # Errors
/// If not.
pub(super) fn check_free(world: &impl World) -> anyhow::Result<()> {
    Ok(world.check_free_files(FILES)?)
}

/// The name of a record that cannot be read, and why.
type Unread = (String, anyhow::Error);

/// All matches of two, the newest first, and the records that cannot be read.
/// Skips a record without a complete entry: the program was killed while it created the file.
pub(super) fn all<W: World>(own: &Own<W>) -> (Vec<Kept<W>>, Vec<Unread>) {
    let (mut kept, mut unread) = (Vec::new(), Vec::new());
    for (name, created) in own.world.file_names(RECORD) {
        let Some(file) = own.world.open_file(&name) else {
            continue;
        };
        match Journal::open(file, own.identity().file_key()) {
            Ok(opened) => kept.push(Kept { opened, created }),
            Err(JournalError::NeverBegun) => {}
            Err(error) => unread.push((name, error.into())),
        }
    }
    (kept, unread)
}

/// The match with this id.
///
/// # Errors
/// If its record cannot be read.
pub(super) fn find<W: World>(own: &Own<W>, of: &MatchId) -> anyhow::Result<Option<Kept<W>>> {
    let Some(file) = own.world.open_file(&record_name(of)) else {
        return Ok(None);
    };
    let opened = Journal::open(file, own.identity().file_key()).context("cannot read the match")?;
    Ok(Some(Kept { opened, created: 0 }))
}

/// The open match with this peer that was begun last, also with keys that the peer has succeeded. Matches
/// that have no part are removed: for the peer, they never began. Files that a killed program has left of
/// other matches are removed, too.
///
/// # Errors
/// If a file cannot be removed.
pub(super) fn open_with<W: World>(
    own: &Own<W>,
    peer: &PublicIdentity,
) -> anyhow::Result<Option<Kept<W>>> {
    for (name, _) in own.world.file_names(RECORD) {
        if let Some(file) = own.world.open_file(&name)
            && let Err(JournalError::NeverBegun) = Journal::sitting(file, own.identity().file_key())
        {
            own.world.remove_file(&name)?;
        }
    }
    let keys = all_keys(&own.peers.lock(), peer);
    let (kept, _) = all(own);
    for kept in kept {
        if kept.is_over() {
            over(&own.world, &kept.id())?;
            continue;
        }
        if kept.opened.is_closed() || !keys.contains(kept.peer()) {
            continue;
        }
        if kept.opened.log.history(0).next().is_none() {
            forget(&own.world, &kept.id())?;
            continue;
        }
        return Ok(Some(kept));
    }
    Ok(None)
}

/// Whether the match has begun and is not over.
pub(super) fn is_open<W: World>(kept: &Kept<W>) -> bool {
    !kept.is_over() && kept.opened.log.history(0).next().is_some()
}

/// The number of matches that are open, even if they are closed here, or that cannot be read.
pub(super) fn left_open<W: World>(own: &Own<W>) -> usize {
    let (kept, unread) = all(own);
    kept.iter().filter(|kept| is_open(kept)).count() + unread.len()
}

/// The bytes of a record.
///
/// # Errors
/// If there is no such record, or it cannot be read.
pub(super) fn record(world: &impl World, name: &str) -> anyhow::Result<Vec<u8>> {
    let mut file = world
        .open_file(name)
        .context("there is no such match here")?;
    Ok(file.read()?)
}

/// Removes the files of a match.
///
/// # Errors
/// If a file cannot be removed.
pub(super) fn forget(world: &impl World, of: &MatchId) -> anyhow::Result<()> {
    over(world, of)?;
    destroy_inputs(world, of)?;
    Ok(world.remove_file(&record_name(of))?)
}

/// Removes the files that only an open match needs.
///
/// # Errors
/// If a file cannot be removed.
pub(super) fn over(world: &impl World, of: &MatchId) -> anyhow::Result<()> {
    world.remove_file(&clock_name(of))?;
    Ok(world.remove_value(&deck_name(of))?)
}

/// This player's inputs to the shuffles of a match. `None` if they were destroyed.
///
/// # Errors
/// If their file cannot be read.
pub(super) fn inputs<W: World>(own: &Own<W>, of: &MatchId) -> anyhow::Result<Option<Vec<Input>>> {
    let Some(file) = own.world.open_file(&inputs_name(of)) else {
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
pub(super) fn destroy_inputs(world: &impl World, of: &MatchId) -> io::Result<()> {
    world.remove_file(&inputs_name(of))
}

/// Retention time of the inputs to the shuffles of a match, in seconds.
const INPUTS_KEPT: u64 = 30 * 86_400;

/// Destroys the inputs of matches that are over and began long ago.
///
/// # Errors
/// If a file cannot be removed.
pub(super) fn destroy_old_inputs<W: World>(own: &Own<W>) -> io::Result<()> {
    let is_old = |created| W::unix().saturating_sub(created) > INPUTS_KEPT;
    let mut inputs = own.world.file_names(INPUTS).into_iter();
    if !inputs.any(|(_, created)| is_old(created)) {
        return Ok(());
    }
    let (kept, _) = all(own);
    let mut old = kept
        .iter()
        .filter(|kept| kept.is_over() && is_old(kept.created));
    old.try_for_each(|kept| destroy_inputs(&own.world, &kept.id()))
}

/// Whether a match was audited, or can be.
pub(super) fn audit_state(world: &impl World, of: &MatchId) -> Option<&'static str> {
    if world.open_file(&audit_name(of)).is_some() {
        return Some("made");
    }
    world.open_file(&inputs_name(of)).map(|_| "possible")
}

/// The file of an audit.
///
/// # Errors
/// If the match was not audited here, or the file cannot be read.
pub(super) fn audit(world: &impl World, of: &MatchId) -> anyhow::Result<Vec<u8>> {
    let file = world.open_file(&audit_name(of));
    Ok(file.context("this match was not audited here")?.read()?)
}

/// Keeps the file of an audit.
///
/// # Errors
/// If it cannot be written.
pub(super) fn keep_audit(world: &impl World, of: &MatchId, bytes: &[u8]) -> io::Result<()> {
    let mut file = world.open_or_create_file(&audit_name(of))?;
    // An interrupted audit may have left a part.
    file.truncate(0)?;
    file.append(bytes)?;
    file.sync()
}

/// Cleans up after a match that has stopped here.
///
/// # Errors
/// If a file cannot be written or removed.
pub(super) fn stopped<W: World>(
    own: &Own<W>,
    of: &MatchId,
    stopped: &Stopped,
) -> anyhow::Result<()> {
    match stopped {
        Stopped::Over(_) => over(&own.world, of),
        Stopped::Closed => find(own, of)?.map_or(Ok(()), Kept::close),
        _ => Ok(()),
    }
}

/// Begins a match to which both players have agreed.
///
/// # Errors
/// If its files cannot be created.
pub(super) fn begin<W: World>(
    own: &Own<W>,
    seating: Seating,
    finder: Finder<W>,
    now: Duration,
) -> anyhow::Result<SeatInPlay<W>> {
    let Seating { sitting, circuit } = seating;
    let of = sitting.match_info.id();
    let file = own.world.open_or_create_file(&record_name(&of));
    let file = file.context("cannot make the file of the match")?;
    let journal = Journal::create(file, own.identity().file_key(), &sitting)?;
    let log = MatchLog::new(sitting.match_info.clone(), sitting.seat);
    let setting = setting(own, &sitting, journal, log, circuit)?;
    seat(own, (sitting, setting), false, finder, now)
}

/// Resumes a match, still without a connection.
///
/// # Errors
/// If this program cannot resume it, or a file is damaged.
pub(super) fn resume<W: World>(
    own: &Own<W>,
    kept: Kept<W>,
    finder: Finder<W>,
    now: Duration,
) -> anyhow::Result<SeatInPlay<W>> {
    let opened = kept.opened;
    let Seating { sitting, circuit } = Seating::of_file(opened.sitting)?;
    let setting = setting(own, &sitting, opened.journal, opened.log, circuit)?;
    seat(own, (sitting, setting), true, finder, now)
}

/// The needs of the player of a page.
const NEEDS: PlayerNeeds = PlayerNeeds {
    pauses: true,
    each_second: false,
    never_asked: false,
};

fn seat<W: World>(
    own: &Own<W>,
    (sitting, setting): (Sitting, SeatSetting<W>),
    resumed: bool,
    finder: Finder<W>,
    now: Duration,
) -> anyhow::Result<SeatInPlay<W>> {
    let of = sitting.match_info.id();
    let files = SeatFiles {
        record: record_name(&of),
        resumed,
        setting,
        clock: own.world.open_or_create_file(&clock_name(&of))?,
        sitting,
    };
    SeatInPlay::new(&own.world, files, own.peers.clone(), NEEDS, finder, now)
}

fn setting<W: World>(
    own: &Own<W>,
    sitting: &Sitting,
    journal: Journal<W::File>,
    log: MatchLog,
    circuit: Arc<DealCircuit>,
) -> anyhow::Result<SeatSetting<W>> {
    let of = sitting.match_info.id();
    let inputs = own
        .world
        .open_or_create_file(&inputs_name(&of))
        .and_then(|file| Inputs::open(file, own.identity().file_key(), of))
        .context("cannot open the file of your inputs to the shuffles")?;
    let vault = own
        .world
        .open_value(&deck_name(&of))
        .context("cannot open the files of the deck")?;
    Ok(Setting {
        identity: Arc::clone(own.identity()),
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
