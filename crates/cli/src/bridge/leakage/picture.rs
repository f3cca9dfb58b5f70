//! The picture of a study: each scheme next to chance, and the rates at each place of the pack.

use std::path::Path;

use dealerless_bridge::leakage::{Answer, Estimate, Findings, Question};
use dealerless_lab::plot::{Axis, BLACK, Chart, Curve, Picture, Stroke};

use crate::output::count;

/// Draws the findings for the file `path`, as [`Picture::file`] does.
pub(super) fn draw(findings: &[Findings], path: &Path) -> anyhow::Result<Vec<u8>> {
    let samples = findings.first().map_or(0, |found| found.samples);
    let questions = Question::ALL.into_iter().enumerate();
    Picture {
        title: "How often a guess from the second sheet alone is right, in per cent".into(),
        subtitle: format!(
            "{} boards of each scheme, for the place or pair of places that tells most; dashed: chance; bars, \
             where longer than a disc: 95 %",
            count(samples.into())
        ),
        rows: vec![
            questions
                .map(|(column, question)| of_question(column, question, findings))
                .collect(),
            vec![of_places(findings)],
        ],
    }
    .file(Some(path))
}

/// The rate of a scheme for a question, in per cent.
fn rate(found: &Findings, question: Question) -> Option<Estimate> {
    let most = found.most.iter().find(|most| most.question == question);
    let rate = match question {
        Question::Owner => Some(found.owner),
        _ => most.map(|most| most.rate),
    };
    rate.map(|Estimate { rate, low, high }| Estimate {
        rate: 100.0 * rate,
        low: 100.0 * low,
        high: 100.0 * high,
    })
}

/// The chart of a question, with a row for each scheme.
fn of_question(column: usize, question: Question, findings: &[Findings]) -> Chart {
    let chance = 100.0 * question.chance();
    let rates = || findings.iter().filter_map(|found| rate(found, question));
    let low = rates().map(|rate| rate.low).fold(chance, f64::min);
    let high = rates().map(|rate| rate.high).fold(chance, f64::max);
    // If nothing leaks, the intervals alone would make the axis too short.
    let room = ((high - low) * 0.08).max(0.2);
    let curve = |points, stroke, discs| Curve {
        name: String::new(),
        points,
        stroke,
        discs,
        whiskers: Vec::new(),
    };
    let rows = findings.len() as f64;
    let mut curves = vec![curve(
        vec![(chance, 0.0), (chance, rows)],
        Stroke::dashed(BLACK, 4, 3),
        false,
    )];
    for (row, found) in findings.iter().enumerate() {
        if let Some(Estimate { rate, low, high }) = rate(found, question) {
            let (y, stroke) = (rows - row as f64 - 0.5, Stroke::numbered(row));
            curves.push(curve(vec![(low, y), (high, y)], stroke.wide(3), false));
            curves.push(curve(vec![(rate, y)], stroke.wide(3), true));
        }
    }
    let names = findings.iter().map(|found| match column {
        0 => format!("{}, {}", found.scheme.name(), found.scheme.movements()),
        _ => String::new(),
    });
    let heading = if column == 0 { "scheme, moves" } else { "" };
    Chart {
        title: match question {
            Question::Owner => "who has a card",
            Question::Card => "card at a place",
            Question::Suit => "suit at a place",
            Question::Rank => "rank at a place",
            Question::SameSuit => "two of one suit",
        }
        .into(),
        left: if column == 0 { 190 } else { 12 },
        size: (166, 26 * findings.len() as i32),
        x: Axis::linear("", low - room..high + room, 4, per_cent),
        y: Axis::rows(heading, names),
        curves,
        marks: Vec::new(),
    }
}

/// The chart of the guesses of the rank at each place, with a curve for each scheme.
fn of_places(findings: &[Findings]) -> Chart {
    let curves: Vec<Curve> = (findings.iter().enumerate())
        .map(|(number, found)| Curve {
            name: found.scheme.name().into(),
            points: ranks(found),
            stroke: Stroke::numbered(number),
            discs: false,
            whiskers: Vec::new(),
        })
        .collect();
    let all = curves.iter().flat_map(|curve| &curve.points);
    let rates = all.map(|point| point.1);
    let high = rates.fold(100.0 * Question::Rank.chance(), f64::max) * 1.05;
    Chart {
        title: "The rank of the card at each place of the pack".into(),
        left: 80,
        size: (800, 276),
        x: Axis::linear(
            "place in the second dealer's pack, 1 on top",
            1.0..52.0,
            12,
            per_cent,
        ),
        y: Axis::linear(
            "guesses that are right, in per cent",
            0.0..high,
            12,
            per_cent,
        ),
        curves,
        marks: Vec::new(),
    }
}

/// The rate of guesses of the rank at each place, in per cent.
fn ranks(found: &Findings) -> Vec<(f64, f64)> {
    let ranks = |answer: &&Answer| answer.question == Question::Rank;
    let rates = found.answers.iter().filter(ranks);
    (1..)
        .zip(rates)
        .map(|(place, answer)| (f64::from(place), 100.0 * answer.rate.rate))
        .collect()
}

/// A number of an axis, without trailing zeros.
fn per_cent(rate: f64) -> String {
    let rate = format!("{rate:.1}");
    rate.strip_suffix(".0").map_or(rate.clone(), str::to_owned)
}
