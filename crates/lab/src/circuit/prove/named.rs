//! Proves by exhaustive enumeration of the randomness that a named shuffle is uniform.

use anyhow::{bail, ensure};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use comfy_table::CellAlignment;
use dealerless::circuit::Party;
use dealerless::shuffle::comparison::biased::Biased;
use dealerless::shuffle::{Algorithm, Counterexample, Enumeration, Outcome, Rows, Subject};
use dealerless_command_line::failure::{AnswerIsNo, Stopped};
use dealerless_command_line::output::{count, grid, lines, show, show_json};
use dealerless_command_line::progress::Progress;
use serde::Serialize;

use crate::circuit::entry::Comparison;
use crate::stop::Stop;

/// A shuffle, with its name.
#[derive(Clone, Copy)]
pub(super) struct Named {
    name: &'static str,
    subject: Subject,
}

/// Parses the name of a shuffle; the help lists the possible values.
pub(super) fn subject() -> impl TypedValueParser<Value = Named> {
    let shuffles = Algorithm::ALL.map(|algorithm| Named {
        name: algorithm.name(),
        subject: Subject::Shuffle(algorithm),
    });
    let mistakes = Biased::ALL.map(|biased| Named {
        name: Comparison::name_of(biased),
        subject: Subject::Biased(biased),
    });
    let all: Vec<Named> = shuffles.into_iter().chain(mistakes).collect();
    let names: Vec<&str> = all.iter().map(|named| named.name).collect();
    PossibleValuesParser::new(names).try_map(move |name| {
        let found = all.iter().find(|named| named.name == name);
        found.copied().ok_or("unknown shuffle")
    })
}

/// The object of `--json`.
#[derive(Serialize)]
struct Report {
    algorithm: &'static str,
    cards: usize,
    draw: usize,
    /// Whether the circuit checks its inputs, and arbitrary bits were fixed.
    checked: bool,
    /// The number of possible draws.
    draws: u64,
    /// Absent if Ctrl-C ended the count without a counterexample.
    uniform: Option<bool>,
    /// Whether all values of both parties were covered.
    complete: bool,
    evaluations: u64,
    /// The result for each honest party in turn; ends at the first counterexample.
    parties: Vec<Part>,
    #[serde(skip_serializing_if = "Option::is_none")]
    counterexample: Option<Refutation>,
}

/// The result for one honest party.
#[derive(Serialize)]
struct Part {
    honest: String,
    /// The number of values of the honest party, all enumerated for each fixed value of the other
    /// party.
    values: u64,
    /// The number of values of the other party that were fixed.
    fixed: u64,
    /// The number of values of the other party.
    of: u64,
    /// The number of fixed values that the check rejected.
    refused: u64,
    /// The number of times that each draw occurred, the same for every fixed value that was not
    /// rejected; absent after a counterexample.
    each: Option<u64>,
}

/// Two draws that do not occur equally often, an outcome that is not a draw, or a check that
/// rejects valid values.
#[derive(Serialize)]
struct Refutation {
    honest: String,
    /// The index of the other party's value, from 0.
    fixed: u64,
    /// The number of values of the honest party.
    values: u64,
    /// Whether the outcome is not a draw, because a card appears twice or does not exist.
    no_draw: bool,
    /// The number of values of the honest party for which the check is wrong.
    refused: Option<u64>,
    outcomes: Vec<Times>,
}

/// An outcome, and how often it occurred.
#[derive(Serialize)]
struct Times {
    cards: Vec<u32>,
    times: u64,
}

/// The enumeration to do for one honest party.
struct Task {
    honest: Party,
    values: u64,
    fixed: u64,
    of: u64,
}

/// The shuffle to examine, with the options.
pub(super) struct Question {
    pub(super) algorithm: Named,
    pub(super) cards: usize,
    pub(super) draw: usize,
    /// Whether to use the circuit that checks its inputs, and to fix arbitrary bits.
    pub(super) checked: bool,
    /// The maximum number of evaluations of the circuit.
    pub(super) limit: u64,
    pub(super) json: bool,
}

