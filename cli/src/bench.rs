//! `bench`: what a shuffle costs on this machine, phase by phase.

use std::ops::Sub;
use std::time::{Duration, Instant};

use comfy_table::CellAlignment;
use dealerless::circuit::Party;
use dealerless::deck::{self, Choice, SealedDeck};
use dealerless::mpc::{Session, TwoParty};
use dealerless::net::{TcpTransport, Traffic};
use dealerless::shuffle::ShuffleCircuit;
use serde::Serialize;

use super::loopback;
use crate::deck_args::algorithm;
use crate::memory::MemoryArgs;
use crate::output::{bytes, count, grid, milliseconds, say, show, show_json};
use crate::progress::Progress;
use crate::session::{Greeting, SessionArgs, system_rng};

/// Measures what a shuffle costs on this machine: setup, preprocessing, online.
///
/// Both parties run in this process, a thread each, over a real TCP connection. Times and bytes
/// are medians over the rounds, and a time is that of the slower party.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless bench\n  \
    dealerless bench --algorithm bubble --draw 52 --pool 16 --json\n\n\
    The pool is what a malicious session makes ahead for so many shuffles at once;\n\
    a semi-honest session needs none. Bytes and flights are both ways.")]
pub(crate) struct Args {
    /// Cards in the deck.
    #[arg(long, value_name = "N", default_value_t = 52)]
    cards: usize,
    /// Cards drawn from it.
    #[arg(long, value_name = "M", default_value_t = 52)]
    draw: usize,
    /// How the deck is shuffled.
    #[arg(long, value_name = "ALGORITHM", default_value_t = Choice::Cheapest, value_parser = algorithm())]
    algorithm: Choice,
    /// Shuffles that the pool is filled for at once.
    #[arg(long, value_name = "K", default_value = "1", value_parser = one_or_more)]
    pool: u32,
    /// How often the pool is filled and used up.
    #[arg(long, value_name = "R", default_value = "15", value_parser = one_or_more)]
    rounds: u32,
    #[command(flatten)]
    limit: MemoryArgs,
    #[command(flatten)]
    session: SessionArgs,
    /// Print one JSON object; everything else goes to standard error.
    #[arg(long)]
    json: bool,
}

fn one_or_more(text: &str) -> Result<u32, String> {
    (text.parse().ok().filter(|&number| number > 0))
        .ok_or_else(|| format!("a whole number from 1 to {} is needed", u32::MAX))
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let security = args.session.security;
    let spec = args.algorithm.spec(args.cards, args.draw, security)?;
    (args.limit.memory).check_session(spec, security, 2, args.pool)?;
    let progress = Progress::of_building(spec);
    let shuffle = deck::circuit(spec, security);
    drop(progress);
    say(args.session.notice());
    // Both parties' rounds, with one that warms the caches.
    let progress = Progress::begin(2 * (args.rounds as usize + 1), "rounds");
    let side = |party| {
        let (shuffle, progress) = (&shuffle, &progress);
        move |transport| Side::measure(transport, party, args, shuffle, progress)
    };
    let (garbler, evaluator) = loopback::run_both(side(Party::Garbler), side(Party::Evaluator))?;
    drop(progress);
    let report = Report::new(args, &shuffle, &garbler.slower(&evaluator));
    if args.json {
        show_json("bench", &report)
    } else {
        show(&report.describe())
    }
}

/// What a phase took, as seen from one side.
#[derive(Clone, Copy)]
struct Phase {
    time: Duration,
    traffic: Traffic,
}

/// All that one side has measured.
struct Side {
    setup: Phase,
    pool: Vec<Phase>,
    online: Vec<Phase>,
}

/// Measures from its start until it is asked.
struct Watch {
    begun: Instant,
    before: Traffic,
}

impl Watch {
    fn start(session: &Session<TcpTransport>) -> Self {
        Watch {
            begun: Instant::now(),
            before: session.traffic(),
        }
    }

    fn stop(&self, session: &Session<TcpTransport>) -> Phase {
        let after = session.traffic();
        let since = |count: fn(&Traffic) -> u64| count(&after).sub(count(&self.before));
        Phase {
            time: self.begun.elapsed(),
            traffic: Traffic {
                bytes_sent: since(|t| t.bytes_sent),
                bytes_received: since(|t| t.bytes_received),
                flights_sent: since(|t| t.flights_sent),
                flights_received: since(|t| t.flights_received),
            },
        }
    }
}

