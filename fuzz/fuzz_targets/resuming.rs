//! A program that takes up its match again with files that were changed, and meets another that
//! sends anything: it refuses the files and leaves them as they are, or goes on; whatever it hears,
//! nothing that an honest seat signed convicts it while its own files are whole.
//!
//! Input: a game, a seat and a moment; changes of its files; then what the other sends, changed.

#![no_main]

#[allow(dead_code, reason = "the tests from which it comes use more of it")]
#[path = "../../table/tests/promises/resuming/disk.rs"]
mod disk;
mod edits;
#[allow(dead_code, reason = "the tests from which it comes use more of it")]
#[path = "../../table/tests/promises/resuming/games.rs"]
mod games;
#[allow(dead_code, reason = "the tests from which it comes use more of it")]
#[path = "../../table/tests/promises/resuming/side.rs"]
mod side;
#[allow(dead_code, reason = "the tests from which it comes use more of it")]
#[path = "../../table/tests/promises/resuming/world.rs"]
mod world;

use std::sync::LazyLock;

use dealerless_table::Seat;
use dealerless_table::log::{LogMessage, MatchLog, Phase, Storage};
use dealerless_table::play::{Event, News, Order, Orders, Outbox, PlayError};
use disk::{Disk, Files};
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use games::Game;
use side::{Program, start};
use world::{Plan, World};

/// A match that was played, as it was at each seat before each of its deeds.
struct Played {
    game: Game,
    moments: [Vec<Files>; 2],
    log: MatchLog,
}

static PLAYED: LazyLock<[Played; 2]> = LazyLock::new(|| {
    [Game::Holdem, Game::Deck].map(|game| {
        let plan = Plan {
            game,
            ..Plan::default()
        };
        let went = World::play(&plan);
        let over = start(&went.disks[0], Seat::HOST, game).expect("honest files");
        Played {
            game,
            moments: went.disks.each_ref().map(Disk::before_each_deed),
            log: over.log().clone(),
        }
    })
});

/// Takes what is sent; there is no engine.
#[derive(Default)]
struct Nowhere(usize);

impl Outbox for Nowhere {
    fn send(&mut self, message: Vec<u8>) -> std::io::Result<()> {
        LogMessage::decode(&message).expect("what is sent can be read");
        self.0 += 1;
        Ok(())
    }
}

impl Orders for Nowhere {
    fn order(&mut self, _: Order) {}
}

/// What the other tells when it has all parts up to the end, from a step on.
fn told(log: &MatchLog, from: u64) -> Vec<LogMessage> {
    let parts = log.history(from).cloned().map(LogMessage::Part);
    let resume = LogMessage::Resume(log.resume_from(from));
    std::iter::once(resume).chain(parts).collect()
}

/// Plays on until it hears nothing more or cannot go on.
fn go_on(program: &mut Program, messages: Vec<Vec<u8>>) -> std::result::Result<(), PlayError> {
    program.resume()?;
    for message in messages {
        program.advance(&mut Nowhere::default(), &mut Nowhere::default())?;
        while let Some(news) = program.news() {
            if let News::Card { position, .. } = news {
                assert!(program.card(position).is_some());
            }
        }
        program.receive(Event::Received(message))?;
    }
    program.advance(&mut Nowhere::default(), &mut Nowhere::default())
}

fn run(input: &mut Unstructured) -> Result<()> {
    let played = input.choose(&*PLAYED)?;
    let seat = Seat::new(input.int_in_range(0..=1)?);
    let honest = input.choose(&played.moments[seat.index()])?;
    let mut files = honest.clone();
    match input.int_in_range(0..=4)? {
        0 => edits::edit(&mut files.log, input)?,
        1 => edits::edit(&mut files.inputs, input)?,
        2 => {
            let mut deck = files.deck.take().unwrap_or_default();
            edits::edit(&mut deck, input)?;
            files.deck = Some(deck);
        }
        // Of another moment.
        3 => files.deck = input.choose(&played.moments[seat.index()])?.deck.clone(),
        _ => {}
    }
    let whole = files == *honest;
    let disk = Disk::of(files);
    let mut program = match start(&disk, seat, played.game) {
        Ok(program) => program,
        Err(_) => {
            assert!(!whole, "honest files are taken");
            return Ok(());
        }
    };

    let step = program.log().step();
    let from = input.int_in_range(0..=step)?;
    let mut messages: Vec<Vec<u8>> = Vec::new();
    for message in told(&played.log, from) {
        messages.push(message.encode());
    }
    let honestly = input.ratio(1, 4)?;
    if !honestly {
        for _ in 0..input.int_in_range(1..=3)? {
            let at = input.choose_index(messages.len())?;
            match input.int_in_range(0..=4)? {
                0 => drop(messages.remove(at)),
                1 => messages.insert(at, LogMessage::RequestAll.encode()),
                2 => messages.insert(at, messages[at].clone()),
                _ => edits::edit(&mut messages[at], input)?,
            }
            if messages.is_empty() {
                break;
            }
        }
    }
    let went = go_on(&mut program, messages);
    if honestly && whole {
        // It has heard all, and what it had forgotten of its own.
        went.expect("it goes on");
        assert_eq!(program.log().hash(), played.log.hash());
        assert!(matches!(program.log().phase(), Phase::Over(_)));
        assert!(disk.files().deck.is_none());
    }
    // What is on the disk can be read again.
    let _ = disk.log().read();
    assert!(start(&Disk::of(disk.files()), seat, played.game).is_ok() || !whole);
    Ok(())
}

fuzz_target!(|input: &[u8]| {
    // An input that is too short does nothing.
    let _ = run(&mut Unstructured::new(input));
});
