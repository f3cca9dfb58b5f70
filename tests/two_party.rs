//! What two parties compute together is what one would compute in the clear, whoever garbles and
//! over whatever line.

use std::sync::Mutex;

use dealerless::Error;
use dealerless::circuit::{Bit, Builder, Circuit, Party};
use dealerless::mpc::{Handshake, Input, MAX_TERMS, Malicious, Opening, Security, SemiHonest, To};
use dealerless::net::{Channel, Deadlines};
use dealerless::testing::circuits::{bits, random_circuit};
use dealerless::testing::line::{End, over_each_line};
use dealerless::testing::session::{
    Engine, both, in_memory, input_of, only, reveal, sessions, system_rng,
};
use rand::rngs::ChaCha20Rng;
use rand::{RngExt, SeedableRng};

dealerless::with_both_engines! {
    random_circuits_give_what_they_give_in_the_clear,
    tables_arrive_whole_however_many_frames_they_fill,
    what_came_out_of_circuits_goes_into_others_next_to_fresh_inputs,
    one_shared_bit_may_stand_on_both_wires_of_a_gate,
    constants_and_inputs_that_pass_through_can_be_opened_and_used_again,
    opened_bits_reach_those_whom_they_are_opened_to_and_nobody_else,
    a_bit_may_be_opened_to_one_party_and_later_to_the_other,
    more_inputs_than_are_prepared_at_once_are_prepared_as_they_are_needed,
    inputs_that_do_not_fit_are_refused_before_anything_is_sent,
    shared_bits_of_another_session_are_refused_before_anything_is_sent,
}

const PARTIES: [Party; 2] = [Party::Garbler, Party::Evaluator];

/// A fresh seed, of which a failure tells.
fn fresh_seed() -> u64 {
    system_rng().random()
}

/// Both parties' script in a session whose public coins come from a seed.
fn with_coins<E: Engine>(ends: [End; 2], act: impl Fn(&mut E, &mut ChaCha20Rng) + Sync) {
    let seed = fresh_seed();
    println!("seed {seed}");
    sessions(ends, |session: &mut E| {
        act(session, &mut ChaCha20Rng::seed_from_u64(seed));
    });
}

/// A circuit that adds its input values bit by bit, without a carry.
fn xor_of_two(width: usize) -> Circuit {
    let mut builder = Builder::new(&[width, width]);
    let (a, b) = (builder.input(0), builder.input(1));
    let sum = a.iter().zip(&b).map(|(&a, &b)| builder.xor(a, b)).collect();
    builder.build(vec![sum])
}

/// A circuit with this many ANDs, none of which is needed by another: every pair of the bits of
/// two values of 64 bits.
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

/// Runs a circuit on fresh inputs of these owners, and checks its outputs, opened to both.
fn check_run<E: Engine>(
    session: &mut E,
    circuit: &Circuit,
    owners: &[Party],
    values: &[Vec<bool>],
) {
    let inputs: Vec<_> = owners
        .iter()
        .zip(values)
        .map(|(&owner, value)| input_of(owner, session, value))
        .collect();
    let outputs = session.run(circuit, &inputs).unwrap();
    let expected = circuit.evaluate(values).unwrap();
    assert_eq!(
        outputs.iter().map(Vec::len).collect::<Vec<_>>(),
        expected.iter().map(Vec::len).collect::<Vec<_>>()
    );
    let opened = reveal(session, &outputs.concat()).unwrap();
    assert_eq!(opened, expected.concat());
}

