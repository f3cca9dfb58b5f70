//! Opening shared bits.
//!
//! To open a bit to the evaluator, the garbler sends `H(L0, t0)` and `H(L1, t1)` of the wire's
//! labels for 0 and 1, and the evaluator determines which of them is the hash of its own label. To
//! open a bit to the garbler, the evaluator sends `H(L, t)`, and the garbler determines to which of
//! its two labels the hash belongs. A party rejects any other hash. So a network attacker cannot
//! choose the bit that a party accepts, and labels that were corrupted earlier are detected. (This
//! is robustness, not security against a malicious peer: a malicious garbler can hash the other
//! label.)
//!
//! The evaluator checks only one hash of each pair. If an attacker on the connection could change
//! the other hash undetected, the attacker would learn the bit from whether the session continues.
//! So the garbler also sends a digest of all pairs and of the channel secret, and the evaluator
//! checks it first. Both engines do the same for other data if a party checks only half of that
//! data.

use serde::{Deserialize, Serialize};
use subtle::{Choice, ConstantTimeEq};
use zeroize::Zeroizing;

use super::{Context, Role, Secrets, SharedBit};
use crate::circuit::Party;
use crate::crypto::{Block, Oracle, Step, TweakDomain};
use crate::mpc::error::{Check, Fault};
use crate::mpc::label::ActiveLabel;
use crate::mpc::plan::Plan;
use crate::mpc::tag::Tag;
use crate::mpc::values::opened_to;
use crate::mpc::{Opened, Opening};
use crate::net::{self, Channel, Message};

/// The digest of the pairs of hashes in the previous message.
#[derive(Serialize, Deserialize)]
struct PairsDigest([u8; 32]);

impl Message for PairsDigest {
    const TAG: net::Tag = Tag::PairsDigest.tag();
    const MAX_BYTES: usize = 32;
}

/// Opens all bits in one exchange. A party sends its plan even if it has no hash to send. Otherwise
/// two parties that both expect to learn a bit would wait for each other, and two parties that both
/// expect to open a bit to the peer would not detect the disagreement.
pub(super) fn open(
    secrets: &mut Secrets,
    channel: &mut Channel,
    openings: &[Opening<'_, SharedBit>],
) -> Result<Opened, Fault> {
    let hashes = Hashes {
        context: &secrets.context,
        opening: secrets.openings,
    };
    secrets.openings += 1;
    let plan = Plan::of_openings(&hashes.context.session, hashes.opening, openings);
    let (me, secret) = (secrets.role.party(), &hashes.context.channel_secret);
    plan.send(channel, me, secret)?;
    match &secrets.role {
        Role::Garbler { cots, .. } => {
            let pairs: Vec<[Block; 2]> = (opened_to(openings, Party::Evaluator).enumerate())
                .map(|(i, bit)| {
                    let label = |value| bit.label.zero().active(value, cots.delta());
                    [false, true].map(|value| hashes.to_evaluator(label(value), i, value))
                })
                .collect();
            channel.send_bytes(Tag::OpenedPairs, bytemuck::cast_slice(&pairs))?;
            channel.send_message(&hashes.digest(&pairs))?;
        }
        Role::Evaluator { .. } => {
            let hashes: Vec<Block> = (opened_to(openings, Party::Garbler).enumerate())
                .map(|(i, bit)| hashes.to_garbler(bit.label.active(), i))
                .collect();
            channel.send_bytes(Tag::OpenedHashes, bytemuck::cast_slice(&hashes))?;
        }
    }
    channel.flush()?;

    plan.expect(channel, me, secret)?;
    let values = match &secrets.role {
        Role::Garbler { cots, .. } => {
            let mine = opened_to(openings, Party::Garbler);
            let mut received = vec![Block::ZERO; mine.clone().count()];
            channel.recv_bytes(Tag::OpenedHashes, bytemuck::cast_slice_mut(&mut received))?;
            all(
                (mine.zip(&received).enumerate()).map(|(i, (bit, received))| {
                    let label = |value| bit.label.zero().active(value, cots.delta());
                    which(
                        [false, true]
                            .map(|value| hashes.to_garbler(label(value), i).ct_eq(received)),
                    )
                }),
            )?
        }
        Role::Evaluator { .. } => {
            let mine = opened_to(openings, Party::Evaluator);
            let mut received = vec![[Block::ZERO; 2]; mine.clone().count()];
            channel.recv_bytes(Tag::OpenedPairs, bytemuck::cast_slice_mut(&mut received))?;
            let digest: PairsDigest = channel.recv_message()?;
            if !bool::from(digest.0.ct_eq(&hashes.digest(&received).0)) {
                return Err(Check::OpenedPairs.into());
            }
            let pairs = mine.zip(&received).enumerate();
            all(pairs.map(|(i, (bit, [zero, one]))| {
                let hash = |value| hashes.to_evaluator(bit.label.active(), i, value);
                which([hash(false).ct_eq(zero), hash(true).ct_eq(one)])
            }))?
        }
    };
    Ok(Opened::new(openings, me, values.iter().copied()))
}

/// Collects the opened bits.
fn all(bits: impl Iterator<Item = Result<bool, Fault>>) -> Result<Zeroizing<Vec<bool>>, Fault> {
    let (_, most) = bits.size_hint();
    // Allocated once, because a vector that grows leaves unwiped copies behind.
    let mut all = Zeroizing::new(Vec::with_capacity(most.unwrap_or(0)));
    for bit in bits {
        all.push(bit?);
    }
    Ok(all)
}

/// Returns the opened bit, given whether the hash for 0 matches and whether the hash for 1 matches.
///
/// # Errors
/// [`Check::OpeningHash`] if neither hash or both hashes match.
fn which([zero, one]: [Choice; 2]) -> Result<bool, Fault> {
    if bool::from(zero ^ one) {
        Ok(bool::from(one))
    } else {
        Err(Check::OpeningHash.into())
    }
}

/// The hashes for one exchange of openings.
struct Hashes<'a> {
    context: &'a Context,
    opening: u64,
}

