//! The matches that the player has kept. The files of a match have the name of its record, and different endings.

use std::collections::HashMap;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use dealerless_connection::identity::{Name, PublicIdentity};
use dealerless_connection::storage::{MemoryStorage, Storage as _, Vault as _};
use dealerless_connection::wire::{Reader, Writer};
use dealerless_connection::{MAX_HEADER, PolledConnection, system_rng};
use dealerless_table::Seat;
use dealerless_table::log::{
    Input, Inputs, Journal, JournalError, MatchId, MatchLog, Opened, Phase, Sitting, TableId,
};
use dealerless_table::play::{
    DealCircuit, DeckSetting, Proposal, SealedSetting, Seating, Setting, TableCore, TableTerms,
};

use super::continued::{all_settled, must_be_resumable};
use super::finding::Finder;
use super::own::{Own, Stored};
use super::playing::{FileOf, SeatFiles, SeatInPlay, SeatSetting, ValueOf};
use super::world::{Files, SeatWorld};
use crate::open_match::{self, closed_claim, with_old_keys};
use crate::peers::all_keys;
use crate::seat::PlayerNeeds;

/// The ending of the names of records.
pub const RECORD: &str = ".log";
/// The ending of the names of the files of inputs to the shuffles.
pub const INPUTS: &str = ".inputs";
/// The ending of the name of the file with the inputs that both sides have opened in an audit.
pub const AUDIT: &str = ".audit";
/// The ending of the name of the value with the deck in play.
pub const DECK: &str = ".deck";
/// The ending of the name of the value from which a seat's keys of a verifiable deck are derived.
const KEYS: &str = ".keys";
/// The ending of the name of the file of the time banks.
const CLOCK: &str = ".clock";
/// The ending of the name of the value with the addresses on which this side listened for the other players.
pub const LISTEN: &str = ".listen";
/// The ending of the name of the value with the addresses of the other guests.
pub(super) const GUESTS: &str = ".guests";
/// The ending of the name of the value with the terms of the table, and the number of this player after the match.
const TABLE: &str = ".table";

/// The name of another file of a match whose record has this name.
pub fn beside(record: &str, ending: &str) -> String {
    record.strip_suffix(RECORD).unwrap_or(record).to_owned() + ending
}

/// A match that was kept, with its record, which is open.
pub struct Kept<F: Files> {
    /// The contents of the record.
    pub opened: Opened<F::File>,
    /// The name of the record.
    pub name: String,
    /// The time of the record in seconds since 1970.
    pub time: u64,
}

