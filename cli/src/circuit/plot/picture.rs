//! The picture as SVG: a line for each algorithm, and a mark where lines cross.

use dealerless::shuffle::Algorithm;
use plotters::coord::Shift;
use plotters::coord::combinators::WithKeyPoints;
use plotters::coord::ranged1d::{AsRangedCoord, Ranged, ValueFormatter};
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::crossings::Crossing;
use super::number;
use super::plan::{Along, Plan, Sizes};

/// Pixels of the picture, without the key to its marks.
const SIZE: (u32, u32) = (1020, 640);

/// Pixels of a line of text.
const TEXT_LINE: i32 = 22;

/// Pixels from the left to the vertical axis, and to the key.
const LEFT: i32 = 120;

/// Pixels above the chart, for its title and the numbers of the marks.
const TOP: i32 = 90;

/// Pixels beside the chart, for the names of its lines.
const RIGHT: i32 = 170;

/// The lines of a plan, from left to right through the numbers and the crossings between them.
pub(super) fn draw(
    plan: &Plan,
    sizes: &mut Sizes<'_>,
    crossings: &[Crossing],
) -> anyhow::Result<String> {
    let marks = marks(plan, sizes, crossings);
    let height = SIZE.1 + (marks.len() + 1) as u32 * TEXT_LINE as u32;
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (SIZE.0, height)).into_drawing_area();
        area.fill(&WHITE)?;
        let (picture, key) = area.split_vertically(SIZE.1);
        let lines = lines(plan, sizes, crossings);
        let (first, last) = (plan.numbers[0], plan.numbers[plan.numbers.len() - 1]);
        let cards = first as f64..last as f64;
        match plan.along {
            Along::Draw { .. } => draw_chart(&picture, plan, cards, &lines, &marks)?,
            // Decks are as far apart as their ratio is large.
            Along::Cards { .. } | Along::WholeDecks => {
                let powers = (0..16).map(|power| 1 << power);
                let ticks = powers.filter(|tick| (first..=last).contains(tick));
                let ticks = ticks.map(|tick| tick as f64).collect();
                let cards = cards.log_scale().with_key_points(ticks);
                draw_chart(&picture, plan, cards, &lines, &marks)?;
            }
        }
        for (line, mark) in (0..).zip(&marks) {
            let y = line * TEXT_LINE + TEXT_LINE / 2;
            let number = (line + 1).to_string();
            key.draw_text(&number, &font(15, mark.bold, HPos::Center), (LEFT, y))?;
            key.draw_text(&mark.text, &font(15, false, HPos::Left), (LEFT + 16, y))?;
        }
        area.present()?;
    }
    Ok(svg)
}

/// An algorithm with the ANDs of its circuits, by the number of the horizontal axis.
struct Line {
    algorithm: Algorithm,
    points: Vec<(usize, usize)>,
}

/// The lines, the highest at their ends first.
fn lines(plan: &Plan, sizes: &mut Sizes<'_>, crossings: &[Crossing]) -> Vec<Line> {
    // With the crossings, so that each mark is on its line.
    let mut numbers = plan.numbers.clone();
    numbers.extend(crossings.iter().map(|crossing| crossing.from));
    numbers.sort_unstable();
    numbers.dedup();
    let line = |&algorithm: &Algorithm| Line {
        algorithm,
        points: (numbers.iter())
            .map(|&number| (number, sizes.ands(algorithm, number)))
            // A logarithmic axis has no 0. (One card of two takes no AND.)
            .filter(|&(_, ands)| ands > 0)
            .collect(),
    };
    let mut lines: Vec<Line> = plan.algorithms.iter().map(line).collect();
    lines.sort_by_key(|line| std::cmp::Reverse(line.points.last().map(|&(_, ands)| ands)));
    lines
}

/// A crossing to look at, explained below the chart.
struct Mark {
    at: (usize, usize),
    /// Whether the cheapest of all changes there.
    bold: bool,
    text: String,
}

