//! Verification of all signatures of a history in parallel, before a log replays it.
//!
//! Almost all the time of a replay is spent on signatures. They can be verified in any order,
//! because the bytes of the history determine what each signature covers. A [`Verified`] is only a
//! hint: a log uses the result if the hash of its own history is the same, and otherwise verifies
//! the signature again.

use std::thread;

use super::players::Match;
use super::signed::{SignedPart, step_hash};
use crate::seat::{Seat, SeatSet};

/// A part whose signature may have been verified.
#[derive(Clone, Debug)]
pub(crate) struct Verified {
    pub(crate) part: SignedPart,
    /// The hash of all earlier steps for which the signature is valid. `None` if it was not
    /// verified.
    pub(crate) after: Option<[u8; 32]>,
}

/// The maximum number of threads. More threads gain little.
const MAX_THREADS: usize = 8;

impl Verified {
    /// The seat that the part names.
    pub(crate) fn seat(&self) -> Seat {
        self.part.seat
    }
}

impl From<SignedPart> for Verified {
    fn from(part: SignedPart) -> Self {
        Verified { part, after: None }
    }
}

/// Verifies the signatures of a history, up to the first part that is out of order. Returns
/// [`Verified::after`] for each part.
pub(crate) fn verify_ahead(match_info: &Match, parts: &[&SignedPart]) -> Vec<Option<[u8; 32]>> {
    // A browser has no threads.
    let threads = thread::available_parallelism().map_or(1, usize::from);
    verify_by(threads.min(MAX_THREADS), match_info, parts)
}

/// Verifies the signatures in this number of threads, in this one if it is 1.
fn verify_by(threads: usize, match_info: &Match, parts: &[&SignedPart]) -> Vec<Option<[u8; 32]>> {
    let mut after = vec![None; parts.len()];
    let before = hashes(match_info, parts);
    if threads == 1 {
        verify(match_info, parts, &before, &mut after);
        return after;
    }
    let each = parts.len().div_ceil(threads).max(1);
    thread::scope(|scope| {
        let parts = parts.chunks(each).zip(before.chunks(each));
        for (after, (parts, before)) in after.chunks_mut(each).zip(parts) {
            scope.spawn(move || verify(match_info, parts, before, after));
        }
    });
    after
}

fn verify(
    match_info: &Match,
    parts: &[&SignedPart],
    before: &[[u8; 32]],
    after: &mut [Option<[u8; 32]>],
) {
    for ((part, before), after) in parts.iter().zip(before).zip(after) {
        let player = match_info.players().get(part.seat.index());
        let signed = |identity| part.is_signed(identity, match_info.id().as_bytes(), before);
        if player.is_some_and(|player| signed(&player.identity)) {
            *after = Some(*before);
        }
    }
}

/// The hash of all earlier steps for each part, up to the first part that is out of order. After a won
/// roll call, the hashes are those of no history.
fn hashes(match_info: &Match, parts: &[&SignedPart]) -> Vec<[u8; 32]> {
    let mut hashes = Vec::with_capacity(parts.len());
    let mut hash = *match_info.id().as_bytes();
    let (mut step, mut current): (u64, Vec<&SignedPart>) = (0, Vec::new());
    for part in parts {
        if !current.is_empty() && Some(part.step) == step.checked_add(1) {
            current.sort_by_key(|part| part.seat);
            hash = step_hash(step, &hash, current.drain(..), SeatSet::default());
            step += 1;
        }
        if part.step != step {
            break;
        }
        current.push(part);
        hashes.push(hash);
    }
    hashes
}

#[cfg(test)]
mod tests {
    use super::super::tests::test_match::holdem;
    use super::*;

    #[test]
    fn signatures_are_verified_with_and_without_threads() {
        let played = holdem(2, 1).played();
        let match_info = played.match_info();
        let mut parts: Vec<SignedPart> = played.history(0).cloned().collect();
        parts[3].signature[0] ^= 1;
        let parts: Vec<&SignedPart> = parts.iter().collect();
        let alone = verify_by(1, match_info, &parts);
        let valid = alone.iter().filter(|after| after.is_some()).count();
        assert!((3..parts.len()).contains(&valid) && alone[3].is_none());
        for threads in [2, 3, 8] {
            assert_eq!(verify_by(threads, match_info, &parts), alone);
        }
    }
}