impl<F: Files> Kept<F> {
    /// Opens a record.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn open(own: &Stored<F>, name: String) -> anyhow::Result<Self> {
        let cannot = |what| format!("cannot {what} {}", own.files.shown(&name));
        let file = own.files.open_file(&name).with_context(|| cannot("open"))?;
        let file = file.context("there is no such match here")?;
        let opened = Journal::open(file, own.identity.file_key());
        let opened = opened.with_context(|| cannot("read"))?;
        Ok(Kept {
            opened,
            name,
            time: 0,
        })
    }

    /// The id of the match.
    pub fn id(&self) -> MatchId {
        self.opened.sitting.match_info.id()
    }

    /// The seat of this player.
    pub fn seat(&self) -> Seat {
        self.opened.sitting.seat
    }

    /// The seats of the other players.
    pub fn others(&self) -> impl Iterator<Item = Seat> {
        open_match::others(&self.opened)
    }

    /// The keys of the player at a seat.
    pub fn identity(&self, seat: Seat) -> &PublicIdentity {
        &self.opened.sitting.match_info.players()[seat.index()].identity
    }

    /// The keys of the other players, in order of their seats. The first one is the host, unless this side is.
    pub fn peers(&self) -> Vec<PublicIdentity> {
        let others = self.others().map(|seat| self.identity(seat).clone());
        others.collect()
    }

    /// The keys of the host, or on the host's side those of the first guest.
    pub fn peer(&self) -> &PublicIdentity {
        self.identity(first_other(self.seat()))
    }

    /// Whether the deck of the match is sealed.
    pub fn is_sealed(&self) -> bool {
        self.opened.sitting.match_info.header().sealed().is_some()
    }

    /// Whether the keys of the match are destroyed, and this player has opened no card in it: the program was ended while
    /// it gave up the match between two matches of a table.
    fn is_given_up(&self, own: &Stored<F>) -> bool {
        let log = &self.opened.log;
        let this = own.identity.public().fingerprint();
        let past = log.match_info().header().past();
        let before = past.and_then(|past| find(own, &past.match_id).ok().flatten());
        let is_between = before.is_some_and(|before| before.has_table(own));
        if !is_between || !log.has_part_of(this) || log.has_opened(this) {
            return false;
        }
        let keys = own.files.open_value(&beside(&self.name, KEYS));
        matches!(
            keys.and_then(|mut keys| keys.kept().map(|kept| kept.is_none())),
            Ok(true)
        )
    }

    /// Whether the match is one of a table whose terms are kept, so that another match can follow it.
    pub fn has_table(&self, own: &Stored<F>) -> bool {
        kept_table(own, &self.name).is_some_and(|table| table.number < NO_SEAT)
    }

    /// Whether this player has lost its chips in this match of a table, and has no seat there before it buys again.
    pub fn is_without_seat(&self, own: &Stored<F>) -> bool {
        kept_table(own, &self.name).is_some_and(|table| table.number == NO_SEAT)
    }

    /// Whether this side connects to `peer` in this match: one of the two is the host.
    pub fn connects_to(&self, peer: &PublicIdentity) -> bool {
        connects(&self.opened.sitting, peer)
    }

    /// Checks that the match was begun with the identity `peer`, and not with an older identity of the same
    /// player.
    ///
    /// # Errors
    /// If the match was begun with an older identity, so that it cannot be resumed.
    pub fn must_be_with(&self, peer: &PublicIdentity) -> anyhow::Result<()> {
        match self.connects_to(peer) {
            true => Ok(()),
            false => bail!(with_old_keys(&self.id(), &self.peer_names())),
        }
    }

    /// The name that the player at a seat gave.
    pub fn player_name(&self, seat: Seat) -> Name {
        let name = self.opened.sitting.names.get(seat.index());
        name.cloned().unwrap_or_else(|| Name::clean(""))
    }

    /// The names of the players at these seats, as a list.
    pub fn names(&self, seats: &[Seat]) -> String {
        open_match::names(&self.opened, seats.iter().copied())
    }

    /// The names of the other players, as a list.
    pub fn peer_names(&self) -> String {
        open_match::names(&self.opened, self.others())
    }

    /// Whether the match is over.
    pub fn is_over(&self) -> bool {
        matches!(self.opened.log.phase(), Phase::Over(_))
    }

    /// Whether the log has a part of a player.
    pub fn is_begun(&self) -> bool {
        self.opened.log.history(0).next().is_some()
    }

    /// Whether this match of a table gives way, because this player has opened no card in it and has no numbers (S8, S10
    /// of the handover): it is the first match, or this player was not in the match before.
    ///
    /// # Errors
    /// If the records cannot be read.
    pub fn gives_way(&self, own: &Stored<F>) -> anyhow::Result<bool> {
        let log = &self.opened.log;
        let this = own.identity.public().fingerprint();
        if !self.has_table(own) || log.has_opened(this) || log.has_open_cards() {
            return Ok(false);
        }
        let past = log.match_info().header().past();
        // A player who had no seat after the match before has come back as a newcomer.
        let was_away = |before: Kept<F>| before.is_without_seat(own);
        past.map_or(Ok(true), |past| {
            Ok(find(own, &past.match_id)?.is_none_or(was_away))
        })
    }

    /// Whether the log has a part of another player.
    pub fn has_peer_parts(&self) -> bool {
        open_match::has_peer_parts(&self.opened.log, self.seat())
    }

    /// The state on one line, such as `hand 3 of 10, Bert to speak`.
    pub fn state(&self) -> String {
        open_match::state(&self.opened)
    }

    /// Closes the match on this side: appends a claim with the step and the seat that the match waits for. Returns
    /// what was opened.
    ///
    /// # Errors
    /// If the record cannot be written.
    pub fn close(mut self) -> anyhow::Result<Opened<F::File>> {
        let claim = closed_claim(&self.opened.log, F::unix());
        self.opened.journal.append_claim(&claim)?;
        Ok(self.opened)
    }

    /// Removes the files of a match that has no part of the other player. For that player, the match never began.
    /// A match that continues another one without absent seats is closed instead if this player has opened a card in it:
    /// its record shows that this player signs nothing in the other one any more.
    ///
    /// # Errors
    /// If a file cannot be removed.
    pub fn forget(self, own: &Stored<F>) -> anyhow::Result<()> {
        let past = self.opened.sitting.match_info.header().past();
        let settles = past.is_some_and(|past| past.is_open);
        let this = own.identity.public().fingerprint();
        if settles && self.opened.log.has_opened(this) {
            return self.close().map(drop);
        }
        let Kept { name, opened, .. } = self;
        drop(opened);
        forget(&own.files, &name)
    }
}

