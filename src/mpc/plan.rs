//! Plans: digests of the operation that a party is about to perform (run, open or preprocess). The
//! parties exchange and compare plans to detect disagreements.

use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;

use super::channel_secret::ChannelSecret;
use super::error::{Disagreement, Error, Fault, Result};
use super::tag::Tag;
use super::{Demand, Input, Opening, Run};
use crate::circuit::{Circuit, Output, Party};
use crate::crypto::{Oracle, SessionId, Step};
use crate::net::{self, Channel, Message};

/// The id of a shared bit: its session, the number of the run that created it, and the index of the
/// output bit in that run. Both parties count runs and outputs in the same way, so they assign the
/// same id to the same bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BitId {
    session: [u8; 8],
    run: u64,
    index: u32,
}

/// Returns the outputs of a run as shared bits. `share` creates each bit.
pub(super) fn share_outputs<S>(
    session: &SessionId,
    run: u64,
    circuit: &Circuit,
    mut share: impl FnMut(BitId, Output) -> S,
) -> Vec<S> {
    let session = short(session);
    let outputs = circuit.outputs().iter().flatten();
    // Allocated once, because a vector that grows leaves unwiped copies behind.
    let mut bits = Vec::with_capacity(circuit.output_bits());
    bits.extend(outputs.zip(0..).map(|(output, index)| {
        let id = BitId {
            session,
            run,
            index,
        };
        share(id, *output)
    }));
    bits
}

/// A prefix of the session id, long enough to distinguish the sessions of a process.
fn short(session: &SessionId) -> [u8; 8] {
    let [bytes, ..] = session.0.as_chunks().0 else {
        unreachable!("a session id has 32 bytes")
    };
    *bytes
}

/// A shared bit with an id.
pub(super) trait Identified {
    fn id(&self) -> BitId;
}

/// Checks that shared bits belong to this session. Bits of a different session would give
/// meaningless results.
///
/// # Errors
/// [`Error::Usage`] if a bit belongs to a different session.
pub(super) fn check_origin<S: Identified>(session: &SessionId, bits: &[S]) -> Result<()> {
    if bits.iter().all(|bit| bit.id().session == short(session)) {
        Ok(())
    } else {
        Err(Error::usage("a shared bit belongs to a different session"))
    }
}

/// Checks that the inputs of a run match the circuit, that `me` enters the required number of bits,
/// and that shared inputs belong to this session.
///
/// # Errors
/// [`Error::Usage`] if a check fails.
pub(super) fn check_run<S: Identified>(
    session: &SessionId,
    me: Party,
    run: &Run<'_, S>,
) -> Result<()> {
    let (widths, inputs) = (run.circuit.inputs(), run.inputs);
    if inputs.len() != widths.len() {
        return Err(Error::usage(format!(
            "the circuit has {} input values, but {} were given",
            widths.len(),
            inputs.len()
        )));
    }
    for (number, (input, &bits)) in inputs.iter().zip(widths).enumerate() {
        if let Input::Shared(shared) = *input {
            check_origin(session, shared)?;
            if shared.len() != bits {
                return Err(Error::usage(format!(
                    "input value {number} has {bits} bits, but {} were given",
                    shared.len()
                )));
            }
        }
    }
    match (run.input_bits(me), run.mine.len()) {
        (needed, given) if needed == given => Ok(()),
        (needed, given) => Err(Error::usage(format!(
            "the {me} must enter {needed} bits, but {given} were given"
        ))),
    }
}

/// A digest of the operation that a party is about to perform.
pub(super) struct Plan {
    session: SessionId,
    digest: [u8; 32],
}

/// A plan as sent by one party: hashed with the channel secret and the sender's role. If the plan
/// itself were sent, a network attacker could reflect each party's plan to this party, and parties
/// with different plans would continue.
#[derive(Serialize, Deserialize)]
struct SentPlan([u8; 32]);

impl Message for SentPlan {
    const TAG: net::Tag = Tag::Plan.tag();
    const MAX_BYTES: usize = 32;
}

impl Plan {
    /// The plan of run `number`: the circuit, the party that enters each input, the shared bits
    /// that are inputs, and the caller's context.
    pub(super) fn of_run<S: Identified>(
        session: &SessionId,
        number: u64,
        run: &Run<'_, S>,
    ) -> Self {
        Self::of_slices(session, number, run, 1)
    }

