//! One party's side of a measurement.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context;
use dealerless::circuit::Party;
use dealerless::deck::SealedDeck;
use dealerless::mpc::{Audience, Input, Opening, Run, Session, SessionBit, TwoParty};
use dealerless::net::{Traffic, Transport};
use rand::RngExt;

use super::plan::{Configuration, Netlist, Subject};
use crate::failure::{BROKEN_OFF, OtherTerms};
use crate::output::say;
use crate::progress::Progress;
use crate::session::{Greeting, Session as ReadySession, SessionArgs, TimeoutArgs, system_rng};

/// Any transport.
pub(super) type Line = Box<dyn Transport>;

/// What a phase took, as seen from one side.
#[derive(Clone, Copy)]
pub(super) struct Phase {
    pub(super) time: Duration,
    pub(super) traffic: Traffic,
}

/// The pool is filled once, and used up.
pub(super) struct Round {
    pub(super) pool: Phase,
    pub(super) online: Vec<Phase>,
}

/// All that was measured of a configuration.
pub(super) struct Record {
    pub(super) setup: Phase,
    /// The first one warms the caches.
    pub(super) rounds: Vec<Round>,
}

impl Record {
    /// Phase by phase the time of the slower side, and this side's counts, of the rounds that both
    /// have measured.
    pub(super) fn slower(&self, other: &Record) -> Record {
        let slower = |a: &Phase, b: &Phase| Phase {
            time: a.time.max(b.time),
            traffic: a.traffic,
        };
        let round = |(a, b): (&Round, &Round)| Round {
            pool: slower(&a.pool, &b.pool),
            online: (a.online.iter().zip(&b.online))
                .map(|(a, b)| slower(a, b))
                .collect(),
        };
        Record {
            setup: slower(&self.setup, &other.setup),
            rounds: self.rounds.iter().zip(&other.rounds).map(round).collect(),
        }
    }
}

/// Whether the user has pressed Ctrl-C.
#[derive(Clone, Default)]
pub(super) struct Stop(Arc<AtomicBool>);

impl Stop {
    /// From now on Ctrl-C is noted, and ends the program only the second time.
    ///
    /// # Errors
    /// If the system does not allow it.
    pub(super) fn by_signal() -> Result<Self, ctrlc::Error> {
        let stop = Stop::default();
        let noted = stop.clone();
        ctrlc::set_handler(move || {
            if noted.0.swap(true, Ordering::Relaxed) {
                std::process::exit(BROKEN_OFF.into());
            }
            say("Ending after this round; Ctrl-C again ends at once.");
        })?;
        Ok(stop)
    }

    pub(super) fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// What both sides of a measurement have in common.
pub(super) struct Job<'a> {
    /// The configurations that take turns.
    pub(super) group: &'a [Configuration<'a>],
    pub(super) subjects: &'a [Subject<'a>],
    pub(super) rounds: u32,
    pub(super) statistical_security: u8,
    pub(super) timeout: TimeoutArgs,
    /// What both hellos say.
    pub(super) terms: &'a [u8],
    pub(super) progress: &'a Progress,
    pub(super) stop: &'a Stop,
}

/// Measures from its start until it is asked.
struct Watch {
    begun: Instant,
    before: Traffic,
}

impl Watch {
    fn start(session: &Session<Line>) -> Self {
        Watch {
            begun: Instant::now(),
            before: session.traffic(),
        }
    }

    fn stop(&self, session: &Session<Line>) -> Phase {
        let time = self.begun.elapsed();
        let after = session.traffic();
        let since = |count: fn(&Traffic) -> u64| count(&after) - count(&self.before);
        Phase {
            time,
            traffic: Traffic {
                bytes_sent: since(|t| t.bytes_sent),
                bytes_received: since(|t| t.bytes_received),
                flights_sent: since(|t| t.flights_sent),
                flights_received: since(|t| t.flights_received),
            },
        }
    }
}

