//! A custom engine: the parties send each other their inputs and compute in plaintext. The engine
//! protects nothing, but is useful for trying out a game. Decks work with this engine as with any
//! other.
//!
//! Run with `cargo run --example own_engine`.

use std::error::Error;
use std::thread;

use dealerless::circuit::{ByParty, Party};
use dealerless::deck::{self, Card, SealedDeck};
use dealerless::mpc::{
    Audience, Demand, Input, Opened, Opening, Result, Run, Security, TwoParty, Words,
};
use dealerless::net::{Channel, Deadlines, MemoryTransport, Message, Tag, Traffic, memory_pair};
use dealerless::rand::{rand_core::UnwrapErr, rngs::SysRng};
use dealerless::shuffle::{Algorithm, ShuffleCircuit, Spec};
use serde::{Deserialize, Serialize};

/// The only message of this engine: the inputs of a party. Tags from 128 on are free for
/// other protocols.
#[derive(Serialize, Deserialize)]
struct Entered(Vec<bool>);

impl Message for Entered {
    const TAG: Tag = Tag::new(128, "inputs");
    const MAX_BYTES: usize = 4096;
}

/// A session in plaintext.
struct Clear {
    channel: Channel,
    role: Party,
}

impl TwoParty for Clear {
    /// The bit itself, which both parties know.
    type Shared = bool;

    fn role(&self) -> Party {
        self.role
    }

    fn security(&self) -> Security {
        Security::SemiHonest
    }

    fn prepare(&mut self, _: Demand) -> Result<()> {
        Ok(())
    }

    fn run(&mut self, run: Run<'_, bool>) -> Result<Words<bool>> {
        self.channel.send_message(&Entered(run.mine().to_vec()))?;
        let Entered(theirs) = self.channel.recv_message()?;
        let mut entered = ByParty::from_fn(|party| {
            let bits = if party == self.role {
                run.mine()
            } else {
                &theirs
            };
            bits.iter().copied()
        });
        let value = |(input, bits): (&Input<'_, bool>, &usize)| match *input {
            Input::By(party) => entered[party].by_ref().take(*bits).collect(),
            Input::Shared(bits) => bits.to_vec(),
        };
        let inputs = run.inputs().iter().zip(run.circuit().inputs());
        let inputs: Vec<Vec<bool>> = inputs.map(value).collect();
        let outputs = run.circuit().evaluate(&inputs).expect("an honest peer");
        Ok(Words::of_outputs(run.circuit(), outputs.concat()))
    }

    fn open(&mut self, openings: &[Opening<'_, bool>]) -> Result<Opened> {
        let mine = openings
            .iter()
            .filter(|opening| opening.to.includes(self.role));
        let values: Vec<bool> = mine.flat_map(|opening| opening.bits).copied().collect();
        Ok(Opened::new(openings, self.role, values))
    }

    fn abort(&mut self) {
        self.channel.abort();
    }

    fn traffic(&self) -> Traffic {
        self.channel.traffic()
    }
}

fn play(role: Party, transport: MemoryTransport) -> deck::Result<Vec<Option<Card>>> {
    let spec = Spec::new(10, 3, Algorithm::Waksman).expect("3 of 10 can be drawn");
    let channel = Channel::new(transport, Deadlines::default());
    let mut session = Clear { channel, role };
    let rng = &mut UnwrapErr(SysRng);
    let mut deck = SealedDeck::shuffle(&mut session, &ShuffleCircuit::build(spec), rng)?;
    let to_garbler = Audience::Only(Party::Garbler);
    deck.open(&mut session, &[(0, Audience::Both), (1, to_garbler)])
}

fn main() -> Result<(), Box<dyn Error>> {
    let (left, right) = memory_pair();
    let evaluator = thread::spawn(move || play(Party::Evaluator, right));
    let garbler = play(Party::Garbler, left)?;
    let evaluator = evaluator.join().expect("no panic")?;
    println!("the garbler sees   {garbler:?}");
    println!("the evaluator sees {evaluator:?}");
    Ok(())
}
