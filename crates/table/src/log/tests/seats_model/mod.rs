//! The log of several seats compared with a model of the protocol. `tests/seats.txt` has traces of the
//! model: who signs what, who receives what, and after each event the history of the seat, what it may
//! sign, and whom it convicts. The file describes its format.
//!
//! Each honest seat has a real log. The test takes the place of the programs and the connections. It
//! sends each seat again what its log could not place yet, as the programs do after a reconnection.

mod driver;
mod seats;
mod traces;

use std::collections::{BTreeSet, HashMap};

use driver::{Driver, Tally};
use seats::Beginning;
use traces::{ALL_OPEN, Trace, traces};

/// Plays traces, each with its beginning. `check` gets the driver after the last event.
fn play(traces: &[Trace<'_>], mut check: impl FnMut(&Driver<'_>)) -> Tally {
    let mut tally = Tally::default();
    let mut beginnings: HashMap<_, Beginning> = HashMap::new();
    for trace in traces {
        let key = (trace.seats, trace.game, trace.begins);
        let beginning = (beginnings.entry(key)).or_insert_with(|| Beginning::new(trace));
        let mut driver = Driver::new(trace, beginning, &mut tally);
        driver.play();
        check(&driver);
    }
    tally
}

#[test]
fn log_of_several_seats_does_what_the_model_does() {
    let mut traces = traces(ALL_OPEN);
    traces.retain(|trace| trace.breaks.is_none());
    let tally = play(&traces, |driver| assert_eq!(driver.breaches, 0));
    println!("{} traces, {tally:?}", traces.len());
    let counts = [
        tally.acks,
        tally.releases,
        tally.restarts,
        tally.convictions,
    ];
    assert!(counts.iter().all(|count| *count > 150) && tally.again > 50);
    assert!(tally.splits > 8);
}

#[test]
fn without_a_rule_the_breaks_of_the_model_come_back() {
    let mut traces: Vec<Trace<'_>> = traces(ALL_OPEN);
    traces.retain(|trace| trace.breaks.is_some());
    play(&traces, |driver| {
        let (rule, what) = driver.trace.breaks.unwrap();
        let happens = match what {
            "AGREE" => driver.has_parted(),
            _ => driver.has_convicted(),
        };
        assert!(happens, "{rule}: {what}");
        assert!(driver.breaches > 0, "{rule}");
    });
    let rules: BTreeSet<_> = traces.iter().map(|trace| trace.breaks.unwrap().0).collect();
    assert_eq!(rules.len(), 5);
}
