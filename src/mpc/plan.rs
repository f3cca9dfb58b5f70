//! What both parties say before a run, an exchange of openings or a batch of the preprocessing, so
//! that they notice if they do not mean the same.

use serde::{Deserialize, Serialize};

use super::{Input, Opening, To};
use crate::circuit::{Circuit, Output, Party};
use crate::crypto::SessionId;
use crate::mpc::tag::Tag;
use crate::net::{self, Channel, Message, Transport};
use crate::{Disagreement, Error, Result};

/// The name of a shared bit: its session, the number of the run that made it, and that of the
/// output bit in that run. Both parties count alike, so they name the same bit alike.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct BitId {
    session: [u8; 8],
    run: u64,
    index: u32,
}

/// The outputs of a run as shared bits, given how one is shared.
pub(super) fn share_outputs<S>(
    session: &SessionId,
    run: u64,
    circuit: &Circuit,
    mut share: impl FnMut(BitId, Output) -> S,
) -> Vec<Vec<S>> {
    let session = short(session);
    let mut names = (0..).map(|index| BitId {
        session,
        run,
        index,
    });
    circuit
        .outputs()
        .iter()
        .map(|word| {
            word.iter()
                .zip(names.by_ref())
                .map(|(output, name)| share(name, *output))
                .collect()
        })
        .collect()
}

/// Enough of a session's id to tell it from the others of this process.
fn short(session: &SessionId) -> [u8; 8] {
    let [bytes, ..] = session.0.as_chunks().0 else {
        unreachable!("a session id has 32 bytes")
    };
    *bytes
}

/// A shared bit has a name.
pub(super) trait Identified {
    fn id(&self) -> BitId;
}

/// Checks that shared bits belong to this session: another's would only give garbage.
///
/// # Errors
/// [`Error::Usage`] if one does not.
pub(super) fn check_origin<'a, S: Identified + 'a>(
    session: &SessionId,
    bits: impl IntoIterator<Item = &'a S>,
) -> Result<()> {
    if bits
        .into_iter()
        .all(|bit| bit.id().session == short(session))
    {
        Ok(())
    } else {
        Err(Error::usage("a shared bit of another session"))
    }
}

/// The digest of what is meant.
#[derive(Serialize, Deserialize, PartialEq, Eq)]
pub(super) struct Plan {
    digest: [u8; 32],
}

impl Message for Plan {
    const TAG: net::Tag = Tag::Plan.tag();
    const MAX_BYTES: usize = 32;
}

impl Plan {
    /// Of run `number`: the circuit, who owns which input, which shared bits go in.
    pub(super) fn of_run<S: Identified>(
        session: &SessionId,
        me: Party,
        number: u64,
        circuit: &Circuit,
        inputs: &[Input<'_, S>],
    ) -> Self {
        let mut hasher = hasher(session, b"run", number);
        hasher.update(&circuit.digest());
        for input in inputs {
            match input {
                Input::Mine(_) => {
                    hasher.update(&[code(me)]);
                }
                Input::Peer => {
                    hasher.update(&[code(me.other())]);
                }
                Input::Shared(bits) => {
                    hasher.update(&[2]);
                    hash_ids(&mut hasher, bits);
                }
            }
        }
        Self::new(&hasher)
    }

    /// Of batch `number` of the preprocessing: how much is made of everything.
    pub(super) fn of_batch(session: &SessionId, number: u64, amounts: [usize; 4]) -> Self {
        let mut hasher = hasher(session, b"batch", number);
        for amount in amounts {
            hasher.update(&(amount as u64).to_le_bytes());
        }
        Self::new(&hasher)
    }

    /// Of exchange `number` of openings: which bits are opened to whom.
    pub(super) fn of_openings<S: Identified>(
        session: &SessionId,
        me: Party,
        number: u64,
        openings: &[Opening<'_, S>],
    ) -> Self {
        let mut hasher = hasher(session, b"open", number);
        for opening in openings {
            let learns = |party| u8::from(opening.to.includes(me, party));
            hasher.update(&[learns(Party::Garbler), learns(Party::Evaluator)]);
            hasher.update(&(opening.bits.len() as u64).to_le_bytes());
            hash_ids(&mut hasher, opening.bits);
        }
        Self::new(&hasher)
    }

    fn new(hasher: &blake3::Hasher) -> Self {
        Plan {
            digest: *hasher.finalize().as_bytes(),
        }
    }

    /// Receives the peer's plan and compares.
    ///
    /// # Errors
    /// [`Error::Disagreement`] if they differ.
    pub(super) fn expect<T: Transport>(&self, channel: &mut Channel<T>) -> Result<()> {
        if channel.recv_message::<Plan>()? == *self {
            Ok(())
        } else {
            Err(Error::Disagreement(Disagreement::Plan))
        }
    }
}

/// All bits that `party` learns, `me` being the party that speaks.
pub(super) fn opened_to<'a, S>(openings: &[Opening<'a, S>], me: Party, party: Party) -> Vec<&'a S> {
    openings
        .iter()
        .filter(|opening| opening.to.includes(me, party))
        .flat_map(|opening| opening.bits)
        .collect()
}

/// Deals the values that this party learned, in order, back to the openings that it learns.
pub(super) fn by_opening<S>(
    openings: &[Opening<'_, S>],
    values: impl IntoIterator<Item = bool>,
) -> Vec<Option<Vec<bool>>> {
    let mut values = values.into_iter();
    openings
        .iter()
        .map(|opening| {
            matches!(opening.to, To::Me | To::Both)
                .then(|| values.by_ref().take(opening.bits.len()).collect())
        })
        .collect()
}

fn hasher(session: &SessionId, what: &[u8], number: u64) -> blake3::Hasher {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&session.0);
    hasher.update(what);
    hasher.update(&number.to_le_bytes());
    hasher
}

fn hash_ids<S: Identified>(hasher: &mut blake3::Hasher, bits: &[S]) {
    for bit in bits {
        let id = bit.id();
        hasher.update(&id.run.to_le_bytes());
        hasher.update(&id.index.to_le_bytes());
    }
}

fn code(owner: Party) -> u8 {
    match owner {
        Party::Garbler => 0,
        Party::Evaluator => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuit::Builder;

    #[derive(Clone, Copy)]
    struct Named(BitId);

    impl Identified for Named {
        fn id(&self) -> BitId {
            self.0
        }
    }

    /// The name of a shared bit is twelve bytes, and an input that somebody enters is one: so that
    /// twelve of these, which may have no bits, are not taken for a shared bit.
    #[test]
    fn inputs_that_somebody_enters_are_not_mistaken_for_a_shared_bit() {
        let session = SessionId([1; 32]);
        let mut widths = [0; 13];
        widths[0] = 1;
        let circuit = Builder::new(&widths).build(vec![]);
        let digest = |inputs: &[Input<'_, Named>]| {
            Plan::of_run(&session, Party::Garbler, 0, &circuit, inputs).digest
        };
        let name = BitId {
            session: short(&session),
            run: 0,
            index: 0,
        };
        let bits = [Named(name)];
        let mut shared = [Input::Shared(&[][..]); 13];
        shared[0] = Input::Shared(&bits);
        let mut entered = [Input::Mine(&[][..]); 13];
        entered[0] = Input::Mine(&[true]);
        entered[12] = Input::Shared(&[]);
        assert_ne!(digest(&shared), digest(&entered));
    }
}
