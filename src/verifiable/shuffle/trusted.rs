//! Shuffles that a test trusts instead of proving them: a table of ten seats computes each proof once and
//! verifies it nine times, which takes a simulation most of its time.
//!
//! This module exists only with the feature `internals`, and does nothing in a thread that has not called
//! [`trust_own_shuffles`].

use std::cell::RefCell;
use std::collections::HashMap;

use super::super::context::Context;
use super::super::deck::VerifiedDeck;
use super::proof::Proof;

thread_local! {
    /// The results of the shuffles that this thread has made, by the hashes of their contexts, inputs and parts.
    static TRUSTED: RefCell<Option<HashMap<[u8; 32], VerifiedDeck>>> = const { RefCell::new(None) };
}

/// From now on, shuffles that this thread makes have no proofs: only this thread verifies them, because it
/// remembers them. It rejects all other shuffles that do not verify. Forgets the shuffles from before.
///
/// **For simulations only.**
pub fn trust_own_shuffles() {
    TRUSTED.set(Some(HashMap::new()));
}

fn key(context: &Context<'_>, input: &VerifiedDeck, part: &[u8]) -> [u8; 32] {
    let hash = context.hash("trusted shuffle").points(input.points());
    hash.bytes(part).digest()
}

/// The part of a shuffle without a proof, if this thread trusts its own shuffles.
pub(super) fn part(
    context: &Context<'_>,
    input: &VerifiedDeck,
    output: &VerifiedDeck,
) -> Option<Vec<u8>> {
    TRUSTED.with_borrow_mut(|trusted| {
        let trusted = trusted.as_mut()?;
        let points = output.points().flat_map(|point| *point.bytes());
        let mut part: Vec<u8> = points.collect();
        part.resize(part.len() + Proof::encoded_len(input.count()), 0);
        trusted.insert(key(context, input, &part), output.clone());
        Some(part)
    })
}

/// The deck after a shuffle that this thread has made and trusts.
pub(super) fn verified(
    context: &Context<'_>,
    input: &VerifiedDeck,
    part: &[u8],
) -> Option<VerifiedDeck> {
    TRUSTED.with_borrow(|trusted| {
        let trusted = trusted.as_ref()?;
        trusted.get(&key(context, input, part)).cloned()
    })
}
