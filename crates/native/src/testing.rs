//! Players for tests and benchmarks.

use std::sync::{Arc, Mutex};

use dealerless_connection::identity::SharedPeers;
use dealerless_connection::storage::MemoryVault;
use dealerless_connection::{Credentials, Invites};
use dealerless_seat::command::Said;
use dealerless_seat::event::{Ask, Event};
use dealerless_seat::run::Stored;

use crate::NativeFiles;

/// A player without invites.
pub fn stored(
    files: NativeFiles,
    Credentials { identity, name }: Credentials,
    peers: SharedPeers,
) -> Stored<NativeFiles> {
    let invites = Invites::open(Box::new(MemoryVault::default()));
    Stored {
        files,
        identity,
        peers,
        invites: Arc::new(Mutex::new(invites.expect("no invites"))),
        name,
    }
}

/// The answer of a player who checks or calls, shows, and passes.
pub fn passive(event: &Event) -> Option<Said> {
    let Event::YourTurn(turn) = event else {
        return None;
    };
    Some(match turn.ask {
        Ask::Bet { call: None, .. } => Said::Check {},
        Ask::Bet { .. } => Said::Call {},
        Ask::Exchange {} => Said::Exchange { places: vec![0, 2] },
        Ask::ShowOrMuck { .. } => Said::Show {},
        Ask::Speak { .. } => Said::Pass {},
    })
}
