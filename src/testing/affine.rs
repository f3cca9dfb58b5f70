//! What can be computed from a view by affine combinations over F2: Gaussian elimination.

/// Bits that are seen again in every run: one column a bit, one row a run.
#[derive(Default)]
pub struct Samples {
    columns: Vec<Vec<u64>>,
    runs: usize,
}

impl Samples {
    /// Adds what was seen in one more run: as many bits as in the others, in the same order.
    pub fn add_run(&mut self, bits: impl IntoIterator<Item = bool>) {
        let mut seen = 0;
        for bit in bits {
            if seen == self.columns.len() {
                assert_eq!(self.runs, 0, "every run shows as many bits");
                self.columns.push(Vec::new());
            }
            let column = &mut self.columns[seen];
            if self.runs.is_multiple_of(64) {
                column.push(0);
            }
            column[self.runs / 64] |= u64::from(bit) << (self.runs % 64);
            seen += 1;
        }
        assert_eq!(seen, self.columns.len(), "every run shows as many bits");
        self.runs += 1;
    }

    /// How many bits a run shows.
    pub fn bits(&self) -> usize {
        self.columns.len()
    }
}

/// The first secret that the view gives away: it, or its sum with secrets before it, is in every
/// run the same sum of bits of the view, or the negation of that.
///
/// # Panics
/// If there are too few runs: with no more than bits, some sum fits by chance. With 64 more, one
/// does with probability 2^-64.
pub fn leak(view: &Samples, secrets: &Samples) -> Option<usize> {
    Span::of(view).leak(secrets)
}

/// All affine combinations of the bits of a view.
#[derive(Clone)]
pub struct Span {
    /// Each vector with the place of its first 1, where no later one has a 1.
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

    /// Of the view and the bits of one more.
    pub fn with(mut self, more: &Samples) -> Self {
        assert_eq!(self.runs, more.runs);
        self.bits += more.bits();
        for column in &more.columns {
            self.extend(column);
        }
        self
    }

    /// The first secret that the view gives away, as [`leak`] says.
    pub fn leak(&self, secrets: &Samples) -> Option<usize> {
        self.assert_enough_runs(secrets);
        let mut span = self.clone();
        (secrets.columns.iter()).position(|secret| !span.extend(secret))
    }

    /// The secrets that the view gives away, each by itself or as its sum with those before it, and
    /// that do not follow from `known`, which the view must contain.
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

    /// For each of these bits, whether the view gives it away alone.
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

    /// Adds a column, and says whether it was outside the space.
    fn extend(&mut self, column: &[u64]) -> bool {
        let column = self.reduce(column);
        let Some(word) = column.iter().position(|&word| word != 0) else {
            return false;
        };
        let pivot = 64 * word + column[word].trailing_zeros() as usize;
        self.basis.push((pivot, column));
        true
    }

    /// What is left of a column: nothing if it is in the space.
    fn reduce(&self, column: &[u64]) -> Vec<u64> {
        let mut column = column.to_vec();
        for (pivot, vector) in &self.basis {
            if column[pivot / 64] >> (pivot % 64) & 1 == 1 {
                column.iter_mut().zip(vector).for_each(|(c, v)| *c ^= v);
            }
        }
        column
    }
}
