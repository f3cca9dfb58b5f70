//! Matches that continue other ones: which match may still be resumed, and what this player checks before it signs in the
//! next match of a table.

use std::io::{self, ErrorKind};

use anyhow::{Context, anyhow, bail, ensure};
use dealerless_connection::identity::PublicIdentity;
use dealerless_connection::storage::{MemoryStorage, Storage as _};
use dealerless_table::log::{AtTable, Disagreement, Header, Journal, MatchId, Past};
use dealerless_table::play::{Control, TableTerms};

use super::matches::{Kept, find, forget, keep_number, kept_table, record_of, records};
use super::own::Stored;
use super::world::Files;
use crate::open_match::answer_after;

/// A record that names the match before.
pub(super) struct Successor {
    name: String,
    pub(super) id: MatchId,
    past: Past,
}

impl Successor {
    fn settles(&self, of: &MatchId) -> bool {
        self.past.match_id == *of && self.past.is_open
    }
}

fn is_in_use<T>(opened: io::Result<T>) -> bool {
    opened.is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
}

/// The matches that continue another one, also those that another program or another part of this one plays. Skips
/// records that are damaged or no files.
///
/// # Errors
/// If a record cannot be read because it is in use.
fn successors<F: Files>(own: &Stored<F>) -> anyhow::Result<Vec<Successor>> {
    let mut all = Vec::new();
    for (name, _) in records(own)? {
        let bytes = match own.files.read_file(&name) {
            // A system may not let a program read what another one uses.
            Err(error) if is_in_use(own.files.open_file(&name)) => {
                let cannot = format!("cannot read {}", own.files.shown(&name));
                return Err(error).context(cannot);
            }
            bytes => bytes.ok().flatten(),
        };
        let key = own.identity.file_key();
        if let Some(bytes) = bytes
            && let Ok((sitting, _)) = Journal::<F::File>::sitting(&bytes, key)
            && let Some(past) = sitting.match_info.header().past()
        {
            all.push(Successor {
                name,
                id: sitting.match_info.id(),
                past: past.clone(),
            });
        }
    }
    Ok(all)
}

/// Whether this player has opened a card in a match that continues another one, or its record cannot be read. Before that,
/// the match can give way to another continuation (S9, S10 of the handover).
fn has_opened<F: Files>(own: &Stored<F>, next: &Successor) -> bool {
    let bytes = own.files.read_file(&next.name).ok().flatten();
    let mut copy = MemoryStorage::default();
    let opened = bytes.and_then(|bytes| {
        copy.append(&bytes).ok()?;
        Journal::open(copy, own.identity.file_key()).ok()
    });
    let this = own.identity.public().fingerprint();
    opened.is_none_or(|opened| opened.log.has_opened(this))
}

/// The match before this one, if this player has opened no card in this one and can continue the one before.
///
/// # Errors
/// If a record cannot be read.
pub(super) fn before_unopened<F: Files>(own: &Stored<F>, kept: Kept<F>) -> anyhow::Result<Kept<F>> {
    let this = own.identity.public().fingerprint();
    let past = kept.opened.sitting.match_info.header().past();
    let before = past.map(|past| past.match_id);
    let Some(before) = before.filter(|_| !kept.opened.log.has_opened(this)) else {
        return Ok(kept);
    };
    let before = find(own, &before)?;
    Ok(before
        .filter(|before| before.is_over() && before.has_table(own))
        .unwrap_or(kept))
}

/// Gives up each continuation in which this player has opened no card. The player never signs with their numbers
/// again (S8). Returns whether the match `kept` can be continued.
///
/// # Errors
/// If a file cannot be read or written.
pub(super) fn give_up_unopened<F: Files>(own: &Stored<F>, kept: &Kept<F>) -> anyhow::Result<bool> {
    let of = kept.id();
    let next = successors(own)?
        .into_iter()
        .filter(|next| next.past.match_id == of);
    for next in next {
        if has_opened(own, &next) {
            return Ok(false);
        }
        let given_up = Kept::open(own, next.name.clone())?;
        let table = given_up.opened.sitting.match_info.header().table.clone();
        drop(given_up);
        if let (Some(table), Some(before)) = (table, kept_table(own, &kept.name)) {
            let number = before.number.max(table.number).saturating_add(1);
            keep_number(own, &kept.name, &before.terms, number)?;
        }
        forget(&own.files, &next.name)?;
    }
    Ok(true)
}

