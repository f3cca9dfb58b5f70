//! Two parties compute the outputs of the plaintext circuit, in either role and over any transport.

use std::sync::Mutex;

use dealerless::circuit::{Bit, Builder, Circuit, Party};
use dealerless::mpc::{
    Audience, Disagreement, EngineKind, Error, Greeting, Input, MAX_TERMS, Malicious, Offer,
    Opening, Run, SemiHonest, Session, TwoParty,
};
use dealerless::net::{self, Channel};
use dealerless::testing::circuits::{bits, random_circuit};
use dealerless::testing::line::{End, over_each_line};
use dealerless::testing::session::{
    Engine, PATIENT, both, in_memory, reveal, sessions, system_rng,
};
use dealerless::testing::tap::Tap;
use rand::rngs::ChaCha20Rng;
use rand::{RngExt, SeedableRng};

dealerless::with_both_engines! {
    random_circuits_match_plaintext,
    tables_of_any_number_of_frames_arrive,
    outputs_can_be_inputs_of_other_circuits,
    one_shared_bit_can_feed_both_wires_of_a_gate,
    constant_and_unchanged_outputs_can_be_opened_and_used_again,
    bits_open_only_to_their_audience,
    bit_can_be_opened_to_one_party_and_later_to_the_other,
    inputs_beyond_the_preparation_are_prepared_on_demand,
    mismatched_inputs_are_refused_before_anything_is_sent,
    shared_bits_of_another_session_are_refused_before_anything_is_sent,
    different_contexts_are_noticed,
}

/// Returns a fresh seed.
fn fresh_seed() -> u64 {
    system_rng().random()
}

/// Runs `act` for both parties in a session whose public coins come from a fresh seed. Prints the
/// seed.
fn with_coins<E: Engine>(ends: [End; 2], act: impl Fn(&mut E, &mut ChaCha20Rng) + Sync) {
    let seed = fresh_seed();
    println!("seed {seed}");
    sessions(ends, |session: &mut E| {
        act(session, &mut ChaCha20Rng::seed_from_u64(seed));
    });
}

/// The bitwise XOR of two values.
fn xor_of_two(width: usize) -> Circuit {
    let mut builder = Builder::new(&[width, width]);
    let (a, b) = (builder.input(0), builder.input(1));
    let sum = a.iter().zip(&b).map(|(&a, &b)| builder.xor(a, b)).collect();
    builder.build(vec![sum])
}

/// A circuit of `count` independent ANDs, each of a bit of the first and a bit of the second 64-bit
/// value.
fn independent_ands(count: usize) -> Circuit {
    let mut builder = Builder::new(&[64, 64]);
    let (a, b) = (builder.input(0), builder.input(1));
    let products = (0..count)
        .map(|i| builder.and(a[i / 64], b[i % 64]))
        .collect();
    let circuit = builder.build(vec![products]);
    assert_eq!(circuit.ands(), count);
    circuit
}

/// Returns the bits of those values that `me` owns.
fn entered(me: Party, owners: &[Party], values: &[Vec<bool>]) -> Vec<bool> {
    (owners.iter().zip(values))
        .filter(|(owner, _)| **owner == me)
        .flat_map(|(_, value)| value.iter().copied())
        .collect()
}

/// Runs a circuit on fresh inputs of these owners, opens the outputs to both parties, and checks
/// the outputs.
fn check_run<E: Engine>(
    session: &mut E,
    circuit: &Circuit,
    owners: &[Party],
    values: &[Vec<bool>],
) {
    let inputs: Vec<_> = owners.iter().map(|&owner| Input::By(owner)).collect();
    let mine = entered(session.role(), owners, values);
    let outputs = session.run(Run::new(circuit, &inputs, &mine)).unwrap();
    let expected = circuit.evaluate(values).unwrap();
    assert_eq!(
        outputs.iter().map(<[_]>::len).collect::<Vec<_>>(),
        expected.iter().map(Vec::len).collect::<Vec<_>>()
    );
    let opened = reveal(session, outputs.bits()).unwrap();
    assert_eq!(opened, expected.concat());
}

