//! Rates with their confidence intervals.

/// The quantile of the normal distribution for intervals of 95 %.
const QUANTILE: f64 = 1.959_964;

/// A rate, with its confidence interval of 95 %.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The rate that was counted.
    pub rate: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Estimate {
    /// So many hits of so many, with the interval of Wilson (Probable inference, the law of
    /// succession, and statistical inference, Journal of the American Statistical Association, 1927).
    pub(super) fn of(hits: u32, samples: u32) -> Estimate {
        let (hits, samples) = (f64::from(hits), f64::from(samples.max(1)));
        let (rate, squared) = (hits / samples, QUANTILE * QUANTILE);
        let middle = (hits + squared / 2.0) / (samples + squared);
        let spread = rate * (1.0 - rate) * samples + squared / 4.0;
        let half = QUANTILE * spread.sqrt() / (samples + squared);
        Estimate {
            rate,
            low: middle - half,
            high: middle + half,
        }
    }
}

/// The mean of numbers of which each belongs to one board.
#[derive(Clone, Copy, Default)]
pub(super) struct Mean {
    count: f64,
    sum: f64,
    squares: f64,
}

impl Mean {
    pub(super) fn add(&mut self, number: u32) {
        let number = f64::from(number);
        self.count += 1.0;
        self.sum += number;
        self.squares += number * number;
    }

    pub(super) fn and(self, other: Mean) -> Mean {
        Mean {
            count: self.count + other.count,
            sum: self.sum + other.sum,
            squares: self.squares + other.squares,
        }
    }

    /// The mean of the numbers out of `most`, with the interval of a normal distribution.
    pub(super) fn estimate(self, most: f64) -> Estimate {
        let count = self.count.max(1.0);
        let mean = self.sum / count;
        let variance = (self.squares / count - mean * mean).max(0.0);
        let half = QUANTILE * (variance / count).sqrt();
        Estimate {
            rate: mean / most,
            low: (mean - half) / most,
            high: (mean + half) / most,
        }
    }
}
