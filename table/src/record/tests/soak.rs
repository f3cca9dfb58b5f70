//! What takes long: run with `cargo test -p dealerless-table --lib record -- --ignored --nocapture`.

use std::time::Instant;

use super::files::random_match;
use crate::log::tests::table::holdem;
use crate::record::Record;

#[test]
#[ignore = "it measures"]
fn a_match_of_a_thousand_hands_is_verified() {
    // With 100 chips each a match of two is over soon.
    let table = holdem(2, 1000);
    let mut log = table.log();
    table.play_until(&mut log, |log| log.attempt().hand > 1000);
    let bytes = super::files::file(&table, crate::seat::Seat::HOST, &log);
    let parts = log.history(0).count();
    let begun = Instant::now();
    let record = Record::read(&bytes).unwrap();
    println!(
        "{} hands, {parts} parts, {} bytes: {:?}",
        record.played(),
        bytes.len(),
        begun.elapsed()
    );
    let _ = random_match;
}
