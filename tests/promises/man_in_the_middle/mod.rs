//! Somebody on the line who changes any bit of any message, or its place, gains nothing: both
//! parties end with what was entered, or at least one with an error; and never do they end with
//! two different things.
//!
//! The games are played with randomness from a seed, so that all sessions of a game send the same
//! up to the change. What is changed is taken from the record of an honest session: a new message
//! is covered by itself.
//!
//! `DEALERLESS_SOAK=1 cargo test --release -p dealerless --test promises man_in_the_middle -- --nocapture` changes every
//! bit of the long messages too; without it, a sample.

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
use dealerless::mpc::{Audience, Security};
use dealerless::net::Deadlines;
use dealerless::testing::line::End;
use dealerless::testing::session::{SOON, both, in_memory, system_rng};
use dealerless::testing::tap::{Fate, Frame, Tap};
use dealerless::{mpc, net};
use games::{Game, games};
use rand::Rng;
use session::{Engine, Opened, Player, Seed, Setup};

dealerless::with_both_engines! {
    no_flipped_bit_gives_another_answer,
    no_message_in_anothers_place_gives_another_answer,
    parties_that_differ_learn_it_though_each_sees_its_own_plan,
}

/// Sessions that are played at the same time: more than processors, since some of them wait.
const PARALLEL: usize = 4;

/// Deadlines that never pass in a test that is right.
const PATIENT: Deadlines = Deadlines {
    message: Duration::from_secs(60),
    phase: Duration::from_secs(60),
};

/// Deadlines that pass while the test waits.
const HASTY: Deadlines = Deadlines {
    message: Duration::from_millis(400),
    ..PATIENT
};

/// What a party has seen, and how it ended.
struct Ending {
    seen: Vec<Opened>,
    end: Result<()>,
}

/// Lets both parties play, each its game, while the line edits what each of them sends. Gives how
/// both ended, and what passed each of them.
fn play<E: Engine>(
    games: [&Game<E>; 2],
    seed: Seed,
    edits: [Edits; 2],
    deadlines: Deadlines,
) -> [(Ending, Vec<Frame>); 2] {
    let mut line = in_memory().into_iter();
    let taps = edits.map(|edits| {
        let fates = move |frame: Frame| {
            Fate::Sent(match edits.get(&frame.number) {
                Some(bytes) => bytes.clone(),
                None => frame.to_bytes(),
            })
        };
        Tap::with(line.next().expect("two ends"), Box::new(fates))
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

/// Plays a game on a line that changes nothing.
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

/// Whether the parties do not agree on something that was opened to both.
fn differ(one: &[Opened], other: &[Opened]) -> bool {
    let differs = |(one, other): (&Opened, &Opened)| {
        assert_eq!(one.audience, other.audience);
        one.audience == Audience::Both && one.value != other.value
    };
    one.iter().zip(other).any(differs)
}

/// How a session on a bad line ended.
enum Verdict {
    /// At least one party has an error, and nothing that was opened is wrong: what each has found.
    Caught([Option<String>; 2]),
    /// Both ended well, with what was entered.
    Agreed,
    /// Something that was opened is wrong, or they do not agree on it.
    Wrong,
}

/// The name of what a party found, or how else it ended.
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

/// What became of all changes of one kind.
#[derive(Default)]
struct Tally {
    cases: usize,
    caught: usize,
    agreed: usize,
    wrong: usize,
    /// Who found what, how often.
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

/// All that was seen of one engine.
#[derive(Default)]
struct Report {
    /// By sender, tag and what is changed.
    rows: BTreeMap<(usize, u8, Subject), Tally>,
    games: BTreeMap<&'static str, Tally>,
    /// What went wrong, and what nobody noticed though somebody should.
    wrong: Vec<String>,
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
        // The setup is the same in all games, and dear where it is real.
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

fn conclude(report: Report, security: Security, begun: Instant) {
    println!("{security}: what was changed, how often; caught, agreed, wrong; what was found");
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
        "{} changes gave a wrong answer:\n  {}\n{} were not noticed:\n  {}",
        report.wrong.len(),
        few(&report.wrong),
        report.unnoticed.len(),
        few(&report.unnoticed),
    );
}

fn no_change_gives_another_answer<E: Engine>(of: fn(&Transcript, bool) -> Vec<Case>) {
    let begun = Instant::now();
    let mut report = Report::default();
    for game in games::<E>() {
        play_all(&mut report, &game, of);
    }
    conclude(report, E::SECURITY, begun);
}

fn no_flipped_bit_gives_another_answer<E: Engine>() {
    no_change_gives_another_answer::<E>(flips);
}

fn no_message_in_anothers_place_gives_another_answer<E: Engine>() {
    no_change_gives_another_answer::<E>(|transcript, _| misplaced(transcript));
}

/// Two honest parties run circuits that differ in a NOT before an output; each is shown its own
/// plan as that of the other.
fn parties_that_differ_learn_it_though_each_sees_its_own_plan<E: Engine>() {
    let [one, other] = games::twins::<E>();
    let mut seed = Seed::default();
    system_rng().fill_bytes(&mut seed);
    let edits = [(Party::Evaluator, &other), (Party::Garbler, &one)]
        .map(|(party, game)| honest(game, seed).0.own_plans(party));
    let sides = play([&one, &other], seed, edits, PATIENT);
    let [garbler, evaluator] = sides.map(|(ending, _)| ending);
    assert!(
        garbler.end.is_err() || evaluator.end.is_err(),
        "{} and {}: both end well, with {:?} and {:?}",
        one.name,
        other.name,
        garbler.seen,
        evaluator.seen
    );
}