/// Answers a question.
pub(super) fn run(args: &Question) -> anyhow::Result<()> {
    let draw = args.draw;
    let mut enumeration = Enumeration::new(args.algorithm.subject, args.cards, draw)?;
    if args.checked {
        let shuffle = matches!(args.algorithm.subject, Subject::Shuffle(_));
        ensure!(
            shuffle,
            "{} has no check of its inputs",
            args.algorithm.name
        );
        enumeration = enumeration.checked();
    }
    let tasks = tasks(args, &enumeration)?;
    let mut report = Report {
        algorithm: args.algorithm.name,
        cards: args.cards,
        draw,
        checked: args.checked,
        draws: enumeration.draws(),
        uniform: Some(true),
        complete: tasks.iter().all(|task| task.fixed == task.of),
        evaluations: 0,
        parties: Vec::new(),
        counterexample: None,
    };
    let steps: u64 = tasks.iter().map(|task| task.fixed).sum();
    let progress = Progress::begin(steps as usize, "fixed values");
    let stop = Stop::by_signal("Stopping; press Ctrl-C again to end at once.")?;
    for task in &tasks {
        let rows = enumeration.over(task.honest)?;
        enumerate(task, &rows, &progress, &stop, &mut report);
        if report.uniform != Some(true) {
            break;
        }
    }
    drop(progress);
    if args.json {
        show_json("circuit prove", &report)?
    } else {
        show(&report.screen())?
    }
    match report.uniform {
        Some(true) => Ok(()),
        Some(false) => bail!(AnswerIsNo("The draw is not uniform.")),
        None => bail!(Stopped),
    }
}

/// The tasks with each party as the honest one, within the limit.
///
/// # Errors
/// If even one fixed value takes too many evaluations.
fn tasks(args: &Question, enumeration: &Enumeration) -> anyhow::Result<Vec<Task>> {
    let task = |honest: Party| {
        let values = enumeration.values(honest);
        let of = enumeration.fixed_values(honest.other());
        let fixed = of.min(args.limit / 2 / values.max(1));
        Task {
            honest,
            values,
            fixed,
            of,
        }
    };
    let tasks = Party::BOTH.map(task);
    for task in &tasks {
        let Task { honest, values, .. } = *task;
        ensure!(
            values <= Enumeration::MAX_VALUES,
            "the {honest} has {} values, but at most {} can be enumerated; use fewer cards",
            saturated_count(values),
            count(Enumeration::MAX_VALUES)
        );
        ensure!(
            task.fixed > 0,
            "one fixed value takes {} evaluations for each honest party, but only {} are allowed for \
             both; to allow more, use --limit {}",
            count(values),
            count(args.limit),
            values.saturating_mul(2)
        );
    }
    Ok(tasks.into())
}

/// Formats a number that may be saturated.
fn saturated_count(number: u64) -> String {
    match number {
        u64::MAX => "more than 10^19".to_owned(),
        number => count(number),
    }
}

/// Enumerates all values of the honest party for each fixed value of the other party, and adds the
/// result to the report.
fn enumerate(task: &Task, rows: &Rows, progress: &Progress, stop: &Stop, report: &mut Report) {
    let mut part = Part {
        honest: task.honest.to_string(),
        values: task.values,
        fixed: 0,
        of: task.of,
        refused: 0,
        each: None,
    };
    for number in 0..task.fixed {
        if stop.is_asked() {
            (report.uniform, report.complete) = (None, false);
            break;
        }
        let fixed = match task.fixed {
            1 => 0,
            // Evenly spaced, including the first and the last value.
            all => (u128::from(number) * u128::from(task.of - 1) / u128::from(all - 1)) as u64,
        };
        let found = rows.against(fixed);
        part.fixed += 1;
        report.evaluations += task.values;
        progress.step();
        match found {
            Ok(0) => part.refused += 1,
            Ok(each) => part.each = Some(each),
            Err(counterexample) => {
                part.each = None;
                report.uniform = Some(false);
                report.counterexample = Some(Refutation::of(task, fixed, counterexample));
                break;
            }
        }
    }
    report.parties.push(part);
}

