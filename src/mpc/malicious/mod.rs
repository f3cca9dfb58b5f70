//! Security against a malicious peer: authenticated garbling (Wang, Ranellucci, Katz, CCS 2017;
//! Katz, Ranellucci, Rosulek, Wang, CRYPTO 2018).
//!
//! Every wire has a random mask `l`, shared between the parties in authenticated bits; both know
//! the *masked value* `V = value ^ l`, neither knows the value. A garbler that garbles something
//! else is caught by the check of all gates, and learns nothing by when it is caught, since the
//! evaluator walks along masked values only. Outputs stay shared, and are opened later, each with
//! the MAC of the mask's share.
//!
//! | file | step |
//! |---|---|
//! | `share` | authenticated and shared bits |
//! | `leaky_and`, `bucket_size`, `triples` | triples, from correlated OT |
//! | `pool` | triples and bits made ahead |
//! | `wires` | masks, differences, products |
//! | `inputs` | masked inputs |
//! | `garbling` | garbling and evaluating |
//! | `check` | the check of all AND gates |
//! | `context` | opening authenticated bits; the session's hashes |
//!
//! A run, from a filled pool:
//!
//! ```text
//! 1  garbler    plan; e, f of all gates, its mask shares of the evaluator's inputs; MACs
//! 2  evaluator  plan; e, f of all gates, its mask shares of the garbler's inputs; MACs;
//!               its masked inputs
//! 3  garbler    its masked inputs; labels; tables
//! 4  evaluator  masked values of all gates; MACs of the check
//! 5  garbler    MACs of the check
//! ```

mod bucket_size;
mod check;
mod context;
mod garbling;
mod inputs;
mod leaky_and;
mod pool;
mod share;
mod triples;
#[cfg(test)]
mod views;
mod wires;

use rand::CryptoRng;
use zeroize::{Zeroize, ZeroizeOnDrop};

use self::check::check;
use self::context::Context;
use self::garbling::{Masks, TABLE_BYTES};
use self::inputs::{InputLayout, recv_values, send_values};
use self::pool::Pool;
use self::share::Share;
use self::wires::MaskedLabel;
use super::packed_bits::{recv_bits, send_bits};
use super::plan::{BitId, Identified, Plan, by_opening, check_origin, opened_to, share_outputs};
use super::tables::{TableReader, TableWriter};
use super::walk::RunHash;
use super::{Handshake, Input, Opening, Security, TwoParty, check_inputs};
use crate::circuit::{Circuit, Output, Party};
use crate::crypto::{Block, Generator, SecretVec, Step, TweakableHash};
use crate::net::{Channel, Tag, Traffic, Transport};
use crate::ot::Delta;
use crate::{Check, Error, Result};

/// One party's part of a shared bit: masked value, mask and label of the wire. It exists only once
/// the circuit that it comes from has been checked.
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
pub struct AuthenticatedBit {
    #[zeroize(skip)]
    id: BitId,
    /// The value, XORed with the mask. Both parties know it.
    masked: bool,
    mask: Share,
    /// The garbler's label for 0, or the evaluator's label for the masked value.
    label: Block,
}

impl Identified for AuthenticatedBit {
    fn id(&self) -> BitId {
        self.id
    }
}

/// A session that is secure against a malicious peer.
pub struct Malicious<T: Transport> {
    channel: Channel<T>,
    context: Context,
    runs: u64,
    openings: u64,
    /// The secrets; gone once the session has failed.
    secrets: Option<Secrets>,
}

struct Secrets {
    pool: Pool,
    /// Where the garbler's labels come from.
    labels: Generator,
}

