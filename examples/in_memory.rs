//! Two parties in one process shuffle a deck of 52 cards and open five of them.
//!
//! Run with `cargo run --example in_memory`.

use std::error::Error;
use std::thread;

use dealerless::circuit::Party;
use dealerless::deck::{self, SealedDeck};
use dealerless::mpc::{Audience, Malicious};
use dealerless::net::{Channel, Deadlines, MemoryTransport, memory_pair};
use dealerless::rand::{rand_core::UnwrapErr, rngs::SysRng};
use dealerless::shuffle::{Algorithm, ShuffleCircuit, Spec};

/// Runs one party. The two parties differ only in `role`.
fn play(role: Party, transport: MemoryTransport, shuffle: &ShuffleCircuit) -> deck::Result<String> {
    let rng = &mut UnwrapErr(SysRng);
    let channel = Channel::new(transport, Deadlines::default());
    let mut session = Malicious::new(channel, role, rng)?;
    let mut deck = SealedDeck::shuffle(&mut session, shuffle, rng)?;

    // One card for each party, and three cards for both.
    let cards = [
        (0, Audience::Only(Party::Garbler)),
        (1, Audience::Only(Party::Evaluator)),
        (2, Audience::Both),
        (3, Audience::Both),
        (4, Audience::Both),
    ];
    let seen = deck.open(&mut session, &cards)?;
    let names = seen.into_iter().map(|card| card?.of_52());
    let names: Vec<String> = names.map(|name| name.unwrap_or("??".into())).collect();
    Ok(names.join(" "))
}

fn main() -> Result<(), Box<dyn Error>> {
    let shuffle = ShuffleCircuit::build_checked(Spec::new(52, 5, Algorithm::FisherYates)?);
    let (left, right) = memory_pair();
    let (garbler, evaluator) = thread::scope(|scope| {
        let evaluator = scope.spawn(|| play(Party::Evaluator, right, &shuffle));
        let garbler = play(Party::Garbler, left, &shuffle);
        (garbler, evaluator.join().expect("no panic"))
    });
    println!("the garbler sees   {}", garbler?);
    println!("the evaluator sees {}", evaluator?);
    Ok(())
}
