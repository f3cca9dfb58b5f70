//! The content of a plot: the curves, the netlists of `--with`, and the crossings.

use super::crossings::Crossing;
use super::curve::Curve;
use super::guest::Guest;
use super::number;
use super::plan::{Along, Plan, Sizes};
use crate::plot::{self, Axis, Chart, FEW, Mark, Picture, RED, Stroke};

/// The content of the picture.
pub(super) struct Scene<'a> {
    plan: &'a Plan,
    pub(super) curves: Vec<PlottedCurve>,
    marks: Vec<Mark>,
}

/// A curve, or a single point.
pub(super) struct PlottedCurve {
    pub(super) name: String,
    /// `shuffle`, `comparison` or `netlist`.
    pub(super) kind: &'static str,
    /// Whether this is a netlist without a position, drawn as a horizontal line.
    pub(super) level: bool,
    /// The points: the number on the horizontal axis, and the value.
    pub(super) points: Vec<(usize, usize)>,
    stroke: Stroke,
}

impl<'a> Scene<'a> {
    /// Collects the netlists of `--with` and the curves of a plan. A curve has a point at each
    /// number of the plan and at each crossing.
    pub(super) fn new(
        plan: &'a Plan,
        sizes: &mut Sizes<'_>,
        crossings: &[Crossing],
        guests: Vec<Guest>,
    ) -> Self {
        let mut curves = curves(plan, sizes, crossings);
        let (first, last) = plan.ends();
        curves.extend(guests.into_iter().map(|guest| PlottedCurve {
            name: guest.name,
            kind: "netlist",
            level: guest.at.is_none(),
            points: match guest.at {
                Some(at) => vec![(at, guest.value)],
                None => vec![(first, guest.value), (last, guest.value)],
            },
            stroke: Stroke::dashed(RED, 3, 3),
        }));
        // Sorted like the names beside the chart: the curve with the highest end first.
        curves.sort_by_key(|line| std::cmp::Reverse(line.points.last().map(|&(_, value)| value)));
        Scene {
            plan,
            curves,
            marks: marks(plan, sizes, crossings),
        }
    }

    /// Whether no curve has a point, apart from netlists.
    pub(super) fn is_empty(&self) -> bool {
        let mut curves = self.curves.iter().filter(|line| line.kind != "netlist");
        curves.all(|line| line.points.is_empty())
    }

    /// Makes the picture, and returns it with the curves for the file of points.
    pub(super) fn picture(self) -> (Picture, Vec<PlottedCurve>) {
        let plan = self.plan;
        let values = self.curves.iter().flat_map(|line| &line.points);
        let values = values.map(|&(_, value)| value as f64);
        let has_discs = plan.numbers.len() <= FEW;
        let chart = Chart {
            title: String::new(),
            left: 120,
            size: (730, 460),
            x: x_axis(plan),
            y: Axis::of_values(plan.y.words().axis, values, |value| number(value as usize)),
            curves: (self.curves.iter())
                .map(|line| plot::Curve {
                    name: line.name.clone(),
                    points: (line.points.iter())
                        .map(|&(number, value)| (number as f64, value as f64))
                        .collect(),
                    stroke: line.stroke,
                    discs: has_discs && !line.level,
                    whiskers: Vec::new(),
                })
                .collect(),
            marks: self.marks,
        };
        let picture = Picture {
            title: title(plan),
            subtitle: subtitle(plan),
            rows: vec![vec![chart]],
        };
        (picture, self.curves)
    }
}

fn title(plan: &Plan) -> String {
    let what = plan.y.words().title;
    match plan.along {
        Along::Draw { cards } => format!("{what} to draw m of {} cards", number(cards)),
        Along::Cards { draw } => format!("{what} to draw {} of n cards", number(draw)),
        Along::WholeDecks => format!("{what} to shuffle n cards and draw them all"),
    }
}

fn subtitle(plan: &Plan) -> String {
    let check = if plan.checked {
        "The circuits of a malicious session, with the check that both inputs are in range"
    } else {
        "The circuits alone, without the check that both inputs are in range"
    };
    if plan.curves().iter().any(|curve| curve.is_comparison()) {
        format!("{check}. Grey: for comparison only, never played with")
    } else {
        check.into()
    }
}

fn x_axis(plan: &Plan) -> Axis {
    let (first, last) = plan.ends();
    let range = first as f64..last as f64;
    match plan.along {
        Along::Draw { .. } => {
            Axis::linear(
                "m, the number of cards drawn",
                range,
                12,
                |draw| match draw.fract() {
                    0.0 => number(draw as usize),
                    _ => String::new(),
                },
            )
        }
        // A logarithmic axis, on which the distance of two decks shows their ratio.
        Along::Cards { .. } | Along::WholeDecks => {
            let powers = (0..16).map(|power| 1 << power);
            let powers = powers.filter(|power| (first..=last).contains(power));
            let ticks: Vec<f64> = powers.map(|power| power as f64).collect();
            Axis::logarithmic(
                "n, the number of cards in the deck",
                range,
                &ticks,
                |cards| number(cards as usize),
            )
        }
    }
}

fn curves(plan: &Plan, sizes: &mut Sizes<'_>, crossings: &[Crossing]) -> Vec<PlottedCurve> {
    // Include the crossings, so that each mark lies on its curve.
    let mut numbers = plan.numbers.clone();
    numbers.extend(crossings.iter().map(|crossing| crossing.from));
    numbers.sort_unstable();
    numbers.dedup();
    let line = |curve: Curve| PlottedCurve {
        name: curve.name().into(),
        kind: match curve {
            Curve::Shuffle(_) => "shuffle",
            Curve::Comparison(_) => "comparison",
        },
        level: false,
        points: (numbers.iter())
            .map(|&number| (number, sizes.value(curve, number)))
            // A logarithmic axis has no 0. (Drawing one of two cards takes no AND.)
            .filter(|&(_, value)| value > 0)
            .collect(),
        stroke: curve.stroke(),
    };
    plan.curves().into_iter().map(line).collect()
}

/// Makes one mark for all crossings with the same number and the same cheaper algorithm.
fn marks(plan: &Plan, sizes: &mut Sizes<'_>, crossings: &[Crossing]) -> Vec<Mark> {
    let variable = match plan.along {
        Along::Draw { .. } => "m",
        Along::Cards { .. } | Along::WholeDecks => "n",
    };
    let (unit, lowest) = (plan.y.words().unit, plan.y.lowest());
    let mark = |chunk: &[Crossing]| {
        let Crossing { from, cheaper, .. } = chunk[0];
        let value = sizes.value(Curve::Shuffle(cheaper), from);
        let mut news = |crossing: &Crossing| {
            let relation = if crossing.of_the_cheapest {
                format!("is {lowest}, before it")
            } else {
                "is below".into()
            };
            let dearer = sizes.value(Curve::Shuffle(crossing.dearer), from);
            format!("{relation} {} ({})", crossing.dearer, number(dearer))
        };
        let news: Vec<String> = chunk.iter().map(&mut news).collect();
        Mark {
            at: (from as f64, value.max(1) as f64),
            bold: chunk.iter().any(|crossing| crossing.of_the_cheapest),
            text: format!(
                "{variable} = {}: from here {cheaper} ({} {unit}) {}",
                number(from),
                number(value),
                news.join(", and ")
            ),
        }
    };
    crossings
        .chunk_by(|a, b| (a.from, a.cheaper) == (b.from, b.cheaper))
        .map(mark)
        .collect()
}
