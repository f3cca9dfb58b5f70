//! A man in the middle who changes any bit or the place of any message gains nothing. Both parties
//! end with the right outputs, or at least one party ends with an error. The parties never end with
//! different outputs.
//!
//! The games use randomness from a seed, so that all sessions of a game send the same frames up to
//! the changed frame. The changes are derived from the record of an honest session, so a new
//! message of the protocol is covered automatically.
//!
//! The following command changes every bit of the long messages, instead of a sample of the bits:
//!
//! ```text
//! DEALERLESS_SOAK=1 cargo test --release -p dealerless --test promises man_in_the_middle --
//! --nocapture
//! ```

mod cases;
mod games;
mod session;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use cases::{Case, Edits, Subject, Transcript, flips, misplaced};
use dealerless::circuit::Party;
use dealerless::deck::{Error, Result};
use dealerless::mpc::{Audience, EngineKind};
use dealerless::net::Deadlines;
use dealerless::testing::line::End;
use dealerless::testing::session::{PATIENT, SOON, both, in_memory, system_rng};
use dealerless::testing::tap::{Fate, Frame, Tap};
use dealerless::{mpc, net};
use games::{Game, games};
use rand::Rng;
use session::{Engine, Opened, Player, Seed, Setup};

dealerless::with_both_engines! {
    flipped_bits_give_no_wrong_answer,
    misplaced_messages_give_no_wrong_answer,
    different_circuits_are_noticed_with_reflected_plans,
}

/// The number of concurrent sessions. It may exceed the number of processors, since some sessions
/// wait.
const PARALLEL: usize = 4;

/// Deadlines that expire while the test waits.
const HASTY: Deadlines = Deadlines {
    message: Duration::from_millis(400),
    ..PATIENT
};

/// The openings that a party has seen, and its outcome.
struct Ending {
    seen: Vec<Opened>,
    end: Result<()>,
}

/// Runs a session in which each party plays its own game. `edits` replace frames that each party
/// sends. Returns the ending and the record of frames of each party.
fn play<E: Engine>(
    games: [&Game<E>; 2],
    seed: Seed,
    edits: [Edits; 2],
    deadlines: Deadlines,
) -> [(Ending, Vec<Frame>); 2] {
    let mut ends = in_memory().into_iter();
    let taps = edits.map(|edits| {
        let fates = move |frame: Frame| {
            Fate::Sent(match edits.get(&frame.number) {
                Some(bytes) => bytes.clone(),
                None => frame.to_bytes(),
            })
        };
        Tap::with(ends.next().expect("two ends"), Box::new(fates))
    });
    let mut records = taps.each_ref().map(Tap::record).into_iter();
    let ends = taps.map(|tap| -> End { Box::new(tap) });
    let endings = both(ends, |party, end| {
        let game = games[party as usize];
        let mut seen = Vec::new();
        let player = Player::begin(party, end, game.setup, seed, deadlines);
        let end = player.map_err(Error::from).and_then(|mut player| {
            let end = (game.play)(&mut player);
            seen = player.seen;
            end
        });
        Ending { seen, end }
    });
    endings.map(|ending| {
        let record = records.next().expect("one for each party");
        (ending, record.take())
    })
}

/// Plays a game without changes. Returns its transcript, and the openings that each party has seen.
fn honest<E: Engine>(game: &Game<E>, seed: Seed) -> (Transcript, [Vec<Opened>; 2]) {
    let sides = play([game; 2], seed, Default::default(), PATIENT);
    let [garbler, evaluator] = sides.map(|(ending, record)| {
        ending.end.expect("an honest session");
        for opened in &ending.seen {
            if let (Some(value), Some(clear)) = (&opened.value, &opened.clear) {
                assert_eq!(value, clear, "{}", game.name);
            }
        }
        (record, ending.seen)
    });
    assert!(!differ(&garbler.1, &evaluator.1), "{}", game.name);
    (
        Transcript::new([garbler.0, evaluator.0]),
        [garbler.1, evaluator.1],
    )
}

