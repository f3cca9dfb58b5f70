//! Linear algebra on the fingerprints of a few forms.

use std::ops::BitXorAssign;

use super::nodes::Fingerprint;

/// A set of the first [`Basis::MAX`] forms of a basis.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Parts(u128);

impl Parts {
    const NONE: Parts = Parts(0);

    /// The numbers of the forms in the set.
    pub(super) fn numbers(self) -> impl Iterator<Item = usize> {
        (0..Basis::MAX).filter(move |number| self.0 >> number & 1 == 1)
    }
}

impl BitXorAssign for Parts {
    fn bitxor_assign(&mut self, other: Self) {
        self.0 ^= other.0;
    }
}

/// Linearly independent forms, known by their fingerprints.
///
/// The fingerprints of `k` independent forms are linearly dependent with probability below
/// 2^(k - 256), which is at most 2^-128. Only then, a form would be expressed wrongly.
pub(super) struct Basis {
    /// For each bit, the row whose highest bit it is.
    rows: [Option<Row>; Fingerprint::BITS],
    forms: usize,
}

/// The XOR of the forms in `parts`.
#[derive(Clone, Copy)]
struct Row {
    fingerprint: Fingerprint,
    parts: Parts,
}

impl Basis {
    /// The maximum number of forms.
    pub(super) const MAX: usize = 128;

    pub(super) fn new() -> Self {
        Basis {
            rows: [None; Fingerprint::BITS],
            forms: 0,
        }
    }

    /// The number of forms.
    pub(super) fn forms(&self) -> usize {
        self.forms
    }

    /// The forms whose XOR is the form with this fingerprint, if there are any.
    pub(super) fn express(&self, fingerprint: Fingerprint) -> Option<Parts> {
        self.reduce(fingerprint).ok()
    }

    /// Same as [`express`](Self::express), but an independent form joins the basis.
    ///
    /// # Panics
    /// Panics if the basis is full.
    pub(super) fn add(&mut self, fingerprint: Fingerprint) -> Parts {
        self.reduce(fingerprint)
            .unwrap_or_else(|(highest, mut row)| {
                assert!(self.forms < Self::MAX, "the basis is full");
                let own = Parts(1 << self.forms);
                self.forms += 1;
                row.parts ^= own;
                self.rows[highest] = Some(row);
                own
            })
    }

    /// Subtracts rows until nothing is left. Otherwise returns the rest, and its highest bit.
    fn reduce(&self, fingerprint: Fingerprint) -> Result<Parts, (usize, Row)> {
        let mut rest = Row {
            fingerprint,
            parts: Parts::NONE,
        };
        while let Some(highest) = rest.fingerprint.highest() {
            let Some(row) = self.rows[highest] else {
                return Err((highest, rest));
            };
            rest.fingerprint = rest.fingerprint ^ row.fingerprint;
            rest.parts ^= row.parts;
        }
        Ok(rest.parts)
    }
}