/// Measures a group, in which each configuration has a session of its own: `lines` gives each its
/// line. It ends when all is done or the user asks to stop. What was measured is in `records` then, and
/// if it fails as well.
///
/// # Errors
/// Those of the sessions and of `lines`; [`OtherTerms`].
pub(super) fn measure(
    party: Party,
    job: &Job<'_>,
    mut lines: impl FnMut() -> anyhow::Result<Line>,
    records: &mut Vec<Record>,
) -> anyhow::Result<()> {
    let mut sessions = Vec::new();
    for configuration in job.group {
        if job.stop.is_asked() {
            return Ok(());
        }
        let ready = open(party, job, configuration, lines()?)?;
        records.push(Record {
            setup: Phase {
                time: ready.setup,
                traffic: ready.party.traffic(),
            },
            rounds: Vec::new(),
        });
        sessions.push(ready.party);
    }
    // The first round warms the caches.
    for _ in 0..=job.rounds {
        let what = job.group.iter().zip(job.subjects);
        for ((session, record), (configuration, subject)) in
            sessions.iter_mut().zip(&mut *records).zip(what)
        {
            if job.stop.is_asked() {
                sessions.iter_mut().for_each(TwoParty::abort);
                return Ok(());
            }
            let round = round(session, subject, configuration.pool);
            record
                .rounds
                .push(round.with_context(|| configuration.describe())?);
            job.progress.step();
        }
    }
    Ok(())
}

/// Opens the session of a configuration.
fn open(
    party: Party,
    job: &Job<'_>,
    configuration: &Configuration<'_>,
    line: Line,
) -> anyhow::Result<ReadySession<Line>> {
    let args = SessionArgs {
        security: configuration.security,
        statistical_security: job.statistical_security,
        timeout: job.timeout,
    };
    let greeting = Greeting::exchange(line, party, &args, job.terms)?;
    if greeting.peer_terms() != job.terms {
        greeting.refuse();
        let what = "it measures something else: give both the same arguments and netlists";
        return Err(OtherTerms(what.into()).into());
    }
    Ok(greeting.set_up()?)
}

fn round(session: &mut Session<Line>, subject: &Subject<'_>, pool: u32) -> anyhow::Result<Round> {
    let runs = pool as usize;
    let watch = Watch::start(session);
    match subject {
        Subject::Shuffle(shuffle) => SealedDeck::prepare(session, shuffle, runs)?,
        Subject::Netlist(netlist) => {
            let inputs = inputs(netlist);
            let demand = Run::new(&netlist.circuit, &inputs, &[]).demand();
            session.prepare(demand.times(runs))?;
        }
    }
    let pool = watch.stop(session);
    let mut online = Vec::new();
    for _ in 0..runs {
        online.push(match subject {
            Subject::Shuffle(shuffle) => {
                let watch = Watch::start(session);
                SealedDeck::shuffle(session, shuffle, &mut system_rng())?;
                watch.stop(session)
            }
            Subject::Netlist(netlist) => run_netlist(session, netlist)?,
        });
    }
    Ok(Round { pool, online })
}

fn inputs(netlist: &Netlist) -> Vec<Input<'_, SessionBit>> {
    let owners = netlist.owners.parties().iter();
    owners.map(|&owner| Input::By(owner)).collect()
}

/// Runs it on random inputs, and opens the outputs to both.
fn run_netlist(session: &mut Session<Line>, netlist: &Netlist) -> anyhow::Result<Phase> {
    let widths = netlist
        .owners
        .widths(netlist.circuit.inputs(), session.role());
    let bits: usize = widths.iter().sum();
    let mut rng = rand::rng();
    let mine: Vec<bool> = (0..bits).map(|_| rng.random()).collect();
    let inputs = inputs(netlist);
    let watch = Watch::start(session);
    let shared = session.run(Run::new(&netlist.circuit, &inputs, &mine))?;
    let to = Audience::Both;
    let openings: Vec<_> = shared.iter().map(|bits| Opening { to, bits }).collect();
    session.open(&openings)?;
    Ok(watch.stop(session))
}
