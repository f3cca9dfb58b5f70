//! The handover of several seats over a simulated network, and each of its rules.

mod rules;
mod schedules;
mod world;

use std::time::Duration;

use dealerless_connection::identity::{Fingerprint, Identity};
use dealerless_table::play::{GuestAddresses, Ready};
use dealerless_table::{Seat, SeatSet};

use super::Handover;

const SECOND: Duration = Duration::from_secs(1);

/// The fingerprints of the players of a test.
fn players(count: u8) -> Vec<Fingerprint> {
    let identity = |seed| Identity::from_seed([seed; 32]);
    (1..=count)
        .map(|seed| identity(seed).public().fingerprint())
        .collect()
}

fn ready(number: u16, nonce: [u8; 32]) -> Ready {
    Ready {
        past: None,
        number,
        nonce,
        buy: 0,
        addresses: GuestAddresses::default(),
    }
}

/// Whether a player may open its first cards, when it holds the parts of `holds` of the `others` in the match that are
/// members.
fn may_open(handover: &Handover, holds: usize, others: usize, now: Duration) -> bool {
    let seats: SeatSet = Seat::all(others + 1).collect();
    handover.opening(seats).needed_at(now) <= holds
}
