//! The picture of a sweep, with a curve for each algorithm, engine and pool.

use std::path::Path;

use anyhow::ensure;
use dealerless_command_line::output::count;

use super::args::Quantity;
use super::plan::{Configuration, Source};
use super::report::Report;
use crate::plot::{Axis, Chart, Curve, FEW, Picture, Stroke};

/// The layout of the picture of a sweep.
pub(super) struct Sweep {
    quantity: Quantity,
    /// Whether the horizontal axis shows the cards in the deck, instead of the cards drawn.
    decks: bool,
    /// The numbers of cards for the subtitle, such as `m of 52 cards`.
    fixed: String,
    with_engine: bool,
    with_pool: bool,
}

impl Sweep {
    /// The layout for the configurations `all`.
    ///
    /// # Errors
    /// If a configuration is a netlist, or one horizontal axis does not fit all configurations.
    pub(super) fn of(quantity: Quantity, all: &[Configuration<'_>]) -> anyhow::Result<Self> {
        let mut deals = Vec::new();
        for configuration in all {
            match configuration.source {
                Source::Shuffle(spec) => deals.push((spec.cards(), spec.draw())),
                Source::Netlist(_) => {
                    anyhow::bail!("a picture cannot show netlists, only shuffles")
                }
            }
        }
        let varies = |value: fn(&(usize, usize)) -> usize| {
            deals.iter().any(|deal| value(deal) != value(&deals[0]))
        };
        let (decks, draws) = (varies(|deal| deal.0), varies(|deal| deal.1));
        let whole = deals.iter().all(|(cards, draw)| cards == draw);
        ensure!(
            decks || draws,
            "a picture needs several points: give a list to --draw or --cards"
        );
        ensure!(
            !(decks && draws) || whole,
            "a picture has one horizontal axis: give a list to --draw or to --cards, not both"
        );
        let fixed = match (decks, whole) {
            (true, true) => "n cards, all drawn".into(),
            (true, false) => format!("{} of n cards", count(deals[0].1 as u64)),
            (false, _) => format!("m of {} cards", count(deals[0].0 as u64)),
        };
        Ok(Sweep {
            quantity,
            decks,
            fixed,
            with_engine: all.iter().any(|one| one.engine != all[0].engine),
            with_pool: all.iter().any(|one| one.pool != all[0].pool),
        })
    }

    /// Draws the results for the file `path`, as [`Picture::file`] does.
    ///
    /// # Errors
    /// If no result can be drawn.
    pub(super) fn draw(&self, reports: &[Report<'_>], path: &Path) -> anyhow::Result<Vec<u8>> {
        let curves = self.curves(reports);
        let points = || curves.iter().flat_map(|curve| &curve.points);
        let numbers = points().map(|point| point.0);
        let (first, last) = (numbers.clone().reduce(f64::min), numbers.reduce(f64::max));
        let (Some(first), Some(last)) = (first, last) else {
            anyhow::bail!("there are no results to draw")
        };
        // Leave some room around a single number.
        let range = if first == last {
            first - 1.0..first + 1.0
        } else {
            first..last.max(first + 2.0)
        };
        let whiskers = curves.iter().flat_map(|curve| &curve.whiskers);
        let values = points().map(|point| point.1);
        let values: Vec<f64> = values
            .chain(whiskers.flat_map(|whisker| whisker.1))
            .collect();
        let (x, y) = if self.decks {
            ("n, the number of cards in the deck", self.title())
        } else {
            ("m, the number of cards drawn", self.title())
        };
        let chart = Chart {
            title: String::new(),
            left: 110,
            size: (670, 500),
            x: Axis::linear(x, range, 12, |number| match number.fract() {
                0.0 => count(number as u64),
                _ => String::new(),
            }),
            y: Axis::of_values(y, values.into_iter(), label),
            curves,
            marks: Vec::new(),
        };
        Picture {
            title: self.title().into(),
            subtitle: format!("{}, {}", self.fixed, self.setting(reports)),
            rows: vec![vec![chart]],
        }
        .file(Some(path))
    }

    fn title(&self) -> &'static str {
        match self.quantity {
            Quantity::Time => "Median time in ms with its quartiles, pool and online",
            Quantity::Bytes => "Bytes both ways, pool and online",
            Quantity::AndsPerSecond => "AND gates a second, pool and online",
        }
    }

    /// The text of the settings that all curves have in common.
    fn setting(&self, reports: &[Report<'_>]) -> String {
        let engine = (!self.with_engine).then(|| reports[0].engine.to_string());
        let pool = format!("pool of {}", reports[0].pool_shuffles);
        let pool = (!self.with_pool).then_some(pool);
        let parts = [engine, pool, Some(reports[0].place())];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    /// The curves, sorted by their last values, the highest first.
    fn curves(&self, reports: &[Report<'_>]) -> Vec<Curve> {
        type Point = (f64, f64, Option<[f64; 2]>);
        let mut curves: Vec<(String, Vec<Point>)> = Vec::new();
        for report in reports {
            let mut name = report.algorithm.unwrap_or_default().to_owned();
            if self.with_engine {
                name += &format!(", {}", report.engine);
            }
            if self.with_pool {
                name += &format!(", pool {}", report.pool_shuffles);
            }
            let total = &report.phases.total;
            let value = match self.quantity {
                Quantity::Time => total.ms,
                Quantity::Bytes => total.bytes as f64,
                Quantity::AndsPerSecond => total.and_per_second.unwrap_or_default() as f64,
            };
            let number = if self.decks {
                report.cards
            } else {
                report.draw
            };
            // A logarithmic axis has no 0. (Drawing one of two cards takes no AND, so its rate is
            // 0.)
            if value > 0.0 {
                let quartiles = match self.quantity {
                    Quantity::Time => Some([total.q1, total.q3]),
                    Quantity::Bytes | Quantity::AndsPerSecond => None,
                };
                let point = (number.unwrap_or_default() as f64, value, quartiles);
                match curves.iter_mut().find(|(other, _)| *other == name) {
                    Some((_, points)) => points.push(point),
                    None => curves.push((name, vec![point])),
                }
            }
        }
        let end = |points: &[Point]| points.last().map_or(0.0, |point| point.1);
        curves.sort_by(|(_, a), (_, b)| end(b).total_cmp(&end(a)));
        let curves = curves.into_iter().enumerate();
        curves
            .map(|(number, (name, points))| Curve {
                name,
                discs: points.len() <= FEW,
                whiskers: (points.iter())
                    .filter_map(|&(x, _, quartiles)| Some((x, quartiles?)))
                    .filter(|(_, [low, _])| *low > 0.0)
                    .collect(),
                points: points.into_iter().map(|(x, y, _)| (x, y)).collect(),
                stroke: Stroke::numbered(number),
            })
            .collect()
    }
}

/// Formats a number on the vertical axis.
fn label(value: f64) -> String {
    match value {
        v if v >= 999_999.5 => format!("{} M", v / 1e6),
        v if v >= 0.9995 => count(v.round() as u64),
        v => format!("{v:.4}").trim_end_matches('0').to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vertical_axis_labels_are_plain_numbers() {
        let numbers = [0.2, 0.5, 1.0, 5.0, 5e5, 1e6, 2e6].map(label);
        assert_eq!(numbers, ["0.2", "0.5", "1", "5", "500,000", "1 M", "2 M"]);
    }
}
