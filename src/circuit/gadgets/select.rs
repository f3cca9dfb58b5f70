//! Gadgets that scale, select and swap words by one bit.

use crate::circuit::{Bit, Builder};

/// The maximum rank of a [`Basis`].
///
/// A fingerprint has 128 bits, so a form outside a span of rank r is mistaken for a form in the
/// span with probability 2^(r - 128). This is at most 2^-64, and below 2^-100 for words that encode
/// cards.
const MAX_RANK: usize = 64;

/// `bit & v` for each element `v` of the vector.
///
/// An element costs nothing if it is an XOR of earlier elements, `bit` and the constant 1. So the
/// cost is the rank of the vector modulo `bit` and 1. (Beyond rank 64, an XOR of elements that are
/// far apart is not recognised and costs an AND.)
pub(crate) fn scale(b: &mut Builder, bit: Bit, vector: &[Bit]) -> Vec<Bit> {
    let mut basis = Basis::new(b, bit);
    vector
        .iter()
        .map(|&element| {
            if basis.members.len() >= MAX_RANK {
                basis = Basis::new(b, bit);
            }
            basis.product(b, element)
        })
        .collect()
}

/// Elements of a vector with independent forms, and the AND of each element with `bit`.
struct Basis {
    bit: Bit,
    members: Vec<(Bit, Bit)>,
    span: Span,
}

impl Basis {
    fn new(b: &Builder, bit: Bit) -> Self {
        let mut basis = Basis {
            bit,
            members: Vec::new(),
            span: Span::default(),
        };
        if basis.span.combination(b.fingerprint(bit)).is_none() {
            // bit & bit = bit, so `bit` is a member that costs nothing.
            basis.members.push((bit, bit));
        }
        basis
    }

    /// Returns `bit & element`. An element outside the span becomes the next member.
    fn product(&mut self, b: &mut Builder, element: Bit) -> Bit {
        let Some(combination) = self.span.combination(b.fingerprint(element)) else {
            let product = b.and(self.bit, element);
            self.members.push((element, product));
            return product;
        };
        // A bit and its negation have the same form. Each negation adds bit & 1 = bit to the
        // product.
        let mut negated = element.inverted();
        let mut sum = Bit::ZERO;
        for (i, &(member, product)) in self.members.iter().enumerate() {
            if combination >> i & 1 == 1 {
                negated ^= member.inverted();
                sum = b.xor(sum, product);
            }
        }
        if negated { b.xor(sum, self.bit) } else { sum }
    }
}

/// The span of the forms of a basis, as rows in echelon form.
///
/// Each row records the members of the basis whose XOR it is. A form in the span is the XOR of
/// exactly one set of members, so the result does not depend on the random pivots.
#[derive(Default)]
struct Span {
    rows: Vec<Row>,
}

struct Row {
    form: u128,
    pivot: u32,
    /// Bit i represents the i-th member of the basis.
    members: u128,
}

impl Span {
    /// Returns the members of the basis whose XOR is the form. If the form is outside the span,
    /// returns `None`, and the form becomes the next member of the basis.
    fn combination(&mut self, mut form: u128) -> Option<u128> {
        let mut members = 0;
        for row in &self.rows {
            if form >> row.pivot & 1 == 1 {
                form ^= row.form;
                members ^= row.members;
            }
        }
        if form == 0 {
            return Some(members);
        }
        self.rows.push(Row {
            form,
            pivot: form.trailing_zeros(),
            members: members | 1 << self.rows.len(),
        });
        None
    }
}

/// `when_one` if `bit` is 1, otherwise `when_zero`. At most one AND per bit of the words.
///
/// # Panics
/// Panics if the words differ in length.
pub fn mux(b: &mut Builder, bit: Bit, when_one: &[Bit], when_zero: &[Bit]) -> Vec<Bit> {
    let difference = xor(b, when_one, when_zero);
    let chosen = scale(b, bit, &difference);
    xor(b, when_zero, &chosen)
}

/// `(y, x)` if `bit` is 1, otherwise `(x, y)`. At most one AND per bit of the words.
///
/// # Panics
/// Panics if the words differ in length.
pub fn conditional_swap(b: &mut Builder, bit: Bit, x: &[Bit], y: &[Bit]) -> (Vec<Bit>, Vec<Bit>) {
    let difference = xor(b, x, y);
    let moved = scale(b, bit, &difference);
    (xor(b, x, &moved), xor(b, y, &moved))
}

fn xor(b: &mut Builder, x: &[Bit], y: &[Bit]) -> Vec<Bit> {
    assert_eq!(x.len(), y.len(), "the words have the same length");
    x.iter().zip(y).map(|(&x, &y)| b.xor(x, y)).collect()
}
