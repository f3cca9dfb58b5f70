//! PDF with one page. The file contains the fonts of its texts, so that they can be searched.

mod fonts;

use std::collections::BTreeSet;
use std::io::{self, Write};

use flate2::Compression;
use flate2::write::ZlibEncoder;
use pdf_writer::writers::ExtGraphicsState;
use pdf_writer::{Content, Filter, Finish, Name, Pdf, Rect, Ref, Str};
use tiny_skia::{Path, PathSegment, Point, Transform};

use super::canvas::{Font, Ink, Surface, Text};

/// Points of PDF, of which an inch has 72, per pixel of the picture, of which an inch has 96.
const SCALE: f32 = 0.75;

const CATALOG: Ref = Ref::new(1);
const PAGES: Ref = Ref::new(2);
const PAGE: Ref = Ref::new(3);
const CONTENT: Ref = Ref::new(4);

/// The page of a picture.
pub(super) struct Page {
    /// The width and height, in points.
    size: (f32, f32),
    content: Content,
    /// The opacities that are drawn with, from 0 to 255.
    alphas: BTreeSet<u8>,
    fonts: BTreeSet<Font>,
}

impl Page {
    /// An empty page for a picture of the given width and height, in pixels.
    pub(super) fn blank((width, height): (u32, u32)) -> Self {
        Page {
            size: (width as f32 * SCALE, height as f32 * SCALE),
            content: Content::new(),
            alphas: BTreeSet::new(),
            fonts: BTreeSet::new(),
        }
    }

    /// Returns the file. The same drawing gives the same bytes: the file has no date.
    ///
    /// # Errors
    /// Those of the compression.
    pub(super) fn file(self) -> io::Result<Vec<u8>> {
        let mut pdf = Pdf::new();
        pdf.catalog(CATALOG).pages(PAGES);
        pdf.pages(PAGES).kids([PAGE]).count(1);
        let mut page = pdf.page(PAGE);
        page.parent(PAGES)
            .media_box(Rect::new(0.0, 0.0, self.size.0, self.size.1))
            .contents(CONTENT);
        let mut resources = page.resources();
        let mut states = resources.ext_g_states();
        for &alpha in &self.alphas {
            let name = state(alpha);
            let mut state = states.insert(Name(&name)).start::<ExtGraphicsState<'_>>();
            let alpha = f32::from(alpha) / 255.0;
            state.stroking_alpha(alpha).non_stroking_alpha(alpha);
        }
        states.finish();
        let mut fonts = resources.fonts();
        for font in &self.fonts {
            fonts.pair(font.name(), font.reference());
        }
        fonts.finish();
        resources.finish();
        page.finish();
        for font in &self.fonts {
            font.embed(&mut pdf)?;
        }
        pdf.stream(CONTENT, &packed(&self.content.finish())?)
            .filter(Filter::FlateDecode);
        Ok(pdf.finish())
    }

    /// Maps the pixels of the picture to the points of the page, whose vertical axis points upwards.
    fn in_points(&self, place: Transform) -> Transform {
        place
            .post_scale(SCALE, -SCALE)
            .post_translate(0.0, self.size.1)
    }

    /// Chooses the opacity.
    fn set_alpha(&mut self, alpha: u8) {
        self.alphas.insert(alpha);
        self.content.set_parameters(Name(&state(alpha)));
    }

    /// Adds a path, whose points are in the space of the page, to a hundredth of a point.
    fn add(&mut self, path: &Path) {
        let content = &mut self.content;
        let mut from = Point::zero();
        for segment in path.segments() {
            match segment {
                PathSegment::MoveTo(to) => {
                    content.move_to(round(to.x), round(to.y));
                    from = to;
                }
                PathSegment::LineTo(to) => {
                    content.line_to(round(to.x), round(to.y));
                    from = to;
                }
                // PDF has only cubic curves. The control points of the same curve are two thirds of
                // the way from its ends to the control point of the quadratic curve.
                PathSegment::QuadTo(by, to) => {
                    let near = |end: f32, by: f32| round(end + (by - end) * (2.0 / 3.0));
                    let (x1, y1) = (near(from.x, by.x), near(from.y, by.y));
                    let (x2, y2) = (near(to.x, by.x), near(to.y, by.y));
                    content.cubic_to(x1, y1, x2, y2, round(to.x), round(to.y));
                    from = to;
                }
                PathSegment::CubicTo(one, two, to) => {
                    let [x1, y1, x2, y2, x, y] =
                        [one.x, one.y, two.x, two.y, to.x, to.y].map(round);
                    content.cubic_to(x1, y1, x2, y2, x, y);
                    from = to;
                }
                PathSegment::Close => {
                    content.close_path();
                }
            }
        }
    }
}

fn packed(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
    packed.write_all(bytes)?;
    packed.finish()
}

/// Rounds to a hundredth of a point.
fn round(length: f32) -> f32 {
    (length * 100.0).round() / 100.0
}

/// The red, green and blue of a colour, from 0 to 1.
fn parts((red, green, blue): (u8, u8, u8)) -> [f32; 3] {
    [red, green, blue].map(|part| f32::from(part) / 255.0)
}

