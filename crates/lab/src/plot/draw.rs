//! Draws a picture on any `plotters` backend.

use plotters::coord::Shift;
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::axis::Axis;
use super::canvas::FONT_UNITS;
use super::room::{Pixel, Room};
use super::{Chart, Curve, Picture, Stroke};

/// Height of the titles of the picture, in pixels.
const TITLES: i32 = 66;

/// Pixels to the left of the title of a vertical axis, and below the title of a horizontal axis.
const MARGIN: i32 = 20;

/// Pixels from the end of a curve to its name.
const TO_NAME: i32 = 56;

/// Width of a letter of a name, in pixels.
const LETTER: i32 = 9;

/// Pixels from a name to the next name.
const NAME_LINE: i32 = 20;

/// Height of a line of the key, in pixels.
const KEY_LINE: i32 = 22;

impl Curve {
    fn is_named_point(&self) -> bool {
        !self.name.is_empty() && self.points.len() == 1
    }

    /// Whether the name is written to the right of the chart.
    fn has_name_on_the_right(&self) -> bool {
        !self.name.is_empty() && self.points.len() > 1
    }
}

/// The number of rows for the numbers of marks, and the height of a row.
const MARK_ROWS: usize = 3;
const MARK_LINE: i32 = 16;

impl Chart {
    /// Pixels above the plot area.
    fn above(&self) -> i32 {
        let title = if self.title.is_empty() { 14 } else { 38 };
        let numbers = if self.marks.is_empty() {
            0
        } else {
            MARK_ROWS as i32 * MARK_LINE
        };
        title + numbers
    }

    /// Pixels to the right of the plot area.
    fn right(&self) -> i32 {
        let names = self
            .curves
            .iter()
            .filter(|curve| curve.has_name_on_the_right());
        let longest = names.map(|curve| curve.name.chars().count()).max();
        longest.map_or(12, |longest| TO_NAME + LETTER * longest.max(12) as i32)
    }

    /// Pixels between the plot area and the key.
    fn below(&self) -> i32 {
        if self.x.title.is_empty() { 48 } else { 70 }
    }

    /// Height of the key, in pixels.
    fn key(&self) -> i32 {
        match self.marks.len() {
            0 => 0,
            marks => KEY_LINE * (marks as i32 + 1),
        }
    }

    fn outer_size(&self) -> (i32, i32) {
        let (width, height) = self.size;
        (
            self.left + width + self.right(),
            self.above() + height + self.below() + self.key(),
        )
    }
}

fn height(row: &[Chart]) -> i32 {
    row.iter()
        .map(|chart| chart.outer_size().1)
        .max()
        .unwrap_or(0)
}

impl Picture {
    /// Width and height in pixels.
    pub(super) fn size(&self) -> (u32, u32) {
        let width = self
            .rows
            .iter()
            .map(|row| row.iter().map(|chart| chart.outer_size().0).sum::<i32>())
            .max()
            .unwrap_or(0);
        let height: i32 = self.rows.iter().map(|row| height(row)).sum();
        (width as u32, (TITLES + height) as u32)
    }

    /// Draws the picture on `area`, which must have the size of the picture.
    pub(super) fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> anyhow::Result<()>
    where
        B::ErrorType: 'static,
    {
        area.fill(&WHITE)?;
        let painter = Painter(area);
        painter.text(&self.title, 18, true, HPos::Left, (20, 28))?;
        painter.text(&self.subtitle, 14, false, HPos::Left, (20, 50))?;
        let mut top = TITLES;
        for row in &self.rows {
            let mut left = 0;
            for chart in row {
                painter.chart(chart, (left, top))?;
                left += chart.outer_size().0;
            }
            top += height(row);
        }
        Ok(area.present()?)
    }
}

fn font(pixels: i32, bold: bool, side: HPos) -> TextStyle<'static> {
    let style = if bold {
        FontStyle::Bold
    } else {
        FontStyle::Normal
    };
    let font = FontDesc::new(FontFamily::SansSerif, f64::from(pixels) * FONT_UNITS, style);
    TextStyle::from(font).pos(Pos::new(side, VPos::Center))
}