/// The first seat of another player.
fn first_other(own: Seat) -> Seat {
    match own {
        Seat::HOST => Seat::GUEST,
        _ => Seat::HOST,
    }
}

/// The maximum number of files of an open match. A value has two.
const FILES: usize = 8;

/// Checks that the files of another match can be created.
///
/// # Errors
/// If not.
pub(super) fn check_free(files: &impl Files) -> anyhow::Result<()> {
    Ok(files.check_free_files(FILES)?)
}

/// The name of a record that cannot be read, and why.
pub type Unread = (String, anyhow::Error);

/// All matches, the newest first, and the records that cannot be read. Skips a record without a complete entry: the
/// program was killed while it created the file.
///
/// # Errors
/// If the records cannot be listed.
pub(super) fn all<F: Files>(own: &Stored<F>) -> anyhow::Result<(Vec<Kept<F>>, Vec<Unread>)> {
    let (mut kept, mut unread) = (Vec::new(), Vec::new());
    for (name, time) in records(own)? {
        match Kept::open(own, name.clone()) {
            Ok(one) => kept.push(Kept { time, ..one }),
            Err(error) if is_never_begun(&error) => {}
            Err(error) => unread.push((name, error)),
        }
    }
    Ok((kept, unread))
}

/// The names and times of all records, the newest first.
///
/// # Errors
/// If they cannot be listed.
pub fn records<F: Files>(own: &Stored<F>) -> anyhow::Result<Vec<(String, u64)>> {
    own.files
        .file_names(RECORD)
        .context("cannot read the folder of matches")
}

fn is_never_begun(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(JournalError::NeverBegun))
}

/// The matches that are not over, and were not continued without absent seats, the newest first, and the records
/// that cannot be read. Matches without any part are removed, unless there are several other players: they may have
/// begun without this one, who has agreed to the match. Files that are needed only by open matches are removed from
/// those that are over.
///
/// # Errors
/// If the records cannot be listed, or a file cannot be removed.
pub fn all_open<F: Files>(own: &Stored<F>) -> anyhow::Result<(Vec<Kept<F>>, Vec<Unread>)> {
    let settled = all_settled(own)?;
    let (mut open, mut unread) = (Vec::new(), Vec::new());
    for (name, time) in records(own)? {
        match Kept::open(own, name.clone()) {
            Ok(kept) if kept.is_over() => match kept_table(own, &name) {
                Some(_) => over_between(&own.files, &name),
                None => over(&own.files, &name),
            },
            Ok(kept) if settled.contains(&kept.id()) => {}
            Ok(kept) if !kept.is_begun() && kept.is_sealed() => kept.forget(own)?,
            Ok(kept) if kept.is_given_up(own) => kept.forget(own)?,
            Ok(kept) => open.push(Kept { time, ..kept }),
            Err(error) if is_never_begun(&error) => forget(&own.files, &name)?,
            Err(error) => unread.push((name, error)),
        }
    }
    Ok((open, unread))
}

/// The matches that can be resumed: those that are [open](all_open), and those of tables that are over, after which the
/// next match has not begun for this player.
///
/// # Errors
/// Those of [`all_open`].
pub fn all_resumable<F: Files>(own: &Stored<F>) -> anyhow::Result<(Vec<Kept<F>>, Vec<Unread>)> {
    let (open, unread) = all_open(own)?;
    Ok((with_tables(own, open)?, unread))
}

