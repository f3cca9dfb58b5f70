//! Two parties in one process shuffle a deck of 52 and open five cards.
//!
//! Run with `cargo run --example in_memory`.

use std::thread;

use dealerless::circuit::Party;
use dealerless::deck::SealedDeck;
use dealerless::mpc::{Malicious, To};
use dealerless::net::{Channel, Deadlines, MemoryTransport, memory_pair};
use dealerless::shuffle::{Algorithm, ShuffleCircuit, Spec};
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;

/// What each of the two does: the same, but for who it is.
fn play(party: Party, transport: MemoryTransport) -> dealerless::Result<Vec<String>> {
    let mut rng = UnwrapErr(SysRng);
    let spec = Spec::new(52, 5, Algorithm::FisherYates).expect("5 of 52 can be drawn");
    let shuffle = ShuffleCircuit::build_checked(spec);

    let channel = Channel::new(transport, Deadlines::default());
    let mut session = Malicious::new(channel, party, &mut rng)?;
    let mut deck = SealedDeck::shuffle(&mut session, &shuffle, &mut rng)?;

    // The first two cards are mine or the peer's, the other three are for both.
    let (garblers, evaluators) = match party {
        Party::Garbler => (To::Me, To::Peer),
        Party::Evaluator => (To::Peer, To::Me),
    };
    let wanted = [
        (0, garblers),
        (1, evaluators),
        (2, To::Both),
        (3, To::Both),
        (4, To::Both),
    ];
    let cards = deck.open(&mut session, &wanted)?;
    Ok(cards
        .into_iter()
        .map(|card| card.and_then(|card| card.of_52()).unwrap_or("??".into()))
        .collect())
}

fn main() -> dealerless::Result<()> {
    let (left, right) = memory_pair();
    let evaluator = thread::spawn(move || play(Party::Evaluator, right));
    let garbler = play(Party::Garbler, left)?;
    let evaluator = evaluator.join().expect("the other party did not panic")?;
    println!("the garbler sees   {}", garbler.join(" "));
    println!("the evaluator sees {}", evaluator.join(" "));
    Ok(())
}
