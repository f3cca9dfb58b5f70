//! One slice of a run. Its four flights are:
//!
//! ```text
//! 1  both       plan; shares of e, f of the joint gates and of d of all outputs; digest of MACs
//!    evaluator  masked values of its entered bits; the proof of its products
//! 2  garbler    masked values of its entered bits; the proof of its products; tables
//! 3  evaluator  masked values of the joint AND gates; digest of MACs of the check
//! 4  garbler    digest of MACs of the check
//! ```
//!
//! Only the first slice has the plan, the masked values of entered bits and the proofs; only the
//! last slice has `d`. The garbler's flight 1 is sent together with flight 4 of the previous slice.
//! The evaluator sends its flight 1 only after the check of the previous slice has passed, because
//! it must not open anything of a slice earlier.
//!
//! A party that owns no AND gate sends no proof. The garbler verifies the evaluator's proof before
//! it sends a table; the evaluator verifies the garbler's proof before it sends the masked values
//! of the gates.

use zeroize::Zeroizing;

use super::check::{self, Unchecked};
use super::context::{Context, opening_bytes};
use super::garbling::{self, TABLE_BYTES};
use super::leaky_and::Triple;
use super::outputs::{self, HeldOutput};
use super::pool::Pool;
use super::run::{HeldOutputs, Run, State};
use super::share::Share;
use super::slices::Slice;
use super::wires::{self, AndMasks, AndValues};
use crate::circuit::{Output, Party};
use crate::crypto::{SecretBit, SecretVec, Step};
use crate::mpc::Demand;
use crate::mpc::error::{Check, Fault};
use crate::mpc::packed_bits::{self, recv_bits, send_bits};
use crate::mpc::tables::{self, TableReader, TableWriter};
use crate::mpc::tag::Tag;
use crate::mpc::walk::Part;
use crate::net::Channel;
use crate::ot::Delta;

/// A slice of a run, and the data that this party holds for it.
pub(super) struct InSlice<'a> {
    context: &'a Context,
    delta: &'a Delta,
    run: &'a Run<'a>,
    slice: &'a Slice,
    part: Part<'a>,
    state: &'a mut State,
    /// The masks of the joint AND gates, to which the products are added.
    masks: SecretVec<AndMasks>,
    /// One triple for each joint AND gate; empty after flight 1.
    triples: SecretVec<Triple>,
    /// In the last slice, a fresh mask for each output bit that is not a constant.
    fresh: SecretVec<Share>,
}

impl<'a> InSlice<'a> {
    /// Takes the preprocessing for the slice from the pool, which must hold it.
    pub(super) fn begin(
        context: &'a Context,
        run: &'a Run<'a>,
        slice: &'a Slice,
        state: &'a mut State,
        pool: &'a mut Pool,
    ) -> Self {
        if slice.number == 0 {
            state.enter(run, context.me, pool);
        }
        let (demand, part) = (run.demand(slice), run.part(slice));
        let masks = state.masks.fill_masks(&part, &pool.take_bits(demand.ands));
        InSlice {
            context,
            run,
            slice,
            part,
            state,
            masks,
            triples: pool.take_triples(demand.ands),
            fresh: pool.take_bits(demand.outputs),
            delta: pool.delta(),
        }
    }

    /// Runs and checks the slice. Returns the outputs after the last slice.
    ///
    /// # Errors
    /// Any error of the channel or of a check. In this case nothing of the run may be used.
    pub(super) fn finish(mut self, channel: &mut Channel) -> Result<HeldOutputs, Fault> {
        let of_outputs = self.open_differences(channel)?;
        let values = match self.context.me {
            Party::Garbler => self.garble(channel)?,
            Party::Evaluator => self.evaluate(channel)?,
        };
        let outputs = if self.slice.last {
            self.outputs(&of_outputs)
        } else {
            HeldOutputs::default()
        };
        let entered: Vec<bool> = match self.slice.number {
            0 => self.state.values.entered.all().copied().collect(),
            _ => Vec::new(),
        };
        let unchecked = Unchecked {
            number: self.slice.number_in(self.run.number),
            masks: &self.masks,
            values: &values,
            entered: &entered,
            outputs: &outputs,
        };
        unchecked.check(self.context, channel, self.delta)?;
        Ok(outputs)
    }

