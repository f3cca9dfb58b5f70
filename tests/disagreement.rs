//! Parties that do not mean the same learn that they do not, at once, and a session that failed
//! stays failed.

use std::time::Instant;

use dealerless::circuit::{Builder, Circuit, Party};
use dealerless::mpc::{Handshake, Input, Malicious, Opening, Security, To, TwoParty};
use dealerless::net::Malformed;
use dealerless::net::{Channel, Deadlines};
use dealerless::testing::line::End;
use dealerless::testing::session::{
    Engine, SOON, both, in_memory, input_of, only, sessions, system_rng,
};
use dealerless::{Check, Disagreement, Error, Result, net};

dealerless::with_both_engines! {
    parties_that_run_different_circuits_notice,
    parties_that_disagree_on_who_enters_what_notice,
    parties_that_mean_different_shared_bits_notice,
    parties_that_disagree_on_who_learns_a_bit_notice,
    parties_that_open_different_bits_notice,
    a_party_that_runs_while_the_other_opens_notices,
    a_party_that_aborts_is_not_asked_why,
}

/// What a party does in a session that holds four shared bits.
type Act<'a, E> = &'a (dyn Fn(&mut E, &[Shared<E>]) -> Result<()> + Sync);

type Shared<E> = <E as TwoParty>::Shared;

/// AND of two values, bit by bit.
fn ands(width: usize) -> Circuit {
    let mut builder = Builder::new(&[width, width]);
    let (a, b) = (builder.input(0), builder.input(1));
    let products = a.iter().zip(&b).map(|(&a, &b)| builder.and(a, b)).collect();
    builder.build(vec![products])
}

/// The same shape as [`ands`], another function.
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
) -> Result<()> {
    session.run(circuit, inputs).map(drop)
}

fn open<E: Engine>(session: &mut E, to: To, bits: &[E::Shared]) -> Result<()> {
    session.open(&[Opening { to, bits }]).map(drop)
}

/// What becomes of two parties that do different things.
fn outcome_of<E: Engine>(garbler: Act<'_, E>, evaluator: Act<'_, E>) -> [Error; 2] {
    let begun = Instant::now();
    let errors = sessions(in_memory(), |session: &mut E| {
        let circuit = ands(4);
        let value = [true, false, true, true];
        let inputs = [Party::Garbler, Party::Evaluator].map(|p| input_of(p, session, &value));
        let shared = session.run(&circuit, &inputs).unwrap().remove(0);
        let outcome = match session.party() {
            Party::Garbler => garbler(session, &shared),
            Party::Evaluator => evaluator(session, &shared),
        };
        let error = outcome.expect_err("the parties disagree");

        let again = session
            .run(&circuit, &inputs)
            .err()
            .expect("a failed session");
        assert!(matches!(again, Error::Failed), "{again}");
        for openings in [
            &[][..],
            &[Opening {
                to: To::Both,
                bits: &shared,
            }],
        ] {
            let again = session.open(openings).expect_err("a failed session");
            assert!(matches!(again, Error::Failed), "{again}");
        }
        error
    });
    assert!(begun.elapsed() < SOON, "nobody waits for a deadline");
    errors
}

/// Both learn of it: one by itself, and the other by itself or from the abort. Nobody is called a
/// cheat.
#[track_caller]
fn assert_noticed<E: Engine>(garbler: Act<'_, E>, evaluator: Act<'_, E>) {
    let errors = outcome_of(garbler, evaluator);
    let named = |error: &Error| {
        matches!(
            error,
            Error::Disagreement(Disagreement::Plan)
                | Error::Channel(net::Error::Malformed(
                    Malformed::Tag { .. } | Malformed::Length { .. }
                ))
        )
    };
    assert!(errors.iter().any(named), "{errors:?}");
    for error in &errors {
        assert!(
            named(error) || matches!(error, Error::Channel(net::Error::Aborted)),
            "{errors:?}"
        );
    }
}

fn parties_that_run_different_circuits_notice<E: Engine>() {
    let value = [true; 4];
    assert_noticed::<E>(
        &|session, _| run(session, &ands(4), &[Input::Mine(&value), Input::Peer]),
        &|session, _| run(session, &ors(4), &[Input::Peer, Input::Mine(&value)]),
    );
    assert_noticed::<E>(
        &|session, _| run(session, &ands(4), &[Input::Mine(&value), Input::Peer]),
        &|session, _| run(session, &ands(3), &[Input::Peer, Input::Mine(&value[..3])]),
    );
}

fn parties_that_disagree_on_who_enters_what_notice<E: Engine>() {
    // The second width is more than is prepared ahead, so that only one of the two asks for more.
    for width in [4, 5000] {
        let (circuit, value) = (ands(width), vec![true; width]);
        let mine: Act<'_, E> = &|session, _| {
            run(
                session,
                &circuit,
                &[Input::Mine(&value), Input::Mine(&value)],
            )
        };
        let theirs: Act<'_, E> = &|session, _| run(session, &circuit, &[Input::Peer, Input::Peer]);
        let first: Act<'_, E> =
            &|session, _| run(session, &circuit, &[Input::Mine(&value), Input::Peer]);
        let second: Act<'_, E> =
            &|session, _| run(session, &circuit, &[Input::Peer, Input::Mine(&value)]);
        assert_noticed(mine, mine);
        assert_noticed(theirs, theirs);
        assert_noticed(first, first);
        assert_noticed(second, second);
        assert_noticed(mine, second);
    }
}

