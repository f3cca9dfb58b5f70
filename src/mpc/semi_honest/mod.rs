//! Security against a semi-honest peer: the half gates of Zahur, Rosulek and Evans, "Two Halves
//! Make a Whole" (EUROCRYPT 2015), with free XOR and free NOT; the evaluator's inputs by
//! correlated OT with the garbler's Delta.
//!
//! A shared bit is a wire: the garbler holds its label `L0` for 0, the evaluator the label
//! `L = L0 ^ value * Delta`. The colour bits of the two are a sharing of the value, because
//! Delta's colour bit is 1.

mod half_gates;
mod inputs;
mod open;
#[cfg(test)]
mod tests;

pub use half_gates::{evaluate, garble};

use rand::CryptoRng;
use zeroize::{Zeroize, ZeroizeOnDrop};

use self::inputs::{EvaluatorCots, GarblerCots};
use super::plan::{BitId, Identified, Plan, check_origin, share_outputs};
use super::tables::{TableReader, TableWriter};
use super::{Handshake, Input, Opening, Security, TwoParty, check_inputs};
use crate::circuit::{Circuit, Output, Party};
use crate::crypto::{Block, Generator, SecretVec, SessionId, TweakableHash};
use crate::mpc::tag::Tag;
use crate::net::{Channel, Traffic, Transport};
use crate::ot::Delta;
use crate::{Error, Result};

/// One party's half of a shared bit: its label of the wire.
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
pub struct SharedBit {
    #[zeroize(skip)]
    id: BitId,
    label: Block,
}

/// A session that is secure against a semi-honest peer.
pub struct SemiHonest<T: Transport> {
    channel: Channel<T>,
    session: SessionId,
    party: Party,
    hash: TweakableHash,
    /// How many circuits have been run, and how many exchanges of openings made.
    runs: u64,
    openings: u64,
    /// The secrets; gone once the session has failed.
    role: Option<Role>,
}

/// What each party keeps between runs.
enum Role {
    Garbler {
        cots: GarblerCots,
        labels: Box<Generator>,
    },
    Evaluator {
        cots: EvaluatorCots,
    },
}

impl Identified for SharedBit {
    fn id(&self) -> BitId {
        self.id
    }
}

impl<T: Transport> SemiHonest<T> {
    /// Sets up the base OTs, after a handshake. One setup serves for any number of circuits.
    ///
    /// `rng` must be cryptographically secure, as the operating system's is.
    ///
    /// # Errors
    /// [`Error::Usage`] if the handshake was for other security; any other [`Error`] of a session.
    pub fn setup(
        mut channel: Channel<T>,
        handshake: &Handshake,
        rng: &mut impl CryptoRng,
    ) -> Result<Self> {
        if handshake.security != Security::SemiHonest {
            return Err(Error::usage(
                "the handshake was not for a semi-honest session",
            ));
        }
        channel.begin_phase("setting up oblivious transfer");
        let (session, party) = (handshake.session, handshake.party);
        let role = match party {
            Party::Garbler => {
                let delta = Delta::random(true, rng);
                GarblerCots::setup(&mut channel, &session, delta, rng).map(|cots| Role::Garbler {
                    cots,
                    labels: Box::new(Generator::new(Block::random(rng))),
                })
            }
            Party::Evaluator => EvaluatorCots::setup(&mut channel, &session, rng)
                .map(|cots| Role::Evaluator { cots }),
        };
        let role = role.inspect_err(|_| channel.abort())?;
        Ok(SemiHonest {
            channel,
            session,
            party,
            hash: TweakableHash::new(&session),
            runs: 0,
            openings: 0,
            role: Some(role),
        })
    }

    /// Sets up a session from scratch: handshake without terms, then base OTs.
    ///
    /// # Errors
    /// Any [`Error`] of a session.
    pub fn new(mut channel: Channel<T>, party: Party, rng: &mut impl CryptoRng) -> Result<Self> {
        let handshake = Handshake::perform(&mut channel, party, Security::SemiHonest, &[], rng)?;
        Self::setup(channel, &handshake, rng)
    }

    /// Does `step` with the session's secrets, and ends the session if it fails.
    fn guarded<R>(&mut self, step: impl FnOnce(&mut Self, &mut Role) -> Result<R>) -> Result<R> {
        let mut role = self.role.take().ok_or(Error::Failed)?;
        let outcome = step(self, &mut role);
        match &outcome {
            Ok(_) | Err(Error::Usage(_)) => self.role = Some(role),
            Err(_) => self.channel.abort(),
        }
        outcome
    }

