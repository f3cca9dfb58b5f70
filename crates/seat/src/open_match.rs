//! Open matches: their states in words, and what a guest does with one that its host does not resume.

use dealerless_connection::identity::{Name, PublicIdentity};
use dealerless_table::Seat;
use dealerless_table::log::{Claim, Claimed, MatchId, MatchLog, Opened, Past};
use dealerless_table::play::Control;

use crate::event::Awaited;
use crate::story::pending;
use crate::words::{counted, list};

/// The state of an opened match on one line, such as `hand 3 of 10, Bert to speak`.
pub fn state<S>(opened: &Opened<S>) -> String {
    let log = &opened.log;
    let attempt = log.attempt();
    let hands = log.match_info().header().stakes.hands();
    let (speaks, what) = pending(log);
    let named = |seats: &[Seat]| names(opened, seats.iter().copied());
    let who = if speaks.contains(&opened.sitting.seat) {
        "you".to_owned()
    } else {
        named(&speaks)
    };
    let closed = if opened.is_closed() {
        ", closed here"
    } else {
        ""
    };
    let claimed = |what| {
        let claims = &mut opened.claims.iter();
        claims.find(|claim| claim.what == what && claim.is_valid(log))
    };
    let late = match claimed(Claimed::OutOfTime) {
        None => String::new(),
        // This player cannot act because the peer's engine did not answer in time, or the seat has not
        // voted on a call.
        Some(claim) if who == "you" || !speaks.contains(&claim.seat) => {
            format!(", {} out of time", named(&[claim.seat]))
        }
        Some(_) => ", out of time".to_owned(),
    };
    let away = claimed(Claimed::Away);
    let away = away.map_or_else(String::new, |claim| {
        format!(", {} was away", named(&[claim.seat]))
    });
    let acts = match what {
        Awaited::Vote => "to vote on a call",
        Awaited::Back => "to sit in again",
        _ => "to speak",
    };
    format!(
        "hand {} of {hands}, {who} {acts}{late}{away}{closed}",
        attempt.hand
    )
}

/// The seats of the other players.
pub fn others<S>(opened: &Opened<S>) -> impl Iterator<Item = Seat> {
    let own = opened.sitting.seat;
    Seat::all(opened.sitting.match_info.seats()).filter(move |seat| *seat != own)
}

/// The names of the players at these seats, as a list.
pub fn names<S>(opened: &Opened<S>, seats: impl IntoIterator<Item = Seat>) -> String {
    let name = |seat: Seat| match opened.sitting.names.get(seat.index()) {
        Some(name) => name.to_string(),
        None => Name::clean("").to_string(),
    };
    list(seats.into_iter().map(name)).to_string()
}

/// Whether the log contains a part of another player. For the others, a match without such a part
/// never began.
pub fn has_peer_parts(log: &MatchLog, own: Seat) -> bool {
    log.history(0).any(|part| part.seat != own)
}

/// The claim of a player who closes a match on this side at `time`, in seconds since 1970: the step and
/// the seat for which the match waits.
pub fn closed_claim(log: &MatchLog, time: u64) -> Claim {
    Claim {
        step: log.step(),
        seat: pending(log).0.first().copied().unwrap_or(Seat::HOST),
        time,
        what: Claimed::Closed,
    }
}

/// The error of a guest whose host no longer has the open match, and whose player is not asked about
/// another one.
#[derive(Debug, thiserror::Error)]
#[error(
    "the host no longer has your open match ({0}), or uses another folder. To give it up, run: \
     dealerless resume --close {0}"
)]
pub struct StaysOpen(String);

/// Whether a guest removes the match of this log, because the host has answered `answer` to the request
/// to resume it, and it contains no part of the host. Otherwise the match stays open. `asks` is whether
/// the player is asked before another match begins.
///
/// # Errors
/// If the match stays open, and the player is not asked.
pub fn removes(log: &MatchLog, own: Seat, answer: &Control, asks: bool) -> Result<bool, StaysOpen> {
    if !has_peer_parts(log, own) {
        return Ok(true);
    }
    match answer {
        Control::Unknown(_) if asks => Ok(false),
        _ => Err(StaysOpen(log.match_info().id().to_string())),
    }
}

