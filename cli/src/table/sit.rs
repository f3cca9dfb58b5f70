//! Two have met: what they say before they play, and who sits where.

use std::time::Duration;

use anyhow::Context;
use dealerless_events::event::Event;
use dealerless_table::Seat;
use dealerless_table::connection::{Connection, ConnectionError, Stream};
use dealerless_table::identity::{Address, PublicIdentity, Recognised};
use dealerless_table::play::Control;

use super::own::Own;
use super::player::Player;
use crate::failure::AnswerIsNo;

/// Says something of the match as a whole.
///
/// # Errors
/// If the line has ended.
pub(crate) fn say(connection: &Connection, control: Control) -> Result<(), ConnectionError> {
    connection.send_control(control.encode())
}

/// Looks up whom one has met: what the user must know. Remembers them, and the relay at which they
/// can be met again.
///
/// # Errors
/// If one must not play with them.
pub(crate) fn recognise(
    own: &Own,
    connection: &Connection,
    relay: Option<&Address>,
) -> anyhow::Result<Option<String>> {
    let fingerprint = connection.peer.fingerprint();
    let mut peers = own.peers.lock();
    let notice = match peers.recognise(&connection.succession, &connection.peer_name)? {
        Recognised::Successor { known, name } => {
            // Before the counts are looked at, which go along.
            peers.follow(&connection.succession)?;
            Some(format!(
                "{name} has a new identity, which the old one has signed: another machine. What \
                 counted for the old keys counts for the new ones; the old ones are refused from now \
                 on.\n  old  {known}\n  now  {fingerprint}"
            ))
        }
        Recognised::OtherKeys { known } => Some(format!(
            "WARNING: {} IS KNOWN WITH OTHER KEYS. This may be another machine of the same person, \
             or somebody else who takes the name. Ask which fingerprint is theirs:\n  known  \
             {known}\n  now    {fingerprint}",
            connection.peer_name
        )),
        Recognised::New => Some(format!(
            "{} is new here. To be sure who it is, compare fingerprints by another way:\n  theirs \
             {fingerprint}\n  yours  {}",
            connection.peer_name,
            own.home.identity().public().fingerprint()
        )),
        _ => None,
    };
    let at: Vec<_> = connection.at.iter().map(|at| (*at).into()).collect();
    // A host is found again where it was; where a guest came from nobody listens.
    let at = if connection.seat == Seat::GUEST {
        &at[..]
    } else {
        &[]
    };
    peers.remember(&connection.peer, &connection.peer_name, at, relay)?;
    // Whom somebody new has succeeded is no other person.
    peers.follow(&connection.succession)?;
    Ok(notice)
}

/// What a player reads about a peer that it has blocked.
pub(crate) const BLOCKED: &str =
    "you have blocked this player; to play with it again, run: dealerless peers unblock NAME";

/// Whether this side's player has blocked these keys.
pub(crate) fn is_blocked(own: &Own, peer: &PublicIdentity) -> bool {
    let peers = own.peers.lock();
    peers.get(peer).is_some_and(|peer| peer.blocked)
}

/// How long a host's program usually takes to answer; then its player may have been asked.
const SOON: Duration = Duration::from_secs(2);
/// How long a host's player may take to answer.
pub(crate) const ANSWER: Duration = Duration::from_secs(600);

/// Sits down, and waits for the host's answer: *Sit*, or that another match is open between the two.
///
/// # Errors
/// If the host does not play with this side, does not answer, or is gone.
pub(crate) fn sit_down(connection: &Connection, player: &mut Player) -> anyhow::Result<Control> {
    // A line that has ended may still hold the host's answer.
    let said = say(connection, Control::Sit);
    let message = match connection.recv(SOON) {
        Err(ConnectionError::TimedOut) => {
            let text = "The host's program knows of you, and its player has not accepted you yet.";
            player.tell(&Event::Notice { text: text.into() })?;
            connection.recv(ANSWER)
        }
        said => said,
    };
    let message = match message {
        // The host may have agreed. If it has not, it does not know the match that is resumed, which is
        // forgotten then.
        Err(_)
            if said.is_ok()
                && connection.ended().is_some_and(|why| {
                    !matches!(why, ConnectionError::Forged | ConnectionError::Broken(_))
                }) =>
        {
            return Ok(Control::Sit);
        }
        said => said.context("the host has not answered")?,
    };
    match (message.stream, Control::decode(&message.bytes)) {
        (Stream::Control, Some(control @ (Control::Sit | Control::Open(_)))) => Ok(control),
        (Stream::Control, Some(Control::Taken)) => Err(AnswerIsNo(TAKEN).into()),
        (Stream::Control, Some(Control::Declined)) => Err(AnswerIsNo(DECLINED).into()),
        _ => Err(ConnectionError::Broken("an answer of another kind").into()),
    }
}

const TAKEN: &str = "The seat is taken: the host plays with somebody else, or decides about somebody \
                     else. Nothing has begun here. Ask the host when you can join.";

/// The message to a guest that the host declines.
pub(crate) const DECLINED: &str = "The host does not play with you now: a host plays with the guest to whom it has sent its \
     invite, and accepts or declines others. Ask for an invite, or that the host runs: dealerless host \
     --for YOUR-NAME";
