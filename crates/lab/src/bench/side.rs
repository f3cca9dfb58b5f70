//! One party's side of a measurement.

use std::time::Duration;

use anyhow::Context;
use dealerless::circuit::{ByParty, Party};
use dealerless::deck::SealedDeck;
use dealerless::mpc::{Audience, Input, Opening, Run, Session, TwoParty};
use dealerless::net::{Traffic, Transport};
use dealerless_command_line::arguments::TimeoutArgs;
use dealerless_command_line::failure::OtherTerms;
use dealerless_command_line::progress::Progress;
use dealerless_command_line::system_rng;
use rand::RngExt;

use super::barrier::{Barrier, Mark, Moment};
use super::plan::{Configuration, Netlist, Subject};
use super::resources::{cpu_time, forget_peak, peak_memory};
use crate::session::{Greeting, SessionArgs};
use crate::stop::Stop;

/// The maximum number of measured setups of a configuration, in addition to the warm-up setup.
const MOST_SETUPS: u32 = 5;

/// Any transport.
pub(super) type BoxedTransport = Box<dyn Transport>;

/// The cost of a phase. A phase lasts from the moment when both parties have finished the previous
/// phase until both have finished this phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Phase {
    pub(super) time: Duration,
    /// Bytes sent by both parties.
    pub(super) bytes: u64,
    /// Flights in both directions, as counted by the garbler.
    pub(super) flights: u64,
    /// Flights in a row: see [`Mark::in_a_row`].
    pub(super) in_a_row: u64,
    /// The CPU time of each party.
    pub(super) cpu: ByParty<Duration>,
}

/// One round, in which the pool is filled once and used up.
pub(super) struct Round {
    pub(super) pool: Phase,
    /// A phase for each run.
    pub(super) online: Vec<Phase>,
}

/// All measurements of a configuration. The first setup and the first round warm the caches.
#[derive(Default)]
pub(super) struct Record {
    /// The setups of new sessions; the last session runs the rounds.
    pub(super) setups: Vec<Phase>,
    pub(super) rounds: Vec<Round>,
    /// The largest memory of each party's process, in bytes; 0 if it is unknown.
    pub(super) peak: ByParty<u64>,
}

/// The measurement of a group, the same for both sides.
pub(super) struct Job<'a> {
    /// The configurations that take turns.
    pub(super) group: &'a [Configuration<'a>],
    /// The built circuits of `group`.
    pub(super) subjects: &'a [Subject<'a>],
    pub(super) rounds: u32,
    pub(super) statistical_security: u8,
    pub(super) timeout: TimeoutArgs,
    /// The terms in both hellos.
    pub(super) terms: &'a [u8],
    pub(super) progress: &'a Progress,
    pub(super) stop: &'a Stop,
}

impl Job<'_> {
    /// The number of sessions that are set up for each configuration.
    fn setups(&self) -> u32 {
        1 + self.rounds.min(MOST_SETUPS)
    }
}

/// Measures a group. Each configuration has its own session; `connect` makes the transport of a
/// session. The function returns when all configurations are done or the user asks to stop. On
/// return, `records` holds the measurements, even after an error. Both parties record the same
/// figures.
///
/// # Errors
/// The errors of the sessions, of `connect` and of the barrier; [`OtherTerms`].
pub(super) fn measure(
    party: Party,
    job: &Job<'_>,
    barrier: &mut dyn Barrier,
    mut connect: impl FnMut() -> anyhow::Result<BoxedTransport>,
    records: &mut Vec<Record>,
) -> anyhow::Result<()> {
    let mut side = Side {
        party,
        job,
        barrier,
    };
    let mut sessions = Vec::new();
    forget_peak();
    for configuration in job.group {
        records.push(Record::default());
        let record = records.last_mut().expect("a record was just pushed");
        for setup in 1..=job.setups() {
            if job.stop.is_asked() {
                return Ok(());
            }
            let session = side.set_up(configuration, connect()?, record)?;
            if setup == job.setups() {
                sessions.push(session);
            }
        }
    }
    // One round more than `job.rounds`, since the first round warms the caches.
    for _ in 0..=job.rounds {
        let what = job.group.iter().zip(job.subjects);
        for ((session, record), (configuration, subject)) in
            sessions.iter_mut().zip(&mut *records).zip(what)
        {
            if job.stop.is_asked() {
                sessions.iter_mut().for_each(TwoParty::abort);
                return Ok(());
            }
            let round = side.round(session, subject, configuration.pool);
            let (round, peak) = round.with_context(|| configuration.describe())?;
            record.rounds.push(round);
            record.peak = peak;
            job.progress.step();
        }
    }
    Ok(())
}

