//! Axes: where a number is on one, and which numbers are written next to it.

/// How far apart numbers are.
#[derive(Clone, Copy)]
enum Scale {
    /// By their difference.
    Linear,
    /// By their ratio.
    Logarithmic,
}

/// An axis for positive numbers.
pub(super) struct Axis {
    /// What is counted, and in which unit.
    pub(super) title: String,
    scale: Scale,
    /// The smallest and the largest number on it, different.
    ends: (usize, usize),
    /// The numbers written, in ascending order.
    pub(super) ticks: Vec<usize>,
}

impl Axis {
    /// An axis from the smallest to the largest number, ticked at steps of 1, 2 or 5 times a power
    /// of ten, and at the smallest.
    pub(super) fn linear(title: String, smallest: usize, largest: usize) -> Self {
        const MOST_TICKS: usize = 12;
        let step = round_numbers()
            .find(|step| largest / step < MOST_TICKS)
            .expect("round numbers grow");
        let multiples = (step..=largest).step_by(step);
        let mut ticks: Vec<usize> = multiples.filter(|&tick| tick > smallest).collect();
        // The first must not touch the second.
        if ticks.first().is_none_or(|tick| tick - smallest >= step / 2) {
            ticks.insert(0, smallest);
        }
        Axis {
            title,
            scale: Scale::Linear,
            ends: (smallest, largest.max(smallest + 1)),
            ticks,
        }
    }

    /// An axis ticked at the powers of two, from the smallest to the largest number.
    pub(super) fn octaves(title: String, smallest: usize, largest: usize) -> Self {
        let powers = (0..usize::BITS).map(|power| 1 << power);
        Axis {
            title,
            scale: Scale::Logarithmic,
            ends: (smallest, largest.max(smallest + 1)),
            ticks: powers
                .skip_while(|&tick| tick < smallest)
                .take_while(|&tick| tick <= largest)
                .collect(),
        }
    }

    /// An axis ticked at 1, 2 and 5 times the powers of ten, that begins and ends with a tick.
    pub(super) fn decades(title: String, smallest: usize, largest: usize) -> Self {
        let first = round_numbers().take_while(|&tick| tick <= smallest).last();
        let first = first.expect("a positive number");
        let last = round_numbers().find(|&tick| tick >= largest && tick > first);
        let last = last.expect("round numbers grow");
        let ticks = round_numbers().skip_while(|&tick| tick < first);
        Axis {
            title,
            scale: Scale::Logarithmic,
            ends: (first, last),
            ticks: ticks.take_while(|&tick| tick <= last).collect(),
        }
    }

    /// Where a number is: the part of the axis before it, from 0 to 1.
    pub(super) fn share(&self, number: usize) -> f64 {
        let place = |number: usize| match self.scale {
            Scale::Linear => number as f64,
            Scale::Logarithmic => (number as f64).ln(),
        };
        let (first, last) = (place(self.ends.0), place(self.ends.1));
        (place(number) - first) / (last - first)
    }
}

/// 1, 2, 5, 10, 20, 50, …
fn round_numbers() -> impl Iterator<Item = usize> {
    (0..15).flat_map(|power| [1, 2, 5].map(|digit| digit * 10usize.pow(power)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_few() {
        let linear = |from, to| Axis::linear(String::new(), from, to).ticks;
        assert_eq!(linear(1, 52), [1, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50]);
        assert_eq!(linear(1, 9), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
        assert_eq!(linear(1, 100)[..3], [1, 10, 20]);
        assert_eq!(linear(18, 52), [18, 20, 25, 30, 35, 40, 45, 50]);
        assert_eq!(linear(7, 7), [7]);

        let decades = |from, to| Axis::decades(String::new(), from, to);
        assert_eq!(decades(13, 480).ticks, [10, 20, 50, 100, 200, 500]);
        assert_eq!(decades(13, 480).ends, (10, 500));
        assert_eq!(decades(1, 1).ticks, [1, 2]);

        let octaves = Axis::octaves(String::new(), 6, 52);
        assert_eq!((octaves.ticks, octaves.ends), (vec![8, 16, 32], (6, 52)));
    }

    #[test]
    fn equal_ratios_are_equal_distances_on_a_logarithmic_axis_and_equal_steps_on_a_linear_one() {
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
        let octaves = Axis::octaves(String::new(), 4, 256);
        [4, 16, 64, 256]
            .map(|n| octaves.share(n))
            .into_iter()
            .zip([0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0])
            .for_each(|(a, b)| close(a, b));
        let linear = Axis::linear(String::new(), 1, 11);
        close(linear.share(1), 0.0);
        close(linear.share(6), 0.5);
        close(linear.share(11), 1.0);
    }
}
