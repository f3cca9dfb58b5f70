//! Axes and their numbers.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use plotters::coord::types::RangedCoordf64;

/// An axis with labelled ticks.
#[derive(Clone)]
pub struct Axis {
    pub(super) title: String,
    range: Range<f64>,
    /// Value and label of each tick.
    ticks: Vec<(f64, String)>,
    logarithmic: bool,
}

impl Axis {
    /// A linear axis with at most `count` ticks. Ticks with empty labels are omitted.
    pub fn linear(
        title: &str,
        range: Range<f64>,
        count: usize,
        label: impl Fn(f64) -> String,
    ) -> Self {
        let ticks = RangedCoordf64::from(range.clone()).key_points(count);
        let ticks = ticks.into_iter().map(|tick| (tick, label(tick)));
        Axis {
            title: title.into(),
            range,
            ticks: ticks.filter(|(_, label)| !label.is_empty()).collect(),
            logarithmic: false,
        }
    }

    /// A logarithmic axis with the given ticks.
    pub(crate) fn logarithmic(
        title: &str,
        range: Range<f64>,
        ticks: &[f64],
        label: impl Fn(f64) -> String,
    ) -> Self {
        let ticks = ticks.iter().map(|&tick| (tick, label(tick)));
        Axis {
            title: title.into(),
            range,
            ticks: ticks.collect(),
            logarithmic: true,
        }
    }

    /// A logarithmic axis for the given values, with ticks at 1, 2 and 5 times each power of ten.
    pub(crate) fn of_values(
        title: &str,
        values: impl Iterator<Item = f64>,
        label: impl Fn(f64) -> String,
    ) -> Self {
        let (least, most) = values.fold((f64::MAX, f64::MIN_POSITIVE), |(least, most), value| {
            (least.min(value), most.max(value))
        });
        let ticks = ticks(least, most);
        Axis::logarithmic(title, ticks[0]..ticks[ticks.len() - 1], &ticks, label)
    }

    /// A vertical axis of named rows, from top to bottom. Row `i` of `n` is at `n - i - 0.5`.
    pub fn rows(title: &str, names: impl ExactSizeIterator<Item = String>) -> Self {
        let rows = names.len() as f64;
        let ticks = (0..).zip(names);
        Axis {
            title: title.into(),
            range: 0.0..rows,
            ticks: ticks
                .map(|(row, name)| (rows - f64::from(row) - 0.5, name))
                .collect(),
            logarithmic: false,
        }
    }
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let position = |value: f64| if self.logarithmic { value.ln() } else { value };
        let positions = position(self.range.start)..position(self.range.end);
        RangedCoordf64::from(positions).map(&position(*value), limit)
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        if hint.weight().allow_light_points() {
            Vec::new()
        } else {
            self.ticks.iter().map(|(tick, _)| *tick).collect()
        }
    }

    fn range(&self) -> Range<f64> {
        self.range.clone()
    }
}

impl ValueFormatter<f64> for Axis {
    fn format_ext(&self, value: &f64) -> String {
        let tick = self.ticks.iter().find(|(tick, _)| tick == value);
        tick.map_or(String::new(), |(_, label)| label.clone())
    }
}

/// At least two consecutive numbers of the form 1, 2 or 5 times a power of ten: from the last
/// number not above `least` to the first number not below `most`.
fn ticks(least: f64, most: f64) -> Vec<f64> {
    let all = (-4..16).flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * 10f64.powi(power)));
    let all: Vec<f64> = all.collect();
    let first = all
        .partition_point(|&tick| tick <= least)
        .clamp(1, all.len() - 1)
        - 1;
    let last = all.partition_point(|&tick| tick < most).max(first + 1);
    all[first..=last.min(all.len() - 1)].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_enclose_the_values() {
        assert_eq!(ticks(13.0, 480.0), [10.0, 20.0, 50.0, 100.0, 200.0, 500.0]);
        assert_eq!(ticks(10.0, 500.0), [10.0, 20.0, 50.0, 100.0, 200.0, 500.0]);
        assert_eq!(ticks(1.0, 1.0), [1.0, 2.0]);
        assert_eq!(ticks(7.0, 7.0), [5.0, 10.0]);
        assert_eq!(ticks(5.0, 5.0), [5.0, 10.0]);
        assert_eq!(ticks(0.3, 4.0), [0.2, 0.5, 1.0, 2.0, 5.0]);
    }
}
