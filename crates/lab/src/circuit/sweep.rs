//! Lists of numbers on the command line, and the decks and draws that they select.

use std::iter;
use std::str::FromStr;

use anyhow::{bail, ensure};
use dealerless::shuffle::{Algorithm, Computed, Spec, SpecError};

/// Limit on the pairs of decks and draws in a sweep.
const MAX_PAIRS: usize = 1 << 20;

/// Numbers of cards: a non-empty list in ascending order, without duplicates.
///
/// The text form is a list of numbers and inclusive ranges: `5,9,20` or `1..52`. Dots between two
/// commas (`..`, `...` or `…`) continue the sequence of the two numbers before the dots, up to the
/// number after the dots: by the same factor if this reaches the last number exactly, otherwise by
/// the same step. So `8,16,…,1024` doubles, and `10,20,…,100` counts by tens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbers(Vec<usize>);

impl Numbers {
    /// The numbers as a slice.
    pub fn as_slice(&self) -> &[usize] {
        &self.0
    }

    /// The number, if the list has only one.
    pub(super) fn single(&self) -> Option<usize> {
        match self.0[..] {
            [number] => Some(number),
            _ => None,
        }
    }
}

impl FromIterator<usize> for Numbers {
    fn from_iter<I: IntoIterator<Item = usize>>(numbers: I) -> Self {
        let mut numbers: Vec<usize> = numbers.into_iter().collect();
        numbers.sort_unstable();
        numbers.dedup();
        Numbers(numbers)
    }
}

impl FromStr for Numbers {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut numbers = Vec::new();
        let mut continued = false;
        for item in text.split(',') {
            match item {
                ".." | "..." | "…" => {
                    check_dots(&numbers, continued)?;
                    continued = true;
                }
                _ if continued => {
                    extend(&mut numbers, number(item)?)?;
                    continued = false;
                }
                _ => match item.split_once("..") {
                    Some((first, last)) => numbers.extend(range(number(first)?, number(last)?)?),
                    None => numbers.push(number(item)?),
                },
            }
        }
        if continued {
            return Err("dots must be followed by the last number of the sequence".into());
        }
        Ok(numbers.into_iter().collect())
    }
}

/// Parses a number of cards. The upper bound also keeps every list short.
fn number(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number) if number <= Computed::MAX_CARDS => Ok(number),
        Ok(_) => Err(format!("a deck has at most {} cards", Computed::MAX_CARDS)),
        Err(_) => Err("expected numbers and ranges, such as 5,9,20 or 1..52 or 8,16,…,1024".into()),
    }
}

fn range(first: usize, last: usize) -> Result<impl Iterator<Item = usize>, String> {
    if first > last {
        return Err(format!("the range {first}..{last} must be ascending"));
    }
    Ok(first..=last)
}

/// Checks that dots may follow `numbers`. `continued` says whether the previous item was also dots.
fn check_dots(numbers: &[usize], continued: bool) -> Result<(), String> {
    match numbers {
        [.., a, b] if a < b && !continued => Ok(()),
        _ => Err("dots must be preceded by two ascending numbers".into()),
    }
}

/// Continues the sequence of the last two numbers to `end`.
fn extend(numbers: &mut Vec<usize>, end: usize) -> Result<(), String> {
    let [.., a, b] = numbers[..] else {
        unreachable!("dots follow two numbers");
    };
    let to_end = |next: &dyn Fn(usize) -> usize| -> Option<Vec<usize>> {
        let sequence = iter::successors(Some(b), |&last| Some(next(last)));
        let sequence: Vec<usize> = sequence.take_while(|&number| number <= end).collect();
        (sequence.last() == Some(&end)).then_some(sequence)
    };
    let has_factor = a > 0 && b.is_multiple_of(a);
    let by_factor = has_factor.then(|| to_end(&|last| last * (b / a)));
    let sequence = by_factor
        .flatten()
        .or_else(|| to_end(&|last| last + (b - a)));
    numbers
        .extend(sequence.ok_or_else(|| format!("the sequence {a}, {b}, … does not reach {end}"))?);
    Ok(())
}

/// The numbers of cards drawn: `all`, or [`Numbers`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Draws {
    /// The whole deck.
    All,
    /// The given numbers of cards, from each deck that is large enough.
    These(Numbers),
}

impl FromStr for Draws {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "all" => Ok(Draws::All),
            numbers => numbers.parse().map(Draws::These),
        }
    }
}

/// The requested pairs (n, m) of n cards and m drawn, ordered by n and then by m. If there are
/// several pairs, those with m above n are skipped.
///
/// # Errors
/// If a deck or a draw is out of bounds, or no pair is left.
pub(crate) fn pairs(cards: &Numbers, draws: &Draws) -> anyhow::Result<Vec<(usize, usize)>> {
    // The bounds do not depend on the algorithm.
    pairs_in_bounds(cards, draws, |n, m| {
        Spec::new(n, m, Algorithm::ALL[0]).map(drop)
    })
}

