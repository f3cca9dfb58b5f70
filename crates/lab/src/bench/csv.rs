//! The results as CSV.

use dealerless_command_line::output::csv_cell;

use super::environment::Environment;
use super::report::Report;
use super::side::{Phase, Round};
use super::statistics::{Figure, PhaseReport, to_the_microsecond};
use super::sweep::Measured;

/// The columns that describe a configuration.
const ROW_COLUMNS: &str = "security,netlist,algorithm,cards,draw,and,pool_shuffles,rounds,\
                        interrupted,seen_by,rtt_ms,bits_per_second,statistical_security,simulated";

/// The columns of a phase, without the name of the phase.
const PHASE_COLUMNS: [&str; 13] = [
    "ms",
    "min",
    "q1",
    "q3",
    "max",
    "bytes",
    "bytes_min",
    "bytes_max",
    "flights",
    "flights_in_a_row",
    "garbler_cpu_ms",
    "evaluator_cpu_ms",
    "and_per_second",
];

/// Formats a line for each configuration: the fields of the JSON, and the part of the environment
/// that identifies the machine.
pub(super) fn reports(reports: &[Report<'_>]) -> String {
    let phases = ["setup", "pool", "online", "total"];
    let names = phases.map(|phase| {
        PHASE_COLUMNS
            .map(|name| format!("{phase}_{name}"))
            .join(",")
    });
    let mut text = format!(
        "{ROW_COLUMNS},{},garbler_peak_bytes,evaluator_peak_bytes,{MACHINE_COLUMNS}\n",
        names.join(",")
    );
    for report in reports {
        let link = report.link.as_ref();
        let mut cells = vec![
            report.engine.to_string(),
            csv_cell(report.netlist.unwrap_or_default()),
            report.algorithm.unwrap_or_default().to_owned(),
            number(report.cards),
            number(report.draw),
            report.and.to_string(),
            report.pool_shuffles.to_string(),
            report.rounds.to_string(),
            report.interrupted.to_string(),
            report.seen_by.to_owned(),
            number(link.map(|link| link.rtt_ms)),
            number(link.and_then(|link| link.bits_per_second)),
            number(report.statistical_security),
            number(link.map(|link| link.simulated)),
        ];
        for (_, phase) in report.phases.all() {
            cells.extend(phase_cells(phase));
        }
        cells.push(number(report.garbler_peak_bytes));
        cells.push(number(report.evaluator_peak_bytes));
        cells.push(machine(report.environment));
        text += &format!("{}\n", cells.join(","));
    }
    text
}

fn phase_cells(phase: &PhaseReport) -> [String; PHASE_COLUMNS.len()] {
    [
        phase.ms.to_string(),
        phase.min.to_string(),
        phase.q1.to_string(),
        phase.q3.to_string(),
        phase.max.to_string(),
        phase.bytes.to_string(),
        phase.bytes_min.to_string(),
        phase.bytes_max.to_string(),
        phase.flights.to_string(),
        phase.flights_in_a_row.to_string(),
        phase.garbler_cpu_ms.to_string(),
        phase.evaluator_cpu_ms.to_string(),
        number(phase.and_per_second),
    ]
}

/// The columns of [`machine`].
const MACHINE_COLUMNS: &str = "version,commit,machine,cores,load";

/// Identifies the program and the machine of the measurement.
fn machine(environment: &Environment) -> String {
    let cells = [
        environment.version.to_owned(),
        csv_cell(environment.commit.unwrap_or_default()),
        csv_cell(environment.processor.as_deref().unwrap_or_default()),
        number(environment.cores),
        number(environment.load),
    ];
    cells.join(",")
}

/// Formats a line for each setup, and for each phase of each round. The setup and the round with
/// number 0 warm the caches; a match between two real players always runs with cold caches. The
/// pool's figures, except the flights, are divided by the number of runs that the pool serves. The
/// online phase has a line for each run. The total of a round has its own columns, so that the sum
/// of a column counts nothing twice.
pub(super) fn rounds(measured: &[Measured<'_>], environment: &Environment) -> String {
    let figures = [
        "ms",
        "bytes",
        "flights",
        "flights_in_a_row",
        "garbler_cpu_ms",
        "evaluator_cpu_ms",
    ];
    let totals = figures.map(|name| format!("total_{name}"));
    let mut text = format!(
        "security,netlist,algorithm,cards,draw,and,pool_shuffles,phase,round,warm_up,{},{},{}\n",
        figures.join(","),
        totals.join(","),
        MACHINE_COLUMNS
    );
    let machine = machine(environment);
    for measured in measured {
        let what = what(measured);
        let mut add = |phase: &str, number: usize, figure: Figure| {
            let empty = ",".repeat(figures.len() - 1);
            let cells = match phase {
                "total" => format!("{empty},{}", figure_cells(figure)),
                _ => format!("{},{empty}", figure_cells(figure)),
            };
            let warm_up = number == 0;
            text += &format!("{what},{phase},{number},{warm_up},{cells},{machine}\n");
        };
        let once = |phase: &Phase| Figure::of(phase, 1);
        for (number, setup) in measured.record.setups.iter().enumerate() {
            add("setup", number, once(setup));
        }
        for (number, round) in measured.record.rounds.iter().enumerate() {
            let Round { pool, online } = round;
            add("pool", number, Figure::of(pool, online.len() as u32));
            online
                .iter()
                .for_each(|phase| add("online", number, once(phase)));
            add("total", number, Figure::of_round(round));
        }
    }
    text
}

/// Formats the columns that identify the configuration.
fn what(measured: &Measured<'_>) -> String {
    let row = &measured.configuration;
    let spec = row.spec();
    let netlist = row.netlist().map(|netlist| csv_cell(&netlist.name));
    let cells = [
        row.engine.to_string(),
        netlist.unwrap_or_default(),
        number(spec.map(|spec| spec.algorithm().name())),
        number(spec.map(|spec| spec.cards())),
        number(spec.map(|spec| spec.draw())),
        measured.ands.to_string(),
        row.pool.to_string(),
    ];
    cells.join(",")
}

fn figure_cells(figure: Figure) -> String {
    let Figure {
        ms,
        bytes,
        flights,
        in_a_row,
        cpu_ms,
    } = figure;
    let [ms, garbler, evaluator] = [ms, cpu_ms.garbler, cpu_ms.evaluator].map(to_the_microsecond);
    format!("{ms},{bytes},{flights},{in_a_row},{garbler},{evaluator}")
}

fn number(number: Option<impl ToString>) -> String {
    number.map(|number| number.to_string()).unwrap_or_default()
}
