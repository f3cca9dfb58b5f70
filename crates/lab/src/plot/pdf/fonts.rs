//! The fonts of a PDF: TrueType, with one byte for each letter.

use std::io;

use pdf_writer::types::FontFlags;
use pdf_writer::{Filter, Name, Pdf, Rect, Ref};

use super::packed;
use crate::plot::canvas::Font;

/// The first and the last code that the fonts have.
const CODES: [u8; 2] = [b' ', ELLIPSIS];

/// The code of the ellipsis of a shortened name.
const ELLIPSIS: u8 = 0x85;

/// The code of a letter in `WinAnsiEncoding`. The fonts have printable ASCII and an ellipsis; any
/// other letter becomes a question mark.
pub(super) fn code(letter: char) -> u8 {
    match letter {
        ' '..='~' => letter as u8,
        '…' => ELLIPSIS,
        _ => b'?',
    }
}

/// The letter of a code of the fonts.
fn letter(code: u8) -> Option<char> {
    match code {
        b' '..=b'~' => Some(code.into()),
        ELLIPSIS => Some('…'),
        _ => None,
    }
}

impl Font {
    /// The name in the resources of the page.
    pub(super) fn name(self) -> Name<'static> {
        match self {
            Font::Regular => Name(b"regular"),
            Font::Bold => Name(b"bold"),
        }
    }

    /// The PostScript name. Six letters and a plus sign mark a part of a font.
    fn base_name(self) -> Name<'static> {
        match self {
            Font::Regular => Name(b"LETTER+DejaVuSans"),
            Font::Bold => Name(b"LETTER+DejaVuSans-Bold"),
        }
    }

    /// The references of the font, of its descriptor and of its file.
    fn references(self) -> [Ref; 3] {
        let first = match self {
            Font::Regular => 5,
            Font::Bold => 8,
        };
        [first, first + 1, first + 2].map(Ref::new)
    }

    /// The reference of the font.
    pub(super) fn reference(self) -> Ref {
        self.references()[0]
    }

    /// Adds the font to a file.
    ///
    /// # Errors
    /// Those of the compression.
    pub(super) fn embed(self, pdf: &mut Pdf) -> io::Result<()> {
        let metrics = self.metrics();
        // Lengths in the dictionaries are thousandths of the size of the font.
        let length = |units: f32| 1000.0 * units / f32::from(metrics.units_per_em);
        let advance = |code| Some(self.advance(self.glyph(letter(code)?)?));
        let [font, descriptor, file] = self.references();
        let mut dictionary = pdf.indirect(font).dict();
        dictionary
            .pair(Name(b"Type"), Name(b"Font"))
            .pair(Name(b"Subtype"), Name(b"TrueType"))
            .pair(Name(b"BaseFont"), self.base_name())
            .pair(Name(b"FirstChar"), i32::from(CODES[0]))
            .pair(Name(b"LastChar"), i32::from(CODES[1]))
            .pair(Name(b"FontDescriptor"), descriptor)
            .pair(Name(b"Encoding"), Name(b"WinAnsiEncoding"));
        let codes = CODES[0]..=CODES[1];
        let widths = codes.map(|code| length(advance(code).unwrap_or_default()));
        dictionary.insert(Name(b"Widths")).array().items(widths);
        drop(dictionary);
        let bounds = metrics.bounds.unwrap_or_default();
        let [left, bottom, right, top] =
            [bounds.x_min, bounds.y_min, bounds.x_max, bounds.y_max].map(length);
        let capital = metrics.cap_height.unwrap_or(metrics.ascent);
        pdf.font_descriptor(descriptor)
            .name(self.base_name())
            .flags(FontFlags::NON_SYMBOLIC)
            .bbox(Rect::new(left, bottom, right, top))
            .italic_angle(0.0)
            .ascent(length(metrics.ascent))
            .descent(length(metrics.descent))
            .cap_height(length(capital))
            // The width of an upright stroke, about an eighth of the height of a capital letter.
            .stem_v(length(capital / 8.0))
            .font_file2(file);
        let packed = packed(self.file())?;
        pdf.stream(file, &packed)
            .filter(Filter::FlateDecode)
            .pair(Name(b"Length1"), self.file().len() as i32);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fonts_have_a_glyph_for_each_letter_that_has_a_code() {
        for font in [Font::Regular, Font::Bold] {
            let letters = (CODES[0]..=CODES[1]).filter_map(letter);
            for written in letters {
                assert!(font.glyph(written).is_some(), "{written}");
                assert_eq!(letter(code(written)), Some(written));
            }
        }
        assert_eq!(code('é'), b'?');
    }
}
