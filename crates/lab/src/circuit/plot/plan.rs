//! The plan of a plot, and the sizes of its circuits.

use std::collections::HashMap;

use anyhow::{Context, ensure};
use dealerless::shuffle::{Algorithm, Spec};
use dealerless_command_line::progress::Progress;

use super::curve::{Curve, Y};
use super::{Against, Args};
use crate::circuit::entry::Comparison;
use crate::circuit::selection;
use crate::circuit::sweep::{Draws, Numbers, pairs};

/// The number of draws that are counted by default, evenly spaced, if the deck has more cards.
const MAX_DRAWS: usize = 64;

/// The quantity on the horizontal axis. A field is the number that stays fixed.
#[derive(Clone, Copy)]
pub(super) enum Along {
    /// The cards drawn, from a fixed deck.
    Draw { cards: usize },
    /// The cards in the deck, with a fixed draw.
    Cards { draw: usize },
    /// The cards in the deck, which are all drawn.
    WholeDecks,
}

impl Along {
    /// The number of cards and the number of cards drawn, at `number` on the axis.
    pub(super) fn deal(self, number: usize) -> (usize, usize) {
        match self {
            Along::Draw { cards } => (cards, number),
            Along::Cards { draw } => (number, draw),
            Along::WholeDecks => (number, number),
        }
    }
}

/// What the plot shows.
pub(super) struct Plan {
    pub(super) along: Along,
    /// The numbers on the horizontal axis: at least two, in ascending order.
    pub(super) numbers: Vec<usize>,
    pub(super) algorithms: Vec<Algorithm>,
    /// Whether the plot includes the comparison circuits.
    comparison: bool,
    pub(super) y: Y,
    /// Whether the shuffles check that both parties' inputs are in range.
    pub(super) checked: bool,
}

impl Plan {
    /// Makes the plan from the arguments of the command.
    ///
    /// # Errors
    /// If a number is out of bounds, a list is given instead of a single number, or a circuit is
    /// too large.
    pub(super) fn of(args: &Args) -> anyhow::Result<Self> {
        let draws = args.draw.clone().unwrap_or(Draws::All);
        let (along, cards, draws) = match args.against {
            Against::Draw => {
                let one = args.cards.as_ref().map_or(Some(52), Numbers::single);
                let cards = one.context("--against draw takes one number of cards")?;
                let draws = match draws {
                    Draws::All => Draws::These(some_draws(cards)),
                    these @ Draws::These(_) => these,
                };
                (Along::Draw { cards }, Numbers::from_iter([cards]), draws)
            }
            Against::Cards => {
                let cards = args.cards.clone().unwrap_or_else(some_decks);
                let along = match &draws {
                    Draws::All => Along::WholeDecks,
                    Draws::These(numbers) => {
                        let draw = numbers.single();
                        let draw = draw.context("--against cards takes one draw, or all")?;
                        Along::Cards { draw }
                    }
                };
                (along, cards, draws)
            }
        };
        let deals = pairs(&cards, &draws)?;
        ensure!(deals.len() > 1, "a plot needs at least two points");
        let mut selected = Vec::new();
        for &(cards, draw) in &deals {
            selected.extend(selection::algorithms(&args.algorithm, cards, draw)?);
        }
        let algorithms: Vec<Algorithm> = (Algorithm::ALL.into_iter())
            .filter(|algorithm| selected.contains(algorithm))
            .collect();
        for &(cards, draw) in &deals {
            for &algorithm in &algorithms {
                (args.limit.memory).check_circuit(Spec::new(cards, draw, algorithm)?)?;
            }
            for comparison in Comparison::ALL.iter().filter(|_| args.comparison) {
                let ands = (comparison.estimated_ands)(cards, draw);
                (args.limit.memory).check_ands(comparison.name, cards, draw, ands)?;
            }
        }
        Ok(Plan {
            along,
            numbers: deals
                .into_iter()
                .map(|(cards, draw)| match along {
                    Along::Draw { .. } => draw,
                    Along::Cards { .. } | Along::WholeDecks => cards,
                })
                .collect(),
            algorithms,
            comparison: args.comparison,
            y: args.y,
            // A malicious session runs no other circuits.
            checked: args.checked || args.y == Y::MaliciousBytes,
        })
    }

    /// All curves except the netlists of `--with`.
    pub(super) fn curves(&self) -> Vec<Curve> {
        let shuffles = self.algorithms.iter().copied().map(Curve::Shuffle);
        let comparisons = Curve::comparisons().filter(|_| self.comparison);
        shuffles.chain(comparisons).collect()
    }

    /// The first and the last number of the horizontal axis.
    pub(super) fn ends(&self) -> (usize, usize) {
        (self.numbers[0], self.numbers[self.numbers.len() - 1])
    }
}

/// All draws of a small deck, or a selection of the draws of a larger deck, including the first and
/// the last.
fn some_draws(cards: usize) -> Numbers {
    let count = cards.clamp(1, MAX_DRAWS);
    (1..=count)
        .map(|i| (i * cards).div_ceil(count))
        .chain([1])
        .collect()
}

/// Decks of 4 to 256 cards, four for each doubling. Powers of two are unusually cheap, so they
/// alone would not show the shape of a curve.
fn some_decks() -> Numbers {
    (0..6)
        .flat_map(|power| (4..8).map(move |quarter| quarter << power))
        .chain([256])
        .collect()
}

/// The values of the curves. Each circuit is built only once.
pub(super) struct Sizes<'a> {
    plan: &'a Plan,
    progress: Progress,
    values: HashMap<(Curve, usize), usize>,
}

impl<'a> Sizes<'a> {
    /// Builds the circuits of the plan, one after the other.
    pub(super) fn count(plan: &'a Plan) -> Self {
        let curves = plan.curves();
        let steps = curves.len() * plan.numbers.len();
        let mut sizes = Sizes {
            plan,
            progress: Progress::begin(steps, "circuits"),
            values: HashMap::new(),
        };
        for &number in &plan.numbers {
            for &curve in &curves {
                sizes.value(curve, number);
            }
        }
        sizes
    }

    /// The value of a curve at `number` on the horizontal axis, between the ends of the plan.
    pub(super) fn value(&mut self, curve: Curve, number: usize) -> usize {
        *self.values.entry((curve, number)).or_insert_with(|| {
            let (cards, draw) = self.plan.along.deal(number);
            let value = curve.value(self.plan.y, self.plan.checked, cards, draw);
            self.progress.step();
            value
        })
    }
}
