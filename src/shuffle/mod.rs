//! Shuffles as circuits: converts "a deck of n cards, draw m" to a circuit, and a party's
//! randomness to its input bits.
//!
//! A [`Spec`] states the number of cards, how many cards are drawn, and the algorithm.
//! [`ShuffleCircuit::build`] records the circuit of a spec. Each party
//! [samples](ShuffleCircuit::sample) its [`Randomness`]. The draw is uniform if at least one party
//! samples honestly and independently of the other. [`plaintext`] defines the drawn cards, and the
//! circuit must compute the same function.
//!
//! In four of the algorithms, an index r_i determines draw i = 0, 1, …:
//!
//! | algorithm | drawn card | other cards |
//! |---|---|---|
//! | [`FisherYates`](Algorithm::FisherYates) | position i + r_i | card at i fills the gap |
//! | [`Bubble`](Algorithm::Bubble) | position i + r_i | keep their order |
//! | [`Lehmer`](Algorithm::Lehmer) | position i + r_i | keep their order, but no deck is computed |
//! | [`Cut`](Algorithm::Cut) | position r_i of the rest | keep their order; cut if n - i is even |
//!
//! The index comes from *additive seeds*: `r_i = (a_i + b_i) mod (n - i)`, where `a_i` is the
//! garbler's seed and `b_i` the evaluator's seed. A peer may enter seeds that are out of range. A
//! [checked](ShuffleCircuit::build_checked) circuit detects such seeds.
//!
//! [`Bitonic`](Algorithm::Bitonic), [`OddEven`](Algorithm::OddEven) and
//! [`Waksman`](Algorithm::Waksman) send the deck through two copies of a permutation network. Each
//! party has a permutation and *routes* it: the party computes the control bits with which its copy
//! of the network applies the permutation. Draw j is then card `g[e[j]]`, where g is the garbler's
//! permutation and e the evaluator's.
//!
//! Each algorithm has one file, with its definition, its circuit and its cost.
//! [`Algorithm::cheapest`] compares the costs.
//!
//! ```
//! use dealerless::circuit::Party;
//! use dealerless::rand::{rand_core::UnwrapErr, rngs::SysRng};
//! use dealerless::shuffle::{Algorithm, ShuffleCircuit, Spec};
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
mod catalogue;
#[cfg(feature = "comparison")]
pub mod comparison;
mod computed;
mod construction;
mod cut;
mod deck;
#[cfg(feature = "comparison")]
mod enumeration;
mod estimate;
mod fisher_yates;
mod group;
mod in_slices;
mod lehmer;
mod network;
mod randomness;
mod range_check;
mod shuffle_circuit;
mod spec;
pub mod split;

pub use algorithm::{Algorithm, UnknownAlgorithm};
pub use computed::Computed;
#[cfg(feature = "comparison")]
pub use enumeration::{Counterexample, Enumeration, Outcome, Rows, Subject, TooManyValues};
pub use in_slices::InSlices;
pub use network::Reshuffle;
pub use randomness::{Encoding, Randomness, Seed, SeedError};
pub use shuffle_circuit::{ShuffleCircuit, plaintext};
pub use spec::{Spec, SpecError};
