//! What a player has stored, as JSON objects: the identity, the known players and the open matches.

use dealerless_connection::hex;
use dealerless_connection::identity::{Fingerprint, Name, Peer, PublicIdentity, Succession};
use dealerless_table::Seat;
use dealerless_table::log::Opened;
use serde::Serialize;
use serde_json::{Value, json};

use crate::open_match::{names, others, state};

/// The output of `identity --json`. `past` are the identities that this one has succeeded, as from
/// [`past`]; `by` is the identity that has succeeded this one.
pub fn identity(
    own: Fingerprint,
    file: &str,
    past: &[String],
    by: Option<Fingerprint>,
    name: Option<&Name>,
) -> Value {
    let mut value = json!({
        "fingerprint": own.to_string(),
        "file": file,
        "succeeds": past,
        "succeeded_by": by.map(|by| by.to_string()),
    });
    if let Some(name) = name {
        value["player"] = name.as_str().into();
    }
    value
}

/// The fingerprints of the past identities, the oldest first.
pub fn past(succession: &Succession) -> Vec<String> {
    let text = |old: &PublicIdentity| old.fingerprint().to_string();
    succession.past().map(text).collect()
}

/// The output of `peers --json`.
pub fn peers(own: Fingerprint, peers: &[Peer]) -> Value {
    let peers: Vec<KnownPlayer<'_>> = peers.iter().map(KnownPlayer::of).collect();
    json!({ "own": own.to_string(), "peers": peers })
}

/// A known player in the output of `peers --json`.
#[derive(Serialize)]
pub struct KnownPlayer<'a> {
    name: &'a str,
    /// The name in a sentence.
    called: String,
    fingerprint: String,
    succeeds: Vec<String>,
    hands: u64,
    attempts: u64,
    in_a_row: u32,
    failed_checks: u32,
    forgiven: u32,
    blocked: bool,
    last_seen: u64,
    addresses: Vec<String>,
}

impl<'a> KnownPlayer<'a> {
    /// The player of these keys.
    pub fn of(peer: &'a Peer) -> Self {
        KnownPlayer {
            name: peer.name.as_str(),
            called: peer.name.to_string(),
            fingerprint: peer.identity.fingerprint().to_string(),
            succeeds: (peer.before.iter())
                .map(|old| old.fingerprint().to_string())
                .collect(),
            hands: peer.hands,
            attempts: peer.attempts,
            in_a_row: peer.in_a_row,
            failed_checks: peer.failed_checks,
            forgiven: peer.forgiven,
            blocked: peer.blocked,
            last_seen: peer.last_seen,
            addresses: peer.addresses.iter().map(ToString::to_string).collect(),
        }
    }
}

/// The output of `resume --list --json`.
pub fn open_matches(open: &[OpenMatch], unread: &[UnreadMatch]) -> Value {
    json!({ "matches": open, "unread": unread })
}

/// An open match in the output of `resume --list --json`.
#[derive(Serialize)]
pub struct OpenMatch {
    /// The id of the match, in hexadecimal.
    #[serde(rename = "match")]
    pub of: String,
    /// The number of the own seat; 0 is the host.
    pub seat: u8,
    /// The names of the other players.
    pub peer: String,
    fingerprint: String,
    /// The state on one line.
    pub state: String,
    closed: bool,
    log: String,
    changed: u64,
}

impl OpenMatch {
    /// The match of an opened file. `log` is the path or the name of the file, `changed` the time of its
    /// last change, in seconds since 1970.
    pub fn of<S>(opened: &Opened<S>, log: String, changed: u64) -> Self {
        let sitting = &opened.sitting;
        let players = sitting.match_info.players();
        let fingerprint = |seat: Seat| players[seat.index()].identity.fingerprint().to_string();
        let fingerprints: Vec<String> = others(opened).map(fingerprint).collect();
        OpenMatch {
            of: hex(sitting.match_info.id().as_bytes()),
            seat: sitting.seat.number(),
            peer: names(opened, others(opened)),
            fingerprint: fingerprints.join(", "),
            state: state(opened),
            closed: opened.is_closed(),
            log,
            changed,
        }
    }
}

/// A match whose file cannot be read, in the output of `resume --list --json`.
#[derive(Serialize)]
pub struct UnreadMatch {
    /// The first digits of the id of the match, in hexadecimal.
    #[serde(rename = "match")]
    pub of: String,
    /// The name of the other player.
    pub peer: String,
    /// The path or the name of the file.
    pub log: String,
    /// Why the file cannot be read.
    pub message: String,
}