    /// The plan of run `number` in `slices` slices. `slices` is hashed only if it is above 1.
    pub(super) fn of_slices<S: Identified>(
        session: &SessionId,
        number: u64,
        run: &Run<'_, S>,
        slices: usize,
    ) -> Self {
        let mut oracle = Oracle::new(session, Step::RunPlan, number)
            .absorb(&run.circuit.digest())
            .absorb(run.context);
        for input in run.inputs {
            oracle = match input {
                Input::By(Party::Garbler) => oracle.absorb(&[0]),
                Input::By(Party::Evaluator) => oracle.absorb(&[1]),
                Input::Shared(bits) => oracle.absorb(&[2]).absorb(&ids(bits)),
            };
        }
        if slices > 1 {
            oracle = oracle.absorb(&[3]).absorb(&(slices as u64).to_le_bytes());
        }
        Self::new(session, oracle)
    }

    /// The plan of batch `number` of the preprocessing: each number of the demand, and the number
    /// of bits of statistical security.
    pub(super) fn of_batch(
        session: &SessionId,
        number: u64,
        demand: &Demand,
        statistical: u8,
    ) -> Self {
        let amounts = [
            demand.ands,
            demand.inputs.garbler,
            demand.inputs.evaluator,
            demand.proofs.garbler,
            demand.proofs.evaluator,
            demand.outputs,
        ];
        let bytes = amounts.map(|amount| (amount as u64).to_le_bytes());
        let oracle = Oracle::new(session, Step::BatchPlan, number);
        let oracle = oracle.absorb(bytes.as_flattened());
        Self::new(session, oracle.absorb(&[statistical]))
    }

