//! Charts of curves, drawn as SVG or PNG.

mod axis;
mod draw;
mod pixels;
mod room;
mod stroke;

use anyhow::Context;
use plotters::prelude::{IntoDrawingArea, SVGBackend};

pub use self::axis::Axis;
pub use self::stroke::{BLACK, Stroke};
pub(crate) use self::stroke::{BLUE, GREEN, GREY, ORANGE, PURPLE, RED, SKY_BLUE, VERMILION};

/// Number of points above which a curve has no discs.
pub(crate) const FEW: usize = 20;

/// A curve, or a single point.
pub struct Curve {
    /// Name, written beside the end of a curve or near a single point; empty for none.
    pub name: String,
    /// Points in the units of the axes, from left to right.
    pub points: Vec<(f64, f64)>,
    /// Look of the line.
    pub stroke: Stroke,
    /// Whether each point has a disc.
    pub discs: bool,
}

/// A point with a number, which the key below the chart explains.
pub struct Mark {
    /// The point in the units of the axes.
    pub at: (f64, f64),
    /// Whether disc and number stand out.
    pub bold: bool,
    /// Explanation in the key.
    pub text: String,
}

/// Curves over two axes.
pub struct Chart {
    /// Title of this chart; empty for none.
    pub title: String,
    /// Pixels left of the vertical axis.
    pub left: i32,
    /// Pixels between the axes, across and down.
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

/// Charts below two lines of title.
pub struct Picture {
    /// First line, in bold.
    pub title: String,
    /// Second line.
    pub subtitle: String,
    /// Rows of charts, from the top.
    pub rows: Vec<Vec<Chart>>,
}

impl Picture {
    /// Returns the picture as SVG.
    ///
    /// # Errors
    /// If `plotters` cannot draw it.
    pub fn svg(&self) -> anyhow::Result<String> {
        let mut svg = String::new();
        self.draw(&SVGBackend::with_string(&mut svg, self.size()).into_drawing_area())?;
        Ok(svg)
    }

    /// Returns the picture as PNG.
    ///
    /// # Errors
    /// If the picture is too large.
    pub(crate) fn png(&self) -> anyhow::Result<Vec<u8>> {
        let mut pixels = pixels::blank(self.size()).context("the picture is too large")?;
        self.draw(&pixels::Canvas(&mut pixels).into_drawing_area())?;
        Ok(pixels.encode_png()?)
    }
}
