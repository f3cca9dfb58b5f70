//! Moving an identity: away from here, and from another place to here. An identity that was moved
//! never plays again; a new identity succeeds it.

use anyhow::{Context, ensure};
use dealerless_connection::identity::{MovedIdentity, NewPlayer};
use serde::Deserialize;
use serde_json::{Value, json};

use super::matches;
use super::own::{Own, kept_peers, value};
use super::world::World;
use crate::stored;

/// A request to move the identity away.
#[derive(Default, Deserialize)]
pub(super) struct MoveRequest {
    /// Whether to abandon the open matches.
    #[serde(default)]
    leave_open_matches: bool,
}

/// A request to succeed an identity that was moved here.
#[derive(Deserialize)]
pub(super) struct SucceedRequest {
    /// The moved identity.
    text: String,
}

/// Moves the identity away. From now on it cannot play here. The answer has the text for the new
/// place, with the secret keys.
///
/// # Errors
/// If there are open matches, or the files cannot be written.
pub(super) fn move_away<W: World>(
    own: &mut Own<W>,
    request: &MoveRequest,
) -> anyhow::Result<Value> {
    let open = matches::left_open(own)?;
    ensure!(
        open == 0 || request.leave_open_matches,
        "you have {open} open matches, and they cannot move with your identity: finish them first, or \
         abandon them"
    );
    let text = {
        let peers = own.peers.lock();
        MovedIdentity::move_away(&own.identity, &peers, &mut value(&own.files, "successor")?)?
    };
    own.has_moved();
    Ok(json!({ "text": *text, "left_matches": open }))
}

/// Makes the new identity of this player the successor of an identity that was moved here. The answer has the
/// fields of `dealerless identity succeed`. The caller opens the files again, also after an error.
///
/// # Errors
/// If the text is not a moved identity, the identity here is not new, or the files cannot be written.
pub(super) fn succeed<W: World>(own: &Own<W>, request: &SucceedRequest) -> anyhow::Result<Value> {
    let moved = MovedIdentity::parse(request.text.trim_start())?;
    // The place of the old identity is elsewhere. Its successor is kept here to complete an interrupted
    // succession.
    let successor = &mut value(&own.files, "succeeded")?;
    let moved = moved
        .with_successor(successor)
        .context("this page has begun to succeed another identity")?;
    let known = moved
        .known_peers()
        .context("the known peers of the moved identity")?;
    let new = NewPlayer {
        identity: &own.identity,
        succession: &mut value(&own.files, "succession")?,
        peers: kept_peers(&own.files, &own.identity)?,
        has_played: !matches::records(own)?.is_empty(),
    };
    let (succession, peers) = moved.kept.be_succeeded(successor, Some(known), new)?;
    Ok(json!({
        "fingerprint": succession.current().fingerprint().to_string(),
        "succeeds": stored::past(&succession),
        "peers": peers,
        "statement": succession.to_string(),
    }))
}
