//! A run of a circuit, from a filled pool to checked outputs:
//!
//! ```text
//! 1  garbler    plan; e, f of all gates, its mask shares of the evaluator's inputs; MACs
//! 2  evaluator  plan; e, f of all gates, its mask shares of the garbler's inputs; MACs;
//!               its masked inputs
//! 3  garbler    its masked inputs; labels; tables
//! 4  evaluator  masked values of all gates; MACs of the check
//! 5  garbler    MACs of the check
//! ```

use super::AuthenticatedBit;
use super::check::{CheckedValues, check};
use super::context::Context;
use super::garbling::{self, Masks, TABLE_BYTES};
use super::inputs::{InputLayout, recv_values, send_values};
use super::leaky_and::Triple;
use super::pool::Pool;
use super::share::Share;
use super::wires::{self, MaskedLabel};
use crate::circuit::{Circuit, Output, Party};
use crate::crypto::{Block, Generator, SecretVec, Step};
use crate::mpc::Input;
use crate::mpc::packed_bits::{recv_bits, send_bits};
use crate::mpc::plan::{Plan, share_outputs};
use crate::mpc::tables::{TableReader, TableWriter};
use crate::mpc::walk::RunHash;
use crate::net::{Channel, Tag, Transport};
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
    /// One for every AND gate.
    triples: SecretVec<Triple>,
}

impl<'a> Run<'a> {
    /// Takes what the run needs from the pool, which must hold it.
    pub(super) fn prepare(
        context: &'a Context,
        number: u64,
        circuit: &'a Circuit,
        inputs: &[Input<'a, AuthenticatedBit>],
        pool: &'a mut Pool,
    ) -> Self {
        let layout = InputLayout::new(context.me, circuit, inputs);
        let triples = pool.take_triples(circuit.ands());
        let mut input_masks = pool.take_bits(circuit.input_bits());
        for &(wire, bit) in &layout.shared {
            input_masks[wire] = bit.mask;
        }
        let masks = wires::masks(circuit, &input_masks, &pool.take_bits(circuit.ands()));
        Run {
            context,
            number,
            circuit,
            plan: Plan::of_run(&context.session, context.me, number, circuit, inputs),
            layout,
            delta: pool.delta(),
            masks,
            triples,
        }
    }

    /// Runs the circuit; the garbler draws its labels from `labels`.
    ///
    /// # Errors
    /// Any error of the channel or of a check; nothing of the run can be used then.
    pub(super) fn finish<T: Transport>(
        self,
        channel: &mut Channel<T>,
        labels: &mut Generator,
    ) -> Result<Vec<Vec<AuthenticatedBit>>> {
        let differences = wires::differences(self.circuit, &self.masks, &self.triples);
        // Flights 1 and 2.
        let opened = self.open(channel, &differences)?;
        let (of_gates, of_inputs) = opened.split_at(differences.len());
        let sums = differences.iter().zip(of_gates).map(|(d, bit)| d.bit ^ bit);
        let products = wires::products(&self.triples, sums, self.context.me, self.delta);
        let masks = Masks {
            wires: &self.masks,
            products: &products,
        };
        // The masked values of the inputs: an input's owner knows both shares of its mask.
        let mut values = self.layout.values.clone();
        for (&(wire, value), share) in self.layout.mine.iter().zip(of_inputs) {
            values[wire] = value ^ self.masks[wire].bit ^ share;
        }
        // Flights 2 to 4.
        let (values, labels) = match self.context.me {
            Party::Garbler => self.garble(channel, labels, &masks, values)?,
            Party::Evaluator => self.evaluate(channel, &masks, values)?,
        };
        // Flights 4 and 5.
        let (context, delta) = (self.context, self.delta);
        let values = check(
            context,
            channel,
            delta,
            self.number,
            self.circuit,
            &masks,
            values,
        )?;
        Ok(self.outputs(&values, &labels))
    }

    /// Opens to each other the differences of all gates, and the masks of the other's inputs.
    /// Gives the peer's shares of the differences, then those of the masks of this party's inputs.
    fn open<T: Transport>(
        &self,
        channel: &mut Channel<T>,
        differences: &[Share],
    ) -> Result<Vec<bool>> {
        let (context, me) = (self.context, self.context.me);
        let step = (Step::GateMacs, self.number);
        let masks = [me, me.other()].map(|owner| self.layout.owned_by(owner));
        let shares = |masks: &'_ [usize]| {
            let masks = masks.iter().map(|wire| self.masks[*wire]);
            differences.iter().copied().chain(masks.collect::<Vec<_>>())
        };
        let [mine, theirs] = &masks;
        let opening = context.opening(step, shares(theirs));
        let send = |channel: &mut Channel<T>| {
            channel.send_message(&self.plan)?;
            opening.send(channel, Tag::GateBits)
        };
        let recv = |channel: &mut Channel<T>| {
            self.plan.expect(channel)?;
            let (tag, check) = (Tag::GateBits, Check::GateMacs);
            context.recv_opening(channel, tag, step, self.delta, shares(mine), check)
        };
        match me {
            Party::Garbler => {
                send(channel)?;
                channel.flush()?;
                recv(channel)
            }
            Party::Evaluator => {
                let opened = recv(channel)?;
                send(channel)?;
                Ok(opened)
            }
        }
    }

