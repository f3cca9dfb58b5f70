//! Two players roll two dice. Each player draws values, commits to the values and reveals them.
//! Neither player can choose a face.

use std::error::Error;
use std::thread;

use dealerless::circuit::Party;
use dealerless::dice::{self, Roll, Terms};
use dealerless::net::{Channel, Deadlines, MemoryTransport, memory_pair};
use dealerless::rand::{rand_core::UnwrapErr, rngs::SysRng};

fn main() -> Result<(), Box<dyn Error>> {
    let dice = "2d6".parse()?;
    let terms = |number| Terms {
        context: b"an evening at the table",
        number,
        dice,
    };

    // Over a channel, in one call.
    let play = |role, transport: MemoryTransport| {
        let mut channel = Channel::new(transport, Deadlines::default());
        dice::roll(&mut channel, terms(0), role, &mut UnwrapErr(SysRng))
    };
    let (left, right) = memory_pair();
    let [garbler, evaluator] = thread::scope(|scope| {
        let evaluator = scope.spawn(|| play(Party::Evaluator, right));
        [
            play(Party::Garbler, left),
            evaluator.join().expect("no panic"),
        ]
    });
    let (garbler, evaluator) = (garbler?, evaluator?);
    println!("roll 0, {dice}: {garbler:?}, and the peer saw {evaluator:?}");

    // Step by step, over any connection of the caller. The types enforce the order: a party cannot
    // reveal its values before it has its peer's commitment.
    let commit = |role| Roll::commit(terms(1), role, &mut UnwrapErr(SysRng));
    let [(ann, of_ann), (bob, of_bob)] = Party::BOTH.map(commit);
    let (ann, anns_dice) = ann.reveal(of_bob)?;
    let (bob, bobs_dice) = bob.reveal(of_ann)?;
    let (ann, bob) = (ann.finish(&bobs_dice)?, bob.finish(&anns_dice)?);
    println!("roll 1, {dice}: {ann:?}, and the peer saw {bob:?}");
    Ok(())
}
