//! The picture: what stands in it and where, on whatever it is drawn.

use std::borrow::Cow;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

use super::chart::{Frame, draw_chart};
use super::crossings::Crossing;
use super::curve::Curve;
use super::guest::Guest;
use super::ink;
use super::number;
use super::plan::{Along, Plan, Sizes};
use crate::plot::ink::{FEW, Stroke, TO_NAME, font};

/// Pixels of the picture, without the key to its marks and without the names of its lines.
const SIZE: (u32, u32) = (850, 640);

/// Pixels of a line of the key.
const TEXT_LINE: i32 = 22;

/// Pixels from the left to the vertical axis, and to the key.
pub(super) const LEFT: i32 = 120;

/// Pixels above the chart, for its titles and the numbers of the marks.
pub(super) const TOP: i32 = 110;

/// A drawing area on whatever is drawn on.
pub(super) type Area<B> = DrawingArea<B, Shift>;

/// What is in the picture.
pub(super) struct Scene<'a> {
    plan: &'a Plan,
    pub(super) lines: Vec<Line<'a>>,
    marks: Vec<Mark>,
}

/// What a line stands for.
#[derive(Clone, Copy)]
enum Of {
    Curve(Curve),
    /// A netlist of others: whether it stands at a number of the axis.
    Guest {
        placed: bool,
    },
}

/// A line, or one point.
pub(super) struct Line<'a> {
    pub(super) name: Cow<'a, str>,
    /// The number on the horizontal axis, and the value.
    pub(super) points: Vec<(usize, usize)>,
    of: Of,
}

impl Line<'_> {
    /// `shuffle`, `comparison` or `netlist`.
    pub(super) fn kind(&self) -> &'static str {
        match self.of {
            Of::Curve(Curve::Shuffle(_)) => "shuffle",
            Of::Curve(Curve::Comparison(_)) => "comparison",
            Of::Guest { .. } => "netlist",
        }
    }

    /// Whether it only says how high something is.
    pub(super) fn is_level(&self) -> bool {
        matches!(self.of, Of::Guest { placed: false })
    }

    /// The points as the axes count.
    pub(super) fn coordinates(&self) -> Vec<(f64, f64)> {
        let points = self.points.iter();
        let points = points.map(|&(number, value)| (number as f64, value as f64));
        points.collect()
    }

    pub(super) fn stroke(&self) -> Stroke {
        match self.of {
            Of::Curve(curve) => ink::stroke(curve),
            Of::Guest { .. } => ink::GUEST,
        }
    }
}

/// A crossing to look at, explained below the chart.
pub(super) struct Mark {
    pub(super) at: (usize, usize),
    /// Whether the cheapest of all changes there.
    pub(super) bold: bool,
    text: String,
}

impl<'a> Scene<'a> {
    /// The curves of a plan, from left to right through the numbers and the crossings between them,
    /// and the netlists of others.
    pub(super) fn new(
        plan: &'a Plan,
        sizes: &mut Sizes<'_>,
        crossings: &[Crossing],
        guests: &'a [Guest],
    ) -> Self {
        let mut lines = curves(plan, sizes, crossings);
        let (first, last) = plan.ends();
        lines.extend(guests.iter().map(|guest| Line {
            name: Cow::Borrowed(&guest.name),
            points: match guest.at {
                Some(at) => vec![(at, guest.value)],
                None => vec![(first, guest.value), (last, guest.value)],
            },
            of: Of::Guest {
                placed: guest.at.is_some(),
            },
        }));
        // The highest at their ends first.
        lines.sort_by_key(|line| std::cmp::Reverse(line.points.last().map(|&(_, value)| value)));
        Scene {
            plan,
            lines,
            marks: marks(plan, sizes, crossings),
        }
    }

    /// Whether nothing is to be seen.
    pub(super) fn is_empty(&self) -> bool {
        let curves = (self.lines.iter()).filter(|line| line.kind() != "netlist");
        curves.map(|line| line.points.len()).sum::<usize>() == 0
    }

    /// The pixels of the picture.
    pub(super) fn size(&self) -> (u32, u32) {
        let key = (self.marks.len() + 1) as u32 * TEXT_LINE as u32;
        (SIZE.0 + self.right() as u32, SIZE.1 + key)
    }

    /// Pixels beside the chart, for the names of its lines.
    fn right(&self) -> i32 {
        let longest = self
            .lines
            .iter()
            .map(|line| line.name.chars().count())
            .max();
        TO_NAME + 9 * longest.unwrap_or_default().max(12) as i32
    }