    /// Flight 1: opens `e`, `f` of the gates and `d` of all outputs. Returns `d`.
    fn open_differences(&mut self, channel: &mut Channel) -> Result<Vec<bool>, Fault> {
        let (context, delta, me) = (self.context, self.delta, self.context.me);
        let (run, first) = (self.run, self.slice.number == 0);
        let differences = self.differences();
        let shares = || differences.iter().copied();
        let of_gates = 2 * self.masks.len();
        let pads =
            Party::BOTH.map(|sender| outputs::pads(context, run.number, sender, self.fresh.len()));
        // The bits opened for the gates are sent in the clear, because the triples that mask them
        // are used only once.
        let pad = |sender: Party| {
            let of_outputs = pads[sender as usize].iter().copied();
            std::iter::repeat_n(SecretBit::default(), of_gates).chain(of_outputs)
        };
        let number = self.slice.number_in(run.number);
        let oracle = |sender| context.oracle((Step::GateMacs, number), sender);
        let step = (Tag::GateBits, oracle);
        if first {
            context.send_plan(channel, &run.plan)?;
        }
        context.send_opening(channel, step, shares(), pad(me))?;
        if first && me == Party::Evaluator {
            self.state.send_entered(context, channel, run)?;
        }
        channel.flush()?;
        if first {
            context.expect_plan(channel, &run.plan)?;
        }
        let (theirs, check) = (pad(me.other()), Check::GateMacs);
        let theirs = context.recv_opening(channel, step, delta, shares(), theirs, check)?;
        let mut opened =
            (shares().zip(theirs.iter())).map(|(share, bit)| (share.bit ^ *bit).reveal());
        let triples = std::mem::take(&mut self.triples);
        wires::add_products(&mut self.masks, &triples, opened.by_ref(), me, delta);
        let of_outputs = opened.collect();
        if first && me == Party::Garbler {
            self.state.recv_entered(context, delta, channel, run)?;
        }
        Ok(of_outputs)
    }

    /// The shares to open: the differences for the gates, then the differences for the outputs.
    fn differences(&self) -> SecretVec<Share> {
        let of_gates = 2 * self.masks.len();
        let mut differences = SecretVec::with_capacity(of_gates + self.fresh.len());
        differences.extend(wires::differences(&self.masks, &self.triples));
        differences.extend(outputs::differences(
            self.run.circuit,
            |wire| self.state.mask(self.run, wire),
            &self.fresh,
        ));
        differences
    }

    /// Flight 2 and the first part of flight 3, at the garbler. Returns the masked values of the
    /// joint AND gates, as claimed by the evaluator.
    fn garble(&mut self, channel: &mut Channel) -> Result<Vec<AndValues>, Fault> {
        let (context, run, delta) = (self.context, self.run, self.delta);
        if self.slice.number == 0 {
            self.state.begin_garbling(context, run, delta);
            self.state.send_entered(context, channel, run)?;
        }
        let mut tables = TableWriter::<TABLE_BYTES>::new(channel);
        let (part, zeros) = (&self.part, &mut self.state.zeros);
        garbling::garble(
            part,
            zeros,
            &self.masks,
            delta,
            &run.hash(context),
            |table| tables.push(table),
        )?;
        tables.finish()?;
        let of_ands = recv_bits(channel, Tag::GateValues, self.masks.len())?;
        Ok(self.state.values.fill_values(part, &of_ands))
    }

    /// Flight 2 and the first part of flight 3, at the evaluator. Returns the masked values of the
    /// joint AND gates.
    fn evaluate(&mut self, channel: &mut Channel) -> Result<Vec<AndValues>, Fault> {
        let (context, run) = (self.context, self.run);
        if self.slice.number == 0 {
            (self.state).recv_entered(context, self.delta, channel, run)?;
            self.state.begin_evaluating(context, run);
        }
        let mut tables = TableReader::<TABLE_BYTES>::new(channel, self.masks.len());
        let (part, active) = (&self.part, &mut self.state.active);
        let values = garbling::evaluate(part, active, &self.masks, &run.hash(context), || {
            tables.next()
        })?;
        let of_ands = values.iter().map(|&[_, _, output]| output);
        send_bits(channel, Tag::GateValues, of_ands)?;
        // Flushed now, so that the garbler processes the values while this party computes its
        // digest.
        channel.flush()?;
        Ok(values)
    }

    /// The outputs that this party holds, with fresh masks.
    fn outputs(&self, of_outputs: &[bool]) -> HeldOutputs {
        let (run, me) = (self.run, self.context.me);
        let mut fresh = self.fresh.iter().zip(of_outputs);
        let hold = |output: &Output| match *output {
            Output::Const(value) => HeldOutput::constant(value, me, self.delta),
            Output::Wire(wire) => {
                let (fresh, d) = fresh.next().expect("one fresh mask per output");
                let held = self.state.output(run, me, wire.index());
                held.remasked(*fresh, *d, self.delta)
            }
        };
        // Allocated once, because a vector that grows leaves unwiped copies behind.
        let mut held = Zeroizing::new(Vec::with_capacity(run.circuit.output_bits()));
        held.extend(run.circuit.outputs().iter().flatten().map(hold));
        held
    }
}

/// The bytes that a party sends in a slice if the pool is filled, without the plan and the entered
/// bits.
pub(super) fn sent_bytes(sender: Party, demand: &Demand) -> u64 {
    let gates = match sender {
        Party::Garbler => tables::sent_bytes::<TABLE_BYTES>(demand.ands),
        Party::Evaluator => packed_bits::sent_bytes(demand.ands),
    };
    opening_bytes(2 * demand.ands + demand.outputs) + gates + check::sent_bytes()
}
