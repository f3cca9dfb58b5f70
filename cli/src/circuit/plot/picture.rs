//! From sizes to what the picture shows.

use dealerless::shuffle::Algorithm;
use plotters::style::RGBColor;

use super::axis::Axis;
use super::chart::{Chart, Line, Mark, Stroke};
use super::crossings::Crossing;
use super::number;
use super::plan::{Along, Plan, Sizes};

/// The picture of a plan: a line an algorithm, a mark where lines cross.
pub(super) fn of(plan: &Plan, sizes: &mut Sizes<'_>, crossings: &[Crossing]) -> Chart {
    // With the crossings between them, so that each mark is on its line.
    let mut numbers = plan.numbers.clone();
    numbers.extend(crossings.iter().map(|crossing| crossing.from));
    numbers.sort_unstable();
    numbers.dedup();
    let lines: Vec<Line> = (plan.algorithms.iter())
        .map(|&algorithm| Line {
            name: algorithm.name(),
            stroke: stroke(algorithm),
            points: (numbers.iter())
                .map(|&number| (number, sizes.ands(algorithm, number)))
                // A logarithmic axis has no 0. (One card of two takes no AND.)
                .filter(|&(_, ands)| ands > 0)
                .collect(),
        })
        .collect();
    let ands = || {
        lines
            .iter()
            .flat_map(|line| &line.points)
            .map(|&(_, ands)| ands)
    };
    let (fewest, most) = (ands().min().unwrap_or(1), ands().max().unwrap_or(1));
    let (first, last) = (numbers[0], numbers[numbers.len() - 1]);
    let (title, x) = match plan.along {
        Along::Draw { cards } => (
            format!("AND gates to draw m of {} cards", number(cards)),
            Axis::linear("m, the number of cards drawn".into(), first, last),
        ),
        Along::Cards { draw } => (
            format!("AND gates to draw {} of n cards", number(draw)),
            Axis::octaves(DECK.into(), first, last),
        ),
        Along::WholeDecks => (
            "AND gates to shuffle n cards and draw them all".into(),
            Axis::octaves(DECK.into(), first, last),
        ),
    };
    Chart {
        title,
        x,
        y: Axis::decades("AND gates of the circuit".into(), fewest, most),
        lines,
        marks: marks(plan, sizes, crossings),
    }
}

const DECK: &str = "n, the number of cards in the deck";

/// One mark for the crossings that belong to the same winner at the same number.
fn marks(plan: &Plan, sizes: &mut Sizes<'_>, crossings: &[Crossing]) -> Vec<Mark> {
    let variable = match plan.along {
        Along::Draw { .. } => "m",
        Along::Cards { .. } | Along::WholeDecks => "n",
    };
    let alike = |a: &Crossing, b: &Crossing| (a.from, a.cheaper) == (b.from, b.cheaper);
    crossings
        .chunk_by(alike)
        .map(|chunk| {
            let Crossing { from, cheaper, .. } = chunk[0];
            let ands = sizes.ands(cheaper, from);
            let news: Vec<String> = (chunk.iter())
                .map(|crossing| {
                    let said = if crossing.of_the_cheapest {
                        "is the cheapest, before it"
                    } else {
                        "is below"
                    };
                    let dearer = sizes.ands(crossing.dearer, from);
                    format!("{said} {} ({})", crossing.dearer, number(dearer))
                })
                .collect();
            Mark {
                at: (from, ands.max(1)),
                bold: chunk.iter().any(|crossing| crossing.of_the_cheapest),
                text: format!(
                    "{variable} = {}: from here {cheaper} ({} ANDs) {}",
                    number(from),
                    number(ands),
                    news.join(", and ")
                ),
            }
        })
        .collect()
}

/// The colours of Okabe and Ito, which the colour-blind tell apart too; and dashes, for print.
fn stroke(algorithm: Algorithm) -> Stroke {
    let (colour, dash) = match algorithm {
        Algorithm::FisherYates => ((0, 114, 178), None),
        Algorithm::Bubble => ((86, 180, 233), Some((9, 4))),
        Algorithm::Lehmer => ((213, 94, 0), Some((5, 4))),
        Algorithm::Cut => ((0, 0, 0), Some((2, 4))),
        Algorithm::Bitonic => ((204, 121, 167), None),
        Algorithm::OddEven => ((230, 159, 0), Some((12, 4))),
        Algorithm::Waksman => ((0, 158, 115), None),
    };
    let (red, green, blue) = colour;
    Stroke {
        colour: RGBColor(red, green, blue),
        dash,
    }
}
