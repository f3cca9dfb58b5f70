//! Matches that continue other ones: which match may still be resumed, and what this player checks before it agrees
//! that a match is continued without absent seats.

use std::io::{self, ErrorKind};

use anyhow::{Context, anyhow, bail, ensure};
use dealerless_connection::identity::PublicIdentity;
use dealerless_table::log::{Disagreement, Header, Journal, MatchId, Past, Settled};
use dealerless_table::play::Control;

use super::matches::{Kept, find, records};
use super::own::Stored;
use super::world::Files;
use crate::ending;
use crate::open_match::answer_after;
use crate::seated::Seated;
use crate::words::Names;

/// A record that names the match before, and whether a seat has signed anything in it.
pub(super) struct Successor {
    name: String,
    pub(super) id: MatchId,
    past: Past,
    is_begun: bool,
}

impl Successor {
    fn settles(&self, of: &MatchId) -> bool {
        self.is_begun && self.past.match_id == *of && self.past.is_open
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
            && let Ok((sitting, is_begun)) = Journal::<F::File>::sitting(&bytes, key)
            && let Some(past) = sitting.match_info.header().past()
        {
            all.push(Successor {
                name,
                id: sitting.match_info.id(),
                past: past.clone(),
                is_begun,
            });
        }
    }
    Ok(all)
}

/// The match that continues the match `of` without absent seats, if there is one that has begun. From its first
/// signed part on, this player signs nothing in the match `of`.
pub(super) fn is_settled<F: Files>(
    own: &Stored<F>,
    of: &MatchId,
) -> anyhow::Result<Option<Successor>> {
    let mut all = successors(own)?.into_iter();
    Ok(all.find(|next| next.settles(of)))
}

/// The ids of the matches that [were continued](is_settled) without absent seats.
pub(super) fn all_settled<F: Files>(own: &Stored<F>) -> anyhow::Result<Vec<MatchId>> {
    let all = successors(own)?.into_iter();
    let settling = all.filter(|next| next.settles(&next.past.match_id));
    Ok(settling.map(|next| next.past.match_id).collect())
}

/// The answer to a player of the match `of` who resumes it, if it was continued without absent seats.
///
/// # Errors
/// If the records cannot be listed.
pub fn went_on<F: Files>(
    own: &Stored<F>,
    of: &MatchId,
    peer: &PublicIdentity,
) -> anyhow::Result<Option<Control>> {
    let next = is_settled(own, of)?;
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
        Some(past) => must_agree(own, log.match_info().header(), past).map(drop).with_context(|| {
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
pub fn must_not_be_continued<F: Files>(own: &Stored<F>, of: &MatchId) -> anyhow::Result<()> {
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

/// Checks the match that the host wants to continue against the record of this player. A player who was not there
/// cannot check it, and sees the chips of all in the terms. Returns the match if it is open and the host settles it
/// without absent seats.
///
/// # Errors
/// If the records differ, this player has already continued the match elsewhere, or the absent seats are not absent
/// by the claims of this player's program.
pub(super) fn must_agree<F: Files>(
    own: &Stored<F>,
    header: &Header,
    past: &Past,
) -> anyhow::Result<Option<(Kept<F>, Settled)>> {
    let of = past.match_id;
    let kept = find(own, &of)?;
    let at = |header: &Header| header.table.as_ref().map(|table| table.id);
    if let Some(kept) = &kept {
        ensure!(
            at(kept.opened.sitting.match_info.header()) == at(header),
            "the host continues match {of} at another table. Do not sit down"
        );
    }
    let settled = match kept {
        Some(kept) if past.is_open && !kept.is_over() => {
            let settled = agrees_to_settle(&kept, past)?;
            Some((kept, settled))
        }
        Some(kept) => {
            ensure!(
                past.agrees_with(&kept.opened.log),
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

/// The settlement of an open match without the seats that are absent by the claims of the own program.
///
/// # Errors
/// If the match can go on, or cannot be settled.
pub fn settled<F: Files>(kept: &Kept<F>) -> anyhow::Result<Settled> {
    let opened = &kept.opened;
    let absent = opened.log.absent(&opened.claims);
    let of = kept.id();
    ensure!(
        !absent.is_empty(),
        "match {of} is open ({}), and your program has not noted that each player for whom it waits is \
         out of time or away. To play on, run: dealerless resume {of}",
        kept.state()
    );
    let settled = opened.log.settled_without(&absent);
    settled.with_context(|| {
        format!(
            "match {of} cannot be continued without {}: more than half of its players have to be there, \
             at least two, and the others must be too few to go on by themselves",
            kept.names(&absent)
        )
    })
}

/// Checks the settlement that a host proposes against an open match.
///
/// # Errors
/// If this player is one of the absent ones, or the own record does not lead to this settlement.
fn agrees_to_settle<F: Files>(kept: &Kept<F>, past: &Past) -> anyhow::Result<Settled> {
    let opened = &kept.opened;
    let of = kept.id();
    let settled = opened.log.agrees_to(past, kept.seat(), &opened.claims);
    let named = kept.names(&past.without);
    settled.map_err(|disagreement| match disagreement {
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

/// The settlement in words, with the names of this record.
pub fn in_words<F: Files>(kept: &Kept<F>, settled: &Settled) -> String {
    let names = Names::of(&Seated::of(&kept.opened.sitting, None, false));
    ending::settled(settled, |seat| names.name(seat.number()).to_string())
}
