//! QR codes, which the page draws.

use qrcodegen::{QrCode, QrCodeEcc};
use serde::Serialize;

/// The maximum length of a text, in bytes. Larger codes cannot be scanned from a screen.
pub(super) const LONGEST: usize = 512;

/// The squares of a code, without the margin.
#[derive(Serialize)]
pub(super) struct Squares {
    size: usize,
    /// The rows from the top; `1` is dark.
    rows: Vec<String>,
}

/// The QR code of a text, or `None` if the text is too long.
pub(super) fn squares(text: &str) -> Option<Squares> {
    if text.len() > LONGEST {
        return None;
    }
    let code = QrCode::encode_text(text, QrCodeEcc::Medium).ok()?;
    let row = |y| {
        let square = |x| if code.get_module(x, y) { '1' } else { '0' };
        (0..code.size()).map(square).collect()
    };
    let rows: Vec<String> = (0..code.size()).map(row).collect();
    Some(Squares {
        size: rows.len(),
        rows,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_has_its_three_corners() {
        let code = squares("dealerless2-abc").unwrap();
        assert_eq!(code.size, code.rows.len());
        let corner = [
            "1111111", "1000001", "1011101", "1011101", "1011101", "1000001", "1111111",
        ];
        for (number, line) in corner.iter().enumerate() {
            assert!(code.rows[number].starts_with(line) && code.rows[number].ends_with(line));
            assert!(code.rows[code.size - 7 + number].starts_with(line));
        }
        assert!(squares(&"x".repeat(LONGEST)).is_some());
        assert!(squares(&"x".repeat(LONGEST + 1)).is_none());
    }
}
