//! What can be computed from a view by affine combinations over F2: Gaussian elimination.

/// Bits that are seen again in every run: one column a bit, one row a run.
#[derive(Default)]
pub struct Table {
    columns: Vec<Vec<u64>>,
    runs: usize,
}

impl Table {
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
pub fn leak(view: &Table, secrets: &Table) -> Option<usize> {
    assert_eq!(view.runs, secrets.runs);
    assert!(
        view.runs > view.bits() + secrets.bits() + 64,
        "{} runs are too few for {} + {} bits",
        view.runs,
        view.bits(),
        secrets.bits()
    );
    let mut span = Span::default();
    let words = view.runs.div_ceil(64);
    let mut ones = vec![u64::MAX; words];
    ones[words - 1] >>= (words * 64 - view.runs) as u32;
    span.extend(ones);
    for column in &view.columns {
        span.extend(column.clone());
    }
    (secrets.columns.iter()).position(|secret| !span.extend(secret.clone()))
}

/// A space of columns: a basis, each vector with the place of its first 1, where no later one has
/// a 1.
#[derive(Default)]
struct Span {
    basis: Vec<(usize, Vec<u64>)>,
}

impl Span {
    /// Adds a column, and says whether it was outside the space.
    fn extend(&mut self, mut column: Vec<u64>) -> bool {
        for (pivot, vector) in &self.basis {
            if column[pivot / 64] >> (pivot % 64) & 1 == 1 {
                column.iter_mut().zip(vector).for_each(|(c, v)| *c ^= v);
            }
        }
        let Some(word) = column.iter().position(|&word| word != 0) else {
            return false;
        };
        let pivot = 64 * word + column[word].trailing_zeros() as usize;
        self.basis.push((pivot, column));
        true
    }
}
