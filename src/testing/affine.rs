//! Gaussian elimination: the bits that can be computed from a view by affine combinations over F2.

/// Bits that are observed in every run: one column per bit, one row per run.
#[derive(Default)]
pub struct Samples {
    columns: Vec<Vec<u64>>,
    runs: usize,
}

impl Samples {
    /// Adds the bits observed in a further run. Each run must have the same number of bits, in the
    /// same order.
    pub fn add_run(&mut self, bits: impl IntoIterator<Item = bool>) {
        let mut seen = 0;
        for bit in bits {
            if seen == self.columns.len() {
                assert_eq!(self.runs, 0, "every run has the same number of bits");
                self.columns.push(Vec::new());
            }
            let column = &mut self.columns[seen];
            if self.runs.is_multiple_of(64) {
                column.push(0);
            }
            column[self.runs / 64] |= u64::from(bit) << (self.runs % 64);
            seen += 1;
        }
        assert_eq!(
            seen,
            self.columns.len(),
            "every run has the same number of bits"
        );
        self.runs += 1;
    }

    /// The number of bits per run.
    pub fn bits(&self) -> usize {
        self.columns.len()
    }
}

/// Returns the first secret that the view reveals. A secret is revealed if the secret, or its sum
/// with earlier secrets, equals the same sum of bits of the view in every run, or the negation of
/// that sum in every run.
///
/// # Panics
/// If the number of runs does not exceed the number of bits in `view` and `secrets` by more than
/// 64. With no more runs than bits, some sum matches by chance; with 64 more runs, this happens
/// with probability 2^-64.
pub fn leak(view: &Samples, secrets: &Samples) -> Option<usize> {
    Span::of(view).leak(secrets)
}

/// All affine combinations of the bits of a view.
#[derive(Clone)]
pub struct Span {
    /// The vectors of the basis, each with the position of its first 1. All later vectors have a 0
    /// at this position.
    basis: Vec<(usize, Vec<u64>)>,
    bits: usize,
    runs: usize,
}

impl Span {
    pub fn of(view: &Samples) -> Self {
        let words = view.runs.div_ceil(64);
        let mut ones = vec![u64::MAX; words];
        ones[words - 1] >>= (words * 64 - view.runs) as u32;
        let mut span = Span {
            basis: Vec::new(),
            bits: 0,
            runs: view.runs,
        };
        span.extend(&ones);
        span.with(view)
    }

    /// The span of this view and of the bits in `more`.
    pub fn with(mut self, more: &Samples) -> Self {
        assert_eq!(self.runs, more.runs);
        self.bits += more.bits();
        for column in &more.columns {
            self.extend(column);
        }
        self
    }

    /// Returns the first secret that the view reveals, like [`leak`].
    pub fn leak(&self, secrets: &Samples) -> Option<usize> {
        self.assert_enough_runs(secrets);
        let mut span = self.clone();
        (secrets.columns.iter()).position(|secret| !span.extend(secret))
    }

    /// Returns the secrets that the view reveals, each alone or as its sum with earlier secrets,
    /// and that do not follow from `known`. The view must contain `known`.
    pub fn leaks_beyond(&self, known: &Span, secrets: &Samples) -> Vec<usize> {
        self.assert_enough_runs(secrets);
        let (mut known, mut view) = (known.clone(), self.clone());
        let mut leaks = Vec::new();
        for (i, secret) in secrets.columns.iter().enumerate() {
            let (fresh, hidden) = (known.extend(secret), view.extend(secret));
            if fresh && !hidden {
                leaks.push(i);
            }
        }
        leaks
    }

    /// Returns for each bit whether the view reveals it alone.
    pub fn knows(&self, bits: &Samples) -> Vec<bool> {
        self.assert_enough_runs(bits);
        bits.columns
            .iter()
            .map(|bit| self.reduce(bit).iter().all(|&word| word == 0))
            .collect()
    }

    fn assert_enough_runs(&self, others: &Samples) {
        assert_eq!(self.runs, others.runs);
        assert!(
            self.runs > self.bits + others.bits() + 64,
            "{} runs are too few for {} + {} bits",
            self.runs,
            self.bits,
            others.bits()
        );
    }

    /// Adds a column. Returns `true` if the column was outside the span.
    fn extend(&mut self, column: &[u64]) -> bool {
        let column = self.reduce(column);
        let Some(word) = column.iter().position(|&word| word != 0) else {
            return false;
        };
        let pivot = 64 * word + column[word].trailing_zeros() as usize;
        self.basis.push((pivot, column));
        true
    }

    /// Reduces a column by the basis: the result is zero if the column is in the span.
    fn reduce(&self, column: &[u64]) -> Vec<u64> {
        let mut column = column.to_vec();
        for (pivot, vector) in &self.basis {
            let word = pivot / 64;
            if column[word] >> (pivot % 64) & 1 == 1 {
                // All earlier words of the vector are 0.
                let rest = column[word..].iter_mut().zip(&vector[word..]);
                rest.for_each(|(c, v)| *c ^= v);
            }
        }
        column
    }
}
