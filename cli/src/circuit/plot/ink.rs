//! How lines and letters look.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::curve::Curve;

/// A colour, and the pixels of a dash and of the gap after it.
pub(super) type Stroke = (RGBColor, u32, u32);

/// The dash of a solid line: longer than any.
const SOLID: u32 = 100_000;

/// How each algorithm looks: a colour of Okabe and Ito, which the colour-blind tell apart too, and
/// for print a dash.
const SHUFFLES: [Stroke; 7] = [
    (RGBColor(0, 114, 178), SOLID, 0),
    (RGBColor(86, 180, 233), 9, 4),
    (RGBColor(213, 94, 0), 5, 4),
    (BLACK, 2, 4),
    (RGBColor(204, 121, 167), SOLID, 0),
    (RGBColor(230, 159, 0), 12, 4),
    (RGBColor(0, 158, 115), SOLID, 0),
];

const GREY: RGBColor = RGBColor(130, 130, 130);

/// How the circuits look that are only compared with.
const COMPARISONS: [Stroke; 3] = [(GREY, 12, 4), (GREY, 6, 4), (GREY, 2, 3)];

/// How a netlist of others looks.
pub(super) const GUEST: Stroke = (RGBColor(160, 0, 40), 3, 3);

/// How a curve looks.
pub(super) fn stroke(curve: Curve) -> Stroke {
    match curve {
        Curve::Shuffle(algorithm) => SHUFFLES[algorithm as usize % SHUFFLES.len()],
        Curve::Comparison(place) => COMPARISONS[place % COMPARISONS.len()],
    }
}

pub(super) fn font(pixels: i32, bold: bool, side: HPos) -> TextStyle<'static> {
    let style = if bold {
        FontStyle::Bold
    } else {
        FontStyle::Normal
    };
    let font = FontDesc::new(FontFamily::SansSerif, f64::from(pixels) * FONT_UNITS, style);
    TextStyle::from(font).pos(Pos::new(side, VPos::Center))
}

/// The library divides the sizes of fonts by this number.
pub(super) const FONT_UNITS: f64 = 1.24;
