//! The report of one configuration.

use comfy_table::{CellAlignment, Table};
use dealerless::mpc::{EngineKind, STATISTICAL_SECURITY, Security};
use dealerless_command_line::output::{bytes, count, grid};
use serde::{Serialize, Serializer};

use super::args::Args;
use super::environment::Environment;
use super::link::LinkReport;
use super::statistics::{PhaseReport, Phases};
use super::sweep::Measured;

/// The JSON object of a configuration, and its row in the table of a sweep.
#[derive(Serialize)]
pub(super) struct Report<'a> {
    /// A short name of the source.
    #[serde(skip)]
    pub(super) name: String,
    #[serde(rename = "security", serialize_with = "as_text")]
    pub(super) engine: EngineKind,
    /// Bits of statistical security; `null` if the session is semi-honest.
    pub(super) statistical_security: Option<u8>,
    /// The name of the file; `null` for a shuffle.
    pub(super) netlist: Option<&'a str>,
    /// The algorithm; `null` for a netlist, as are `cards` and `draw`.
    pub(super) algorithm: Option<&'static str>,
    pub(super) cards: Option<usize>,
    pub(super) draw: Option<usize>,
    pub(super) and: usize,
    /// The number of shuffles, or runs of the netlist, for which the pool is filled at once.
    pub(super) pool_shuffles: u32,
    /// The number of measured rounds, without the warm-up.
    pub(super) rounds: usize,
    /// Whether fewer rounds than requested were measured.
    pub(super) interrupted: bool,
    /// The reporting party: `both` in one process, otherwise `garbler` or `evaluator`. The figures
    /// always cover both parties.
    pub(super) seen_by: &'static str,
    /// The shape of the link; `null` if the link has no shape.
    #[serde(rename = "line")]
    pub(super) link: Option<LinkReport>,
    #[serde(flatten)]
    pub(super) phases: Phases,
    /// The largest memory of each party's process, in bytes, which are one process if `seen_by` is
    /// `both`; `null` if it is unknown.
    pub(super) garbler_peak_bytes: Option<u64>,
    pub(super) evaluator_peak_bytes: Option<u64>,
    pub(super) environment: &'a Environment,
    /// The number of measured setups, without the warm-up.
    pub(super) setups: usize,
}

fn as_text<S: Serializer>(engine: &EngineKind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(engine)
}

impl<'a> Report<'a> {
    pub(super) fn new(args: &Args, measured: &Measured<'a>, environment: &'a Environment) -> Self {
        let configuration = &measured.configuration;
        let spec = configuration.spec();
        let known = |bytes| Some(bytes).filter(|&bytes| bytes > 0);
        let rounds = measured.record.rounds.len() - 1;
        Report {
            name: configuration.name(),
            engine: configuration.engine,
            statistical_security: match configuration.engine.security() {
                Security::SemiHonest => None,
                Security::Malicious => Some(args.statistical_security),
            },
            netlist: configuration.netlist().map(|netlist| &*netlist.name),
            algorithm: spec.map(|spec| spec.algorithm().name()),
            cards: spec.map(|spec| spec.cards()),
            draw: spec.map(|spec| spec.draw()),
            and: measured.ands,
            pool_shuffles: configuration.pool,
            rounds,
            interrupted: rounds < args.rounds as usize,
            seen_by: match (&args.listen, &args.connect) {
                (Some(_), _) => "garbler",
                (_, Some(_)) => "evaluator",
                (None, None) => "both",
            },
            link: args.link.report(),
            phases: Phases::of(&measured.record, measured.ands),
            garbler_peak_bytes: known(measured.record.peak.garbler),
            evaluator_peak_bytes: known(measured.record.peak.evaluator),
            environment,
            setups: measured.record.setups.len() - 1,
        }
    }

    /// The location of the parties and the link between them.
    pub(super) fn place(&self) -> String {
        let link = self.link.as_ref().map(LinkReport::describe);
        match (self.seen_by, link) {
            ("both", link) => format!("over {}", link.unwrap_or_else(|| "loopback".into())),
            (_, None) => "between two machines".into(),
            (_, Some(link)) => format!("between two machines, over {link}"),
        }
    }

    /// The engine of the configuration, in words.
    pub(super) fn protection(&self) -> String {
        match self.statistical_security {
            None | Some(STATISTICAL_SECURITY) => self.engine.to_string(),
            Some(bits) => format!("{} at {bits} bits", self.engine),
        }
    }

