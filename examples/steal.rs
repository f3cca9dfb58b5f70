//! One player steals a random card from the other player's hand. Neither player chooses the card,
//! and both learn it. The thief learns nothing about the other cards.

use std::error::Error;
use std::thread;

use dealerless::circuit::Party;
use dealerless::deck::{self, SealedDeck};
use dealerless::mpc::{Audience, Malicious};
use dealerless::net::{Channel, Deadlines, MemoryTransport, memory_pair};
use dealerless::rand::{rand_core::UnwrapErr, rngs::SysRng};
use dealerless::shuffle::{Algorithm, ShuffleCircuit, Spec};

/// The positions of the garbler's hand.
const HAND: [usize; 7] = [0, 1, 2, 3, 4, 5, 6];

fn main() -> Result<(), Box<dyn Error>> {
    let spec = Spec::new(52, HAND.len(), Algorithm::FisherYates)?;
    let shuffle = ShuffleCircuit::build_checked(spec);

    let play = |role, transport: MemoryTransport| -> deck::Result<Vec<String>> {
        let rng = &mut UnwrapErr(SysRng);
        let channel = Channel::new(transport, Deadlines::default());
        let mut session = Malicious::new(channel, role, rng)?;
        let mut deck = SealedDeck::shuffle(&mut session, &shuffle, rng)?;
        let hand = HAND.map(|position| (position, Audience::Only(Party::Garbler)));
        deck.open(&mut session, &hand)?;
        let mut seen = vec![format!("the hand: {}", names(&deck, &HAND))];

        let stolen = deck.steal(&mut session, Party::Garbler, &HAND, rng)?;
        let stolen = stolen.of_52().expect("one of 52");
        seen.push(format!("the evaluator steals {stolen}"));
        seen.push(format!("the rest: {}", names(&deck, &HAND[1..])));
        Ok(seen)
    };

    let (left, right) = memory_pair();
    let [garbler, evaluator] = thread::scope(|scope| {
        let evaluator = scope.spawn(|| play(Party::Evaluator, right));
        [
            play(Party::Garbler, left),
            evaluator.join().expect("no panic"),
        ]
    });
    println!("as the garbler sees it: {:#?}", garbler?);
    println!("as the evaluator sees it: {:#?}", evaluator?);
    Ok(())
}

/// Returns the names of the cards that this party has seen, and `?` for any other card.
fn names<S: Clone>(deck: &SealedDeck<S>, positions: &[usize]) -> String {
    let name = |&position| {
        let card = deck.seen(position);
        card.and_then(|card| card.of_52()).unwrap_or("?".into())
    };
    positions.iter().map(name).collect::<Vec<_>>().join(" ")
}
