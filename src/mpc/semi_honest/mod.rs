//! Security against a semi-honest peer: the half gates of Zahur, Rosulek and Evans, "Two Halves
//! Make a Whole" (EUROCRYPT 2015), with free XOR and free NOT. The evaluator gets the labels of its
//! inputs from correlated OT under the garbler's Delta.
//!
//! A shared bit is a wire: the garbler holds the label `L0` for 0, and the evaluator holds the
//! active label `L = L0 ^ value * Delta`.

mod half_gates;
mod inputs;
mod open;
#[cfg(test)]
mod tests;

#[cfg(feature = "internals")]
pub use half_gates::{evaluate, garble};

use rand::CryptoRng;
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;
use zeroize::{Zeroize, ZeroizeOnDrop};

use self::half_gates::{evaluate_part, garble_part};
use self::inputs::{EvaluatorCots, GarblerCots};
use super::channel_secret::ChannelSecret;
use super::error::{Check, Fault, Result};
use super::label::{ActiveLabel, HeldLabel, ZeroLabel, active_labels};
use super::layout::{InputLayout, Wires};
use super::live::Live;
use super::packed_bits::pack;
use super::plan::{BitId, Identified, Plan, share_outputs};
use super::tables::{TableReader, TableWriter};
use super::tag::Tag;
use super::walk::RunHash;
use super::{Demand, EngineKind, Greeting, Offer, Opened, Opening, Run, Security, TwoParty, Words};
use crate::circuit::{Output, Party};
use crate::crypto::{Oracle, SecretVec, SessionId, Step, TweakableHash};
use crate::net::{self, Channel, Message, Traffic};
#[cfg(feature = "internals")]
use crate::ot::dealt::deal;
use crate::ot::{CotReceiver, CotSender, Delta};

/// One party's part of a shared bit: its label of the wire.
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
pub struct SharedBit {
    #[zeroize(skip)]
    id: BitId,
    label: HeldLabel,
}

impl Identified for SharedBit {
    fn id(&self) -> BitId {
        self.id
    }
}

/// The engine with security against a semi-honest peer.
pub struct SemiHonest {
    live: Live<Secrets>,
}

/// The secrets of a session, which are wiped when it ends.
struct Secrets {
    context: Context,
    role: Role,
    /// The number of runs and the number of exchanges of openings so far.
    runs: u64,
    openings: u64,
}

/// The data about the session that every step needs.
struct Context {
    session: SessionId,
    hash: TweakableHash,
    channel_secret: ChannelSecret,
}

/// The state that a party keeps between runs, depending on its role.
enum Role {
    Garbler { cots: GarblerCots },
    Evaluator { cots: EvaluatorCots },
}

impl Role {
    fn garbler(channel: &mut Channel, cots: CotSender) -> Result<Self, Fault> {
        let cots = GarblerCots::first(channel, cots)?;
        Ok(Role::Garbler { cots })
    }

    fn evaluator(channel: &mut Channel, cots: CotReceiver) -> Result<Self, Fault> {
        let cots = EvaluatorCots::first(channel, cots)?;
        Ok(Role::Evaluator { cots })
    }

    fn party(&self) -> Party {
        match self {
            Role::Garbler { .. } => Party::Garbler,
            Role::Evaluator { .. } => Party::Evaluator,
        }
    }
}

impl SemiHonest {
    /// Sets up the session after the hellos: runs the base OTs and derives the first correlated
    /// OTs. One setup is enough for any number of runs.
    ///
    /// `rng` must be cryptographically secure, like the random generator of the operating system.
    ///
    /// # Errors
    /// [`Disagreement::Engine`](super::Disagreement::Engine) if the parties have agreed on another
    /// engine; any other [`Error`](super::Error) of a session.
    pub fn setup(greeting: Greeting, rng: &mut impl CryptoRng) -> Result<Self> {
        Self::with_role(greeting, |session, role, channel| match role {
            Party::Garbler => {
                let delta = Delta::random(true, rng);
                let cots = CotSender::setup(channel, session, role, delta, rng)?;
                Role::garbler(channel, cots)
            }
            Party::Evaluator => {
                let cots = CotReceiver::setup(channel, session, role, rng)?;
                Role::evaluator(channel, cots)
            }
        })
    }

