//! A run of a circuit, from a filled pool to checked outputs. Its four flights are:
//!
//! ```text
//! 1  both       plan; shares of e, f of all joint gates and of d of all outputs; digest of MACs
//!    evaluator  masked values of what it enters; the proof of its products
//! 2  garbler    masked values of what it enters; the proof of its products; tables
//! 3  evaluator  masked values of all joint AND gates; digest of MACs of the check
//! 4  garbler    digest of MACs of the check
//! ```
//!
//! A party that owns no AND gate sends no proof. The garbler verifies the evaluator's before it sends
//! a table; the evaluator verifies the garbler's before it sends the masked values of the gates.

use zeroize::Zeroizing;

use super::AuthenticatedBit;
use super::check::{self, Unchecked};
use super::context::{Context, opening_bytes};
use super::garbling::{self, Masks, TABLE_BYTES};
use super::leaky_and::Triple;
use super::outputs::{self, HeldOutput};
use super::pool::{PROOF_BITS, Pool};
use super::quicksilver::{ProductProof, Products};
use super::share::Share;
use super::wires::{self, MaskedLabel};
use crate::circuit::{ByParty, Circuit, Output, Party};
use crate::crypto::{SecretBit, SecretVec, Step};
use crate::mpc::error::{Check, Fault};
use crate::mpc::label::{ActiveLabel, HeldLabel, ZeroLabel, active_labels};
use crate::mpc::layout::InputLayout;
use crate::mpc::packed_bits::{self, recv_bits, send_bits};
use crate::mpc::plan::{Plan, share_outputs};
use crate::mpc::tables::{self, TableReader, TableWriter};
use crate::mpc::tag::Tag;
use crate::mpc::walk::RunHash;
use crate::mpc::{self, Demand, Words};
use crate::net::{self, Channel, Transport};
use crate::ot::Delta;

/// A run: what both parties know of it, and what this party holds for it.
pub(super) struct Run<'a> {
    context: &'a Context,
    number: u64,
    circuit: &'a Circuit,
    plan: Plan,
    layout: InputLayout<'a, AuthenticatedBit>,
    delta: &'a Delta,
    /// The mask of each wire.
    masks: SecretVec<Share>,
    /// The masked values of the wires that are entered or shared. What the peer enters is false until
    /// it sends it.
    values: Vec<bool>,
    /// For the proof of each party's products, 128 authenticated bits of that party, if it has any.
    voles: ByParty<SecretVec<Share>>,
    /// One for each joint AND gate.
    triples: SecretVec<Triple>,
    /// A fresh mask for each output bit that is not a constant.
    fresh: SecretVec<Share>,
}

type HeldOutputs = Zeroizing<Vec<HeldOutput>>;

/// What flight 1 gives.
struct Differences {
    /// `<s>` of each joint AND gate.
    products: SecretVec<Share>,
    /// `d` of each output bit that is not a constant.
    of_outputs: Vec<bool>,
}

impl<'a> Run<'a> {
    /// Takes what the run needs from the pool, which must hold it.
    pub(super) fn begin(
        context: &'a Context,
        number: u64,
        run: mpc::Run<'a, AuthenticatedBit>,
        layout: InputLayout<'a, AuthenticatedBit>,
        pool: &'a mut Pool,
    ) -> Self {
        let (circuit, me, owners) = (run.circuit, context.me, &layout.owners);
        let demand = layout.demand();
        let mut masks = SecretVec::<Share>::zeros(circuit.wires());
        let mut values = vec![false; circuit.wires()];
        for owner in Party::BOTH {
            let wires = &layout.entered[owner];
            let fresh = pool.take_inputs(owner, wires.len());
            for (&wire, mask) in wires.iter().zip(fresh.iter()) {
                masks[wire] = *mask;
            }
        }
        let voles = ByParty::from_fn(|owner| match owners.products(owner) {
            [] => SecretVec::default(),
            _ => pool.take_inputs(owner, PROOF_BITS),
        });
        for (&wire, bit) in layout.entered[me]
            .iter()
            .zip(layout.enter(me, run.mine).iter())
        {
            values[wire] = (masks[wire].bit ^ *bit).reveal();
        }
        for &(wire, bit) in &layout.shared {
            masks[wire] = bit.held.mask;
            values[wire] = bit.held.masked;
        }
        wires::fill_masks(circuit, owners, &mut masks, &pool.take_bits(demand.ands));
        wires::fill_values(circuit, owners, Some(me), &mut values);
        Run {
            context,
            number,
            circuit,
            plan: Plan::of_run(&context.session, number, &run),
            layout,
            masks,
            values,
            voles,
            triples: pool.take_triples(demand.ands),
            fresh: pool.take_bits(demand.outputs),
            delta: pool.delta(),
        }
    }

