use rand::RngExt;

use super::*;
use crate::circuit::{Builder, ByParty, Circuit, Ownership};
use crate::crypto::{SecretBit, SessionId};
use crate::mpc::malicious::pool::PROOF_BITS;
use crate::ot::{Key, Mac};
use crate::testing::session::system_rng;

const SESSION: SessionId = SessionId([4; 32]);
const PLAN: [u8; 32] = [6; 32];
/// The number of the prover's gates.
const GATES: usize = 40;

/// A circuit in which each gate of the prover reads sums of inputs and earlier gates, some of them
/// negated. Gates and wires that the prover does not own lie between them.
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

/// The data of both parties after the prover has sent its masked values.
struct Committed {
    owners: Ownership,
    prover: Party,
    delta: Delta,
    /// The prover's shares, then the verifier's.
    masks: [Entered<Share>; 2],
    vole: [Vec<Share>; 2],
    values: Entered<bool>,
    /// The values that the prover has sent.
    sent: Vec<bool>,
}

/// Selects the elements of the inputs and of the prover's products from `all`, the elements of all
/// wires.
fn entered<T: DefaultIsZeroes>(prover: Party, products: &[usize], all: &[T]) -> Entered<T> {
    let mut lists = ByParty::<SecretVec<T>>::default();
    lists[prover] = products.iter().map(|&wire| all[wire]).collect();
    let inputs = (0..8).map(|wire| all[wire]).collect();
    Entered {
        inputs,
        products: lists,
    }
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
    /// The prover enters the correct bits of the circuit, except for the products in `lies`, which
    /// it flips.
    fn new(prover: Party, lies: &[usize]) -> Self {
        let circuit = circuit();
        let other = Some(prover.other());
        let owners = Ownership::of(&circuit, [Some(prover), other]);
        let delta = Delta::random(prover == Party::Evaluator, &mut system_rng());
        let products = owners.products(prover).iter();
        let products: Vec<usize> = products.map(|&wire| wire as usize).collect();
        assert_eq!(products.len(), GATES);
        let mut masks = [(); 2].map(|()| vec![Share::default(); circuit.wires()]);
        let mut clear = vec![false; circuit.wires()];
        let wires: Vec<usize> = (0..4).chain(products.iter().copied()).collect();
        for &wire in &wires {
            let shares = authenticated(&delta);
            for (masks, share) in masks.iter_mut().zip(shares) {
                masks[wire] = share;
            }
        }
        for bit in &mut clear[..4] {
            *bit = system_rng().random();
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
        let values: Vec<bool> = (clear.iter().zip(&masks[0]))
            .map(|(bit, mask)| (mask.bit ^ *bit).reveal())
            .collect();
        let [mut vole, mut keys] = [(); 2].map(|()| Vec::new());
        for _ in 0..PROOF_BITS {
            let [prover, verifier] = authenticated(&delta);
            vole.push(prover);
            keys.push(verifier);
        }
        Committed {
            owners,
            prover,
            delta,
            masks: masks.map(|masks| entered(prover, &products, &masks)),
            vole: [vole, keys],
            sent: wires.iter().map(|&wire| values[wire]).collect(),
            values: entered(prover, &products, &values),
        }
    }

    /// Changes the masked value of input or product `number` on its way to the verifier.
    fn flip(&mut self, number: usize) {
        self.sent[number] ^= true;
        match number.checked_sub(4) {
            None => self.values.inputs[number] ^= true,
            Some(product) => self.values.products[self.prover][product] ^= true,
        }
    }

    /// The view of the prover (0) or the verifier (1).
    fn of(&self, side: usize) -> Products<'_> {
        Products {
            prover: self.prover,
            owners: &self.owners,
            masks: &self.masks[side],
            values: &self.values,
            vole: &self.vole[side],
        }
    }

    fn challenge(&self) -> UniversalHash {
        let context = Context::of_test(SESSION, self.prover);
        challenge(&context, (3, self.prover), &PLAN, &self.sent)
    }

    fn proof(&self) -> ProductProof {
        self.of(0).prove(&self.challenge())
    }

    fn accepts(&self, proof: &ProductProof) -> bool {
        self.accepts_with(proof, &self.challenge())
    }

    fn accepts_with(&self, proof: &ProductProof, challenge: &UniversalHash) -> bool {
        match self.of(1).verify(proof, challenge, &self.delta) {
            Ok(()) => true,
            Err(Fault::Check(Check::Products)) => false,
            Err(_) => panic!("unexpected error"),
        }
    }
}

#[test]
fn correct_products_are_accepted_and_any_wrong_one_is_rejected() {
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
fn proof_is_bound_to_run_plan_direction_and_values_and_every_bit_matters() {
    let honest = Committed::new(Party::Garbler, &[]);
    let proof = honest.proof();
    let context = Context::of_test(SESSION, Party::Evaluator);
    let other_session = Context::of_test(SessionId([5; 32]), Party::Evaluator);
    let (prover, sent) = (Party::Garbler, &honest.sent);
    assert!(honest.accepts_with(&proof, &challenge(&context, (3, prover), &PLAN, sent)));
    for challenge in [
        challenge(&context, (4, prover), &PLAN, sent),
        challenge(&context, (3, prover), &[7; 32], sent),
        challenge(&other_session, (3, prover), &PLAN, sent),
        challenge(&context, (3, Party::Evaluator), &PLAN, sent),
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
    for number in 0..honest.sent.len() {
        let mut other = Committed::new(Party::Garbler, &[]);
        let proof = other.proof();
        other.flip(number);
        assert!(!other.accepts(&proof), "{number}");
    }
}

/// Proofs of two runs with the same VOLE would reveal the prover's bits.
#[test]
fn proof_is_masked_by_a_uniform_element() {
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
