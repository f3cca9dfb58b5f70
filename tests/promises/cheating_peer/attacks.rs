//! Attacks with more than one change, and attacks whose effect is checked more closely.

use std::collections::HashMap;

use dealerless::circuit::{Builder, Circuit, Party};
use dealerless::deck::{self, SealedDeck};
use dealerless::mpc::{
    self, Audience, AuthenticatedBit, Check, Demand, Disagreement, Error, Input, Malicious,
    Opening, Result, Run, SemiHonest, TwoParty, Words,
};
use dealerless::net::{self, Channel, HEADER_BYTES, Transport, memory_pair};
use dealerless::ot;
use dealerless::shuffle::{Algorithm, ShuffleCircuit, Spec};
use dealerless::testing::circuits::bits;
use dealerless::testing::kind::Kind;
use dealerless::testing::line::End;
use dealerless::testing::session::{PATIENT, SOON, both, in_memory, reveal, system_rng};
use dealerless::testing::tap::{Fates, Frame, changing, garble, unchanged};

use super::cases::{KEY, NONCE, ROLE};
use super::play::{self, Ending, Patience, Seed, Setup, WIDTH, circuit, run, with_liar};

type Session = Malicious;

const TABLES: Kind = Kind::Mpc(mpc::Tag::Tables);
const GATE_VALUES: Kind = Kind::Mpc(mpc::Tag::GateValues);
const MASKED_VALUES: Kind = Kind::Mpc(mpc::Tag::MaskedValues);
const PLAN: Kind = Kind::Mpc(mpc::Tag::Plan);
const GATE_BITS: Kind = Kind::Mpc(mpc::Tag::GateBits);
const OUTPUT_BITS: Kind = Kind::Mpc(mpc::Tag::OutputBits);
const MAC_DIGEST: Kind = Kind::Mpc(mpc::Tag::MacDigest);

/// Flips one bit of the first message with this tag.
fn flips(tag: Kind, bit: usize) -> Fates {
    changing(move |frame| {
        if frame.place() == (tag, 0) {
            frame.payload[bit / 8] ^= 1 << (bit % 8);
        }
    })
}

#[track_caller]
fn assert_caught_by<R: std::fmt::Debug>(ending: &Ending<R>, check: Check) {
    match &ending.honest {
        Err(Error::Check(found)) => assert_eq!(*found, check),
        other => panic!("{other:?} instead of {check}"),
    }
}

/// Checks that the honest party has no result, and that `check` has failed at one of the parties.
#[track_caller]
fn assert_ended_by<R: std::fmt::Debug>(ending: &Ending<R>, check: Check) {
    assert!(ending.honest.is_err(), "{:?}", ending.honest);
    let findings: Vec<_> = ending.findings().collect();
    assert!(
        matches!(findings[..], [Error::Check(found)] if *found == check),
        "{findings:?} instead of {check}"
    );
}

#[test]
fn wrong_masked_values_make_the_garbler_abort_without_a_digest() {
    // If an evaluator that flips one value received the garbler's digest, it could compare the
    // digest with both candidates for the gate's bit, and so learn the value of a wire.
    fn digest(frame: &Frame) -> bool {
        frame.place() == (MAC_DIGEST, 2)
    }
    let lies: [fn() -> Fates; 3] = [
        || flips(GATE_VALUES, 0),
        || {
            changing(|frame| {
                if digest(frame) {
                    frame.payload[7] ^= 1;
                }
            })
        },
        || {
            changing(|frame| {
                // Garble all bytes except the last, which has unused bits.
                if frame.kind() == GATE_VALUES || digest(frame) {
                    let end = frame.payload.len() - 1;
                    garble(&mut frame.payload[..end]);
                }
            })
        },
    ];
    for lie in lies {
        for input in [false, true] {
            let ending = run(
                Party::Evaluator,
                lie(),
                input,
                (Setup::Dealt, Patience::Long),
            );
            assert_caught_by(&ending, Check::AndGates);
            assert!(matches!(
                ending.cheater,
                Err(Error::Channel(net::Error::Aborted))
            ));
            // The garbler has sent the tables before it receives the values. Afterwards it sends
            // only the abort.
            let sent = ending.sent_kinds();
            assert_eq!(sent[sent.len() - 2..], [TABLES, Kind::Abort]);
        }
    }
}

