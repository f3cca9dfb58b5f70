//! What it costs to sit down and to play: time, round trips, bytes and synced writes.
//!
//! `cargo bench -p dealerless-table --bench table`. Both players run in this process, over loopback
//! and an encrypted line, through a proxy that delays and limits. Their files are in memory and
//! count how often they are synced; the two lists of known peers are on the disk.

mod match_of_two;
mod proxy;

use std::time::Duration;

use match_of_two::{Measured, measure};
use proxy::Way;

const HANDS: u32 = 100;
const SLOW_HANDS: u32 = 8;

fn main() {
    println!("| round trip | rate | sit down to hole cards | next hand | bytes a hand |");
    println!("|---|---|---|---|---|");
    let mut at_once = None;
    let mbit = 10_000_000 / 8;
    let ways = [
        (0, None, HANDS),
        (0, Some(mbit), HANDS),
        (20, Some(mbit), SLOW_HANDS),
        (50, Some(mbit), SLOW_HANDS),
        (150, Some(mbit), SLOW_HANDS),
        (20, None, SLOW_HANDS),
        (50, None, SLOW_HANDS),
        (150, None, SLOW_HANDS),
    ];
    for (round_trip, rate, hands) in ways {
        let delay = Duration::from_millis(round_trip) / 2;
        let measured = measure(Way { delay, rate }, hands);
        let base = at_once.get_or_insert_with(|| measured.clone());
        row(round_trip, rate, &measured, base);
    }
    let base = at_once.expect("the first way");
    println!(
        "\nSynced writes of a hand: host {}, guest {}.",
        base.syncs[0], base.syncs[1]
    );
}

fn row(round_trip: u64, rate: Option<u64>, measured: &Measured, base: &Measured) {
    let cell = |time: Duration, base: Duration| {
        let ms = time.as_secs_f64() * 1e3;
        if round_trip == 0 {
            return format!("{ms:.1} ms");
        }
        let trips = (ms - base.as_secs_f64() * 1e3) / round_trip as f64;
        format!("{ms:.0} ms ({trips:.1} round trips)")
    };
    let rate = rate.map_or("-".to_owned(), |rate| {
        format!("{} Mbit/s", rate * 8 / 1_000_000)
    });
    println!(
        "| {round_trip} ms | {rate} | {} | {} | {} |",
        cell(measured.first, base.first),
        cell(measured.next, base.next),
        measured.bytes_of_a_hand
    );
}
