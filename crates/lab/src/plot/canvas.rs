//! A `plotters` backend that turns a picture into paths and texts in the fonts of this crate.

use std::convert::Infallible;

use plotters::prelude::*;
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingErrorKind, FontTransform,
};
use skrifa::instance::{LocationRef, Size};
use skrifa::metrics::Metrics;
use skrifa::outline::{DrawSettings, OutlinePen};
use skrifa::{FontRef, GlyphId, MetadataProvider};
use tiny_skia::{Path, PathBuilder, Rect, Transform};

/// The number by which `plotters` divides the sizes of fonts.
pub(super) const FONT_UNITS: f64 = 1.24;

/// A font of this crate: letters, digits and signs of DejaVu Sans.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Font {
    Regular,
    Bold,
}

impl Font {
    /// The TrueType file.
    pub(super) fn file(self) -> &'static [u8] {
        match self {
            Font::Regular => include_bytes!("../../fonts/DejaVuSans.ttf"),
            Font::Bold => include_bytes!("../../fonts/DejaVuSans-Bold.ttf"),
        }
    }

    fn read(self) -> FontRef<'static> {
        FontRef::new(self.file()).expect("the font of this crate is valid")
    }

    /// The glyph of a letter. `None` if the font does not have the letter.
    pub(super) fn glyph(self, letter: char) -> Option<GlyphId> {
        self.read().charmap().map(letter)
    }

    /// The distance from a glyph to the next one, in font units.
    pub(super) fn advance(self, glyph: GlyphId) -> f32 {
        let font = self.read();
        let metrics = font.glyph_metrics(Size::unscaled(), LocationRef::default());
        metrics.advance_width(glyph).unwrap_or_default()
    }

    /// The lengths in font units.
    pub(super) fn metrics(self) -> Metrics {
        self.read()
            .metrics(Size::unscaled(), LocationRef::default())
    }
}

/// What paths and texts are drawn on.
pub(super) trait Surface {
    /// Draws a path. `place` maps it to the pixels of the picture, whose vertical axis points
    /// downwards.
    fn draw(&mut self, path: &Path, place: Transform, ink: Ink);

    /// Writes a text. `place` maps font units, whose vertical axis points upwards, to the pixels of
    /// the picture.
    fn write(&mut self, text: Text<'_>, place: Transform, ink: Ink) {
        if let Some(path) = text.outlines() {
            self.draw(&path, place, ink);
        }
    }
}

/// How a path or a text is drawn.
pub(super) struct Ink {
    pub(super) rgb: (u8, u8, u8),
    /// The opacity, from 0 to 255.
    pub(super) alpha: u8,
    /// The width of the stroke, in pixels of the picture; `None` if the path is filled, by the
    /// nonzero rule.
    pub(super) stroke: Option<f32>,
}

/// A backend that draws on a surface.
pub(super) struct Canvas<'a, S> {
    pub(super) surface: &'a mut S,
    /// The width and height of the picture, in pixels.
    pub(super) size: (u32, u32),
}

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

/// The translation from the corner of a pixel to its centre.
fn middle() -> Transform {
    Transform::from_translate(0.5, 0.5)
}

impl<S: Surface> Canvas<'_, S> {
    /// Fills or strokes a path.
    fn draw(
        &mut self,
        path: Option<Path>,
        style: &impl BackendStyle,
        fill: bool,
        place: Transform,
    ) -> Drawn {
        if let Some(path) = path {
            let stroke = (!fill).then(|| style.stroke_width() as f32);
            self.surface.draw(&path, place, ink(style.color(), stroke));
        }
        Ok(())
    }
}

fn ink(BackendColor { rgb, alpha }: BackendColor, stroke: Option<f32>) -> Ink {
    let alpha = (alpha.clamp(0.0, 1.0) * 255.0).round() as u8;
    Ink { rgb, alpha, stroke }
}

fn through(points: impl IntoIterator<Item = BackendCoord>, closed: bool) -> Option<Path> {
    let mut path = PathBuilder::new();
    for (x, y) in points {
        if path.is_empty() {
            path.move_to(x as f32, y as f32);
        } else {
            path.line_to(x as f32, y as f32);
        }
    }
    if closed {
        path.close();
    }
    path.finish()
}

