//! Exact tests on how often one of two outcomes occurred in a number of runs.

/// The p-value below which a count is not attributed to chance.
pub const SUSPICIOUS: f64 = 1e-6;

fn ln_choose(n: usize, k: usize) -> f64 {
    (0..k)
        .map(|i| (((n - i) as f64) / ((i + 1) as f64)).ln())
        .sum()
}

/// The sum of all probabilities that do not exceed the probability of `seen`.
fn two_sided(ln_probabilities: &[f64], seen: usize) -> f64 {
    let limit = ln_probabilities[seen] + 1e-9;
    (ln_probabilities.iter().filter(|p| **p <= limit))
        .map(|p| p.exp())
        .sum()
}

/// The probability that `n` fair coins show a number of heads that is at most as likely as `heads`.
pub fn p_of_fair_coins(n: usize, heads: usize) -> f64 {
    let ln_half = 0.5f64.ln();
    let all: Vec<f64> = (0..=n)
        .map(|k| ln_choose(n, k) + n as f64 * ln_half)
        .collect();
    two_sided(&all, heads)
}

/// Fisher's exact test: the probability that two rows of `n` runs each, with the same rate, differ
/// at least as much as these two counts.
pub fn p_of_same_rate(n: usize, [one, other]: [usize; 2]) -> f64 {
    let sum = one + other;
    let least = sum.saturating_sub(n);
    let all: Vec<f64> = (least..=sum.min(n))
        .map(|k| ln_choose(n, k) + ln_choose(n, sum - k) - ln_choose(2 * n, sum))
        .collect();
    two_sided(&all, one - least)
}