/// Adds to the open matches those of tables that are over, after which the next match has not begun for this player, also
/// if it has to buy chips first. An open match in which this player has opened no card gives way to such a match before
/// it.
///
/// # Errors
/// If the records cannot be listed.
pub(super) fn with_tables<F: Files>(
    own: &Stored<F>,
    mut open: Vec<Kept<F>>,
) -> anyhow::Result<Vec<Kept<F>>> {
    let mut between = Vec::new();
    for (name, time) in records(own)? {
        if kept_table(own, &name).is_some()
            && let Ok(kept) = Kept::open(own, name)
            && kept.is_over()
        {
            between.push(Kept { time, ..kept });
        }
    }
    let this = own.identity.public().fingerprint();
    let follows = |kept: &Kept<F>| {
        let past = kept.opened.sitting.match_info.header().past();
        let is_before = |before: &Kept<F>| {
            let is_before = past.is_some_and(|past| past.match_id == before.id());
            is_before && before.has_table(own)
        };
        between.iter().any(is_before) && !kept.opened.log.has_opened(this)
    };
    open.retain(|kept| !follows(kept));
    open.extend(between);
    Ok(open)
}

/// The name and the time of the record of a match. Reads no record.
///
/// # Errors
/// If the records cannot be listed.
pub(super) fn record_of<F: Files>(
    own: &Stored<F>,
    of: &MatchId,
) -> anyhow::Result<Option<(String, u64)>> {
    let digits = of.to_string();
    let mut names = records(own)?.into_iter();
    Ok(names.find(|(name, _)| name.starts_with(&digits)))
}

/// The match with this id.
///
/// # Errors
/// If the records cannot be listed, or its record cannot be read.
pub fn find<F: Files>(own: &Stored<F>, of: &MatchId) -> anyhow::Result<Option<Kept<F>>> {
    let Some((name, time)) = record_of(own, of)? else {
        return Ok(None);
    };
    let kept = Kept::open(own, name)?;
    Ok(Some(Kept { time, ..kept }).filter(|kept| kept.id() == *of))
}

/// The open match in which this side connects to the player `peer`, unless this side closed it. A match with an older
/// identity of the player is also returned: it cannot be resumed, but a player must not get another deal by creating
/// a new identity.
///
/// # Errors
/// The errors of [`all_open`], and if another program plays a match with this player.
pub fn open_with<F: Files>(
    own: &Stored<F>,
    peer: &PublicIdentity,
) -> anyhow::Result<Option<Kept<F>>> {
    let keys = all_keys(&own.peers.lock(), peer);
    let is_with_peer = |sitting: &Sitting| keys.iter().any(|keys| connects(sitting, keys));
    let (open, unread) = all_open(own)?;
    // Another program may be playing a match with this player.
    for (name, error) in unread {
        let is_in_use = error.downcast_ref::<io::Error>();
        if is_in_use.is_some_and(|error| error.kind() == ErrorKind::WouldBlock)
            && copy(own, &name).is_some_and(|copy| {
                let is_over = matches!(copy.log.phase(), Phase::Over(_));
                !is_over && is_with_peer(&copy.sitting)
            })
        {
            return Err(error);
        }
    }
    let fits = |kept: &Kept<F>| {
        let is_with_peer = is_with_peer(&kept.opened.sitting);
        is_with_peer && !kept.opened.is_closed()
    };
    Ok(open.into_iter().find(fits))
}

/// A copy of a record that another program uses. `None` if it cannot be read.
fn copy<F: Files>(own: &Stored<F>, name: &str) -> Option<Opened<MemoryStorage>> {
    let mut copy = MemoryStorage::default();
    copy.append(&own.files.read_file(name).ok()??).ok()?;
    Journal::open(copy, own.identity.file_key()).ok()
}

/// Whether this side connects to `peer` in a match: one of the two is the host.
fn connects(sitting: &Sitting, peer: &PublicIdentity) -> bool {
    let players = sitting.match_info.players();
    let mut others = Seat::all(players.len())
        .filter(|seat| *seat != sitting.seat && [*seat, sitting.seat].contains(&Seat::HOST));
    others.any(|seat| players[seat.index()].identity == *peer)
}

/// The number of matches that are open, even if they are closed here, or that cannot be read.
///
/// # Errors
/// If the records cannot be listed.
pub(super) fn left_open<F: Files>(own: &Stored<F>) -> anyhow::Result<usize> {
    let (kept, unread) = all(own)?;
    let open = kept
        .iter()
        .filter(|kept| !kept.is_over() && kept.is_begun());
    Ok(open.count() + unread.len())
}

/// The bytes of a file.
///
/// # Errors
/// If there is no such file, or it cannot be read.
pub(super) fn read(files: &impl Files, name: &str) -> anyhow::Result<Vec<u8>> {
    let bytes = files.read_file(name)?;
    bytes.context("there is no such match here")
}

