//! The picture as SVG: lines over two axes, each with its name at its end, and numbered marks.

use std::fmt::Display;

use anyhow::anyhow;
use plotters::backend::SVGBackend;
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, IntoDrawingArea};
use plotters::element::{Circle, DashedPathElement, PathElement, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{
    BLACK, Color, FontDesc, FontFamily, FontStyle, FontTransform, RGBColor, TextStyle, WHITE,
};

use super::axis::Axis;
use super::labels::spread;
use super::number;

/// What is drawn.
pub(super) struct Chart {
    pub(super) title: String,
    pub(super) x: Axis,
    pub(super) y: Axis,
    pub(super) lines: Vec<Line>,
    pub(super) marks: Vec<Mark>,
}

/// A named line through points, from left to right; at least one.
pub(super) struct Line {
    pub(super) name: &'static str,
    pub(super) stroke: Stroke,
    pub(super) points: Vec<(usize, usize)>,
}

/// How a line looks.
#[derive(Clone, Copy)]
pub(super) struct Stroke {
    pub(super) colour: RGBColor,
    /// The pixels of a dash and of the gap after it; a solid line has none.
    pub(super) dash: Option<(u32, u32)>,
}

/// A point to look at, explained below the picture.
pub(super) struct Mark {
    pub(super) at: (usize, usize),
    /// Whether it stands out among the marks.
    pub(super) bold: bool,
    pub(super) text: String,
}

/// Pixels from the left.
const WIDTH: i32 = 1020;
const LEFT: i32 = 125;
const RIGHT: i32 = 860;

/// Pixels from the top.
const TITLE: i32 = 30;
const BADGES: i32 = 70;
const TOP: i32 = 90;
const BOTTOM: i32 = 580;
const X_TITLE: i32 = 630;
const KEY: i32 = 670;

/// The height of a line of the key.
const KEY_LINE: i32 = 24;
const BADGE_RADIUS: i32 = 10;

const GRID: RGBColor = RGBColor(225, 225, 225);
const GREY: RGBColor = RGBColor(110, 110, 110);

type Point = (i32, i32);

impl Chart {
    /// The picture as an SVG document. Text is text, in the reader's sans-serif font.
    ///
    /// # Errors
    /// Those of the drawing library; a string takes everything.
    pub(super) fn draw(&self) -> anyhow::Result<String> {
        let key = self.marks.len() as i32 * KEY_LINE;
        let mut svg = String::new();
        {
            let size = (WIDTH as u32, (KEY + key) as u32);
            let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
            let canvas = Canvas(area);
            canvas.fill()?;
            self.draw_axes(&canvas)?;
            self.draw_lines(&canvas)?;
            self.draw_marks(&canvas)?;
            canvas.finish()?;
        }
        Ok(svg)
    }

    fn draw_axes(&self, canvas: &Canvas<'_>) -> anyhow::Result<()> {
        canvas.text(&self.title, (LEFT, TITLE), &bold(18.0, HPos::Left))?;
        for &tick in &self.x.ticks {
            let x = self.x_of(tick);
            canvas.line(&[(x, TOP), (x, BOTTOM)], 1, GRID)?;
            canvas.text(&number(tick), (x, BOTTOM + 18), &plain(14.0, HPos::Center))?;
        }
        for &tick in &self.y.ticks {
            let y = self.y_of(tick);
            canvas.line(&[(LEFT, y), (RIGHT, y)], 1, GRID)?;
            canvas.text(&number(tick), (LEFT - 10, y), &plain(14.0, HPos::Right))?;
        }
        canvas.line(&[(LEFT, TOP), (LEFT, BOTTOM), (RIGHT, BOTTOM)], 1, BLACK)?;
        let middle = (LEFT.midpoint(RIGHT), TOP.midpoint(BOTTOM));
        let centred = plain(16.0, HPos::Center);
        canvas.text(&self.x.title, (middle.0, X_TITLE), &centred)?;
        let upwards = centred.transform(FontTransform::Rotate270);
        canvas.text(&self.y.title, (22, middle.1), &upwards)
    }

    /// The lines; and right of them, next to where each ends, its name.
    fn draw_lines(&self, canvas: &Canvas<'_>) -> anyhow::Result<()> {
        let mut ends = Vec::new();
        for line in &self.lines {
            let points: Vec<Point> = line.points.iter().map(|&point| self.at(point)).collect();
            canvas.stroke(&points, line.stroke)?;
            ends.extend(points.last().map(|&end| (end, line)));
        }
        ends.sort_by_key(|((_, y), _)| *y);
        let places: Vec<f64> = ends.iter().map(|((_, y), _)| f64::from(*y)).collect();
        let places = spread(&places, 20.0, f64::from(BADGES), f64::from(BOTTOM));
        for (&((end, y), line), place) in ends.iter().zip(places) {
            let place = place.round() as i32;
            let sample = RIGHT + 14;
            canvas.line(&[(end, y), (sample, place)], 1, line.stroke.colour)?;
            canvas.stroke(&[(sample, place), (sample + 34, place)], line.stroke)?;
            canvas.text(line.name, (sample + 42, place), &plain(14.0, HPos::Left))?;
        }
        Ok(())
    }

    /// Each mark: a disc at its point, above it a number, and below the picture what it means.
    fn draw_marks(&self, canvas: &Canvas<'_>) -> anyhow::Result<()> {
        let places: Vec<f64> = (self.marks.iter())
            .map(|mark| f64::from(self.x_of(mark.at.0)))
            .collect();
        let gap = f64::from(2 * BADGE_RADIUS + 4);
        let places = spread(&places, gap, f64::from(LEFT), f64::from(RIGHT));
        for (i, (mark, place)) in self.marks.iter().zip(places).enumerate() {
            let (x, y) = self.at(mark.at);
            canvas.line(&[(place as i32, BADGES), (x, TOP), (x, y - 5)], 1, GREY)?;
            canvas.disc((x, y), 5, mark.bold)?;
            let line = KEY + i as i32 * KEY_LINE;
            for badge in [(place as i32, BADGES), (LEFT, line)] {
                canvas.disc(badge, BADGE_RADIUS, mark.bold)?;
                let style = bold(13.0, HPos::Center);
                let style = if mark.bold {
                    style.color(&WHITE)
                } else {
                    style
                };
                canvas.text(&(i + 1).to_string(), badge, &style)?;
            }
            canvas.text(&mark.text, (LEFT + 20, line), &plain(15.0, HPos::Left))?;
        }
        Ok(())
    }

    fn at(&self, (x, y): (usize, usize)) -> Point {
        (self.x_of(x), self.y_of(y))
    }

    fn x_of(&self, number: usize) -> i32 {
        LEFT + (self.x.share(number) * f64::from(RIGHT - LEFT)).round() as i32
    }

    fn y_of(&self, number: usize) -> i32 {
        BOTTOM - (self.y.share(number) * f64::from(BOTTOM - TOP)).round() as i32
    }
}

fn plain(pixels: f64, side: HPos) -> TextStyle<'static> {
    text_style(FontStyle::Normal, pixels, side)
}

