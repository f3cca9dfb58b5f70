//! Many hands in one session with malicious security: every card is as likely at every place, and
//! neither the memory of the process nor the pool grows from hand to hand.
//!
//! `DEALERLESS_SOAK=10000 cargo test --release --test many_hands -- --nocapture` plays 10 000. This
//! file has one test, so that the memory is that of one session and its two parties.

use std::time::{Duration, Instant};

use dealerless::deck::{Choice, SealedDeck};
use dealerless::mpc::{Demand, Malicious};
use dealerless::shuffle::ShuffleCircuit;
use dealerless::testing::chi_square::ln_p_of_places_and_cards;
use dealerless::testing::line::End;
use dealerless::testing::session::{in_memory, sessions, system_rng};
use dealerless::testing::soak::soak;
use dealerless_table::{Game, Step};

type Session = Malicious<End>;

/// Fewer say little about 9 of 52 cards.
const HANDS: usize = 500;

const CARDS: usize = 52;
const DRAW: usize = 9;

/// What the process may grow by after the first tenth of the hands: far above what the allocator
/// wanders by, far below a kilobyte a hand in a soak.
const GROWTH_KIB: u64 = 4096;

/// ln 10^-9: an honest test fails once in 10^9 runs.
const SUSPICIOUS: f64 = -20.723;

/// What one side has seen.
struct Hands {
    /// The cards of every hand by number: all of them, after the showdown.
    cards: Vec<[u8; DRAW]>,
    times: Vec<Duration>,
    /// The resident memory after the first tenth of the hands, and after all.
    memory_kib: Option<[u64; 2]>,
}

/// The memory of this process that is resident, where the system says so.
fn resident_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let (_, rest) = status.split_once("VmRSS:")?;
    rest.split_whitespace().next()?.parse().ok()
}

/// Plays a hand to its end and gives its cards.
fn play(session: &mut Session, shuffle: &ShuffleCircuit, steps: &[Step]) -> [u8; DRAW] {
    let mut deck = SealedDeck::shuffle(session, shuffle, &mut system_rng()).expect("a deck");
    for step in steps {
        step.open(&mut deck, session).expect("cards");
    }
    std::array::from_fn(|place| {
        let card = deck.seen(place).expect("all are shown at the end");
        u8::try_from(card.0).expect("a card of 52")
    })
}

fn play_many(session: &mut Session, shuffle: &ShuffleCircuit, hands: usize) -> Hands {
    let steps = Game::Holdem.steps(DRAW);
    let ands = Demand::of(shuffle.circuit()).ands;
    let mut seen = Hands {
        cards: Vec::with_capacity(hands),
        times: Vec::with_capacity(hands),
        memory_kib: None,
    };
    let mut warm = None;
    for hand in 0..hands {
        if hand == hands / 10 {
            warm = resident_kib();
        }
        let begun = Instant::now();
        // Always one hand ahead, so that there is a pool which could grow.
        SealedDeck::prepare(session, shuffle, 2).expect("a batch of triples");
        seen.cards.push(play(session, shuffle, &steps));
        seen.times.push(begun.elapsed());
        assert_eq!(session.prepared(), ands, "hand {hand}");
    }
    seen.memory_kib = warm.zip(resident_kib()).map(<[u64; 2]>::from);
    seen
}

fn median(times: &[Duration]) -> Duration {
    let mut times = times.to_vec();
    times.sort();
    times[times.len() / 2]
}

#[test]
fn many_hands_in_one_session_are_uniform_and_take_no_more_memory_than_a_few() {
    let hands = soak().unwrap_or(HANDS).max(HANDS);
    let spec = (Choice::Cheapest.spec(CARDS, DRAW)).expect("hold'em");
    let shuffle = ShuffleCircuit::build_checked(spec);
    let begun = Instant::now();
    let [mine, theirs] = sessions(in_memory(), |session: &mut Session| {
        play_many(session, &shuffle, hands)
    });
    assert!(mine.cards == theirs.cards, "both have seen the same cards");
    println!(
        "{hands} hands of {DRAW} of {CARDS} cards by {}, in {:?}",
        spec.algorithm(),
        begun.elapsed()
    );
    let tenth = hands / 10;
    println!(
        "median time a hand: {:?} in the first tenth, {:?} in the last",
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
        None => println!("resident: not known on this system"),
    }
}
