//! Measures all configurations, group by group, in one process or between two.

use std::cell::Cell;
use std::net::TcpListener;
use std::time::{Duration, Instant};

use dealerless::circuit::Party;
use dealerless::net::{self, Shape, TcpTransport, shaped};

use super::args::Args;
use super::plan::{Configuration, Source, Subject, groups};
use super::side::{Job, Line, Record, Stop, measure as measure_side};
use crate::loopback;
use crate::output::say;
use crate::progress::Progress;
use crate::session::{TimeoutArgs, listen};

/// How long a message may take on a shaped line, unless the user says otherwise: it may be as slow as one
/// likes, and nobody on it can go away.
const UNHURRIED: Duration = Duration::from_secs(24 * 60 * 60);

/// What was measured of a configuration: at least one round after the one that warms the caches.
pub(super) struct Measured<'a> {
    pub(super) configuration: Configuration<'a>,
    pub(super) ands: usize,
    pub(super) record: Record,
}

/// Where the parties are.
enum Place<'a> {
    /// Both here.
    Here,
    Listening(Door),
    Connecting(&'a str),
}

/// Measures until all is done, or the user asks to stop. What was measured is in `measured` then, and
/// if it fails as well.
///
/// # Errors
/// Those of the sessions, and when there is no line.
pub(super) fn measure<'a>(
    args: &Args,
    configurations: &'a [Configuration<'a>],
    stop: &Stop,
    measured: &mut Vec<Measured<'a>>,
) -> anyhow::Result<()> {
    let place = Place::of(args)?;
    let parties = if matches!(place, Place::Here) { 2 } else { 1 };
    let terms = terms(args, configurations);
    let rounds = args.rounds as usize + 1;
    let progress = Progress::begin(parties * configurations.len() * rounds, "rounds");
    for group in groups(configurations) {
        if stop.is_asked() {
            break;
        }
        let subjects = build(group);
        let job = Job {
            group,
            subjects: &subjects,
            rounds: args.rounds,
            statistical_security: args.statistical_security,
            timeout: timeout(args.timeout, args.line.shape()),
            terms: &terms,
            progress: &progress,
            stop,
        };
        let mut records = Vec::new();
        let outcome = place.measure(args, &job, &mut records);
        let rows = group.iter().zip(&subjects).zip(records);
        measured.extend(rows.filter(|(_, record)| record.rounds.len() > 1).map(
            |((configuration, subject), record)| Measured {
                configuration: *configuration,
                ands: subject.circuit().ands(),
                record,
            },
        ));
        match outcome {
            // Whoever asks to stop breaks off what the other side is in the midst of.
            Err(error) if !stop.is_asked() => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

fn timeout(given: TimeoutArgs, shape: Option<Shape>) -> TimeoutArgs {
    match shape {
        Some(_) => given.or(UNHURRIED),
        None => given,
    }
}

/// Builds the circuits of a group.
fn build<'a>(group: &[Configuration<'a>]) -> Vec<Subject<'a>> {
    let _progress = match group {
        [one] => match one.source {
            Source::Shuffle(spec) => Some(Progress::of_building(spec)),
            Source::Netlist(_) => None,
        },
        _ => None,
    };
    group.iter().map(Configuration::build).collect()
}

