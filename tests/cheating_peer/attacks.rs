//! Cheating that takes more than one change, or more than one look.

use std::collections::HashMap;

use dealerless::circuit::{Builder, Circuit, Party};
use dealerless::deck::SealedDeck;
use dealerless::mpc::{AuthenticatedBit, Input, Malicious, Opening, SemiHonest, TwoParty};
use dealerless::net::Channel;
use dealerless::shuffle::{Algorithm, ShuffleCircuit, Spec};
use dealerless::{Check, Disagreement, Error, Result, mpc, net};
use rand::Rng;

use crate::play::{Ending, PARTIES, PATIENT, Patience, WIDTH, circuit, run, with_liar};
use crate::testing::circuits::bits;
use crate::testing::kind::Kind;
use crate::testing::liar::{Frame, Lie};
use crate::testing::line::End;
use crate::testing::session::{both, in_memory, input_of, only, reveal, system_rng};
use dealerless::testing::circuits::bits;
use dealerless::testing::kind::Kind;
use dealerless::testing::liar::{Frame, Lie};
use dealerless::testing::line::End;
use dealerless::testing::session::{both, in_memory, input_of, only, reveal, system_rng};

type Session = Malicious<End>;
type Shared = Vec<Vec<AuthenticatedBit>>;

/// A lie that replaces payloads and leaves the rest as it is.
fn about(mut change: impl FnMut(&mut Frame) + Send + 'static) -> Lie {
    Box::new(move |mut frame| {
        change(&mut frame);
        frame.to_bytes()
    })
}

#[track_caller]
fn assert_caught_by<R: std::fmt::Debug>(ending: &Ending<R>, check: Check) {
    match &ending.honest {
        Err(Error::Check(found)) => assert_eq!(*found, check),
        other => panic!("{other:?} instead of {check}"),
    }
}

#[test]
fn a_garbler_says_nothing_after_wrong_masked_values_and_the_evaluator_learns_only_that_it_aborted()
{
    // An evaluator that flips one value and gets the garbler's digest can try both candidates of
    // the gate's bit against it, and reads a wire.
    fn digest(frame: &Frame) -> bool {
        (frame.tag, frame.nth) == (Kind::Mpc(mpc::Tag::MacDigest), 2)
    }
    let lies: [fn() -> Lie; 3] = [
        || {
            about(|frame| {
                if frame.tag == Kind::Mpc(mpc::Tag::GateValues) {
                    frame.payload[0] ^= 1;
                }
            })
        },
        || {
            about(|frame| {
                if digest(frame) {
                    frame.payload[7] ^= 1;
                }
            })
        },
        || {
            about(|frame| {
                if frame.tag == Kind::Mpc(mpc::Tag::GateValues) || digest(frame) {
                    system_rng().fill_bytes(&mut frame.payload);
                }
            })
        },
    ];
    for lie in lies {
        for input in [false, true] {
            let ending = run(Party::Evaluator, lie(), input, Patience::Long);
            assert_caught_by(&ending, Check::AndGates);
            assert!(matches!(
                ending.cheater,
                Err(Error::Channel(net::Error::Aborted))
            ));
            // After the tables, which came before the values, there is the abort and nothing else.
            let sent = ending.sent_tags();
            assert_eq!(
                sent[sent.len() - 2..],
                [Kind::Mpc(mpc::Tag::Tables), Kind::Abort]
            );
        }
    }
}

/// The XOR of two values.
fn xor() -> Circuit {
    let mut builder = Builder::new(&[WIDTH, WIDTH]);
    let (a, b) = (builder.input(0), builder.input(1));
    let sum = a.iter().zip(&b).map(|(&a, &b)| builder.xor(a, b)).collect();
    builder.build(vec![sum])
}

fn begin(party: Party, end: End) -> Result<Session> {
    Malicious::new(Channel::new(end, PATIENT), party, &mut system_rng())
}

fn run_on(session: &mut Session, circuit: &Circuit, values: &[Vec<bool>; 2]) -> Result<Shared> {
    let inputs = [0, 1].map(|owner| input_of(PARTIES[owner], session, &values[owner]));
    session.run(circuit, &inputs)
}

