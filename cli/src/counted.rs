//! Numbers with nouns.

use crate::output::count;

/// Formats a number with a noun that forms its plural with `s`: `1 check` or `2 checks`.
pub(crate) fn counted(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", count(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_takes_the_singular() {
        let texts = [0, 1, 1000].map(|number| counted(number, "check"));
        assert_eq!(texts, ["0 checks", "1 check", "1,000 checks"]);
    }
}
