//! QuickSilver (Yang, Sarkar, Weng, Wang, CCS 2021, section 4, circuits over F2): a party proves
//! that it has correctly computed the AND gates that it owns.
//!
//! The prover enters the output of each such gate like an input. For each bit `x` that the prover
//! enters, it holds a MAC `M = K ^ x * Delta`, and the verifier holds the key `K` and Delta. `M` is
//! the MAC of the bit's mask `l`. Because `V = x ^ l` is public, the verifier obtains `K` by adding
//! `V * Delta` to the key of the mask. XOR and NOT gates need no messages. For a gate `c = a & b`:
//!
//! ```text
//! prover    A0 = M_a * M_b,  A1 = a * M_b ^ b * M_a ^ M_c
//! verifier  P = K_a * K_b ^ K_c * Delta
//!           P = A0 ^ A1 * Delta  exactly if c = a & b
//! ```
//!
//! All gates of a run are proven at once. With a challenge `chi`, the prover sends
//! `U = sum chi^i A0_i ^ A*` and `W = sum chi^i A1_i ^ B*`, and the verifier checks that
//! `sum chi^i P_i ^ P* = U ^ W * Delta`. `P* = A* ^ B* * Delta` is a random VOLE made from 128
//! fresh authenticated bits, which are used for nothing else. `chi` is the hash of everything that
//! the prover could choose: it has sent all of its `V` before. The prover hashes the `V` that it
//! has sent, the verifier the `V` that it has received.
//!
//! With `n` gates, a proof with a wrong gate passes with probability `(n + 2) / 2^127`.
//!
//! The field is that of POLYVAL, with the product of RFC 8452, section 3 (see [`dot`]).

use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;
use zeroize::DefaultIsZeroes;

use super::context::Context;
use super::share::Share;
use crate::circuit::{Gate, Ownership, Party, Wire};
use crate::crypto::{Block, SecretVec, Step, UniversalHash, dot, linear};
use crate::mpc::error::{Check, Fault};
use crate::mpc::layout::Entered;
use crate::mpc::packed_bits::pack;
use crate::mpc::tag::Tag;
use crate::net::{self, Message};
use crate::ot::Delta;

/// The prover's message.
#[derive(Serialize, Deserialize)]
pub(super) struct ProductProof {
    u: [u8; 16],
    w: [u8; 16],
}

impl Message for ProductProof {
    const TAG: net::Tag = Tag::ProductProof.tag();
    const MAX_BYTES: usize = 32;
}

/// The products (outputs of AND gates that a party owns) of the prover in a run, as seen by either
/// party.
pub(super) struct Products<'a> {
    pub(super) prover: Party,
    pub(super) owners: &'a Ownership,
    /// The masks of the entered bits.
    pub(super) masks: &'a Entered<Share>,
    /// The masked values of the bits that the prover enters.
    pub(super) values: &'a Entered<bool>,
    /// 128 fresh authenticated bits of the prover.
    pub(super) vole: &'a [Share],
}

/// The mask and the masked value of one of the prover's wires.
#[derive(Clone, Copy, Default)]
struct Known {
    mask: Share,
    value: bool,
}

impl DefaultIsZeroes for Known {}

impl Products<'_> {
    /// Creates the proof, at the prover.
    pub(super) fn prove(&self, challenge: &UniversalHash) -> ProductProof {
        let count = self.owners.products(self.prover).len();
        let mut constants = SecretVec::<Block>::with_capacity(count);
        let mut slopes = SecretVec::<Block>::with_capacity(count);
        self.for_each(|wires| {
            let [mac_a, mac_b, mac_c] = wires.map(|wire| wire.mask.mac.0);
            let [a, b, _] = wires.map(|wire| wire.mask.bit ^ wire.value);
            constants.push(dot(mac_a, mac_b));
            slopes.push(mac_b.select(a) ^ mac_a.select(b) ^ mac_c);
        });
        let of_mask = linear(self.vole.iter().map(|share| share.mac.0));
        let slope = linear(self.vole.iter().map(|share| Block::ONE.select(share.bit)));
        ProductProof {
            u: (challenge.hash(&constants) ^ of_mask).to_bytes(),
            w: (challenge.hash(&slopes) ^ slope).to_bytes(),
        }
    }

    /// Checks a proof, at the verifier.
    ///
    /// # Errors
    /// [`Check::Products`] if the proof is wrong.
    pub(super) fn verify(
        &self,
        proof: &ProductProof,
        challenge: &UniversalHash,
        delta: &Delta,
    ) -> Result<(), Fault> {
        let count = self.owners.products(self.prover).len();
        let mut keys = SecretVec::<Block>::with_capacity(count);
        self.for_each(|wires| {
            let [a, b, c] = wires.map(|wire| wire.mask.key.0 ^ delta.select(wire.value));
            keys.push(dot(a, b) ^ dot(c, delta.block()));
        });
        let of_mask = linear(self.vole.iter().map(|share| share.key.0));
        let expected = Block::from(proof.u) ^ dot(Block::from(proof.w), delta.block());
        if bool::from((challenge.hash(&keys) ^ of_mask).ct_eq(&expected)) {
            Ok(())
        } else {
            Err(Check::Products.into())
        }
    }

    /// Walks over the prover's gates. Calls `product` for each AND gate with the operands and the
    /// output.
    fn for_each(&self, mut product: impl FnMut([Known; 3])) {
        let own = self.owners.own_gates(self.prover);
        let mut known = SecretVec::<Known>::zeros(own.places());
        let inputs = self.owners.inputs(self.prover).iter();
        for (place, wire) in own.inputs().iter().zip(inputs) {
            let (mask, value) = (&self.masks.inputs, &self.values.inputs);
            known[place.index()] = Known {
                mask: mask[*wire as usize],
                value: value[*wire as usize],
            };
        }
        let masks = self.masks.products[self.prover].iter();
        let mut entered = masks.zip(self.values.products[self.prover].iter());
        for (gate, set) in own.gates() {
            let on = |place: Wire| known[place.index()];
            let output = match *gate {
                Gate::Xor(a, b) => Known {
                    mask: on(a).mask ^ on(b).mask,
                    value: on(a).value ^ on(b).value,
                },
                Gate::Not(a) => Known {
                    value: !on(a).value,
                    ..on(a)
                },
                Gate::And(a, b) => {
                    let (&mask, &value) = entered.next().expect("one entry for each product");
                    let output = Known { mask, value };
                    product([on(a), on(b), output]);
                    output
                }
            };
            known[set.index()] = output;
        }
    }
}

/// The challenge for the proof of `prover` in run `number`, whose plan is `plan`. `values` are the
/// masked values of all bits that the prover enters; it has already sent them.
pub(super) fn challenge(
    context: &Context,
    (number, prover): (u64, Party),
    plan: &[u8; 32],
    values: &[bool],
) -> UniversalHash {
    let oracle = context
        .oracle((Step::ProductChallenge, number), prover)
        .absorb(plan)
        .absorb(&pack(values.iter().copied()));
    UniversalHash::new(oracle.block())
}

#[cfg(test)]
mod tests;