impl<T: Transport> Malicious<T> {
    /// Sets up the base OTs of both directions, after a handshake.
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
        if handshake.security != Security::Malicious {
            return Err(Error::usage(
                "the handshake was not for a malicious session",
            ));
        }
        channel.begin_phase("setting up oblivious transfer");
        let context = Context {
            session: handshake.session,
            me: handshake.party,
            hash: TweakableHash::new(&handshake.session),
        };
        // The colour bits of the two Deltas must differ, for the low bits of leaky ANDs to say
        // something; the garbler's is 1, for those of its labels to be colours.
        let delta = Delta::random(context.me == Party::Garbler, rng);
        let pool =
            Pool::setup(&context, &mut channel, delta, rng).inspect_err(|_| channel.abort())?;
        let labels = Generator::new(Block::random(rng));
        Ok(Malicious {
            channel,
            context,
            runs: 0,
            openings: 0,
            secrets: Some(Secrets { pool, labels }),
        })
    }

    /// Sets up a session from scratch: handshake without terms, then base OTs.
    ///
    /// # Errors
    /// Any [`Error`] of a session.
    pub fn new(mut channel: Channel<T>, party: Party, rng: &mut impl CryptoRng) -> Result<Self> {
        let handshake = Handshake::perform(&mut channel, party, Security::Malicious, &[], rng)?;
        Self::setup(channel, &handshake, rng)
    }

    /// Makes sure that the pool holds what circuits with `ands` AND gates and `inputs` input bits
    /// in all need, so that running them takes no preprocessing. The more at once, the cheaper.
    ///
    /// # Errors
    /// Any [`Error`] of a session.
    pub fn prepare(&mut self, ands: usize, inputs: usize) -> Result<()> {
        self.guarded(|session, secrets| {
            session.channel.begin_phase("filling the pool");
            secrets
                .pool
                .reserve(&session.context, &mut session.channel, ands, ands + inputs)
        })
    }

    /// How many triples the pool holds.
    pub fn prepared(&self) -> usize {
        self.secrets
            .as_ref()
            .map_or(0, |secrets| secrets.pool.triples())
    }

    /// Does `step` with the session's secrets, and ends the session if it fails.
    fn guarded<R>(&mut self, step: impl FnOnce(&mut Self, &mut Secrets) -> Result<R>) -> Result<R> {
        let mut secrets = self.secrets.take().ok_or(Error::Failed)?;
        let outcome = step(self, &mut secrets);
        match &outcome {
            Ok(_) | Err(Error::Usage(_)) => self.secrets = Some(secrets),
            Err(_) => self.channel.abort(),
        }
        outcome
    }

    fn run_checked(
        &mut self,
        circuit: &Circuit,
        inputs: &[Input<'_, AuthenticatedBit>],
        secrets: &mut Secrets,
    ) -> Result<Vec<Vec<AuthenticatedBit>>> {
        let Secrets { pool, labels } = secrets;
        let (context, channel) = (&self.context, &mut self.channel);
        let (me, run) = (context.me, self.runs);
        let plan = Plan::of_run(&context.session, me, run, circuit, inputs);
        let ands = circuit.ands();
        pool.reserve(context, channel, ands, ands + circuit.input_bits())?;

        let triples = pool.take_triples(ands);
        let mut input_masks = pool.take_bits(circuit.input_bits());
        let layout = InputLayout::new(me, circuit, inputs);
        for &(wire, bit) in &layout.shared {
            input_masks[wire] = bit.mask;
        }
        let masks = wires::masks(circuit, &input_masks, &pool.take_bits(ands));
        let delta = pool.delta();

        // Flights 1 and 2.
        let differences = wires::differences(circuit, &masks, &triples);
        let to_open = |owner| -> SecretVec<Share> {
            let wires = layout.owned_by(owner);
            let mut shares = SecretVec::with_capacity(differences.len() + wires.len());
            shares.extend_from_slice(&differences);
            shares.extend(wires.into_iter().map(|wire| masks[wire]));
            shares
        };
        let step = (Step::GateMacs, run);
        let send = |channel: &mut Channel<T>| {
            channel.send_message(&plan)?;
            context.send_opening(channel, Tag::GateBits, step, &to_open(me.other()))
        };
        let recv = |channel: &mut Channel<T>| {
            plan.expect(channel)?;
            let check = Check::GateMacs;
            context.recv_opening(channel, Tag::GateBits, step, delta, &to_open(me), check)
        };
        let opened = match me {
            Party::Garbler => {
                send(channel)?;
                channel.flush()?;
                recv(channel)?
            }
            Party::Evaluator => {
                let opened = recv(channel)?;
                send(channel)?;
                opened
            }
        };
        let sums = differences.iter().zip(&opened).map(|(d, bit)| d.bit ^ bit);
        let products = wires::products(&triples, sums, me, delta);

        // The masked values of the inputs: its owner knows both shares of the mask.
        let mut values = layout.values.clone();
        let mine = layout
            .mine
            .iter()
            .copied()
            .zip(&opened[differences.len()..]);
        for ((wire, value), share) in mine {
            values[wire] = value ^ masks[wire].bit ^ share;
        }
        let masks = Masks {
            wires: &masks,
            products: &products,
        };
        let hashes = RunHash {
            hash: &context.hash,
            run,
        };
        let (values, wire_labels) = match me {
            Party::Garbler => {
                // Flight 2, its end, and flight 3.
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
                garbling::garble(circuit, &mut zeros, &masks, delta, &hashes, |table| {
                    tables.push(table)
                })?;
                tables.finish()?;
                // Flight 4.
                let of_ands = recv_bits(channel, Tag::GateValues, ands)?;
                (wires::masked_values(circuit, &values, &of_ands), zeros)
            }
            Party::Evaluator => {
                send_values(channel, &values, layout.owned_by(Party::Evaluator))?;
                channel.flush()?;
                // Flight 3.
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
                let mut tables = TableReader::<_, TABLE_BYTES>::new(channel, ands);
                let of_ands =
                    garbling::evaluate(circuit, &mut wires, &masks, &hashes, || tables.next())?;
                // Flight 4.
                send_bits(channel, Tag::GateValues, of_ands)?;
                (
                    wires.iter().map(|wire| wire.value).collect(),
                    wires.iter().map(|wire| wire.label).collect(),
                )
            }
        };
        // Flights 4 and 5.
        let checked = check(context, channel, delta, run, circuit, &masks, values)?;
        Ok(share_outputs(
            &context.session,
            run,
            circuit,
            |id, output| {
                let (masked, mask, label) = match output {
                    Output::Wire(wire) => {
                        let wire = wire.index();
                        (checked.of(wire), masks.wires[wire], wire_labels[wire])
                    }
                    // A wire without a mask, whose label at the evaluator is zero.
                    Output::Const(value) => {
                        let label = match me {
                            Party::Garbler => delta.select(value),
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
            },
        ))
    }

    fn open_checked(
        &mut self,
        openings: &[Opening<'_, AuthenticatedBit>],
        delta: &Delta,
    ) -> Result<Vec<Option<Vec<bool>>>> {
        let (context, channel) = (&self.context, &mut self.channel);
        let me = context.me;
        let plan = Plan::of_openings(&context.session, me, self.openings, openings);
        let shares_for = |party| -> Vec<Share> {
            opened_to(openings, me, party)
                .into_iter()
                .map(|bit| bit.mask)
                .collect()
        };
        let step = (Step::OutputMacs, self.openings);
        channel.send_message(&plan)?;
        context.send_opening(channel, Tag::OutputBits, step, &shares_for(me.other()))?;
        channel.flush()?;
        plan.expect(channel)?;
        let mine = opened_to(openings, me, me);
        let check = Check::OpeningMacs;
        let theirs = context.recv_opening(
            channel,
            Tag::OutputBits,
            step,
            delta,
            &shares_for(me),
            check,
        )?;
        let values = mine
            .iter()
            .zip(theirs)
            .map(|(bit, theirs)| bit.masked ^ bit.mask.bit ^ theirs);
        Ok(by_opening(openings, values))
    }
}

impl<T: Transport> TwoParty for Malicious<T> {
    type Shared = AuthenticatedBit;

    fn party(&self) -> Party {
        self.context.me
    }

    fn security(&self) -> Security {
        Security::Malicious
    }

    fn run(
        &mut self,
        circuit: &Circuit,
        inputs: &[Input<'_, AuthenticatedBit>],
    ) -> Result<Vec<Vec<AuthenticatedBit>>> {
        check_inputs(&self.context.session, circuit, inputs)?;
        self.guarded(|session, secrets| {
            session.channel.begin_phase("running a circuit");
            let outputs = session.run_checked(circuit, inputs, secrets)?;
            session.runs += 1;
            Ok(outputs)
        })
    }

    fn open(
        &mut self,
        openings: &[Opening<'_, AuthenticatedBit>],
    ) -> Result<Vec<Option<Vec<bool>>>> {
        for opening in openings {
            check_origin(&self.context.session, opening.bits)?;
        }
        self.guarded(|session, secrets| {
            session.channel.begin_phase("opening shared bits");
            let opened = session.open_checked(openings, secrets.pool.delta())?;
            session.openings += 1;
            Ok(opened)
        })
    }

    fn abort(&mut self) {
        self.secrets = None;
        self.channel.abort();
    }

    fn traffic(&self) -> Traffic {
        self.channel.traffic()
    }
}
