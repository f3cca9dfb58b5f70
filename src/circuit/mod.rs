//! Boolean circuits: the circuit, its builder, gadgets, plaintext evaluation, Bristol Fashion and
//! AIGER.
//!
//! A [`Builder`] records a [`Circuit`], a list of gates that never changes. All other code
//! (counting, evaluating, exporting, garbling) reads this list. The gates are XOR, AND and NOT. The
//! cost of a circuit is its number of AND gates, since XOR and NOT are free when garbled.
//!
//! ```
//! use dealerless::circuit::{Builder, gadgets, to_bits};
//!
//! // Is the garbler's 4-bit number at least the evaluator's?
//! let mut builder = Builder::new(&[4, 4]);
//! let (x, y) = (builder.input(0), builder.input(1));
//! let answer = gadgets::greater_equal(&mut builder, &x, &y);
//! let circuit = builder.build(vec![vec![answer]]);
//! assert_eq!(circuit.ands(), 4);
//!
//! // The bits of a value come least significant first.
//! let inputs = [9, 5].map(|number| to_bits(number, 4).expect("four bits are enough"));
//! assert_eq!(circuit.evaluate(&inputs), Ok(vec![vec![true]]));
//! ```

pub mod aiger;
pub mod blif;
pub mod bristol;
mod builder;
mod digest;
mod evaluate;
pub mod gadgets;
mod gates;
mod layers;
mod number;
mod own_gates;
#[cfg_attr(
    not(feature = "internals"),
    allow(unreachable_pub, reason = "public with the feature `internals`")
)]
mod ownership;
mod party;
mod record;
mod slices;
mod slots;
mod stats;
mod structure;

pub use builder::{Bit, Builder};
pub use evaluate::InputError;
pub use gates::{Gate, Output, Wire};
pub use number::{from_bits, to_bits};
#[cfg(not(feature = "internals"))]
pub(crate) use ownership::Ownership;
#[cfg(feature = "internals")]
pub use ownership::Ownership;
pub use party::{ByParty, Party};
pub use record::Circuit;
pub(crate) use record::Layer;
pub(crate) use slices::Sliced;
pub(crate) use slots::Slots;
pub use stats::Stats;
pub use structure::{AndsByOwner, Structure};
