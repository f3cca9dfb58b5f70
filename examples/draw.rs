//! Two players draw from a pile of development cards. Each sees its own cards. Later, one player
//! plays a card, and shows another card without playing it.

use std::error::Error;
use std::thread;

use dealerless::circuit::Party;
use dealerless::deck::{self, Choice, Kinds, Pile, SealedDeck, circuit};
use dealerless::mpc::{Malicious, Security};
use dealerless::net::{Channel, Deadlines, MemoryTransport, memory_pair};
use dealerless::rand::{rand_core::UnwrapErr, rngs::SysRng};

const NAMES: [&str; 5] = [
    "knight",
    "victory point",
    "road building",
    "year of plenty",
    "monopoly",
];
const COUNTS: [u32; 5] = [14, 5, 2, 2, 2];

fn main() -> Result<(), Box<dyn Error>> {
    let kinds = Kinds::new(&COUNTS)?;
    let cards = kinds.cards();
    let spec = Choice::Cheapest.spec(cards, cards)?;
    let shuffle = circuit(spec, Security::Malicious);

    let play = |role, transport: MemoryTransport| -> deck::Result<Vec<String>> {
        let rng = &mut UnwrapErr(SysRng);
        let channel = Channel::new(transport, Deadlines::default());
        let mut session = Malicious::new(channel, role, rng)?;
        let deck = SealedDeck::shuffle(&mut session, &shuffle, rng)?;
        let mut pile = Pile::new(kinds.clone(), deck)?;

        let mut seen = Vec::new();
        for by in [Party::Garbler, Party::Evaluator, Party::Garbler] {
            let position = pile.draw(&mut session, by)?;
            let card = pile.kind(position).map_or("a card", |kind| NAMES[kind]);
            seen.push(format!("the {by} draws {card}"));
        }
        let kind = pile.play(&mut session, 0)?;
        seen.push(format!("the garbler plays {}", NAMES[kind]));
        let kind = pile.show(&mut session, 2)?;
        seen.push(format!("the garbler still holds {}", NAMES[kind]));
        seen.push(format!("{} cards are left", pile.left()));
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
