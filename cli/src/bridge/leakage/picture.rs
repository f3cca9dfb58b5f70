//! The picture of a study as SVG: each scheme beside chance, and the places of the pack one by one.

use dealerless_bridge::leakage::{Answer, Estimate, Findings, Question};
use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

use crate::output::count;
use dealerless_lab::plot::ink::{Names, Stroke, TO_NAME, draw_line, font, stroke};

/// Pixels of the picture across.
const WIDTH: u32 = 1100;
/// Pixels of the titles, of the name of a scheme and of the part with the places.
const TITLES: u32 = 66;
const NAMES: u32 = 150;
const PLACES: u32 = 370;
/// Pixels of a scheme among the questions, and of what is above and below them all.
const ROW: u32 = 26;
const AROUND: u32 = 76;

/// How chance is drawn.
const CHANCE: Stroke = (BLACK, 4, 3);

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// Draws what was found.
pub(super) fn draw(findings: &[Findings]) -> anyhow::Result<String> {
    let questions = AROUND + ROW * findings.len() as u32;
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (WIDTH, TITLES + questions + PLACES));
        let area = area.into_drawing_area();
        area.fill(&WHITE)?;
        let samples = findings.first().map_or(0, |found| found.samples);
        let title = "How often a guess from the second sheet alone is right, in per cent";
        area.draw_text(title, &font(18, true, HPos::Left), (20, 24))?;
        let subtitle = format!(
            "{} boards of each scheme, for the place or pair of places that tells most; dashed: chance; bars, \
             where longer than a disc: 95 %",
            count(samples.into())
        );
        area.draw_text(&subtitle, &font(14, false, HPos::Left), (20, 48))?;
        let (_, rest) = area.split_vertically(TITLES);
        let (above, below) = rest.split_vertically(questions);
        draw_questions(&above, findings)?;
        let names = Names::new(findings.len(), (TITLES + questions + PLACES) as i32);
        draw_places(&area, &below, names, findings)?;
        area.present()?;
    }
    Ok(svg)
}

/// The rate of a scheme that answers a question, in per cent.
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

/// A column for each question, with a row for each scheme.
fn draw_questions(area: &Area<'_>, findings: &[Findings]) -> anyhow::Result<()> {
    let (names, columns) = area.split_horizontally(NAMES);
    let columns = columns.split_evenly((1, Question::ALL.len()));
    for (question, column) in Question::ALL.into_iter().zip(&columns) {
        let mut chart = column_of(column, question, findings)?;
        let chance = 100.0 * question.chance();
        let bottom = findings.len() as f64;
        draw_line(
            &mut chart,
            &[(chance, 0.0), (chance, bottom)],
            CHANCE,
            false,
        )?;
        for (number, found) in findings.iter().enumerate() {
            let Some(Estimate { rate, low, high }) = rate(found, question) else {
                continue;
            };
            let (at, (colour, ..)) = (bottom - number as f64 - 0.5, stroke(number));
            chart.draw_series([PathElement::new(
                [(low, at), (high, at)],
                colour.stroke_width(3),
            )])?;
            chart.draw_series([Circle::new((rate, at), 4, colour.filled())])?;
        }
    }
    let heading = "scheme, moves";
    let style = font(12, false, HPos::Right);
    names.draw_text(heading, &style, (NAMES as i32 - 4, 22))?;
    for (number, found) in findings.iter().enumerate() {
        let level = AROUND as i32 / 2 + ROW as i32 * number as i32 + ROW as i32 / 2;
        let name = format!("{}, {}", found.scheme.name(), found.scheme.movements());
        let style = font(14, false, HPos::Right);
        names.draw_text(&name, &style, (NAMES as i32 - 4, level))?;
    }
    Ok(())
}