/// Exchanges hellos, and compares the terms.
///
/// # Errors
/// Same as [`Greeting::exchange`]; also [`OtherTerms`].
pub(super) fn greet(
    party: Party,
    args: &SessionArgs,
    terms: &[u8],
    transport: BoxedTransport,
) -> anyhow::Result<Greeting> {
    let greeting = Greeting::exchange(transport, party, args, terms)?;
    if greeting.peer_terms() != terms {
        greeting.refuse();
        let what =
            "the peer runs a different measurement: give both the same arguments and netlists";
        return Err(OtherTerms(what.into()).into());
    }
    Ok(greeting)
}

/// One party with its start barrier.
struct Side<'a> {
    party: Party,
    job: &'a Job<'a>,
    barrier: &'a mut dyn Barrier,
}

/// The reference point of a party's marks: the common start.
struct Watch {
    begun: Moment,
    before: Traffic,
    cpu_at_start: Duration,
    /// The CPU time at the last mark that has read it.
    cpu_at_mark: Duration,
}

impl Side<'_> {
    /// Waits for the common start. `before` is the traffic of the channel so far.
    fn start(&mut self, before: Traffic) -> anyhow::Result<Watch> {
        self.barrier.start()?;
        // The barrier waits actively, which is not part of the measurement.
        let cpu = cpu_time();
        let begun = self.barrier.now();
        Ok(Watch {
            begun,
            before,
            cpu_at_start: cpu,
            cpu_at_mark: cpu,
        })
    }

    /// Reads the CPU time, and then marks the end of a phase. Reading takes some microseconds.
    fn mark_with_cpu(&self, watch: &mut Watch, traffic: Traffic) -> Mark {
        watch.cpu_at_mark = cpu_time();
        self.mark(watch, traffic)
    }

    fn mark(&self, watch: &Watch, traffic: Traffic) -> Mark {
        let now = self.barrier.now();
        let flights = |traffic: Traffic| traffic.flights_sent + traffic.flights_received;
        Mark {
            time: now.time - watch.begun.time,
            sent: traffic.bytes_sent - watch.before.bytes_sent,
            flights: flights(traffic) - flights(watch.before),
            in_a_row: now.in_a_row - watch.begun.in_a_row,
            cpu: watch.cpu_at_mark.saturating_sub(watch.cpu_at_start),
            peak: 0,
        }
    }

    /// Exchanges marks with the other party, and computes the phases from the marks of both
    /// parties.
    fn phases(&mut self, mine: &[Mark]) -> anyhow::Result<Vec<Phase>> {
        let theirs = self.barrier.exchange(mine)?;
        Ok(match self.party {
            Party::Garbler => phases(mine, &theirs),
            Party::Evaluator => phases(&theirs, mine),
        })
    }

    /// Sets up a session, and adds the cost of the setup to `record`.
    fn set_up(
        &mut self,
        configuration: &Configuration<'_>,
        transport: BoxedTransport,
        record: &mut Record,
    ) -> anyhow::Result<Session> {
        let args = SessionArgs {
            engine: configuration.engine,
            statistical_security: self.job.statistical_security,
            timeout: self.job.timeout,
        };
        let mut watch = self.start(Traffic::default())?;
        let session = greet(self.party, &args, self.job.terms, transport)?.set_up()?;
        let mark = self.mark_with_cpu(&mut watch, session.party.traffic());
        record.setups.extend(self.phases(&[mark])?);
        Ok(session.party)
    }

    fn round(
        &mut self,
        session: &mut impl TwoParty,
        subject: &Subject<'_>,
        pool: u32,
    ) -> anyhow::Result<(Round, ByParty<u64>)> {
        let inputs = random_inputs(session.role(), subject, pool);
        let mut watch = self.start(session.traffic())?;
        let mut marks = Vec::new();
        prepare(session, subject, pool as usize)?;
        marks.push(self.mark_with_cpu(&mut watch, session.traffic()));
        for mine in &inputs {
            run(session, subject, mine)?;
            marks.push(self.mark(&watch, session.traffic()));
        }
        // After the last mark, so that no online phase contains the reading. Their CPU time is known
        // only together.
        let all = cpu_time().saturating_sub(watch.cpu_at_start);
        let last = marks.last_mut().expect("the mark of the pool");
        (last.cpu, last.peak) = (all, peak_memory());
        let theirs = self.barrier.exchange(&marks)?;
        let (garbler, evaluator) = match self.party {
            Party::Garbler => (&marks, &theirs),
            Party::Evaluator => (&theirs, &marks),
        };
        let mut phases = phases(garbler, evaluator).into_iter();
        let pool = phases.next().expect("there is a phase for each mark");
        let mut online: Vec<Phase> = phases.collect();
        let together = online
            .iter()
            .fold(ByParty::default(), |sum: ByParty<Duration>, phase| {
                ByParty::from_fn(|party| sum[party] + phase.cpu[party])
            });
        let runs = online.len().max(1) as u32;
        for phase in &mut online {
            phase.cpu = ByParty::from_fn(|party| together[party] / runs);
        }
        let peak = |marks: &[Mark]| marks.last().map_or(0, |mark| mark.peak);
        let peak = ByParty {
            garbler: peak(garbler),
            evaluator: peak(evaluator),
        };
        Ok((Round { pool, online }, peak))
    }
}