    /// Runs and checks the circuit.
    ///
    /// # Errors
    /// Any error of the channel or of a check. Nothing of the run may be used then.
    pub(super) fn finish<T: Transport>(
        mut self,
        channel: &mut Channel<T>,
    ) -> Result<Words<AuthenticatedBit>, Fault> {
        let differences = self.open_differences(channel)?;
        let (values, outputs) = match self.context.me {
            Party::Garbler => self.garble(channel, &differences)?,
            Party::Evaluator => self.evaluate(channel, &differences)?,
        };
        let unchecked = Unchecked {
            run: self.number,
            circuit: self.circuit,
            owners: &self.layout.owners,
            masks: self.masks(&differences),
            values: &values,
            outputs: &outputs,
        };
        unchecked.check(self.context, channel, self.delta)?;
        let mut outputs = outputs.iter();
        let bits = share_outputs(&self.context.session, self.number, self.circuit, |id, _| {
            AuthenticatedBit {
                id,
                held: outputs.next().expect("one for each output bit").clone(),
            }
        });
        Ok(Words::of_outputs(self.circuit, bits))
    }

    /// Flight 1: opens `e`, `f` of all gates and `d` of all outputs.
    fn open_differences<T: Transport>(
        &mut self,
        channel: &mut Channel<T>,
    ) -> Result<Differences, Fault> {
        let (context, delta, me) = (self.context, self.delta, self.context.me);
        let of_gates = 2 * self.triples.len();
        let mut differences = SecretVec::with_capacity(of_gates + self.fresh.len());
        let owners = &self.layout.owners;
        differences.extend(wires::differences(
            self.circuit,
            owners,
            &self.masks,
            &self.triples,
        ));
        differences.extend(outputs::differences(self.circuit, &self.masks, &self.fresh));
        let shares = || differences.iter().copied();
        let pads =
            Party::BOTH.map(|sender| outputs::pads(context, self.number, sender, self.fresh.len()));
        // What is opened for the gates is sent in the clear: the triples that mask it are used
        // once.
        let pad = |sender: Party| {
            let of_outputs = pads[sender as usize].iter().copied();
            std::iter::repeat_n(SecretBit::default(), of_gates).chain(of_outputs)
        };
        let step = (Tag::GateBits, (Step::GateMacs, self.number));
        context.send_plan(channel, &self.plan)?;
        context.send_opening(channel, step, shares(), pad(me))?;
        if me == Party::Evaluator {
            self.send_entered(channel)?;
        }
        channel.flush()?;
        context.expect_plan(channel, &self.plan)?;
        let (theirs, check) = (pad(me.other()), Check::GateMacs);
        let theirs = context.recv_opening(channel, step, delta, shares(), theirs, check)?;
        let mut opened = (shares().zip(theirs)).map(|(share, bit)| (share.bit ^ bit).reveal());
        let differences = Differences {
            products: wires::products(&self.triples, opened.by_ref(), me, delta),
            of_outputs: opened.collect(),
        };
        if me == Party::Garbler {
            self.recv_entered(channel)?;
        }
        Ok(differences)
    }

    /// Sends the masked values `V = x ^ l` of what this party enters, and the proof of its products.
    /// Nobody else knows `l`, so `V` does not show `x`.
    fn send_entered<T: Transport>(&self, channel: &mut Channel<T>) -> net::Result<()> {
        let wires = &self.layout.entered[self.context.me];
        let values = wires.iter().map(|&wire| self.values[wire]);
        send_bits(channel, Tag::MaskedValues, values)?;
        if let Some(products) = self.products(self.context.me) {
            let challenge = products.challenge(self.context, self.number, self.plan.digest());
            channel.send_message(&products.prove(&challenge))?;
        }
        Ok(())
    }

    /// Receives the masked values of what the peer enters, and verifies the proof of its products.
    fn recv_entered<T: Transport>(&mut self, channel: &mut Channel<T>) -> Result<(), Fault> {
        let peer = self.context.me.other();
        let wires = &self.layout.entered[peer];
        let received = recv_bits(channel, Tag::MaskedValues, wires.len())?;
        for (&wire, value) in wires.iter().zip(received) {
            self.values[wire] = value;
        }
        let owners = &self.layout.owners;
        wires::fill_values(self.circuit, owners, Some(peer), &mut self.values);
        if let Some(products) = self.products(peer) {
            let challenge = products.challenge(self.context, self.number, self.plan.digest());
            let proof: ProductProof = channel.recv_message()?;
            products.verify(&proof, &challenge, self.delta)?;
        }
        Ok(())
    }

