//! Text layout in the columns of a terminal.

use unicode_width::UnicodeWidthChar;

/// The width of a screen, in columns.
pub(crate) const WIDTH: usize = 80;

/// Wraps a text to the width of the screen. Continuation lines begin with `indent`. A word that is
/// longer than a line stays whole, so that an invite can be copied.
pub(crate) fn wrapped(text: &str, indent: &str) -> String {
    let mut lines = Vec::new();
    for paragraph in text.split('\n') {
        let mut line = String::new();
        for (number, word) in paragraph.split(' ').enumerate() {
            let fits = width(&line) + 1 + width(word) <= WIDTH;
            if !fits && !line.trim().is_empty() {
                lines.push(std::mem::replace(&mut line, indent.to_owned()));
            } else if number > 0 {
                line.push(' ');
            }
            line.push_str(word);
        }
        lines.push(line.trim_end().to_owned());
    }
    lines.join("\n")
}

/// The longest prefix of a text without colours that fits into `columns` columns.
pub(crate) fn cut(text: &str, columns: usize) -> String {
    let mut used = 0;
    let fits = |character: &char| {
        used += character.width().unwrap_or(0);
        used <= columns
    };
    text.chars().take_while(fits).collect()
}

/// The width of a text in columns, not counting its colour codes.
pub(crate) fn width(text: &str) -> usize {
    let mut columns = 0;
    let mut in_colour = false;
    for character in text.chars() {
        match (in_colour, character) {
            (false, '\x1b') => in_colour = true,
            (true, 'm') => in_colour = false,
            (true, _) => {}
            (false, _) => columns += character.width().unwrap_or(0),
        }
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_wraps_between_words_and_colours_have_no_width() {
        let text = "word ".repeat(40);
        let broken = wrapped(&text, "  ");
        assert!(broken.lines().all(|line| width(line) <= WIDTH));
        assert_eq!(broken.split_whitespace().count(), 40);
        assert!(broken.lines().nth(1).unwrap().starts_with("  word"));
        assert_eq!(width("\x1b[91mA♥\x1b[0m"), 2);
        assert_eq!(width("甲乙"), 4);
        assert_eq!([cut("甲乙", 3), cut("abc", 2)], ["甲", "ab"]);
        let invite = "x".repeat(200);
        assert_eq!(wrapped(&invite, ""), invite);
        assert_eq!(wrapped("  a\n\n  b", ""), "  a\n\n  b");
    }
}
