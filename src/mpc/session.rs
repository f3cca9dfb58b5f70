//! A session whose security is chosen when the program runs.

use rand::CryptoRng;

use super::{
    AuthenticatedBit, Handshake, Input, Malicious, Opening, Security, SemiHonest, SharedBit,
    TwoParty,
};
use crate::circuit::{Circuit, Party};
use crate::net::{Channel, Traffic, Transport};
use crate::{Error, Result};

/// One of the engines, as the handshake has agreed.
///
/// A caller that knows the engine when it is compiled uses [`SemiHonest`] or [`Malicious`], whose
/// shared bits have types of their own.
pub struct Session<T: Transport>(Engine<T>);

enum Engine<T: Transport> {
    SemiHonest(Box<SemiHonest<T>>),
    Malicious(Box<Malicious<T>>),
}

/// A shared bit of a [`Session`].
#[derive(Clone)]
pub struct SessionBit(EngineBit);

#[derive(Clone)]
enum EngineBit {
    SemiHonest(SharedBit),
    Malicious(AuthenticatedBit),
}

impl<T: Transport> Session<T> {
    /// Sets up the engine that the handshake agreed on.
    ///
    /// # Errors
    /// Any [`Error`] of a session.
    pub fn setup(
        channel: Channel<T>,
        handshake: &Handshake,
        rng: &mut impl CryptoRng,
    ) -> Result<Self> {
        Ok(Session(match handshake.security {
            Security::SemiHonest => {
                Engine::SemiHonest(Box::new(SemiHonest::setup(channel, handshake, rng)?))
            }
            Security::Malicious => {
                Engine::Malicious(Box::new(Malicious::setup(channel, handshake, rng)?))
            }
        }))
    }
}

impl SessionBit {
    fn semi_honest(&self) -> Result<SharedBit> {
        match &self.0 {
            EngineBit::SemiHonest(bit) => Ok(bit.clone()),
            EngineBit::Malicious(_) => Err(foreign_bit()),
        }
    }

    fn malicious(&self) -> Result<AuthenticatedBit> {
        match &self.0 {
            EngineBit::Malicious(bit) => Ok(bit.clone()),
            EngineBit::SemiHonest(_) => Err(foreign_bit()),
        }
    }
}

fn foreign_bit() -> Error {
    Error::usage("a shared bit of another session")
}

/// Shared bits in the engine's own type.
fn unwrap_all<S>(bits: &[SessionBit], unwrap: impl Fn(&SessionBit) -> Result<S>) -> Result<Vec<S>> {
    // Room for all at once: a vector that grows leaves copies behind that nobody wipes.
    let mut unwrapped = Vec::with_capacity(bits.len());
    for bit in bits {
        unwrapped.push(unwrap(bit)?);
    }
    Ok(unwrapped)
}

/// Runs with the bits in the engine's own type.
fn run<P: TwoParty>(
    engine: &mut P,
    circuit: &Circuit,
    inputs: &[Input<'_, SessionBit>],
    unwrap: impl Fn(&SessionBit) -> Result<P::Shared>,
    wrap: impl Fn(P::Shared) -> SessionBit,
) -> Result<Vec<Vec<SessionBit>>> {
    let shared: Vec<Vec<P::Shared>> = inputs
        .iter()
        .map(|input| match input {
            Input::Shared(bits) => unwrap_all(bits, &unwrap),
            Input::Mine(_) | Input::Peer => Ok(Vec::new()),
        })
        .collect::<Result<_>>()?;
    let inputs: Vec<Input<'_, P::Shared>> = inputs
        .iter()
        .zip(&shared)
        .map(|(input, shared)| match *input {
            Input::Mine(values) => Input::Mine(values),
            Input::Peer => Input::Peer,
            Input::Shared(_) => Input::Shared(shared),
        })
        .collect();
    let outputs = engine.run(circuit, &inputs)?;
    Ok(outputs
        .into_iter()
        .map(|word| word.into_iter().map(&wrap).collect())
        .collect())
}

/// Opens with the bits in the engine's own type.
fn open<P: TwoParty>(
    engine: &mut P,
    openings: &[Opening<'_, SessionBit>],
    unwrap: impl Fn(&SessionBit) -> Result<P::Shared>,
) -> Result<Vec<Option<Vec<bool>>>> {
    let bits: Vec<Vec<P::Shared>> = openings
        .iter()
        .map(|opening| unwrap_all(opening.bits, &unwrap))
        .collect::<Result<_>>()?;
    let openings: Vec<Opening<'_, P::Shared>> = openings
        .iter()
        .zip(&bits)
        .map(|(opening, bits)| Opening {
            to: opening.to,
            bits,
        })
        .collect();
    engine.open(&openings)
}

impl<T: Transport> TwoParty for Session<T> {
    type Shared = SessionBit;

    fn party(&self) -> Party {
        match &self.0 {
            Engine::SemiHonest(engine) => engine.party(),
            Engine::Malicious(engine) => engine.party(),
        }
    }

    fn security(&self) -> Security {
        match &self.0 {
            Engine::SemiHonest(_) => Security::SemiHonest,
            Engine::Malicious(_) => Security::Malicious,
        }
    }

    fn prepare(&mut self, ands: usize, inputs: [usize; 2]) -> Result<()> {
        match &mut self.0 {
            Engine::SemiHonest(engine) => engine.prepare(ands, inputs),
            Engine::Malicious(engine) => engine.prepare(ands, inputs),
        }
    }

    fn run(
        &mut self,
        circuit: &Circuit,
        inputs: &[Input<'_, SessionBit>],
    ) -> Result<Vec<Vec<SessionBit>>> {
        match &mut self.0 {
            Engine::SemiHonest(engine) => run(
                engine.as_mut(),
                circuit,
                inputs,
                SessionBit::semi_honest,
                |bit| SessionBit(EngineBit::SemiHonest(bit)),
            ),
            Engine::Malicious(engine) => run(
                engine.as_mut(),
                circuit,
                inputs,
                SessionBit::malicious,
                |bit| SessionBit(EngineBit::Malicious(bit)),
            ),
        }
    }

    fn open(&mut self, openings: &[Opening<'_, SessionBit>]) -> Result<Vec<Option<Vec<bool>>>> {
        match &mut self.0 {
            Engine::SemiHonest(engine) => open(engine.as_mut(), openings, SessionBit::semi_honest),
            Engine::Malicious(engine) => open(engine.as_mut(), openings, SessionBit::malicious),
        }
    }

    fn abort(&mut self) {
        match &mut self.0 {
            Engine::SemiHonest(engine) => engine.abort(),
            Engine::Malicious(engine) => engine.abort(),
        }
    }

    fn traffic(&self) -> Traffic {
        match &self.0 {
            Engine::SemiHonest(engine) => engine.traffic(),
            Engine::Malicious(engine) => engine.traffic(),
        }
    }
}
