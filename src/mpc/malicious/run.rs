//! A run of a circuit, from a filled pool to checked outputs:
//!
//! ```text
//! 1  both       plan; e, f of all gates; MACs;  the evaluator also its masked inputs
//! 2  garbler    its masked inputs; labels; tables
//! 3  evaluator  masked values of all gates; MACs of the check
//! 4  garbler    MACs of the check
//! ```

use super::AuthenticatedBit;
use super::check::{CheckedValues, check};
use super::context::Context;
use super::garbling::{self, Masks, TABLE_BYTES};
use super::inputs::{InputLayout, recv_values, send_values};
use super::leaky_and::Triple;
use super::pool::{Pool, Stock};
use super::share::Share;
use super::wires::{self, MaskedLabel};
use crate::circuit::{Circuit, Output, Party};
use crate::crypto::{Block, Generator, SecretVec, Step};
use crate::mpc::Input;
use crate::mpc::packed_bits::{recv_bits, send_bits};
use crate::mpc::plan::{Plan, share_outputs};
use crate::mpc::tables::{TableReader, TableWriter};
use crate::mpc::tag::Tag;
use crate::mpc::walk::RunHash;
use crate::net::{Channel, Transport};
use crate::ot::Delta;
use crate::{Check, Result};

/// What both parties know of a run, and what this one holds for it.
pub(super) struct Run<'a> {
    context: &'a Context,
    number: u64,
    circuit: &'a Circuit,
    plan: Plan,
    layout: InputLayout<'a>,
    delta: &'a Delta,
    /// The mask of every wire.
    masks: SecretVec<Share>,
    /// The masked values of the inputs. Those of the peer's are nothing before it has sent them.
    values: Vec<bool>,
    /// One for every AND gate.
    triples: SecretVec<Triple>,
}

