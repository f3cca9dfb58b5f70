//! Charts of curves, drawn as SVG, PNG or PDF.

mod axis;
mod canvas;
mod draw;
mod pdf;
mod pixels;
mod room;
mod stroke;

use std::path::Path;

use anyhow::Context;
use dealerless_command_line::whole_file;
use plotters::prelude::{IntoDrawingArea, SVGBackend};

pub use self::axis::Axis;
pub use self::stroke::{BLACK, Stroke};
pub(crate) use self::stroke::{BLUE, GREEN, GREY, ORANGE, PURPLE, RED, SKY_BLUE, VERMILION};

/// The maximum number of points of a curve that has discs.
pub(crate) const FEW: usize = 20;

/// A curve, or a single point.
pub struct Curve {
    /// Name, written at the end of a curve or near a single point; may be empty.
    pub name: String,
    /// Points in the units of the axes, from left to right.
    pub points: Vec<(f64, f64)>,
    /// Stroke of the line.
    pub stroke: Stroke,
    /// Whether each point has a disc.
    pub discs: bool,
    /// Vertical lines with caps: an x, and the lower and the upper y.
    pub whiskers: Vec<(f64, [f64; 2])>,
}

/// A point with a number that the key below the chart explains.
pub struct Mark {
    /// The point in the units of the axes.
    pub at: (f64, f64),
    /// Whether the disc and the number are emphasised.
    pub bold: bool,
    /// Explanation in the key.
    pub text: String,
}

/// Curves over two axes.
pub struct Chart {
    /// Title of the chart; may be empty.
    pub title: String,
    /// Pixels to the left of the vertical axis.
    pub left: i32,
    /// Width and height of the plot area, in pixels.
    pub size: (i32, i32),
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// Curves and single points.
    pub curves: Vec<Curve>,
    /// Marks in the order of the key.
    pub marks: Vec<Mark>,
}

/// Charts below a title of two lines.
pub struct Picture {
    /// First line, in bold.
    pub title: String,
    /// Second line.
    pub subtitle: String,
    /// Rows of charts, from top to bottom.
    pub rows: Vec<Vec<Chart>>,
}

impl Picture {
    /// The file name extensions of the formats in which a picture can be drawn.
    pub const ENDINGS: [&str; 3] = ["svg", "png", "pdf"];

    /// Draws the picture in the format that the name of its file implies. Without one of the
    /// [`Picture::ENDINGS`], it is SVG.
    ///
    /// # Errors
    /// If the picture is too large, or `plotters` cannot draw it.
    pub fn file(&self, path: Option<&Path>) -> anyhow::Result<Vec<u8>> {
        match path.and_then(whole_file::ending).as_deref() {
            Some("png") => self.png(),
            Some("pdf") => self.pdf(),
            _ => self.svg(),
        }
    }

    fn svg(&self) -> anyhow::Result<Vec<u8>> {
        let mut svg = String::new();
        self.draw(&SVGBackend::with_string(&mut svg, self.size()).into_drawing_area())?;
        Ok(svg.into_bytes())
    }

    fn png(&self) -> anyhow::Result<Vec<u8>> {
        let mut pixels = pixels::blank(self.size()).context("the picture is too large")?;
        self.draw_on(&mut pixels)?;
        Ok(pixels.encode_png()?)
    }

    fn pdf(&self) -> anyhow::Result<Vec<u8>> {
        let mut page = pdf::Page::blank(self.size());
        self.draw_on(&mut page)?;
        Ok(page.file()?)
    }

    fn draw_on(&self, surface: &mut impl canvas::Surface) -> anyhow::Result<()> {
        let size = self.size();
        self.draw(&canvas::Canvas { surface, size }.into_drawing_area())
    }
}
