//! The room `shuffle`: from "a deck of n cards, draw m" to a circuit, and to the way in which each
//! party's randomness becomes input bits.
//!
//! A [`Spec`] says what is drawn and how. [`ShuffleCircuit::build`] records its circuit; the two
//! parties [`sample`](ShuffleCircuit::sample) their [`Randomness`], and the draw is uniform as soon
//! as one of them did so honestly and independently of the other. [`plaintext`] is the definition
//! that the circuit must equal, on values in the clear.
//!
//! | algorithm | the drawn card | the others |
//! |---|---|---|
//! | [`FisherYates`](Algorithm::FisherYates) | is the one at place i + r_i | the card of place i takes its place |
//! | [`Bubble`](Algorithm::Bubble) | is the one at place i + r_i | keep their order |
//! | [`Lehmer`](Algorithm::Lehmer) | is the one at place i + r_i | keep their order, but no deck is touched |
//! | [`Cut`](Algorithm::Cut) | is the one at place r_i of those left | keep their order or, if n - i is even, are cut behind it |
//!
//! These take draw i from *additive seeds*: `r_i = (a_i + b_i) mod (n - i)`, `a_i` from the garbler
//! and `b_i` from the evaluator. Each algorithm is one file: its definition, its
//! circuit, and the cost of it. [`Algorithm::cheapest`] compares the costs.
//!
//! Whoever plays with a peer that may enter anything builds a circuit that is
//! [checked](ShuffleCircuit::build_checked).
//!
//! [`Bitonic`](Algorithm::Bitonic), [`OddEven`](Algorithm::OddEven) and
//! [`Waksman`](Algorithm::Waksman) send the deck through two copies of a permutation
//! [`network`]. Each party has a permutation, *routes* it to the control bits of its copy's
//! switches, and so draw j is card `g[e[j]]`, g the garbler's permutation and e the evaluator's.
//!
//! ```
//! use dealerless::circuit::Party;
//! use dealerless::shuffle::{Algorithm, ShuffleCircuit, Spec};
//! use rand::{rand_core::UnwrapErr, rngs::SysRng};
//!
//! let spec = Spec::new(52, 9, Algorithm::FisherYates)?;
//! let shuffle = ShuffleCircuit::build(spec);
//! let seeds = [Party::Garbler, Party::Evaluator]
//!     .map(|party| shuffle.sample(party, &mut UnwrapErr(SysRng)).bits().to_vec());
//! let cards = shuffle.decode(&shuffle.circuit().evaluate(&seeds)?);
//! assert_eq!(cards.len(), 9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod additive;
mod algorithm;
mod bubble;
pub mod comparison;
mod construction;
mod cut;
mod deck;
mod estimate;
mod fisher_yates;
mod group;
mod lehmer;
pub mod network;
mod randomness;
mod range_check;
mod shuffle_circuit;
mod spec;

pub use algorithm::{Algorithm, UnknownAlgorithm};
pub use randomness::{Encoding, Randomness, Seed, SeedError};
pub use shuffle_circuit::{ShuffleCircuit, plaintext};
pub use spec::{Spec, SpecError};