fn bold(pixels: f64, side: HPos) -> TextStyle<'static> {
    text_style(FontStyle::Bold, pixels, side)
}

/// Text whose point is at its middle, vertically, and horizontally where `side` says.
fn text_style(style: FontStyle, pixels: f64, side: HPos) -> TextStyle<'static> {
    // The library divides the sizes of fonts by this number.
    const SIZE_OF_PIXEL: f64 = 1.24;
    let font = FontDesc::new(FontFamily::SansSerif, pixels * SIZE_OF_PIXEL, style);
    TextStyle::from(font).pos(Pos::new(side, VPos::Center))
}

/// A drawing area with the shapes of this picture.
struct Canvas<'a>(DrawingArea<SVGBackend<'a>, Shift>);

impl Canvas<'_> {
    fn fill(&self) -> anyhow::Result<()> {
        self.0.fill(&WHITE).map_err(failed)
    }

    fn line(&self, points: &[Point], width: u32, colour: RGBColor) -> anyhow::Result<()> {
        let path = PathElement::new(points.to_vec(), colour.stroke_width(width));
        self.0.draw(&path).map_err(failed)
    }

    fn stroke(&self, points: &[Point], stroke: Stroke) -> anyhow::Result<()> {
        let style = stroke.colour.stroke_width(2);
        match stroke.dash {
            None => self.line(points, 2, stroke.colour),
            Some((dash, gap)) => {
                let points = points.iter().copied();
                let path = DashedPathElement::new(points, dash as i32, gap as i32, style);
                self.0.draw(&path).map_err(failed)
            }
        }
    }

    /// A disc with a black edge, black or white inside.
    fn disc(&self, centre: Point, radius: i32, black: bool) -> anyhow::Result<()> {
        let inside = if black { BLACK } else { WHITE };
        let disc = Circle::new(centre, radius, inside.filled());
        self.0.draw(&disc).map_err(failed)?;
        let edge = Circle::new(centre, radius, BLACK.stroke_width(1));
        self.0.draw(&edge).map_err(failed)
    }

    fn text(&self, text: &str, at: Point, style: &TextStyle<'_>) -> anyhow::Result<()> {
        self.0
            .draw(&Text::new(text, at, style.clone()))
            .map_err(failed)
    }

    fn finish(&self) -> anyhow::Result<()> {
        self.0.present().map_err(failed)
    }
}

/// The library's errors need not live as long as an [`anyhow::Error`].
fn failed(error: impl Display) -> anyhow::Error {
    anyhow!("cannot draw the picture: {error}")
}
