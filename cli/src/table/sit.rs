//! Two connected players before a match: each side recognises the other player, and the guest asks
//! the host for the seat.

use std::time::Duration;

use anyhow::Context;
use dealerless_events::event::Event;
use dealerless_table::Seat;
use dealerless_table::connection::{Connection, ConnectionError, Message, Stream};
use dealerless_table::identity::{Address, PublicIdentity, Recognised};
use dealerless_table::play::Control;

use super::own::Own;
use super::player::Player;
use crate::failure::AnswerIsNo;

/// Sends a control message.
///
/// # Errors
/// If the connection has ended.
pub(crate) fn send(connection: &Connection, control: Control) -> Result<(), ConnectionError> {
    connection.send_control(control.encode())
}

/// Looks up a connected peer in the list of known peers, and stores the peer with its addresses and
/// the `relay` at which to meet it again. Returns a notice for the player if the keys are new.
///
/// # Errors
/// If the peer's keys are not accepted, or the list cannot be written.
pub(crate) fn recognise(
    own: &Own,
    connection: &Connection,
    relay: Option<&Address>,
) -> anyhow::Result<Option<String>> {
    let fingerprint = connection.met.peer.fingerprint();
    let mut peers = own.peers.lock();
    let notice = match peers.recognise(&connection.met.succession, &connection.met.peer_name)? {
        Recognised::Successor { known, name } => {
            // This comes before anything reads the counts of the new keys.
            peers.follow(&connection.met.succession)?;
            Some(format!(
                "{name} has a new identity, signed by the old one, for example on another machine. \
                 The counts of attempts and hands carry over to the new keys. The old keys are \
                 refused from now on.\n  old  {known}\n  now  {fingerprint}"
            ))
        }
        Recognised::OtherKeys { known } => Some(format!(
            "WARNING: {} IS KNOWN WITH OTHER KEYS. This may be another machine of the same person, \
             or somebody else using the name. Ask which fingerprint is theirs:\n  known  \
             {known}\n  now    {fingerprint}",
            connection.met.peer_name
        )),
        Recognised::New => Some(format!(
            "{} is new here. To be sure who it is, compare fingerprints over another channel:\n  theirs \
             {fingerprint}\n  yours  {}",
            connection.met.peer_name,
            own.home.identity().public().fingerprint()
        )),
        _ => None,
    };
    let at: Vec<_> = connection.at.iter().map(|at| (*at).into()).collect();
    // The address of the connection is only useful if the peer is the host, which listens there.
    let at = if connection.met.seat == Seat::GUEST {
        &at[..]
    } else {
        &[]
    };
    peers.remember(&connection.met.peer, &connection.met.peer_name, at, relay)?;
    // Adds the past keys of a peer that was new until now. They are refused later.
    peers.follow(&connection.met.succession)?;
    Ok(notice)
}

/// The error about a peer that the player has blocked.
pub(crate) const BLOCKED: &str =
    "you have blocked this player; to play with them again, run: dealerless peers unblock NAME";

/// Whether this side's player has blocked these keys.
pub(crate) fn is_blocked(own: &Own, peer: &PublicIdentity) -> bool {
    let peers = own.peers.lock();
    peers.get(peer).is_some_and(|peer| peer.blocked)
}

/// The time in which a host's program answers if it does not ask its player first.
const SOON: Duration = Duration::from_secs(2);
/// Timeout for the answer of a player who is asked.
pub(crate) const ANSWER: Duration = Duration::from_secs(600);

/// Asks the host for the seat, and waits for the answer: [`Control::Sit`], or [`Control::Open`] if
/// the two players have an open match.
///
/// # Errors
/// If the host declines, does not answer, or disconnects.
pub(crate) fn sit_down(connection: &Connection, player: &mut Player) -> anyhow::Result<Control> {
    // If the connection has ended, `recv` may still return an answer that came before the end.
    let sent = send(connection, Control::Sit);
    let message = match connection.recv(SOON) {
        Err(ConnectionError::TimedOut) => {
            let text = "The host's program has your request, but the host has not accepted it yet.";
            player.tell(&Event::Notice { text: text.into() })?;
            connection.recv(ANSWER)
        }
        answered => answered,
    };
    let message = match message {
        // The host may have received the request and agreed. Otherwise it will not know the match
        // when this side resumes, and this side will remove the match.
        Err(_)
            if sent.is_ok()
                && connection.ended().is_some_and(|why| {
                    !matches!(why, ConnectionError::Forged | ConnectionError::Broken(_))
                }) =>
        {
            return Ok(Control::Sit);
        }
        answered => answered.context("the host has not answered")?,
    };
    match answer(&message)? {
        control @ (Control::Sit | Control::Open(_)) => Ok(control),
        _ => Err(ConnectionError::Broken("an unexpected answer").into()),
    }
}

/// Waits for the next message of the host of a match with several guests.
///
/// # Errors
/// If the host declines or disconnects.
pub(crate) fn next(connection: &Connection) -> anyhow::Result<Control> {
    loop {
        match connection.recv(ANSWER) {
            // The other guests may take as long as they want.
            Err(ConnectionError::TimedOut) => {}
            received => return answer(&received.context("the host has disconnected")?),
        }
    }
}

/// Decodes a message of the host.
///
/// # Errors
/// If the host declines, or the message is invalid.
fn answer(message: &Message) -> anyhow::Result<Control> {
    match (message.stream, Control::decode(&message.bytes)) {
        (Stream::Control, Some(Control::Taken)) => Err(AnswerIsNo(TAKEN).into()),
        (Stream::Control, Some(Control::Declined)) => Err(AnswerIsNo(DECLINED).into()),
        (Stream::Control, Some(control)) => Ok(control),
        _ => Err(ConnectionError::Broken("an unexpected answer").into()),
    }
}

const TAKEN: &str = "The seat is taken: the host is playing with another player, or deciding whether to. \
                     No match has begun. Ask the host when you can join.";

/// The error of a guest whose host declines.
pub(crate) const DECLINED: &str = "The host declined to play with you now. A host plays with the guest of its invite, and accepts \
     or declines other players. Ask the host for an invite, or to run: dealerless host --for \
     YOUR-NAME";
