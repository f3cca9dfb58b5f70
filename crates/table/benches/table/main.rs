//! The cost of hands with a verifiable deck: time and bytes.
//!
//! Run with `cargo bench -p dealerless-table --bench table`. All seats play in this process, each in a thread, and
//! their files are in memory.

mod several_seats;

use std::time::Duration;

use several_seats::Shape;

fn main() {
    println!("Hold'em with a verifiable deck, all seats call and show, all in this process:\n");
    println!(
        "First hand: its deck is shuffled in the hand. Later hand: its deck was shuffled during the"
    );
    println!(
        "hand before. Deal to deal: with the rest of the shuffles between two hands. The flop: the"
    );
    println!(
        "time from the last move before it until all seats see it; then the same from the receipt"
    );
    println!("of this move.\n");
    println!(
        "| seats | of which open a card | connections | each way | keys | first hand | its shuffles | later hand | \
         deal to deal | flop | from the receipt | bytes of a seat to each peer |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (seats, opens, shape, delay, hands) in [
        (2, 2, Shape::Star, 0, 20),
        (3, 3, Shape::Mesh, 0, 20),
        (6, 6, Shape::Star, 0, 20),
        (6, 6, Shape::Mesh, 0, 20),
        (6, 5, Shape::Mesh, 0, 20),
        (9, 9, Shape::Mesh, 0, 10),
        (6, 6, Shape::Star, 25, 4),
        (6, 6, Shape::Mesh, 25, 7),
    ] {
        let seats = (seats, opens);
        let line = Duration::from_millis(delay);
        let single: Vec<_> = (0..hands.min(10))
            .map(|_| several_seats::measure(seats, 1, line, shape))
            .collect();
        let of = |time: fn(&several_seats::Hand) -> Duration| {
            several_seats::median(single.iter().map(time).collect())
        };
        let hand = several_seats::measure(seats, hands, line, shape);
        println!(
            "| {} | {opens} | {shape:?} | {delay} ms | {} | {} | {} | {} | {} | {} | {} | {} |",
            seats.0,
            ms(of(|hand| hand.keys)),
            ms(of(|hand| hand.first)),
            ms(of(|hand| hand.shuffles)),
            ms(hand.hand),
            ms(hand.turn),
            ms(hand.flop),
            ms(hand.flop_from_receipt),
            hand.bytes
        );
    }
}

fn ms(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}
