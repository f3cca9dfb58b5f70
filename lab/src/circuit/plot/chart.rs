//! The chart: its axes, its lines with their names, and the marks on them.

use plotters::coord::combinators::WithKeyPoints;
use plotters::coord::ranged1d::{AsRangedCoord, Ranged, ValueFormatter};
use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

use super::number;
use super::picture::{Area, LEFT, Line, Mark, TOP};
use super::room::{Covered, Pixel, Room};
use crate::plot::ink::{Names, draw_line, font, ticks};

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
    let (least, most) = (values.clone().min().unwrap_or(1), values.max().unwrap_or(1));
    let ticks = ticks(least as f64, most as f64);
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
    draw_marks(&mut chart, marks)?;
    draw_points(area, &mut chart, lines, marks)
}

/// Draws the lines with their names beside the chart. A line of one point is none.
fn draw_lines<B: DrawingBackend, X: Ranged<ValueType = f64>>(
    area: &Area<B>,
    chart: &mut Chart<'_, B, X>,
    lines: &[Line<'_>],
    has_markers: bool,
) -> anyhow::Result<()>
where
    B::ErrorType: 'static,
{
    let lines = || lines.iter().filter(|line| line.points.len() > 1);
    let (_, height) = area.dim_in_pixel();
    let mut names = Names::new(lines().count(), height as i32);
    for line in lines() {
        let (points, stroke) = (line.coordinates(), line.stroke());
        draw_line(chart, &points, stroke, has_markers && !line.is_level())?;
        let end = chart.backend_coord(&points[points.len() - 1]);
        names.write(area, end, &line.name, stroke)?;
    }
    Ok(())
}

/// Draws the lines of one point, each with its name near it, where there is room.
fn draw_points<B: DrawingBackend, X: Ranged<ValueType = f64>>(
    area: &Area<B>,
    chart: &mut Chart<'_, B, X>,
    lines: &[Line<'_>],
    marks: &[Mark],
) -> anyhow::Result<()>
where
    B::ErrorType: 'static,
{
    let pixels = |line: &Line<'_>| -> Vec<Pixel> {
        let points = line.coordinates();
        points.iter().map(|at| chart.backend_coord(at)).collect()
    };
    let (across, down) = chart.plotting_area().get_pixel_range();
    let top = down.start;
    let mut room = Room {
        chart: Covered {
            from: (across.start, top),
            to: (across.end, down.end),
        },
        pieces: Vec::new(),
        taken: Vec::new(),
    };
    for line in lines.iter().map(pixels) {
        (room.pieces).extend(line.windows(2).map(|piece| [piece[0], piece[1]]));
        let alone = line.first().filter(|_| line.len() == 1);
        (room.taken).extend(alone.map(|&point| Covered::around(point, (8, 8))));
    }
    for mark in marks {
        let (x, y) = chart.backend_coord(&(mark.at.0 as f64, mark.at.1 as f64));
        room.pieces.push([(x, y + 6), (x, top)]);
    }
    for line in lines.iter().filter(|line| line.points.len() == 1) {
        let (colour, ..) = line.stroke();
        let point = pixels(line)[0];
        let letters = line.name.chars().count() as i32;
        let name = room.take(point, (9 * letters / 2 + 2, 9));
        area.draw(&PathElement::new([point, name.middle()], colour))?;
        area.draw(&TriangleMarker::new(point, 8, colour.filled()))?;
        area.draw(&Rectangle::new(
            [name.from, name.to],
            WHITE.mix(0.8).filled(),
        ))?;
        area.draw_text(&line.name, &font(14, true, HPos::Center), name.middle())?;
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
