//! The table of a sweep.

use comfy_table::CellAlignment;

use super::report::Report;
use crate::output::{bytes, count, grid};

/// Longer names are cut in the table, so that it fits 80 columns; JSON and CSV have them whole.
const NAME: usize = 22;

/// A row for each configuration.
pub(super) fn describe(reports: &[Report<'_>]) -> String {
    let varies = |value: fn(&Report<'_>) -> String| {
        let first = reports.first().map(value);
        reports.iter().any(|report| Some(value(report)) != first)
    };
    let with_security = varies(|report| report.security.clone());
    let with_pool = varies(|report| report.pool_shuffles.to_string());
    // With all columns it would be wider than 80; JSON and CSV always have them.
    let with_quartiles = !with_security && !with_pool;
    let mut grid = grid();
    let header = [
        Some("what"),
        with_security.then_some("security"),
        with_pool.then_some("pool"),
        Some("ANDs"),
        Some("online"),
        Some("total"),
        with_quartiles.then_some("q1"),
        with_quartiles.then_some("q3"),
        Some("bytes"),
    ];
    grid.set_header(header.into_iter().flatten());
    for report in reports {
        let (online, total) = (&report.phases.online, &report.phases.total);
        // The word for the rarer one is long.
        let short = match report.security.as_str() {
            "semi-honest" => "semi",
            _ => "mal.",
        };
        let cells = [
            Some(shorten(&report.name())),
            with_security.then(|| short.to_owned()),
            with_pool.then(|| report.pool_shuffles.to_string()),
            Some(count(report.and as u64)),
            Some(format!("{:.2}", online.ms)),
            Some(format!("{:.2}", total.ms)),
            with_quartiles.then(|| format!("{:.2}", total.q1)),
            with_quartiles.then(|| format!("{:.2}", total.q3)),
            Some(bytes(total.bytes)),
        ];
        grid.add_row(cells.into_iter().flatten());
    }
    for column in grid.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let rounds = |pick: fn(std::vec::IntoIter<usize>) -> Option<usize>| {
        let all: Vec<usize> = reports.iter().map(|report| report.rounds).collect();
        pick(all.into_iter()).unwrap_or_default()
    };
    let (fewest, most) = (rounds(Iterator::min), rounds(Iterator::max));
    let rounds = match fewest == most {
        true => count(most as u64),
        false => format!("{fewest} to {most}"),
    };
    let first = &reports[0];
    let fixed = [
        (!with_security).then(|| first.security.clone()),
        (!with_pool).then(|| format!("pool of {}", count(first.pool_shuffles.into()))),
    ];
    let fixed: String = fixed
        .into_iter()
        .flatten()
        .map(|it| format!("{it}, "))
        .collect();
    format!(
        "Medians of {rounds} rounds, {fixed}{}.\nTimes in ms; total{} and bytes are of pool and \
         online together.\n\n{}",
        first.place(),
        if with_quartiles {
            ", its quartiles"
        } else {
            ""
        },
        grid.trim_fmt()
    )
}

/// The name, or its beginning and its end.
fn shorten(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    if letters.len() <= NAME {
        return name.into();
    }
    let (begin, end) = (NAME / 2, NAME - NAME / 2 - 1);
    let begin: String = letters[..begin].iter().collect();
    let end: String = letters[letters.len() - end..].iter().collect();
    format!("{begin}…{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_loses_its_middle() {
        assert_eq!(shorten("adder.txt"), "adder.txt");
        let short = shorten("a-netlist-with-a-long-name-9-of-52.txt");
        assert_eq!(short, "a-netlist-w…-of-52.txt");
        assert_eq!(short.chars().count(), NAME);
    }
}
