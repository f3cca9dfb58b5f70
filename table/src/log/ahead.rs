//! The signatures of a whole history, verified before it is replayed.
//!
//! Almost all the time of a replay goes into signatures, and they need not be verified in order:
//! what each was made over follows from the bytes alone. So several threads do it at once. A
//! [`Verified`] is only a hint: a log takes it where its own history is the same, and verifies
//! again everywhere else.

use std::thread;

use super::players::Match;
use super::signed::{SignedPart, step_hash};
use crate::seat::Seat;

/// A part, and after which history its signature has been verified, if it has.
#[derive(Clone, Debug)]
pub(crate) struct Verified {
    pub(crate) part: SignedPart,
    /// The hash of all steps before.
    pub(crate) after: Option<[u8; 32]>,
}

/// Threads beyond these gain little.
const MOST_THREADS: usize = 8;

impl Verified {
    /// In whose name it is.
    pub(crate) fn seat(&self) -> Seat {
        self.part.seat
    }
}

impl From<SignedPart> for Verified {
    fn from(part: SignedPart) -> Self {
        Verified { part, after: None }
    }
}

/// Verifies the parts of a history, as far as they come in order of the steps. Returns for each part
/// the hash after which its signature holds, as in [`Verified`].
pub(crate) fn verify_ahead(of: &Match, parts: &[&SignedPart]) -> Vec<Option<[u8; 32]>> {
    let mut after = vec![None; parts.len()];
    let before = hashes(of, parts);
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let each = parts.len().div_ceil(threads.min(MOST_THREADS)).max(1);
    thread::scope(|scope| {
        let parts = parts.chunks(each).zip(before.chunks(each));
        for (after, (parts, before)) in after.chunks_mut(each).zip(parts) {
            scope.spawn(move || verify(of, parts, before, after));
        }
    });
    after
}

fn verify(of: &Match, parts: &[&SignedPart], before: &[[u8; 32]], after: &mut [Option<[u8; 32]>]) {
    for ((part, before), after) in parts.iter().zip(before).zip(after) {
        let player = of.players().get(part.seat.index());
        let signed = |identity| part.is_signed(identity, &of.id(), before);
        if player.is_some_and(|player| signed(&player.identity)) {
            *after = Some(*before);
        }
    }
}

/// The hash of all steps before each part, up to the first that is out of order.
fn hashes(of: &Match, parts: &[&SignedPart]) -> Vec<[u8; 32]> {
    let (mut hashes, mut hash) = (Vec::with_capacity(parts.len()), of.id());
    let (mut step, mut now): (u64, Vec<&SignedPart>) = (0, Vec::new());
    for part in parts {
        if !now.is_empty() && Some(part.step) == step.checked_add(1) {
            now.sort_by_key(|part| part.seat);
            hash = step_hash(step, &hash, now.drain(..));
            step += 1;
        }
        if part.step != step {
            break;
        }
        now.push(part);
        hashes.push(hash);
    }
    hashes
}