/// The XOR of the first two input values. Nothing reads the third value, which the garbler enters,
/// and the fourth value, which the evaluator enters.
fn xor() -> Circuit {
    let mut builder = Builder::new(&[WIDTH; 4]);
    let (a, b) = (builder.input(0), builder.input(1));
    let sum = a.iter().zip(&b).map(|(&a, &b)| builder.xor(a, b)).collect();
    builder.build(vec![sum])
}

/// The owners of the inputs of [`xor`].
const ENTERED: [Input<'_, AuthenticatedBit>; 4] = [
    Input::By(Party::Garbler),
    Input::By(Party::Evaluator),
    Input::By(Party::Garbler),
    Input::By(Party::Evaluator),
];

fn begin(party: Party, end: End, seed: Seed) -> Result<Session> {
    play::begin(party, end, PATIENT, Setup::Dealt, seed)
}

fn run_on(
    session: &mut Session,
    circuit: &Circuit,
    values: &[Vec<bool>; 2],
) -> Result<Words<AuthenticatedBit>> {
    let mine = &values[session.role() as usize];
    session.run(Run::new(circuit, &Input::ONE_EACH, mine))
}

fn random_values() -> [Vec<bool>; 2] {
    [(); 2].map(|()| bits(&mut system_rng(), WIDTH))
}

/// The bitwise AND of two values. No gate reads the output of another gate.
fn and() -> Circuit {
    let mut builder = Builder::new(&[WIDTH, WIDTH]);
    let (a, b) = (builder.input(0), builder.input(1));
    let products = a.iter().zip(&b).map(|(&a, &b)| builder.and(a, b)).collect();
    builder.build(vec![products])
}

#[test]
fn masked_value_of_every_gate_is_checked_even_if_no_gate_reads_it() {
    for gate in 0..WIDTH {
        let values = random_values();
        let ending = with_liar(
            Party::Evaluator,
            flips(GATE_VALUES, gate),
            |party, end, seed| {
                let mut session = begin(party, end, seed)?;
                run_on(&mut session, &and(), &values).map(drop)
            },
        );
        assert_caught_by(&ending, Check::AndGates);
    }
}

/// Runs [`xor`], which has no AND gates, and opens its outputs.
fn play_xor(cheater: Party, lie: Fates) -> Ending<Vec<bool>> {
    let values = [(); 4].map(|()| bits(&mut system_rng(), WIDTH));
    let ending = with_liar(cheater, lie, |party, end, seed| {
        let mut session = begin(party, end, seed)?;
        let mine = [&values[party as usize][..], &values[2 + party as usize]].concat();
        let words = session.run(Run::new(&xor(), &ENTERED, &mine))?;
        reveal(&mut session, &words[0])
    });
    if let Ok(opened) = &ending.honest {
        let expected = xor().evaluate(&values).expect("inputs of the circuit");
        assert_eq!(*opened, expected[0]);
    }
    ending
}

#[test]
fn masked_input_is_bound_even_if_nothing_reads_it() {
    for cheater in Party::BOTH {
        // The cheater enters two values. Outputs read the bits of the first value, but nothing
        // reads the bits of the second value.
        for bit in [0, WIDTH - 1, WIDTH, 2 * WIDTH - 1] {
            let ending = play_xor(cheater, flips(MASKED_VALUES, bit));
            assert_ended_by(&ending, Check::AndGates);
        }
    }
}

/// Runs the circuit twice on the same inputs, and opens the outputs of the first run twice to the
/// same learners.
fn play_twice(mut session: Session, values: &[Vec<bool>; 2]) -> Result<()> {
    session.prepare(Demand::of(&circuit()).times(2))?;
    let first = run_on(&mut session, &circuit(), values)?;
    run_on(&mut session, &circuit(), values)?;
    let clear = circuit().evaluate(values).expect("inputs of the circuit");
    for _ in 0..2 {
        let openings = Party::BOTH.map(|learner| Opening {
            to: Audience::Only(learner),
            bits: &first[0],
        });
        let opened = session.open(&openings)?;
        let learned: Vec<&[bool]> = opened.iter().flatten().collect();
        assert_eq!(learned, [&clear[0][..]]);
    }
    Ok(())
}

