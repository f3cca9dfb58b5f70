//! A run of a circuit, from a filled pool to checked outputs: the data that both parties know, and
//! the state that a party keeps between slices. [`in_slice`] contains the flights.

use zeroize::Zeroizing;

use super::AuthenticatedBit;
use super::context::Context;
use super::in_slice;
use super::outputs::HeldOutput;
use super::pool::{PROOF_BITS, Pool};
use super::quicksilver::{ProductProof, Products, challenge};
use super::share::Share;
use super::slices::{self, Slice};
use super::wires::MaskedLabel;
use crate::circuit::{ByParty, Circuit, Party};
use crate::crypto::SecretVec;
use crate::mpc::error::Fault;
use crate::mpc::label::{ActiveLabel, HeldLabel, ZeroLabel, active_labels};
use crate::mpc::layout::{Entered, InputLayout, Wires};
use crate::mpc::packed_bits::{self, recv_bits, send_bits};
use crate::mpc::plan::{Plan, share_outputs};
use crate::mpc::tag::Tag;
use crate::mpc::walk::{Part, RunHash};
use crate::mpc::{self, Demand, Words};
use crate::net::{self, Channel};
use crate::ot::Delta;

/// The data about a run that both parties know, and the bits that this party enters.
pub(super) struct Run<'a> {
    pub(super) number: u64,
    pub(super) circuit: &'a Circuit,
    pub(super) plan: Plan,
    pub(super) slices: Vec<Slice>,
    layout: InputLayout<'a, AuthenticatedBit>,
    demand: Demand,
    mine: &'a [bool],
}

/// The outputs of a run; empty until the last slice is finished.
pub(super) type HeldOutputs = Zeroizing<Vec<HeldOutput>>;

impl<'a> Run<'a> {
    /// Creates run `number`, with `slice_ands` joint AND gates in each slice.
    pub(super) fn new(
        context: &Context,
        number: u64,
        run: &mpc::Run<'a, AuthenticatedBit>,
        layout: InputLayout<'a, AuthenticatedBit>,
        slice_ands: usize,
    ) -> Self {
        let circuit = run.circuit;
        let slices = Slice::all(circuit, &layout.owners, slice_ands);
        Run {
            number,
            circuit,
            plan: Plan::of_slices(&context.session, number, run, slices.len()),
            demand: layout.demand(),
            slices,
            layout,
            mine: run.mine,
        }
    }

    /// The preprocessing that a slice consumes.
    pub(super) fn demand(&self, slice: &Slice) -> Demand {
        slice.demand(&self.demand)
    }

    /// The part of the circuit in a slice.
    pub(super) fn part(&self, slice: &Slice) -> Part<'_> {
        slice.part(self.circuit, &self.layout.owners)
    }

    /// The evaluator's labels of the entered bits.
    fn active_labels(&self, context: &Context) -> Entered<ActiveLabel> {
        let layout = &self.layout;
        let counts = Party::BOTH.map(|party| layout.count(party));
        let labels = active_labels(&context.session, self.number, counts.iter().sum());
        let (garblers, evaluators) = labels.split_at(counts[0]);
        let mut entered = layout.zeros();
        layout.put(Party::Garbler, garblers, &mut entered);
        layout.put(Party::Evaluator, evaluators, &mut entered);
        entered
    }

    pub(super) fn hash<'c>(&self, context: &'c Context) -> RunHash<'c> {
        RunHash {
            hash: &context.hash,
            run: self.number,
        }
    }

    /// Returns the outputs as shared bits.
    pub(super) fn share(
        &self,
        context: &Context,
        outputs: &[HeldOutput],
    ) -> Words<AuthenticatedBit> {
        let mut outputs = outputs.iter();
        let bits = share_outputs(&context.session, self.number, self.circuit, |id, _| {
            AuthenticatedBit {
                id,
                held: outputs
                    .next()
                    .expect("one entry for each output bit")
                    .clone(),
            }
        });
        Words::of_outputs(self.circuit, bits)
    }
}

/// The state that a party keeps for a run between its slices.
#[derive(Default)]
pub(super) struct State {
    pub(super) masks: Wires<Share>,
    /// The masked values. The values of the peer's bits are `false` until the peer has sent them.
    /// The evaluator keeps the masked values of the gates in `active` instead.
    pub(super) values: Wires<bool>,
    /// The labels for 0. Only the garbler uses them.
    pub(super) zeros: Wires<ZeroLabel>,
    /// The active labels and the masked values. Only the evaluator uses them.
    pub(super) active: Wires<MaskedLabel>,
    /// The masked values of the bits that this party enters.
    mine: Vec<bool>,
    /// For the proof of each party's products: 128 authenticated bits of that party, if it has
    /// products.
    voles: ByParty<SecretVec<Share>>,
}

