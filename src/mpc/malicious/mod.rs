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
//! | `pool` | triples, bits and masks of inputs, made ahead |
//! | `run` | a run of a circuit, flight by flight |
//! | `wires` | masks, differences, products |
//! | `inputs` | masked inputs |
//! | `garbling` | garbling and evaluating |
//! | `check` | the check of all AND gates |
//! | `context` | opening authenticated bits; the session's hashes |

mod bucket_size;
mod check;
mod context;
mod garbling;
mod inputs;
mod leaky_and;
mod pool;
mod run;
mod share;
#[cfg(test)]
mod tests;
mod triples;
mod wires;

use rand::CryptoRng;
use zeroize::{Zeroize, ZeroizeOnDrop};

use self::context::Context;
use self::pool::{Pool, Stock};
use self::run::Run;
use self::share::Share;
use super::plan::{BitId, Identified, Plan, by_opening, check_origin, opened_to};
use super::{Handshake, Input, Opening, Security, TwoParty, check_inputs};
use crate::circuit::{Circuit, Party};
use crate::crypto::{Block, Generator, Step, TweakableHash};
use crate::mpc::tag::Tag;
use crate::net::{Channel, Traffic, Transport};
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

    /// How many triples the pool holds.
    pub fn prepared(&self) -> usize {
        self.secrets
            .as_ref()
            .map_or(0, |secrets| secrets.pool.stock().triples)
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

    fn open_checked(
        &mut self,
        openings: &[Opening<'_, AuthenticatedBit>],
        delta: &Delta,
    ) -> Result<Vec<Option<Vec<bool>>>> {
        let (context, channel) = (&self.context, &mut self.channel);
        let me = context.me;
        let plan = Plan::of_openings(&context.session, me, self.openings, openings);
        let shares_for = |party| (opened_to(openings, me, party).into_iter()).map(|bit| bit.mask);
        let step = (Step::OutputMacs, self.openings);
        channel.send_message(&plan)?;
        let opening = context.opening(step, shares_for(me.other()));
        opening.send(channel, Tag::OutputBits)?;
        channel.flush()?;
        plan.expect(channel)?;
        let mine = opened_to(openings, me, me);
        let (tag, check) = (Tag::OutputBits, Check::OpeningMacs);
        let theirs = context.recv_opening(channel, tag, step, delta, shares_for(me), check)?;
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

    fn prepare(&mut self, ands: usize, inputs: [usize; 2]) -> Result<()> {
        let stock = Stock::for_circuits(ands, inputs);
        self.guarded(|session, secrets| {
            session.channel.begin_phase("filling the pool");
            let (context, channel) = (&session.context, &mut session.channel);
            secrets.pool.reserve(context, channel, stock)
        })
    }

    fn run(
        &mut self,
        circuit: &Circuit,
        inputs: &[Input<'_, AuthenticatedBit>],
    ) -> Result<Vec<Vec<AuthenticatedBit>>> {
        check_inputs(&self.context.session, circuit, inputs)?;
        self.guarded(|session, secrets| {
            session.channel.begin_phase("running a circuit");
            let Secrets { pool, labels } = secrets;
            let (context, channel) = (&session.context, &mut session.channel);
            let run = Run::begin(context, channel, session.runs, circuit, inputs, pool)?;
            let outputs = run.finish(channel, labels)?;
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
