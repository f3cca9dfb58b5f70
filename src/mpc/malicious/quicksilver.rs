//! QuickSilver (Yang, Sarkar, Weng, Wang, CCS 2021, section 4, circuits over F2): a party proves that
//! it has computed the AND gates that it owns as they are.
//!
//! The prover enters the output of each such gate like an input. For each bit `x` that it enters it
//! holds a MAC `M = K ^ x * Delta`: that of its mask `l`, whose key the verifier shifts by
//! `V * Delta`, as `V = x ^ l` is public. XOR and NOT are local. For a gate `c = a & b`
//!
//! ```text
//! prover    A0 = M_a * M_b,  A1 = a * M_b ^ b * M_a ^ M_c
//! verifier  P = K_a * K_b ^ K_c * Delta
//!           P = A0 ^ A1 * Delta  exactly if c = a & b
//! ```
//!
//! All gates of a run are proven at once. With a challenge `chi`, the prover sends
//! `U = sum chi^i A0_i ^ A*` and `W = sum chi^i A1_i ^ B*`, and the verifier checks that
//! `sum chi^i P_i ^ P* = U ^ W * Delta`. `P* = A* ^ B* * Delta` is a random VOLE of 128 fresh
//! authenticated bits, which are used for nothing else. `chi` is the hash of everything that the
//! prover could still choose: it has sent all of its `V` before. Each party hashes those that it has
//! sent or received.
//!
//! For `n` gates, a wrong one passes with probability `(n + 2) / 2^127`.
//!
//! The field is that of POLYVAL, with the product of RFC 8452, section 3 (see [`dot`]).

use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;

use super::context::Context;
use super::share::Share;
use crate::circuit::{Circuit, Gate, Ownership, Party};
use crate::crypto::{Block, SecretBit, SecretVec, Step, UniversalHash, dot, linear};
use crate::mpc::error::{Check, Fault};
use crate::mpc::packed_bits::pack;
use crate::mpc::tag::Tag;
use crate::net::{self, Message};
use crate::ot::Delta;

/// What the prover sends.
#[derive(Serialize, Deserialize)]
pub(super) struct ProductProof {
    u: [u8; 16],
    w: [u8; 16],
}

impl Message for ProductProof {
    const TAG: net::Tag = Tag::ProductProof.tag();
    const MAX_BYTES: usize = 32;
}

/// The products of one party in a run, as either party sees them.
pub(super) struct Products<'a> {
    pub(super) prover: Party,
    pub(super) circuit: &'a Circuit,
    pub(super) owners: &'a Ownership,
    /// The mask of each wire.
    pub(super) masks: &'a [Share],
    /// The masked value of each wire that the prover owns.
    pub(super) values: &'a [bool],
    /// The wires whose bits the prover enters.
    pub(super) entered: &'a [usize],
    /// Fresh authenticated bits of the prover, 128.
    pub(super) vole: &'a [Share],
}

