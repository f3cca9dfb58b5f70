//! Colours and dashes of curves.

pub use plotters::style::BLACK;
use plotters::style::RGBColor;

// The palette of Okabe and Ito, which colour-blind people can distinguish. Its eighth colour is
// black.
pub(crate) const BLUE: RGBColor = RGBColor(0, 114, 178);
pub(crate) const SKY_BLUE: RGBColor = RGBColor(86, 180, 233);
pub(crate) const GREEN: RGBColor = RGBColor(0, 158, 115);
pub(crate) const ORANGE: RGBColor = RGBColor(230, 159, 0);
pub(crate) const VERMILION: RGBColor = RGBColor(213, 94, 0);
pub(crate) const PURPLE: RGBColor = RGBColor(204, 121, 167);
pub(crate) const GREY: RGBColor = RGBColor(130, 130, 130);
pub(crate) const RED: RGBColor = RGBColor(160, 0, 40);

/// The colour, dashes and width of a line.
#[derive(Clone, Copy)]
pub struct Stroke {
    pub(super) colour: RGBColor,
    /// Length of a dash, in pixels.
    pub(super) dash: u32,
    /// Length of the gap between two dashes, in pixels.
    pub(super) gap: u32,
    /// Width of the line, in pixels.
    pub(super) width: u32,
}

impl Stroke {
    /// The stroke of a solid line.
    pub(crate) const fn solid(colour: RGBColor) -> Self {
        // A dash longer than any line.
        Stroke::dashed(colour, 100_000, 0)
    }

    /// The stroke of a dashed line, with dashes and gaps of the given lengths in pixels.
    pub const fn dashed(colour: RGBColor, dash: u32, gap: u32) -> Self {
        Stroke {
            colour,
            dash,
            gap,
            width: 2,
        }
    }

    /// Returns the stroke with the given width, in pixels.
    pub const fn wide(self, width: u32) -> Self {
        Stroke { width, ..self }
    }

    /// The stroke of the curve with the given number in a list: the colours in turn, then the same
    /// colours dashed.
    pub fn numbered(number: usize) -> Self {
        const COLOURS: [RGBColor; 7] = [BLUE, VERMILION, GREEN, PURPLE, SKY_BLUE, ORANGE, BLACK];
        let colour = COLOURS[number % COLOURS.len()];
        match number / COLOURS.len() % 3 {
            0 => Stroke::solid(colour),
            1 => Stroke::dashed(colour, 7, 4),
            _ => Stroke::dashed(colour, 2, 4),
        }
    }
}