fn random_values() -> [Vec<bool>; 2] {
    [(); 2].map(|()| bits(&mut system_rng(), WIDTH))
}

/// The AND of two values: no gate reads what another one drives.
fn and() -> Circuit {
    let mut builder = Builder::new(&[WIDTH, WIDTH]);
    let (a, b) = (builder.input(0), builder.input(1));
    let products = a.iter().zip(&b).map(|(&a, &b)| builder.and(a, b)).collect();
    builder.build(vec![products])
}

#[test]
fn the_masked_value_of_every_gate_is_checked_though_no_other_gate_reads_it() {
    for gate in 0..WIDTH {
        let values = random_values();
        let lie = about(move |frame| {
            if frame.tag == Kind::Mpc(mpc::Tag::GateValues) {
                frame.payload[gate / 8] ^= 1 << (gate % 8);
            }
        });
        let ending = with_liar(Party::Evaluator, lie, |party, end| {
            let mut session = begin(party, end)?;
            run_on(&mut session, &and(), &values).map(drop)
        });
        assert_caught_by(&ending, Check::AndGates);
    }
}

#[test]
fn a_masked_input_that_no_gate_reads_can_be_changed_and_is_another_input() {
    for cheater in PARTIES {
        let values = random_values();
        let lie = about(|frame| {
            if frame.tag == Kind::Mpc(mpc::Tag::MaskedValues) {
                frame.payload[0] ^= 1;
            }
        });
        let ending = with_liar(cheater, lie, |party, end| {
            let mut session = begin(party, end)?;
            let shared = run_on(&mut session, &xor(), &values)?;
            reveal(&mut session, &shared[0])
        });
        let mut entered = values.clone();
        entered[cheater as usize][0] ^= true;
        let expected = xor().evaluate(&entered).expect("inputs of the circuit");
        assert_eq!(ending.honest.expect("an honest run"), expected[0]);
    }
}

#[test]
fn a_wrong_label_that_no_gate_has_read_is_caught_by_the_first_circuit_that_reads_it() {
    let values = random_values();
    let lie = about(|frame| {
        if (frame.tag, frame.nth) == (Kind::Mpc(mpc::Tag::InputLabels), 0) {
            frame.payload[0] ^= 1;
        }
    });
    let ending = with_liar(Party::Garbler, lie, |party, end| {
        let mut session = begin(party, end)?;
        let sums = run_on(&mut session, &xor(), &values)?.remove(0);
        let expected = xor().evaluate(&values).expect("inputs of the circuit");
        // Masked values are not read from labels: what is opened is right.
        assert_eq!(reveal(&mut session, &sums)?, expected[0]);
        let shared = session.run(&circuit(), &[Input::Shared(&sums), Input::Shared(&sums)])?;
        reveal(&mut session, &shared[0])
    });
    assert!(matches!(
        ending.honest,
        Err(Error::Channel(net::Error::Aborted))
    ));
    assert!(
        ending
            .findings()
            .all(|error| matches!(error, Error::Check(Check::AndGates)))
    );
}

/// Both run the circuit twice on the same inputs, and open what came out first twice to the same
/// learners.
fn play_twice(party: Party, end: End, values: &[Vec<bool>; 2]) -> Result<()> {
    let mut session = begin(party, end)?;
    let first = run_on(&mut session, &circuit(), values)?;
    run_on(&mut session, &circuit(), values)?;
    for _ in 0..2 {
        let openings = PARTIES.map(|learner| Opening {
            to: only(learner, &session),
            bits: &first[0],
        });
        let opened = session.open(&openings)?;
        let clear = circuit().evaluate(values).expect("inputs of the circuit");
        assert_eq!(
            opened.into_iter().flatten().collect::<Vec<_>>(),
            [&clear[0][..]]
        );
    }
    Ok(())
}

/// Replays what was sent in an earlier step in the place of a later one: `(tag, earlier, later)`.
fn replay(frames: &'static [(Kind, usize, usize)]) -> Lie {
    let mut kept = HashMap::new();
    about(move |frame| {
        for &(tag, earlier, later) in frames {
            if (frame.tag, frame.nth) == (tag, earlier) {
                kept.insert(tag, frame.payload.clone());
            } else if (frame.tag, frame.nth) == (tag, later) {
                frame.payload = kept[&tag].clone();
            }
        }
    })
}