impl Refutation {
    fn of(task: &Task, fixed: u64, counterexample: Counterexample) -> Self {
        let times = |Outcome { cards, times }| Times { cards, times };
        let no_draw = matches!(counterexample, Counterexample::NoDraw(_));
        let (refused, outcomes) = match counterexample {
            Counterexample::Differ(first, second) => (None, vec![times(first), times(second)]),
            Counterexample::NoDraw(outcome) => (None, vec![times(outcome)]),
            Counterexample::Refused(values) => (Some(values), Vec::new()),
        };
        Refutation {
            honest: task.honest.to_string(),
            fixed,
            values: task.values,
            no_draw,
            refused,
            outcomes,
        }
    }
}

impl Report {
    fn screen(&self) -> String {
        let mut grid = grid();
        let mut header = vec![
            "honest",
            "its values",
            "other party's fixed values",
            "each draw",
        ];
        if self.checked {
            header.insert(3, "rejected");
        }
        grid.set_header(header);
        for part in &self.parties {
            let fixed = if part.fixed == part.of {
                format!("all {}", count(part.of))
            } else {
                format!("{} of {}", count(part.fixed), saturated_count(part.of))
            };
            let each = match part.each {
                Some(each) => times(each),
                None if part.fixed == 0 => "not counted".to_owned(),
                None => "not equally".to_owned(),
            };
            let mut row = vec![part.honest.clone(), count(part.values), fixed, each];
            if self.checked {
                row.insert(3, count(part.refused));
            }
            grid.add_row(row);
        }
        for column in grid.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        format!(
            "{} draws {} of {} cards: {} draws are possible.\n\n{}\n\n{}\n{} evaluations of the circuit.",
            self.algorithm,
            count(self.draw as u64),
            count(self.cards as u64),
            count(self.draws),
            grid.trim_fmt(),
            self.verdict(),
            count(self.evaluations)
        )
    }

    fn verdict(&self) -> String {
        if let Some(refutation) = &self.counterexample {
            return refutation.verdict();
        }
        let refused = if self.checked {
            "it is rejected, or "
        } else {
            ""
        };
        let equally_often = "all draws occur equally often over the values of the other party";
        lines(&if self.uniform.is_none() {
            format!(
                "Not decided: Ctrl-C ended the count. For each value that was fixed until then, \
                 {refused}{equally_often}."
            )
        } else if self.complete {
            format!("Uniform: whatever one party enters, {refused}{equally_often}.")
        } else {
            format!(
                "Uniform for the fixed values, an evenly spaced selection of all values: for each, \
                 {refused}{equally_often}."
            )
        })
    }
}

impl Refutation {
    fn verdict(&self) -> String {
        let outcomes = self.outcomes.iter().map(|outcome| {
            let cards: Vec<String> = outcome.cards.iter().map(u32::to_string).collect();
            format!("{} occurs {}", cards.join(" "), times(outcome.times))
        });
        let outcomes: Vec<String> = outcomes.collect();
        if let Some(refused) = self.refused {
            return format!(
                "Wrong check: over the {} values of the {}, for value {} of the\n\
                 other party, the check wrongly rejects {}.",
                count(self.values),
                self.honest,
                count(self.fixed),
                count(refused)
            );
        }
        let what = if self.no_draw {
            "an outcome is not a draw"
        } else {
            "two draws do not occur equally often"
        };
        format!(
            "Not uniform: over the {} values of the {}, for value {} of the\nother party, {what}:\n{}.",
            count(self.values),
            self.honest,
            count(self.fixed),
            outcomes.join(",\n")
        )
    }
}

fn times(number: u64) -> String {
    match number {
        0 => "never".to_owned(),
        1 => "once".to_owned(),
        number => format!("{} times", count(number)),
    }
}
