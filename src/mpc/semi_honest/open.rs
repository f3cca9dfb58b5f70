//! Opening shared bits.
//!
//! To open a bit to the evaluator, the garbler sends `H(L0, t0)` and `H(L1, t1)` of the wire's
//! labels for 0 and 1, and the evaluator finds which is the hash of its own label. To open a bit to
//! the garbler, the evaluator sends `H(L, t)`, and the garbler finds which of its two labels that
//! is. A party accepts no other hash. So a peer or a network attacker cannot make it accept a bit
//! of their choice, and labels that were corrupted earlier are noticed. (This is robustness, not
//! security against a malicious peer.)

use subtle::{Choice, ConstantTimeEq};

use super::{Context, Role, Secrets, SharedBit};
use crate::circuit::Party;
use crate::crypto::{Block, TweakDomain};
use crate::mpc::error::{Check, Fault};
use crate::mpc::label::ActiveLabel;
use crate::mpc::plan::Plan;
use crate::mpc::tag::Tag;
use crate::mpc::values::opened_to;
use crate::mpc::{Opened, Opening};
use crate::net::{Channel, Transport};

/// Opens all bits in one exchange. A party sends its plan even if it has no hash to send. Otherwise
/// two parties that both expect to learn a bit would wait for each other, and two that both expect
/// to open one would not notice.
pub(super) fn open<T: Transport>(
    secrets: &mut Secrets,
    channel: &mut Channel<T>,
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
            (mine.zip(&received).enumerate())
                .map(|(i, (bit, received))| {
                    let label = |value| bit.label.zero().active(value, cots.delta());
                    let fits = |value| hashes.to_garbler(label(value), i).ct_eq(received);
                    which([false, true].map(fits))
                })
                .collect::<Result<Vec<bool>, Fault>>()?
        }
        Role::Evaluator { .. } => {
            let mine = opened_to(openings, Party::Evaluator);
            let mut received = vec![[Block::ZERO; 2]; mine.clone().count()];
            channel.recv_bytes(Tag::OpenedPairs, bytemuck::cast_slice_mut(&mut received))?;
            (mine.zip(&received).enumerate())
                .map(|(i, (bit, [zero, one]))| {
                    let hash = |value| hashes.to_evaluator(bit.label.active(), i, value);
                    which([hash(false).ct_eq(zero), hash(true).ct_eq(one)])
                })
                .collect::<Result<Vec<bool>, Fault>>()?
        }
    };
    Ok(Opened::new(openings, me, values))
}

/// The opened bit, from whether the hash for 0 fits and whether the hash for 1 fits.
///
/// # Errors
/// [`Check::OpeningHash`] if neither fits, or both do.
fn which([zero, one]: [Choice; 2]) -> Result<bool, Fault> {
    match bool::from(zero ^ one) {
        true => Ok(bool::from(one)),
        false => Err(Check::OpeningHash.into()),
    }
}

/// Hashes for one exchange of openings.
struct Hashes<'a> {
    context: &'a Context,
    opening: u64,
}

impl Hashes<'_> {
    /// The hash that opens bit `index` of those that the garbler learns.
    fn to_garbler(&self, label: ActiveLabel, index: usize) -> Block {
        self.hash(label, 4 * index as u64)
    }

    /// The hash that opens bit `index` of those that the evaluator learns, if its value is `value`.
    /// The value is in the tweak: otherwise a network attacker could swap the two hashes of a pair.
    fn to_evaluator(&self, label: ActiveLabel, index: usize, value: bool) -> Block {
        self.hash(label, 4 * index as u64 + 2 + u64::from(value))
    }

    fn hash(&self, label: ActiveLabel, index: u64) -> Block {
        let tweak = TweakDomain::Opening.tweak(self.opening, index);
        self.context.hash.hash(label.0, tweak)
    }
}
