//! PNG, drawn by `tiny-skia`.

use tiny_skia::{FillRule, Paint, Path, Pixmap, Stroke, Transform};

use super::canvas::{Ink, Surface};

/// Pixels in the file per pixel of the picture, for print quality.
const SCALE: f32 = 2.0;

/// A transparent pixmap for a picture of the given size; `None` if it is too large.
pub(super) fn blank((width, height): (u32, u32)) -> Option<Pixmap> {
    let scaled = |length: u32| (length as f32 * SCALE) as u32;
    Pixmap::new(scaled(width), scaled(height))
}

impl Surface for Pixmap {
    fn draw(&mut self, path: &Path, place: Transform, ink: Ink) {
        let Ink { rgb, alpha, stroke } = ink;
        let place = place.post_scale(SCALE, SCALE);
        let mut paint = Paint::default();
        paint.set_color_rgba8(rgb.0, rgb.1, rgb.2, alpha);
        match stroke {
            None => self.fill_path(path, &paint, FillRule::Winding, place, None),
            Some(width) => {
                let stroke = Stroke {
                    width,
                    ..Stroke::default()
                };
                self.stroke_path(path, &paint, &stroke, place, None);
            }
        }
    }
}