impl Hashes<'_> {
    /// The hash that opens bit `index` of the bits that the garbler learns.
    fn to_garbler(&self, label: ActiveLabel, index: usize) -> Block {
        self.hash(label, 4 * index as u64)
    }

    /// The hash that opens bit `index` of the bits that the evaluator learns, if its value is
    /// `value`. The value is part of the tweak; otherwise a network attacker could swap the two
    /// hashes of a pair.
    fn to_evaluator(&self, label: ActiveLabel, index: usize, value: bool) -> Block {
        self.hash(label, 4 * index as u64 + 2 + u64::from(value))
    }

    /// The digest of all pairs of the exchange.
    fn digest(&self, pairs: &[[Block; 2]]) -> PairsDigest {
        let oracle = Oracle::new(&self.context.session, Step::OpenedPairs, self.opening);
        let oracle = self.context.channel_secret.absorbed_by(oracle);
        let pairs = oracle.absorb_long(bytemuck::cast_slice(pairs));
        PairsDigest(pairs.digest())
    }

    fn hash(&self, label: ActiveLabel, index: u64) -> Block {
        let tweak = TweakDomain::Opening.tweak(self.opening, index);
        self.context.hash.hash(label.0, tweak)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crypto::{SessionId, TweakableHash};
    use crate::mpc::channel_secret::ChannelSecret;

    #[test]
    fn digest_of_pairs_depends_on_channel_secret_exchange_and_every_hash() {
        let digest = |secret, opening, pairs: &[[Block; 2]]| {
            let session = SessionId([1; 32]);
            let context = Context {
                session,
                hash: TweakableHash::new(&session),
                channel_secret: ChannelSecret::of_bytes([secret; 32]),
            };
            let context = &context;
            Hashes { context, opening }.digest(pairs).0
        };
        let block = |byte| Block::from([byte; 16]);
        let pairs = [[block(1), block(2)], [block(3), block(4)]];
        let mut all = vec![
            digest(1, 0, &pairs),
            digest(2, 0, &pairs),
            digest(1, 1, &pairs),
            digest(1, 0, &pairs[..1]),
        ];
        for hash in 0..4 {
            let mut other = pairs;
            other.as_flattened_mut()[hash] ^= block(9);
            all.push(digest(1, 0, &other));
        }
        for (i, digest) in all.iter().enumerate() {
            assert!(!all[..i].contains(digest), "{i}");
        }
    }
}