    /// The plan of exchange `number` of openings: the bits to open, and the parties that learn
    /// them.
    pub(super) fn of_openings<S: Identified>(
        session: &SessionId,
        number: u64,
        openings: &[Opening<'_, S>],
    ) -> Self {
        let mut oracle = Oracle::new(session, Step::OpeningPlan, number);
        for opening in openings {
            let learns = Party::BOTH.map(|party| u8::from(opening.to.includes(party)));
            oracle = oracle.absorb(&learns).absorb(&ids(opening.bits));
        }
        Self::new(session, oracle)
    }

    fn new(session: &SessionId, oracle: Oracle) -> Self {
        Plan {
            session: *session,
            digest: oracle.digest(),
        }
    }

    /// The digest, for values that are bound to the plan.
    pub(super) fn digest(&self) -> &[u8; 32] {
        &self.digest
    }

    fn sent_by(&self, sender: Party, secret: &ChannelSecret) -> SentPlan {
        let oracle = Oracle::new(&self.session, Step::SentPlan, sender as u64);
        SentPlan(secret.absorbed_by(oracle).absorb(&self.digest).digest())
    }

    /// Sends the plan of `me`.
    ///
    /// # Errors
    /// Any error of the channel.
    pub(super) fn send(
        &self,
        channel: &mut Channel,
        me: Party,
        secret: &ChannelSecret,
    ) -> net::Result<()> {
        channel.send_message(&self.sent_by(me, secret))
    }

    /// The number of bytes of a plan on the wire.
    pub(super) fn sent_bytes() -> u64 {
        net::message_bytes::<SentPlan>()
    }

    /// Receives the plan of the peer of `me`, and compares it with this one.
    ///
    /// # Errors
    /// [`Disagreement::Plan`] if the plans differ; any error of the channel.
    pub(super) fn expect(
        &self,
        channel: &mut Channel,
        me: Party,
        secret: &ChannelSecret,
    ) -> Result<(), Fault> {
        let theirs: SentPlan = channel.recv_message()?;
        if bool::from(theirs.0.ct_eq(&self.sent_by(me.other(), secret).0)) {
            Ok(())
        } else {
            Err(Fault::Disagreement(Disagreement::Plan))
        }
    }
}

/// The ids of shared bits, as bytes.
fn ids<S: Identified>(bits: &[S]) -> Vec<u8> {
    bits.iter()
        .flat_map(|bit| {
            let BitId { run, index, .. } = bit.id();
            run.to_le_bytes().into_iter().chain(index.to_le_bytes())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuit::Builder;
    use crate::mpc::Audience;

    const SESSION: SessionId = SessionId([1; 32]);

    #[derive(Clone, Copy)]
    struct Named(BitId);

    impl Identified for Named {
        fn id(&self) -> BitId {
            self.0
        }
    }

    fn bit(run: u64, index: u32) -> Named {
        Named(BitId {
            session: short(&SESSION),
            run,
            index,
        })
    }

    fn assert_all_differ(plans: &[Plan]) {
        for (i, plan) in plans.iter().enumerate() {
            assert!(
                plans[..i].iter().all(|other| other.digest != plan.digest),
                "{i}"
            );
        }
    }

    #[test]
    fn sent_plan_depends_on_sender_and_channel_secret() {
        let plan = Plan::of_batch(&SESSION, 0, &Demand::default(), 50);
        let sent = |sender, secret| {
            plan.sent_by(sender, &ChannelSecret::of_bytes([secret; 32]))
                .0
        };
        let all = [
            sent(Party::Garbler, 1),
            sent(Party::Evaluator, 1),
            sent(Party::Garbler, 2),
            plan.digest,
        ];
        for (i, sent) in all.iter().enumerate() {
            assert!(!all[..i].contains(sent), "{i}");
        }
    }

    #[test]
    fn plan_of_a_run_covers_number_circuit_owners_shared_bits_and_context() {
        let circuit = Builder::new(&[1, 1]).build(vec![]);
        let other = Builder::new(&[1, 1]).build(vec![vec![]]);
        let (a, b) = (Input::By(Party::Garbler), Input::By(Party::Evaluator));
        let shared = [bit(0, 0), bit(1, 0), bit(0, 1)];
        let plan = |number, circuit, inputs: &[Input<'_, Named>], context: &[u8]| {
            let run = Run::new(circuit, inputs, &[]).in_context(context);
            Plan::of_run(&SESSION, number, &run)
        };
        let of_shared =
            |bit: usize| plan(0, &circuit, &[a, Input::Shared(&shared[bit..=bit])], b"");
        assert_all_differ(&[
            plan(0, &circuit, &[a, b], b""),
            plan(1, &circuit, &[a, b], b""),
            plan(0, &other, &[a, b], b""),
            plan(0, &circuit, &[b, a], b""),
            plan(0, &circuit, &[a, a], b""),
            plan(0, &circuit, &[a, b], b"context"),
            of_shared(0),
            of_shared(1),
            of_shared(2),
        ]);
    }

    #[test]
    fn plan_of_openings_covers_number_bits_and_audience() {
        let bits = [bit(0, 0), bit(1, 0), bit(0, 1)];
        let plan = |number, to, range: std::ops::Range<usize>| {
            let bits = &bits[range];
            Plan::of_openings(&SESSION, number, &[Opening { to, bits }])
        };
        assert_all_differ(&[
            plan(0, Audience::Both, 0..1),
            plan(1, Audience::Both, 0..1),
            plan(0, Audience::Only(Party::Garbler), 0..1),
            plan(0, Audience::Only(Party::Evaluator), 0..1),
            plan(0, Audience::Both, 1..2),
            plan(0, Audience::Both, 2..3),
            plan(0, Audience::Both, 0..2),
            plan(0, Audience::Both, 0..0),
        ]);
    }

    #[test]
    fn plan_of_a_batch_covers_number_amounts_and_statistical_security() {
        let demand = |ands, garbler, evaluator, outputs| Demand {
            ands,
            inputs: crate::circuit::ByParty { garbler, evaluator },
            proofs: crate::circuit::ByParty::default(),
            outputs,
        };
        let plan = |number, demand| Plan::of_batch(&SESSION, number, &demand, 50);
        assert_all_differ(&[
            Plan::of_batch(&SESSION, 0, &demand(1, 2, 3, 4), 51),
            plan(0, demand(1, 2, 3, 4)),
            plan(1, demand(1, 2, 3, 4)),
            plan(0, demand(2, 2, 3, 4)),
            plan(0, demand(1, 3, 2, 4)),
            plan(0, demand(1, 2, 4, 3)),
        ]);
    }
}