impl Products<'_> {
    /// The proof, at the prover.
    pub(super) fn prove(&self, challenge: &UniversalHash) -> ProductProof {
        let count = self.owners.products(self.prover).len();
        let mut constants = SecretVec::<Block>::with_capacity(count);
        let mut slopes = SecretVec::<Block>::with_capacity(count);
        for [a, b, c] in self.wires() {
            let [mac_a, mac_b, mac_c] = [a, b, c].map(|wire| self.masks[wire].mac.0);
            constants.push(dot(mac_a, mac_b));
            slopes.push(mac_b.select(self.bit(a)) ^ mac_a.select(self.bit(b)) ^ mac_c);
        }
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
    /// [`Check::Products`] if it is wrong.
    pub(super) fn verify(
        &self,
        proof: &ProductProof,
        challenge: &UniversalHash,
        delta: &Delta,
    ) -> Result<(), Fault> {
        let mut keys = SecretVec::<Block>::with_capacity(self.owners.products(self.prover).len());
        for wires in self.wires() {
            let [a, b, c] =
                wires.map(|wire| self.masks[wire].key.0 ^ delta.select(self.values[wire]));
            keys.push(dot(a, b) ^ dot(c, delta.block()));
        }
        let of_mask = linear(self.vole.iter().map(|share| share.key.0));
        let expected = Block::from(proof.u) ^ dot(Block::from(proof.w), delta.block());
        match bool::from((challenge.hash(&keys) ^ of_mask).ct_eq(&expected)) {
            true => Ok(()),
            false => Err(Check::Products.into()),
        }
    }

    /// The challenge of run `number`, whose plan is `plan`.
    pub(super) fn challenge(
        &self,
        context: &Context,
        number: u64,
        plan: &[u8; 32],
    ) -> UniversalHash {
        let values = self.entered.iter().map(|&wire| self.values[wire]);
        let oracle = context
            .oracle((Step::ProductChallenge, number), self.prover)
            .absorb(plan)
            .absorb(&pack(values));
        UniversalHash::new(oracle.block())
    }

    /// The operands and the output of each gate.
    fn wires(&self) -> impl Iterator<Item = [usize; 3]> + '_ {
        let inputs = self.circuit.input_bits();
        (self.owners.products(self.prover).iter()).map(move |&output| {
            match self.circuit.gates()[output - inputs] {
                Gate::And(a, b) => [a.index(), b.index(), output],
                _ => unreachable!("a product is the output of an AND"),
            }
        })
    }

    /// The bit on a wire, at the prover.
    fn bit(&self, wire: usize) -> SecretBit {
        self.masks[wire].bit ^ self.values[wire]
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::circuit::Builder;
    use crate::crypto::SessionId;
    use crate::mpc::malicious::pool::PROOF_BITS;
    use crate::ot::{Key, Mac};
    use crate::testing::session::system_rng;

    const SESSION: SessionId = SessionId([4; 32]);
    const PLAN: [u8; 32] = [6; 32];
    /// Gates of the prover.
    const GATES: usize = 40;

    /// Each gate reads sums of inputs and of gates before it, some of them negated; and there are
    /// gates and wires of others between them.
    fn circuit() -> Circuit {
        let mut builder = Builder::new(&[4, 4]);
        let (mine, theirs) = (builder.input(0), builder.input(1));
        let mut known = mine.clone();
        let mut outputs = vec![builder.and(theirs[0], theirs[1])];
        for i in 0..GATES {
            let left = builder.xor(known[i], known[i + 3]);
            let right = builder.not(known[i / 2 + 1]);
            let product = builder.and(left, right);
            known.push(product);
            outputs.push(builder.and(product, theirs[i % 4]));
        }
        outputs.extend(&known);
        builder.build(vec![outputs])
    }

    /// What both parties hold after the prover has sent its masked values.
    struct Committed {
        circuit: Circuit,
        owners: Ownership,
        prover: Party,
        delta: Delta,
        /// The prover's shares, then the verifier's.
        masks: [Vec<Share>; 2],
        vole: [Vec<Share>; 2],
        values: Vec<bool>,
        entered: Vec<usize>,
    }

    /// An authenticated bit of the prover: its share and the verifier's.
    fn authenticated(delta: &Delta) -> [Share; 2] {
        let (bit, key) = (
            SecretBit::random(&mut system_rng()),
            Key(Block::random(&mut system_rng())),
        );
        let mac = delta.mac(key, bit);
        let (prover, verifier) = (
            Share {
                bit,
                mac,
                ..Share::default()
            },
            Share {
                key,
                ..Share::default()
            },
        );
        [prover, verifier]
    }

    impl Committed {
        /// The prover enters the bits that the circuit says, but for the products in `lies`.
        fn new(prover: Party, lies: &[usize]) -> Self {
            let circuit = circuit();
            let other = Some(prover.other());
            let owners = Ownership::of(&circuit, [Some(prover), other]);
            let delta = Delta::random(prover == Party::Evaluator, &mut system_rng());
            let products = owners.products(prover).to_vec();
            assert_eq!(products.len(), GATES);
            let mut masks = [(); 2].map(|()| vec![Share::default(); circuit.wires()]);
            let mut clear = vec![false; circuit.wires()];
            let entered: Vec<usize> = (0..4).chain(products.iter().copied()).collect();
            for &wire in &entered {
                let shares = authenticated(&delta);
                for (masks, share) in masks.iter_mut().zip(shares) {
                    masks[wire] = share;
                }
            }
            for wire in 0..4 {
                clear[wire] = system_rng().random();
            }
            for (gate, wire) in circuit.gates().iter().zip(circuit.input_bits()..) {
                if owners.wires()[wire] != Some(prover) {
                    continue;
                }
                for masks in &mut masks {
                    match *gate {
                        Gate::And(..) => {}
                        Gate::Xor(a, b) => masks[wire] = masks[a.index()] ^ masks[b.index()],
                        Gate::Not(a) => masks[wire] = masks[a.index()],
                    }
                }
                clear[wire] = match *gate {
                    Gate::And(a, b) => {
                        let lie = lies.iter().any(|&lie| products[lie] == wire);
                        (clear[a.index()] & clear[b.index()]) ^ lie
                    }
                    Gate::Xor(a, b) => clear[a.index()] ^ clear[b.index()],
                    Gate::Not(a) => !clear[a.index()],
                };
            }
            let values = (clear.iter().zip(&masks[0]))
                .map(|(bit, mask)| (mask.bit ^ *bit).reveal())
                .collect();
            let [mut vole, mut keys] = [(); 2].map(|()| Vec::new());
            for _ in 0..PROOF_BITS {
                let [prover, verifier] = authenticated(&delta);
                vole.push(prover);
                keys.push(verifier);
            }
            Committed {
                circuit,
                owners,
                prover,
                delta,
                masks,
                vole: [vole, keys],
                values,
                entered,
            }
        }

        /// What the prover (0) or the verifier (1) sees.
        fn of(&self, side: usize) -> Products<'_> {
            Products {
                prover: self.prover,
                circuit: &self.circuit,
                owners: &self.owners,
                masks: &self.masks[side],
                values: &self.values,
                entered: &self.entered,
                vole: &self.vole[side],
            }
        }

        fn proof(&self) -> ProductProof {
            let products = self.of(0);
            let context = Context::of_test(SESSION, self.prover);
            products.prove(&products.challenge(&context, 3, &PLAN))
        }

        fn accepts(&self, proof: &ProductProof) -> bool {
            let context = Context::of_test(SESSION, self.prover.other());
            self.accepts_with(proof, &self.of(1).challenge(&context, 3, &PLAN))
        }

        fn accepts_with(&self, proof: &ProductProof, challenge: &UniversalHash) -> bool {
            match self.of(1).verify(proof, challenge, &self.delta) {
                Ok(()) => true,
                Err(Fault::Check(Check::Products)) => false,
                Err(_) => panic!("nothing else can be wrong"),
            }
        }
    }

    #[test]
    fn right_products_are_proven_and_any_wrong_one_is_refused() {
        for prover in Party::BOTH {
            let honest = Committed::new(prover, &[]);
            assert!(honest.accepts(&honest.proof()));
            for lie in 0..GATES {
                let lying = Committed::new(prover, &[lie]);
                assert!(!lying.accepts(&lying.proof()), "{lie}");
            }
            let lying = Committed::new(prover, &[3, 4]);
            assert!(!lying.accepts(&lying.proof()));
        }
    }

    #[test]
    fn a_proof_is_of_its_run_plan_direction_and_values_and_no_bit_of_it_is_free() {
        let honest = Committed::new(Party::Garbler, &[]);
        let proof = honest.proof();
        let products = honest.of(1);
        let context = Context::of_test(SESSION, Party::Evaluator);
        let other_session = Context::of_test(SessionId([5; 32]), Party::Evaluator);
        for challenge in [
            products.challenge(&context, 4, &PLAN),
            products.challenge(&context, 3, &[7; 32]),
            products.challenge(&other_session, 3, &PLAN),
            Products {
                prover: Party::Evaluator,
                ..honest.of(1)
            }
            .challenge(&context, 3, &PLAN),
        ] {
            assert!(!honest.accepts_with(&proof, &challenge));
        }
        for bit in 0..128 {
            for of_w in [false, true] {
                let mut wrong = honest.proof();
                let field = if of_w { &mut wrong.w } else { &mut wrong.u };
                field[bit / 8] ^= 1 << (bit % 8);
                assert!(!honest.accepts(&wrong), "{bit}");
            }
        }
        for wire in honest.entered.clone() {
            let mut other = Committed::new(Party::Garbler, &[]);
            let proof = other.proof();
            other.values[wire] ^= true;
            assert!(!other.accepts(&proof), "{wire}");
        }
    }

    /// A proof of two runs with the same VOLE would show the prover's bits.
    #[test]
    fn the_proof_is_masked_by_a_uniform_element() {
        let honest = Committed::new(Party::Evaluator, &[]);
        let challenge = UniversalHash::new(Block::from([9; 16]));
        let proof = honest.of(0).prove(&challenge);
        let unmasked = Products {
            vole: &[],
            ..honest.of(0)
        }
        .prove(&challenge);
        let bits: Vec<Share> = honest.vole[0].clone();
        let sum = linear(bits.iter().map(|share| Block::ONE.select(share.bit)));
        let expected = Block::from(unmasked.w) ^ sum;
        assert_eq!(proof.w, expected.to_bytes());
        let macs: Vec<Mac> = bits.iter().map(|share| share.mac).collect();
        let expected = Block::from(unmasked.u) ^ linear(macs.iter().map(|mac| mac.0));
        assert_eq!(proof.u, expected.to_bytes());
    }
}
