//! What a session cost.

use std::time::Duration;

pub(crate) use dealerless_lab::cost::LineCost;
use dealerless_lab::cost::line;
use serde::Serialize;

use crate::output::{bytes, milliseconds};
use crate::play::ShuffleCost;

/// What a session of shuffles cost.
#[derive(Serialize)]
pub(crate) struct DealCost {
    /// Hello and base OTs.
    setup_ms: f64,
    /// What a shuffle needs and can be made ahead; the median over the hands.
    preprocessing_ms: f64,
    /// Bytes of that, both ways; the median.
    preprocessing_bytes: u64,
    /// From the seeds to a sealed deck; the median over the hands.
    shuffle_ms: f64,
    /// Bytes of a shuffle, both ways; the median.
    shuffle_bytes: u64,
    #[serde(flatten)]
    line: LineCost,
    #[serde(skip)]
    hands: usize,
}

impl DealCost {
    /// From the counts of one side.
    pub(crate) fn new(setup: Duration, shuffles: &[ShuffleCost], line: LineCost) -> Self {
        DealCost {
            setup_ms: milliseconds(setup),
            preprocessing_ms: milliseconds(median(shuffles, |cost| cost.preprocessing.time)),
            preprocessing_bytes: median(shuffles, |cost| cost.preprocessing.bytes),
            shuffle_ms: milliseconds(median(shuffles, |cost| cost.shuffle.time)),
            shuffle_bytes: median(shuffles, |cost| cost.shuffle.bytes),
            line,
            hands: shuffles.len(),
        }
    }

    /// Lines for people, with what each party is called.
    pub(crate) fn describe(&self, garbler: &str, evaluator: &str) -> String {
        let of_hands = match self.hands {
            1 => String::new(),
            hands => format!(" (median of {hands} hands)"),
        };
        let spent = |name, ms, sent| line(name, &format!("{ms:.1} ms, {}{of_hands}", bytes(sent)));
        let mut lines = vec![line("setup", &format!("{:.1} ms", self.setup_ms))];
        if self.preprocessing_bytes > 0 {
            let (ms, sent) = (self.preprocessing_ms, self.preprocessing_bytes);
            lines.push(spent("preprocessing", ms, sent));
        }
        lines.push(spent("shuffle", self.shuffle_ms, self.shuffle_bytes));
        lines.push(self.line.describe(garbler, evaluator));
        lines.join("\n")
    }
}

/// The upper median, or the zero of an empty slice.
fn median<V: Ord + Default>(shuffles: &[ShuffleCost], value: fn(&ShuffleCost) -> V) -> V {
    let mut values: Vec<V> = shuffles.iter().map(value).collect();
    values.sort_unstable();
    let middle = values.len() / 2;
    values.into_iter().nth(middle).unwrap_or_default()
}