fn play_with_replay(cheater: Party, frames: &'static [(Kind, usize, usize)]) -> Ending<()> {
    let values = random_values();
    with_liar(cheater, replay(frames), |party, end| {
        play_twice(party, end, &values)
    })
}

#[test]
fn what_was_opened_once_cannot_be_sent_again() {
    // The digests of MACs: of a batch, two in each run, one in each exchange of openings.
    for (frames, check) in [
        (
            &[
                (Kind::Mpc(mpc::Tag::OutputBits), 0, 1),
                (Kind::Mpc(mpc::Tag::MacDigest), 6, 7),
            ][..],
            Check::OpeningMacs,
        ),
        (
            &[
                (Kind::Mpc(mpc::Tag::GateBits), 0, 1),
                (Kind::Mpc(mpc::Tag::MacDigest), 2, 4),
            ],
            Check::GateMacs,
        ),
    ] {
        for cheater in PARTIES {
            assert_caught_by(&play_with_replay(cheater, frames), check);
        }
    }
    // With the plan of the earlier step, they are not even looked at.
    for frames in [
        &[
            (Kind::Mpc(mpc::Tag::Plan), 2, 3),
            (Kind::Mpc(mpc::Tag::OutputBits), 0, 1),
            (Kind::Mpc(mpc::Tag::MacDigest), 6, 7),
        ],
        &[
            (Kind::Mpc(mpc::Tag::Plan), 0, 1),
            (Kind::Mpc(mpc::Tag::GateBits), 0, 1),
            (Kind::Mpc(mpc::Tag::MacDigest), 2, 4),
        ],
    ] {
        for cheater in PARTIES {
            let ending = play_with_replay(cheater, frames);
            assert!(
                matches!(ending.honest, Err(Error::Disagreement(Disagreement::Plan))),
                "{:?}",
                ending.honest
            );
        }
    }
}

#[test]
fn seeds_out_of_range_end_the_session_before_there_is_a_deck_and_name_the_party() {
    let spec = Spec::new(52, 5, Algorithm::Lehmer).expect("5 of 52 can be drawn");
    let shuffle = ShuffleCircuit::build_checked(spec);
    for cheater in PARTIES {
        let outcomes = both(in_memory(), |party, end| {
            let mut session = begin(party, end)?;
            if party != cheater {
                let deck = SealedDeck::shuffle(&mut session, &shuffle, &mut system_rng());
                return deck.map(|_| ());
            }
            // The garbler's 63 is above 51, and the evaluator's 0 is not negative.
            let bits = vec![party == Party::Garbler; shuffle.circuit().inputs()[party as usize]];
            let inputs = PARTIES.map(|owner| input_of(owner, &session, &bits));
            let words = session.run(shuffle.circuit(), &inputs)?;
            let validity = &words[shuffle.validity().expect("additive seeds")];
            let opened = reveal(&mut session, validity)?;
            assert!(!opened[cheater as usize] && opened[cheater.other() as usize]);
            Ok(())
        });
        let honest = &outcomes[cheater.other() as usize];
        assert!(
            matches!(honest, Err(Error::Check(Check::SeedsOutOfRange(owner))) if *owner == cheater),
            "{honest:?}"
        );
    }
}

#[test]
fn a_peer_that_wants_semi_honest_security_is_refused() {
    for cheater in PARTIES {
        let outcomes = both(in_memory(), |party, end| {
            let channel = Channel::new(end, PATIENT);
            if party == cheater {
                SemiHonest::new(channel, party, &mut system_rng()).map(|_| ())
            } else {
                Malicious::new(channel, party, &mut system_rng()).map(|_| ())
            }
        });
        for outcome in outcomes {
            assert!(
                matches!(
                    outcome,
                    Err(Error::Disagreement(Disagreement::Security { .. }))
                ),
                "{outcome:?}"
            );
        }
    }
}