    /// The products of a party, if it has any.
    fn products(&self, prover: Party) -> Option<Products<'_>> {
        match self.layout.owners.products(prover) {
            [] => None,
            _ => Some(Products {
                prover,
                circuit: self.circuit,
                owners: &self.layout.owners,
                masks: &self.masks,
                values: &self.values,
                entered: &self.layout.entered[prover],
                vole: &self.voles[prover],
            }),
        }
    }

    /// Flight 2 and the first part of flight 3, at the garbler. Gives the masked values of all
    /// wires, as the evaluator claims them, and the outputs.
    fn garble<T: Transport>(
        &self,
        channel: &mut Channel<T>,
        differences: &Differences,
    ) -> Result<(Vec<bool>, HeldOutputs), Fault> {
        let (circuit, layout, delta) = (self.circuit, &self.layout, self.delta);
        let mut zeros = SecretVec::<ZeroLabel>::zeros(circuit.wires());
        for (wire, label) in layout.all_entered().zip(self.active_labels().iter()) {
            zeros[wire] = label.zero(self.values[wire], delta);
        }
        for &(wire, bit) in &layout.shared {
            zeros[wire] = bit.held.label.zero();
        }
        self.send_entered(channel)?;
        let (masks, hash) = (self.masks(differences), self.hash());
        let mut tables = TableWriter::<_, TABLE_BYTES>::new(channel);
        let emit = |table| tables.push(table);
        let owners = &layout.owners;
        garbling::garble(circuit, owners, &mut zeros, &masks, delta, &hash, emit)?;
        tables.finish()?;
        let ands = owners.joint_ands();
        let of_ands = recv_bits(channel, Tag::GateValues, ands.len())?;
        let mut values = self.values.clone();
        for (&gate, value) in ands.iter().zip(of_ands) {
            values[circuit.input_bits() + gate as usize] = value;
        }
        wires::fill_values(circuit, owners, None, &mut values);
        let label = |wire: usize| HeldLabel::Zero(zeros[wire]);
        let outputs = self.outputs(differences, &values, label);
        Ok((values, outputs))
    }

    /// Flight 2 and the first part of flight 3, at the evaluator. Gives the masked values of all
    /// wires, and the outputs.
    fn evaluate<T: Transport>(
        &mut self,
        channel: &mut Channel<T>,
        differences: &Differences,
    ) -> Result<(Vec<bool>, HeldOutputs), Fault> {
        self.recv_entered(channel)?;
        let (circuit, layout) = (self.circuit, &self.layout);
        let mut wires = SecretVec::<MaskedLabel>::zeros(circuit.wires());
        for (wire, label) in layout.all_entered().zip(self.active_labels().iter()) {
            wires[wire].label = *label;
        }
        for &(wire, bit) in &layout.shared {
            wires[wire].label = bit.held.label.active();
        }
        for (wire, value) in wires.iter_mut().zip(&self.values) {
            wire.value = *value;
        }
        let (masks, hash) = (self.masks(differences), self.hash());
        let owners = &layout.owners;
        let mut tables = TableReader::<_, TABLE_BYTES>::new(channel, owners.joint_ands().len());
        let fetch = || tables.next();
        let of_ands = garbling::evaluate(circuit, owners, &mut wires, &masks, &hash, fetch)?;
        send_bits(channel, Tag::GateValues, of_ands)?;
        // Flushed now, so that the garbler works on the values while this party computes its
        // digest.
        channel.flush()?;
        let values: Vec<bool> = wires.iter().map(|wire| wire.value).collect();
        let label = |wire: usize| HeldLabel::Active(wires[wire].label);
        let outputs = self.outputs(differences, &values, label);
        Ok((values, outputs))
    }

    /// The labels that the evaluator holds of all wires that are entered.
    fn active_labels(&self) -> SecretVec<ActiveLabel> {
        let count = self.layout.all_entered().count();
        active_labels(&self.context.session, self.number, count)
    }

    fn masks<'m>(&'m self, differences: &'m Differences) -> Masks<'m> {
        Masks {
            wires: &self.masks,
            products: &differences.products,
        }
    }

    fn hash(&self) -> RunHash<'_> {
        RunHash {
            hash: &self.context.hash,
            run: self.number,
        }
    }

    /// What this party holds for the outputs, with fresh masks.
    fn outputs(
        &self,
        differences: &Differences,
        values: &[bool],
        label: impl Fn(usize) -> HeldLabel,
    ) -> HeldOutputs {
        let mut fresh = self.fresh.iter().zip(&differences.of_outputs);
        let hold = |output: &Output| match *output {
            Output::Const(value) => HeldOutput::constant(value, self.context.me, self.delta),
            Output::Wire(wire) => {
                let wire = wire.index();
                let (fresh, d) = fresh.next().expect("a fresh mask for each");
                let held = HeldOutput {
                    masked: values[wire],
                    mask: self.masks[wire],
                    label: label(wire),
                };
                held.remasked(*fresh, *d, self.delta)
            }
        };
        // Allocated once: a vector that grows leaves copies behind that nobody wipes.
        let mut held = Zeroizing::new(Vec::with_capacity(self.circuit.output_bits()));
        held.extend(self.circuit.outputs().iter().flatten().map(hold));
        held
    }
}

/// The bytes that a party sends in a run whose pool is filled.
pub(super) fn sent_bytes(sender: Party, demand: &Demand) -> u64 {
    let Demand {
        ands,
        inputs,
        proofs,
        outputs,
    } = *demand;
    let differences = Plan::sent_bytes() + opening_bytes(2 * ands + outputs);
    let proof = match proofs[sender] {
        0 => 0,
        _ => net::message_bytes::<ProductProof>(),
    };
    let entered = packed_bits::sent_bytes(inputs[sender]) + proof;
    let gates = match sender {
        Party::Garbler => tables::sent_bytes::<TABLE_BYTES>(ands),
        Party::Evaluator => packed_bits::sent_bytes(ands),
    };
    differences + entered + gates + check::sent_bytes()
}