    /// The garbler's flight 3, with the end of flight 2 and the beginning of flight 4. Gives the
    /// masked values of all wires, as the evaluator says, and the labels for 0.
    fn garble<T: Transport>(
        &self,
        channel: &mut Channel<T>,
        labels: &mut Generator,
        masks: &Masks<'_>,
        mut values: Vec<bool>,
    ) -> Result<(Vec<bool>, SecretVec<Block>)> {
        let (circuit, layout, delta) = (self.circuit, &self.layout, self.delta);
        recv_values(channel, &mut values, layout.owned_by(Party::Evaluator))?;
        let mut zeros = SecretVec::zeros(circuit.wires());
        labels.fill(&mut zeros[..circuit.input_bits()]);
        for &(wire, bit) in &layout.shared {
            zeros[wire] = bit.label;
        }
        send_values(channel, &values, layout.owned_by(Party::Garbler))?;
        let active: Vec<Block> = layout
            .entered()
            .into_iter()
            .map(|wire| zeros[wire] ^ delta.select(values[wire]))
            .collect();
        channel.send_bytes(Tag::InputLabels, bytemuck::cast_slice(&active))?;
        let mut tables = TableWriter::<_, TABLE_BYTES>::new(channel);
        garbling::garble(circuit, &mut zeros, masks, delta, &self.hash(), |table| {
            tables.push(table)
        })?;
        tables.finish()?;
        let of_ands = recv_bits(channel, Tag::GateValues, circuit.ands())?;
        Ok((wires::masked_values(circuit, &values, &of_ands), zeros))
    }

    /// The evaluator's end of flight 2, flight 3 and the beginning of flight 4. Gives the masked
    /// values of all wires and their labels.
    fn evaluate<T: Transport>(
        &self,
        channel: &mut Channel<T>,
        masks: &Masks<'_>,
        mut values: Vec<bool>,
    ) -> Result<(Vec<bool>, SecretVec<Block>)> {
        let (circuit, layout) = (self.circuit, &self.layout);
        send_values(channel, &values, layout.owned_by(Party::Evaluator))?;
        channel.flush()?;
        recv_values(channel, &mut values, layout.owned_by(Party::Garbler))?;
        let mut active = vec![Block::ZERO; layout.entered().len()];
        channel.recv_bytes(Tag::InputLabels, bytemuck::cast_slice_mut(&mut active))?;
        let mut wires = SecretVec::<MaskedLabel>::zeros(circuit.wires());
        for (wire, label) in layout.entered().into_iter().zip(active) {
            wires[wire].label = label;
        }
        for &(wire, bit) in &layout.shared {
            wires[wire].label = bit.label;
        }
        for (wire, value) in wires.iter_mut().zip(&values) {
            wire.value = *value;
        }
        let mut tables = TableReader::<_, TABLE_BYTES>::new(channel, circuit.ands());
        let of_ands =
            garbling::evaluate(circuit, &mut wires, masks, &self.hash(), || tables.next())?;
        send_bits(channel, Tag::GateValues, of_ands)?;
        // The garbler follows the values while this party computes its MACs.
        channel.flush()?;
        let values = wires.iter().map(|wire| wire.value).collect();
        Ok((values, wires.iter().map(|wire| wire.label).collect()))
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