fn random_circuits_match_plaintext<E: Engine>() {
    let test = |ends| {
        with_coins(ends, |session: &mut E, coins| {
            for _ in 0..60 {
                let circuit = random_circuit(coins);
                let owners: Vec<Party> = (circuit.inputs().iter())
                    .map(|_| Party::BOTH[coins.random_range(0..2)])
                    .collect();
                let values: Vec<_> = (circuit.inputs().iter())
                    .map(|&width| bits(coins, width))
                    .collect();
                check_run(session, &circuit, &owners, &values);
            }
        });
    };
    over_each_line(|one, other| test([one, other]));
    over_each_line(|one, other| test([other, one]));
}

fn tables_of_any_number_of_frames_arrive<E: Engine>() {
    with_coins(in_memory(), |session: &mut E, coins| {
        for ands in [1, 7, 8, 9, 1023, 1024, 1025, 2048, 4096] {
            let values = [bits(coins, 64), bits(coins, 64)];
            check_run(session, &independent_ands(ands), &Party::BOTH, &values);
        }
    });
}

fn outputs_can_be_inputs_of_other_circuits<E: Engine>() {
    with_coins(in_memory(), |session: &mut E, coins| {
        // The outputs of all earlier circuits, and their values.
        let mut shared: Vec<E::Shared> = Vec::new();
        let mut clear: Vec<bool> = Vec::new();
        for _ in 0..80 {
            let circuit = random_circuit(coins);
            let mut values = Vec::new();
            let mut mine = Vec::new();
            // For each input value, its owner, or the shared bits that make up the value. The same
            // shared bit may occur several times.
            let sources: Vec<Result<Party, Vec<E::Shared>>> = (circuit.inputs().iter())
                .map(|&width| {
                    if shared.is_empty() || coins.random_range(0..3) == 0 {
                        let value = bits(coins, width);
                        let owner = Party::BOTH[coins.random_range(0..2)];
                        if owner == session.role() {
                            mine.extend(&value);
                        }
                        values.push(value);
                        return Ok(owner);
                    }
                    let picks: Vec<usize> = (0..width)
                        .map(|_| coins.random_range(0..shared.len()))
                        .collect();
                    values.push(picks.iter().map(|&pick| clear[pick]).collect());
                    Err(picks.iter().map(|&pick| shared[pick].clone()).collect())
                })
                .collect();
            let inputs: Vec<_> = (sources.iter())
                .map(|source| match source {
                    Ok(owner) => Input::By(*owner),
                    Err(bits) => Input::Shared(bits),
                })
                .collect();
            let outputs = session.run(Run::new(&circuit, &inputs, &mine)).unwrap();
            shared.extend_from_slice(outputs.bits());
            clear.extend(circuit.evaluate(&values).unwrap().concat());
        }
        assert!(clear.len() > 100, "too few outputs");
        assert_eq!(reveal(session, &shared).unwrap(), clear);
    });
}

fn one_shared_bit_can_feed_both_wires_of_a_gate<E: Engine>() {
    let mut builder = Builder::new(&[1, 1]);
    let (a, b) = (builder.input(0)[0], builder.input(1)[0]);
    let outputs = [builder.and(a, b), builder.xor(a, b), builder.or(a, b)];
    let circuit = builder.build(vec![outputs.to_vec()]);
    sessions(in_memory(), |session: &mut E| {
        for (owner, value) in Party::BOTH.into_iter().zip([true, false]) {
            let inputs = [Input::By(owner), Input::By(owner)];
            let mine = entered(session.role(), &[owner; 2], &[vec![value], vec![value]]);
            let words = session.run(Run::new(&circuit, &inputs, &mine)).unwrap();
            let inputs = [Input::Shared(&words[0][..1]), Input::Shared(&words[0][..1])];
            let outputs = session.run(Run::new(&circuit, &inputs, &[])).unwrap();
            assert_eq!(reveal(session, &outputs[0]).unwrap(), [value, false, value]);
        }
    });
}

