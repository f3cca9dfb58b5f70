//! Player names that could be misread in a sentence about who is to see which cards.

/// Whether a name contains a comma or a word that looks like *all* or *you*. The sentence
/// `boards 1-4 to all` means that every player sees the boards; a player named "all" must not make
/// this sentence ambiguous.
pub fn misleads(name: &str) -> bool {
    let is_letter = |c: &char| c.is_alphanumeric() || "|!".contains(*c);
    let mut words = name.split(|c: char| !is_letter(&c));
    let commas = |c: char| matches!(c, ',' | ';' | '\u{201a}' | '\u{ff0c}' | '\u{3001}');
    name.contains(commas)
        || words.any(|word| {
            let plain: String = word.chars().map(looks_like).collect();
            ["all", "you"].contains(&plain.as_str())
        })
}

/// Maps a character to the letter of *all* or *you* that it looks like on a screen. Other
/// characters are returned unchanged.
fn looks_like(c: char) -> char {
    // Fullwidth forms become ASCII.
    let c = match c {
        '\u{ff01}'..='\u{ff5e}' => char::from((c as u32 - 0xfee0) as u8),
        c => c,
    };
    match c {
        'A' | '\u{251}' | '\u{391}' | '\u{3b1}' | '\u{410}' | '\u{430}' => 'a',
        'L' | 'I' | '1' | '|' | '!' | '\u{131}' | '\u{399}' | '\u{3b9}' | '\u{406}' | '\u{456}'
        | '\u{4c0}' | '\u{4cf}' | '\u{1c0}' | '\u{217c}' => 'l',
        'Y' | '\u{3a5}' | '\u{3b3}' | '\u{423}' | '\u{443}' | '\u{4ae}' | '\u{4af}' => 'y',
        'O' | '0' | '\u{39f}' | '\u{3bf}' | '\u{41e}' | '\u{43e}' => 'o',
        'U' | '\u{3c5}' | '\u{57d}' => 'u',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_look_like_all_or_you_mislead() {
        for name in [
            "all",
            "ALL",
            "You",
            "aII",
            "a11",
            "\u{430}ll",
            "y\u{3bf}u",
            "\u{ff41}\u{ff4c}\u{ff4c}",
            "all of us",
            "Bert, board 9 to Anna",
            "(you)",
        ] {
            assert!(misleads(name), "{name}");
        }
        for name in [
            "Anna",
            "Bert",
            "Allan",
            "Youssef",
            "Ali Baba",
            "Éva",
            "王小明",
            "Al",
        ] {
            assert!(!misleads(name), "{name}");
        }
    }
}