    /// For tests: like [`setup`](Self::setup), with correlated OTs from a trusted dealer.
    ///
    /// # Errors
    /// The same as [`setup`](Self::setup).
    #[cfg(feature = "internals")]
    pub fn dealt(greeting: Greeting, seed: [u8; 32]) -> Result<Self> {
        Self::with_role(greeting, |session, role, channel| {
            let (sender, receiver) = deal(session, role, seed);
            match role {
                Party::Garbler => Role::garbler(channel, sender),
                Party::Evaluator => Role::evaluator(channel, receiver),
            }
        })
    }

    fn with_role(
        greeting: Greeting,
        set_up: impl FnOnce(&SessionId, Party, &mut Channel) -> Result<Role, Fault>,
    ) -> Result<Self> {
        let live = Live::set_up(greeting, EngineKind::SemiHonest, |channel, role, agreed| {
            let session = agreed.session;
            Ok(Secrets {
                role: set_up(&session, role, channel)?,
                context: Context {
                    session,
                    hash: TweakableHash::new(&session),
                    channel_secret: agreed.channel_secret,
                },
                runs: 0,
                openings: 0,
            })
        })?;
        Ok(SemiHonest { live })
    }

    /// Begins a session on a channel: exchanges hellos without terms, then sets up the session.
    ///
    /// # Errors
    /// Any [`Error`](super::Error) of a session.
    pub fn new(channel: Channel, role: Party, rng: &mut impl CryptoRng) -> Result<Self> {
        let offer = Offer::new(role, EngineKind::SemiHonest);
        Self::setup(Greeting::exchange(channel, offer, rng)?, rng)
    }
}

/// The digest of the evaluator's masked inputs as received by the garbler. Only this digest proves
/// to the evaluator that its masked inputs were not changed in transit.
#[derive(Serialize, Deserialize)]
struct InputDigest([u8; 32]);

impl Message for InputDigest {
    const TAG: net::Tag = Tag::InputDigest.tag();
    const MAX_BYTES: usize = 32;
}

impl Context {
    fn input_digest(&self, run: u64, masked: &[bool]) -> InputDigest {
        let oracle = Oracle::new(&self.session, Step::MaskedInputs, run);
        let oracle = self.channel_secret.absorbed_by(oracle);
        InputDigest(oracle.absorb(&pack(masked.iter().copied())).digest())
    }

    fn hashes(&self, run: u64) -> RunHash<'_> {
        RunHash {
            hash: &self.hash,
            run,
        }
    }
}

impl Secrets {
    fn run(
        &mut self,
        channel: &mut Channel,
        run: &Run<'_, SharedBit>,
    ) -> Result<Words<SharedBit>, Fault> {
        let (context, circuit, number) = (&self.context, run.circuit, self.runs);
        let layout = InputLayout::new(run);
        let slots = layout.slots();
        let share = |label_of: &dyn Fn(Output) -> HeldLabel| {
            share_outputs(&context.session, number, circuit, |id, output| SharedBit {
                id,
                label: label_of(output),
            })
        };
        let bits = match &mut self.role {
            Role::Garbler { cots } => {
                let zeros = garble_run(context, channel, number, run, &layout, cots)?;
                share(&|output| {
                    HeldLabel::Zero(match output {
                        Output::Const(value) => ZeroLabel(cots.delta().select(value)),
                        Output::Wire(wire) => zeros[slots.of(wire.index())],
                    })
                })
            }
            Role::Evaluator { cots } => {
                let active = evaluate_run(context, channel, number, run, &layout, cots)?;
                share(&|output| {
                    HeldLabel::Active(match output {
                        // The evaluator's label of a constant is zero.
                        Output::Const(_) => ActiveLabel::default(),
                        Output::Wire(wire) => active[slots.of(wire.index())],
                    })
                })
            }
        };
        self.runs += 1;
        Ok(Words::of_outputs(circuit, bits))
    }
}

