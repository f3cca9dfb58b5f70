//! Two parties shuffle and deal cards with no dealer.
//!
//! A [`shuffle::Spec`] becomes a circuit, [`shuffle::ShuffleCircuit`]. Two parties who share a
//! [`net::Channel`] open a session, [`mpc::Malicious`]. They evaluate the circuit on random inputs
//! of both parties and obtain a [`deck::SealedDeck`], which they open card by card.
//!
//! | to | look at |
//! |---|---|
//! | shuffle and open cards | [`deck`], and the example `in_memory` |
//! | draw from a pile of repeated cards | [`deck::Pile`], and the example `draw` |
//! | steal a random card from a hand | [`deck::SealedDeck::steal`], and the example `steal` |
//! | roll dice | [`dice`], and the example `dice` |
//! | communicate over TCP or in memory, with deadlines | [`net`], and the example `over_tcp` |
//! | run other circuits, on bits that the parties share | [`mpc::TwoParty`] |
//! | build, count, evaluate, read or write circuits | [`circuit`] |
//! | sample and check the shuffles | [`shuffle`] |
//! | play a whole hand | the crate `dealerless-table` |
//! | learn which check failed, and who can be at fault | [`mpc::Error`], [`deck::Error`] |
//!
//! ```
//! use std::thread;
//!
//! use dealerless::circuit::Party;
//! use dealerless::deck::{self, SealedDeck};
//! use dealerless::mpc::{Audience, Malicious};
//! use dealerless::net::{Channel, Deadlines, MemoryTransport, memory_pair};
//! use dealerless::rand::{rand_core::UnwrapErr, rngs::SysRng};
//! use dealerless::shuffle::{Algorithm, ShuffleCircuit, Spec};
//!
//! let spec = Spec::new(52, 2, Algorithm::FisherYates)?;
//! let shuffle = ShuffleCircuit::build_checked(spec);
//! let play = |role, transport: MemoryTransport| -> deck::Result<_> {
//!     let rng = &mut UnwrapErr(SysRng);
//!     let channel = Channel::new(transport, Deadlines::default());
//!     let mut session = Malicious::new(channel, role, rng)?;
//!     let mut deck = SealedDeck::shuffle(&mut session, &shuffle, rng)?;
//!     deck.open(&mut session, &[(0, Audience::Both)])
//! };
//! let (left, right) = memory_pair();
//! let [garbler, evaluator] = thread::scope(|scope| {
//!     let evaluator = scope.spawn(|| play(Party::Evaluator, right));
//!     [play(Party::Garbler, left), evaluator.join().expect("no panic")]
//! });
//! assert_eq!(garbler?, evaluator?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! This session protects against an arbitrarily malicious peer. [`mpc::SemiHonest`] is faster, but
//! protects only against a peer that follows the protocol. [`net::TcpTransport`] is neither
//! encrypted nor authenticated; `docs/threat-model.md` in the repository explains the consequences.
//!
//! With the feature `parallel`, which is on by default, preprocessing uses all cores. Preprocessing
//! runs on rayon's global thread pool, or on the pool that the session is called in
//! (`rayon::ThreadPool::install`). Do not run several sessions as tasks of one pool: while a
//! session waits for the pool, rayon may start another session on the same thread, and that session
//! blocks on its connection. Rayon panics if the system cannot provide threads for the global pool.
//!
//! The feature `comparison` adds `shuffle::comparison`, which has shuffles that are only for
//! comparison, and `shuffle::Enumeration`, which runs a shuffle of a small deck on all inputs and
//! counts how often each draw occurs.
//!
//! The feature `internals` makes public what the tests of this project need: `crypto`, `ot`, the
//! frames of [`net`], and `testing`. These have no stability guarantee: any version may change
//! them.

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod circuit;
pub mod deck;
pub mod dice;
pub mod mpc;
pub mod net;
pub mod shuffle;
pub mod verifiable;

// Public for tests, fuzz targets and benchmarks of single parts.
#[cfg(feature = "internals")]
pub mod crypto;
#[cfg(feature = "internals")]
pub mod ot;
#[cfg(feature = "internals")]
pub mod testing;

#[cfg(not(feature = "internals"))]
#[allow(unreachable_pub, reason = "public with the feature `internals`")]
mod crypto;
#[cfg(not(feature = "internals"))]
#[allow(unreachable_pub, reason = "public with the feature `internals`")]
mod ot;

mod blame;
mod parallel;
mod uniform;

pub use blame::Blame;
/// The version of `rand` whose traits this crate accepts. A generator of another version does not
/// compile.
pub use rand;
