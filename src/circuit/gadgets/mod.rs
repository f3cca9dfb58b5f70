//! Small circuits on words of bits, least significant bit first.
//!
//! Each gadget states its cost in AND gates for operands without constant or repeated bits. For
//! operands with such bits, the [`Builder`](super::Builder) reduces the cost.

mod arithmetic;
mod decode;
mod select;

pub use arithmetic::{add, count_ones, equals, greater_equal};
pub(crate) use arithmetic::{add_mod, at_least, decrement_if, increment_if};
pub(crate) use decode::one_hot;
pub(crate) use select::scale;
pub use select::{conditional_swap, mux};

#[cfg(test)]
mod tests;

use super::Bit;

/// The constant `value` as a word of `bits` bits. Higher bits of the value are dropped.
pub fn constant(value: u64, bits: usize) -> Vec<Bit> {
    (0..bits).map(|i| constant_bit(value, i)).collect()
}

fn constant_bit(value: u64, i: usize) -> Bit {
    Bit::from(i < 64 && value >> i & 1 == 1)
}
