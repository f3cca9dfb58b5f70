//! What was measured, for programs that draw and compute.

use super::report::Report;
use super::side::{Phase, Round};
use super::statistics::{Figure, PhaseReport, to_the_microsecond};
use super::sweep::Measured;

const OF_A_ROW: &str = "security,netlist,algorithm,cards,draw,and,pool_shuffles,rounds,\
                        interrupted,seen_by,rtt_ms,bits_per_second,statistical_security";

const OF_A_PHASE: [&str; 8] = [
    "ms",
    "min",
    "q1",
    "q3",
    "max",
    "bytes",
    "flights",
    "and_per_second",
];

/// A line for each configuration: the fields of the JSON, but for the environment.
pub(super) fn reports(reports: &[Report<'_>]) -> String {
    let phases = ["setup", "pool", "online", "total"];
    let names = phases.map(|phase| OF_A_PHASE.map(|name| format!("{phase}_{name}")).join(","));
    let mut text = format!("{OF_A_ROW},{}\n", names.join(","));
    for report in reports {
        let line = report.line.as_ref();
        let mut cells = vec![
            report.security.clone(),
            field(report.netlist.unwrap_or_default()),
            report.algorithm.unwrap_or_default().to_owned(),
            number(report.cards),
            number(report.draw),
            report.and.to_string(),
            report.pool_shuffles.to_string(),
            report.rounds.to_string(),
            report.interrupted.to_string(),
            report.seen_by.to_owned(),
            number(line.map(|line| line.rtt_ms)),
            number(line.and_then(|line| line.bits_per_second)),
            number(report.statistical_security),
        ];
        let phases = &report.phases;
        for phase in [&phases.setup, &phases.pool, &phases.online, &phases.total] {
            cells.extend(phase_cells(phase));
        }
        text += &format!("{}\n", cells.join(","));
    }
    text
}

fn phase_cells(phase: &PhaseReport) -> [String; OF_A_PHASE.len()] {
    [
        phase.ms.to_string(),
        phase.min.to_string(),
        phase.q1.to_string(),
        phase.q3.to_string(),
        phase.max.to_string(),
        phase.bytes.to_string(),
        phase.flights.to_string(),
        number(phase.and_per_second),
    ]
}

/// A line for each phase of each round. Round 0 warms the caches; of two real players there is no
/// other. The pool's figures are divided by the runs that it serves, but for the flights; of the
/// online phase there is a line for each run.
pub(super) fn rounds(measured: &[Measured<'_>]) -> String {
    let mut text = String::from(
        "security,netlist,algorithm,cards,draw,and,pool_shuffles,phase,round,warm_up,ms,bytes,\
         flights\n",
    );
    for measured in measured {
        let row = &measured.configuration;
        let spec = row.spec();
        let what = format!(
            "{},{},{},{},{},{},{}",
            row.security,
            row.netlist()
                .map(|netlist| field(&netlist.name))
                .unwrap_or_default(),
            spec.map(|spec| spec.algorithm().name()).unwrap_or_default(),
            number(spec.map(|spec| spec.cards())),
            number(spec.map(|spec| spec.draw())),
            measured.ands,
            row.pool
        );
        let mut add = |name: &str, number: usize, figure: Figure| {
            let Figure { ms, bytes, flights } = figure;
            let (ms, warm_up) = (to_the_microsecond(ms), number == 0);
            text += &format!("{what},{name},{number},{warm_up},{ms},{bytes},{flights}\n");
        };
        let once = |phase: &Phase| Figure::of(phase, 1);
        add("setup", 0, once(&measured.record.setup));
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

fn number(number: Option<impl ToString>) -> String {
    number.map(|number| number.to_string()).unwrap_or_default()
}

/// A text that may hold commas and quotes.
fn field(text: &str) -> String {
    match text.contains([',', '"']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_a_comma_or_a_quote_is_one_field() {
        assert_eq!(field("adder.txt"), "adder.txt");
        assert_eq!(field("a,\"b\".txt"), "\"a,\"\"b\"\".txt\"");
    }
}
