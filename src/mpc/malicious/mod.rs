//! Security against a malicious peer: authenticated garbling (Wang, Ranellucci, Katz, CCS 2017;
//! Katz, Ranellucci, Rosulek, Wang, CRYPTO 2018).
//!
//! Every wire has a random mask `l`, which the parties hold as an authenticated shared bit. Both
//! parties know the *masked value* `V = value ^ l`. Neither party's share of `l` alone reveals the
//! value. The check of all AND gates catches a garbler that sends wrong tables. The outcome of the
//! check reveals nothing to the garbler about the inputs, because the evaluator uses only masked
//! values. Outputs stay shared. To open an output, a party sends its share of the mask with a
//! digest of the MAC.
//!
//! | file | step |
//! |---|---|
//! | `share` | authenticated and shared bits |
//! | `leaky_and`, `bucket_size`, `triples` | AND triples, from correlated OT |
//! | `pool` | the preprocessing: triples, random shared bits, masks of entered bits |
//! | `slices` | the division of a run into slices |
//! | `run` | a run of a circuit, slice by slice, and the entered bits |
//! | `in_slice` | one slice, flight by flight |
//! | `quicksilver` | the proof of the AND gates that one party owns |
//! | `wires` | masks of wires, bits opened for AND gates, products of masks |
//! | `garbling` | garbling and evaluating |
//! | `outputs` | fresh masks for outputs |
//! | `check` | the check of all AND gates, inputs and output labels |
//! | `context` | opening authenticated bits; the hashes of the session |
//! | `kept` | outputs that outlive the session |
//! | `bytes` | the number of bytes that runs will send |

mod bucket_size;
mod bytes;
mod check;
mod context;
mod garbling;
mod in_slice;
mod kept;
mod leaky_and;
mod outputs;
mod pool;
mod quicksilver;
mod run;
mod share;
mod slices;
#[cfg(test)]
mod tests;
mod triples;
mod wires;

use rand::CryptoRng;
use zeroize::{Zeroize, ZeroizeOnDrop};

use self::context::{Context, no_pad};
use self::in_slice::InSlice;
use self::outputs::HeldOutput;
use self::pool::Pool;
use super::attempts::{Attempt, Attempts};
use super::error::{Check, Fault, Result};
use super::layout::InputLayout;
use super::live::Live;
use super::plan::{BitId, Identified, Plan};
use super::tag::Tag;
use super::values::opened_to;
use super::{Demand, EngineKind, Greeting, Offer, Opened, Opening, Run, Security, TwoParty, Words};
use crate::circuit::Party;
use crate::crypto::{SessionId, Step, TweakableHash};
use crate::net::{Channel, Traffic};
#[cfg(feature = "internals")]
use crate::ot::dealt::deal;
use crate::ot::{CotReceiver, CotSender, Delta, setup_both};

pub use bytes::MaliciousBytes;
pub use kept::{Keep, KeptBit};

/// One party's part of a shared bit: the masked value, the share of the mask, and the label of the
/// wire. The bit exists only after the run that outputs it has passed the check.
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
pub struct AuthenticatedBit {
    #[zeroize(skip)]
    id: BitId,
    held: HeldOutput,
}

impl Identified for AuthenticatedBit {
    fn id(&self) -> BitId {
        self.id
    }
}

/// The engine with security against a malicious peer.
pub struct Malicious {
    live: Live<Secrets>,
}

/// The secrets of a session, which are wiped when it ends.
struct Secrets {
    context: Context,
    pool: Pool,
    runs: u64,
    /// The number of joint AND gates in each slice of a run.
    slice_ands: usize,
    openings: u64,
    attempts: Box<dyn Attempts>,
}

impl Malicious {
    /// Sets up the session after the hellos: base OTs in both directions.
    ///
    /// `rng` must be cryptographically secure, like the random generator of the operating system.
    ///
    /// # Errors
    /// [`Disagreement::Engine`](super::Disagreement::Engine) if the parties have agreed on another
    /// engine; any other [`Error`](super::Error) of a session.
    pub fn setup(greeting: Greeting, rng: &mut impl CryptoRng) -> Result<Self> {
        Self::with_ots(greeting, rng, |session, role, channel, rng| {
            // The lowest bits of the two Deltas must differ. Then the lowest bits of the leaky ANDs
            // show which `z` to flip. The lowest bit of the garbler's Delta is 1, so that the
            // lowest bit of each label is a colour bit: it differs between the two labels of a
            // wire.
            let delta = Delta::random(role == Party::Garbler, rng);
            Ok(setup_both(channel, session, role, delta, rng)?)
        })
    }

    /// For tests: like [`setup`](Self::setup), with correlated OTs from a trusted dealer.
    ///
    /// # Errors
    /// The same as [`setup`](Self::setup).
    #[cfg(feature = "internals")]
    pub fn dealt(greeting: Greeting, seed: [u8; 32], rng: &mut impl CryptoRng) -> Result<Self> {
        Self::with_ots(greeting, rng, |session, role, _, _| {
            Ok(deal(session, role, seed))
        })
    }

    fn with_ots<R: CryptoRng>(
        greeting: Greeting,
        rng: &mut R,
        ots: impl FnOnce(
            &SessionId,
            Party,
            &mut Channel,
            &mut R,
        ) -> Result<(CotSender, CotReceiver), Fault>,
    ) -> Result<Self> {
        let live = Live::set_up(greeting, EngineKind::Malicious, |channel, role, agreed| {
            let (session, mut attempts) = (agreed.session, agreed.attempts);
            let ots = counted(&mut attempts, Attempt::Setup, || {
                ots(&session, role, channel, rng)
            })?;
            Ok(Secrets {
                pool: Pool::new(ots, rng),
                context: Context {
                    session,
                    me: role,
                    hash: TweakableHash::new(&session),
                    channel_secret: agreed.channel_secret,
                    statistical: agreed.statistical,
                },
                runs: 0,
                slice_ands: slices::SLICE_ANDS,
                openings: 0,
                attempts,
            })
        })?;
        Ok(Malicious { live })
    }

