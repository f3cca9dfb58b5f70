//! A cheating peer gains nothing. If a peer in either role changes any message of a malicious
//! session, the honest party ends in time, with an error or with the right outputs. The rate of
//! errors does not depend on the honest party's input.
//!
//! The cheating party follows the protocol behind a transport that makes one change ([`Case`]).
//! `attacks` has more complex changes. Each case is run with two inputs of the honest party: all
//! bits 0, and all bits 1.
//!
//! The following command runs each case 200 times with each input, and prints the rates:
//!
//! ```text
//! DEALERLESS_SOAK=200 cargo test --release -p dealerless --test promises cheating_peer --
//! --nocapture
//! ```

mod attacks;
mod cases;
mod play;
mod slices;
mod steal;

use std::collections::{BTreeMap, HashSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use cases::{Case, FORMS, Lie, Rate, content, is_form, rate_of_form};
use dealerless::circuit::Party;
use dealerless::mpc::Error;
use dealerless::net;
use dealerless::testing::binomial::{SUSPICIOUS, p_of_fair_coins, p_of_same_rate};
use dealerless::testing::form::Form;
use dealerless::testing::kind::Kind;
use dealerless::testing::soak::soak;
use dealerless::testing::tap::{FrameIndex, unchanged};
use play::{Ending, Learned, Patience, Setup, is_finding, run};

/// The number of concurrent sessions. It may exceed the number of processors, since some sessions
/// wait.
const PARALLEL: usize = 4;

/// All messages of an honest session: the sender, and the index among the sender's messages.
fn messages() -> Vec<(Party, FrameIndex)> {
    let message = |party| {
        let how = (Setup::Made, Patience::Long);
        let ending = run(party, unchanged(), false, how);
        assert!(ending.honest.is_ok() && ending.cheater.is_ok());
        let sent = ending.sent.into_iter();
        sent.map(move |frame| (party.other(), frame.place()))
    };
    Party::BOTH
        .map(Party::other)
        .into_iter()
        .flat_map(message)
        .collect()
}

/// The factors of the numbers of runs. A case with a suspicious rate is run again, with more runs: a
/// wrong rate is suspicious again, and one of 10^6 right ones is not.
const FACTORS: [usize; 3] = [1, 4, 16];

/// Returns the number of runs of a case with each of the two inputs. Only a soak run confirms the
/// rates with confidence.
fn runs_per_case(rate: Rate) -> usize {
    if let Some(runs) = soak() {
        return runs;
    }
    match rate {
        // Enough to detect that the input determines the outcome.
        Rate::Half => 12,
        Rate::Mixed => 5,
        // All runs have the same outcome.
        Rate::Always | Rate::Never => 1,
    }
}

/// The outcomes of all runs of a case.
#[derive(Default)]
struct Tally {
    /// The number of runs with each input.
    runs: usize,
    /// The numbers of runs that ended in an error, with the input of zeros and with the input of
    /// ones.
    aborted: [usize; 2],
    /// The errors that name a fault in a message.
    findings: HashSet<String>,
}

/// Runs a case with both inputs, `factor` times as often as usual. Calls `see` after each run.
fn tally(case: &Case, factor: usize, see: &impl Fn(&Case, &Ending<Learned>)) -> Tally {
    let how = (case.setup(), case.patience());
    let mut tally = Tally {
        runs: factor * runs_per_case(case.rate),
        ..Tally::default()
    };
    for input in [false, true] {
        for _ in 0..tally.runs {
            let ending = run(case.cheater, case.fates(), input, how);
            see(case, &ending);
            tally.aborted[usize::from(input)] += usize::from(ending.honest.is_err());
            (tally.findings).extend(ending.findings().map(Error::to_string));
        }
    }
    tally
}

/// Runs all cases, several at a time. Compares the rates with the predicted rates, and prints the
/// results.
fn confirm(title: &str, cases: &[Case], see: impl Fn(&Case, &Ending<Learned>) + Sync) {
    let begun = Instant::now();
    let next = AtomicUsize::new(0);
    let tallies = Mutex::new(BTreeMap::new());
    thread::scope(|scope| {
        for _ in 0..PARALLEL {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(case) = cases.get(number) else { break };
                    let mut attempts = FACTORS.iter().map(|factor| tally(case, *factor, &see));
                    let tally = attempts.find(|tally| !is_suspicious(case, tally));
                    let tally = tally.unwrap_or_else(|| panic!("{case}: not {:?}", case.rate));
                    tallies.lock().unwrap().insert(number, tally);
                }
            });
        }
    });
    let tallies = tallies.into_inner().unwrap();
    print(title, cases, tallies.values(), begun);
}

