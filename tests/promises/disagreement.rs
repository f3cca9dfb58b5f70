//! If the settings of the parties differ, both parties learn it at once. A failed session stays
//! failed.

use std::time::Instant;

use dealerless::circuit::{Builder, ByParty, Circuit, Party};
use dealerless::mpc::{
    Audience, Check, Demand, Disagreement, EngineKind, Error, Greeting, Input, Malicious, Offer,
    Opening, Result, Run, TwoParty,
};
use dealerless::net::{self, Channel, Malformed};
use dealerless::testing::session::{Engine, PATIENT, SOON, both, in_memory, sessions, system_rng};

dealerless::with_both_engines! {
    different_circuits_are_noticed,
    different_contexts_are_noticed,
    different_input_owners_are_noticed,
    different_shared_inputs_are_noticed,
    different_audiences_are_noticed,
    different_opened_bits_are_noticed,
    running_while_the_peer_opens_is_noticed,
    abort_tells_the_peer_no_reason,
}

/// The action of a party in a session with four shared bits.
type Act<'a, E> = &'a (dyn Fn(&mut E, &[Shared<E>]) -> Result<()> + Sync);

type Shared<E> = <E as TwoParty>::Shared;

/// The bitwise AND of two values.
fn ands(width: usize) -> Circuit {
    let mut builder = Builder::new(&[width, width]);
    let (a, b) = (builder.input(0), builder.input(1));
    let products = a.iter().zip(&b).map(|(&a, &b)| builder.and(a, b)).collect();
    builder.build(vec![products])
}

/// A circuit of the same shape as [`ands`] that computes another function.
fn ors(width: usize) -> Circuit {
    let mut builder = Builder::new(&[width, width]);
    let (a, b) = (builder.input(0), builder.input(1));
    let sums = a.iter().zip(&b).map(|(&a, &b)| builder.or(a, b)).collect();
    builder.build(vec![sums])
}

fn run<E: Engine>(
    session: &mut E,
    circuit: &Circuit,
    inputs: &[Input<'_, E::Shared>],
    mine: &[bool],
) -> Result<()> {
    session.run(Run::new(circuit, inputs, mine)).map(drop)
}

fn open<E: Engine>(session: &mut E, to: Audience, bits: &[E::Shared]) -> Result<()> {
    session.open(&[Opening { to, bits }]).map(drop)
}

/// Returns the errors of two parties that take different actions, and checks that all later calls
/// fail.
fn outcome_of<E: Engine>(garbler: Act<'_, E>, evaluator: Act<'_, E>) -> [Error; 2] {
    let begun = Instant::now();
    let errors = sessions(in_memory(), |session: &mut E| {
        let circuit = ands(4);
        let usual = || Run::new(&circuit, &Input::ONE_EACH, &[true, false, true, true]);
        let words = session.run(usual()).unwrap();
        let outcome = match session.role() {
            Party::Garbler => garbler(session, &words[0]),
            Party::Evaluator => evaluator(session, &words[0]),
        };
        let error = outcome.expect_err("the parties disagree");

        let again = session.run(usual()).err().expect("a failed session");
        assert!(matches!(again, Error::Ended), "{again}");
        let (to, bits) = (Audience::Both, &words[0]);
        for openings in [&[][..], &[Opening { to, bits }]] {
            let again = session.open(openings).expect_err("a failed session");
            assert!(matches!(again, Error::Ended), "{again}");
        }
        error
    });
    assert!(begun.elapsed() < SOON, "a party waited for its deadline");
    errors
}

/// Checks that at least one party detects the disagreement, and that the other party detects it too
/// or receives an abort. No error accuses a party of cheating.
#[track_caller]
fn assert_noticed<E: Engine>(garbler: Act<'_, E>, evaluator: Act<'_, E>) {
    let errors = outcome_of(garbler, evaluator);
    let detected = |error: &Error| {
        matches!(
            error,
            Error::Disagreement(Disagreement::Plan)
                | Error::Channel(net::Error::Malformed(
                    Malformed::Tag { .. } | Malformed::Length { .. }
                ))
        )
    };
    assert!(errors.iter().any(detected), "{errors:?}");
    for error in &errors {
        assert!(
            detected(error) || matches!(error, Error::Channel(net::Error::Aborted)),
            "{errors:?}"
        );
    }
}

fn different_circuits_are_noticed<E: Engine>() {
    let runs = |circuit: Circuit| {
        let value = vec![true; circuit.inputs()[0]];
        move |session: &mut E, _: &[Shared<E>]| run(session, &circuit, &Input::ONE_EACH, &value)
    };
    for other in [ors(4), ands(3)] {
        assert_noticed::<E>(&runs(ands(4)), &runs(other));
    }
}

fn different_contexts_are_noticed<E: Engine>() {
    let circuit = ands(4);
    let runs = |context: &'static [u8]| {
        let circuit = &circuit;
        move |session: &mut E, _: &[Shared<E>]| {
            let run = Run::new(circuit, &Input::ONE_EACH, &[true; 4]);
            session.run(run.in_context(context)).map(drop)
        }
    };
    assert_noticed::<E>(&runs(b"a log"), &runs(b"another log"));
    assert_noticed::<E>(&runs(b"a log"), &runs(b""));
}