/// Removes the files of a match.
///
/// # Errors
/// If a file cannot be removed, or another program uses the record.
pub fn forget(files: &impl Files, record: &str) -> anyhow::Result<()> {
    let cannot = || format!("cannot remove {}", files.shown(record));
    // Another program may use it.
    drop(files.open_file(record).with_context(cannot)?);
    // A program that is killed here must not find a record without its keys.
    files.remove_file(record).with_context(cannot)?;
    for ending in [DECK, KEYS, LISTEN, GUESTS, TABLE] {
        files.remove_value(&beside(record, ending))?;
    }
    for ending in [CLOCK, INPUTS, AUDIT] {
        files.remove_file(&beside(record, ending))?;
    }
    Ok(())
}

/// Removes the files that only an open match needs. Files that remain do no harm.
pub(super) fn over(files: &impl Files, record: &str) {
    over_between(files, record);
    let _ = files.remove_value(&beside(record, GUESTS));
}

/// The same, but keeps the addresses of the other players, whom this one calls until the next match begins.
pub(super) fn over_between(files: &impl Files, record: &str) {
    let _ = files.remove_file(&beside(record, CLOCK));
    for ending in [DECK, KEYS] {
        let _ = files.remove_value(&beside(record, ending));
    }
}

/// Writes the terms of the table of a match, and the number of the next list of players. They are synced before this
/// player sends that it is ready for the number (S13). A program that starts again takes a later number and a new nonce.
///
/// # Errors
/// If the value cannot be written.
pub(super) fn keep_number<F: Files>(
    own: &Stored<F>,
    record: &str,
    terms: &TableTerms,
    number: u16,
) -> anyhow::Result<()> {
    let name = beside(record, TABLE);
    let mut writer = Writer::default();
    let proposal = Proposal::from(terms.clone()).encode();
    let bytes = writer.string(&proposal).u16(number).finish();
    let kept = own.files.open_value(&name);
    let kept = kept.and_then(|mut value| value.keep(&bytes));
    kept.with_context(|| format!("cannot write {}", own.files.shown(&name)))
}

/// Removes the value that [`keep_number`] writes, and the addresses of the other players: no other match follows this one here, because it has begun or this player
/// has left the table.
pub(super) fn forget_table(files: &impl Files, record: &str) {
    // Without effect if a value stays: the next match names this one.
    for ending in [TABLE, GUESTS] {
        let _ = files.remove_value(&beside(record, ending));
    }
}

/// Removes the values that [`keep_number`] has written for the matches of a table, but not that of the match `but`.
///
/// # Errors
/// If the records cannot be listed.
pub(super) fn forget_tables<F: Files>(
    own: &Stored<F>,
    table: TableId,
    but: Option<&str>,
) -> anyhow::Result<()> {
    for (name, _) in records(own)? {
        let is_of_table = kept_table(own, &name).is_some_and(|kept| kept.terms.id == table);
        if but != Some(&name) && is_of_table {
            forget_table(&own.files, &name);
        }
    }
    Ok(())
}

/// The number of a player who has no chips left after the match, and no seat in the next one.
pub(super) const NO_SEAT: u16 = u16::MAX;

/// What is kept beside the record of a match of a table, until the next match begins.
pub(super) struct KeptTable {
    pub(super) terms: TableTerms,
    /// The last number with which this player may have signed after the match. 0 before the match is over.
    pub(super) number: u16,
}

/// The terms of the table of a match, and the last number. `None` if they are missing: the match can then be
/// played to its end, and no other match follows.
pub(super) fn kept_table<F: Files>(own: &Stored<F>, record: &str) -> Option<KeptTable> {
    let mut value = own.files.open_value(&beside(record, TABLE)).ok()?;
    let bytes = value.kept().ok()??;
    let mut reader = Reader::new(&bytes);
    let proposal = reader.string(MAX_HEADER).ok()?;
    let Ok(Proposal::Table(terms)) = Proposal::decode(proposal) else {
        return None;
    };
    let number = reader.u16().ok()?;
    reader.finish().ok()?;
    Some(KeptTable {
        terms: *terms,
        number,
    })
}