/// Prints the results, in the order of the cases.
fn print<'a>(
    title: &str,
    cases: &[Case],
    tallies: impl Iterator<Item = &'a Tally>,
    begun: Instant,
) {
    let (mut all, mut caught) = (0, 0);
    for (case, tally) in cases.iter().zip(tallies) {
        let ([zeros, ones], runs) = (tally.aborted, tally.runs);
        let (rate, findings) = (case.rate, &tally.findings);
        println!("{case}: {rate:?}, caught {zeros} and {ones} of {runs} {findings:?}");
        all += 2 * runs;
        caught += zeros + ones;
    }
    println!(
        "{title}: {} cases, {all} runs in {:?}; {caught} ended in an error, {} with the right \
         outputs, none with a wrong one",
        cases.len(),
        begun.elapsed(),
        all - caught
    );
}

/// Whether the numbers of caught runs do not fit the rate of the case, or differ between the two
/// inputs, by more than chance explains.
///
/// # Panics
/// If the rate leaves nothing to chance, and does not fit.
fn is_suspicious(case: &Case, &Tally { runs, aborted, .. }: &Tally) -> bool {
    let certain = match case.rate {
        Rate::Always => Some([runs; 2]),
        Rate::Never => Some([0; 2]),
        Rate::Half | Rate::Mixed => None,
    };
    if let Some(expected) = certain {
        assert_eq!(aborted, expected, "{case}: {:?}, {runs} runs", case.rate);
    }
    let caught: usize = aborted.iter().sum();
    let is_unfair = case.rate == Rate::Half && p_of_fair_coins(2 * runs, caught) <= SUSPICIOUS;
    let suspicious = is_unfair || p_of_same_rate(runs, aborted) <= SUSPICIOUS;
    if suspicious {
        println!("{case}: {:?}, but {aborted:?} of {runs}", case.rate);
    }
    suspicious
}

#[test]
fn cases_cover_every_message_of_a_session() {
    let shown: HashSet<Kind> = messages().iter().map(|(_, (kind, _))| *kind).collect();
    for tag in Kind::all() {
        let cases = content((tag, 0), Party::Garbler);
        assert_eq!(shown.contains(&tag), cases.is_some(), "{tag}");
    }
}

#[test]
fn lies_in_the_content_are_caught_at_the_predicted_rate_for_any_input() {
    let cases: Vec<Case> = messages()
        .into_iter()
        .flat_map(|(cheater, place)| {
            let content = content(place, cheater).expect("a message of a malicious session");
            content.changes.iter().map(move |&(change, rate)| Case {
                cheater,
                place,
                lie: Lie::Content(change),
                rate,
            })
        })
        .collect();
    confirm("lies in the content", &cases, |case, ending| {
        let content = content(case.place, case.cheater).expect("a message of a malicious session");
        for error in ending.findings() {
            assert!((content.finds)(error) || is_form(error), "{case}: {error}");
        }
        // Only checks end the session: no party times out or disconnects without an abort.
        for outcome in [&ending.honest, &ending.cheater] {
            match outcome {
                Ok(_) | Err(Error::Channel(net::Error::Aborted)) => {}
                Err(error) => assert!(is_finding(error), "{case}: {error}"),
            }
        }
    });
}

#[test]
fn malformed_message_ends_in_an_error_in_time() {
    let messages = messages();
    let cases: Vec<Case> = (messages.iter().enumerate())
        .flat_map(|(i, &(cheater, place))| {
            let last = messages.get(i + 1).is_none_or(|next| next.0 != cheater);
            FORMS.map(|form| Case {
                cheater,
                place,
                lie: Lie::Form(form),
                rate: rate_of_form(form, last),
            })
        })
        .collect();
    confirm("lies about the form", &cases, |case, ending| {
        let Lie::Form(form) = case.lie else {
            unreachable!("all cases are about the form")
        };
        match (&ending.honest, form) {
            (Err(Error::Channel(net::Error::Malformed(_))), form) if form != Form::Aborted => {}
            (Err(Error::Channel(net::Error::Aborted)), Form::Aborted) => {}
            // The payload then includes the next header, so the content is different. The bytes
            // after the payload may be read as an abort.
            (
                Err(Error::Check(_) | Error::Disagreement(_) | Error::Channel(net::Error::Aborted)),
                Form::ShorterThanItSays,
            ) => {}
            // The connection is lost if the last message is missing.
            (Err(Error::Channel(net::Error::Timeout { .. } | net::Error::Lost { .. })), form)
                if form.may_keep_waiting() => {}
            (Ok(_), Form::Repeated) => {}
            (outcome, _) => panic!("{case}: {outcome:?}"),
        }
    });
}