fn random_circuits_give_what_they_give_in_the_clear<E: Engine>() {
    let test = |ends| {
        with_coins(ends, |session: &mut E, coins| {
            for _ in 0..60 {
                let circuit = random_circuit(coins);
                let owners: Vec<Party> = (circuit.inputs().iter())
                    .map(|_| PARTIES[coins.random_range(0..2)])
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

fn tables_arrive_whole_however_many_frames_they_fill<E: Engine>() {
    with_coins(in_memory(), |session: &mut E, coins| {
        for ands in [1, 7, 8, 9, 1023, 1024, 1025, 2048, 4096] {
            let values = [bits(coins, 64), bits(coins, 64)];
            check_run(session, &independent_ands(ands), &PARTIES, &values);
        }
    });
}

fn what_came_out_of_circuits_goes_into_others_next_to_fresh_inputs<E: Engine>() {
    with_coins(in_memory(), |session: &mut E, coins| {
        // What has come out so far, and what it is.
        let mut shared: Vec<E::Shared> = Vec::new();
        let mut clear: Vec<bool> = Vec::new();
        for _ in 0..80 {
            let circuit = random_circuit(coins);
            let mut values = Vec::new();
            // For each value its owner, or the shared bits that it is made of, some of them twice.
            let sources: Vec<Result<Party, Vec<E::Shared>>> = (circuit.inputs().iter())
                .map(|&width| {
                    if shared.is_empty() || coins.random_range(0..3) == 0 {
                        values.push(bits(coins, width));
                        return Ok(PARTIES[coins.random_range(0..2)]);
                    }
                    let picks: Vec<usize> = (0..width)
                        .map(|_| coins.random_range(0..shared.len()))
                        .collect();
                    values.push(picks.iter().map(|&pick| clear[pick]).collect());
                    Err(picks.iter().map(|&pick| shared[pick].clone()).collect())
                })
                .collect();
            let inputs: Vec<_> = sources
                .iter()
                .zip(&values)
                .map(|(source, value)| match source {
                    Ok(owner) => input_of(*owner, session, value),
                    Err(bits) => Input::Shared(bits),
                })
                .collect();
            let outputs = session.run(&circuit, &inputs).unwrap();
            shared.extend(outputs.concat());
            clear.extend(circuit.evaluate(&values).unwrap().concat());
        }
        assert!(clear.len() > 100, "the circuits have put something out");
        assert_eq!(reveal(session, &shared).unwrap(), clear);
    });
}

fn one_shared_bit_may_stand_on_both_wires_of_a_gate<E: Engine>() {
    let mut builder = Builder::new(&[1, 1]);
    let (a, b) = (builder.input(0)[0], builder.input(1)[0]);
    let outputs = [builder.and(a, b), builder.xor(a, b), builder.or(a, b)];
    let circuit = builder.build(vec![outputs.to_vec()]);
    sessions(in_memory(), |session: &mut E| {
        for (owner, value) in PARTIES.into_iter().zip([true, false]) {
            let mine = [value];
            let inputs = [
                input_of(owner, session, &mine),
                input_of(owner, session, &mine),
            ];
            let bit = session.run(&circuit, &inputs).unwrap()[0][0].clone();
            let twice = [bit];
            let inputs = [Input::Shared(&twice[..]), Input::Shared(&twice[..])];
            let outputs = session.run(&circuit, &inputs).unwrap();
            assert_eq!(reveal(session, &outputs[0]).unwrap(), [value, false, value]);
        }
    });
}

fn constants_and_inputs_that_pass_through_can_be_opened_and_used_again<E: Engine>() {
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
            let (mine, theirs) = ([a], [b]);
            let inputs = [
                input_of(Party::Garbler, session, &mine),
                input_of(Party::Evaluator, session, &theirs),
            ];
            let shared = session.run(&passing, &inputs).unwrap();
            assert!(shared[1].is_empty());
            let clear = [false, true, a, b, a, !b];
            assert_eq!(reveal(session, &shared[0]).unwrap(), clear);
            let outputs = session.run(&squares, &[Input::Shared(&shared[0])]).unwrap();
            let expected = squares.evaluate(&[clear.to_vec()]).unwrap();
            assert_eq!(reveal(session, &outputs[0]).unwrap(), expected[0]);
        }
    });
}

fn opened_bits_reach_those_whom_they_are_opened_to_and_nobody_else<E: Engine>() {
    with_coins(in_memory(), |session: &mut E, coins| {
        let circuit = xor_of_two(60);
        let values = [bits(coins, 60), bits(coins, 60)];
        let inputs = [
            input_of(Party::Garbler, session, &values[0]),
            input_of(Party::Evaluator, session, &values[1]),
        ];
        let shared = session.run(&circuit, &inputs).unwrap().remove(0);
        let clear = circuit.evaluate(&values).unwrap().remove(0);
        for openings in 0..24 {
            let mut requests = Vec::new();
            let mut expected = Vec::new();
            // From the first exchange, which opens nothing, to many; some of no bits.
            for _ in 0..openings {
                let start = coins.random_range(0..60);
                let range = start..coins.random_range(start..60);
                let (to, learns) = match coins.random_range(0..3) {
                    2 => (To::Both, true),
                    party => {
                        let to = only(PARTIES[party], session);
                        (to, to == To::Me)
                    }
                };
                requests.push(Opening {
                    to,
                    bits: &shared[range.clone()],
                });
                expected.push(learns.then(|| clear[range].to_vec()));
            }
            assert_eq!(session.open(&requests).unwrap(), expected);
        }
    });
}

fn a_bit_may_be_opened_to_one_party_and_later_to_the_other<E: Engine>() {
    sessions(in_memory(), |session: &mut E| {
        let circuit = xor_of_two(3);
        let value = [true, false, true];
        let inputs = PARTIES.map(|owner| input_of(owner, session, &value));
        let shared = session.run(&circuit, &inputs).unwrap().remove(0);
        for learner in PARTIES {
            let to = only(learner, session);
            let opened = session.open(&[Opening { to, bits: &shared }]).unwrap();
            let learned = (learner == session.party()).then(|| vec![false; 3]);
            assert_eq!(opened, [learned]);
        }
    });
}

fn more_inputs_than_are_prepared_at_once_are_prepared_as_they_are_needed<E: Engine>() {
    with_coins(in_memory(), |session: &mut E, coins| {
        let mut check = |width: usize, runs: usize| {
            let circuit = xor_of_two(width);
            for _ in 0..runs {
                let values = [bits(coins, width), bits(coins, width)];
                check_run(session, &circuit, &PARTIES, &values);
            }
        };
        check(20_000, 1);
        // What is left over of a batch does not divide the next demand.
        check(999, 12);
        check(4096, 2);
        check(1, 40);
    });
}

fn inputs_that_do_not_fit_are_refused_before_anything_is_sent<E: Engine>() {
    let circuit = xor_of_two(4);
    sessions(in_memory(), |session: &mut E| {
        let value = [true; 4];
        let inputs = PARTIES.map(|owner| input_of(owner, session, &value));
        let shared = session.run(&circuit, &inputs).unwrap().remove(0);
        let before = session.traffic();

        let refused: [&[Input<'_, E::Shared>]; 6] = [
            &[],
            &[Input::Mine(&value)],
            &[Input::Mine(&value), Input::Peer, Input::Peer],
            &[Input::Mine(&value[..3]), Input::Peer],
            &[Input::Peer, Input::Mine(&[true; 5])],
            &[Input::Shared(&shared[..3]), Input::Peer],
        ];
        for inputs in refused {
            let error = session.run(&circuit, inputs).err().expect("a refusal");
            assert!(matches!(error, Error::Usage(_)), "{error}");
        }
        assert_eq!(session.traffic(), before);
        check_run(
            session,
            &circuit,
            &PARTIES,
            &[value.to_vec(), vec![false; 4]],
        );
    });
}

fn shared_bits_of_another_session_are_refused_before_anything_is_sent<E: Engine>() {
    let circuit = xor_of_two(4);
    let value = [true; 4];
    let share = |session: &mut E| {
        let inputs = PARTIES.map(|owner| input_of(owner, session, &value));
        session.run(&circuit, &inputs).unwrap().remove(0)
    };
    let foreign = sessions(in_memory(), share).map(Mutex::new);
    sessions(in_memory(), |session: &mut E| {
        let own = share(session);
        let before = session.traffic();
        let foreign = &foreign[session.party() as usize];
        let foreign = foreign.lock().unwrap().clone();
        let mixed = [&own[..3], &foreign[3..]].concat();
        for bits in [&foreign, &mixed] {
            let inputs = [Input::Shared(&own[..]), Input::Shared(bits)];
            let error = session.run(&circuit, &inputs).err().expect("a refusal");
            assert!(matches!(error, Error::Usage(_)), "{error}");
            let to = To::Both;
            let openings = [Opening { to, bits: &own }, Opening { to, bits }];
            let error = session.open(&openings).expect_err("a refusal");
            assert!(matches!(error, Error::Usage(_)), "{error}");
        }
        assert_eq!(session.traffic(), before);
        assert_eq!(reveal(session, &own).unwrap(), [false; 4]);
    });
}

#[test]
fn an_engine_is_not_set_up_after_a_handshake_for_the_other() {
    both(in_memory(), |party, end| {
        let mut channel = Channel::new(end, Deadlines::default());
        let rng = &mut system_rng();
        let security = Security::SemiHonest;
        let handshake = Handshake::perform(&mut channel, party, security, &[], rng).unwrap();
        let error = Malicious::setup(channel, &handshake, rng).err();
        assert!(matches!(error, Some(Error::Usage(_))));
    });
    both(in_memory(), |party, end| {
        let mut channel = Channel::new(end, Deadlines::default());
        let rng = &mut system_rng();
        let security = Security::Malicious;
        let handshake = Handshake::perform(&mut channel, party, security, &[], rng).unwrap();
        let error = SemiHonest::setup(channel, &handshake, rng).err();
        assert!(matches!(error, Some(Error::Usage(_))));
    });
}

#[test]
fn terms_up_to_their_limit_reach_the_peer() {
    let terms = vec![7; MAX_TERMS + 1];
    both(in_memory(), |party, end| {
        let mut channel = Channel::new(end, Deadlines::default());
        let mut shake = |terms| {
            let rng = &mut system_rng();
            Handshake::perform(&mut channel, party, Security::SemiHonest, terms, rng)
        };
        let error = shake(&terms).err().expect("a refusal");
        assert!(matches!(error, Error::Usage(_)), "{error}");
        let handshake = shake(&terms[1..]).unwrap();
        assert_eq!(handshake.peer_terms, terms[1..]);
        SemiHonest::setup(channel, &handshake, &mut system_rng()).unwrap();
    });
}
