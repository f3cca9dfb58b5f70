//! Two connected players before a match: each side recognises the other player, and the guest asks
//! the host for the seat.

use anyhow::Context;
use dealerless_connection::identity::{Address, PeersError, PublicIdentity};
use dealerless_connection::{Connection, ConnectionError, Message, Side, Stream};
use dealerless_seat::event::Event;
use dealerless_seat::guest::{ANSWER, NOT_ACCEPTED_YET, SOON, may_have_agreed, refusal};
use dealerless_seat::peers::{self, MetPeer};
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

/// [Recognises](peers::recognise) a connected peer, and stores the relay at which to meet it again: that
/// of the connection, or otherwise the relay in the invite by which the players met. Returns a notice for
/// the player if the keys are new.
///
/// # Errors
/// If the peer's keys are not accepted, or the list cannot be written.
pub(crate) fn recognise(
    own: &Own,
    connection: &Connection,
    in_invite: Option<&Address>,
) -> Result<Option<String>, PeersError> {
    let at: Vec<_> = connection.at.iter().map(|at| (*at).into()).collect();
    let met = MetPeer {
        succession: &connection.met.succession,
        name: &connection.met.peer_name,
        // The address of the connection is only useful if the peer is the host, which listens there.
        addresses: match connection.met.side {
            Side::Guest => &at,
            Side::Host => &[],
        },
        relay: connection.relay.as_ref().or(in_invite),
    };
    peers::recognise(&mut own.peers.lock(), own.home.identity().public(), met)
}

/// Whether this side's player has blocked these keys.
pub(crate) fn is_blocked(own: &Own, peer: &PublicIdentity) -> bool {
    peers::is_blocked(&own.peers.lock(), peer)
}

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
            let text = NOT_ACCEPTED_YET.into();
            player.tell(&Event::Notice { text })?;
            connection.recv(ANSWER)
        }
        answered => answered,
    };
    let message = match message {
        Err(_) if sent.is_ok() && connection.ended().is_some_and(|why| may_have_agreed(&why)) => {
            return Ok(Control::Sit);
        }
        answered => answered.context("the host has not answered")?,
    };
    match answer(&message, 2)? {
        control @ (Control::Sit | Control::Open(_)) => Ok(control),
        _ => Err(ConnectionError::Broken("an unexpected answer").into()),
    }
}

/// Waits for the next message of the host of a match with this number of seats, which has several guests.
///
/// # Errors
/// If the host declines or disconnects.
pub(crate) fn next(connection: &Connection, seats: usize) -> anyhow::Result<Control> {
    loop {
        match connection.recv(ANSWER) {
            // The other guests may take as long as they want.
            Err(ConnectionError::TimedOut) => {}
            received => return answer(&received.context("the host has disconnected")?, seats),
        }
    }
}

/// Decodes a message of the host of a match with this number of seats.
///
/// # Errors
/// If the host declines, or the message is invalid.
fn answer(message: &Message, seats: usize) -> anyhow::Result<Control> {
    let control = (message.stream == Stream::Control).then(|| Control::decode(&message.bytes));
    let control = control
        .flatten()
        .ok_or(ConnectionError::Broken("an unexpected answer"))?;
    match refusal(&control, seats) {
        Some(text) => Err(AnswerIsNo(text).into()),
        None => Ok(control),
    }
}