/// A painter for the whole picture.
struct Painter<'a, B: DrawingBackend>(&'a DrawingArea<B, Shift>);

type Field<'a, B> = ChartContext<'a, B, Cartesian2d<Axis, Axis>>;

impl<B: DrawingBackend> Painter<'_, B>
where
    B::ErrorType: 'static,
{
    fn text(
        &self,
        text: &str,
        pixels: i32,
        bold: bool,
        side: HPos,
        at: Pixel,
    ) -> anyhow::Result<()> {
        Ok(self.0.draw_text(text, &font(pixels, bold, side), at)?)
    }

    fn line<P>(&self, points: P, stroke: Stroke) -> anyhow::Result<()>
    where
        P: IntoIterator<Item = Pixel>,
        P::IntoIter: Clone,
    {
        let style = stroke.colour.stroke_width(stroke.width);
        let line = DashedPathElement::new(points, stroke.dash, stroke.gap, style);
        Ok(self.0.draw(&line)?)
    }

    fn chart(&self, chart: &Chart, from: Pixel) -> anyhow::Result<()> {
        let area = self.0.clone().shrink(from, chart.outer_size());
        let margin = MARGIN.min(chart.left);
        let mut field = ChartBuilder::on(&area)
            .margin_left(margin)
            .margin_top(chart.above())
            .margin_right(chart.right())
            .margin_bottom(chart.key() + MARGIN)
            .x_label_area_size(chart.below() - MARGIN)
            .y_label_area_size(chart.left - margin)
            .build_cartesian_2d(chart.x.clone(), chart.y.clone())?;
        let mut mesh = field.configure_mesh();
        if !chart.x.title.is_empty() {
            mesh.x_desc(&*chart.x.title);
        }
        if !chart.y.title.is_empty() {
            mesh.y_desc(&*chart.y.title);
        }
        mesh.axis_desc_style(font(16, false, HPos::Center))
            .label_style(font(14, false, HPos::Center))
            .light_line_style(TRANSPARENT)
            .bold_line_style(BLACK.mix(0.12))
            .draw()?;
        let (across, down) = field.plotting_area().get_pixel_range();
        let mut room = Room::new((across.start, down.start), (across.end, down.end));
        if !chart.title.is_empty() {
            let middle = across.start.midpoint(across.end);
            self.text(&chart.title, 14, true, HPos::Center, (middle, from.1 + 20))?;
        }
        self.curves(chart, &field, &mut room)?;
        let bottom = from.1 + chart.outer_size().1 - chart.key();
        self.names(chart, &field, bottom)?;
        self.marks(chart, &field, &mut room)?;
        self.key(chart, (from.0 + chart.left, bottom))?;
        self.single_points(chart, &field, &mut room)
    }

    /// Draws curves with their discs and whiskers, and single points without names.
    fn curves(&self, chart: &Chart, field: &Field<'_, B>, room: &mut Room) -> anyhow::Result<()> {
        for curve in &chart.curves {
            let stroke = curve.stroke;
            let pixels = pixels(field, &curve.points);
            for piece in pixels.windows(2) {
                room.take_line(piece[0], piece[1]);
            }
            self.line(pixels.iter().copied(), stroke)?;
            for &(x, ends) in &curve.whiskers {
                let [low, high] = ends.map(|y| field.backend_coord(&(x, y)));
                let cap = |(x, y): Pixel| [(x - 4, y), (x + 4, y)];
                for piece in [[low, high], cap(low), cap(high)] {
                    let line = PathElement::new(piece, stroke.colour.stroke_width(1));
                    self.0.draw(&line)?;
                }
            }
            if curve.discs && !curve.is_named_point() {
                for &at in &pixels {
                    let disc = Circle::new(at, stroke.width + 1, stroke.colour.filled());
                    self.0.draw(&disc)?;
                }
            }
        }
        Ok(())
    }

    /// Writes the names of the curves to the right of the chart, from the highest end to the
    /// lowest, each with a sample of its stroke.
    fn names(&self, chart: &Chart, field: &Field<'_, B>, bottom: i32) -> anyhow::Result<()> {
        let curves = chart
            .curves
            .iter()
            .filter(|curve| curve.has_name_on_the_right());
        let mut ends: Vec<(Pixel, &Curve)> = curves
            .map(|curve| (pixels(field, &curve.points)[curve.points.len() - 1], curve))
            .collect();
        ends.sort_by_key(|((_, y), _)| *y);
        let mut free = 0;
        for (number, &((x, y), curve)) in ends.iter().enumerate() {
            let lowest = bottom - NAME_LINE * (ends.len() - number) as i32;
            let level = y.min(lowest).max(free);
            free = level + NAME_LINE;
            let stroke = curve.stroke;
            let piece = [(x + 14, level), (x + 48, level)];
            self.0
                .draw(&PathElement::new([(x, y), piece[0]], stroke.colour))?;
            self.line(piece, stroke)?;
            self.text(&curve.name, 14, false, HPos::Left, (x + TO_NAME, level))?;
        }
        Ok(())
    }

    /// Draws a disc for each mark, and a line up to its number. A number lies in the lowest row in
    /// which it has room beside the others.
    fn marks(&self, chart: &Chart, field: &Field<'_, B>, room: &mut Room) -> anyhow::Result<()> {
        // The end of each row so far; the marks come from left to right.
        let mut rows = [0; MARK_ROWS];
        for (i, mark) in chart.marks.iter().enumerate() {
            let (x, y) = field.backend_coord(&mark.at);
            let top = room.from.1;
            room.take_line((x, y), (x, top));
            self.0
                .draw(&PathElement::new([(x, y), (x, top)], BLACK.mix(0.5)))?;
            let number = (i + 1).to_string();
            let half = 5 * number.len() as i32;
            let has_room = rows.iter().position(|&end| end <= x - half);
            let lowest = || rows.iter().zip(0..).min().map_or(0, |(_, row)| row);
            let row = has_room.unwrap_or_else(lowest);
            rows[row] = x + half;
            let height = top - 12 - MARK_LINE * row as i32;
            self.text(&number, 14, mark.bold, HPos::Center, (x, height))?;
            let inside = if mark.bold { BLACK } else { WHITE };
            self.0.draw(&Circle::new((x, y), 5, inside.filled()))?;
            self.0
                .draw(&Circle::new((x, y), 5, BLACK.stroke_width(1)))?;
        }
        Ok(())
    }

    /// Writes the key: the number and the text of each mark.
    fn key(&self, chart: &Chart, (left, top): Pixel) -> anyhow::Result<()> {
        for (line, mark) in (0..).zip(&chart.marks) {
            let y = top + line * KEY_LINE + KEY_LINE / 2;
            self.text(
                &(line + 1).to_string(),
                15,
                mark.bold,
                HPos::Center,
                (left, y),
            )?;
            self.text(&mark.text, 15, false, HPos::Left, (left + 16, y))?;
        }
        Ok(())
    }

    /// Draws single points with their names.
    fn single_points(
        &self,
        chart: &Chart,
        field: &Field<'_, B>,
        room: &mut Room,
    ) -> anyhow::Result<()> {
        let named = chart.curves.iter().filter(|curve| curve.is_named_point());
        let points: Vec<(Pixel, &Curve)> = named
            .map(|curve| (field.backend_coord(&curve.points[0]), curve))
            .collect();
        for ((x, y), _) in &points {
            room.take_line((x - 8, *y), (x + 8, *y));
        }
        for (point, curve) in points {
            let half = (LETTER * curve.name.chars().count() as i32 / 2 + 2, 9);
            let (x, y) = room.take_name(point, half);
            let colour = curve.stroke.colour;
            let corners = [(x - half.0, y - half.1), (x + half.0, y + half.1)];
            self.0.draw(&PathElement::new([point, (x, y)], colour))?;
            self.0
                .draw(&TriangleMarker::new(point, 8, colour.filled()))?;
            self.0
                .draw(&Rectangle::new(corners, WHITE.mix(0.8).filled()))?;
            self.text(&curve.name, 14, true, HPos::Center, (x, y))?;
        }
        Ok(())
    }
}

fn pixels<B: DrawingBackend>(field: &Field<'_, B>, points: &[(f64, f64)]) -> Vec<Pixel> {
    points.iter().map(|at| field.backend_coord(at)).collect()
}
