//! Opening shared bits.
//!
//! To the evaluator: the garbler sends the colour bit of its label for 0, and the evaluator adds
//! that of its own label. To the garbler: the evaluator sends `H(label, tweak)`, of which the
//! garbler accepts only the hashes of its two labels, so that an evaluator cannot send just
//! anything. (This is robustness, not security against a malicious evaluator.)

use subtle::ConstantTimeEq;

use super::inputs::{pack, unpack};
use super::{Plan, Role, SemiHonest, SharedBit, hash_id};
use crate::circuit::Party;
use crate::crypto::{Block, TweakDomain};
use crate::mpc::Opening;
use crate::net::{Tag, Transport};
use crate::{Error, Result};

/// Opens everything in one exchange. Both say what they mean even if they have nothing to send: two
/// parties that each mean to open to the other, or each to be opened to, would not notice or wait
/// for each other.
pub(super) fn open<T: Transport>(
    session: &mut SemiHonest<T>,
    role: &Role,
    openings: &[Opening<'_, SharedBit>],
) -> Result<Vec<Option<Vec<bool>>>> {
    let me = session.party;
    let plan = plan(session, openings);
    let theirs = selected(openings, me, me.other());
    session.channel.send_message(&plan)?;
    match role {
        Role::Garbler { .. } => {
            let colours = pack(theirs.iter().map(|bit| bit.label.lsb()));
            session.channel.send_bytes(Tag::OpenedColours, &colours)?;
        }
        Role::Evaluator { .. } => {
            let hashes: Vec<Block> = theirs
                .iter()
                .enumerate()
                .map(|(i, bit)| session.hash.hash(bit.label, session.opening_tweak(i)))
                .collect();
            session
                .channel
                .send_bytes(Tag::OpenedHashes, bytemuck::cast_slice(&hashes))?;
        }
    }
    session.channel.flush()?;

    session.expect_plan(&plan)?;
    let mine = selected(openings, me, me);
    let values: Vec<bool> = match role {
        Role::Garbler { cots, .. } => {
            let mut hashes = vec![Block::ZERO; mine.len()];
            session
                .channel
                .recv_bytes(Tag::OpenedHashes, bytemuck::cast_slice_mut(&mut hashes))?;
            let delta = cots.delta().block();
            let hash_of = |label, i| session.hash.hash(label, session.opening_tweak(i));
            mine.iter()
                .zip(&hashes)
                .enumerate()
                .map(|(i, (bit, received))| {
                    let zero = hash_of(bit.label, i).ct_eq(received);
                    let one = hash_of(bit.label ^ delta, i).ct_eq(received);
                    if bool::from(zero ^ one) {
                        Ok(bool::from(one))
                    } else {
                        Err(Error::protocol("opening: the hash of neither label"))
                    }
                })
                .collect::<Result<_>>()?
        }
        Role::Evaluator { .. } => {
            let mut colours = vec![0; mine.len().div_ceil(8)];
            session
                .channel
                .recv_bytes(Tag::OpenedColours, &mut colours)?;
            mine.iter()
                .zip(unpack(&colours))
                .map(|(bit, colour)| bit.label.lsb() ^ colour)
                .collect()
        }
    };
    let mut values = values.into_iter();
    Ok(openings
        .iter()
        .map(|opening| {
            opening
                .to
                .includes(me, me)
                .then(|| values.by_ref().take(opening.bits.len()).collect())
        })
        .collect())
}

impl<T: Transport> SemiHonest<T> {
    fn opening_tweak(&self, index: usize) -> Block {
        TweakDomain::Opening.tweak(self.openings, index as u64)
    }
}

/// All bits that `party` learns, `me` being the party that speaks.
fn selected<'a>(
    openings: &[Opening<'a, SharedBit>],
    me: Party,
    party: Party,
) -> Vec<&'a SharedBit> {
    openings
        .iter()
        .filter(|opening| opening.to.includes(me, party))
        .flat_map(|opening| opening.bits)
        .collect()
}

/// The digest of which bits are opened to whom.
fn plan<T: Transport>(session: &SemiHonest<T>, openings: &[Opening<'_, SharedBit>]) -> Plan {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&session.session.0);
    hasher.update(b"open");
    hasher.update(&session.openings.to_le_bytes());
    for opening in openings {
        let learns = |party| u8::from(opening.to.includes(session.party, party));
        hasher.update(&[learns(Party::Garbler), learns(Party::Evaluator)]);
        hasher.update(&(opening.bits.len() as u64).to_le_bytes());
        for bit in opening.bits {
            hash_id(&mut hasher, bit);
        }
    }
    Plan {
        digest: *hasher.finalize().as_bytes(),
    }
}
