//! The log of several seats compared with a model of the protocol. `tests/seats.txt` and
//! `tests/roll-calls.txt` have traces of the model: who signs what, who receives what, and after each
//! event the history of the seat, what it may sign, and whom it convicts. The files describe their
//! format.
//!
//! Each honest seat has a real log. The test takes the place of the programs and the connections. It
//! sends each seat again what its log could not place yet, as the programs do after a reconnection.

mod driver;
mod seats;
mod traces;

use std::collections::{BTreeSet, HashMap};

use driver::{Driver, Tally};
use seats::Beginning;
use traces::{ALL_OPEN, ROLL_CALLS, Trace, traces};

/// Plays traces, each with its beginning. `check` gets the driver after the last event.
fn play(traces: &[Trace<'_>], mut check: impl FnMut(&Driver<'_>)) -> Tally {
    let mut tally = Tally::default();
    let mut beginnings: HashMap<_, Beginning> = HashMap::new();
    for trace in traces {
        let key = (trace.seats, trace.threshold, trace.game, trace.begins);
        let beginning = (beginnings.entry(key)).or_insert_with(|| Beginning::new(trace));
        let mut driver = Driver::new(trace, beginning, &mut tally);
        driver.play();
        check(&driver);
    }
    tally
}

fn play_all(file: &str) -> Tally {
    let mut traces = traces(file);
    traces.retain(|trace| trace.breaks.is_none());
    let tally = play(&traces, |driver| assert_eq!(driver.breaches, 0));
    println!("{} traces, {tally:?}", traces.len());
    tally
}

#[test]
fn log_of_several_seats_does_what_the_model_does() {
    let tally = play_all(ALL_OPEN);
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
fn log_with_roll_calls_does_what_the_model_does() {
    let tally = play_all(ROLL_CALLS);
    let counts = [tally.roll_calls, tally.answers, tally.bound];
    assert!(counts.iter().all(|count| *count > 100), "{tally:?}");
}

#[test]
fn without_a_rule_the_breaks_of_the_model_come_back() {
    let mut traces: Vec<Trace<'_>> = traces(ALL_OPEN);
    traces.extend(self::traces(ROLL_CALLS));
    traces.retain(|trace| trace.breaks.is_some());
    play(&traces, |driver| {
        let (rule, what) = driver.trace.breaks.unwrap();
        let happens = match what {
            "AGREE" => driver.has_parted(),
            "CLEAN" => driver.has_convicted(),
            _ => driver.has_two_tables(),
        };
        assert!(happens, "{rule}: {what}");
        // A cheat that cuts two seats off from each other breaks no rule that these could check.
        let is_cut = rule == "two-tables";
        assert_eq!(driver.breaches == 0, is_cut, "{rule}");
        if is_cut {
            // Only statements for two histories convict it.
            let evidence = driver.evidence();
            assert!(!driver.has_convicted() && !evidence.is_empty());
            for evidence in evidence {
                let [one, other] = &evidence.statements;
                assert_ne!(one.before, other.before);
            }
        }
    });
    let rules: BTreeSet<_> = traces.iter().map(|trace| trace.breaks.unwrap().0).collect();
    assert_eq!(rules.len(), 7);
}
