//! The option `--algorithm` of commands that accept several algorithms.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use dealerless::deck::Choice;
use dealerless::shuffle::{Algorithm, SpecError};

/// A value of `--algorithm`.
#[derive(Clone, Copy)]
pub(crate) enum Selection {
    /// Every algorithm.
    All,
    /// One algorithm, or `auto`: the algorithm with the fewest garbled gates.
    One(Choice),
}

/// Parses a value; the help lists the possible values.
pub(crate) fn parser() -> impl TypedValueParser<Value = Selection> {
    let names = ["all", "auto"].into_iter();
    PossibleValuesParser::new(names.chain(Algorithm::ALL.map(Algorithm::name))).try_map(|name| {
        match name.as_str() {
            "all" => Ok(Selection::All),
            name => name.parse().map(Selection::One),
        }
    })
}

/// The algorithms selected for a deck and a draw, without duplicates, in the order of
/// [`Algorithm::ALL`].
///
/// # Errors
/// If `auto` is selected and the deck or the draw is out of the bounds of [`Choice::spec`].
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
    fn selected_algorithms_are_deduplicated_and_ordered() {
        let one = |algorithm| Selection::One(Choice::Given(algorithm));
        // `cut` is the cheapest algorithm for 9 of 52.
        let auto = Selection::One(Choice::Cheapest);
        let given = [one(Algorithm::Waksman), auto, one(Algorithm::Cut)];
        let chosen = algorithms(&given, 52, 9).unwrap();
        assert_eq!(chosen, [Algorithm::Cut, Algorithm::Waksman]);
        let all = algorithms(&[Selection::All, auto], 52, 9).unwrap();
        assert_eq!(all, Algorithm::ALL);
    }
}