/// The match that continues the match `of` without absent seats, if there is one in which this player has opened a card.
/// From then on, this player signs nothing in the match `of`.
pub(super) fn is_settled<F: Files>(
    own: &Stored<F>,
    of: &MatchId,
) -> anyhow::Result<Option<Successor>> {
    let mut all = successors(own)?.into_iter();
    Ok(all.find(|next| next.settles(of) && has_opened(own, next)))
}

/// The ids of the matches that [were continued](is_settled) without absent seats.
pub(super) fn all_settled<F: Files>(own: &Stored<F>) -> anyhow::Result<Vec<MatchId>> {
    let all = successors(own)?.into_iter();
    let settling = all.filter(|next| next.settles(&next.past.match_id) && has_opened(own, next));
    Ok(settling.map(|next| next.past.match_id).collect())
}

/// The answer to a player of the match `of` who resumes it, if it was continued. Anybody can ask, so the records are read
/// only if this side has one of this match.
///
/// # Errors
/// If the records cannot be listed.
pub(super) fn went_on<F: Files>(
    own: &Stored<F>,
    of: &MatchId,
    peer: &PublicIdentity,
) -> anyhow::Result<Option<Control>> {
    if record_of(own, of)?.is_none() {
        return Ok(None);
    }
    let mut all = successors(own)?.into_iter();
    let next = all.find(|next| next.past.match_id == *of && has_opened(own, next));
    Ok(next.and_then(|next| answer_after(&next.past, peer)))
}

/// Checks that this player may still sign in an open match.
///
/// # Errors
/// If the match was continued elsewhere, or nothing is signed in it here and this player does not agree to how it
/// continues the match before.
pub(super) fn must_be_resumable<F: Files>(own: &Stored<F>, kept: &Kept<F>) -> anyhow::Result<()> {
    if kept.is_sealed() || kept.is_over() {
        return Ok(());
    }
    let (of, log) = (kept.id(), &kept.opened.log);
    if let Some(next) = is_settled(own, &of)? {
        bail!(
            "match {of} cannot be resumed: the players who were still there have continued it in match {}",
            next.id
        );
    }
    // Before its first hand, the players may have taken their chips to another match.
    let is_undealt = log.attempt().hand == 1 && log.game().is_none();
    let has_signed = log.history(0).any(|part| part.seat == kept.seat());
    let past = log.match_info().header().past();
    match past.filter(|_| is_undealt) {
        Some(past) if has_signed => must_not_be_continued(own, &past.match_id),
        // This player may have gone on in the match before.
        Some(past) => must_agree(own, log.match_info().header(), past).with_context(|| {
            format!(
                "you have signed nothing in match {of}. To give it up, run: dealerless resume --close {of}"
            )
        }),
        None => Ok(()),
    }
}