/// The name of the graphics state with an opacity.
fn state(alpha: u8) -> Vec<u8> {
    format!("a{alpha}").into_bytes()
}

impl Surface for Page {
    fn draw(&mut self, path: &Path, place: Transform, ink: Ink) {
        let Ink { rgb, alpha, stroke } = ink;
        let Some(path) = path.clone().transform(self.in_points(place)) else {
            return;
        };
        self.set_alpha(alpha);
        let [r, g, b] = parts(rgb);
        match stroke {
            None => {
                self.content.set_fill_rgb(r, g, b);
                self.add(&path);
                self.content.fill_nonzero();
            }
            Some(width) => {
                self.content.set_stroke_rgb(r, g, b);
                self.content.set_line_width(width * SCALE);
                self.add(&path);
                self.content.stroke();
            }
        }
    }

    fn write(&mut self, text: Text<'_>, place: Transform, ink: Ink) {
        self.fonts.insert(text.font);
        self.set_alpha(ink.alpha);
        let [r, g, b] = parts(ink.rgb);
        let units = f32::from(text.font.metrics().units_per_em);
        // The font has its size, so the matrix only turns and moves the text.
        let unit = text.scale * SCALE;
        let place = self.in_points(place);
        let [sx, ky, kx, sy] =
            [place.sx, place.ky, place.kx, place.sy].map(|part| round(part / unit));
        let codes: Vec<u8> = text.text.chars().map(fonts::code).collect();
        self.content
            .set_fill_rgb(r, g, b)
            .begin_text()
            .set_font(text.font.name(), round(unit * units))
            .set_text_matrix([sx, ky, kx, sy, round(place.tx), round(place.ty)])
            .show(Str(&codes))
            .end_text();
    }
}

#[cfg(test)]
mod tests {
    use plotters::prelude::*;
    use tiny_skia::PathBuilder;

    use super::super::canvas::{Canvas, FONT_UNITS};
    use super::*;

    #[test]
    fn paths_are_in_points_from_the_lower_left_corner() {
        let mut page = Page::blank((80, 40));
        let mut path = PathBuilder::new();
        path.move_to(0.0, 0.0);
        path.quad_to(40.0, 0.0, 40.0, 40.0);
        path.close();
        let path = path.finish().unwrap();
        let ink = |stroke| Ink {
            rgb: (255, 0, 51),
            alpha: 51,
            stroke,
        };
        page.draw(&path, Transform::identity(), ink(None));
        page.draw(&path, Transform::from_translate(8.0, 0.0), ink(Some(2.0)));
        assert_eq!(
            String::from_utf8_lossy(page.content.as_bytes()),
            "/a51 gs\n1 0 0.2 rg\n\
             0 30 m\n20 30 30 20 30 0 c\nh\nf\n\
             /a51 gs\n1 0 0.2 RG\n1.5 w\n\
             6 30 m\n26 30 36 20 36 0 c\nh\nS"
        );
        let file = page.file().unwrap();
        let text = String::from_utf8_lossy(&file);
        for part in ["/MediaBox [0 0 60 30]", "/a51", "/CA 0.2", "/ca 0.2"] {
            assert!(text.contains(part), "{part}");
        }
    }

    #[test]
    fn texts_are_text_in_an_embedded_font() {
        let mut page = Page::blank((80, 40));
        let mut write = |text, style, turn| {
            let font = FontDesc::new(FontFamily::SansSerif, 16.0 * FONT_UNITS, style);
            let style = TextStyle::from(font).transform(turn);
            let mut canvas = Canvas {
                surface: &mut page,
                size: (80, 40),
            };
            canvas.draw_text(text, &style, (8, 20)).unwrap();
        };
        write("a(b", FontStyle::Normal, FontTransform::None);
        write("é…", FontStyle::Bold, FontTransform::Rotate270);
        let content = page.content.as_bytes().to_vec();
        let texts = content.split(|byte| *byte == b'\n').filter(|line| {
            let ends = |end: &[u8]| line.ends_with(end);
            ends(b"Tf") || ends(b"Tj") || ends(b"Tm")
        });
        let texts: Vec<&[u8]> = texts.collect();
        // The text is below its position, by the ascender of the font: 0.928 of the size.
        assert_eq!(
            texts,
            [
                &b"/regular 12 Tf"[..],
                b"1 0 0 1 6.38 3.49 Tm",
                b"(a\\(b) Tj",
                b"/bold 12 Tf",
                b"0 1 -1 0 17.51 14.63 Tm",
                b"<3F85> Tj",
            ],
            "{}",
            String::from_utf8_lossy(&content)
        );
        let file = page.file().unwrap();
        let file = String::from_utf8_lossy(&file);
        for font in ["/LETTER+DejaVuSans\n", "/LETTER+DejaVuSans-Bold\n"] {
            assert!(file.contains(&format!("/BaseFont {font}")), "{font}");
        }
        assert_eq!(file.matches("/FontFile2").count(), 2);
    }
}