fn different_input_owners_are_noticed<E: Engine>() {
    const G: Party = Party::Garbler;
    const V: Party = Party::Evaluator;
    // The second width exceeds the preprocessing, so that a party may ask for a batch when its peer
    // does not.
    for width in [4, 5000] {
        let circuit = ands(width);
        let runs = |owners: [Party; 2]| {
            let circuit = &circuit;
            move |session: &mut E, _: &[Shared<E>]| {
                let mine = owners.iter().filter(|&&owner| owner == session.role());
                let mine = vec![true; width * mine.count()];
                run(session, circuit, &owners.map(Input::By), &mine)
            }
        };
        for (garbler, evaluator) in [
            ([G, G], [V, V]),
            ([V, V], [G, G]),
            ([G, V], [V, G]),
            ([V, G], [G, V]),
            ([G, G], [G, V]),
        ] {
            assert_noticed::<E>(&runs(garbler), &runs(evaluator));
        }
    }
}

#[test]
fn different_demands_are_noticed() {
    type Session = Malicious;
    let prepares = |ands, [garbler, evaluator]: [usize; 2], outputs| {
        let demand = Demand {
            ands,
            inputs: ByParty { garbler, evaluator },
            outputs,
            ..Demand::default()
        };
        move |session: &mut Session, _: &[Shared<Session>]| session.prepare(demand)
    };
    // More outputs than there are bits left in the pool.
    let usual = prepares(5, [1, 1], 2000);
    // The first and the last demand differ from `usual` in the number of OTs. The second demand
    // needs the same number, but for the inputs of other parties.
    for other in [
        prepares(6, [1, 1], 2000),
        prepares(5, [2, 0], 2000),
        prepares(5, [1, 1], 2001),
    ] {
        assert_noticed::<Session>(&usual, &other);
        assert_noticed::<Session>(&other, &usual);
    }
    let opens: Act<'_, Session> = &|session, shared| open(session, Audience::Both, shared);
    assert_noticed(&usual, opens);
    assert_noticed(opens, &usual);
}

fn different_shared_inputs_are_noticed<E: Engine>() {
    let circuit = ands(2);
    let forward: Act<'_, E> = &|session, shared| {
        let inputs = [Input::Shared(&shared[..2]), Input::Shared(&shared[2..])];
        run(session, &circuit, &inputs, &[])
    };
    let backward: Act<'_, E> = &|session, shared| {
        let inputs = [Input::Shared(&shared[2..]), Input::Shared(&shared[..2])];
        run(session, &circuit, &inputs, &[])
    };
    let fresh: Act<'_, E> = &|session, shared| {
        let inputs = [Input::Shared(&shared[..2]), Input::By(Party::Garbler)];
        let mine: &[bool] = match session.role() {
            Party::Garbler => &[true; 2],
            Party::Evaluator => &[],
        };
        run(session, &circuit, &inputs, mine)
    };
    assert_noticed(forward, backward);
    assert_noticed(forward, fresh);
    assert_noticed(fresh, forward);
}

fn different_audiences_are_noticed<E: Engine>() {
    let audiences = [
        Audience::Only(Party::Garbler),
        Audience::Only(Party::Evaluator),
        Audience::Both,
    ];
    let opens = |to| move |session: &mut E, shared: &[Shared<E>]| open(session, to, shared);
    for garbler in audiences {
        for evaluator in audiences {
            if garbler != evaluator {
                assert_noticed::<E>(&opens(garbler), &opens(evaluator));
            }
        }
    }
}

