//! Measures all configurations, group by group, in one process or between two.

use std::net::TcpListener;

use dealerless::circuit::Party;
use dealerless::net::{TcpTransport, shaped};

use super::args::Args;
use super::plan::{Configuration, Source, Subject, groups};
use super::side::{Job, Line, Record, Stop, measure as measure_side};
use crate::loopback;
use crate::output::say;
use crate::progress::Progress;
use crate::session::listen;

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
    Listening(TcpListener),
    Connecting(&'a str),
}

/// Measures until all is done, or the user asks to stop.
///
/// # Errors
/// Those of the sessions.
pub(super) fn measure<'a>(
    args: &Args,
    configurations: &'a [Configuration<'a>],
    stop: &Stop,
) -> anyhow::Result<Vec<Measured<'a>>> {
    let place = Place::of(args)?;
    let parties = if matches!(place, Place::Here) { 2 } else { 1 };
    let terms = terms(args, configurations);
    let rounds = args.rounds as usize + 1;
    let progress = Progress::begin(parties * configurations.len() * rounds, "rounds");
    let mut measured = Vec::new();
    for group in groups(configurations) {
        if stop.is_asked() {
            break;
        }
        let subjects = build(group);
        let job = Job {
            group,
            subjects: &subjects,
            rounds: args.rounds,
            timeout: args.timeout,
            terms: &terms,
            progress: &progress,
            stop,
        };
        let records = place.measure(args, &job)?;
        let rows = group.iter().zip(&subjects).zip(records);
        measured.extend(rows.filter(|(_, record)| record.rounds.len() > 1).map(
            |((configuration, subject), record)| Measured {
                configuration: *configuration,
                ands: subject.circuit().ands(),
                record,
            },
        ));
    }
    Ok(measured)
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
                Place::Listening(listener)
            }
            (None, Some(address)) => Place::Connecting(address),
            (None, None) => Place::Here,
        })
    }

    fn measure(&self, args: &Args, job: &Job<'_>) -> anyhow::Result<Vec<Record>> {
        match self {
            Place::Here => {
                let mut lines = Vec::new();
                for _ in job.group {
                    lines.push(loopback_lines(args)?);
                }
                let (near, far): (Vec<Line>, Vec<Line>) = lines.into_iter().unzip();
                let side = |party, lines: Vec<Line>| {
                    let mut lines = lines.into_iter();
                    let next = move || Ok(lines.next().expect("one for each"));
                    move || measure_side(party, job, next)
                };
                let sides = (side(Party::Garbler, near), side(Party::Evaluator, far));
                let (garbler, evaluator) = loopback::both(sides.0, sides.1)?;
                let both = garbler.iter().zip(&evaluator);
                Ok(both.map(|(a, b)| a.slower(b)).collect())
            }
            Place::Listening(listener) => measure_side(Party::Garbler, job, || {
                Ok(Box::new(TcpTransport::accept(
                    listener,
                    args.timeout.patience(),
                )?))
            }),
            Place::Connecting(address) => measure_side(Party::Evaluator, job, || {
                Ok(Box::new(TcpTransport::connect(
                    *address,
                    args.timeout.message(),
                )?))
            }),
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