/// One mark for the crossings that belong to the same winner at the same number.
fn marks(plan: &Plan, sizes: &mut Sizes<'_>, crossings: &[Crossing]) -> Vec<Mark> {
    let variable = match plan.along {
        Along::Draw { .. } => "m",
        Along::Cards { .. } | Along::WholeDecks => "n",
    };
    let alike = |a: &Crossing, b: &Crossing| (a.from, a.cheaper) == (b.from, b.cheaper);
    let mark = |chunk: &[Crossing]| {
        let Crossing { from, cheaper, .. } = chunk[0];
        let ands = sizes.ands(cheaper, from);
        let mut news = |crossing: &Crossing| {
            let said = match crossing.of_the_cheapest {
                true => "is the cheapest, before it",
                false => "is below",
            };
            let dearer = sizes.ands(crossing.dearer, from);
            format!("{said} {} ({})", crossing.dearer, number(dearer))
        };
        let news: Vec<String> = chunk.iter().map(&mut news).collect();
        Mark {
            at: (from, ands.max(1)),
            bold: chunk.iter().any(|crossing| crossing.of_the_cheapest),
            text: format!(
                "{variable} = {}: from here {cheaper} ({} ANDs) {}",
                number(from),
                number(ands),
                news.join(", and ")
            ),
        }
    };
    crossings.chunk_by(alike).map(mark).collect()
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// With the number of cards to the right, and the ANDs upwards.
type Chart<'a, 'b, X> =
    ChartContext<'a, SVGBackend<'b>, Cartesian2d<X, WithKeyPoints<LogCoord<f64>>>>;

/// Draws what is above and right of the key.
fn draw_chart<X: AsRangedCoord<Value = f64>>(
    area: &Area<'_>,
    plan: &Plan,
    x: X,
    lines: &[Line],
    marks: &[Mark],
) -> anyhow::Result<()>
where
    X::CoordDescType: ValueFormatter<f64>,
{
    let title = match plan.along {
        Along::Draw { cards } => format!("AND gates to draw m of {} cards", number(cards)),
        Along::Cards { draw } => format!("AND gates to draw {} of n cards", number(draw)),
        Along::WholeDecks => "AND gates to shuffle n cards and draw them all".into(),
    };
    let x_title = match plan.along {
        Along::Draw { .. } => "m, the number of cards drawn",
        Along::Cards { .. } | Along::WholeDecks => "n, the number of cards in the deck",
    };
    let ands = lines
        .iter()
        .flat_map(|line| &line.points)
        .map(|&(_, ands)| ands);
    let ticks = ands_ticks(ands.clone().min().unwrap_or(1), ands.max().unwrap_or(1));
    let y = (ticks[0]..ticks[ticks.len() - 1])
        .log_scale()
        .with_key_points(ticks);
    area.draw_text(&title, &font(18, true, HPos::Left), (LEFT, 30))?;
    let mut chart = ChartBuilder::on(area)
        .margin(20)
        .margin_top(TOP)
        .margin_right(RIGHT)
        .x_label_area_size(50)
        .y_label_area_size(LEFT - 20)
        .build_cartesian_2d(x, y)?;
    (chart.configure_mesh())
        .x_desc(x_title)
        .y_desc("AND gates of the circuit")
        .axis_desc_style(font(16, false, HPos::Center))
        .label_style(font(14, false, HPos::Center))
        .x_labels(12)
        .x_label_formatter(&|&cards| match cards.fract() {
            0.0 => number(cards as usize),
            _ => String::new(),
        })
        .y_label_formatter(&|&ands| number(ands as usize))
        .light_line_style(TRANSPARENT)
        .bold_line_style(BLACK.mix(0.12))
        .draw()?;
    draw_lines(area, &mut chart, lines)?;
    draw_marks(&mut chart, marks)
}

/// The round numbers that are written on the vertical axis: from the last that is not above
/// `fewest` to the first, a higher one, that is not below `most`.
fn ands_ticks(fewest: usize, most: usize) -> Vec<f64> {
    let first = round_numbers().take_while(|&tick| tick <= fewest).count() - 1;
    let last = round_numbers().take_while(|&tick| tick < most).count();
    let ticks = round_numbers().take(last.max(first + 1) + 1).skip(first);
    ticks.map(|tick| tick as f64).collect()
}

/// 1, 2, 5, 10, 20, 50, …
fn round_numbers() -> impl Iterator<Item = usize> {
    (0..15).flat_map(|power| [1, 2, 5].map(|digit| digit * 10usize.pow(power)))
}

fn draw_lines<X: Ranged<ValueType = f64>>(
    area: &Area<'_>,
    chart: &mut Chart<'_, '_, X>,
    lines: &[Line],
) -> anyhow::Result<()> {
    let mut free = 0;
    for Line { algorithm, points } in lines {
        let (colour, dash, gap) = STROKES[*algorithm as usize % STROKES.len()];
        let style = colour.stroke_width(2);
        let points = (points.iter()).map(|&(cards, ands)| (cards as f64, ands as f64));
        let end = points
            .clone()
            .next_back()
            .map(|end| chart.backend_coord(&end));
        chart.draw_series(DashedLineSeries::new(points, dash, gap, style))?;
        // The name, with a piece of the line, next to its end or below the name before.
        let Some((x, y)) = end else { continue };
        let level = y.max(free);
        free = level + TEXT_LINE;
        let at = |right: i32| (x + right, level);
        area.draw(&PathElement::new([(x, y), at(14)], colour))?;
        let piece = DashedPathElement::new([at(14), at(48)], dash, gap, style);
        area.draw(&piece)?;
        area.draw_text(algorithm.name(), &font(14, false, HPos::Left), at(56))?;
    }
    Ok(())
}

/// Draws a disc for each mark, and a line up to its number. The numbers stand in two rows, so that
/// neighbours have room.
fn draw_marks<X: Ranged<ValueType = f64>>(
    chart: &mut Chart<'_, '_, X>,
    marks: &[Mark],
) -> anyhow::Result<()> {
    let top = chart.y_range().end;
    for (i, mark) in marks.iter().enumerate() {
        let at = (mark.at.0 as f64, mark.at.1 as f64);
        let above = (at.0, top);
        chart.draw_series([PathElement::new([at, above], BLACK.mix(0.5))])?;
        let row = -12 - 16 * (i as i32 % 2);
        let style = font(14, mark.bold, HPos::Center);
        let number = Text::new((i + 1).to_string(), (0, row), style);
        chart.draw_series([EmptyElement::at(above) + number])?;
        let inside = if mark.bold { BLACK } else { WHITE };
        let disc = |style| Circle::new(at, 5, style);
        chart.draw_series([disc(inside.filled()), disc(BLACK.stroke_width(1))])?;
    }
    Ok(())
}

/// The dash of a solid line: longer than any.
const SOLID: u32 = 100_000;

/// How each algorithm looks: a colour of Okabe and Ito, which the colour-blind tell apart too, and
/// for print the pixels of a dash and of the gap after it.
const STROKES: [(RGBColor, u32, u32); 7] = [
    (RGBColor(0, 114, 178), SOLID, 0),
    (RGBColor(86, 180, 233), 9, 4),
    (RGBColor(213, 94, 0), 5, 4),
    (BLACK, 2, 4),
    (RGBColor(204, 121, 167), SOLID, 0),
    (RGBColor(230, 159, 0), 12, 4),
    (RGBColor(0, 158, 115), SOLID, 0),
];

fn font(pixels: i32, bold: bool, side: HPos) -> TextStyle<'static> {
    let style = if bold {
        FontStyle::Bold
    } else {
        FontStyle::Normal
    };
    // The library divides the sizes of fonts by this number.
    let size = f64::from(pixels) * 1.24;
    let font = FontDesc::new(FontFamily::SansSerif, size, style);
    TextStyle::from(font).pos(Pos::new(side, VPos::Center))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ands_are_between_round_numbers() {
        assert_eq!(ands_ticks(13, 480), [10.0, 20.0, 50.0, 100.0, 200.0, 500.0]);
        assert_eq!(ands_ticks(10, 500), [10.0, 20.0, 50.0, 100.0, 200.0, 500.0]);
        assert_eq!(ands_ticks(1, 1), [1.0, 2.0]);
        assert_eq!(ands_ticks(7, 7), [5.0, 10.0]);
        assert_eq!(ands_ticks(5, 5), [5.0, 10.0]);
    }
}
