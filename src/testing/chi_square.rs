//! Pearson's chi-square statistic on draws, and the probability of a value at least as large.
//!
//! Probabilities are returned as natural logarithms, so that a p-value of 10^-300 can be
//! represented.

use std::collections::HashMap;
use std::f64::consts::PI;

/// ln 10^-18: a statistic with a smaller p-value is not attributed to chance. The tests compute
/// fewer than 1000 statistics in a run, so that one of them fails by chance in less than one of
/// 2^40 runs.
pub const SUSPICIOUS: f64 = -41.446;

/// Counts how often each card of `0..n` was drawn at each position. Returns ln p for equal
/// frequencies.
///
/// The cells of one draw are dependent. Their covariance is `n/(n-1) * (I - J/n) ⊗ (I - J/n)/n`,
/// where the first factor is over the m positions and the second over the n cards, I is the
/// identity and J is the matrix of ones. The first factor has the eigenvalues 1 (`m - 1` times) and
/// `1 - m/n`, so the statistic is `n/(n-1) * [chi2((m-1)(n-1)) + (1 - m/n) * chi2(n-1)]`.
pub fn ln_p_of_places_and_cards(draws: &[Vec<u32>], n: usize) -> f64 {
    let m = draws[0].len();
    let mut counts = vec![0u64; m * n];
    for draw in draws {
        for (place, &card) in draw.iter().enumerate() {
            counts[place * n + card as usize] += 1;
        }
    }
    let expected = draws.len() as f64 / n as f64;
    let (n, m) = (n as f64, m as f64);
    ln_survival_of_sum(
        statistic(counts, expected) * (n - 1.0) / n,
        (m - 1.0) * (n - 1.0),
        1.0 - m / n,
        n - 1.0,
    )
}

/// Counts how often each ordered pair of different cards was drawn at the two positions `places`.
/// Returns ln p for equal frequencies.
pub fn ln_p_of_pair(draws: &[Vec<u32>], n: usize, places: (usize, usize)) -> f64 {
    let mut counts = HashMap::new();
    for draw in draws {
        *counts
            .entry((draw[places.0], draw[places.1]))
            .or_insert(0u64) += 1;
    }
    let pairs = n * (n - 1);
    let unseen = pairs - counts.len();
    let counts = counts.into_values().chain(std::iter::repeat_n(0, unseen));
    let expected = draws.len() as f64 / pairs as f64;
    ln_survival(statistic(counts, expected), pairs as f64 - 1.0)
}

fn statistic(counts: impl IntoIterator<Item = u64>, expected: f64) -> f64 {
    counts
        .into_iter()
        .map(|count| (count as f64 - expected).powi(2) / expected)
        .sum()
}

/// ln P(X >= x), where X is chi-square with `degrees` degrees of freedom.
pub fn ln_survival(x: f64, degrees: f64) -> f64 {
    ln_upper_gamma(degrees / 2.0, x / 2.0)
}

/// ln P(X + weight * Y >= x), where X and Y are independent and chi-square with `first` and
/// `second` degrees of freedom. The integral over Y is computed by the midpoint rule.
pub fn ln_survival_of_sum(x: f64, first: f64, weight: f64, second: f64) -> f64 {
    if weight <= 0.0 {
        return ln_survival(x, first);
    }
    // Less than 10^-16 of Y lies beyond these bounds.
    let spread = 12.0 * (2.0 * second).sqrt();
    let (low, high) = ((second - spread).max(0.0), second + 2.0 * spread + 60.0);
    let steps = 4000;
    let step = (high - low) / f64::from(steps);
    let terms: Vec<f64> = (0..steps)
        .map(|i| {
            let y = low + (f64::from(i) + 0.5) * step;
            ln_density(y, second) + ln_survival((x - weight * y).max(0.0), first) + step.ln()
        })
        .collect();
    let largest = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    largest
        + terms
            .iter()
            .map(|term| (term - largest).exp())
            .sum::<f64>()
            .ln()
}

fn ln_density(y: f64, degrees: f64) -> f64 {
    let half = degrees / 2.0;
    (half - 1.0) * y.ln() - y / 2.0 - half * 2f64.ln() - ln_gamma(half)
}

/// ln Q(a, x), the regularised upper incomplete gamma function (Numerical Recipes, 6.2).
fn ln_upper_gamma(a: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    let ln_scale = a * x.ln() - x - ln_gamma(a);
    if x < a + 1.0 {
        // 1 minus the series of the lower function.
        let (mut term, mut sum, mut n) = (1.0 / a, 1.0 / a, a);
        while term > sum * 1e-17 {
            n += 1.0;
            term *= x / n;
            sum += term;
        }
        return (-(ln_scale + sum.ln()).exp()).ln_1p();
    }
    // The continued fraction, by Lentz's method.
    let tiny = 1e-300;
    let mut b = x + 1.0 - a;
    let mut c = 1.0 / tiny;
    let mut d = 1.0 / b;
    let mut fraction = d;
    for i in 1..100_000 {
        let i = f64::from(i);
        let an = i * (a - i);
        b += 2.0;
        d = 1.0 / nonzero(an * d + b, tiny);
        c = nonzero(b + an / c, tiny);
        fraction *= d * c;
        if (d * c - 1.0).abs() < 1e-15 {
            break;
        }
    }
    ln_scale + fraction.ln()
}

fn nonzero(x: f64, tiny: f64) -> f64 {
    if x.abs() < tiny { tiny } else { x }
}

/// ln Γ(x) for x > 0: Stirling's series, after shifting x to at least 15, where the series is exact
/// to 10^-15.
fn ln_gamma(x: f64) -> f64 {
    let (mut x, mut below) = (x, 0.0);
    while x < 15.0 {
        below += x.ln();
        x += 1.0;
    }
    let inverse = 1.0 / x;
    let square = inverse * inverse;
    let series = inverse
        * (1.0 / 12.0 - square * (1.0 / 360.0 - square * (1.0 / 1260.0 - square * (1.0 / 1680.0))));
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * PI).ln() + series - below
}
