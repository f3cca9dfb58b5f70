//! A node or its negation.

/// A node or its negation. Node 0 is the constant 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Literal(u32);

impl Literal {
    pub(super) const ZERO: Literal = Literal(0);

    /// The node itself, not negated.
    ///
    /// # Panics
    /// Panics if the number has more than 31 bits.
    pub(super) fn positive(node: usize) -> Self {
        assert!(node < 1 << 31, "too many nodes");
        Literal((node as u32) << 1)
    }

    pub(super) fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub(super) fn negated(self) -> bool {
        self.0 & 1 == 1
    }

    pub(super) fn negate_if(self, negate: bool) -> Self {
        Literal(self.0 ^ u32::from(negate))
    }
}
