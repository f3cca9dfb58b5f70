//! The cost of starting and playing a match: time, round trips, bytes and synced writes.
//!
//! Run with `cargo bench -p dealerless-native --bench table`. Both players run in this process, over
//! loopback and an encrypted connection, through a proxy that limits delay and bandwidth. Their
//! files are in memory and count syncs; the two lists of known peers are on the disk.

mod match_of_two;
mod proxy;
mod resuming;

use std::time::{Duration, Instant};

use match_of_two::{Measured, measure};
use proxy::Link;
use resuming::resume;

const HANDS: u32 = 100;
const SLOW_HANDS: u32 = 14;
const MBIT: u64 = 1_000_000 / 8;
/// The duration of a synced write when consecutive synced writes are measured.
const SYNC: Duration = Duration::from_millis(4);

fn main() {
    let at = |round_trip, rate| Link {
        delay: Duration::from_millis(round_trip) / 2,
        rate,
    };
    let base = measure(at(0, None), Duration::ZERO, HANDS);
    println!("Sit down: the time from joining to the guest's hole cards.");
    println!("Next hand: the time from the second player's deal to both players' hole cards; then");
    println!("the same from the first player's deal.\n");
    println!("| round trip | rate | sit down | next hand | from the first deal | slowest move |");
    println!("|---|---|---|---|---|---|");
    println!(
        "| 0 ms | - | {} | {} | {} | {} |",
        ms(base.first),
        ms(base.next),
        ms(base.next_from_first),
        ms(base.slowest_move)
    );
    for rate in [None, Some(10 * MBIT)] {
        for round_trip in [20, 50, 150] {
            let measured = measure(at(round_trip, rate), Duration::ZERO, SLOW_HANDS);
            row(round_trip, rate, &measured, &base);
        }
    }
    let at_rate = measure(at(0, Some(10 * MBIT)), Duration::ZERO, SLOW_HANDS);
    row(0, Some(10 * MBIT), &at_rate, &base);

    println!(
        "\nTime from dialing after a lost connection until the guest can move, and until the host has received the move:\n"
    );
    println!("| round trip | can move | move received |");
    println!("|---|---|---|");
    let base_resumed = resume(at(0, None));
    for round_trip in [0, 20, 50, 150] {
        let [resumed, moved] = resume(at(round_trip, None));
        let cell = |time, base| in_trips(round_trip, time, base);
        println!(
            "| {round_trip} ms | {} | {} |",
            cell(resumed, base_resumed[0]),
            cell(moved, base_resumed[1])
        );
    }

    let synced = measure(at(0, None), SYNC, SLOW_HANDS);
    let waiting = (synced.next - base.next).as_secs_f64() / SYNC.as_secs_f64();
    println!("\nConsecutive synced writes from both deals to the hole cards: {waiting:.1}");
    println!(
        "(measured with {} a write; both seats run on one thread, unlike two programs).",
        ms(SYNC)
    );
    println!(
        "Synced writes of a whole hand: host {}, guest {}.",
        base.syncs[0], base.syncs[1]
    );
    println!(
        "Bytes of a hand in both directions, with all overhead: {}.",
        base.bytes_of_a_hand
    );
    let cipher = encryption(base.bytes_of_a_hand as usize);
    println!(
        "A hand with its preprocessing: {}; encrypting and decrypting its bytes: {} ({:.1} %).",
        ms(base.hand),
        ms(cipher),
        100.0 * cipher.as_secs_f64() / base.hand.as_secs_f64()
    );
}

fn ms(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}

/// Formats a time, with its difference from `base` in round trips.
fn in_trips(round_trip: u64, time: Duration, base: Duration) -> String {
    if round_trip == 0 {
        return ms(time);
    }
    let trips = time.saturating_sub(base).as_secs_f64() * 1e3 / round_trip as f64;
    format!("{} ({trips:.1} round trips)", ms(time))
}

fn row(round_trip: u64, rate: Option<u64>, measured: &Measured, base: &Measured) {
    let cell = |time, base| in_trips(round_trip, time, base);
    let rate = rate.map_or("-".to_owned(), |rate| format!("{} Mbit/s", rate / MBIT));
    println!(
        "| {round_trip} ms | {rate} | {} | {} | {} | {} |",
        cell(measured.first, base.first),
        cell(measured.next, base.next),
        cell(measured.next_from_first, base.next_from_first),
        ms(measured.slowest_move)
    );
}

/// The time to encrypt and decrypt this number of bytes, in frames as long as those of the
/// preprocessing.
fn encryption(bytes: usize) -> Duration {
    let builder = || {
        snow::Builder::new(
            "Noise_NN_25519_ChaChaPoly_BLAKE2s"
                .parse()
                .expect("a pattern"),
        )
    };
    let mut one = builder().build_initiator().expect("a state");
    let mut other = builder().build_responder().expect("a state");
    let (mut message, mut payload) = (vec![0; 65535], vec![0; 65535]);
    let len = one.write_message(&[], &mut message).expect("a message");
    other
        .read_message(&message[..len], &mut payload)
        .expect("a message");
    let len = other.write_message(&[], &mut message).expect("a message");
    one.read_message(&message[..len], &mut payload)
        .expect("a message");
    let mut one = one.into_transport_mode().expect("a state");
    let mut other = other.into_transport_mode().expect("a state");
    let frame = vec![7; 4096];
    let begun = Instant::now();
    for _ in 0..bytes.div_ceil(frame.len()) {
        let len = one.write_message(&frame, &mut message).expect("a frame");
        other
            .read_message(&message[..len], &mut payload)
            .expect("a frame");
    }
    begun.elapsed()
}
