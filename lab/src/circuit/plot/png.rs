//! Drawing with pixels: what `plotters` asks for, done by `tiny-skia`, with letters of a font that the
//! program brings.

use std::convert::Infallible;

use plotters::prelude::*;
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingErrorKind, FontTransform,
};
use tiny_skia::{FillRule, Paint, Path, PathBuilder, Pixmap, Stroke, Transform};
use ttf_parser::{Face, OutlineBuilder};

use crate::plot::ink::FONT_UNITS;

const REGULAR: &[u8] = include_bytes!("../../../fonts/DejaVuSans.ttf");
const BOLD: &[u8] = include_bytes!("../../../fonts/DejaVuSans-Bold.ttf");

/// Pixels for one of the picture, so that it can be printed.
const SCALE: f32 = 2.0;

/// A picture of pixels.
pub(super) struct Canvas<'a> {
    pixels: &'a mut Pixmap,
}

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

/// Pixels for a picture of this size.
pub(super) fn pixels((width, height): (u32, u32)) -> Option<Pixmap> {
    let scaled = |length: u32| (length as f32 * SCALE) as u32;
    Pixmap::new(scaled(width), scaled(height))
}

impl<'a> Canvas<'a> {
    /// Draws on these pixels.
    pub(super) fn on(pixels: &'a mut Pixmap) -> Self {
        Canvas { pixels }
    }

    fn fill(&mut self, path: Option<&Path>, colour: BackendColor, transform: Transform) {
        if let Some(path) = path {
            let rule = FillRule::Winding;
            (self.pixels).fill_path(path, &paint(colour), rule, transform, None);
        }
    }

    fn stroke(&mut self, path: Option<Path>, style: &impl BackendStyle) {
        let stroke = Stroke {
            width: style.stroke_width() as f32,
            ..Stroke::default()
        };
        if let Some(path) = path {
            let paint = paint(style.color());
            (self.pixels).stroke_path(&path, &paint, &stroke, scaled(), None);
        }
    }

    fn shape(&mut self, path: Option<Path>, style: &impl BackendStyle, fill: bool) {
        match fill {
            true => self.fill(path.as_ref(), style.color(), scaled()),
            false => self.stroke(path, style),
        }
    }
}

fn scaled() -> Transform {
    Transform::from_scale(SCALE, SCALE)
}

fn paint(colour: BackendColor) -> Paint<'static> {
    let (red, green, blue) = colour.rgb;
    let mut paint = Paint::default();
    let alpha = (colour.alpha.clamp(0.0, 1.0) * 255.0).round() as u8;
    paint.set_color_rgba8(red, green, blue, alpha);
    paint
}

/// The middle of a pixel.
fn middle((x, y): BackendCoord) -> (f32, f32) {
    (x as f32 + 0.5, y as f32 + 0.5)
}

fn through(points: impl IntoIterator<Item = BackendCoord>, closed: bool) -> Option<Path> {
    let mut path = PathBuilder::new();
    for point in points {
        let (x, y) = middle(point);
        match path.is_empty() {
            true => path.move_to(x, y),
            false => path.line_to(x, y),
        }
    }
    if closed {
        path.close();
    }
    path.finish()
}

impl DrawingBackend for Canvas<'_> {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        let length = |pixels: u32| (pixels as f32 / SCALE) as u32;
        (length(self.pixels.width()), length(self.pixels.height()))
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, point: BackendCoord, color: BackendColor) -> Drawn {
        self.draw_rect(point, point, &color, true)
    }

    fn draw_line<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &S,
    ) -> Drawn {
        self.draw_path([from, to], style)
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        (left, top): BackendCoord,
        (right, bottom): BackendCoord,
        style: &S,
        fill: bool,
    ) -> Drawn {
        // A filled one takes its last pixels too.
        let more = i32::from(fill);
        let corners = [
            (left, top),
            (right + more, top),
            (right + more, bottom + more),
            (left, bottom + more),
        ];
        match fill {
            true => {
                let edges = Transform::from_translate(-0.5, -0.5).post_concat(scaled());
                self.fill(through(corners, true).as_ref(), style.color(), edges);
            }
            false => self.stroke(through(corners, true), style),
        }
        Ok(())
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn {
        self.stroke(through(path, false), style);
        Ok(())
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        center: BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> Drawn {
        let (x, y) = middle(center);
        self.shape(PathBuilder::from_circle(x, y, radius as f32), style, fill);
        Ok(())
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        vert: I,
        style: &S,
    ) -> Drawn {
        self.shape(through(vert, true), style, true);
        Ok(())
    }

    fn draw_text<T: BackendTextStyle>(&mut self, text: &str, style: &T, at: BackendCoord) -> Drawn {
        let letters = Letters::of(text, style);
        let across = match style.anchor().h_pos {
            HPos::Left => 0.0,
            HPos::Center => -letters.width / 2.0,
            HPos::Right => -letters.width,
        };
        let down = match style.anchor().v_pos {
            VPos::Top => letters.height,
            VPos::Center => letters.height / 2.0,
            VPos::Bottom => 0.0,
        };
        let turn = match style.transform() {
            FontTransform::None => 0.0,
            FontTransform::Rotate90 => 90.0,
            FontTransform::Rotate180 => 180.0,
            FontTransform::Rotate270 => 270.0,
        };
        let (x, y) = middle(at);
        let place = Transform::from_translate(across, down)
            .post_rotate(turn)
            .post_translate(x, y)
            .post_concat(scaled());
        self.fill(letters.path.as_ref(), style.color(), place);
        Ok(())
    }

    fn estimate_text_size<T: BackendTextStyle>(
        &self,
        text: &str,
        style: &T,
    ) -> Result<(u32, u32), DrawingErrorKind<Infallible>> {
        let letters = Letters::of(text, style);
        Ok((letters.width.ceil() as u32, letters.height.ceil() as u32))
    }
}

/// The outlines of a text whose first letter begins at the origin, and whose base line goes through it.
struct Letters {
    path: Option<Path>,
    width: f32,
    /// Of a digit.
    height: f32,
}

impl Letters {
    fn of(text: &str, style: &impl BackendTextStyle) -> Self {
        let font = match style.style() {
            FontStyle::Bold => BOLD,
            _ => REGULAR,
        };
        let face = Face::parse(font, 0).expect("the font of this program");
        let size = (style.size() / FONT_UNITS) as f32 / f32::from(face.units_per_em());
        let mut outline = Outline {
            path: PathBuilder::new(),
            size,
            x: 0.0,
        };
        for letter in text.chars() {
            // The first glyph of a font stands for what it has not.
            let glyph = face.glyph_index(letter).unwrap_or_default();
            let _ = face.outline_glyph(glyph, &mut outline);
            outline.x += size * f32::from(face.glyph_hor_advance(glyph).unwrap_or_default());
        }
        Letters {
            width: outline.x,
            height: size * f32::from(face.capital_height().unwrap_or(face.ascender())),
            path: outline.path.finish(),
        }
    }
}

/// Puts the outline of a glyph, whose vertical axis points upwards, at its place.
struct Outline {
    path: PathBuilder,
    size: f32,
    x: f32,
}

impl Outline {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        (self.x + self.size * x, -self.size * y)
    }
}

impl OutlineBuilder for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.at(x1, y1), self.at(x, y));
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}