    /// Draws it.
    pub(super) fn draw<B: DrawingBackend>(&self, area: &Area<B>) -> anyhow::Result<()>
    where
        B::ErrorType: 'static,
    {
        area.fill(&WHITE)?;
        let (picture, key) = area.split_vertically(SIZE.1);
        let (first, last) = self.plan.ends();
        let x = first as f64..last as f64;
        let (plan, lines, marks) = (self.plan, &self.lines[..], &self.marks[..]);
        let (title, subtitle) = (title(plan), subtitle(plan));
        let frame = Frame {
            title: &title,
            subtitle: &subtitle,
            x: x_title(plan),
            y: plan.y.axis(),
            right: self.right(),
            has_markers: plan.numbers.len() <= FEW,
        };
        match plan.along {
            Along::Draw { .. } => draw_chart(&picture, &frame, x, lines, marks)?,
            // Decks are as far apart as their ratio is large.
            Along::Cards { .. } | Along::WholeDecks => {
                let powers = (0..16).map(|power| 1 << power);
                let ticks = powers.filter(|tick| (first..=last).contains(tick));
                let ticks = ticks.map(|tick| tick as f64).collect();
                let x = x.log_scale().with_key_points(ticks);
                draw_chart(&picture, &frame, x, lines, marks)?;
            }
        }
        for (line, mark) in (0..).zip(marks) {
            let y = line * TEXT_LINE + TEXT_LINE / 2;
            let number = (line + 1).to_string();
            key.draw_text(&number, &font(15, mark.bold, HPos::Center), (LEFT, y))?;
            key.draw_text(&mark.text, &font(15, false, HPos::Left), (LEFT + 16, y))?;
        }
        Ok(area.present()?)
    }
}

fn title(plan: &Plan) -> String {
    let what = plan.y.title();
    match plan.along {
        Along::Draw { cards } => format!("{what} to draw m of {} cards", number(cards)),
        Along::Cards { draw } => format!("{what} to draw {} of n cards", number(draw)),
        Along::WholeDecks => format!("{what} to shuffle n cards and draw them all"),
    }
}

fn subtitle(plan: &Plan) -> String {
    let check = match plan.checked {
        true => "The circuits of a malicious session, with the check that both inputs are in range",
        false => "The circuits alone, without the check that both inputs are in range",
    };
    match plan.curves().iter().any(|curve| curve.is_comparison()) {
        true => format!("{check}. Grey: for comparison only, never played with"),
        false => check.into(),
    }
}

fn x_title(plan: &Plan) -> &'static str {
    match plan.along {
        Along::Draw { .. } => "m, the number of cards drawn",
        Along::Cards { .. } | Along::WholeDecks => "n, the number of cards in the deck",
    }
}

fn curves<'a>(plan: &Plan, sizes: &mut Sizes<'_>, crossings: &[Crossing]) -> Vec<Line<'a>> {
    // With the crossings, so that each mark is on its line.
    let mut numbers = plan.numbers.clone();
    numbers.extend(crossings.iter().map(|crossing| crossing.from));
    numbers.sort_unstable();
    numbers.dedup();
    let line = |curve: Curve| Line {
        name: Cow::Borrowed(curve.name()),
        points: (numbers.iter())
            .map(|&number| (number, sizes.value(curve, number)))
            // A logarithmic axis has no 0. (One card of two takes no AND.)
            .filter(|&(_, value)| value > 0)
            .collect(),
        of: Of::Curve(curve),
    };
    plan.curves().into_iter().map(line).collect()
}

/// One mark for the crossings that belong to the same winner at the same number.
fn marks(plan: &Plan, sizes: &mut Sizes<'_>, crossings: &[Crossing]) -> Vec<Mark> {
    let variable = match plan.along {
        Along::Draw { .. } => "m",
        Along::Cards { .. } | Along::WholeDecks => "n",
    };
    let alike = |a: &Crossing, b: &Crossing| (a.from, a.cheaper) == (b.from, b.cheaper);
    let (unit, lowest) = (plan.y.unit(), plan.y.lowest());
    let mark = |chunk: &[Crossing]| {
        let Crossing { from, cheaper, .. } = chunk[0];
        let value = sizes.value(Curve::Shuffle(cheaper), from);
        let mut news = |crossing: &Crossing| {
            let said = match crossing.of_the_cheapest {
                true => format!("is {lowest}, before it"),
                false => "is below".into(),
            };
            let dearer = sizes.value(Curve::Shuffle(crossing.dearer), from);
            format!("{said} {} ({})", crossing.dearer, number(dearer))
        };
        let news: Vec<String> = chunk.iter().map(&mut news).collect();
        Mark {
            at: (from, value.max(1)),
            bold: chunk.iter().any(|crossing| crossing.of_the_cheapest),
            text: format!(
                "{variable} = {}: from here {cheaper} ({} {unit}) {}",
                number(from),
                number(value),
                news.join(", and ")
            ),
        }
    };
    crossings.chunk_by(alike).map(mark).collect()
}