    /// Begins a session on a channel: exchanges hellos without terms, then sets up the session.
    ///
    /// # Errors
    /// Any [`Error`](super::Error) of a session.
    pub fn new(channel: Channel, role: Party, rng: &mut impl CryptoRng) -> Result<Self> {
        let offer = Offer::new(role, EngineKind::Malicious);
        Self::setup(Greeting::exchange(channel, offer, rng)?, rng)
    }

    /// For tests: sets the number of joint AND gates in each slice of later runs. The peer must do
    /// the same.
    #[cfg(feature = "internals")]
    pub fn run_in_slices_of(&mut self, ands: usize) {
        self.live.change(|secrets| secrets.slice_ands = ands);
    }

    /// The number of triples in the pool.
    #[cfg(feature = "internals")]
    pub fn prepared(&self) -> usize {
        self.live
            .secrets()
            .map_or(0, |secrets| secrets.pool.triples())
    }
}

/// Runs `step`, and counts it as a step in which the peer could cheat.
fn counted<R>(
    attempts: &mut Box<dyn Attempts>,
    attempt: Attempt,
    step: impl FnOnce() -> Result<R, Fault>,
) -> Result<R, Fault> {
    attempts.begins(attempt).map_err(Fault::NotCounted)?;
    let done = step()?;
    attempts.ends_well(attempt);
    Ok(done)
}

impl Secrets {
    /// Fills the pool, batch after batch, until it holds at least `demand`.
    fn reserve(&mut self, channel: &mut Channel, demand: &Demand) -> Result<(), Fault> {
        loop {
            let missing = self.pool.missing(demand);
            if missing == Demand::default() {
                return Ok(());
            }
            let (pool, context) = (&mut self.pool, &self.context);
            counted(&mut self.attempts, Attempt::Batch, || {
                pool.fill(context, channel, &Pool::next_batch(&missing))
            })?;
        }
    }

    fn run(
        &mut self,
        channel: &mut Channel,
        run: &Run<'_, AuthenticatedBit>,
        layout: InputLayout<'_, AuthenticatedBit>,
    ) -> Result<Words<AuthenticatedBit>, Fault> {
        let run = run::Run::new(&self.context, self.runs, run, layout, self.slice_ands);
        let mut state = run::State::default();
        let mut outputs = run::HeldOutputs::default();
        for slice in &run.slices {
            self.reserve(channel, &run.demand(slice))?;
            let (context, pool) = (&self.context, &mut self.pool);
            outputs = counted(&mut self.attempts, Attempt::Run, || {
                InSlice::begin(context, &run, slice, &mut state, pool).finish(channel)
            })?;
        }
        self.runs += 1;
        Ok(run.share(&self.context, &outputs))
    }

    fn open(
        &mut self,
        channel: &mut Channel,
        openings: &[Opening<'_, AuthenticatedBit>],
    ) -> Result<Opened, Fault> {
        let (context, me, delta) = (&self.context, self.context.me, self.pool.delta());
        let plan = Plan::of_openings(&context.session, self.openings, openings);
        let masks = |learner| opened_to(openings, learner).map(|bit| bit.held.mask);
        let step = (Step::OutputMacs, self.openings);
        let step = (Tag::OutputBits, |sender| context.oracle(step, sender));
        context.send_plan(channel, &plan)?;
        context.send_opening(channel, step, masks(me.other()), no_pad())?;
        channel.flush()?;
        context.expect_plan(channel, &plan)?;
        let (mine, check) = (masks(me), Check::OpeningMacs);
        let theirs = context.recv_opening(channel, step, delta, mine, no_pad(), check)?;
        self.openings += 1;
        let values = (opened_to(openings, me).zip(theirs.iter())).map(|(bit, theirs)| {
            let HeldOutput { masked, mask, .. } = &bit.held;
            (mask.bit ^ *masked ^ *theirs).reveal()
        });
        Ok(Opened::new(openings, me, values))
    }
}

impl TwoParty for Malicious {
    type Shared = AuthenticatedBit;

    fn role(&self) -> Party {
        self.live.role()
    }

    fn security(&self) -> Security {
        Security::Malicious
    }

    fn prepare(&mut self, demand: Demand) -> Result<()> {
        self.live.secrets()?;
        pool::check(&demand)?;
        self.live.step("filling the pool", |channel, secrets| {
            secrets.reserve(channel, &demand)
        })
    }

    fn run(&mut self, run: Run<'_, AuthenticatedBit>) -> Result<Words<AuthenticatedBit>> {
        self.live.check_run(&run)?;
        let layout = InputLayout::new(&run);
        pool::check(&layout.demand())?;
        self.live.step("running a circuit", |channel, secrets| {
            secrets.run(channel, &run, layout)
        })
    }

    fn open(&mut self, openings: &[Opening<'_, AuthenticatedBit>]) -> Result<Opened> {
        for opening in openings {
            self.live.check_bits(opening.bits)?;
        }
        self.live.step("opening shared bits", |channel, secrets| {
            secrets.open(channel, openings)
        })
    }

    fn abort(&mut self) {
        self.live.abort();
    }

    fn traffic(&self) -> Traffic {
        self.live.traffic()
    }
}