/// The phases that end with the given marks of the parties. The first phase begins at the common
/// start.
fn phases(garbler: &[Mark], evaluator: &[Mark]) -> Vec<Phase> {
    let mut before = Phase::default();
    let mut phases = Vec::new();
    for (garbler, evaluator) in garbler.iter().zip(evaluator) {
        let end = Phase {
            time: garbler.time.max(evaluator.time),
            bytes: garbler.sent.saturating_add(evaluator.sent),
            flights: garbler.flights,
            in_a_row: garbler.in_a_row.max(evaluator.in_a_row),
            cpu: ByParty {
                garbler: garbler.cpu,
                evaluator: evaluator.cpu,
            },
        };
        phases.push(Phase {
            time: end.time.saturating_sub(before.time),
            bytes: end.bytes.saturating_sub(before.bytes),
            flights: end.flights.saturating_sub(before.flights),
            in_a_row: end.in_a_row.saturating_sub(before.in_a_row),
            cpu: ByParty::from_fn(|party| end.cpu[party].saturating_sub(before.cpu[party])),
        });
        before = end;
    }
    phases
}

/// Random inputs of this party for each run of a netlist. For a shuffle, the inputs are empty: the
/// sealed deck draws the seeds.
fn random_inputs(party: Party, subject: &Subject<'_>, runs: u32) -> Vec<Vec<bool>> {
    let bits = match subject {
        Subject::Shuffle(_) => 0,
        Subject::Netlist(netlist) => {
            let widths = netlist.owners.widths(netlist.circuit.inputs(), party);
            widths.iter().sum()
        }
    };
    let mut rng = rand::rng();
    (0..runs)
        .map(|_| (0..bits).map(|_| rng.random()).collect())
        .collect()
}

/// Preprocesses `runs` runs.
fn prepare<P: TwoParty>(session: &mut P, subject: &Subject<'_>, runs: usize) -> anyhow::Result<()> {
    match subject {
        Subject::Shuffle(shuffle) => SealedDeck::prepare(session, shuffle, runs)?,
        Subject::Netlist(netlist) => {
            let inputs = inputs::<P::Shared>(netlist);
            let demand = Run::new(&netlist.circuit, &inputs, &[]).demand();
            session.prepare(demand.times(runs))?;
        }
    }
    Ok(())
}

/// Shuffles into a sealed deck, or runs the netlist on the given inputs and opens the outputs to
/// both parties.
fn run(session: &mut impl TwoParty, subject: &Subject<'_>, mine: &[bool]) -> anyhow::Result<()> {
    match subject {
        Subject::Shuffle(shuffle) => {
            SealedDeck::shuffle(session, shuffle, &mut system_rng())?;
        }
        Subject::Netlist(netlist) => {
            let shared = session.run(Run::new(&netlist.circuit, &inputs(netlist), mine))?;
            let to = Audience::Both;
            let openings: Vec<_> = shared.iter().map(|bits| Opening { to, bits }).collect();
            session.open(&openings)?;
        }
    }
    Ok(())
}

fn inputs<Shared>(netlist: &Netlist) -> Vec<Input<'_, Shared>> {
    let owners = netlist.owners.parties().iter();
    owners.map(|&owner| Input::By(owner)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    fn mark(ms: u32, sent: u64, flights: u64, in_a_row: u64) -> Mark {
        Mark {
            time: ms * MS,
            sent,
            flights,
            in_a_row,
            cpu: ms * MS / 2,
            peak: 0,
        }
    }

    #[test]
    fn phase_lasts_from_the_end_of_the_previous_one_until_the_later_party_ends() {
        // The evaluator has the pool 30 ms later, but both finish at almost the same time.
        let garbler = [mark(60, 100, 4, 3), mark(120, 150, 6, 7)];
        let evaluator = [mark(90, 70, 5, 4), mark(119, 90, 8, 6)];
        let [pool, online] = phases(&garbler, &evaluator)[..] else {
            panic!("two phases")
        };
        let times = [pool.time, online.time];
        assert_eq!(times, [90 * MS, 30 * MS], "the phases add up to the total");
        assert_eq!((pool.bytes, online.bytes), (170, 70));
        assert_eq!((pool.flights, online.flights), (4, 2));
        assert_eq!((pool.in_a_row, online.in_a_row), (4, 3));
        let cpu = |phase: Phase| [phase.cpu.garbler, phase.cpu.evaluator];
        assert_eq!(cpu(pool), [30 * MS, 45 * MS]);
        assert_eq!(cpu(online), [30 * MS, 29 * MS / 2]);
    }

    #[test]
    fn decreasing_marks_do_not_underflow() {
        let garbler = [mark(9, u64::MAX, 5, 5), mark(1, 1, 1, 1)];
        let last = phases(&garbler, &garbler)[1];
        assert_eq!(last, Phase::default());
    }
}
