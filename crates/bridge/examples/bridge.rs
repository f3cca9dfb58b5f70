//! Two clubs jointly deal four boards. Before the play, one club sees only the hands of North and
//! South, the other club only the hands of East and West. After the play, all hands are opened to
//! both clubs and written as PBN.

use std::error::Error;
use std::thread;

use dealerless::circuit::Party;
use dealerless::deck;
use dealerless::mpc::{Audience, Malicious};
use dealerless::net::{Channel, Deadlines, MemoryTransport, memory_pair};
use dealerless::rand::{rand_core::UnwrapErr, rngs::SysRng};
use dealerless::shuffle::split::{Split, SplitCircuit};
use dealerless_bridge::formats::Format;
use dealerless_bridge::{Board, Compass, SealedBoards};

fn main() -> Result<(), Box<dyn Error>> {
    let split = Split::new(13, 4)?;
    let circuit = SplitCircuit::build(split);
    // The party that sees each hand before the play.
    let side = |seat| match seat {
        Compass::North | Compass::South => Audience::Only(Party::Garbler),
        Compass::East | Compass::West => Audience::Only(Party::Evaluator),
    };
    let openings: Vec<_> = (0..split.boards())
        .flat_map(|board| Compass::ALL.map(|seat| (board, seat, side(seat))))
        .collect();

    let play = |role, transport: MemoryTransport| -> deck::Result<_> {
        let rng = &mut UnwrapErr(SysRng);
        let channel = Channel::new(transport, Deadlines::default());
        let mut session = Malicious::new(channel, role, rng)?;
        let mut boards = SealedBoards::deal(&mut session, &circuit, b"example", rng)?;

        let hands = boards.open(&mut session, &openings)?;
        let lines = openings
            .iter()
            .zip(hands)
            .filter_map(|((board, seat, _), hand)| {
                Some(format!("board {}, {seat:?}: {}", board + 1, hand?))
            });
        let seen: Vec<String> = lines.collect();
        boards.open_all(&mut session)?;
        Ok((seen, boards.boards(1)))
    };

    let (left, right) = memory_pair();
    let [garbler, evaluator] = thread::scope(|scope| {
        let evaluator = scope.spawn(|| play(Party::Evaluator, right));
        [
            play(Party::Garbler, left),
            evaluator.join().expect("no panic"),
        ]
    });
    let ((north_south, mine), (east_west, theirs)) = (garbler?, evaluator?);
    println!("the garbler's view: {north_south:#?}");
    println!("the evaluator's view: {east_west:#?}");
    assert_eq!(mine, theirs);
    let boards: Vec<Board> = mine.ok_or("every hand has been opened")?;
    print!("{}", String::from_utf8(Format::Pbn.write(&boards)?)?);
    Ok(())
}
