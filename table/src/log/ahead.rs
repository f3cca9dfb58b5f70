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
    pub(super) part: SignedPart,
    /// The hash of all steps before.
    pub(super) after: Option<[u8; 32]>,
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

/// Verifies the parts of a history, as far as they come in order of the steps.
pub(crate) fn verify_ahead(of: &Match, parts: Vec<SignedPart>) -> Vec<Verified> {
    let mut all: Vec<Verified> = parts.into_iter().map(Verified::from).collect();
    let before = hashes(of, &all);
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let each = all.len().div_ceil(threads.min(MOST_THREADS)).max(1);
    thread::scope(|scope| {
        for (parts, before) in all.chunks_mut(each).zip(before.chunks(each)) {
            scope.spawn(move || verify(of, parts, before));
        }
    });
    all
}

fn verify(of: &Match, parts: &mut [Verified], before: &[[u8; 32]]) {
    for (one, before) in parts.iter_mut().zip(before) {
        let player = of.players().get(one.part.seat.index());
        let signed = |identity| one.part.is_signed(identity, &of.id(), before);
        if player.is_some_and(|player| signed(&player.identity)) {
            one.after = Some(*before);
        }
    }
}

/// The hash of all steps before each part, up to the first that is out of order.
fn hashes(of: &Match, parts: &[Verified]) -> Vec<[u8; 32]> {
    let (mut hashes, mut hash) = (Vec::with_capacity(parts.len()), of.id());
    let (mut step, mut now): (u64, Vec<&SignedPart>) = (0, Vec::new());
    for Verified { part, .. } in parts {
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
