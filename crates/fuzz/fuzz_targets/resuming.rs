//! A program that resumes its match with changed files, and receives arbitrary messages from its
//! peer. The program rejects the files, or continues. Unchanged files are accepted, also after the
//! messages. If the messages are honest as well, the match continues to its end.
//!
//! Input: a game, a seat and a moment; changes to its files; and the peer's messages, with changes.

#![no_main]

mod edits;
mod several;

use std::sync::LazyLock;

use dealerless_connection::storage::{MemoryStorage, Storage, Vault};
use dealerless_table::Seat;
use dealerless_table::log::{LogMessage, MatchLog, Phase};
use dealerless_table::play::{Event, News, NoEngine, Play, PlayError};
use dealerless_table::testing::disk::{Disk, Files};
use dealerless_table::testing::two_seats::games::Game;
use dealerless_table::testing::two_seats::side::{Program, start};
use dealerless_table::testing::two_seats::world::{Plan, World};
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use rand::CryptoRng;
use several::{MATCHES, Played as Several};

/// A finished match, with the files of each seat before each action of this seat.
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
        let world = World::play(&plan);
        let over = start(&world.disks[0], Seat::HOST, game).expect("honest files are accepted");
        Played {
            game,
            moments: world.disks.each_ref().map(Disk::before_each_action),
            log: over.log().clone(),
        }
    })
});

/// Lets a program without an engine sign and send what is due. The messages are dropped.
fn advance<S: Storage, V: Vault, R: CryptoRng>(
    program: &mut Play<S, V, R>,
) -> std::result::Result<(), PlayError> {
    let mut sent = Vec::new();
    let advanced = program.advance(&mut sent, &mut NoEngine);
    for (_, message) in sent {
        LogMessage::decode(&message).expect("a sent message can be decoded");
    }
    advanced
}

/// The messages that a peer with all parts sends from a step on.
fn resume_messages(log: &MatchLog, from: u64) -> Vec<LogMessage> {
    let parts = log.history(from).cloned().map(LogMessage::Part);
    let resume = LogMessage::Resume(log.resume_from(from));
    std::iter::once(resume).chain(parts).collect()
}

/// Continues the match until all messages are received or an error occurs.
fn continue_match(
    program: &mut Program,
    messages: Vec<Vec<u8>>,
) -> std::result::Result<(), PlayError> {
    let peer = program.seat().next(2);
    program.resume(peer)?;
    for message in messages {
        advance(program)?;
        while let Some(news) = program.news() {
            if let News::Card { position, .. } = news {
                assert!(program.card(position).is_some());
            }
        }
        program.receive(Event::Received(peer, message))?;
    }
    advance(program)
}

/// The host of several seats with a verifiable deck resumes its match, and its guests send messages of the
/// match, with changes.
fn run_several(input: &mut Unstructured) -> Result<()> {
    let played: &Several = input.choose(&*MATCHES)?;
    let (_, honest) = input.choose(&played.host)?;
    let mut bytes = honest.clone();
    if input.ratio(1, 2)? {
        edits::edit(&mut bytes, input)?;
    }
    let is_whole = bytes == *honest;
    let Ok(mut program) = several::program(Seat::HOST, MemoryStorage::of(bytes)) else {
        assert!(!is_whole, "an honest file was rejected");
        return Ok(());
    };
    let guests = Seat::all(played.of.match_info.seats()).skip(1);
    for guest in guests.clone() {
        program.resume(guest).expect("the file can be written");
    }
    let guests: Vec<Seat> = guests.collect();
    for _ in 0..input.int_in_range(1..=16)? {
        let guest = *input.choose(&guests)?;
        let mut message = match input.int_in_range(0..=2)? {
            0 => LogMessage::Resume(input.choose(&played.moments)?.resume()),
            _ => input.choose(&played.messages)?.clone(),
        }
        .encode();
        if input.ratio(1, 4)? {
            edits::edit(&mut message, input)?;
        }
        if program.receive(Event::Received(guest, message)).is_err() {
            program.lose_connection(guest);
            program.resume(guest).expect("the file can be written");
        }
        if advance(&mut program).is_err() {
            return Ok(());
        }
        let log = program.log();
        let chips: u64 = log.final_stacks().iter().sum();
        assert_eq!(
            chips,
            played.of.match_info.header().stakes.stack() * played.of.match_info.seats() as u64
        );
        assert!(log.evidence().is_empty() && log.fouls().is_empty() || !is_whole);
    }
    Ok(())
}

fn run(input: &mut Unstructured) -> Result<()> {
    if input.ratio(1, 3)? {
        return run_several(input);
    }
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
        // The deck of another moment.
        3 => files.deck = input.choose(&played.moments[seat.index()])?.deck.clone(),
        _ => {}
    }
    let whole = files == *honest;
    let disk = Disk::of(files);
    let mut program = match start(&disk, seat, played.game) {
        Ok(program) => program,
        Err(_) => {
            assert!(!whole, "honest files were rejected");
            return Ok(());
        }
    };

    let step = program.log().step();
    let from = input.int_in_range(0..=step)?;
    let mut messages: Vec<Vec<u8>> = Vec::new();
    for message in resume_messages(&played.log, from) {
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
    let outcome = continue_match(&mut program, messages);
    if honestly && whole {
        // The program has received everything, including its own parts that it had lost.
        outcome.expect("the match continues");
        assert_eq!(program.log().hash(), played.log.hash());
        assert!(matches!(program.log().phase(), Phase::Over(_)));
        assert!(disk.files().deck.is_none());
    }
    // Files that were unchanged at the start are still accepted.
    let _ = disk.log().read();
    assert!(start(&Disk::of(disk.files()), seat, played.game).is_ok() || !whole);
    Ok(())
}

fuzz_target!(|input: &[u8]| {
    // An input that is too short has no effect.
    let _ = run(&mut Unstructured::new(input));
});