fn constant_and_unchanged_outputs_can_be_opened_and_used_again<E: Engine>() {
    let builder = Builder::new(&[1, 1]);
    let (a, b) = (builder.input(0)[0], builder.input(1)[0]);
    let outputs = vec![Bit::ZERO, Bit::ONE, a, b, a, builder.not(b)];
    let passing = builder.build(vec![outputs, vec![]]);
    assert_eq!(passing.ands(), 0);

    let mut builder = Builder::new(&[6]);
    let bits = builder.input(0);
    let pairs = (bits.iter())
        .flat_map(|&a| bits.iter().map(move |&b| (a, b)))
        .collect::<Vec<_>>();
    let products = pairs.iter().map(|&(a, b)| builder.and(a, b)).collect();
    let squares = builder.build(vec![products]);

    sessions(in_memory(), |session: &mut E| {
        for (a, b) in [(false, false), (false, true), (true, false), (true, true)] {
            let mine = [[a], [b]][session.role() as usize];
            let run = Run::new(&passing, &Input::ONE_EACH, &mine);
            let shared = session.run(run).unwrap();
            assert!(shared[1].is_empty());
            let clear = [false, true, a, b, a, !b];
            assert_eq!(reveal(session, &shared[0]).unwrap(), clear);
            let inputs = [Input::Shared(&shared[0])];
            let outputs = session.run(Run::new(&squares, &inputs, &[])).unwrap();
            let expected = squares.evaluate(&[clear.to_vec()]).unwrap();
            assert_eq!(reveal(session, &outputs[0]).unwrap(), expected[0]);
        }
    });
}

fn bits_open_only_to_their_audience<E: Engine>() {
    with_coins(in_memory(), |session: &mut E, coins| {
        let circuit = xor_of_two(60);
        let values = [bits(coins, 60), bits(coins, 60)];
        let mine = &values[session.role() as usize];
        let run = Run::new(&circuit, &Input::ONE_EACH, mine);
        let shared = session.run(run).unwrap();
        let clear = circuit.evaluate(&values).unwrap().remove(0);
        for openings in 0..24 {
            let mut requests = Vec::new();
            let mut expected = Vec::new();
            // The first exchange opens nothing. Later exchanges open more words, some without bits.
            for _ in 0..openings {
                let start = coins.random_range(0..60);
                let range = start..coins.random_range(start..60);
                let to = match coins.random_range(0..3) {
                    2 => Audience::Both,
                    party => Audience::Only(Party::BOTH[party]),
                };
                let bits = &shared[0][range.clone()];
                requests.push(Opening { to, bits });
                let learns = [Audience::Both, Audience::Only(session.role())].contains(&to);
                expected.push(learns.then(|| &clear[range]));
            }
            let opened = session.open(&requests).unwrap();
            assert_eq!(opened.iter().collect::<Vec<_>>(), expected);
            for (number, expected) in expected.into_iter().enumerate() {
                assert_eq!(opened.get(number), expected);
            }
        }
    });
}

fn bit_can_be_opened_to_one_party_and_later_to_the_other<E: Engine>() {
    sessions(in_memory(), |session: &mut E| {
        let circuit = xor_of_two(3);
        let run = Run::new(&circuit, &Input::ONE_EACH, &[true, false, true]);
        let shared = session.run(run).unwrap();
        for learner in Party::BOTH {
            let (to, bits) = (Audience::Only(learner), &shared[0]);
            let opened = session.open(&[Opening { to, bits }]).unwrap();
            let learned = (learner == session.role()).then_some(&[false; 3][..]);
            assert_eq!(opened.get(0), learned);
        }
    });
}

fn inputs_beyond_the_preparation_are_prepared_on_demand<E: Engine>() {
    with_coins(in_memory(), |session: &mut E, coins| {
        let mut check = |width: usize, runs: usize| {
            let circuit = xor_of_two(width);
            for _ in 0..runs {
                let values = [bits(coins, width), bits(coins, width)];
                check_run(session, &circuit, &Party::BOTH, &values);
            }
        };
        check(20_000, 1);
        // The bits that remain of a batch do not divide the next demand.
        check(999, 12);
        check(4096, 2);
        check(1, 40);
    });
}