#[test]
fn parties_that_make_different_amounts_ahead_notice() {
    type Session = Malicious<End>;
    fn prepare(
        ands: usize,
        inputs: [usize; 2],
    ) -> impl Fn(&mut Session, &[Shared<Session>]) -> Result<()> {
        move |session, _| session.prepare(ands, inputs)
    }
    let usual = prepare(5, [1, 1]);
    // The first takes other OTs, the second as many for other things.
    for other in [prepare(6, [1, 1]), prepare(5, [2, 0])] {
        assert_noticed::<Session>(&usual, &other);
        assert_noticed::<Session>(&other, &usual);
    }
    let opens: Act<'_, Session> = &|session, shared| open(session, To::Both, shared);
    assert_noticed(&usual, opens);
    assert_noticed(opens, &usual);
}

fn parties_that_mean_different_shared_bits_notice<E: Engine>() {
    let circuit = ands(2);
    let forward: Act<'_, E> = &|session, shared| {
        let inputs = [Input::Shared(&shared[..2]), Input::Shared(&shared[2..])];
        run(session, &circuit, &inputs)
    };
    let backward: Act<'_, E> = &|session, shared| {
        let inputs = [Input::Shared(&shared[2..]), Input::Shared(&shared[..2])];
        run(session, &circuit, &inputs)
    };
    let fresh: Act<'_, E> = &|session, shared| {
        let value = [true; 2];
        let inputs = [
            Input::Shared(&shared[..2]),
            input_of(Party::Garbler, session, &value),
        ];
        run(session, &circuit, &inputs)
    };
    assert_noticed(forward, backward);
    assert_noticed(forward, fresh);
    assert_noticed(fresh, forward);
}

fn parties_that_disagree_on_who_learns_a_bit_notice<E: Engine>() {
    let asks: [Act<'_, E>; 3] = [
        &|session, shared| open(session, To::Me, shared),
        &|session, shared| open(session, To::Peer, shared),
        &|session, shared| open(session, To::Both, shared),
    ];
    let agreed = [(0, 1), (1, 0), (2, 2)];
    for (i, garbler) in asks.iter().enumerate() {
        for (j, evaluator) in asks.iter().enumerate() {
            if !agreed.contains(&(i, j)) {
                assert_noticed(*garbler, *evaluator);
            }
        }
    }
}

fn parties_that_open_different_bits_notice<E: Engine>() {
    let first: Act<'_, E> =
        &|session, shared| open(session, only(Party::Garbler, session), &shared[..1]);
    let second: Act<'_, E> =
        &|session, shared| open(session, only(Party::Garbler, session), &shared[1..2]);
    let three: Act<'_, E> =
        &|session, shared| open(session, only(Party::Garbler, session), &shared[..3]);
    let nothing: Act<'_, E> = &|session, _| session.open(&[]).map(drop);
    assert_noticed(first, second);
    assert_noticed(first, three);
    assert_noticed(first, nothing);
    assert_noticed(nothing, first);
    let split: Act<'_, E> = &|session, shared| {
        let to = only(Party::Garbler, session);
        let (one, rest) = shared[..3].split_at(1);
        session
            .open(&[Opening { to, bits: one }, Opening { to, bits: rest }])
            .map(drop)
    };
    assert_noticed(three, split);
}

fn a_party_that_runs_while_the_other_opens_notices<E: Engine>() {
    let circuit = ands(4);
    let running: Act<'_, E> = &|session, shared| {
        let value = [true; 4];
        let inputs = [
            Input::Shared(shared),
            input_of(Party::Evaluator, session, &value),
        ];
        run(session, &circuit, &inputs)
    };
    for learner in [Party::Garbler, Party::Evaluator] {
        let opening: Act<'_, E> = &|session, shared| open(session, only(learner, session), shared);
        assert_noticed(running, opening);
        assert_noticed(opening, running);
    }
}

fn a_party_that_aborts_is_not_asked_why<E: Engine>() {
    let aborting: Act<'_, E> = &|session, _| {
        session.abort();
        Err(Error::Check(Check::CardNotInDeck))
    };
    let opening: Act<'_, E> = &|session, shared| open(session, To::Both, shared);
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
fn parties_that_want_the_same_role_or_other_security_do_not_begin() {
    let shake = |garbler, evaluator| {
        let begun = Instant::now();
        let errors = both(in_memory(), |party, end| {
            let (role, security) = match party {
                Party::Garbler => garbler,
                Party::Evaluator => evaluator,
            };
            let mut channel = Channel::new(end, Deadlines::default());
            Handshake::perform(&mut channel, role, security, &[], &mut system_rng())
                .err()
                .expect("no session")
        });
        assert!(begun.elapsed() < SOON);
        errors.map(|error| match error {
            Error::Disagreement(disagreement) => disagreement,
            other => panic!("{other}"),
        })
    };
    let (weak, strong) = (Security::SemiHonest, Security::Malicious);
    for role in [Party::Garbler, Party::Evaluator] {
        let same = [Disagreement::SameRole; 2];
        assert_eq!(shake((role, weak), (role, weak)), same);
    }
    for (garbler, evaluator) in [(weak, strong), (strong, weak)] {
        let other = |theirs, ours| Disagreement::Security { theirs, ours };
        assert_eq!(
            shake((Party::Garbler, garbler), (Party::Evaluator, evaluator)),
            [other(evaluator, garbler), other(garbler, evaluator)]
        );
    }
}