/// Messages that replace later messages with the same tag: `(tag, earlier, later)`. The numbers
/// count the messages with this tag.
type Replay = [(Kind, usize, usize)];

fn replay(frames: &'static Replay) -> Fates {
    let mut kept = HashMap::new();
    changing(move |frame| {
        for &(tag, earlier, later) in frames {
            if frame.place() == (tag, earlier) {
                kept.insert(tag, frame.payload.clone());
            } else if frame.place() == (tag, later) {
                frame.payload = kept[&tag].clone();
            }
        }
    })
}

fn play_with(cheater: Party, lie: Fates) -> Ending<()> {
    let values = random_values();
    with_liar(cheater, lie, |party, end, seed| {
        play_twice(begin(party, end, seed)?, &values)
    })
}

#[test]
fn replayed_steps_have_the_expected_numbers() {
    let ending = play_with(Party::Evaluator, unchanged());
    assert!(ending.honest.is_ok());
    let replayed = [PLAN, GATE_BITS, OUTPUT_BITS, MAC_DIGEST];
    let (run, open) = (
        [PLAN, GATE_BITS, MAC_DIGEST, MAC_DIGEST],
        [PLAN, OUTPUT_BITS, MAC_DIGEST],
    );
    let batch = [PLAN, MAC_DIGEST];
    let sent: Vec<Kind> = (ending.sent_kinds().into_iter())
        .filter(|tag| replayed.contains(tag))
        .collect();
    let expected = [&batch[..], &run, &run, &open, &open].concat();
    assert_eq!(sent, expected);
}

#[test]
fn replayed_openings_are_refused() {
    const OPENING: &Replay = &[(OUTPUT_BITS, 0, 1), (MAC_DIGEST, 5, 6)];
    const RUN: &Replay = &[(GATE_BITS, 0, 1), (MAC_DIGEST, 1, 3)];
    for (frames, check) in [(OPENING, Check::OpeningMacs), (RUN, Check::GateMacs)] {
        for cheater in Party::BOTH {
            assert_caught_by(&play_with(cheater, replay(frames)), check);
        }
    }
    // If the plan is replayed as well, the plans differ, so the step is refused before any check.
    const OPENING_AND_PLAN: &Replay = &[(PLAN, 3, 4), OPENING[0], OPENING[1]];
    const RUN_AND_PLAN: &Replay = &[(PLAN, 1, 2), RUN[0], RUN[1]];
    for frames in [OPENING_AND_PLAN, RUN_AND_PLAN] {
        for cheater in Party::BOTH {
            let ending = play_with(cheater, replay(frames));
            assert!(
                matches!(ending.honest, Err(Error::Disagreement(Disagreement::Plan))),
                "{:?}",
                ending.honest
            );
        }
    }
}

/// Enters seeds that are out of range, and takes part in the opening of the validity bits.
fn cheat_with_seeds(session: &mut Session, shuffle: &ShuffleCircuit) -> Result<()> {
    let (me, circuit) = (session.role(), shuffle.circuit());
    // The garbler enters 63, but its largest valid seed is 51. The evaluator enters 0, but only
    // negative numbers encode its seeds.
    let seeds = vec![me == Party::Garbler; circuit.inputs()[me as usize]];
    let words = session.run(Run::new(circuit, &Input::ONE_EACH, &seeds))?;
    let validity = &words[shuffle.validity().expect("additive seeds")];
    let opened = reveal(session, validity)?;
    assert!(!opened[me as usize] && opened[me.other() as usize]);
    Ok(())
}