/// This player's inputs to the shuffles of a match. `None` if they were destroyed.
///
/// # Errors
/// If their file cannot be read.
pub fn inputs<F: Files>(own: &Stored<F>, kept: &Kept<F>) -> anyhow::Result<Option<Vec<Input>>> {
    const CANNOT: &str = "cannot read the file of your inputs to the shuffles";
    let file = own.files.open_file(&beside(&kept.name, INPUTS));
    let Some(file) = file.context(CANNOT)? else {
        return Ok(None);
    };
    let inputs = Inputs::open(file, own.identity.file_key(), kept.id()).context(CANNOT)?;
    Ok(Some(inputs.inputs))
}

/// Destroys this player's inputs to the shuffles of a match that is over. It cannot be audited any more.
///
/// # Errors
/// If their file cannot be removed.
pub fn destroy_inputs(files: &impl Files, record: &str) -> io::Result<()> {
    files.remove_file(&beside(record, INPUTS))
}

/// Retention time of the inputs to the shuffles of a match, in seconds.
const INPUTS_KEPT: u64 = 30 * 86_400;

/// Destroys the inputs of matches that are over and have not changed for long, and those without a record.
///
/// # Errors
/// If the files cannot be listed, or one cannot be removed.
pub fn destroy_old_inputs<F: Files>(own: &Stored<F>) -> anyhow::Result<()> {
    let times: HashMap<String, u64> = records(own)?.into_iter().collect();
    for (name, time) in own.files.file_names(INPUTS)? {
        let match_name = name.strip_suffix(INPUTS).unwrap_or(&name);
        let record = format!("{match_name}{RECORD}");
        let changed = times.get(&record).map_or(time, |ended| time.max(*ended));
        if F::unix().saturating_sub(changed) <= INPUTS_KEPT {
            continue;
        }
        let is_needed = times.contains_key(&record)
            && match Kept::open(own, record) {
                Ok(kept) => !kept.is_over(),
                // Another program may be playing the match. A damaged record cannot be audited.
                Err(error) => error.chain().any(|cause| cause.is::<io::Error>()),
            };
        if !is_needed {
            own.files.remove_file(&name)?;
        }
    }
    Ok(())
}

/// Whether a match was audited, or can be.
pub(super) fn audit_state(files: &impl Files, record: &str) -> Option<&'static str> {
    let has = |ending| matches!(files.open_file(&beside(record, ending)), Ok(Some(_)));
    match (has(AUDIT), has(INPUTS)) {
        (true, _) => Some("made"),
        (false, true) => Some("possible"),
        (false, false) => None,
    }
}

/// The file of an audit.
///
/// # Errors
/// If the match was not audited here, or the file cannot be read.
pub(super) fn audit(files: &impl Files, record: &str) -> anyhow::Result<Vec<u8>> {
    let file = files.open_file(&beside(record, AUDIT))?;
    Ok(file.context("this match was not audited here")?.read()?)
}

/// Keeps the inputs that both sides have opened in an audit. They contain this player's own, whose file is then
/// needless.
///
/// # Errors
/// If a file cannot be written.
pub(super) fn keep_audit(files: &impl Files, record: &str, opened: &[u8]) -> io::Result<()> {
    let mut file = files.open_or_create_file(&beside(record, AUDIT))?;
    // An interrupted audit may have left a part.
    file.truncate(0)?;
    file.append(opened)?;
    file.sync()?;
    destroy_inputs(files, record)
}

/// The files of a new match without signatures.
///
/// A player signs in a match only once its record is on the disk. If this program ends before it learns that the match
/// has begun, it resumes the match.
pub struct NewMatch<F: Files> {
    /// The players, and who this one is.
    pub sitting: Sitting,
    /// The name of the record.
    pub name: String,
    journal: Journal<F::File>,
}

impl<F: Files> NewMatch<F> {
    /// # Errors
    /// If the record cannot be created.
    pub fn create(own: &Stored<F>, sitting: Sitting) -> anyhow::Result<Self> {
        let with = &sitting.names[first_other(sitting.seat).index()];
        let name = own.files.record_name(&sitting.match_info.id(), with);
        let file = own.files.open_or_create_file(&name);
        let file = file.context("cannot make the file of the match")?;
        let journal = Journal::create(file, own.identity.file_key(), &sitting)?;
        Ok(NewMatch {
            sitting,
            name,
            journal,
        })
    }

    /// Removes the files of a match that does not begin.
    ///
    /// # Errors
    /// If they cannot be removed.
    pub fn remove(self, own: &Stored<F>) -> anyhow::Result<()> {
        drop(self.journal);
        forget(&own.files, &self.name)
    }