fn mismatched_inputs_are_refused_before_anything_is_sent<E: Engine>() {
    let circuit = xor_of_two(4);
    sessions(in_memory(), |session: &mut E| {
        let value = [true; 4];
        let run = Run::new(&circuit, &Input::ONE_EACH, &value);
        let shared = session.run(run).unwrap();
        let before = session.traffic();

        let mine = || Input::By(session.role());
        let theirs = || Input::By(session.role().other());
        let shared = |bits| Input::Shared(&shared[0][..bits]);
        type Entered<'a, S> = (&'a [Input<'a, S>], &'a [bool]);
        let refused: [Entered<'_, E::Shared>; 9] = [
            (&[], &[]),
            (&[mine()], &value),
            (&[mine(), theirs(), theirs()], &value),
            (&[mine(), theirs()], &value[..3]),
            (&[theirs(), mine()], &[true; 5]),
            (&[mine(), mine()], &value),
            (&[shared(3), theirs()], &[]),
            (&[shared(4), mine()], &[]),
            (&[shared(4), theirs()], &value),
        ];
        for (inputs, bits) in refused {
            let run = Run::new(&circuit, inputs, bits);
            let error = session.run(run).err().expect("a refusal");
            assert!(matches!(error, Error::Usage(_)), "{error}");
        }
        assert_eq!(session.traffic(), before);
        check_run(
            session,
            &circuit,
            &Party::BOTH,
            &[value.to_vec(), vec![false; 4]],
        );
    });
}

fn shared_bits_of_another_session_are_refused_before_anything_is_sent<E: Engine>() {
    let circuit = xor_of_two(4);
    let value = [true; 4];
    let share = |session: &mut E| {
        let run = Run::new(&circuit, &Input::ONE_EACH, &value);
        session.run(run).unwrap().bits().to_vec()
    };
    let foreign = sessions(in_memory(), share).map(Mutex::new);
    sessions(in_memory(), |session: &mut E| {
        let own = share(session);
        let before = session.traffic();
        let foreign = &foreign[session.role() as usize];
        let foreign = foreign.lock().unwrap().clone();
        let mixed = [&own[..3], &foreign[3..]].concat();
        for bits in [&foreign, &mixed] {
            let inputs = [Input::Shared(&own[..]), Input::Shared(bits)];
            let run = Run::new(&circuit, &inputs, &[]);
            let error = session.run(run).err().expect("a refusal");
            assert!(matches!(error, Error::Usage(_)), "{error}");
            let to = Audience::Both;
            let openings = [Opening { to, bits: &own }, Opening { to, bits }];
            let error = session.open(&openings).expect_err("a refusal");
            assert!(matches!(error, Error::Usage(_)), "{error}");
        }
        assert_eq!(session.traffic(), before);
        assert_eq!(reveal(session, &own).unwrap(), [false; 4]);
    });
}

fn different_contexts_are_noticed<E: Engine>() {
    let circuit = xor_of_two(4);
    let outcomes = |contexts: [&[u8]; 2]| {
        sessions(in_memory(), |session: &mut E| {
            let run = Run::new(&circuit, &Input::ONE_EACH, &[true; 4]);
            let context = contexts[session.role() as usize];
            let shared = session.run(run.in_context(context))?;
            reveal(session, &shared[0])
        })
    };
    for same in [&b""[..], b"log 1"] {
        assert!(
            outcomes([same; 2])
                .iter()
                .all(|bits| bits.as_ref().unwrap() == &[false; 4])
        );
    }
    for others in [[&b"log 1"[..], b"log 2"], [b"", b"log 1"], [b"log 1", b""]] {
        let errors = outcomes(others).map(|outcome| outcome.expect_err("another context"));
        assert_disagree(&errors, Disagreement::Plan);
    }
}

/// Checks that at least one party detects the disagreement, and that the other party detects it too
/// or receives an abort.
#[track_caller]
fn assert_disagree(errors: &[Error; 2], on: Disagreement) {
    let detected = |error: &Error| matches!(error, Error::Disagreement(found) if *found == on);
    let aborted = |error: &Error| matches!(error, Error::Channel(net::Error::Aborted));
    assert!(errors.iter().any(detected), "{errors:?}");
    assert!(
        errors.iter().all(|error| detected(error) || aborted(error)),
        "{errors:?}"
    );
}

/// Exchanges hellos.
fn greet(end: End, offer: Offer<'_>) -> Result<Greeting, Error> {
    let channel = Channel::new(end, PATIENT);
    Greeting::exchange(channel, offer, &mut system_rng())
}