/// What both hellos say, between two machines too. Circuits are compared again before they are run.
fn terms(args: &Args, configurations: &[Configuration<'_>]) -> Vec<u8> {
    let mut hasher = blake3::Hasher::new();
    for configuration in configurations {
        hasher.update(format!("{configuration}\n").as_bytes());
    }
    format!("bench {} {}", args.rounds, hasher.finalize()).into_bytes()
}

impl<'a> Place<'a> {
    fn of(args: &'a Args) -> anyhow::Result<Self> {
        Ok(match (&args.listen, &args.connect) {
            (Some(address), _) => {
                let (listener, address) = listen(address)?;
                say(&format!("Listening on {address}."));
                Place::Listening(Door {
                    listener,
                    was_here: Cell::new(false),
                })
            }
            (None, Some(address)) => Place::Connecting(address),
            (None, None) => Place::Here,
        })
    }

    /// Measures a group. What was measured is in `records` at the end, and if it fails as well.
    fn measure(&self, args: &Args, job: &Job<'_>, records: &mut Vec<Record>) -> anyhow::Result<()> {
        match self {
            Place::Here => here(args, job, records),
            Place::Listening(door) => {
                let next = || Ok(Box::new(door.accept(args.timeout, job.stop)?) as Line);
                measure_side(Party::Garbler, job, next, records)
            }
            Place::Connecting(address) => {
                let patience = args.timeout.message();
                let next = || Ok(Box::new(TcpTransport::connect(*address, patience)?) as Line);
                measure_side(Party::Evaluator, job, next, records)
            }
        }
    }
}

/// Measures a group with both parties in this process.
fn here(args: &Args, job: &Job<'_>, records: &mut Vec<Record>) -> anyhow::Result<()> {
    let mut lines = Vec::new();
    for _ in job.group {
        lines.push(loopback_lines(args)?);
    }
    let (near, far): (Vec<Line>, Vec<Line>) = lines.into_iter().unzip();
    let (mut garbler, mut evaluator) = (Vec::new(), Vec::new());
    let side = |party, lines: Vec<Line>, records| {
        let mut lines = lines.into_iter();
        let next = move || Ok(lines.next().expect("one for each"));
        move || measure_side(party, job, next, records)
    };
    let outcome = loopback::both(
        side(Party::Garbler, near, &mut garbler),
        side(Party::Evaluator, far, &mut evaluator),
    );
    records.extend(garbler.iter().zip(&evaluator).map(|(a, b)| a.slower(b)));
    outcome.map(|_| ())
}

/// Where the other side comes in, once for each configuration.
struct Door {
    listener: TcpListener,
    /// Whether it was here before.
    was_here: Cell<bool>,
}

impl Door {
    /// How often the user is heard while nobody comes.
    const LOOK: Duration = Duration::from_millis(200);

    /// Waits for the other side: the first time as long as the user says, and later only as long as it
    /// may take to build the next circuits, as it may have gone.
    ///
    /// # Errors
    /// Those of [`TcpTransport::accept`]; also a timeout if the user asks to stop.
    fn accept(&self, timeout: TimeoutArgs, stop: &Stop) -> net::Result<TcpTransport> {
        let limit = match self.was_here.get() {
            true => timeout.deadlines().phase,
            false => timeout.patience(),
        };
        let begun = Instant::now();
        loop {
            let left = limit.saturating_sub(begun.elapsed());
            match TcpTransport::accept(&self.listener, left.min(Self::LOOK)) {
                Err(net::Error::Timeout { .. }) if left > Self::LOOK && !stop.is_asked() => {}
                Err(net::Error::Timeout { during, .. }) => {
                    return Err(net::Error::Timeout { during, limit });
                }
                outcome => {
                    self.was_here.set(true);
                    return outcome;
                }
            }
        }
    }
}

/// The ends of a connection of this machine to itself, with the shape that is asked for.
fn loopback_lines(args: &Args) -> anyhow::Result<(Line, Line)> {
    let (near, far) = loopback::connect()?;
    Ok(match args.line.shape() {
        None => (Box::new(near), Box::new(far)),
        Some(shape) => {
            let (near, far) = shaped(shape, near, far);
            (Box::new(near), Box::new(far))
        }
    })
}

#[cfg(test)]
mod tests {
    use std::net::TcpStream;

    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn nobody_is_in_a_hurry_on_a_shaped_line_but_a_user_who_says_so() {
        let shape = Shape {
            rtt: 100 * MS,
            bandwidth: None,
        };
        let (unsaid, said) = (TimeoutArgs::default(), TimeoutArgs::default().or(MS));
        assert_eq!(timeout(unsaid, Some(shape)).message(), UNHURRIED);
        assert_eq!(timeout(unsaid, None).message(), unsaid.message());
        assert_eq!(timeout(said, Some(shape)).message(), MS);
    }

    #[test]
    fn whoever_was_here_and_does_not_come_again_is_not_waited_for_forever() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let door = Door {
            listener,
            was_here: Cell::new(false),
        };
        let stop = Stop::default();
        let come = || door.accept(TimeoutArgs::default().or(100 * MS), &stop);
        let limit = |outcome: net::Result<_>| match outcome.err() {
            Some(net::Error::Timeout { limit, .. }) => limit,
            other => panic!("{other:?}"),
        };
        assert_eq!(limit(come()), 100 * MS);
        let _guest = TcpStream::connect(address).unwrap();
        assert!(come().is_ok());
        assert_eq!(limit(come()), 400 * MS, "as long as a phase");
    }
}