    /// The whole report as text.
    pub(super) fn describe(&self) -> String {
        let what = match (self.algorithm, self.draw, self.cards) {
            (Some(algorithm), Some(draw), Some(cards)) => {
                format!("{draw} of {cards} cards by {algorithm}")
            }
            _ => self.name.clone(),
        };
        let runs = match (self.pool_shuffles, self.netlist) {
            (1, None) => "shuffle",
            (_, None) => "shuffles",
            (1, Some(_)) => "run",
            (_, Some(_)) => "runs",
        };
        format!(
            "{what}, {}: {} AND gates.\n{}, {}.\nThe pool is filled for {} {runs} at once, \
             and its cost is divided among them.\n\n{}\n\n{}{}\n\n{}",
            self.protection(),
            count(self.and as u64),
            rounds(&count(self.rounds as u64)),
            self.place(),
            count(self.pool_shuffles.into()),
            self.times(),
            self.counts(),
            self.speeds(),
            self.contents()
        )
    }

    /// Text that explains the phases.
    fn contents(&self) -> String {
        let sessions = match self.setups {
            1 => "1 new session".into(),
            more => format!("{more} new sessions"),
        };
        let end = match self.netlist {
            None => "the sealed deck; no card is opened",
            Some(_) => "the outputs, opened to both",
        };
        format!(
            "Setup: hello and base OTs of {sessions}; not in the total.\n\
             Pool: everything that can be precomputed, less what earlier rounds left over.\n\
             Online: from the inputs to {end}.\n\
             CPU g, CPU e: median CPU time of the garbler and of the evaluator.{}",
            self.memory()
        )
    }

    /// The largest memory, on a line of its own; empty if it is unknown.
    fn memory(&self) -> String {
        match (self.garbler_peak_bytes, self.evaluator_peak_bytes) {
            (Some(both), Some(_)) if self.seen_by == "both" => {
                format!(
                    "\nPeak memory of the process, with both parties: {}.",
                    bytes(both)
                )
            }
            (Some(garbler), Some(evaluator)) => format!(
                "\nPeak memory: garbler {}, evaluator {}.",
                bytes(garbler),
                bytes(evaluator)
            ),
            _ => String::new(),
        }
    }

    fn times(&self) -> String {
        let mut grid = grid();
        grid.set_header(["ms", "median", "min", "q1", "q3", "max", "CPU g", "CPU e"]);
        for (name, phase) in self.phases.all() {
            let PhaseReport {
                ms,
                min,
                q1,
                q3,
                max,
                garbler_cpu_ms: garbler,
                evaluator_cpu_ms: evaluator,
                ..
            } = *phase;
            let times = [ms, min, q1, q3, max, garbler, evaluator].map(|ms| format!("{ms:.2}"));
            grid.add_row([name.to_owned()].into_iter().chain(times));
        }
        aligned(grid)
    }

    fn counts(&self) -> String {
        let mut grid = grid();
        grid.set_header([
            "both ways",
            "bytes, mean",
            "min",
            "max",
            "flights",
            "in a row",
        ]);
        for (name, phase) in self.phases.all() {
            let sent = [phase.bytes, phase.bytes_min, phase.bytes_max].map(bytes);
            let flights = [phase.flights, phase.flights_in_a_row].map(count);
            grid.add_row([name.to_owned()].into_iter().chain(sent).chain(flights));
        }
        aligned(grid)
    }

    /// The AND gates per second as text, after a blank line; empty if there are no ANDs.
    fn speeds(&self) -> String {
        let phases = &self.phases;
        let speeds: Vec<String> = [
            ("pool", &phases.pool),
            ("online", &phases.online),
            ("total", &phases.total),
        ]
        .into_iter()
        .filter_map(|(name, phase)| Some(format!("{name} {}", count(phase.and_per_second?))))
        .collect();
        if speeds.is_empty() {
            String::new()
        } else {
            format!("\n\nAND gates per second: {}.", speeds.join(", "))
        }
    }
}

/// Formats a table, with all columns after the first aligned to the right.
fn aligned(mut grid: Table) -> String {
    for column in grid.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    grid.trim_fmt()
}

/// Formats a number of rounds.
pub(super) fn rounds(count: &str) -> String {
    match count {
        "1" => "1 round".into(),
        more => format!("{more} rounds"),
    }
}
