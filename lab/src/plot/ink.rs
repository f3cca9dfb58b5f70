//! How the lines, letters and axes of all pictures look.

use plotters::coord::Shift;
use plotters::coord::ranged1d::Ranged;
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// A colour, and the pixels of a dash and of the gap after it.
pub type Stroke = (RGBColor, u32, u32);

/// The dash of a solid line: longer than any.
pub const SOLID: u32 = 100_000;

// The colours of Okabe and Ito, which the colour-blind tell apart too. The eighth is black.
/// Colour.
pub const BLUE: RGBColor = RGBColor(0, 114, 178);
/// Colour.
pub const SKY_BLUE: RGBColor = RGBColor(86, 180, 233);
/// Colour.
pub const GREEN: RGBColor = RGBColor(0, 158, 115);
/// Colour.
pub const ORANGE: RGBColor = RGBColor(230, 159, 0);
/// Colour.
pub const VERMILION: RGBColor = RGBColor(213, 94, 0);
/// Colour.
pub const PURPLE: RGBColor = RGBColor(204, 121, 167);

/// How the lines of a list look: the colours in turn, and for more lines other dashes.
pub fn stroke(number: usize) -> Stroke {
    const COLOURS: [RGBColor; 7] = [BLUE, VERMILION, GREEN, PURPLE, SKY_BLUE, ORANGE, BLACK];
    const DASHES: [(u32, u32); 3] = [(SOLID, 0), (7, 4), (2, 4)];
    let (dash, gap) = DASHES[number / COLOURS.len() % DASHES.len()];
    (COLOURS[number % COLOURS.len()], dash, gap)
}

/// A line with no more points than these has a disc at each.
pub const FEW: usize = 20;

/// Pixels from the end of a line to its name.
pub const TO_NAME: i32 = 56;

/// Pixels from a name to the next.
const NAME_LINE: i32 = 20;

/// The library divides the sizes of fonts by this number.
pub const FONT_UNITS: f64 = 1.24;

/// Font.
pub fn font(pixels: i32, bold: bool, side: HPos) -> TextStyle<'static> {
    let style = if bold {
        FontStyle::Bold
    } else {
        FontStyle::Normal
    };
    let font = FontDesc::new(FontFamily::SansSerif, f64::from(pixels) * FONT_UNITS, style);
    TextStyle::from(font).pos(Pos::new(side, VPos::Center))
}

/// Draws a line, with a disc at each of its points if it is `marked`.
pub fn draw_line<B: DrawingBackend, X: Ranged<ValueType = f64>, Y: Ranged<ValueType = f64>>(
    chart: &mut ChartContext<'_, B, Cartesian2d<X, Y>>,
    points: &[(f64, f64)],
    (colour, dash, gap): Stroke,
    marked: bool,
) -> anyhow::Result<()>
where
    B::ErrorType: 'static,
{
    let (points, style) = (points.iter().copied(), colour.stroke_width(2));
    chart.draw_series(DashedLineSeries::new(points.clone(), dash, gap, style))?;
    if marked {
        chart.draw_series(points.map(|at| Circle::new(at, 3, colour.filled())))?;
    }
    Ok(())
}

/// The names of the lines, in a column beside the chart. They are written from the highest line to
/// the lowest, and all are above the bottom of the picture.
pub struct Names {
    /// Where the next one may stand at the highest.
    free: i32,
    bottom: i32,
    /// How many are still to be written.
    left: usize,
}

impl Names {
    /// So many names, in a picture that ends at this pixel.
    pub fn new(count: usize, bottom: i32) -> Self {
        Names {
            free: 0,
            bottom,
            left: count,
        }
    }

    /// Writes the name of a line next to its end, with a piece of it.
    pub fn write<B: DrawingBackend>(
        &mut self,
        area: &DrawingArea<B, Shift>,
        (x, y): (i32, i32),
        name: &str,
        (colour, dash, gap): Stroke,
    ) -> anyhow::Result<()>
    where
        B::ErrorType: 'static,
    {
        let lowest = self.bottom - NAME_LINE * self.left as i32;
        let level = y.min(lowest).max(self.free);
        self.free = level + NAME_LINE;
        self.left -= 1;
        let at = |right: i32| (x + right, level);
        let style = colour.stroke_width(2);
        area.draw(&PathElement::new([(x, y), at(14)], colour))?;
        area.draw(&DashedPathElement::new([at(14), at(48)], dash, gap, style))?;
        area.draw_text(name, &font(14, false, HPos::Left), at(TO_NAME))?;
        Ok(())
    }
}

/// The numbers 1, 2 and 5 times a power of ten that are written on a logarithmic axis: from the last
/// that is not above `least` to the first, a higher one, that is not below `most`.
pub fn ticks(least: f64, most: f64) -> Vec<f64> {
    let all = (-4..16).flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * 10f64.powi(power)));
    let all: Vec<f64> = all.collect();
    let first = all.partition_point(|&tick| tick <= least).max(1) - 1;
    let last = all.partition_point(|&tick| tick < most).max(first + 1);
    all[first..=last.min(all.len() - 1)].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_between_round_numbers() {
        assert_eq!(ticks(13.0, 480.0), [10.0, 20.0, 50.0, 100.0, 200.0, 500.0]);
        assert_eq!(ticks(10.0, 500.0), [10.0, 20.0, 50.0, 100.0, 200.0, 500.0]);
        assert_eq!(ticks(1.0, 1.0), [1.0, 2.0]);
        assert_eq!(ticks(7.0, 7.0), [5.0, 10.0]);
        assert_eq!(ticks(5.0, 5.0), [5.0, 10.0]);
        assert_eq!(ticks(0.3, 4.0), [0.2, 0.5, 1.0, 2.0, 5.0]);
    }
}
