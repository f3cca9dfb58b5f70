//! The chart: its axes, its lines with their names, and the marks on them.

use plotters::coord::combinators::WithKeyPoints;
use plotters::coord::ranged1d::{AsRangedCoord, Ranged, ValueFormatter};
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

use super::ink::font;
use super::number;
use super::picture::{Area, LEFT, Line, Mark, TEXT_LINE, TO_NAME, TOP};

/// What is written around the lines, and how.
pub(super) struct Frame<'a> {
    pub(super) title: &'a str,
    pub(super) subtitle: &'a str,
    /// Along the horizontal axis.
    pub(super) x: &'a str,
    /// Along the vertical axis.
    pub(super) y: &'a str,
    /// Pixels for the names of the lines.
    pub(super) right: i32,
    /// Whether each point has a marker.
    pub(super) has_markers: bool,
}

/// With the number of cards to the right, and what is counted upwards.
type Chart<'a, B, X> = ChartContext<'a, B, Cartesian2d<X, WithKeyPoints<LogCoord<f64>>>>;

/// Draws what is above and right of the key.
pub(super) fn draw_chart<B: DrawingBackend, X: AsRangedCoord<Value = f64>>(
    area: &Area<B>,
    frame: &Frame<'_>,
    x: X,
    lines: &[Line<'_>],
    marks: &[Mark],
) -> anyhow::Result<()>
where
    B::ErrorType: 'static,
    X::CoordDescType: ValueFormatter<f64>,
{
    let values = lines.iter().flat_map(|line| &line.points);
    let values = values.map(|&(_, value)| value);
    let ticks = ticks(values.clone().min().unwrap_or(1), values.max().unwrap_or(1));
    let y = (ticks[0]..ticks[ticks.len() - 1])
        .log_scale()
        .with_key_points(ticks);
    area.draw_text(frame.title, &font(18, true, HPos::Left), (LEFT, 28))?;
    area.draw_text(frame.subtitle, &font(14, false, HPos::Left), (LEFT, 50))?;
    let mut chart = ChartBuilder::on(area)
        .margin(20)
        .margin_top(TOP)
        .margin_right(frame.right)
        .x_label_area_size(50)
        .y_label_area_size(LEFT - 20)
        .build_cartesian_2d(x, y)?;
    (chart.configure_mesh())
        .x_desc(frame.x)
        .y_desc(frame.y)
        .axis_desc_style(font(16, false, HPos::Center))
        .label_style(font(14, false, HPos::Center))
        .x_labels(12)
        .x_label_formatter(&|&cards| match cards.fract() {
            0.0 => number(cards as usize),
            _ => String::new(),
        })
        .y_label_formatter(&|&value| number(value as usize))
        .light_line_style(TRANSPARENT)
        .bold_line_style(BLACK.mix(0.12))
        .draw()?;
    draw_lines(area, &mut chart, lines, frame.has_markers)?;
    draw_marks(&mut chart, marks)
}

/// The round numbers that are written on the vertical axis: from the last that is not above
/// `least` to the first, a higher one, that is not below `most`.
fn ticks(least: usize, most: usize) -> Vec<f64> {
    let first = round_numbers().take_while(|&tick| tick <= least).count() - 1;
    let last = round_numbers().take_while(|&tick| tick < most).count();
    let ticks = round_numbers().take(last.max(first + 1) + 1).skip(first);
    ticks.map(|tick| tick as f64).collect()
}

/// 1, 2, 5, 10, 20, 50, …
fn round_numbers() -> impl Iterator<Item = usize> {
    (0..15).flat_map(|power| [1, 2, 5].map(|digit| digit * 10usize.pow(power)))
}

fn draw_lines<B: DrawingBackend, X: Ranged<ValueType = f64>>(
    area: &Area<B>,
    chart: &mut Chart<'_, B, X>,
    lines: &[Line<'_>],
    has_markers: bool,
) -> anyhow::Result<()>
where
    B::ErrorType: 'static,
{
    let mut free = i32::MIN;
    for line in lines {
        let (colour, dash, gap) = line.stroke();
        let style = colour.stroke_width(2);
        let points = line.points.iter();
        let points = points.map(|&(cards, value)| (cards as f64, value as f64));
        let end = points
            .clone()
            .next_back()
            .map(|end| chart.backend_coord(&end));
        chart.draw_series(DashedLineSeries::new(points.clone(), dash, gap, style))?;
        if line.points.len() == 1 {
            chart.draw_series(points.map(|at| TriangleMarker::new(at, 8, colour.filled())))?;
        } else if has_markers && !line.is_level() {
            chart.draw_series(points.map(|at| Circle::new(at, 3, colour.filled())))?;
        }
        let Some((x, y)) = end else { continue };
        if line.points.len() == 1 {
            // A point has its name above it.
            area.draw_text(&line.name, &font(14, true, HPos::Left), (x - 6, y - 18))?;
            continue;
        }
        // The name, with a piece of the line, next to its end or below the name before.
        let level = y.max(free);
        free = level + TEXT_LINE;
        let at = |right: i32| (x + right, level);
        area.draw(&PathElement::new([(x, y), at(14)], colour))?;
        let piece = DashedPathElement::new([at(14), at(48)], dash, gap, style);
        area.draw(&piece)?;
        area.draw_text(&line.name, &font(14, false, HPos::Left), at(TO_NAME))?;
    }
    Ok(())
}

/// Draws a disc for each mark, and a line up to its number. The numbers stand in two rows, so that
/// neighbours have room.
fn draw_marks<B: DrawingBackend, X: Ranged<ValueType = f64>>(
    chart: &mut Chart<'_, B, X>,
    marks: &[Mark],
) -> anyhow::Result<()>
where
    B::ErrorType: 'static,
{
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_between_round_numbers() {
        assert_eq!(ticks(13, 480), [10.0, 20.0, 50.0, 100.0, 200.0, 500.0]);
        assert_eq!(ticks(10, 500), [10.0, 20.0, 50.0, 100.0, 200.0, 500.0]);
        assert_eq!(ticks(1, 1), [1.0, 2.0]);
        assert_eq!(ticks(7, 7), [5.0, 10.0]);
        assert_eq!(ticks(5, 5), [5.0, 10.0]);
    }
}
