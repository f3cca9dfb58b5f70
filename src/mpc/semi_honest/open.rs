//! Opening shared bits.
//!
//! To the evaluator: the garbler sends the colour bit of its label for 0, and the evaluator adds
//! that of its own label. To the garbler: the evaluator sends `H(label, tweak)`, of which the
//! garbler accepts only the hashes of its two labels, so that an evaluator cannot send just
//! anything. (This is robustness, not security against a malicious evaluator.)

use subtle::ConstantTimeEq;

use super::{Role, SemiHonest, SharedBit};
use crate::crypto::{Block, TweakDomain};
use crate::mpc::Opening;
use crate::mpc::packed_bits::{recv_bits, send_bits};
use crate::mpc::plan::{Plan, by_opening, opened_to};
use crate::mpc::tag::Tag;
use crate::net::Transport;
use crate::{Check, Error, Result};

/// Opens everything in one exchange. Both say what they mean even if they have nothing to send: two
/// parties that each mean to open to the other, or each to be opened to, would not notice or wait
/// for each other.
pub(super) fn open<T: Transport>(
    session: &mut SemiHonest<T>,
    role: &Role,
    openings: &[Opening<'_, SharedBit>],
) -> Result<Vec<Option<Vec<bool>>>> {
    let me = session.party;
    let plan = Plan::of_openings(&session.session, me, session.openings, openings);
    let theirs = opened_to(openings, me, me.other());
    session.channel.send_message(&plan)?;
    match role {
        Role::Garbler { .. } => {
            let colours = theirs.iter().map(|bit| bit.label.lsb());
            send_bits(&mut session.channel, Tag::OpenedColours, colours)?;
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

    plan.expect(&mut session.channel)?;
    let mine = opened_to(openings, me, me);
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
                        Err(Error::Check(Check::OpeningHash))
                    }
                })
                .collect::<Result<_>>()?
        }
        Role::Evaluator { .. } => {
            let colours = recv_bits(&mut session.channel, Tag::OpenedColours, mine.len())?;
            mine.iter()
                .zip(colours)
                .map(|(bit, colour)| bit.label.lsb() ^ colour)
                .collect()
        }
    };
    Ok(by_opening(openings, values))
}

impl<T: Transport> SemiHonest<T> {
    fn opening_tweak(&self, index: usize) -> Block {
        TweakDomain::Opening.tweak(self.openings, index as u64)
    }
}
