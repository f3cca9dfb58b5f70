//! Blocks, hashes, generators and points: thin, typed wrappers of maintained crates.
//!
//! | file | content | built on |
//! |---|---|---|
//! | `block` | 128-bit strings | – |
//! | `secret_bit` | bits that no code may branch on | – |
//! | `secret_vec` | vectors that are wiped on drop | – |
//! | `tweakable_hash` | the tweakable hash (TCCR) for garbling | `aes` |
//! | `generator` | seed expansion, AES in counter mode | `aes` |
//! | `oracle` | the random oracle, bound to session and step | `blake3` |
//! | `universal_hash` | the linear hash for the checks of OT and of products | `polyval` |
//! | `curve` | points and scalars of ristretto255 | `curve25519-dalek` |
//! | `transpose` | the transposition of bit matrices | – |
//!
//! Nothing in this module uses a clock, a file, a socket or a thread.

mod block;
mod curve;
mod generator;
mod oracle;
mod secret_bit;
mod secret_vec;
mod transpose;
mod tweakable_hash;
mod universal_hash;

pub use block::Block;
pub(crate) use block::block_type;
pub(crate) use curve::{decode_point, random_scalar};
pub use generator::Generator;
pub use oracle::{Oracle, SessionId, Step};
pub use secret_bit::SecretBit;
pub use secret_vec::SecretVec;
pub use transpose::transpose;
pub use tweakable_hash::{TweakDomain, TweakableHash};
pub use universal_hash::{UniversalHash, dot, linear};
