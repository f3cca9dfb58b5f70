//! The picture of a sweep as SVG: a line for each algorithm, security and pool.

use anyhow::ensure;
use dealerless_program::output::count;
use plotters::coord::Shift;
use plotters::coord::combinators::WithKeyPoints;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

use super::args::Upwards;
use super::plan::{Configuration, Source};
use super::report::Report;
use crate::plot::ink::{FEW, Names, draw_line, font, stroke, ticks};

/// Pixels of the picture, without the names of the lines.
const WIDTH: u32 = 780;
const HEIGHT: u32 = 640;

/// Pixels left of the chart, for the numbers.
const LEFT: u32 = 110;

/// Pixels that a letter of a name takes, generously, and what stands before the name.
const LETTER: u32 = 8;
const BEFORE: u32 = 70;

/// A sweep that can be drawn.
pub(super) struct Chart {
    upwards: Upwards,
    /// Whether the deck grows to the right, or the draw.
    decks: bool,
    /// What stays, in the title.
    stays: String,
    with_security: bool,
    with_pool: bool,
}

struct Line {
    name: String,
    points: Vec<(f64, f64)>,
}

impl Chart {
    /// The picture of these.
    ///
    /// # Errors
    /// When they are no line along which one number grows.
    pub(super) fn of(upwards: Upwards, all: &[Configuration<'_>]) -> anyhow::Result<Self> {
        let mut deals = Vec::new();
        for configuration in all {
            match configuration.source {
                Source::Shuffle(spec) => deals.push((spec.cards(), spec.draw())),
                Source::Netlist(_) => anyhow::bail!("a netlist has no place in a picture of decks"),
            }
        }
        let varies = |value: fn(&(usize, usize)) -> usize| {
            deals.iter().any(|deal| value(deal) != value(&deals[0]))
        };
        let (decks, draws) = (varies(|deal| deal.0), varies(|deal| deal.1));
        let whole = deals.iter().all(|(cards, draw)| cards == draw);
        ensure!(
            decks || draws,
            "one point makes no picture: give a list to --draw or --cards"
        );
        ensure!(
            !(decks && draws) || whole,
            "a picture has one number to the right: give a list to --draw or to --cards, not both"
        );
        let stays = match (decks, whole) {
            (true, true) => "n cards, all drawn".into(),
            (true, false) => format!("{} of n cards", count(deals[0].1 as u64)),
            (false, _) => format!("m of {} cards", count(deals[0].0 as u64)),
        };
        Ok(Chart {
            upwards,
            decks,
            stays,
            with_security: all.iter().any(|one| one.security != all[0].security),
            with_pool: all.iter().any(|one| one.pool != all[0].pool),
        })
    }

    /// Draws what was measured.
    ///
    /// # Errors
    /// When there is nothing to draw.
    pub(super) fn draw(&self, reports: &[Report<'_>]) -> anyhow::Result<String> {
        let lines = self.lines(reports);
        let all = || lines.iter().flat_map(|line| &line.points);
        ensure!(
            all().count() > 0,
            "nothing was measured that could be drawn"
        );
        let bounds = |value: fn(&(f64, f64)) -> f64| {
            let values = all().map(value);
            (
                values.clone().fold(f64::MAX, f64::min),
                values.fold(0.0, f64::max),
            )
        };
        let ((left, right), (low, high)) = (bounds(|point| point.0), bounds(|point| point.1));
        let letters = lines.iter().map(|line| line.name.chars().count()).max();
        let names = BEFORE + LETTER * letters.unwrap_or_default() as u32;
        let mut svg = String::new();
        {
            let area = SVGBackend::with_string(&mut svg, (WIDTH + names, HEIGHT));
            let area = area.into_drawing_area();
            area.fill(&WHITE)?;
            let title = format!(
                "{}, {}, {}",
                self.title(),
                self.stays,
                self.setting(reports)
            );
            area.draw_text(&title, &font(17, true, HPos::Left), (20, 26))?;
            let ticks = ticks(low, high);
            let upwards = (ticks[0]..ticks[ticks.len() - 1]).log_scale();
            // One point alone has some room around it.
            let first = if left == right { left - 1.0 } else { left };
            let mut chart = ChartBuilder::on(&area)
                .margin(20)
                .margin_top(54)
                .margin_right(names)
                .x_label_area_size(50)
                .y_label_area_size(LEFT - 20)
                .build_cartesian_2d(
                    first..right.max(first + 2.0),
                    upwards.with_key_points(ticks),
                )?;
            self.draw_axes(&mut chart)?;
            draw_lines(&area, &mut chart, &lines)?;
            area.present()?;
        }
        Ok(svg)
    }

    fn draw_axes(&self, chart: &mut Axes<'_, '_>) -> anyhow::Result<()> {
        chart
            .configure_mesh()
            .x_desc(match self.decks {
                true => "n, the number of cards in the deck",
                false => "m, the number of cards drawn",
            })
            .y_desc(self.title())
            .axis_desc_style(font(16, false, HPos::Center))
            .label_style(font(14, false, HPos::Center))
            .x_labels(12)
            .x_label_formatter(&|&cards| match cards.fract() {
                0.0 => count(cards as u64),
                _ => String::new(),
            })
            .y_label_formatter(&|&value| label(value))
            .light_line_style(TRANSPARENT)
            .bold_line_style(BLACK.mix(0.12))
            .draw()?;
        Ok(())
    }

    fn title(&self) -> &'static str {
        match self.upwards {
            Upwards::Time => "Median time in ms, pool and online",
            Upwards::Bytes => "Bytes both ways, pool and online",
            Upwards::AndsPerSecond => "AND gates a second, pool and online",
        }
    }

    /// What all lines have in common.
    fn setting(&self, reports: &[Report<'_>]) -> String {
        let security = (!self.with_security).then(|| reports[0].security.clone());
        let pool = format!("pool of {}", reports[0].pool_shuffles);
        let pool = (!self.with_pool).then_some(pool);
        let parts = [security, pool, Some(reports[0].place())];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    /// The lines, the highest at their ends first.
    fn lines(&self, reports: &[Report<'_>]) -> Vec<Line> {
        let mut lines: Vec<Line> = Vec::new();
        for report in reports {
            let mut name = report.algorithm.unwrap_or_default().to_owned();
            if self.with_security {
                name += &format!(", {}", report.security);
            }
            if self.with_pool {
                name += &format!(", pool {}", report.pool_shuffles);
            }
            let total = &report.phases.total;
            let value = match self.upwards {
                Upwards::Time => total.ms,
                Upwards::Bytes => total.bytes as f64,
                Upwards::AndsPerSecond => total.and_per_second.unwrap_or_default() as f64,
            };
            let right = if self.decks {
                report.cards
            } else {
                report.draw
            };
            let point = (right.unwrap_or_default() as f64, value);
            // A logarithmic axis has no 0. (One card of two takes no AND.)
            if value <= 0.0 {
                continue;
            }
            match lines.iter_mut().find(|line| line.name == name) {
                Some(line) => line.points.push(point),
                None => lines.push(Line {
                    name,
                    points: vec![point],
                }),
            }
        }
        let end = |line: &Line| line.points.last().map_or(0.0, |point| point.1);
        lines.sort_by(|a, b| end(b).total_cmp(&end(a)));
        lines
    }
}

type Axes<'a, 'b> =
    ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, WithKeyPoints<LogCoord<f64>>>>;

fn draw_lines(
    area: &DrawingArea<SVGBackend<'_>, Shift>,
    chart: &mut Axes<'_, '_>,
    lines: &[Line],
) -> anyhow::Result<()> {
    let mut names = Names::new(lines.len(), HEIGHT as i32);
    for (number, Line { name, points }) in lines.iter().enumerate() {
        let Some(end) = points.last() else { continue };
        let stroke = stroke(number);
        draw_line(chart, points, stroke, points.len() <= FEW)?;
        names.write(area, chart.backend_coord(end), name, stroke)?;
    }
    Ok(())
}

/// A number of the vertical axis.
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
    fn values_are_between_round_numbers_that_are_written_plainly() {
        let written =
            |low, high| -> Vec<String> { ticks(low, high).into_iter().map(label).collect() };
        assert_eq!(written(0.3, 4.0), ["0.2", "0.5", "1", "2", "5"]);
        assert_eq!(written(1.0, 1.0), ["1", "2"]);
        assert_eq!(written(7e5, 2e6), ["500,000", "1 M", "2 M"]);
    }
}
