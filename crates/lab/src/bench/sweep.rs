//! Measures all configurations, group by group, in one process or between two machines.

use std::net::TcpListener;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use dealerless::circuit::Party;
use dealerless::mpc;
use dealerless::net::{self, TcpTransport};
use dealerless_command_line::arguments::TimeoutArgs;
use dealerless_command_line::output::say;
use dealerless_command_line::progress::Progress;

use super::args::Args;
use super::barrier::{LocalBarrier, Timing};
use super::plan::{Configuration, Source, Subject, groups};
use super::remote_barrier::RemoteBarrier;
use super::shaped::{Shape, shaped, shaped_sending};
use super::side::{BoxedTransport, Job, Record, greet, measure as measure_side};
use super::virtual_link::{AT_ONCE, VirtualClock, VirtualLink, virtual_link};
use crate::loopback;
use crate::session::{FIRST_BYTE, Greeting, SessionArgs, is_of_a_stranger, listen};
use crate::stop::Stop;

/// The default timeout of a message on a shaped link: practically unlimited, since the link may be
/// arbitrarily slow.
const SHAPED_TIMEOUT: Duration = Duration::from_secs(24 * 60 * 60);

/// The measurements of a configuration: at least one round in addition to the warm-up round.
pub(super) struct Measured<'a> {
    pub(super) configuration: Configuration<'a>,
    pub(super) ands: usize,
    pub(super) record: Record,
}

/// The location of the parties.
enum Parties<'a> {
    /// Both parties run in this process.
    Here,
    /// The other party runs on another machine.
    Apart {
        party: Party,
        connector: Connector<'a>,
        barrier: Box<RemoteBarrier>,
    },
}

/// The way to connect to the other machine.
enum Connector<'a> {
    Listening(Entrance),
    Connecting(&'a str),
}

/// Measures until all configurations are done or the user asks to stop. On return, `measured` holds
/// the completed measurements, even after an error.
///
/// # Errors
/// The errors of the sessions, and if no connection can be made.
pub(super) fn measure<'a>(
    args: &Args,
    configurations: &'a [Configuration<'a>],
    stop: &Stop,
    measured: &mut Vec<Measured<'a>>,
) -> anyhow::Result<()> {
    let terms = terms(args, configurations);
    let mut place = match Parties::of(args, &terms, stop) {
        Err(_) if stop.is_asked() => return Ok(()),
        place => place?,
    };
    let parties = if matches!(place, Parties::Here) { 2 } else { 1 };
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
            timeout: timeout(args.timeout, args.link.shape()),
            terms: &terms,
            progress: &progress,
            stop,
        };
        let mut records = Vec::new();
        let outcome = place.measure(args, &job, &mut records);
        measured.extend(complete(group, &subjects, records));
        match outcome {
            // A request to stop interrupts the sessions, so their errors are expected.
            Err(error) if !stop.is_asked() => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// Pairs the configurations of a group with their records. Leaves out those that have no round
/// after the warm-up.
fn complete<'a>(
    group: &'a [Configuration<'a>],
    subjects: &[Subject<'a>],
    records: Vec<Record>,
) -> impl Iterator<Item = Measured<'a>> {
    let rows = group.iter().zip(subjects).zip(records);
    rows.filter(|(_, record)| record.rounds.len() > 1)
        .map(|((configuration, subject), record)| Measured {
            configuration: *configuration,
            ands: subject.circuit().ands(),
            record,
        })
}

