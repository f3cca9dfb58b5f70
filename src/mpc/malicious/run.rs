//! A run of a circuit, from a filled pool to checked outputs. Its four flights are:
//!
//! ```text
//! 1  both       plan; shares of e, f of all gates and of d of all outputs; digest of MACs
//!    evaluator  masked values of its inputs
//! 2  garbler    masked values of its inputs; labels of all inputs; tables
//! 3  evaluator  masked values of all AND gates; digest of MACs of the check
//! 4  garbler    digest of MACs of the check
//! ```

use zeroize::Zeroizing;

use super::AuthenticatedBit;
use super::check::{self, Unchecked};
use super::context::{Context, opening_bytes};
use super::garbling::{self, Masks, TABLE_BYTES};
use super::leaky_and::Triple;
use super::outputs::{self, HeldOutput};
use super::pool::Pool;
use super::share::Share;
use super::wires::{self, MaskedLabel};
use crate::circuit::{Circuit, Output, Party};
use crate::crypto::{Generator, SecretBit, SecretVec, Step};
use crate::mpc::error::{Check, Fault};
use crate::mpc::label::{ActiveLabel, HeldLabel, ZeroLabel};
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
    /// The masked values of the inputs. Those of the peer's inputs are false until the peer sends
    /// them.
    values: Vec<bool>,
    /// One for each AND gate.
    triples: SecretVec<Triple>,
    /// A fresh mask for each output bit that is not a constant.
    fresh: SecretVec<Share>,
}

type HeldOutputs = Zeroizing<Vec<HeldOutput>>;