#[test]
fn seeds_out_of_range_end_the_session_without_a_deck_and_name_the_party() {
    let spec = Spec::new(52, 5, Algorithm::Lehmer).expect("5 of 52 can be drawn");
    let shuffle = ShuffleCircuit::build_checked(spec);
    for cheater in Party::BOTH {
        let outcomes = both(in_memory(), |party, end| -> deck::Result<()> {
            let mut session = Malicious::new(Channel::new(end, PATIENT), party, &mut system_rng())?;
            if party == cheater {
                return Ok(cheat_with_seeds(&mut session, &shuffle)?);
            }
            SealedDeck::shuffle(&mut session, &shuffle, &mut system_rng()).map(drop)
        });
        let honest = &outcomes[cheater.other() as usize];
        assert!(
            matches!(
                honest,
                Err(deck::Error::Check(deck::Check::SeedsOutOfRange(owner))) if *owner == cheater
            ),
            "{honest:?}"
        );
    }
}

#[test]
fn peer_with_semi_honest_security_is_refused() {
    for cheater in Party::BOTH {
        let outcomes = both(in_memory(), |party, end| {
            let channel = Channel::new(end, PATIENT);
            if party == cheater {
                SemiHonest::new(channel, party, &mut system_rng()).map(drop)
            } else {
                Malicious::new(channel, party, &mut system_rng()).map(drop)
            }
        });
        for outcome in outcomes {
            assert!(
                matches!(
                    outcome,
                    Err(Error::Disagreement(Disagreement::Engine { .. }))
                ),
                "{outcome:?}"
            );
        }
    }
}

/// Returns the error of a party whose peer sends the party's own hello back, with the role flipped
/// and `change` applied.
fn answered_with_its_own_hello(change: impl Fn(&mut [u8])) -> Error {
    let (mut cheater, honest) = memory_pair();
    std::thread::scope(|scope| {
        let honest = scope.spawn(move || {
            let channel = Channel::new(honest, PATIENT);
            Malicious::new(channel, Party::Garbler, &mut system_rng()).map(drop)
        });
        let mut hello = [0; HEADER_BYTES + KEY + 32 + 8];
        let mut received = 0;
        while received < hello.len() {
            received += cheater.recv(&mut hello[received..], SOON).expect("a hello");
        }
        hello[HEADER_BYTES + ROLE] ^= 1;
        change(&mut hello[HEADER_BYTES..]);
        cheater
            .send(hello.to_vec(), SOON)
            .expect("an open connection");
        let outcome = honest.join().expect("no panic");
        outcome.expect_err("no session")
    })
}

#[test]
fn hello_with_a_reflected_nonce_or_an_invalid_key_is_refused() {
    let found = answered_with_its_own_hello(|_| {});
    assert!(matches!(found, Error::Check(Check::HelloNonce)), "{found}");
    // The encoding of the identity, and a value above the field modulus.
    for key in [0, 0xff] {
        let found = answered_with_its_own_hello(|hello| {
            hello[NONCE] ^= 1;
            hello[KEY..KEY + 32].fill(key);
        });
        assert!(matches!(found, Error::Check(Check::HelloKey)), "{found}");
    }
}

#[test]
fn replaced_key_is_caught_by_the_base_ots() {
    // The base point of ristretto255, which is a valid key.
    const BASE_POINT: [u8; 32] = [
        0xe2, 0xf2, 0xae, 0x0a, 0x6a, 0xbc, 0x4e, 0x71, 0xa8, 0x84, 0xa9, 0x61, 0xc5, 0x00, 0x51,
        0x5f, 0x58, 0xe3, 0x0b, 0x6a, 0xa5, 0x82, 0xdd, 0x8d, 0xb6, 0xa6, 0x59, 0x45, 0xe0, 0x8d,
        0x2d, 0x76,
    ];
    for cheater in Party::BOTH {
        let lie = changing(|frame| {
            if frame.kind() == Kind::Hello {
                frame.payload[KEY..KEY + 32].copy_from_slice(&BASE_POINT);
            }
        });
        let ending = run(cheater, lie, false, (Setup::Made, Patience::Long));
        let found = ot::Check::BaseOtChallenge;
        assert_caught_by(&ending, Check::ObliviousTransfer(found));
    }
}
