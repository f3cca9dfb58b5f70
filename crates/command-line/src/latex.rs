//! Tables for LaTeX, with the rules of the package `booktabs`.

use std::fmt::Write as _;

/// A cell of a table.
pub enum Cell {
    /// Words, aligned on the left.
    Text(String),
    /// A whole number, with a thin space between thousands.
    Count(u64),
    /// A number that is too high by a few per cent at most, such as [`Cell::Count`] after a sign.
    About(u64),
    /// A number with digits after the point.
    Decimal(String),
    /// No value.
    Empty,
}

impl Cell {
    /// A count that may be absent.
    pub fn count(number: Option<u64>) -> Self {
        number.map_or(Cell::Empty, Cell::Count)
    }

    fn latex(&self) -> String {
        match self {
            Cell::Text(text) => escape(text),
            Cell::Count(number) => thousands(*number),
            Cell::About(number) => format!("$\\approx$\\,{}", thousands(*number)),
            Cell::Decimal(number) => number.clone(),
            Cell::Empty => String::new(),
        }
    }
}

/// Formats a table as a `tabular`. A column without text is aligned on the right, and a column
/// without values is omitted. `command` is the command that the table comes from.
pub fn table(command: &str, header: &[&str], rows: &[Vec<Cell>]) -> String {
    let cells = |column: usize| rows.iter().filter_map(move |row| row.get(column));
    let shown: Vec<usize> = (0..header.len())
        .filter(|&column| cells(column).any(|cell| !matches!(cell, Cell::Empty)))
        .collect();
    let alignment = |column: &usize| {
        if cells(*column).any(|cell| matches!(cell, Cell::Text(_))) {
            'l'
        } else {
            'r'
        }
    };
    let alignments: String = shown.iter().map(alignment).collect();
    let line = |cell: &dyn Fn(usize) -> String| {
        let cells: Vec<String> = shown.iter().map(|&column| cell(column)).collect();
        format!("  {} \\\\\n", cells.join(" & "))
    };
    let version = env!("CARGO_PKG_VERSION");
    let mut text = format!("% dealerless {version}, {command}. Needs \\usepackage{{booktabs}}.\n");
    let _ = writeln!(text, "\\begin{{tabular}}{{{alignments}}}\n  \\toprule");
    text += &line(&|column| escape(header[column]));
    text += "  \\midrule\n";
    for row in rows {
        text += &line(&|column| row.get(column).map_or(String::new(), Cell::latex));
    }
    text + "  \\bottomrule\n\\end{tabular}"
}

/// Formats a number with a thin space between thousands.
fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text += "\\,";
        }
        text.push(digit);
    }
    text
}

/// Formats a text so that LaTeX prints it. Control characters are left out.
fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars().filter(|letter| !letter.is_control()) {
        match letter {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => escaped.extend(['\\', letter]),
            '\\' => escaped += "\\textbackslash{}",
            '~' => escaped += "\\textasciitilde{}",
            '^' => escaped += "\\textasciicircum{}",
            '<' => escaped += "\\textless{}",
            '>' => escaped += "\\textgreater{}",
            '|' => escaped += "\\textbar{}",
            // The encoding of the default font has no straight quote.
            '"' => escaped += "''",
            // Two hyphens in a row would become a dash.
            '-' if escaped.ends_with('-') => escaped += "{}-",
            _ => escaped.push(letter),
        }
    }
    // A bracket after the end of a row would be its optional argument.
    if escaped.starts_with('[') {
        escaped.insert_str(0, "{}");
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_has_the_rules_of_booktabs_and_no_empty_column() {
        let rows = [
            vec![
                Cell::Text("a_b.txt".into()),
                Cell::Empty,
                Cell::Count(1_234_567),
                Cell::About(999),
            ],
            vec![
                Cell::Text("cut".into()),
                Cell::Empty,
                Cell::Empty,
                Cell::Decimal("0.25".into()),
            ],
        ];
        let text = table("circuit stats", &["circuit", "cards", "AND", "ms"], &rows);
        let (comment, table) = text.split_once('\n').unwrap();
        assert!(comment.starts_with("% dealerless ") && comment.contains("circuit stats"));
        assert_eq!(
            table,
            "\\begin{tabular}{lrr}\n  \\toprule\n  circuit & AND & ms \\\\\n  \\midrule\n  \
             a\\_b.txt & 1\\,234\\,567 & $\\approx$\\,999 \\\\\n  cut &  & 0.25 \\\\\n  \
             \\bottomrule\n\\end{tabular}"
        );
    }

    #[test]
    fn thousands_are_separated() {
        assert_eq!(
            [0, 999, 1_000, 10_000, 123_456].map(thousands),
            ["0", "999", "1\\,000", "10\\,000", "123\\,456"]
        );
    }

    #[test]
    fn special_characters_are_escaped() {
        assert_eq!(
            escape("50 % & $1 #2 _x_ {y}"),
            "50 \\% \\& \\$1 \\#2 \\_x\\_ \\{y\\}"
        );
        assert_eq!(
            escape("\\~^<>|"),
            "\\textbackslash{}\\textasciitilde{}\\textasciicircum{}\\textless{}\\textgreater{}\\textbar{}"
        );
        assert_eq!(escape("a--b\u{1b}\n"), "a-{}-b");
        assert_eq!(escape("[1]"), "{}[1]");
    }
}