impl State {
    /// Takes the masks of the entered bits from the pool, which must hold them, and enters this
    /// party's bits.
    pub(super) fn enter(&mut self, run: &Run<'_>, me: Party, pool: &mut Pool) {
        let layout = &run.layout;
        self.masks.entered = layout.zeros();
        self.values.entered = layout.zeros();
        for owner in Party::BOTH {
            let masks = pool.take_inputs(owner, layout.count(owner));
            layout.put(owner, &masks, &mut self.masks.entered);
            if owner == me {
                let bits = layout.enter(me, run.mine);
                self.mine = (masks.iter().zip(bits.iter()))
                    .map(|(mask, bit)| (mask.bit ^ *bit).reveal())
                    .collect();
                layout.put(me, &self.mine, &mut self.values.entered);
            }
        }
        self.voles = ByParty::from_fn(|owner| match layout.owners.products(owner) {
            [] => SecretVec::default(),
            _ => pool.take_inputs(owner, PROOF_BITS),
        });
        for &(wire, bit) in &layout.shared {
            self.masks.entered.inputs[wire] = bit.held.mask;
            self.values.entered.inputs[wire] = bit.held.masked;
        }
        self.masks.begin(run.layout.slots());
    }

    /// Sends the masked values `V = x ^ l` of the bits that this party enters, and the proof of its
    /// products. Only this party knows `l`, so `V` does not reveal `x`.
    pub(super) fn send_entered(
        &self,
        context: &Context,
        channel: &mut Channel,
        run: &Run<'_>,
    ) -> net::Result<()> {
        send_bits(channel, Tag::MaskedValues, self.mine.iter().copied())?;
        if let Some(products) = self.products(run, context.me) {
            let proof = (run.number, context.me);
            let challenge = challenge(context, proof, run.plan.digest(), &self.mine);
            channel.send_message(&products.prove(&challenge))?;
        }
        Ok(())
    }

    /// Receives the masked values of the bits that the peer enters, and verifies the proof of its
    /// products.
    pub(super) fn recv_entered(
        &mut self,
        context: &Context,
        delta: &Delta,
        channel: &mut Channel,
        run: &Run<'_>,
    ) -> Result<(), Fault> {
        let peer = context.me.other();
        let received = recv_bits(channel, Tag::MaskedValues, run.layout.count(peer))?;
        (run.layout).put(peer, &received, &mut self.values.entered);
        if let Some(products) = self.products(run, peer) {
            let challenge = challenge(context, (run.number, peer), run.plan.digest(), &received);
            let proof: ProductProof = channel.recv_message()?;
            products.verify(&proof, &challenge, delta)?;
        }
        Ok(())
    }

    /// Returns the products of a party, or `None` if it has none.
    fn products<'s>(&'s self, run: &'s Run<'_>, prover: Party) -> Option<Products<'s>> {
        let owners = &run.layout.owners;
        match owners.products(prover) {
            [] => None,
            _ => Some(Products {
                prover,
                owners,
                masks: &self.masks.entered,
                values: &self.values.entered,
                vole: &self.voles[prover],
            }),
        }
    }

    /// Prepares the garbler's wires before the first gate, once the garbler knows all masked values
    /// of entered bits.
    pub(super) fn begin_garbling(&mut self, context: &Context, run: &Run<'_>, delta: &Delta) {
        let labels = run.active_labels(context);
        let zero = |label: ActiveLabel, value| label.zero(value, delta);
        let mut zeros = labels.with(&self.values.entered, zero);
        for &(wire, bit) in &run.layout.shared {
            zeros.inputs[wire] = bit.held.label.zero();
        }
        self.zeros = Wires::new(zeros, run.layout.slots());
        self.values.begin(run.layout.slots());
    }

    /// Prepares the evaluator's wires before the first gate, once the evaluator knows all masked
    /// values of entered bits.
    pub(super) fn begin_evaluating(&mut self, context: &Context, run: &Run<'_>) {
        let mut labels = run.active_labels(context);
        for &(wire, bit) in &run.layout.shared {
            labels.inputs[wire] = bit.held.label.active();
        }
        let active = labels.with(&self.values.entered, |label, value| MaskedLabel {
            label,
            value,
        });
        self.active = Wires::new(active, run.layout.slots());
    }

    /// The mask of a wire that has been computed and is still needed.
    pub(super) fn mask(&self, run: &Run<'_>, wire: usize) -> Share {
        self.masks.held[run.layout.slots().of(wire)]
    }

    /// The data that this party holds for an output wire, after the last gate.
    pub(super) fn output(&self, run: &Run<'_>, me: Party, wire: usize) -> HeldOutput {
        let slot = run.layout.slots().of(wire);
        let (masked, label) = match me {
            Party::Garbler => {
                let label = HeldLabel::Zero(self.zeros.held[slot]);
                (self.values.held[slot], label)
            }
            Party::Evaluator => {
                let MaskedLabel { label, value } = self.active.held[slot];
                (value, HeldLabel::Active(label))
            }
        };
        HeldOutput {
            masked,
            mask: self.masks.held[slot],
            label,
        }
    }
}

/// The number of bytes that a party sends in a run if the pool is filled.
pub(super) fn sent_bytes(sender: Party, demand: &Demand) -> u64 {
    let proof = match demand.proofs[sender] {
        0 => 0,
        _ => net::message_bytes::<ProductProof>(),
    };
    let entered = packed_bits::sent_bytes(demand.inputs[sender]) + proof;
    let slices = slices::demands(demand).map(|slice| in_slice::sent_bytes(sender, &slice));
    Plan::sent_bytes() + entered + slices.sum::<u64>()
}
