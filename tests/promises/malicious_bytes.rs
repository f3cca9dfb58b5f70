//! The predicted traffic of malicious runs is exact, to the byte.

use dealerless::circuit::{Builder, ByParty, Circuit, Party};
use dealerless::mpc::{
    Demand, EngineKind, Error, Greeting, Input, Malicious, MaliciousBytes, Offer, Run,
    STATISTICAL_SECURITY, TwoParty,
};
use dealerless::net::Channel;
use dealerless::shuffle::{Algorithm, ShuffleCircuit, Spec};
use dealerless::testing::circuits::{bits, random_circuit};
use dealerless::testing::session::{PATIENT, both, in_memory, system_rng};
use rand::RngExt;
use rand::rngs::ChaCha20Rng;
use rand::{Rng, SeedableRng};

/// The bytes that each party sends for the pool and in `runs` runs.
fn measured(circuit: &Circuit, owners: &[Party], runs: u32, rho: u8) -> [ByParty<u64>; 2] {
    let inputs: Vec<Input<_>> = owners.iter().map(|&owner| Input::By(owner)).collect();
    let [garbler, evaluator] = both(in_memory(), |me, end| {
        let rng = &mut ChaCha20Rng::from_seed([me as u8; 32]);
        let channel = Channel::new(end, PATIENT);
        let offer = Offer::new(me, EngineKind::Malicious).statistical_security(rho);
        let greeting = Greeting::exchange(channel, offer, rng).unwrap();
        let mut session = Malicious::dealt(greeting, [7; 32], rng).unwrap();
        let demand = Demand::with_owners(circuit, owners);
        let mine = (owners.iter().zip(circuit.inputs())).filter(|(owner, _)| **owner == me);
        let mine = bits(rng, mine.map(|(_, bits)| bits).sum());
        let run = Run::new(circuit, &inputs, &mine);
        assert_eq!(run.demand(), demand);
        let mut steps = vec![session.traffic()];
        session.prepare(demand.times(runs as usize)).unwrap();
        steps.push(session.traffic());
        for _ in 0..runs {
            session.run(run).unwrap();
        }
        steps.push(session.traffic());
        let step = |step: &[dealerless::net::Traffic]| {
            let [before, after] = step else {
                unreachable!()
            };
            [
                after.bytes_sent - before.bytes_sent,
                after.bytes_received - before.bytes_received,
            ]
        };
        [step(&steps[..2]), step(&steps[1..])]
    });
    [0, 1].map(|part| {
        let ([garbler, to_garbler], [evaluator, to_evaluator]) = (garbler[part], evaluator[part]);
        assert_eq!((garbler, evaluator), (to_evaluator, to_garbler));
        ByParty { garbler, evaluator }
    })
}

#[track_caller]
fn assert_exact(circuit: &Circuit, owners: &[Party], runs: u32, rho: u8) {
    let demand = Demand::with_owners(circuit, owners);
    let predicted = MaliciousBytes::of(demand, runs, rho).unwrap();
    let [pool, online] = measured(circuit, owners, runs, rho);
    let of = format!("{demand:?}, {runs} runs, {rho} bits");
    assert_eq!((predicted.pool, predicted.online), (pool, online), "{of}");
    let both = |part: ByParty<u64>| part.garbler + part.evaluator;
    assert_eq!(predicted.total(), both(pool) + both(online), "{of}");
}

#[test]
fn prediction_is_exact_for_random_circuits_with_any_owners() {
    let seed: u64 = system_rng().random();
    println!("seed {seed}");
    let rng = &mut ChaCha20Rng::seed_from_u64(seed);
    let owner = |rng: &mut ChaCha20Rng| Party::BOTH[usize::from(rng.random::<bool>())];
    for _ in 0..40 {
        let circuit = random_circuit(rng);
        let owners: Vec<Party> = circuit.inputs().iter().map(|_| owner(rng)).collect();
        let runs = rng.random_range(1..4);
        let rho = [40, 47, 50, 64, 80][rng.next_u32() as usize % 5];
        assert_exact(&circuit, &owners, runs, rho);
    }
}

