//! How the curves look.

use plotters::style::{BLACK, RGBColor};

use super::curve::Curve;
use crate::plot::ink::{BLUE, GREEN, ORANGE, PURPLE, SKY_BLUE, SOLID, Stroke, VERMILION};

/// How each algorithm looks: a colour, and for print a dash.
const SHUFFLES: [Stroke; 7] = [
    (BLUE, SOLID, 0),
    (SKY_BLUE, 9, 4),
    (VERMILION, 5, 4),
    (BLACK, 2, 4),
    (PURPLE, SOLID, 0),
    (ORANGE, 12, 4),
    (GREEN, SOLID, 0),
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
