//! A session whose engine is chosen at run time.

use rand::CryptoRng;

use super::error::{Error, Result};
use super::{
    AuthenticatedBit, Demand, EngineKind, Greeting, Input, Malicious, Opened, Opening, Run,
    Security, SemiHonest, SharedBit, TwoParty, Words,
};
use crate::circuit::Party;
use crate::net::Traffic;

/// One of the two engines, the one that the parties agreed on in their hellos.
///
/// A program that always uses the same engine can use [`SemiHonest`] or [`Malicious`] directly.
pub struct Session(Engine);

enum Engine {
    SemiHonest(Box<SemiHonest>),
    Malicious(Box<Malicious>),
}

/// A shared bit of a [`Session`].
#[derive(Clone)]
pub struct SessionBit(EngineBit);

#[derive(Clone)]
enum EngineBit {
    SemiHonest(SharedBit),
    Malicious(AuthenticatedBit),
}

/// Evaluates an expression with the engine of a session.
macro_rules! with_engine {
    ($session:expr, $engine:ident => $act:expr) => {
        match $session {
            Engine::SemiHonest($engine) => $act,
            Engine::Malicious($engine) => $act,
        }
    };
}

impl Session {
    /// Sets up the engine that the parties have agreed on.
    ///
    /// # Errors
    /// Any [`Error`] of a session.
    pub fn setup(greeting: Greeting, rng: &mut impl CryptoRng) -> Result<Self> {
        Ok(Session(match greeting.engine() {
            EngineKind::SemiHonest => {
                Engine::SemiHonest(Box::new(SemiHonest::setup(greeting, rng)?))
            }
            EngineKind::Malicious => Engine::Malicious(Box::new(Malicious::setup(greeting, rng)?)),
        }))
    }
}

/// An engine's shared bit, which converts to a [`SessionBit`] and back.
trait EngineShared: Clone {
    fn wrap(&self) -> SessionBit;
    fn unwrap(bit: &SessionBit) -> Option<&Self>;
}

macro_rules! engine_shared {
    ($($bit:ident: $engine:ident),*) => {
        $(
            impl EngineShared for $bit {
                fn wrap(&self) -> SessionBit {
                    SessionBit(EngineBit::$engine(self.clone()))
                }

                fn unwrap(bit: &SessionBit) -> Option<&Self> {
                    match &bit.0 {
                        EngineBit::$engine(bit) => Some(bit),
                        _ => None,
                    }
                }
            }
        )*
    };
}

engine_shared!(SharedBit: SemiHonest, AuthenticatedBit: Malicious);

/// Converts shared bits to the engine's type.
fn unwrap_all<S: EngineShared>(bits: &[SessionBit]) -> Result<Vec<S>> {
    // Allocated once, because a vector that grows leaves unwiped copies behind.
    let mut unwrapped = Vec::with_capacity(bits.len());
    for bit in bits {
        let bit = S::unwrap(bit)
            .ok_or_else(|| Error::usage("a shared bit belongs to a different session"))?;
        unwrapped.push(bit.clone());
    }
    Ok(unwrapped)
}

/// Runs a circuit on `engine`, after converting the shared inputs to the engine's type.
fn run<P: TwoParty<Shared: EngineShared>>(
    engine: &mut P,
    run: &Run<'_, SessionBit>,
) -> Result<Words<SessionBit>> {
    let shared: Vec<Vec<P::Shared>> = (run.inputs.iter())
        .map(|input| match input {
            Input::Shared(bits) => unwrap_all(bits),
            Input::By(_) => Ok(Vec::new()),
        })
        .collect::<Result<_>>()?;
    let inputs: Vec<Input<'_, P::Shared>> = (run.inputs.iter().zip(&shared))
        .map(|(input, shared)| match *input {
            Input::By(party) => Input::By(party),
            Input::Shared(_) => Input::Shared(shared),
        })
        .collect();
    let own = Run::new(run.circuit, &inputs, run.mine).in_context(run.context);
    Ok(engine.run(own)?.map(P::Shared::wrap))
}

/// Opens shared bits on `engine`, after converting them to the engine's type.
fn open<P: TwoParty<Shared: EngineShared>>(
    engine: &mut P,
    openings: &[Opening<'_, SessionBit>],
) -> Result<Opened> {
    let bits: Vec<Vec<P::Shared>> = (openings.iter())
        .map(|opening| unwrap_all(opening.bits))
        .collect::<Result<_>>()?;
    let openings: Vec<Opening<'_, P::Shared>> = (openings.iter().zip(&bits))
        .map(|(opening, bits)| Opening {
            to: opening.to,
            bits,
        })
        .collect();
    engine.open(&openings)
}

impl TwoParty for Session {
    type Shared = SessionBit;

    fn role(&self) -> Party {
        with_engine!(&self.0, engine => engine.role())
    }

    fn security(&self) -> Security {
        with_engine!(&self.0, engine => engine.security())
    }

    fn prepare(&mut self, demand: Demand) -> Result<()> {
        with_engine!(&mut self.0, engine => engine.prepare(demand))
    }

    fn run(&mut self, what: Run<'_, SessionBit>) -> Result<Words<SessionBit>> {
        with_engine!(&mut self.0, engine => run(engine.as_mut(), &what))
    }

    fn open(&mut self, openings: &[Opening<'_, SessionBit>]) -> Result<Opened> {
        with_engine!(&mut self.0, engine => open(engine.as_mut(), openings))
    }

    fn abort(&mut self) {
        with_engine!(&mut self.0, engine => engine.abort());
    }

    fn traffic(&self) -> Traffic {
        with_engine!(&self.0, engine => engine.traffic())
    }
}