/// Whether the parties see different values in an opening to both parties.
fn differ(one: &[Opened], other: &[Opened]) -> bool {
    let differs = |(one, other): (&Opened, &Opened)| {
        assert_eq!(one.audience, other.audience);
        one.audience == Audience::Both && one.value != other.value
    };
    one.iter().zip(other).any(differs)
}

/// The verdict on a session with a man in the middle.
enum Verdict {
    /// At least one party has an error, and no opened value is wrong. The value is the name of each
    /// party's error, if any.
    Caught([Option<String>; 2]),
    /// Both parties ended without an error, with the right values.
    Agreed,
    /// An opened value is wrong, or the parties have different values.
    Wrong,
}

/// Returns the name of the error of a party.
fn finding(error: &Error) -> String {
    match error {
        Error::Check(check) => format!("{check:?}"),
        Error::Session(mpc::Error::Check(mpc::Check::ObliviousTransfer(check))) => {
            format!("{check:?}")
        }
        Error::Session(mpc::Error::Check(check)) => format!("{check:?}"),
        Error::Session(mpc::Error::Disagreement(disagreement)) => format!("{disagreement:?}"),
        Error::Session(mpc::Error::Channel(error)) => match error {
            net::Error::Malformed(_) => "malformed".into(),
            net::Error::Version { .. } => "version".into(),
            net::Error::Aborted => "aborted".into(),
            net::Error::Lost { .. } => "lost".into(),
            net::Error::Timeout { .. } => "timeout".into(),
            other => panic!("{other}"),
        },
        other => panic!("{other}"),
    }
}

fn judge(honest: &[Vec<Opened>; 2], endings: [Ending; 2]) -> Verdict {
    if differ(&endings[0].seen, &endings[1].seen) {
        return Verdict::Wrong;
    }
    let right = |(ending, honest): (&Ending, &Vec<Opened>)| {
        (ending.seen.iter().zip(honest)).all(|(seen, honest)| seen.value == honest.value)
    };
    if !endings.iter().zip(honest).all(right) {
        return Verdict::Wrong;
    }
    match endings.map(|ending| ending.end.err().map(|error| finding(&error))) {
        [None, None] => Verdict::Agreed,
        ends => Verdict::Caught(ends),
    }
}

/// The verdicts on all changes of one kind.
#[derive(Default)]
struct Tally {
    cases: usize,
    caught: usize,
    agreed: usize,
    wrong: usize,
    /// For each party and each name of an error, how often the party had the error.
    findings: BTreeMap<String, usize>,
}

impl Tally {
    fn add(&mut self, verdict: &Verdict) {
        self.cases += 1;
        match verdict {
            Verdict::Agreed => self.agreed += 1,
            Verdict::Wrong => self.wrong += 1,
            Verdict::Caught(ends) => {
                self.caught += 1;
                for (party, end) in Party::BOTH.into_iter().zip(ends) {
                    match end {
                        Some(end) if end != "aborted" => {
                            *self.findings.entry(format!("{party}: {end}")).or_default() += 1;
                        }
                        _ => {}
                    }
                }
            }
        }
    }

    fn findings(&self) -> String {
        let findings: Vec<String> = (self.findings.iter())
            .map(|(finding, count)| format!("{finding} {count}"))
            .collect();
        findings.join(", ")
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tally {
            cases,
            caught,
            agreed,
            wrong,
            ..
        } = self;
        write!(f, "{cases:6} {caught:6} {agreed:6} {wrong:6}")
    }
}

/// The results of one engine.
#[derive(Default)]
struct Report {
    /// The tallies by sender, tag and changed part.
    rows: BTreeMap<(usize, u8, Subject), Tally>,
    games: BTreeMap<&'static str, Tally>,
    /// The cases with a wrong value.
    wrong: Vec<String>,
    /// The cases that no party noticed, although one should have.
    unnoticed: Vec<String>,
}

