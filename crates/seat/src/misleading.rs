//! Player names that could be misread in a sentence about who is to see which cards.

/// Whether a name contains a comma or a word that looks like *all* or *you*. The sentence
/// `boards 1-4 to all` means that every player sees the boards; a player named "all" must not make
/// this sentence ambiguous.
pub(crate) fn misleads(name: &str) -> bool {
    let seen: String = name.chars().map(looks_like).collect();
    let mut words = seen.split(|c: char| !c.is_alphanumeric());
    let commas = |c: char| matches!(c, ',' | ';' | '\u{201a}' | '\u{ff0c}' | '\u{3001}');
    name.contains(commas) || words.any(|word| ["all", "you"].contains(&word))
}

/// Maps a character to the letter of *all* or *you* that it looks like on a screen. Other
/// characters are returned unchanged.
fn looks_like(c: char) -> char {
    match plain(c) {
        'A' | '\u{251}' | '\u{391}' | '\u{3b1}' | '\u{410}' | '\u{430}' | '\u{aa}' | '\u{1d2c}'
        | '\u{1d43}' | '\u{1d45}' | '\u{2090}' => 'a',
        'L' | 'I' | '1' | '|' | '!' | '\u{131}' | '\u{399}' | '\u{3b9}' | '\u{406}' | '\u{456}'
        | '\u{4c0}' | '\u{4cf}' | '\u{1c0}' | '\u{217c}' | '\u{b9}' | '\u{2e1}' | '\u{1d35}'
        | '\u{1d38}' | '\u{1fbe}' | '\u{2081}' | '\u{2097}' | '\u{2110}' | '\u{2111}'
        | '\u{2112}' | '\u{2113}' | '\u{2160}' | '\u{216c}' | '\u{2460}' | '\u{fe15}'
        | '\u{fe57}' | '\u{107b6}' | '\u{1d6a4}' | '\u{1fbf1}' => 'l',
        'Y' | '\u{3a5}' | '\u{3b3}' | '\u{423}' | '\u{443}' | '\u{4ae}' | '\u{4af}' | '\u{2b8}'
        | '\u{3d2}' | '\u{1d5e}' | '\u{1d67}' | '\u{213d}' => 'y',
        'O' | '0' | '\u{39f}' | '\u{3bf}' | '\u{41e}' | '\u{43e}' | '\u{ba}' | '\u{1d3c}'
        | '\u{1d52}' | '\u{2070}' | '\u{2080}' | '\u{2092}' | '\u{2134}' | '\u{24ea}'
        | '\u{1fbf0}' => 'o',
        'U' | '\u{3c5}' | '\u{57d}' | '\u{1d41}' | '\u{1d58}' | '\u{1d64}' => 'u',
        c => c,
    }
}

/// Returns the ASCII character that `c` shows in another style, such as fullwidth, mathematical or
/// circled. Other characters are returned unchanged.
fn plain(c: char) -> char {
    const CAPITALS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const SMALL: &[u8] = b"abcdefghijklmnopqrstuvwxyz";
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    /// The Greek letters that look like those of *all* or *you*.
    const GREEK: &[u8] = b"A-------I-----O-----Y-----a-y-----l-----o-----u-----------";
    /// The first and last character of a block, and the characters that it repeats.
    const BLOCKS: [(char, char, &[u8]); 9] = [
        ('\u{249c}', '\u{24b5}', SMALL),
        ('\u{24b6}', '\u{24e9}', LETTERS),
        ('\u{1d400}', '\u{1d6a3}', LETTERS),
        ('\u{1d6a8}', '\u{1d7c9}', GREEK),
        ('\u{1d7ce}', '\u{1d7ff}', b"0123456789"),
        ('\u{1f110}', '\u{1f129}', CAPITALS),
        ('\u{1f130}', '\u{1f149}', CAPITALS),
        ('\u{1f150}', '\u{1f169}', CAPITALS),
        ('\u{1f170}', '\u{1f189}', CAPITALS),
    ];
    if ('\u{ff01}'..='\u{ff5e}').contains(&c) {
        return char::from((c as u32 - 0xfee0) as u8);
    }
    let block = (BLOCKS.iter()).find(|(first, last, _)| (*first..=*last).contains(&c));
    block.map_or(c, |(first, _, letters)| {
        char::from(letters[(c as usize - *first as usize) % letters.len()])
    })
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
            "𝐚𝐥𝐥",
            "ⓨⓞⓤ",
            "Ⓐⓛⓛ",
            "🅈🄾🅄",
            "𝟎 𝚨𝜤𝗹",
            "𝕪𝝄𝝊",
            "ᵃˡˡ",
            "ªℓ₁",
            "ＹＯＵ",
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
            "𝐀𝐧𝐧𝐚",
            "Ⓑⓔⓡⓣ",
            "young",
            "Ωμέγα",
        ] {
            assert!(!misleads(name), "{name}");
        }
    }
}