fn timeout(given: TimeoutArgs, shape: Option<Shape>) -> TimeoutArgs {
    match shape {
        Some(_) => given.or(SHAPED_TIMEOUT),
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

/// The terms in the hellos of both parties: they identify the configurations and the link. The
/// sessions also compare the circuits before they run them.
fn terms(args: &Args, configurations: &[Configuration<'_>]) -> Vec<u8> {
    let mut hasher = blake3::Hasher::new();
    for configuration in configurations {
        hasher.update(format!("{configuration}\n").as_bytes());
    }
    if let Some(shape) = args.link.shape() {
        hasher.update(format!("{shape:?}").as_bytes());
    }
    format!("bench {} {}", args.rounds, hasher.finalize()).into_bytes()
}

impl<'a> Parties<'a> {
    /// Opens the control connection if there are two machines.
    ///
    /// # Errors
    /// If the connection fails, or the other machine runs a different measurement.
    fn of(args: &'a Args, terms: &[u8], stop: &Stop) -> anyhow::Result<Self> {
        let (party, connector) = match (&args.listen, &args.connect) {
            (Some(address), _) => {
                let (listener, address) = listen(address)?;
                say(&format!("Listening on {address}."));
                let entrance = Entrance { listener };
                (Party::Garbler, Connector::Listening(entrance))
            }
            (None, Some(address)) => (Party::Evaluator, Connector::Connecting(address)),
            (None, None) => return Ok(Parties::Here),
        };
        let session = SessionArgs {
            engine: args.engine[0],
            statistical_security: args.statistical_security,
            timeout: timeout(args.timeout, args.link.shape()),
        };
        let greeting = connector.meet(args, party, &session, terms, stop)?;
        let barrier = Box::new(RemoteBarrier::new(greeting.into_channel(), party));
        Ok(Parties::Apart {
            party,
            connector,
            barrier,
        })
    }

    /// Measures a group. On return, `records` holds the measurements, even after an error.
    fn measure(
        &mut self,
        args: &Args,
        job: &Job<'_>,
        records: &mut Vec<Record>,
    ) -> anyhow::Result<()> {
        match self {
            Parties::Here => {
                let (shape, timing) = (args.link.shape(), args.link.timing());
                here(shape, timing, LocalBarrier::pair(timing), job, records)
            }
            Parties::Apart {
                party,
                connector,
                barrier,
            } => {
                let clock = barrier.clock();
                measure_side(
                    *party,
                    job,
                    barrier.as_mut(),
                    || {
                        let limit = args.timeout.deadlines().phase;
                        let transport = connector.connect(args, limit, job.stop)?;
                        let transport: BoxedTransport = match args.link.shape() {
                            None => Box::new(transport),
                            Some(shape) => Box::new(shaped_sending(shape, transport)?),
                        };
                        Ok(Box::new(VirtualLink::counting(transport, clock.clone()))
                            as BoxedTransport)
                    },
                    records,
                )
            }
        }
    }
}

impl Connector<'_> {
    /// Opens the control connection. A listening party drops connections without a valid hello; a
    /// connecting party tries until its patience ends.
    fn meet(
        &self,
        args: &Args,
        party: Party,
        session: &SessionArgs,
        terms: &[u8],
        stop: &Stop,
    ) -> anyhow::Result<Greeting> {
        let begun = Instant::now();
        let mut has_said = false;
        loop {
            let left = args.timeout.patience().saturating_sub(begun.elapsed());
            let met = self.connect(args, left, stop).map_err(anyhow::Error::from);
            let met = met.and_then(|transport| {
                if let Connector::Listening(_) = self {
                    let speaks = transport.await_byte(FIRST_BYTE.min(args.timeout.message()));
                    speaks.map_err(mpc::Error::from)?;
                }
                greet(party, session, terms, Box::new(transport))
            });
            let error = match met {
                Ok(greeting) => return Ok(greeting),
                Err(error) => error,
            };
            let waits = match (self, error.downcast_ref(), error.downcast_ref()) {
                // A stranger sent something else, or nothing.
                (Connector::Listening(_), Some(mpc::Error::Channel(why)), _)
                    if is_of_a_stranger(why) =>
                {
                    say(&format!(
                        "Dropped a connection: {why}. Waiting for the other party."
                    ));
                    true
                }
                // The other party does not listen yet.
                (Connector::Connecting(address), _, Some(net::Error::Lost { .. })) => {
                    if !std::mem::replace(&mut has_said, true) {
                        say(&format!("Waiting for the other party at {address}."));
                    }
                    thread::sleep(Self::RETRY_INTERVAL);
                    true
                }
                _ => false,
            };
            if !waits || stop.is_asked() || begun.elapsed() >= args.timeout.patience() {
                return Err(error);
            }
        }
    }

    /// The pause between two attempts to connect.
    const RETRY_INTERVAL: Duration = Duration::from_millis(200);

    /// Opens the next connection.
    fn connect(&self, args: &Args, limit: Duration, stop: &Stop) -> net::Result<TcpTransport> {
        match self {
            Connector::Listening(entrance) => entrance.accept(limit, stop),
            Connector::Connecting(address) => {
                TcpTransport::connect(*address, args.timeout.message())
            }
        }
    }
}

/// Measures a group with both parties in this process.
fn here(
    shape: Option<Shape>,
    timing: Timing,
    [(mut garbler, near), (mut evaluator, far)]: [(LocalBarrier, VirtualClock); 2],
    job: &Job<'_>,
    records: &mut Vec<Record>,
) -> anyhow::Result<()> {
    // The garbler makes the connections, and sends the evaluator's ends over a channel. The channel
    // closes when a party ends, so the other party does not wait for ever.
    let (give, take) = mpsc::channel();
    let make = move || {
        let [near, far] = loopback_link(shape, timing, [near.clone(), far.clone()])?;
        let given = give.send(far);
        given.map_or(Err(net::Error::Aborted.into()), |()| Ok(near))
    };
    let take = move || take.recv().map_err(|_| net::Error::Aborted.into());
    // Unused, because both parties record the same figures.
    let mut others = Vec::new();
    let outcome = loopback::both(
        move || measure_side(Party::Garbler, job, &mut garbler, make, records),
        move || measure_side(Party::Evaluator, job, &mut evaluator, take, &mut others),
    );
    outcome.map(|_| ())
}

/// The listener for the connections of the other machine.
struct Entrance {
    listener: TcpListener,
}

impl Entrance {
    /// The interval between two checks whether the user asked to stop.
    const POLL_INTERVAL: Duration = Duration::from_millis(200);

    /// Waits at most `limit` for a connection from the other machine.
    ///
    /// # Errors
    /// Same as [`TcpTransport::accept`]; also [`net::Error::Timeout`] if the user asks to stop.
    fn accept(&self, limit: Duration, stop: &Stop) -> net::Result<TcpTransport> {
        let begun = Instant::now();
        loop {
            let left = limit.saturating_sub(begun.elapsed());
            match TcpTransport::accept(&self.listener, left.min(Self::POLL_INTERVAL)) {
                Err(net::Error::Timeout { .. })
                    if left > Self::POLL_INTERVAL && !stop.is_asked() => {}
                Err(net::Error::Timeout { during, .. }) => {
                    return Err(net::Error::Timeout { during, limit });
                }
                outcome => return outcome,
            }
        }
    }
}

/// Opens a loopback connection with the given shape, and returns its ends.
fn loopback_link(
    shape: Option<Shape>,
    timing: Timing,
    [near_clock, far_clock]: [VirtualClock; 2],
) -> anyhow::Result<[BoxedTransport; 2]> {
    let (simulated, real) = match timing {
        Timing::Simulated => (shape.unwrap_or(AT_ONCE), None),
        Timing::Real => (AT_ONCE, shape),
    };
    let (near, far) = loopback::connect()?;
    let [near, far] = virtual_link(simulated, [(near, near_clock), (far, far_clock)]);
    Ok(match real {
        None => [Box::new(near), Box::new(far)],
        Some(shape) => {
            let (near, far) = shaped(shape, near, far);
            [Box::new(near), Box::new(far)]
        }
    })
}

#[cfg(test)]
mod tests {
    use std::net::TcpStream;
    use std::num::NonZeroU64;

    use dealerless::mpc::{EngineKind, STATISTICAL_SECURITY};
    use dealerless::shuffle::{Algorithm, Spec};

    use super::*;
    use crate::bench::side::Round;

    const MS: Duration = Duration::from_millis(1);

    /// Measures 5 of 16 cards with all given algorithms together, over a simulated link. Returns
    /// the records, and the time that has passed on the link.
    fn simulate(shape: Shape, algorithms: &[Algorithm]) -> (Vec<Record>, Duration) {
        let configurations: Vec<_> = (algorithms.iter())
            .map(|&algorithm| Configuration {
                source: Source::Shuffle(Spec::new(16, 5, algorithm).unwrap()),
                engine: EngineKind::Malicious,
                pool: 1,
            })
            .collect();
        let subjects = build(&configurations);
        let progress = Progress::begin(0, "rounds");
        let job = Job {
            group: &configurations,
            subjects: &subjects,
            rounds: 3,
            statistical_security: STATISTICAL_SECURITY,
            timeout: TimeoutArgs::default().or(SHAPED_TIMEOUT),
            terms: b"",
            progress: &progress,
            stop: &Stop::default(),
        };
        let ends = LocalBarrier::pair(Timing::Simulated);
        let clocks = [0, 1].map(|party: usize| ends[party].1.clone());
        let mut records = Vec::new();
        here(Some(shape), Timing::Simulated, ends, &job, &mut records).unwrap();
        let passed = clocks.map(|clock| clock.now().time);
        (records, passed[0].max(passed[1]))
    }

    fn total(round: &Round) -> Duration {
        round.pool.time
            + round
                .online
                .iter()
                .map(|phase| phase.time)
                .sum::<Duration>()
    }

    /// The sum of all times, including the first setup and the first round.
    fn sum(records: &[Record]) -> Duration {
        records
            .iter()
            .map(|record| {
                let setups: Duration = record.setups.iter().map(|phase| phase.time).sum();
                setups + record.rounds.iter().map(total).sum::<Duration>()
            })
            .sum()
    }

    #[test]
    fn warm_up_round_alone_is_not_a_measurement() {
        let configuration = Configuration {
            source: Source::Shuffle(Spec::new(5, 2, Algorithm::Cut).unwrap()),
            engine: EngineKind::Malicious,
            pool: 1,
        };
        let group = [configuration; 3];
        let subjects = build(&group);
        let round = || Round {
            pool: Default::default(),
            online: Vec::new(),
        };
        let records = [0, 1, 2]
            .map(|rounds| Record {
                peak: Default::default(),
                setups: Vec::new(),
                rounds: (0..rounds).map(|_| round()).collect(),
            })
            .into();
        let measured: Vec<_> = complete(&group, &subjects, records).collect();
        assert_eq!(measured.len(), 1);
        assert_eq!(measured[0].record.rounds.len(), 2);
    }

    #[test]
    fn total_of_a_round_does_not_depend_on_other_configurations() {
        let algorithms = [Algorithm::FisherYates, Algorithm::Cut, Algorithm::Waksman];
        for bandwidth in [None, NonZeroU64::new(20_000_000)] {
            let shape = Shape {
                rtt: 60 * MS,
                bandwidth,
            };
            let (sweep, passed) = simulate(shape, &algorithms);
            assert_eq!(sum(&sweep), passed, "every time is counted exactly once");
            for (algorithm, in_sweep) in algorithms.iter().zip(&sweep) {
                let (alone, passed) = simulate(shape, &[*algorithm]);
                assert_eq!(sum(&alone), passed, "{algorithm}");
                let totals =
                    |record: &Record| -> Vec<_> { record.rounds.iter().map(total).collect() };
                assert_eq!(totals(&alone[0]), totals(in_sweep), "{algorithm}");
            }
        }
    }

    #[test]
    fn phase_takes_half_a_round_trip_per_flight_in_a_row() {
        let shape = Shape {
            rtt: 60 * MS,
            bandwidth: None,
        };
        let (records, _) = simulate(shape, &[Algorithm::Cut, Algorithm::Waksman]);
        for record in &records {
            assert_eq!((record.setups.len(), record.rounds.len()), (4, 4));
            let rounds = record.rounds.iter();
            let phases = rounds.flat_map(|round| round.online.iter().chain([&round.pool]));
            for phase in phases.chain(&record.setups) {
                assert!(phase.in_a_row > 0);
                assert_eq!(phase.time, phase.in_a_row as u32 * 30 * MS);
            }
        }
    }

    #[test]
    fn shaped_link_has_no_timeout_unless_the_user_sets_one() {
        let shape = Shape {
            rtt: 100 * MS,
            bandwidth: None,
        };
        let (default, given) = (TimeoutArgs::default(), TimeoutArgs::default().or(MS));
        assert_eq!(timeout(default, Some(shape)).message(), SHAPED_TIMEOUT);
        assert_eq!(timeout(default, None).message(), default.message());
        assert_eq!(timeout(given, Some(shape)).message(), MS);
    }

    #[test]
    fn peer_that_does_not_connect_is_not_awaited_forever() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let entrance = Entrance { listener };
        let stop = Stop::default();
        let come = || entrance.accept(300 * MS, &stop);
        let limit = |outcome: net::Result<_>| match outcome.err() {
            Some(net::Error::Timeout { limit, .. }) => limit,
            other => panic!("{other:?}"),
        };
        assert_eq!(limit(come()), 300 * MS);
        let _guest = TcpStream::connect(address).unwrap();
        assert!(come().is_ok());
        assert_eq!(limit(come()), 300 * MS);
    }
}