#[test]
fn prediction_is_exact_for_shuffles_and_any_batch_size() {
    for (algorithm, cards, draw, runs, rho) in [
        (Algorithm::Cut, 52, 9, 1, 50),
        (Algorithm::Cut, 52, 9, 7, 50),
        (Algorithm::Lehmer, 20, 5, 2, 40),
        (Algorithm::Waksman, 52, 52, 3, 50),
        (Algorithm::Bubble, 13, 13, 16, 80),
    ] {
        let spec = Spec::new(cards, draw, algorithm).unwrap();
        let shuffle = ShuffleCircuit::build_checked(spec);
        assert_exact(shuffle.circuit(), &Party::BOTH, runs, rho);
    }
}

/// A circuit with `ands` ANDs, each of a bit of the first and a bit of the second input value. The
/// first output value has `outputs` bits: the products and the bits of the first input value,
/// repeated as often as necessary. The second output value has the products.
fn wide(inputs: usize, ands: usize, outputs: usize) -> Circuit {
    let mut builder = Builder::new(&[inputs, 64]);
    let (a, b) = (builder.input(0), builder.input(1));
    let pairs = b.iter().flat_map(|&b| a.iter().map(move |&a| (a, b)));
    let products: Vec<_> = pairs.take(ands).collect();
    let products: Vec<_> = products.iter().map(|&(a, b)| builder.and(a, b)).collect();
    let all = products.iter().chain(&a).copied().cycle().take(outputs);
    let all = all.collect();
    let circuit = builder.build(vec![all, products]);
    assert_eq!(circuit.ands(), ands);
    circuit
}

#[test]
fn prediction_is_exact_at_the_frame_boundary() {
    const CHUNK: usize = dealerless::net::CHUNK;
    for (inputs, ands, outputs) in [
        // Bits that exceed one frame.
        (1, 0, 8 * CHUNK + 1),
        // Tables that exactly fill one frame, and tables that exceed it by one table.
        (64, 1024, 0),
        (64, 1025, 0),
        // Inputs that exactly fill the batches of correlated OTs, and inputs that exceed them by
        // one bit.
        (63 * 128 - 64, 0, 0),
        (63 * 128 - 63, 0, 0),
    ] {
        assert_exact(&wide(inputs, ands, outputs), &Party::BOTH, 1, 50);
    }
}

#[test]
fn owned_and_needs_a_65th_to_a_93rd_of_the_bytes_of_a_joint_and() {
    let total = |ands, owned| {
        let demand = Demand {
            ands,
            inputs: ByParty {
                garbler: 300 + owned,
                evaluator: 300,
            },
            proofs: ByParty {
                garbler: 1,
                evaluator: 1,
            },
            outputs: 60,
        };
        let bytes = MaliciousBytes::of(demand, 1, STATISTICAL_SECURITY).unwrap();
        bytes.total()
    };
    for ands in [1_000, 1_506, 3_100, 10_000, 100_000, 1_000_000] {
        let joint = total(ands, 0) - total(0, 0);
        let owned = total(ands, ands) - total(ands, 0);
        let ratio = joint as f64 / owned as f64;
        assert!((65.0..=93.0).contains(&ratio), "{ands} ANDs: {ratio}");
    }
}

#[test]
fn refused_demands_have_no_prediction() {
    let demand = Demand {
        ands: 1,
        ..Demand::default()
    };
    let refused = |demand, runs, rho| {
        let refused = MaliciousBytes::of(demand, runs, rho);
        matches!(refused, Err(Error::Usage(_)))
    };
    assert!(refused(demand, 1, 39) && refused(demand, 1, 81));
    assert!(refused(demand.times(usize::MAX), 0, 50));
    assert!(refused(demand.times(1 << 20), 1 << 20, 50));
    assert!(!refused(demand.times(1 << 10), 1 << 10, 50));
    let none = MaliciousBytes::of(demand, 0, 50).unwrap();
    assert_eq!(none.total(), 0);
    assert!(MaliciousBytes::of(Demand::default(), u32::MAX, 50).is_ok());
}