/// Same as [`pairs`], with the wider bounds of circuits whose size can be computed.
///
/// # Errors
/// Same as [`pairs`].
pub(super) fn pairs_to_count(
    cards: &Numbers,
    draws: &Draws,
) -> anyhow::Result<Vec<(usize, usize)>> {
    pairs_in_bounds(cards, draws, Computed::check_bounds)
}

fn pairs_in_bounds(
    cards: &Numbers,
    draws: &Draws,
    in_bounds: impl Fn(usize, usize) -> Result<(), SpecError>,
) -> anyhow::Result<Vec<(usize, usize)>> {
    let most = match draws {
        Draws::All => cards.as_slice().len(),
        Draws::These(numbers) => cards.as_slice().len() * numbers.as_slice().len(),
    };
    ensure!(
        most <= MAX_PAIRS,
        "a sweep has at most {MAX_PAIRS} pairs of decks and draws, not {most}"
    );
    let mut pairs = Vec::new();
    for &n in cards.as_slice() {
        match draws {
            Draws::All => pairs.push((n, n)),
            Draws::These(numbers) => pairs.extend(numbers.as_slice().iter().map(|&m| (n, m))),
        }
    }
    if pairs.len() > 1 {
        pairs.retain(|&(n, m)| m <= n);
    }
    for &(n, m) in &pairs {
        in_bounds(n, m)?;
    }
    if pairs.is_empty() {
        bail!("every draw is larger than every deck");
    }
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<usize>, String> {
        text.parse().map(|Numbers(numbers)| numbers)
    }

    #[test]
    fn lists_and_ranges_are_sorted_and_deduplicated() {
        for (text, numbers) in [
            ("52", &[52][..]),
            ("20,5,9", &[5, 9, 20]),
            ("1..4", &[1, 2, 3, 4]),
            ("7..7", &[7]),
            ("1..3,2..5,52", &[1, 2, 3, 4, 5, 52]),
        ] {
            assert_eq!(read(text).as_deref(), Ok(numbers), "{text}");
        }
    }

    #[test]
    fn dots_continue_by_factor_or_else_by_step() {
        for (text, numbers) in [
            ("8,16,...,128", &[8, 16, 32, 64, 128][..]),
            ("8,16,..,64", &[8, 16, 32, 64]),
            ("8,16,…,64,100", &[8, 16, 32, 64, 100]),
            ("1,3,…,27", &[1, 3, 9, 27]),
            ("10,20,…,50", &[10, 20, 30, 40, 50]),
            ("1,2,…,5", &[1, 2, 3, 4, 5]),
            ("10,14,…,22", &[10, 14, 18, 22]),
            ("0,2,…,6", &[0, 2, 4, 6]),
            ("4,8,…,8", &[4, 8]),
            ("5,10,…,20,30,…,60", &[5, 10, 20, 30, 40, 50, 60]),
        ] {
            assert_eq!(read(text).as_deref(), Ok(numbers), "{text}");
        }
    }

    #[test]
    fn invalid_lists_are_rejected() {
        for text in [
            "",
            ",",
            "5,",
            "-1",
            "1.5",
            "5..",
            "..5",
            "9..5",
            "1..4..9",
            "all",
            "65537",
            "1..18446744073709551616",
            "…,5",
            "8,…,64",
            "8,16,…",
            "8,16,…,…,64",
            "8,16,…,1..64",
            "16,8,…,64",
            "8,16,…,100",
            "8,16,…,9",
            "8,8,…,64",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_sweep_skips_impossible_draws_but_a_single_pair_is_an_error() {
        let pairs = |cards: &str, draws: &str| {
            pairs(&cards.parse().unwrap(), &draws.parse().unwrap()).map_err(|e| e.to_string())
        };
        assert_eq!(pairs("5,9", "all").unwrap(), [(5, 5), (9, 9)]);
        assert_eq!(pairs("5,9", "2,7").unwrap(), [(5, 2), (9, 2), (9, 7)]);
        assert!(pairs("5", "7").unwrap_err().contains("draw 1 to 5"));
        assert!(pairs("5,6", "7").unwrap_err().contains("every draw"));
        assert!(pairs("1,6", "1").unwrap_err().contains("2 to 4096"));
        assert!(pairs("6", "0..2").unwrap_err().contains("draw 1 to 6"));
        assert!(pairs("4097", "1").unwrap_err().contains("2 to 4096"));
        assert!(pairs("1..4096", "1..300").unwrap_err().contains("at most"));
    }

    #[test]
    fn a_counted_deck_may_be_larger_than_a_built_one() {
        let pairs = |cards: &str| {
            let draws = "all".parse().unwrap();
            pairs_to_count(&cards.parse().unwrap(), &draws).map_err(|e| e.to_string())
        };
        assert_eq!(pairs("65536").unwrap(), [(65536, 65536)]);
        assert!(pairs("1").unwrap_err().contains("2 to 65536"));
    }
}