/// The notice to a guest whose host proposes a new match instead of resuming the open one.
pub fn instead_of<S>(opened: &Opened<S>) -> String {
    let (of, state) = (opened.sitting.match_info.id(), state(opened));
    if opened.sitting.match_info.seats() > 2 && opened.log.step() > 0 {
        return format!(
            "The host says that it does not resume your open match {of} ({state}), and proposes a new match. \
             If you sit down, the open match is closed here. The other guests may continue it without you; \
             `dealerless resume {of}` keeps your seat."
        );
    }
    format!(
        "The host does not resume your open match {of} ({state}): the host has closed it, or uses another \
         folder. The host proposes a new match. If you sit down, the open match is closed here; \
         `dealerless resume {of}` continues it."
    )
}

/// The error of a guest who does not have the open match that its host names.
pub fn elsewhere(of: &MatchId) -> String {
    format!(
        "the host has an open match with you ({of}) that is not in this folder. Play from the \
         folder in which it began, or ask the host to close it: dealerless resume --close"
    )
}

/// The error of a guest whose open match with `names` was begun with their old keys.
pub fn with_old_keys(of: &MatchId, names: &str) -> String {
    format!(
        "your open match ({of}) with {names} was begun with their old keys, and cannot be resumed. You \
         cannot begin a new match until you close the old one: dealerless resume --close {of}"
    )
}

/// The error of a player whose match has no part, and whose host does not know it.
pub fn not_begun(of: &MatchId) -> String {
    format!("match {of} has not begun: another player did not agree to it")
}

/// The error of a player who resumes a match that the host does not resume.
pub fn not_resumed(of: &MatchId) -> String {
    format!(
        "the host does not resume this match: you have another open match with the host, or the host \
         uses another folder. To find out, run `dealerless join`. To give this match up, run: \
         dealerless resume --close {of}"
    )
}

/// The notice to a player who is connected to other guests of a match, and whose host does not resume it.
pub fn declined_by_host(of: &MatchId) -> String {
    format!(
        "The host does not resume match {of}; it may have closed it. You are connected to other guests, to \
         whom you would look absent, so your program stays in the match. To join the host's next match, end \
         this program, run `dealerless resume --close {of}`, and join again."
    )
}

/// The error of a player whose match was continued without this player, and who is not asked about the next one.
pub const WENT_ON: &str = "the table goes on in another match. To play on, join it and agree to its terms, which closes \
                           this match here: dealerless join NAME";

/// The notice to a player whose host does not resume the match `of`, but has continued it without absent players. All
/// this is only the word of the host, who says that the player has `chips`.
pub fn went_on(of: &MatchId, chips: u64) -> String {
    format!(
        "The host does not resume match {of}: the table goes on without the players who were absent. There you have {}, \
         with which you can join the host's next match. {TO_CHECK}",
        counted(chips, "chip")
    )
}

/// The answer to a player of the match before who resumes it although it was settled. `None` for everybody
/// else. It is only a hint: the header of the next match has the chips, and all remaining players have
/// signed it.
pub fn answer_after(past: &Past, peer: &PublicIdentity) -> Option<Control> {
    let of_seat = |seat| past.player(seat);
    let mut players = Seat::all(past.seats).filter_map(of_seat);
    let (_, chips) = players.find(|(player, _)| *player == peer.fingerprint())?;
    Some(Control::WentOn(past.match_id, chips))
}

/// The notice to the host of a match that the other players have continued without it, by the word of
/// one of them, whose name is `by`.
pub fn went_on_without_host(by: &Name, of: &MatchId, chips: u64) -> String {
    format!(
        "{by} does not resume match {of}: the table goes on in another match, without you. There you have {}, \
         with which you can join the next match of its host. {TO_CHECK}",
        counted(chips, "chip")
    )
}

const TO_CHECK: &str = "To check this, run `dealerless verify` with your file and that of the match in which the others play \
                        now. Your match stays open until you sit down to another one.";