impl<On: Surface> DrawingBackend for Canvas<'_, On> {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        self.size
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
        // A filled rectangle includes its last row and column of pixels.
        let (more, place) = if fill {
            (1, Transform::identity())
        } else {
            (0, middle())
        };
        let [right, bottom] = [right, bottom].map(|end| (end + more) as f32);
        let rect = Rect::from_ltrb(left as f32, top as f32, right, bottom);
        self.draw(rect.map(PathBuilder::from_rect), style, fill, place)
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn {
        self.draw(through(path, false), style, false, middle())
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        (x, y): BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> Drawn {
        let circle = PathBuilder::from_circle(x as f32, y as f32, radius as f32);
        self.draw(circle, style, fill, middle())
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        vert: I,
        style: &S,
    ) -> Drawn {
        self.draw(through(vert, true), style, true, middle())
    }

    fn draw_text<T: BackendTextStyle>(&mut self, text: &str, style: &T, at: BackendCoord) -> Drawn {
        let text = Text::of(text, style);
        let (width, height) = text.size();
        let right = match style.anchor().h_pos {
            HPos::Left => 0.0,
            HPos::Center => -width / 2.0,
            HPos::Right => -width,
        };
        let up = match style.anchor().v_pos {
            VPos::Top => -height,
            VPos::Center => -height / 2.0,
            VPos::Bottom => 0.0,
        };
        let turn = match style.transform() {
            FontTransform::None => 0.0,
            FontTransform::Rotate90 => 90.0,
            FontTransform::Rotate180 => 180.0,
            FontTransform::Rotate270 => 270.0,
        };
        let place = Transform::from_translate(right, up)
            .post_scale(text.scale, -text.scale)
            .post_rotate(turn)
            .post_translate(at.0 as f32, at.1 as f32)
            .post_concat(middle());
        self.surface.write(text, place, ink(style.color(), None));
        Ok(())
    }

    fn estimate_text_size<T: BackendTextStyle>(
        &self,
        text: &str,
        style: &T,
    ) -> Result<(u32, u32), DrawingErrorKind<Infallible>> {
        let text = Text::of(text, style);
        let (width, height) = text.size();
        let pixels = |length: f32| (text.scale * length).ceil() as u32;
        Ok((pixels(width), pixels(height)))
    }
}

/// A line of text. The first letter begins at the origin.
pub(super) struct Text<'a> {
    pub(super) text: &'a str,
    pub(super) font: Font,
    /// Pixels of the picture per font unit.
    pub(super) scale: f32,
}

impl<'a> Text<'a> {
    fn of(text: &'a str, style: &impl BackendTextStyle) -> Self {
        let font = match style.style() {
            FontStyle::Bold => Font::Bold,
            _ => Font::Regular,
        };
        let units = f32::from(font.metrics().units_per_em);
        Text {
            text,
            font,
            scale: (style.size() / FONT_UNITS) as f32 / units,
        }
    }

    /// The glyphs, each with its distance to the next. The first glyph of a font represents missing
    /// characters.
    fn glyphs(&self) -> impl Iterator<Item = (GlyphId, f32)> {
        self.text.chars().map(|letter| {
            let glyph = self.font.glyph(letter).unwrap_or_default();
            (glyph, self.font.advance(glyph))
        })
    }

    /// The width, and the height of a capital letter, in font units.
    fn size(&self) -> (f32, f32) {
        let width = self.glyphs().map(|(_, advance)| advance).sum();
        let metrics = self.font.metrics();
        (width, metrics.cap_height.unwrap_or(metrics.ascent))
    }

    /// The outlines in font units.
    fn outlines(&self) -> Option<Path> {
        let glyphs = self.font.read().outline_glyphs();
        let mut outlines = Outlines {
            path: PathBuilder::new(),
            from: 0.0,
        };
        for (glyph, advance) in self.glyphs() {
            let unhinted = DrawSettings::unhinted(Size::unscaled(), LocationRef::default());
            if let Some(glyph) = glyphs.get(glyph) {
                let drawn = glyph.draw(unhinted, &mut outlines);
                drawn.expect("the font of this crate is valid");
            }
            outlines.from += advance;
        }
        outlines.path.finish()
    }
}

struct Outlines {
    path: PathBuilder,
    /// Where the glyph begins.
    from: f32,
}

impl OutlinePen for Outlines {
    fn move_to(&mut self, x: f32, y: f32) {
        self.path.move_to(self.from + x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.path.line_to(self.from + x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        (self.path).quad_to(self.from + x1, y1, self.from + x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let [x1, x2, x] = [x1, x2, x].map(|x| self.from + x);
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}
