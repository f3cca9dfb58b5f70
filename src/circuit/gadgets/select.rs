//! Words scaled, chosen and swapped by one bit.

use crate::circuit::{Bit, Builder};

/// Elements whose span is looked at together.
///
/// A fingerprint has 128 bits, so a form outside a span of dimension d is taken for one inside
/// with probability 2^(d - 128): about 2^-64 for the widest words, below 2^-100 for words that
/// name cards.
const STRETCH: usize = 64;

/// `bit & v` for each element `v` of the vector.
///
/// An element that is a XOR of earlier ones, of `bit` and of the constant 1 costs nothing, so the
/// cost is the rank of the vector modulo those two, at most its length.
pub fn scale(b: &mut Builder, bit: Bit, vector: &[Bit]) -> Vec<Bit> {
    let mut products = Vec::with_capacity(vector.len());
    for stretch in vector.chunks(STRETCH) {
        scale_stretch(b, bit, stretch, &mut products);
    }
    products
}

fn scale_stretch(b: &mut Builder, bit: Bit, vector: &[Bit], products: &mut Vec<Bit>) {
    let mut span = Span::default();
    let mut basis = Vec::with_capacity(1 + vector.len());
    if span.combination(b.fingerprint(bit)).is_none() {
        // bit & bit = bit: a first element of the basis that costs nothing.
        basis.push((bit, bit));
    }
    for &element in vector {
        let Some(combination) = span.combination(b.fingerprint(element)) else {
            let product = b.and(bit, element);
            basis.push((element, product));
            products.push(product);
            continue;
        };
        // A fingerprint does not tell a bit from its negation, which adds bit & 1.
        let mut negated = element.inverted();
        let mut product = Bit::ZERO;
        for (member, &(original, scaled)) in basis.iter().enumerate() {
            if combination >> member & 1 == 1 {
                negated ^= original.inverted();
                product = b.xor(product, scaled);
            }
        }
        products.push(if negated {
            b.xor(product, bit)
        } else {
            product
        });
    }
}

/// The span of the forms met so far, as rows in echelon form.
///
/// Each row remembers of which members of the basis it is the XOR. A form in the span is the XOR
/// of exactly one set of members, so what comes out does not depend on the random pivots.
#[derive(Default)]
struct Span {
    rows: Vec<Row>,
}

struct Row {
    form: u128,
    pivot: u32,
    /// Bit i stands for the i-th member of the basis.
    members: u128,
}

impl Span {
    /// The members of the basis whose XOR is the form; if there are none such, `None`, and the
    /// form becomes the next member of the basis.
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

/// `when_one` if `bit` is 1, otherwise `when_zero`. At most one AND a bit.
///
/// # Panics
/// When the words differ in length.
pub fn mux(b: &mut Builder, bit: Bit, when_one: &[Bit], when_zero: &[Bit]) -> Vec<Bit> {
    let difference = xor(b, when_one, when_zero);
    let chosen = scale(b, bit, &difference);
    xor(b, when_zero, &chosen)
}

/// `(y, x)` if `bit` is 1, otherwise `(x, y)`. At most one AND a bit.
///
/// # Panics
/// When the words differ in length.
pub fn conditional_swap(b: &mut Builder, bit: Bit, x: &[Bit], y: &[Bit]) -> (Vec<Bit>, Vec<Bit>) {
    let difference = xor(b, x, y);
    let moved = scale(b, bit, &difference);
    (xor(b, x, &moved), xor(b, y, &moved))
}

fn xor(b: &mut Builder, x: &[Bit], y: &[Bit]) -> Vec<Bit> {
    assert_eq!(x.len(), y.len(), "words of one length");
    x.iter().zip(y).map(|(&x, &y)| b.xor(x, y)).collect()
}