/// Checks that this player has not taken its chips from the match `of` to another match. A match in which no hand was
/// dealt counts only if it was continued itself. Skips records whose beginning cannot be read.
///
/// # Errors
/// If there is such a match, or the records cannot be listed.
pub(super) fn must_not_be_continued<F: Files>(own: &Stored<F>, of: &MatchId) -> anyhow::Result<()> {
    let all = successors(own)?;
    let mut from = vec![*of];
    while let Some(before) = from.pop() {
        for next in all.iter().filter(|next| next.past.match_id == before) {
            let kept = Kept::open(own, next.name.clone())?;
            let log = &kept.opened.log;
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

/// Checks the result that a match continues against the record of this player. A player who was not in the match before
/// has no record of it.
///
/// # Errors
/// If the records differ, this player has already continued the match elsewhere, or the absent seats are not absent
/// by the claims of this player's program.
pub(super) fn must_agree<F: Files>(
    own: &Stored<F>,
    header: &Header,
    past: &Past,
) -> anyhow::Result<()> {
    let of = past.match_id;
    let kept = find(own, &of)?;
    let at = |header: &Header| header.table.as_ref().map(|table| table.id);
    if let Some(kept) = &kept {
        ensure!(
            at(kept.opened.sitting.match_info.header()) == at(header),
            "the host continues match {of} at another table. Do not sit down"
        );
    }
    match kept {
        Some(kept) if past.is_open && !kept.is_over() => agrees_to_settle(&kept, past)?,
        Some(kept) => ensure!(
            past.agrees_with(&kept.opened.log),
            "the host continues match {of} with another end than the one in your file. If it is \
             open here, resume it first; otherwise do not sit down"
        ),
        None => {}
    }
    must_not_be_continued(own, &of)
}

/// Whether this player has signed in a match of a table with this game, this clock and this number of players who open
/// cards. The records do not tell the terms of buying.
///
/// # Errors
/// If the records cannot be listed.
pub(super) fn has_played_at<F: Files>(own: &Stored<F>, terms: &TableTerms) -> anyhow::Result<bool> {
    let all = records(own)?.into_iter();
    let mut sittings = all.filter_map(|(name, _)| {
        let bytes = own.files.read_file(&name).ok()??;
        Journal::<F::File>::sitting(&bytes, own.identity.file_key()).ok()
    });
    Ok(sittings.any(|(sitting, is_begun)| {
        let header = sitting.match_info.header();
        let is_at = |at: &AtTable| at.id == terms.id;
        let expected = terms.header(sitting.match_info.seats());
        let has_terms = expected.is_ok_and(|expected| {
            Header {
                table: header.table.clone(),
                ..expected
            } == *header
        });
        is_begun && header.table.as_ref().is_some_and(is_at) && has_terms
    }))
}

/// Checks this player's own entry in the list of a table, and its buy, against its records of the table. `stack` is what
/// this player has asked to buy, if it has no chips.
///
/// # Errors
/// If they differ.
pub(super) fn must_be_own<F: Files>(
    own: &Stored<F>,
    at: &AtTable,
    buy: u64,
    stack: u64,
) -> anyhow::Result<()> {
    const OTHER: &str =
        "the host lists you with other chips than those in your file. Do not sit down";
    let this = own.identity.public().fingerprint();
    let entry = at.past.as_ref().and_then(|past| past.member(this));
    let chips = entry.map_or(0, |entry| entry.chips);
    ensure!(buy == if chips == 0 { stack } else { 0 }, OTHER);
    for (name, _) in records(own)? {
        let key = own.identity.file_key();
        let bytes = own.files.read_file(&name).ok().flatten();
        let sitting = bytes.and_then(|bytes| Journal::<F::File>::sitting(&bytes, key).ok());
        let table = sitting
            .as_ref()
            .and_then(|(sitting, _)| sitting.match_info.header().table.as_ref());
        if table.is_none_or(|table| table.id != at.id) {
            continue;
        }
        // The newest one of this table.
        ensure!(
            at.past.is_some(),
            "the host begins this table anew, and you have a record of it. Do not sit down"
        );
        let kept = Kept::open(own, name)?;
        let log = &kept.opened.log;
        let Some(entry) = entry else { bail!(OTHER) };
        let last = Past::of(log);
        let fits = match last.as_ref().and_then(|last| last.member(this)) {
            Some(last) => last == entry,
            // The bets of its last hand can be lost or returned.
            None => {
                let members = log.members();
                let last = members.iter().find(|member| member.player == this);
                last.is_some_and(|last| last.bought == entry.bought)
            }
        };
        ensure!(fits, OTHER);
        break;
    }
    Ok(())
}

/// Checks the settlement that a host proposes against an open match.
///
/// # Errors
/// If this player is one of the absent ones, or the own record does not lead to this settlement.
fn agrees_to_settle<F: Files>(kept: &Kept<F>, past: &Past) -> anyhow::Result<()> {
    let opened = &kept.opened;
    let of = kept.id();
    let settled = opened.log.agrees_to(past, kept.seat(), &opened.claims);
    let named = kept.names(&past.without);
    settled.map(drop).map_err(|disagreement| match disagreement {
        Disagreement::Own => anyhow!(
            "the host continues match {of} without you, as if you were absent. Do not sit down. To play \
             on, run: dealerless resume {of}"
        ),
        Disagreement::Steps { own } => anyhow!(
            "the host continues match {of} after {} steps, and your file has {own}. All players who are \
             still there have to resume the match once, so that their files agree: dealerless resume {of}",
            past.steps
        ),
        Disagreement::Absent(own) if own.is_empty() => anyhow!(
            "the host continues match {of} without {named}, but your program has not noted that they are \
             out of time or away, or the match waits for another player. Do not sit down. To play on, run: \
             dealerless resume {of}"
        ),
        Disagreement::Absent(own) => anyhow!(
            "the host continues match {of} without {named}, but by your program these players are absent: \
             {}. Do not sit down. To play on, run: dealerless resume {of}",
            kept.names(&own)
        ),
        Disagreement::TooFew => anyhow!(
            "the host continues match {of} without {named}, but too few players would be left. Do not sit \
             down"
        ),
        _ => anyhow!(
            "the host continues match {of} with other chips or another history than your file. Do not sit \
             down"
        ),
    })
}