impl Side {
    fn measure(
        transport: TcpTransport,
        party: Party,
        args: &Args,
        shuffle: &ShuffleCircuit,
        progress: &Progress,
    ) -> anyhow::Result<Self> {
        let ready = Greeting::exchange(transport, party, &args.session, b"bench")?.set_up()?;
        let mut session = ready.party;
        let mut side = Side {
            setup: Phase {
                time: ready.setup,
                traffic: session.traffic(),
            },
            pool: Vec::new(),
            online: Vec::new(),
        };
        let shuffles = args.pool as usize;
        // The first round warms the caches.
        for round in 0..=args.rounds {
            let watch = Watch::start(&session);
            SealedDeck::prepare(&mut session, shuffle, shuffles)?;
            let pool = watch.stop(&session);
            let mut online = Vec::new();
            for _ in 0..shuffles {
                let watch = Watch::start(&session);
                SealedDeck::shuffle(&mut session, shuffle, &mut system_rng())?;
                online.push(watch.stop(&session));
            }
            if round > 0 {
                side.pool.push(pool);
                side.online.extend(online);
            }
            progress.step();
        }
        Ok(side)
    }

    /// Phase by phase the time of the slower side, and this side's counts.
    fn slower(&self, other: &Side) -> Side {
        let slower = |a: &Phase, b: &Phase| Phase {
            time: a.time.max(b.time),
            traffic: a.traffic,
        };
        let all = |a: &[Phase], b: &[Phase]| a.iter().zip(b).map(|(a, b)| slower(a, b)).collect();
        Side {
            setup: slower(&self.setup, &other.setup),
            pool: all(&self.pool, &other.pool),
            online: all(&self.online, &other.online),
        }
    }
}

/// The object of `--json`.
#[derive(Serialize)]
struct Report {
    security: String,
    algorithm: &'static str,
    cards: usize,
    draw: usize,
    and: usize,
    /// Shuffles that the pool is filled for at once.
    pool_shuffles: u32,
    rounds: u32,
    setup: PhaseReport,
    /// Filling the pool, divided by the shuffles that it serves (but for the flights).
    pool: PhaseReport,
    /// From the seeds to the sealed deck.
    online: PhaseReport,
    /// Pool and online together.
    total: PhaseReport,
}

/// What a phase costs a shuffle.
#[derive(Serialize, Clone, Copy)]
struct PhaseReport {
    ms: f64,
    bytes: u64,
    flights: u64,
    /// AND gates a second, where the phase has some.
    #[serde(skip_serializing_if = "Option::is_none")]
    and_per_second: Option<u64>,
}

impl PhaseReport {
    fn median(phases: &[Phase], shuffles: u32, ands: usize) -> Self {
        let middle = |values: &mut Vec<u64>| {
            values.sort_unstable();
            values.get(values.len() / 2).copied().unwrap_or_default()
        };
        let median = |value: &dyn Fn(&Phase) -> u64| {
            middle(&mut phases.iter().map(value).collect::<Vec<u64>>())
        };
        let time = Duration::from_micros(median(&|phase| phase.time.as_micros() as u64));
        let time = time / shuffles;
        let traffic = |phase: &Phase| phase.traffic.bytes_sent + phase.traffic.bytes_received;
        PhaseReport {
            ms: milliseconds(time),
            bytes: median(&traffic) / u64::from(shuffles),
            flights: median(&|phase| phase.traffic.flights_sent + phase.traffic.flights_received),
            and_per_second: Some((ands as f64 / time.as_secs_f64()) as u64)
                .filter(|_| ands > 0 && !time.is_zero()),
        }
    }
}

impl Report {
    fn new(args: &Args, shuffle: &ShuffleCircuit, side: &Side) -> Self {
        let ands = shuffle.circuit().ands();
        let pool = PhaseReport::median(&side.pool, args.pool, ands);
        let online = PhaseReport::median(&side.online, 1, ands);
        Report {
            security: args.session.security.to_string(),
            algorithm: shuffle.spec().algorithm().name(),
            cards: args.cards,
            draw: args.draw,
            and: ands,
            pool_shuffles: args.pool,
            rounds: args.rounds,
            setup: PhaseReport::median(&[side.setup], 1, 0),
            pool,
            online,
            total: PhaseReport {
                ms: pool.ms + online.ms,
                bytes: pool.bytes + online.bytes,
                flights: pool.flights + online.flights,
                and_per_second: None,
            },
        }
    }

    fn describe(&self) -> String {
        let mut grid = grid();
        grid.set_header(["", "time", "bytes", "flights", "AND gates a second"]);
        let rows = [
            ("setup", self.setup),
            ("pool", self.pool),
            ("online", self.online),
            ("pool and online", self.total),
        ];
        for (name, phase) in rows {
            grid.add_row([
                name.to_owned(),
                format!("{:.2} ms", phase.ms),
                bytes(phase.bytes),
                count(phase.flights),
                phase.and_per_second.map(count).unwrap_or_default(),
            ]);
        }
        for column in grid.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        format!(
            "{} of {} cards by {}: {} AND gates. Median of {} rounds, the pool filled\n\
             for {} {} at once and divided among them.\n\n{}",
            self.draw,
            self.cards,
            self.algorithm,
            count(self.and as u64),
            self.rounds,
            self.pool_shuffles,
            if self.pool_shuffles == 1 {
                "shuffle"
            } else {
                "shuffles"
            },
            grid.trim_fmt()
        )
    }
}
