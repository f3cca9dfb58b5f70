//! A roll over a channel.

use rand::CryptoRng;
use zeroize::Zeroizing;

use super::error::{Error, Result};
use super::roll::{Commitment, Reveal, Roll};
use super::tag::Tag;
use super::terms::{Dice, Terms};
use crate::circuit::Party;
use crate::net::Channel;

/// Rolls dice with the peer and returns the faces, from 1. Both parties call this with the same
/// terms and different roles.
///
/// Each party sends two messages: its commitment, then its reveal. Neither a channel nor this
/// function authenticates the peer. Use an encrypted connection, and include the id of the peer in
/// the context.
///
/// # Errors
/// [`Error::Check`] if the peer cheats; any error of the channel. After any error, do not repeat
/// the roll: see [`dice`](super#a-withheld-reveal).
pub fn roll(
    channel: &mut Channel,
    terms: Terms<'_>,
    me: Party,
    rng: &mut impl CryptoRng,
) -> Result<Vec<u32>> {
    channel.begin_phase("rolling dice");
    let outcome = exchange(channel, terms, me, rng);
    if let Err(Error::Check(_)) = outcome {
        channel.abort();
    }
    outcome
}

fn exchange(
    channel: &mut Channel,
    terms: Terms<'_>,
    me: Party,
    rng: &mut impl CryptoRng,
) -> Result<Vec<u32>> {
    let (roll, mine) = Roll::commit(terms, me, rng);
    channel.send_bytes(Tag::Commitment, &mine.0)?;
    let mut theirs = Commitment([0; 32]);
    channel.recv_bytes(Tag::Commitment, &mut theirs.0)?;

    let (revealed, mine) = roll.reveal(theirs)?;
    channel.send_bytes(Tag::Reveal, &to_bytes(&mine))?;
    let mut bytes = Zeroizing::new(vec![0; length(terms.dice)]);
    channel.recv_bytes(Tag::Reveal, &mut bytes)?;
    Ok(revealed.finish(&from_bytes(&bytes))?)
}

/// The size of a reveal in bytes: a nonce, and four bytes for each die.
fn length(dice: Dice) -> usize {
    32 + 4 * dice.count() as usize
}

fn to_bytes(reveal: &Reveal) -> Zeroizing<Vec<u8>> {
    let mut bytes = Zeroizing::new(Vec::with_capacity(32 + 4 * reveal.values.len()));
    bytes.extend_from_slice(&reveal.nonce);
    for value in &reveal.values {
        bytes.extend_from_slice(&value.to_le_bytes());
    }
    bytes
}

fn from_bytes(bytes: &[u8]) -> Reveal {
    let (nonce, values) = bytes
        .split_first_chunk()
        .expect("the buffer is at least as long as a nonce");
    let (values, _) = values.as_chunks::<4>();
    Reveal {
        nonce: *nonce,
        values: values.iter().copied().map(u32::from_le_bytes).collect(),
    }
}