#[test]
fn engine_refuses_a_greeting_for_the_other_engine() {
    let (weak, strong) = (EngineKind::SemiHonest, EngineKind::Malicious);
    for (theirs, ours) in [(weak, strong), (strong, weak)] {
        both(in_memory(), |party, end| {
            let greeting = greet(end, Offer::new(party, theirs)).unwrap();
            let rng = &mut system_rng();
            let error = match ours {
                EngineKind::SemiHonest => SemiHonest::setup(greeting, rng).err(),
                _ => Malicious::setup(greeting, rng).err(),
            };
            let expected = Disagreement::Engine { theirs, ours };
            match error {
                Some(Error::Disagreement(found)) => assert_eq!(found, expected),
                other => panic!("{other:?}"),
            }
        });
    }
}

#[test]
fn terms_up_to_their_limit_reach_the_peer() {
    both(in_memory(), |party, end| {
        let terms = vec![7 + party as u8; MAX_TERMS];
        let offer = Offer::new(party, EngineKind::SemiHonest).terms(&terms);
        let greeting = greet(end, offer).unwrap();
        assert_eq!(greeting.peer_terms(), [7 + party.other() as u8; MAX_TERMS]);
        SemiHonest::setup(greeting, &mut system_rng()).unwrap();
    });
}

#[test]
fn invalid_offer_is_refused_before_anything_is_sent() {
    let offer = || Offer::new(Party::Garbler, EngineKind::Malicious);
    let terms = [7; MAX_TERMS + 1];
    let offers = [
        offer().terms(&terms),
        offer().statistical_security(39),
        offer().statistical_security(81),
    ];
    for offer in offers {
        let [end, _peer] = in_memory();
        let tap = Tap::new(end);
        let record = tap.record();
        let error = greet(Box::new(tap), offer).err().expect("a refusal");
        assert!(matches!(error, Error::Usage(_)), "{error}");
        assert!(record.take().is_empty());
    }
}

#[test]
fn different_statistical_security_starts_no_session() {
    let greet = |bits: [u8; 2]| {
        both(in_memory(), |party, end| {
            let offer = Offer::new(party, EngineKind::Malicious);
            let offer = offer.statistical_security(bits[party as usize]);
            greet(end, offer).map(drop)
        })
    };
    for bits in [40, 50, 80] {
        assert!(greet([bits; 2]).iter().all(Result::is_ok));
    }
    for bits in [[40, 41], [60, 50]] {
        for (me, outcome) in greet(bits).into_iter().enumerate() {
            let expected = Disagreement::StatisticalSecurity {
                theirs: bits[1 - me],
                ours: bits[me],
            };
            match outcome {
                Err(Error::Disagreement(found)) => assert_eq!(found, expected),
                other => panic!("{other:?}"),
            }
        }
    }
}

/// Returns the outcomes of two parties whose channels have these bindings.
fn bound_sessions(engine: EngineKind, bindings: [&[u8]; 2]) -> [Result<Vec<bool>, Error>; 2] {
    let circuit = xor_of_two(4);
    both(in_memory(), |party, end| {
        let offer = Offer::new(party, engine).bound_to(bindings[party as usize]);
        let mut session = Session::setup(greet(end, offer)?, &mut system_rng())?;
        let run = Run::new(&circuit, &Input::ONE_EACH, &[true, false, true, true]);
        let shared = session.run(run)?;
        reveal(&mut session, &shared[0])
    })
}

#[test]
fn different_channel_bindings_end_the_session() {
    for engine in [EngineKind::SemiHonest, EngineKind::Malicious] {
        for same in [&b""[..], b"a hash"] {
            for outcome in bound_sessions(engine, [same; 2]) {
                assert_eq!(outcome.unwrap(), [false; 4]);
            }
        }
        for others in [
            [&b"a hash"[..], b"another"],
            [b"a hash", b""],
            [b"", b"a hash"],
        ] {
            for outcome in bound_sessions(engine, others) {
                let error = outcome.expect_err("different bindings");
                assert!(
                    matches!(error, Error::Check(_) | Error::Channel(_)),
                    "{error}"
                );
            }
        }
    }
}