/// Executes run `number` at the garbler. Returns the labels for 0 in their slots, after the last
/// gate.
fn garble_run(
    context: &Context,
    channel: &mut Channel,
    number: u64,
    run: &Run<'_, SharedBit>,
    layout: &InputLayout<'_, SharedBit>,
    cots: &mut GarblerCots,
) -> Result<SecretVec<ZeroLabel>, Fault> {
    let plan = Plan::of_run(&context.session, number, run);
    let theirs = layout.count(Party::Evaluator);
    cots.reserve(channel, theirs)?;
    plan.expect(channel, Party::Garbler, &context.channel_secret)?;
    let (masked, of_evaluator) = cots.receive_inputs(channel, theirs)?;
    plan.send(channel, Party::Garbler, &context.channel_secret)?;
    channel.send_message(&context.input_digest(number, &masked))?;

    let delta = cots.delta();
    let active = active_labels(&context.session, number, layout.count(Party::Garbler));
    let bits = layout.enter(Party::Garbler, run.mine);
    let pairs = active.iter().zip(bits.iter());
    let of_garbler: SecretVec<_> = pairs.map(|(label, bit)| label.zero(*bit, delta)).collect();
    let mut entered = layout.zeros();
    layout.put(Party::Garbler, &of_garbler, &mut entered);
    layout.put(Party::Evaluator, &of_evaluator, &mut entered);
    for &(wire, bit) in &layout.shared {
        entered.inputs[wire] = bit.label.zero();
    }

    let mut tables = TableWriter::new(channel);
    let (part, hashes) = (layout.whole(), context.hashes(number));
    let mut wires = Wires::new(entered, layout.slots());
    let mut products = wires.entered.products_from(&part);
    garble_part(
        &part,
        &mut wires.held,
        |owner| products[owner].next().copied(),
        delta,
        &hashes,
        |table| tables.push(bytemuck::cast::<_, [u8; 32]>(table)),
    )?;
    tables.finish()?;
    Ok(wires.held)
}

/// Executes run `number` at the evaluator. Returns the active labels in their slots, after the last
/// gate.
fn evaluate_run(
    context: &Context,
    channel: &mut Channel,
    number: u64,
    run: &Run<'_, SharedBit>,
    layout: &InputLayout<'_, SharedBit>,
    cots: &mut EvaluatorCots,
) -> Result<SecretVec<ActiveLabel>, Fault> {
    let plan = Plan::of_run(&context.session, number, run);
    let bits = layout.enter(Party::Evaluator, run.mine);
    cots.reserve(channel, bits.len())?;
    plan.send(channel, Party::Evaluator, &context.channel_secret)?;
    let (masked, own) = cots.send_inputs(channel, &bits)?;
    channel.flush()?;

    plan.expect(channel, Party::Evaluator, &context.channel_secret)?;
    let digest: InputDigest = channel.recv_message()?;
    if !bool::from(digest.0.ct_eq(&context.input_digest(number, &masked).0)) {
        return Err(Check::MaskedInputs.into());
    }
    let theirs = active_labels(&context.session, number, layout.count(Party::Garbler));
    let mut entered = layout.zeros();
    layout.put(Party::Garbler, &theirs, &mut entered);
    layout.put(Party::Evaluator, &own, &mut entered);
    for &(wire, bit) in &layout.shared {
        entered.inputs[wire] = bit.label.active();
    }
    let (part, hashes) = (layout.whole(), context.hashes(number));
    let mut tables = TableReader::new(channel, part.ands.len());
    let mut wires = Wires::new(entered, layout.slots());
    let mut products = wires.entered.products_from(&part);
    evaluate_part(
        &part,
        &mut wires.held,
        |owner| products[owner].next().copied(),
        &hashes,
        || tables.next().map(bytemuck::cast::<[u8; 32], _>),
    )?;
    Ok(wires.held)
}

impl TwoParty for SemiHonest {
    type Shared = SharedBit;

    fn role(&self) -> Party {
        self.live.role()
    }

    fn security(&self) -> Security {
        Security::SemiHonest
    }

    /// Only checks that the session has not ended. Correlated OTs are the only preprocessing, and a
    /// run that needs some makes thousands of them at once anyway.
    fn prepare(&mut self, _: Demand) -> Result<()> {
        self.live.secrets().map(|_| ())
    }

    fn run(&mut self, run: Run<'_, SharedBit>) -> Result<Words<SharedBit>> {
        self.live.check_run(&run)?;
        self.live.step("running a circuit", |channel, secrets| {
            secrets.run(channel, &run)
        })
    }

    fn open(&mut self, openings: &[Opening<'_, SharedBit>]) -> Result<Opened> {
        for opening in openings {
            self.live.check_bits(opening.bits)?;
        }
        self.live.step("opening shared bits", |channel, secrets| {
            open::open(secrets, channel, openings)
        })
    }

    fn abort(&mut self) {
        self.live.abort();
    }

    fn traffic(&self) -> Traffic {
        self.live.traffic()
    }
}
