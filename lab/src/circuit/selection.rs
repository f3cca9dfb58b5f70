//! The value parser of `--algorithm` where several can be given, and the algorithms that a list of its words selects.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use dealerless::deck::Choice;
use dealerless::shuffle::{Algorithm, SpecError};

/// A word of `--algorithm` where several can be given.
#[derive(Clone, Copy)]
pub(crate) enum Selection {
    /// Every algorithm.
    All,
    /// One, or `auto`: the one of which the least is garbled.
    One(Choice),
}

/// Parses a word, and lists them in the help.
pub(crate) fn parser() -> impl TypedValueParser<Value = Selection> {
    let names = ["all", "auto"].into_iter();
    PossibleValuesParser::new(names.chain(Algorithm::ALL.map(Algorithm::name))).try_map(|name| {
        match name.as_str() {
            "all" => Ok(Selection::All),
            name => name.parse().map(Selection::One),
        }
    })
}

/// The algorithms selected for a deck and a draw, each once, in the order of [`Algorithm::ALL`].
///
/// # Errors
/// When the deck or the draw is out of the bounds of [`Choice::spec`], and `auto` is selected.
pub(super) fn algorithms(
    selections: &[Selection],
    cards: usize,
    draw: usize,
) -> Result<Vec<Algorithm>, SpecError> {
    let mut chosen = Vec::new();
    for selection in selections {
        match selection {
            Selection::All => chosen.extend(Algorithm::ALL),
            Selection::One(Choice::Given(algorithm)) => chosen.push(*algorithm),
            Selection::One(choice @ Choice::Cheapest) => {
                let spec = choice.spec(cards, draw)?;
                chosen.push(spec.algorithm());
            }
        }
    }
    Ok(Algorithm::ALL
        .into_iter()
        .filter(|algorithm| chosen.contains(algorithm))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_algorithm_that_is_named_twice_is_counted_once_and_in_its_place() {
        let one = |algorithm| Selection::One(Choice::Given(algorithm));
        // The cheapest for 9 of 52 is the cut.
        let auto = Selection::One(Choice::Cheapest);
        let given = [one(Algorithm::Waksman), auto, one(Algorithm::Cut)];
        let chosen = algorithms(&given, 52, 9).unwrap();
        assert_eq!(chosen, [Algorithm::Cut, Algorithm::Waksman]);
        let all = algorithms(&[Selection::All, auto], 52, 9).unwrap();
        assert_eq!(all, Algorithm::ALL);
    }
}