impl<'a> Run<'a> {
    /// Takes what the run needs from the pool, and fills it first if something is missing.
    ///
    /// # Errors
    /// Those of filling the pool.
    pub(super) fn begin<T: Transport>(
        context: &'a Context,
        channel: &mut Channel<T>,
        number: u64,
        circuit: &'a Circuit,
        inputs: &[Input<'a, AuthenticatedBit>],
        pool: &'a mut Pool,
    ) -> Result<Self> {
        let layout = InputLayout::new(context.me, circuit, inputs);
        let entered = [Party::Garbler, Party::Evaluator].map(|owner| layout.owned_by(owner).len());
        let stock = Stock::for_circuits(circuit.ands(), entered);
        pool.reserve(context, channel, stock)?;
        let triples = pool.take_triples(circuit.ands());
        let mut input_masks = SecretVec::<Share>::zeros(circuit.input_bits());
        let mut values = vec![false; circuit.input_bits()];
        for owner in [Party::Garbler, Party::Evaluator] {
            let wires = layout.owned_by(owner);
            let masks = pool.take_inputs(owner, wires.len());
            for (wire, mask) in wires.into_iter().zip(masks.iter()) {
                input_masks[wire] = mask.share;
                values[wire] = mask.share.bit ^ mask.theirs;
            }
        }
        for &(wire, value) in &layout.mine {
            values[wire] ^= value;
        }
        for &(wire, bit) in &layout.shared {
            input_masks[wire] = bit.mask;
            values[wire] = bit.masked;
        }
        let masks = wires::masks(circuit, &input_masks, &pool.take_bits(circuit.ands()));
        Ok(Run {
            context,
            number,
            circuit,
            plan: Plan::of_run(&context.session, context.me, number, circuit, inputs),
            layout,
            delta: pool.delta(),
            masks,
            values,
            triples,
        })
    }

    /// Runs the circuit; the garbler draws its labels from `labels`.
    ///
    /// # Errors
    /// Any error of the channel or of a check; nothing of the run can be used then.
    pub(super) fn finish<T: Transport>(
        mut self,
        channel: &mut Channel<T>,
        labels: &mut Generator,
    ) -> Result<Vec<Vec<AuthenticatedBit>>> {
        let products = self.open_differences(channel)?;
        let (values, labels) = match self.context.me {
            Party::Garbler => self.garble(channel, labels, &products)?,
            Party::Evaluator => self.evaluate(channel, &products)?,
        };
        let masks = self.masks(&products);
        let (context, delta, run) = (self.context, self.delta, self.number);
        let values = check(context, channel, delta, run, self.circuit, &masks, values)?;
        Ok(self.outputs(&values, &labels))
    }

    /// Flight 1: opens the differences of all gates. Gives `<s>` of every AND gate.
    fn open_differences<T: Transport>(
        &mut self,
        channel: &mut Channel<T>,
    ) -> Result<SecretVec<Share>> {
        let (context, delta, me) = (self.context, self.delta, self.context.me);
        let differences = wires::differences(self.circuit, &self.masks, &self.triples);
        let shares = || differences.iter().copied();
        let step = (Step::GateMacs, self.number);
        channel.send_message(&self.plan)?;
        let mine = context.opening(step, shares());
        mine.send(channel, Tag::GateBits)?;
        if me == Party::Evaluator {
            let inputs = self.layout.owned_by(Party::Evaluator);
            send_values(channel, &self.values, inputs)?;
        }
        channel.flush()?;
        self.plan.expect(channel)?;
        let (tag, check) = (Tag::GateBits, Check::GateMacs);
        let theirs = context.recv_opening(channel, tag, step, delta, shares(), check)?;
        if me == Party::Garbler {
            let inputs = self.layout.owned_by(Party::Evaluator);
            recv_values(channel, &mut self.values, inputs)?;
        }
        let sums = shares().zip(theirs).map(|(share, bit)| share.bit ^ bit);
        Ok(wires::products(&self.triples, sums, me, delta))
    }

    /// Flight 2 and the beginning of flight 3, at the garbler. Gives the masked values of all
    /// wires, as the evaluator says, and the labels for 0.
    fn garble<T: Transport>(
        &self,
        channel: &mut Channel<T>,
        labels: &mut Generator,
        products: &[Share],
    ) -> Result<(Vec<bool>, SecretVec<Block>)> {
        let (circuit, layout, delta) = (self.circuit, &self.layout, self.delta);
        let mut zeros = SecretVec::zeros(circuit.wires());
        labels.fill(&mut zeros[..circuit.input_bits()]);
        for &(wire, bit) in &layout.shared {
            zeros[wire] = bit.label;
        }
        let values = &self.values;
        send_values(channel, values, layout.owned_by(Party::Garbler))?;
        let active: Vec<Block> = (layout.entered().into_iter())
            .map(|wire| zeros[wire] ^ delta.select(values[wire]))
            .collect();
        channel.send_bytes(Tag::InputLabels, bytemuck::cast_slice(&active))?;
        let (masks, hash) = (self.masks(products), self.hash());
        let mut tables = TableWriter::<_, TABLE_BYTES>::new(channel);
        let emit = |table| tables.push(table);
        garbling::garble(circuit, &mut zeros, &masks, delta, &hash, emit)?;
        tables.finish()?;
        let of_ands = recv_bits(channel, Tag::GateValues, circuit.ands())?;
        Ok((wires::masked_values(circuit, values, &of_ands), zeros))
    }

    /// Flight 2 and the beginning of flight 3, at the evaluator. Gives the masked values of all
    /// wires and their labels.
    fn evaluate<T: Transport>(
        &mut self,
        channel: &mut Channel<T>,
        products: &[Share],
    ) -> Result<(Vec<bool>, SecretVec<Block>)> {
        let (circuit, layout) = (self.circuit, &self.layout);
        recv_values(channel, &mut self.values, layout.owned_by(Party::Garbler))?;
        let mut active = vec![Block::ZERO; layout.entered().len()];
        channel.recv_bytes(Tag::InputLabels, bytemuck::cast_slice_mut(&mut active))?;
        let mut wires = SecretVec::<MaskedLabel>::zeros(circuit.wires());
        for (wire, label) in layout.entered().into_iter().zip(active) {
            wires[wire].label = label;
        }
        for &(wire, bit) in &layout.shared {
            wires[wire].label = bit.label;
        }
        for (wire, value) in wires.iter_mut().zip(&self.values) {
            wire.value = *value;
        }
        let (masks, hash) = (self.masks(products), self.hash());
        let mut tables = TableReader::<_, TABLE_BYTES>::new(channel, circuit.ands());
        let of_ands = garbling::evaluate(circuit, &mut wires, &masks, &hash, || tables.next())?;
        send_bits(channel, Tag::GateValues, of_ands)?;
        // The garbler follows the values while this party computes its MACs.
        channel.flush()?;
        let values = wires.iter().map(|wire| wire.value).collect();
        Ok((values, wires.iter().map(|wire| wire.label).collect()))
    }

    fn masks<'m>(&'m self, products: &'m [Share]) -> Masks<'m> {
        Masks {
            wires: &self.masks,
            products,
        }
    }

    fn hash(&self) -> RunHash<'_> {
        RunHash {
            hash: &self.context.hash,
            run: self.number,
        }
    }

    /// This party's parts of the outputs.
    fn outputs(&self, values: &CheckedValues, labels: &[Block]) -> Vec<Vec<AuthenticatedBit>> {
        let session = &self.context.session;
        share_outputs(session, self.number, self.circuit, |id, output| {
            let (masked, mask, label) = match output {
                Output::Wire(wire) => {
                    let wire = wire.index();
                    (values.of(wire), self.masks[wire], labels[wire])
                }
                // A wire without a mask, whose label at the evaluator is zero.
                Output::Const(value) => {
                    let label = match self.context.me {
                        Party::Garbler => self.delta.select(value),
                        Party::Evaluator => Block::ZERO,
                    };
                    (value, Share::default(), label)
                }
            };
            AuthenticatedBit {
                id,
                masked,
                mask,
                label,
            }
        })
    }
}