    /// The files, for a seat. `circuit` is that of a sealed deck.
    ///
    /// # Errors
    /// If a file cannot be created.
    pub fn begin<W: SeatWorld<Files = F>>(
        self,
        own: &Stored<F>,
        circuit: Option<Arc<DealCircuit>>,
    ) -> anyhow::Result<SeatFiles<W>> {
        let log = MatchLog::new(self.sitting.match_info.clone(), self.sitting.seat);
        let setting = setting::<W>(own, &self.sitting, &self.name, self.journal, log, circuit)?;
        files(own, &self.name, self.sitting, setting, false)
    }
}

/// The files of a match that is resumed, for its seat.
///
/// # Errors
/// If this program cannot resume the match, or a file of it is lost.
pub fn resume<W: SeatWorld>(
    own: &Stored<W::Files>,
    kept: Kept<W::Files>,
) -> anyhow::Result<SeatFiles<W>> {
    must_be_resumable(own, &kept)?;
    let Kept { opened, name, .. } = kept;
    let (sitting, circuit) = match opened.sitting.match_info.header().sealed() {
        Some(_) => {
            let Seating { sitting, circuit } = Seating::of_file(opened.sitting)?;
            (sitting, Some(circuit))
        }
        None => (opened.sitting, None),
    };
    let setting = setting::<W>(own, &sitting, &name, opened.journal, opened.log, circuit)?;
    files(own, &name, sitting, setting, true)
}

/// A seat that sends the end of a match to the other player, who has just asked to resume it on this connection. The own
/// player is told nothing.
///
/// # Errors
/// If a file of the match is damaged.
pub(super) fn sending_end<W: SeatWorld>(
    own: &Own<W>,
    kept: Kept<W::Files>,
    connection: PolledConnection<W::Sockets>,
    now: Duration,
) -> anyhow::Result<SeatInPlay<W>> {
    let needs = PlayerNeeds {
        is_told_nothing: true,
        ..PlayerNeeds::default()
    };
    let players = vec![connection.met.peer.clone()];
    let finder = Finder::new(own, kept.id(), players);
    let mut seat = SeatInPlay::new(own, resume(own, kept)?, needs, finder, now)?;
    seat.resume(connection, now)?;
    Ok(seat)
}

/// Checks that the deck of a match is intact.
///
/// # Errors
/// The errors of [`resume`], and if the deck is damaged.
pub fn check<W: SeatWorld>(
    own: &Stored<W::Files>,
    kept: Kept<W::Files>,
    now: Duration,
) -> anyhow::Result<()> {
    let files: SeatFiles<W> = resume(own, kept)?;
    TableCore::new(files.setting, now)?;
    Ok(())
}

fn files<W: SeatWorld>(
    own: &Stored<W::Files>,
    name: &str,
    sitting: Sitting,
    setting: SeatSetting<W>,
    resumed: bool,
) -> anyhow::Result<SeatFiles<W>> {
    let clock = own.files.open_or_create_file(&beside(name, CLOCK));
    Ok(SeatFiles {
        record: name.to_owned(),
        shown: own.files.shown(name),
        resumed,
        setting,
        clock: clock.context("cannot open the file of the clocks")?,
        sitting,
    })
}

fn setting<W: SeatWorld>(
    own: &Stored<W::Files>,
    sitting: &Sitting,
    name: &str,
    journal: Journal<FileOf<W>>,
    log: MatchLog,
    circuit: Option<Arc<DealCircuit>>,
) -> anyhow::Result<SeatSetting<W>> {
    let value = |ending| -> anyhow::Result<ValueOf<W>> {
        let value = own.files.open_value(&beside(name, ending));
        value.context("cannot open the files of the deck")
    };
    let deck = match circuit {
        Some(circuit) => {
            let (key, of) = (own.identity.file_key(), sitting.match_info.id());
            let inputs = own.files.open_or_create_file(&beside(name, INPUTS));
            let inputs = inputs.and_then(|file| Inputs::open(file, key, of));
            let inputs = inputs.context("cannot open the file of your inputs to the shuffles")?;
            DeckSetting::Sealed(SealedSetting {
                inputs: inputs.file,
                vault: value(DECK)?,
                circuit,
            })
        }
        None => DeckSetting::Verifiable(value(KEYS)?),
    };
    Ok(Setting {
        identity: Arc::clone(&own.identity),
        seat: sitting.seat,
        log,
        journal,
        deck,
        rng: system_rng(),
    })
}
