//! Rates with confidence intervals.

/// The quantile of the normal distribution for a 95 % interval.
const QUANTILE: f64 = 1.959_964;

/// A rate with its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The observed rate.
    pub rate: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

impl Estimate {
    /// The rate `hits / samples` with its Wilson interval (Wilson, Probable inference, the law of
    /// succession, and statistical inference, Journal of the American Statistical Association,
    /// 1927).
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

/// Sums for the mean and the variance of a list of numbers, one for each board.
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

    /// The mean divided by `most`, the largest possible number. The interval is that of a normal
    /// distribution.
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