/// The axes of a question.
fn column_of<'a, 'b>(
    area: &'a Area<'b>,
    question: Question,
    findings: &[Findings],
) -> anyhow::Result<Chart<'a, 'b>> {
    let chance = 100.0 * question.chance();
    let rates = || findings.iter().filter_map(|found| rate(found, question));
    let low = rates().map(|rate| rate.low).fold(chance, f64::min);
    let high = rates().map(|rate| rate.high).fold(chance, f64::max);
    // Where nothing leaks the intervals fill no column.
    let room = ((high - low) * 0.08).max(0.2);
    let title = match question {
        Question::Owner => "who has a card",
        Question::Card => "card at a place",
        Question::Suit => "suit at a place",
        Question::Rank => "rank at a place",
        Question::SameSuit => "two of one suit",
    };
    let (width, _) = area.dim_in_pixel();
    area.draw_text(title, &font(14, true, HPos::Center), (width as i32 / 2, 20))?;
    let mut chart = ChartBuilder::on(area)
        .margin_left(12)
        .margin_right(12)
        .margin_top(AROUND / 2)
        .x_label_area_size(AROUND / 2)
        .build_cartesian_2d(low - room..high + room, 0.0..findings.len() as f64)?;
    (chart.configure_mesh())
        .disable_y_axis()
        .disable_y_mesh()
        .label_style(font(13, false, HPos::Center))
        .x_labels(4)
        .x_label_formatter(&|&rate| per_cent(rate))
        .light_line_style(TRANSPARENT)
        .bold_line_style(BLACK.mix(0.12))
        .draw()?;
    Ok(chart)
}

/// The guess of the rank at each place, with a line for each scheme, on a part of the whole picture.
fn draw_places(
    whole: &Area<'_>,
    area: &Area<'_>,
    mut names: Names,
    findings: &[Findings],
) -> anyhow::Result<()> {
    let lines: Vec<Vec<(f64, f64)>> = findings.iter().map(ranks).collect();
    let all = lines.iter().flatten().map(|point| point.1);
    let high = all.fold(100.0 * Question::Rank.chance(), f64::max) * 1.05;
    let title = "The rank of the card at each place of the pack";
    area.draw_text(title, &font(16, true, HPos::Left), (20, 20))?;
    let mut chart = ChartBuilder::on(area)
        .margin_top(40)
        .margin_left(20)
        .margin_right(TO_NAME as u32 + NAMES)
        .margin_bottom(10)
        .x_label_area_size(44)
        .y_label_area_size(60)
        .build_cartesian_2d(1.0..52.0, 0.0..high)?;
    (chart.configure_mesh())
        .x_desc("place in the second dealer's pack, 1 on top")
        .y_desc("guesses that are right, in per cent")
        .axis_desc_style(font(14, false, HPos::Center))
        .label_style(font(13, false, HPos::Center))
        .x_labels(12)
        .x_label_formatter(&|&place| per_cent(place))
        .y_label_formatter(&|&rate| per_cent(rate))
        .light_line_style(TRANSPARENT)
        .bold_line_style(BLACK.mix(0.12))
        .draw()?;
    let mut order: Vec<usize> = (0..lines.len()).collect();
    let end = |number: &usize| lines[*number].last().map_or(0.0, |point| point.1);
    order.sort_by(|a, b| end(b).total_cmp(&end(a)));
    for number in order {
        let (points, stroke) = (&lines[number], stroke(number));
        let Some(last) = points.last() else { continue };
        draw_line(&mut chart, points, stroke, false)?;
        let end = chart.backend_coord(last);
        names.write(whole, end, findings[number].scheme.name(), stroke)?;
    }
    Ok(())
}

/// How often the rank at each place was guessed, in per cent.
fn ranks(found: &Findings) -> Vec<(f64, f64)> {
    let ranks = |answer: &&Answer| answer.question == Question::Rank;
    let rates = found.answers.iter().filter(ranks);
    (1..)
        .zip(rates)
        .map(|(place, answer)| (f64::from(place), 100.0 * answer.rate.rate))
        .collect()
}

/// A number of an axis, without zeros at its end.
fn per_cent(rate: f64) -> String {
    let rate = format!("{rate:.1}");
    rate.strip_suffix(".0").map_or(rate.clone(), str::to_owned)
}
