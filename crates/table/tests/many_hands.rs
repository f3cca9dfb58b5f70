//! A match of many hands between two seats with the real engine. Every card is equally likely at
//! every position, and the memory of the process does not grow with the number of hands.
//!
//! `DEALERLESS_SOAK=10000 cargo test --release --test many_hands -- --nocapture` plays 10 000
//! hands. This file has only one test, so that the memory is that of one match and its two seats.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use dealerless::deck::Choice as Shuffle;
use dealerless::testing::chi_square::{SUSPICIOUS, ln_p_of_places_and_cards};
use dealerless::testing::soak::soak;
use dealerless_connection::storage::Storage;
use dealerless_table::log::{End, LogEvent};
use dealerless_table::play::{Command, DealCircuit, News};
use dealerless_table::testing::choices;
use dealerless_table::testing::test_match::stakes_of;

use dealerless_table::testing::threads::{Side, both, wirings};

/// The minimum number of hands. Fewer would not be significant for 9 of 52 cards.
const HANDS: usize = 500;

const CARDS: usize = 52;
const DRAW: usize = 9;

/// The allowed growth of the process's memory after the first tenth of the hands: far above the
/// variation of the allocator, and far below a kilobyte for each hand in a soak.
const GROWTH_KIB: u64 = 4096;

/// A file that nobody reads. Written bytes are discarded.
#[derive(Default)]
struct Unread;

impl Storage for Unread {
    fn read(&mut self) -> io::Result<Vec<u8>> {
        Ok(Vec::new())
    }

    fn append(&mut self, _: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn truncate(&mut self, _: u64) -> io::Result<()> {
        Ok(())
    }
}

/// The observations of one seat.
struct Hands {
    /// The numbers of all cards of every hand, known after the showdown.
    cards: Vec<[u8; DRAW]>,
    times: Vec<Duration>,
    /// The resident memory after the first tenth of the hands and at the end.
    memory_kib: Option<[u64; 2]>,
}

/// The resident memory of this process, if the system reports it.
fn resident_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let (_, rest) = status.split_once("VmRSS:")?;
    rest.split_whitespace().next()?.parse().ok()
}

/// Plays a seat that calls and shows, so that each hand ends with all its cards open.
fn play_many(mut side: Side<Unread>, hands: usize) -> Hands {
    let mut seen = Hands {
        cards: Vec::with_capacity(hands),
        times: Vec::with_capacity(hands),
        memory_kib: None,
    };
    let (mut warm, mut begun, mut cards) = (None, Instant::now(), [None; DRAW]);
    let end = side.run(|_, news| {
        match news {
            News::Card { position, card } => {
                cards[*position] = Some(u8::try_from(card.0).expect("a card of 52"));
            }
            News::Log(LogEvent::HandOver { .. }) => {
                let opened = std::mem::replace(&mut cards, [None; DRAW]);
                seen.cards
                    .push(opened.map(|card| card.expect("all cards are shown at the end")));
                seen.times.push(begun.elapsed());
                begun = Instant::now();
                if seen.cards.len() == hands / 10 {
                    warm = resident_kib();
                }
            }
            News::YourTurn { legal } => {
                return Some(Command::Choose(choices::passive(legal)));
            }
            News::AskRebuy { .. } => return Some(Command::Rebuy(true)),
            _ => {}
        }
        None
    });
    assert_eq!(end.expect("an honest match"), End::Played);
    seen.memory_kib = warm.zip(resident_kib()).map(<[u64; 2]>::from);
    seen
}

fn median(times: &[Duration]) -> Duration {
    let mut times = times.to_vec();
    times.sort();
    times[times.len() / 2]
}

#[test]
fn many_hands_are_uniform_and_memory_does_not_grow() {
    let hands = soak().unwrap_or(HANDS).max(HANDS);
    let number = u32::try_from(hands).expect("a number of hands");
    let stakes = stakes_of(1_000_000, 2, number);
    let spec = (Shuffle::Cheapest.spec(CARDS, DRAW)).expect("hold'em");
    let circuit = Arc::new(DealCircuit::of(&stakes, spec.algorithm()).expect("a circuit"));
    let begun = Instant::now();
    let (wirings, of) = wirings(&stakes, &circuit);
    let sides = wirings.map(|wiring| Side::new(wiring, &of));
    let [mine, theirs] = both(sides, |side| play_many(side, hands));
    assert!(
        mine.cards == theirs.cards,
        "both seats have seen the same cards"
    );
    println!(
        "{hands} hands of {DRAW} of {CARDS} cards by {}, in {:?}",
        spec.algorithm(),
        begun.elapsed()
    );
    let tenth = hands / 10;
    println!(
        "median time of a hand: {:?} in the first tenth, {:?} in the last tenth",
        median(&mine.times[..tenth]),
        median(&mine.times[hands - tenth..]),
    );

    let draws: Vec<Vec<u32>> = (mine.cards.iter())
        .map(|cards| cards.iter().copied().map(u32::from).collect())
        .collect();
    let ln_p = ln_p_of_places_and_cards(&draws, CARDS);
    println!("places and cards: p = {:e}", ln_p.exp());
    assert!(ln_p > SUSPICIOUS, "p = {:e}", ln_p.exp());

    match mine.memory_kib {
        Some([warm, end]) => {
            println!("resident: {warm} KiB after a tenth of the hands, {end} KiB at the end");
            assert!(end <= warm + GROWTH_KIB, "{warm} KiB, then {end} KiB");
        }
        None => println!("resident: unknown on this system"),
    }
}
