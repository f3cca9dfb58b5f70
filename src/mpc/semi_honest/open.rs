//! Opening shared bits.
//!
//! To the evaluator: the garbler sends `H(L0, t)` and `H(L1, t)` of the wire's labels for 0 and 1,
//! and the evaluator looks which is the hash of its own. To the garbler: the evaluator sends
//! `H(L, t)`, and the garbler looks which of its two labels that is. A party accepts nothing else:
//! neither a peer nor the line can make it take just any bit, and what went wrong on the way to the
//! labels shows here. (This is robustness, not security against a malicious peer.)

use subtle::ConstantTimeEq;

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

/// Opens everything in one exchange. Both say what they mean even if they have nothing to send: two
/// parties that each mean to open to the other, or each to be opened to, would not notice or wait
/// for each other.
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
    let (me, line) = (secrets.role.party(), &hashes.context.line);
    plan.send(channel, me, line)?;
    match &secrets.role {
        Role::Garbler { cots, .. } => {
            let pairs: Vec<[Block; 2]> = (opened_to(openings, Party::Evaluator).enumerate())
                .map(|(i, bit)| {
                    let label = |value| bit.label.zero().active(value, cots.delta());
                    [false, true].map(|value| hashes.of(label(value), Party::Evaluator, i))
                })
                .collect();
            channel.send_bytes(Tag::OpenedPairs, bytemuck::cast_slice(&pairs))?;
        }
        Role::Evaluator { .. } => {
            let hashes: Vec<Block> = (opened_to(openings, Party::Garbler).enumerate())
                .map(|(i, bit)| hashes.of(bit.label.active(), Party::Garbler, i))
                .collect();
            channel.send_bytes(Tag::OpenedHashes, bytemuck::cast_slice(&hashes))?;
        }
    }
    channel.flush()?;

    plan.expect(channel, me, line)?;
    let values = match &secrets.role {
        Role::Garbler { cots, .. } => {
            let mine = opened_to(openings, Party::Garbler);
            let mut received = vec![Block::ZERO; mine.clone().count()];
            channel.recv_bytes(Tag::OpenedHashes, bytemuck::cast_slice_mut(&mut received))?;
            let values: Result<Vec<bool>, Fault> = (mine.zip(&received).enumerate())
                .map(|(i, (bit, received))| {
                    let label = |value| bit.label.zero().active(value, cots.delta());
                    let hash = |value| hashes.of(label(value), Party::Garbler, i);
                    which([false, true].map(hash), received)
                })
                .collect();
            values?
        }
        Role::Evaluator { .. } => {
            let mine = opened_to(openings, Party::Evaluator);
            let mut received = vec![[Block::ZERO; 2]; mine.clone().count()];
            channel.recv_bytes(Tag::OpenedPairs, bytemuck::cast_slice_mut(&mut received))?;
            let values: Result<Vec<bool>, Fault> = (mine.zip(&received).enumerate())
                .map(|(i, (bit, pair))| {
                    which(*pair, &hashes.of(bit.label.active(), Party::Evaluator, i))
                })
                .collect();
            values?
        }
    };
    Ok(Opened::new(openings, me, values))
}

/// Which of two hashes a third one is.
///
/// # Errors
/// [`Check::OpeningHash`] if it is neither, or both.
fn which([zero, one]: [Block; 2], hash: &Block) -> Result<bool, Fault> {
    let (zero, one) = (zero.ct_eq(hash), one.ct_eq(hash));
    match bool::from(zero ^ one) {
        true => Ok(bool::from(one)),
        false => Err(Check::OpeningHash.into()),
    }
}

/// The hashes of one exchange.
struct Hashes<'a> {
    context: &'a Context,
    opening: u64,
}

impl Hashes<'_> {
    /// `H(label, t)` of bit `index` among those that `learner` learns.
    fn of(&self, label: ActiveLabel, learner: Party, index: usize) -> Block {
        let tweak = TweakDomain::Opening.tweak(self.opening, 2 * index as u64 + learner as u64);
        self.context.hash.hash(label.0, tweak)
    }
}