fn different_opened_bits_are_noticed<E: Engine>() {
    const TO: Audience = Audience::Only(Party::Garbler);
    let first: Act<'_, E> = &|session, shared| open(session, TO, &shared[..1]);
    let second: Act<'_, E> = &|session, shared| open(session, TO, &shared[1..2]);
    let three: Act<'_, E> = &|session, shared| open(session, TO, &shared[..3]);
    let nothing: Act<'_, E> = &|session, _| session.open(&[]).map(drop);
    assert_noticed(first, second);
    assert_noticed(first, three);
    assert_noticed(first, nothing);
    assert_noticed(nothing, first);
    let split: Act<'_, E> = &|session, shared| {
        let (one, rest) = shared[..3].split_at(1);
        let openings = [one, rest].map(|bits| Opening { to: TO, bits });
        session.open(&openings).map(drop)
    };
    assert_noticed(three, split);
}

fn running_while_the_peer_opens_is_noticed<E: Engine>() {
    let circuit = ands(4);
    let running: Act<'_, E> = &|session, shared| {
        let inputs = [Input::Shared(shared), Input::By(Party::Evaluator)];
        let mine: &[bool] = match session.role() {
            Party::Garbler => &[],
            Party::Evaluator => &[true; 4],
        };
        run(session, &circuit, &inputs, mine)
    };
    for learner in Party::BOTH {
        let to = Audience::Only(learner);
        let opening: Act<'_, E> = &|session, shared| open(session, to, shared);
        assert_noticed(running, opening);
        assert_noticed(opening, running);
    }
}

fn abort_tells_the_peer_no_reason<E: Engine>() {
    let aborting: Act<'_, E> = &|session, _| {
        session.abort();
        Err(Error::Check(Check::OpeningMacs))
    };
    let opening: Act<'_, E> = &|session, shared| open(session, Audience::Both, shared);
    let [_, evaluator] = outcome_of(aborting, opening);
    assert!(
        matches!(evaluator, Error::Channel(net::Error::Aborted)),
        "{evaluator}"
    );
    let [garbler, _] = outcome_of(opening, aborting);
    assert!(
        matches!(garbler, Error::Channel(net::Error::Aborted)),
        "{garbler}"
    );
}

#[test]
fn same_role_or_another_engine_starts_no_session() {
    let shake = |garbler, evaluator| {
        let begun = Instant::now();
        let errors = both(in_memory(), |party, end| {
            let (role, engine) = match party {
                Party::Garbler => garbler,
                Party::Evaluator => evaluator,
            };
            let channel = Channel::new(end, PATIENT);
            let offer = Offer::new(role, engine);
            Greeting::exchange(channel, offer, &mut system_rng())
                .err()
                .expect("no session")
        });
        assert!(begun.elapsed() < SOON);
        errors.map(|error| match error {
            Error::Disagreement(disagreement) => disagreement,
            other => panic!("{other}"),
        })
    };
    let (weak, strong) = (EngineKind::SemiHonest, EngineKind::Malicious);
    for role in Party::BOTH {
        let same = [Disagreement::SameRole; 2];
        assert_eq!(shake((role, weak), (role, weak)), same);
    }
    for (garbler, evaluator) in [(weak, strong), (strong, weak)] {
        let other = |theirs, ours| Disagreement::Engine { theirs, ours };
        assert_eq!(
            shake((Party::Garbler, garbler), (Party::Evaluator, evaluator)),
            [other(evaluator, garbler), other(garbler, evaluator)]
        );
    }
}

#[test]
fn engine_with_an_unknown_number_starts_no_session() {
    let [found, _] = both(in_memory(), |party, end| {
        let mut channel = Channel::new(end, PATIENT);
        if party == Party::Garbler {
            let offer = Offer::new(party, EngineKind::Malicious);
            return Greeting::exchange(channel, offer, &mut system_rng()).err();
        }
        let (is_garbler, engine, bits, nonce, key) = (false, 2_u8, 50_u8, [1_u8; 32], [2_u8; 32]);
        let terms: Vec<u8> = Vec::new();
        net::send_hello(&mut channel, &(is_garbler, engine, bits, nonce, key, terms)).unwrap();
        channel.flush().unwrap();
        None
    });
    let unknown = Malformed::Undecodable(net::Tag::HELLO);
    match found {
        Some(Error::Channel(net::Error::Malformed(malformed))) => assert_eq!(malformed, unknown),
        other => panic!("{other:?}"),
    }
}
