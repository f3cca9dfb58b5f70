//! The table of a sweep, for the screen and for LaTeX.

use comfy_table::CellAlignment;
use dealerless::mpc::Security;
use dealerless_command_line::latex::{self, Cell};
use dealerless_command_line::output::{bytes, count, grid};

use super::environment::Environment;
use super::report::{Report, rounds};
use super::statistics::Phases;

/// The maximum width of a table on the screen, in columns.
const WIDTH: usize = 80;

/// The layouts of the table, from wide to narrow: whether it has the quartiles, and the maximum
/// length of names. JSON and CSV always include everything.
const WIDTHS: [(bool, usize); 3] = [(true, 22), (false, 22), (false, 18)];

/// Formats a row for each configuration, as a table for LaTeX, after comments that say what was
/// measured and where. Times are in milliseconds, and bytes in both directions.
pub(super) fn latex(reports: &[Report<'_>], environment: &Environment) -> String {
    let header = [
        "circuit",
        "security",
        "pool",
        "AND",
        "setup ms",
        "pool ms",
        "online ms",
        "total ms",
        "first quartile",
        "third quartile",
        "garbler's CPU ms",
        "evaluator's CPU ms",
        "garbler's peak bytes",
        "evaluator's peak bytes",
        "bytes",
    ];
    let rows: Vec<Vec<Cell>> = (reports.iter())
        .map(|report| {
            let Phases {
                setup,
                pool,
                online,
                total,
            } = &report.phases;
            let ms = |ms: f64| Cell::Decimal(format!("{ms:.2}"));
            vec![
                Cell::Text(report.name.clone()),
                Cell::Text(report.engine.to_string()),
                Cell::Count(report.pool_shuffles.into()),
                Cell::Count(report.and as u64),
                ms(setup.ms),
                ms(pool.ms),
                ms(online.ms),
                ms(total.ms),
                ms(total.q1),
                ms(total.q3),
                ms(total.garbler_cpu_ms),
                ms(total.evaluator_cpu_ms),
                Cell::count(report.garbler_peak_bytes),
                Cell::count(report.evaluator_peak_bytes),
                Cell::Count(total.bytes),
            ]
        })
        .collect();
    let first = &reports[0];
    let about = format!(
        "Medians of {}, {}; bytes are their mean.\nThe CPU time is of pool and online together, \
         without setup.\n{}",
        rounds(&number_of_rounds(reports)),
        first.place(),
        environment.describe()
    );
    let comments = about.lines().map(|line| format!("% {line}\n"));
    comments.collect::<String>() + &latex::table("bench", &header, &rows)
}

/// The number of measured rounds, or the fewest and the most.
fn number_of_rounds(reports: &[Report<'_>]) -> String {
    let most = reports.iter().map(|report| report.rounds).max();
    let fewest = reports.iter().map(|report| report.rounds).min();
    match (fewest, most) {
        (Some(fewest), Some(most)) if fewest < most => format!("{fewest} to {most}"),
        _ => count(most.unwrap_or_default() as u64),
    }
}

/// Formats a row for each configuration.
pub(super) fn describe(reports: &[Report<'_>]) -> String {
    let (columns, grid) = fitting(reports);
    let several = number_of_rounds(reports);
    let first = &reports[0];
    let engine = (!columns.engine).then(|| format!(", {}", first.protection()));
    let pool = count(first.pool_shuffles.into());
    let pool = (!columns.pool).then(|| format!(", pool of {pool}"));
    format!(
        "Medians of {}{}{},\n{}.\nTimes in ms; total{} and bytes (their mean) are of pool and \
         online\ntogether, without setup.\n\n{}",
        rounds(&several),
        engine.unwrap_or_default(),
        pool.unwrap_or_default(),
        first.place(),
        if columns.quartiles {
            ", its quartiles"
        } else {
            ""
        },
        grid
    )
}

/// The first of the [`WIDTHS`] that fits the screen; if none fits, the last. Returns the columns
/// and the formatted table.
fn fitting(reports: &[Report<'_>]) -> (Columns, String) {
    let all = WIDTHS.map(|(quartiles, name)| {
        let columns = Columns::of(reports, quartiles, name);
        let grid = columns.grid(reports);
        (columns, grid)
    });
    let last = all.len() - 1;
    let fits = |grid: &str| grid.lines().all(|line| line.chars().count() <= WIDTH);
    let tables = all.into_iter().enumerate();
    let mut fitting = tables.filter(|(number, (_, grid))| *number == last || fits(grid));
    fitting.next().expect("the last table always passes").1
}

/// The optional columns of a table.
struct Columns {
    engine: bool,
    pool: bool,
    quartiles: bool,
    /// The maximum length of a name.
    name: usize,
}

impl Columns {
    fn of(reports: &[Report<'_>], quartiles: bool, name: usize) -> Self {
        let first = &reports[0];
        Columns {
            engine: reports.iter().any(|one| one.engine != first.engine),
            pool: (reports.iter()).any(|one| one.pool_shuffles != first.pool_shuffles),
            quartiles,
            name,
        }
    }

    fn grid(&self, reports: &[Report<'_>]) -> String {
        let mut grid = grid();
        grid.set_header(self.pick([
            "what", "sec.", "pool", "ANDs", "online", "total", "q1", "q3", "bytes",
        ]));
        for report in reports {
            let total = &report.phases.total;
            let engine = match report.engine.security() {
                Security::SemiHonest => "semi",
                Security::Malicious => "mal.",
            };
            let [online, median, q1, q3] = [report.phases.online.ms, total.ms, total.q1, total.q3]
                .map(|ms| format!("{ms:.2}"));
            grid.add_row(self.pick([
                shorten(&report.name, self.name),
                engine.to_owned(),
                report.pool_shuffles.to_string(),
                count(report.and as u64),
                online,
                median,
                q1,
                q3,
                bytes(total.bytes),
            ]));
        }
        for column in grid.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        grid.trim_fmt()
    }

    /// Selects the cells of the table's columns from a row with all columns.
    fn pick<T>(&self, all: [T; 9]) -> impl Iterator<Item = T> {
        let Columns {
            engine,
            pool,
            quartiles,
            ..
        } = *self;
        let shown = [
            true, engine, pool, true, true, true, quartiles, quartiles, true,
        ];
        all.into_iter()
            .zip(shown)
            .filter_map(|(it, shown)| shown.then_some(it))
    }
}

/// Shortens a long name to its beginning and its end.
fn shorten(name: &str, most: usize) -> String {
    let letters: Vec<char> = name.chars().collect();
    if letters.len() <= most {
        return name.into();
    }
    let (begin, end) = (most / 2, most - most / 2 - 1);
    let begin: String = letters[..begin].iter().collect();
    let end: String = letters[letters.len() - end..].iter().collect();
    format!("{begin}…{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_name_loses_its_middle() {
        assert_eq!(shorten("adder.txt", 22), "adder.txt");
        let short = shorten("a-netlist-with-a-long-name-9-of-52.txt", 22);
        assert_eq!(short, "a-netlist-w…-of-52.txt");
        assert_eq!(short.chars().count(), 22);
    }
}