    fn run_garbler(
        &mut self,
        circuit: &Circuit,
        inputs: &[Input<'_, SharedBit>],
        cots: &mut GarblerCots,
        generator: &mut Generator,
    ) -> Result<Vec<Vec<SharedBit>>> {
        let plan = Plan::of_run(&self.session, self.party, self.runs, circuit, inputs);
        let theirs = count_bits(circuit, inputs, |input| matches!(input, Input::Peer));
        cots.reserve(&mut self.channel, theirs)?;
        plan.expect(&mut self.channel)?;
        let evaluator_labels = cots.receive_inputs(&mut self.channel, theirs)?;
        let mut evaluator_labels = evaluator_labels.iter().copied();

        let delta = cots.delta();
        let mut labels = SecretVec::zeros(circuit.wires());
        let mut active = Vec::new();
        let mut wire = 0;
        for (input, &bits) in inputs.iter().zip(circuit.inputs()) {
            let slots = &mut labels[wire..wire + bits];
            match input {
                Input::Mine(values) => {
                    generator.fill(slots);
                    active.extend(
                        slots
                            .iter()
                            .zip(*values)
                            .map(|(zero, value)| *zero ^ delta.select(*value)),
                    );
                }
                Input::Peer => slots.fill_with(|| evaluator_labels.next().unwrap_or_default()),
                Input::Shared(shared) => {
                    for (slot, bit) in slots.iter_mut().zip(*shared) {
                        *slot = bit.label;
                    }
                }
            }
            wire += bits;
        }
        let channel = &mut self.channel;
        channel.send_message(&plan)?;
        channel.send_bytes(Tag::InputLabels, bytemuck::cast_slice(&active))?;

        let mut tables = TableWriter::new(channel);
        garble(
            circuit,
            &mut labels,
            delta,
            &self.hash,
            self.runs,
            |table| tables.push(bytemuck::cast::<_, [u8; 32]>(table)),
        )?;
        tables.finish()?;
        Ok(self.outputs(circuit, &labels, |constant| delta.select(constant)))
    }

    fn run_evaluator(
        &mut self,
        circuit: &Circuit,
        inputs: &[Input<'_, SharedBit>],
        cots: &mut EvaluatorCots,
    ) -> Result<Vec<Vec<SharedBit>>> {
        let plan = Plan::of_run(&self.session, self.party, self.runs, circuit, inputs);
        // Room for all at once: a vector that grows leaves copies behind that nobody wipes.
        let count = count_bits(circuit, inputs, |input| matches!(input, Input::Mine(_)));
        let mut mine = SecretVec::with_capacity(count);
        for input in inputs {
            if let Input::Mine(values) = input {
                mine.extend_from_slice(values);
            }
        }
        cots.reserve(&mut self.channel, mine.len())?;
        self.channel.send_message(&plan)?;
        let own_labels = cots.send_inputs(&mut self.channel, &mine)?;
        let mut own_labels = own_labels.iter().copied();
        self.channel.flush()?;

        plan.expect(&mut self.channel)?;
        let theirs = count_bits(circuit, inputs, |input| matches!(input, Input::Peer));
        let mut active = SecretVec::zeros(theirs);
        self.channel
            .recv_bytes(Tag::InputLabels, bytemuck::cast_slice_mut(&mut active))?;
        let mut active = active.iter().copied();
        let mut labels = SecretVec::zeros(circuit.wires());
        let mut wire = 0;
        for (input, &bits) in inputs.iter().zip(circuit.inputs()) {
            let slots = &mut labels[wire..wire + bits];
            match input {
                Input::Mine(_) => slots.fill_with(|| own_labels.next().unwrap_or_default()),
                Input::Peer => slots.fill_with(|| active.next().unwrap_or_default()),
                Input::Shared(shared) => {
                    for (slot, bit) in slots.iter_mut().zip(*shared) {
                        *slot = bit.label;
                    }
                }
            }
            wire += bits;
        }

        let mut tables = TableReader::new(&mut self.channel, circuit.ands());
        evaluate(circuit, &mut labels, &self.hash, self.runs, || {
            tables.next().map(bytemuck::cast::<[u8; 32], _>)
        })?;
        Ok(self.outputs(circuit, &labels, |_| Block::ZERO))
    }

    /// The output wires as shared bits. A constant is shared as a wire whose label at the
    /// evaluator is zero.
    fn outputs(
        &self,
        circuit: &Circuit,
        labels: &[Block],
        constant: impl Fn(bool) -> Block,
    ) -> Vec<Vec<SharedBit>> {
        share_outputs(&self.session, self.runs, circuit, |id, output| SharedBit {
            id,
            label: match output {
                Output::Const(value) => constant(value),
                Output::Wire(wire) => labels[wire.index()],
            },
        })
    }
}

impl<T: Transport> TwoParty for SemiHonest<T> {
    type Shared = SharedBit;

    fn party(&self) -> Party {
        self.party
    }

    fn security(&self) -> Security {
        Security::SemiHonest
    }

    /// There is nothing to make ahead but correlated OTs, which are made by the thousand anyway.
    fn prepare(&mut self, _: usize, _: [usize; 2]) -> Result<()> {
        match self.role {
            Some(_) => Ok(()),
            None => Err(Error::Failed),
        }
    }

    fn run(
        &mut self,
        circuit: &Circuit,
        inputs: &[Input<'_, SharedBit>],
    ) -> Result<Vec<Vec<SharedBit>>> {
        check_inputs(&self.session, circuit, inputs)?;
        self.guarded(|session, role| {
            session.channel.begin_phase("running a circuit");
            let outputs = match role {
                Role::Garbler { cots, labels } => {
                    session.run_garbler(circuit, inputs, cots, labels)
                }
                Role::Evaluator { cots } => session.run_evaluator(circuit, inputs, cots),
            }?;
            session.runs += 1;
            Ok(outputs)
        })
    }

    fn open(&mut self, openings: &[Opening<'_, SharedBit>]) -> Result<Vec<Option<Vec<bool>>>> {
        for opening in openings {
            check_origin(&self.session, opening.bits)?;
        }
        self.guarded(|session, role| {
            session.channel.begin_phase("opening shared bits");
            let opened = open::open(session, role, openings)?;
            session.openings += 1;
            Ok(opened)
        })
    }

    fn abort(&mut self) {
        self.role = None;
        self.channel.abort();
    }

    fn traffic(&self) -> Traffic {
        self.channel.traffic()
    }
}

/// How many bits the inputs have that satisfy `which`.
fn count_bits(
    circuit: &Circuit,
    inputs: &[Input<'_, SharedBit>],
    which: impl Fn(&Input<'_, SharedBit>) -> bool,
) -> usize {
    inputs
        .iter()
        .zip(circuit.inputs())
        .filter(|(input, _)| which(input))
        .map(|(_, bits)| bits)
        .sum()
}