/// What flight 1 gives.
struct Differences {
    /// `<s>` of each AND gate.
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
        pool: &'a mut Pool,
    ) -> Self {
        let (circuit, layout) = (run.circuit, InputLayout::new(&run));
        let demand = run.demand();
        let mut input_masks = SecretVec::<Share>::zeros(circuit.input_bits());
        let mut values = vec![false; circuit.input_bits()];
        for owner in Party::BOTH {
            let wires = &layout.entered[owner];
            let masks = pool.take_inputs(owner, wires.len());
            for (&wire, mask) in wires.iter().zip(masks.iter()) {
                input_masks[wire] = mask.share;
            }
            if owner == context.me {
                for ((&wire, mask), &value) in wires.iter().zip(masks.iter()).zip(run.mine) {
                    let opened = mask.share.bit ^ mask.theirs;
                    values[wire] = (opened ^ value).reveal();
                }
            }
        }
        for &(wire, bit) in &layout.shared {
            input_masks[wire] = bit.held.mask;
            values[wire] = bit.held.masked;
        }
        Run {
            context,
            number,
            circuit,
            plan: Plan::of_run(&context.session, number, &run),
            layout,
            triples: pool.take_triples(demand.ands),
            masks: wires::masks(circuit, &input_masks, &pool.take_bits(demand.ands)),
            fresh: pool.take_bits(demand.outputs),
            values,
            delta: pool.delta(),
        }
    }

    /// Runs and checks the circuit. The garbler draws its labels from `labels`.
    ///
    /// # Errors
    /// Any error of the channel or of a check. Nothing of the run may be used then.
    pub(super) fn finish<T: Transport>(
        mut self,
        channel: &mut Channel<T>,
        labels: &mut Generator,
    ) -> Result<Words<AuthenticatedBit>, Fault> {
        let differences = self.open_differences(channel)?;
        let (values, outputs) = match self.context.me {
            Party::Garbler => self.garble(channel, labels, &differences)?,
            Party::Evaluator => self.evaluate(channel, &differences)?,
        };
        let unchecked = Unchecked {
            run: self.number,
            circuit: self.circuit,
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
        differences.extend(wires::differences(self.circuit, &self.masks, &self.triples));
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
        let of_evaluator = &self.layout.entered.evaluator;
        if me == Party::Evaluator {
            send_values(channel, &self.values, of_evaluator)?;
        }
        channel.flush()?;
        context.expect_plan(channel, &self.plan)?;
        let (theirs, check) = (pad(me.other()), Check::GateMacs);
        let theirs = context.recv_opening(channel, step, delta, shares(), theirs, check)?;
        if me == Party::Garbler {
            recv_values(channel, &mut self.values, of_evaluator)?;
        }
        let mut opened = (shares().zip(theirs)).map(|(share, bit)| (share.bit ^ bit).reveal());
        Ok(Differences {
            products: wires::products(&self.triples, opened.by_ref(), me, delta),
            of_outputs: opened.collect(),
        })
    }

    /// Flight 2 and the first part of flight 3, at the garbler. Gives the masked values of all
    /// wires, as the evaluator claims them, and the outputs.
    fn garble<T: Transport>(
        &self,
        channel: &mut Channel<T>,
        labels: &mut Generator,
        differences: &Differences,
    ) -> Result<(Vec<bool>, HeldOutputs), Fault> {
        let (circuit, layout, delta) = (self.circuit, &self.layout, self.delta);
        let mut zeros = SecretVec::<ZeroLabel>::zeros(circuit.wires());
        labels.fill(bytemuck::cast_slice_mut(&mut zeros[..circuit.input_bits()]));
        for &(wire, bit) in &layout.shared {
            zeros[wire] = bit.held.label.zero();
        }
        let values = &self.values;
        send_values(channel, values, &layout.entered.garbler)?;
        let active: Vec<ActiveLabel> = (layout.all_entered())
            .map(|wire| zeros[wire].active(values[wire], delta))
            .collect();
        channel.send_bytes(Tag::InputLabels, bytemuck::cast_slice(&active))?;
        let (masks, hash) = (self.masks(differences), self.hash());
        let mut tables = TableWriter::<_, TABLE_BYTES>::new(channel);
        let emit = |table| tables.push(table);
        garbling::garble(circuit, &mut zeros, &masks, delta, &hash, emit)?;
        tables.finish()?;
        let of_ands = recv_bits(channel, Tag::GateValues, circuit.ands())?;
        let values = wires::masked_values(circuit, values, &of_ands);
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
        let (circuit, layout) = (self.circuit, &self.layout);
        recv_values(channel, &mut self.values, &layout.entered.garbler)?;
        let mut active = vec![ActiveLabel::default(); layout.all_entered().count()];
        channel.recv_bytes(Tag::InputLabels, bytemuck::cast_slice_mut(&mut active))?;
        let mut wires = SecretVec::<MaskedLabel>::zeros(circuit.wires());
        for (wire, label) in layout.all_entered().zip(active) {
            wires[wire].label = label;
        }
        for &(wire, bit) in &layout.shared {
            wires[wire].label = bit.held.label.active();
        }
        for (wire, value) in wires.iter_mut().zip(&self.values) {
            wire.value = *value;
        }
        let (masks, hash) = (self.masks(differences), self.hash());
        let mut tables = TableReader::<_, TABLE_BYTES>::new(channel, circuit.ands());
        let fetch = || tables.next();
        let of_ands = garbling::evaluate(circuit, &mut wires, &masks, &hash, fetch)?;
        send_bits(channel, Tag::GateValues, of_ands)?;
        // Flushed now, so that the garbler works on the values while this party computes its
        // digest.
        channel.flush()?;
        let values: Vec<bool> = wires.iter().map(|wire| wire.value).collect();
        let label = |wire: usize| HeldLabel::Active(wires[wire].label);
        let outputs = self.outputs(differences, &values, label);
        Ok((values, outputs))
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
        outputs,
    } = *demand;
    let differences = Plan::sent_bytes() + opening_bytes(2 * ands + outputs);
    let values = packed_bits::sent_bytes(inputs[sender]);
    let gates = match sender {
        Party::Garbler => {
            let labels = (inputs.garbler + inputs.evaluator) * size_of::<ActiveLabel>();
            net::bulk_bytes(labels) + tables::sent_bytes::<TABLE_BYTES>(ands)
        }
        Party::Evaluator => packed_bits::sent_bytes(ands),
    };
    differences + values + gates + check::sent_bytes()
}

/// Sends the masked values `V = x ^ l` of this party's inputs. Only this party knows both shares of
/// `l`, since the peer's was opened to it alone; so `V` does not show the input to anybody else.
fn send_values<T: Transport>(
    channel: &mut Channel<T>,
    values: &[bool],
    wires: &[usize],
) -> net::Result<()> {
    let values = wires.iter().map(|&wire| values[wire]);
    send_bits(channel, Tag::MaskedValues, values)
}

/// Receives the masked values of the peer's inputs.
fn recv_values<T: Transport>(
    channel: &mut Channel<T>,
    values: &mut [bool],
    wires: &[usize],
) -> net::Result<()> {
    let received = recv_bits(channel, Tag::MaskedValues, wires.len())?;
    for (&wire, value) in wires.iter().zip(received) {
        values[wire] = value;
    }
    Ok(())
}