fn play_all<E: Engine>(
    report: &mut Report,
    game: &Game<E>,
    of: fn(&Transcript, bool) -> Vec<Case>,
) {
    let mut seed = Seed::default();
    system_rng().fill_bytes(&mut seed);
    let (transcript, honest) = honest(game, seed);
    let cases: Vec<Case> = (of(&transcript, game.thorough).into_iter())
        // The setup is the same in all games, and a real one is expensive.
        .filter(|case| cases::is_setup(case.tag) == (game.setup == Setup::Made))
        .collect();
    let next = AtomicUsize::new(0);
    let report = Mutex::new(report);
    thread::scope(|scope| {
        for _ in 0..PARALLEL {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let begun = Instant::now();
                    let mut edits = [Edits::default(), Edits::default()];
                    edits[case.sender as usize].clone_from(&case.edits);
                    let deadlines = if case.may_wait() { HASTY } else { PATIENT };
                    let sides = play([game; 2], seed, edits, deadlines);
                    assert!(begun.elapsed() < SOON, "{}: {case}", game.name);
                    let verdict = judge(&honest, sides.map(|(ending, _)| ending));
                    let mut report = report.lock().unwrap();
                    match verdict {
                        Verdict::Wrong => report.wrong.push(format!("{}: {case}", game.name)),
                        Verdict::Agreed if !case.may_go_unnoticed() => {
                            report.unnoticed.push(format!("{}: {case}", game.name));
                        }
                        _ => {}
                    }
                    let row = (case.sender as usize, case.tag, case.subject);
                    report.rows.entry(row).or_default().add(&verdict);
                    report.games.entry(game.name).or_default().add(&verdict);
                }
            });
        }
    });
}

fn conclude(report: Report, engine: EngineKind, begun: Instant) {
    println!("{engine}: the changed part; cases, caught, agreed, wrong; findings");
    for ((sender, tag, subject), tally) in &report.rows {
        let (sender, message) = (Party::BOTH[*sender].to_string(), cases::name_of(*tag));
        println!(
            "{sender:9} {message:22} {subject:8}{tally}, {}",
            tally.findings()
        );
    }
    for (game, tally) in &report.games {
        println!("{game:41}{tally}");
    }
    println!("in {:?}", begun.elapsed());
    let few = |list: &[String]| list[..list.len().min(12)].join("\n  ");
    assert!(
        report.wrong.is_empty() && report.unnoticed.is_empty(),
        "{} changes gave a wrong answer:\n  {}\n{} changes were not noticed:\n  {}",
        report.wrong.len(),
        few(&report.wrong),
        report.unnoticed.len(),
        few(&report.unnoticed),
    );
}

fn changes_give_no_wrong_answer<E: Engine>(of: fn(&Transcript, bool) -> Vec<Case>) {
    let begun = Instant::now();
    let mut report = Report::default();
    for game in games::<E>() {
        play_all(&mut report, &game, of);
    }
    conclude(report, E::ENGINE, begun);
}

fn flipped_bits_give_no_wrong_answer<E: Engine>() {
    changes_give_no_wrong_answer::<E>(flips);
}

fn misplaced_messages_give_no_wrong_answer<E: Engine>() {
    changes_give_no_wrong_answer::<E>(|transcript, _| misplaced(transcript));
}

/// Two honest parties run circuits that differ in a NOT before an output, and each of them receives
/// its own plan instead of its peer's.
fn different_circuits_are_noticed_with_reflected_plans<E: Engine>() {
    let [one, other] = games::twins::<E>();
    let mut seed = Seed::default();
    system_rng().fill_bytes(&mut seed);
    let edits = [(Party::Evaluator, &other), (Party::Garbler, &one)]
        .map(|(party, game)| honest(game, seed).0.own_plans(party));
    let sides = play([&one, &other], seed, edits, PATIENT);
    let [garbler, evaluator] = sides.map(|(ending, _)| ending);
    assert!(
        garbler.end.is_err() || evaluator.end.is_err(),
        "{} and {}: both parties end without an error, with {:?} and {:?}",
        one.name,
        other.name,
        garbler.seen,
        evaluator.seen
    );
}
