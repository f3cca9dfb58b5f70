//! A party does not send a message before it has received the messages that must precede it.
//!
//! One party is honest. Its peer follows the protocol, but disconnects instead of sending a certain
//! message. The frames that the honest party has sent must not include messages that depend on the
//! withheld message. The security proofs rely on this order: a message that is sent too early can
//! be exploited, even if its content is correct.

use dealerless::circuit::{Builder, Circuit, Party};
use dealerless::mpc::{Error, Input, Malicious, Result, Run, SemiHonest, Tag as Mpc};
use dealerless::net;
use dealerless::net::Channel;
use dealerless::ot::Tag as Ot;
use dealerless::testing::kind::Kind;
use dealerless::testing::line::End;
use dealerless::testing::session::{Engine, PATIENT, both, in_memory, reveal, system_rng};
use dealerless::testing::tap::{Fate, Frame, FrameIndex, Tap};

/// The MAC digests, in the order in which a party sends them: for the pool, for the bits of the
/// gates, and for the check of all gates.
const POOL: FrameIndex = (Kind::Mpc(Mpc::MacDigest), 0);
const GATES: FrameIndex = (Kind::Mpc(Mpc::MacDigest), 1);
const CHECK: FrameIndex = (Kind::Mpc(Mpc::MacDigest), 2);

/// The plan of the opening. The plans of the batch and of the run precede it.
const OPENING: FrameIndex = (Kind::Mpc(Mpc::Plan), 2);

const HELLO: FrameIndex = (Kind::Hello, 0);

/// The first message of a kind.
const fn ot(tag: Ot) -> FrameIndex {
    (Kind::Ot(tag), 0)
}

const fn mpc(tag: Mpc) -> FrameIndex {
    (Kind::Mpc(tag), 0)
}

/// A message, and the messages that a party sends only after it has received this message.
type Rule = (FrameIndex, &'static [FrameIndex]);

/// The rules of the setup, for both parties.
const SETUP: &[Rule] = &[
    (HELLO, &[ot(Ot::BaseOtPoints)]),
    (ot(Ot::BaseOtPoints), &[ot(Ot::BaseOtPads)]),
    (ot(Ot::BaseOtPads), &[ot(Ot::BaseOtAnswer)]),
    // The pads are not used before the peer has proved that it knows its own pads.
    (ot(Ot::BaseOtAnswer), &[ot(Ot::TreeSums)]),
    // Nothing that depends on Delta is sent before both checks of the OTs.
    (ot(Ot::TreeSums), &[mpc(Mpc::LeakyTables)]),
    (ot(Ot::CotCheck), &[mpc(Mpc::LeakyTables)]),
];

/// The rules for messages that the garbler receives from the evaluator.
const MALICIOUS_GARBLER: &[Rule] = &[
    (mpc(Mpc::LeakyTables), &[mpc(Mpc::LeakyBits)]),
    (mpc(Mpc::LeakyBits), &[mpc(Mpc::TripleCommitment)]),
    // The garbler reveals its digest and its share of the coin, and opens differences, only after
    // the evaluator has sent its own share and an equal digest.
    (
        mpc(Mpc::TripleDigest),
        &[mpc(Mpc::TripleOpening), mpc(Mpc::PoolBits)],
    ),
    // The pool is not used before its last check.
    (POOL, &[mpc(Mpc::GateBits)]),
    (GATES, &[mpc(Mpc::MaskedValues), mpc(Mpc::Tables)]),
    (
        mpc(Mpc::MaskedValues),
        &[mpc(Mpc::MaskedValues), mpc(Mpc::Tables)],
    ),
    // Nothing that depends on the garbler's own shares is sent before the proof has passed.
    (
        mpc(Mpc::ProductProof),
        &[
            mpc(Mpc::MaskedValues),
            mpc(Mpc::ProductProof),
            mpc(Mpc::Tables),
        ],
    ),
    // An evaluator that receives this digest before its values are verified learns the value of a
    // wire.
    (mpc(Mpc::GateValues), &[CHECK, OPENING]),
    (CHECK, &[CHECK, OPENING, mpc(Mpc::OutputBits)]),
];

/// The rules for messages that the evaluator receives from the garbler.
const MALICIOUS_EVALUATOR: &[Rule] = &[
    (mpc(Mpc::LeakyTables), &[mpc(Mpc::LeakyBits)]),
    // A garbler that knows the evaluator's share before it commits to its own share can choose the
    // coin.
    (mpc(Mpc::TripleCommitment), &[mpc(Mpc::TripleDigest)]),
    (
        mpc(Mpc::TripleOpening),
        &[mpc(Mpc::PoolBits), POOL, mpc(Mpc::GateBits)],
    ),
    (POOL, &[mpc(Mpc::GateBits), mpc(Mpc::MaskedValues)]),
    (GATES, &[mpc(Mpc::GateValues), CHECK]),
    (mpc(Mpc::ProductProof), &[mpc(Mpc::GateValues), CHECK]),
    (mpc(Mpc::Tables), &[mpc(Mpc::GateValues)]),
    (CHECK, &[OPENING, mpc(Mpc::OutputBits)]),
];

/// The rules of the semi-honest garbler, which has Delta and is the receiver of the base OTs.
const SEMI_HONEST_GARBLER: &[Rule] = &[
    (HELLO, &[ot(Ot::BaseOtPoints)]),
    (ot(Ot::BaseOtPads), &[ot(Ot::BaseOtAnswer)]),
    (ot(Ot::TreeSums), &[mpc(Mpc::Tables)]),
    (ot(Ot::CotCheck), &[mpc(Mpc::Tables)]),
    (
        mpc(Mpc::MaskedInputs),
        &[mpc(Mpc::InputDigest), mpc(Mpc::Tables)],
    ),
];

/// The rules of the semi-honest evaluator.
const SEMI_HONEST_EVALUATOR: &[Rule] = &[
    (ot(Ot::BaseOtPoints), &[ot(Ot::BaseOtPads)]),
    (ot(Ot::BaseOtAnswer), &[ot(Ot::TreeSums)]),
    (mpc(Mpc::Tables), &[(Kind::Mpc(Mpc::Plan), 1)]),
];

/// For each pair of bits of the two parties, their AND; and for each party, the AND of two of its
/// bits.
fn circuit() -> Circuit {
    let mut builder = Builder::new(&[3, 3]);
    let (a, b) = (builder.input(0), builder.input(1));
    let products = (a.iter().zip(&b)).map(|(&a, &b)| builder.and(a, b));
    let mut products: Vec<_> = products.collect();
    products.extend([&a, &b].map(|x| builder.and(x[0], x[1])));
    builder.build(vec![products])
}

fn play<E: Engine>(party: Party, end: End) -> Result<()> {
    let channel = Channel::new(end, PATIENT);
    let mut session = E::begin(channel, party, &mut system_rng())?;
    let circuit = circuit();
    let words = session.run(Run::new(&circuit, &Input::ONE_EACH, &[true, false, true]))?;
    reveal(&mut session, &words[0]).map(drop)
}

/// The places of the frames in one direction.
fn places(frames: &[Frame], sent: bool) -> Vec<FrameIndex> {
    let frames = frames.iter().filter(|frame| frame.sent == sent);
    frames.map(Frame::place).collect()
}

/// Runs a session in which the peer of `honest` disconnects instead of sending `withheld`. Returns
/// the frames that `honest` has sent and received, and the outcome of `honest`.
fn without<E: Engine>(honest: Party, withheld: Option<FrameIndex>) -> (Vec<Frame>, Result<()>) {
    let fates = move |frame: Frame| {
        if withheld == Some(frame.place()) {
            Fate::Cut(Vec::new())
        } else {
            Fate::Sent(frame.to_bytes())
        }
    };
    let [one, other] = in_memory();
    let tapped = Tap::new(one);
    let record = tapped.record();
    let (tapped, silent): (End, End) = (
        Box::new(tapped),
        Box::new(Tap::with(other, Box::new(fates))),
    );
    let ends = match honest {
        Party::Garbler => [tapped, silent],
        Party::Evaluator => [silent, tapped],
    };
    let [garbler, evaluator] = both(ends, play::<E>);
    let frames = record.take();
    let outcome = match honest {
        Party::Garbler => garbler,
        Party::Evaluator => evaluator,
    };
    (frames, outcome)
}

fn assert_order<E: Engine>(honest: Party, rules: &[Rule]) {
    let (frames, outcome) = without::<E>(honest, None);
    outcome.expect("an honest session");
    let (sent, received) = (places(&frames, true), places(&frames, false));
    for (first, later) in rules {
        assert!(
            received.contains(first),
            "the {honest} never receives {first:?}"
        );
        let (frames, outcome) = without::<E>(honest, Some(*first));
        assert!(
            matches!(outcome, Err(Error::Channel(net::Error::Lost { .. }))),
            "the {honest}, without {first:?}: {outcome:?}"
        );
        let early = places(&frames, true);
        for message in *later {
            assert!(
                sent.contains(message),
                "the {honest} never sends {message:?}"
            );
            assert!(
                !early.contains(message),
                "the {honest} sends {message:?} before it receives {first:?}"
            );
        }
    }
}

#[test]
fn malicious_garbler_sends_nothing_too_early() {
    assert_order::<Malicious>(Party::Garbler, &[SETUP, MALICIOUS_GARBLER].concat());
}

#[test]
fn malicious_evaluator_sends_nothing_too_early() {
    assert_order::<Malicious>(Party::Evaluator, &[SETUP, MALICIOUS_EVALUATOR].concat());
}

#[test]
fn semi_honest_garbler_sends_nothing_too_early() {
    assert_order::<SemiHonest>(Party::Garbler, SEMI_HONEST_GARBLER);
}

#[test]
fn semi_honest_evaluator_sends_nothing_too_early() {
    assert_order::<SemiHonest>(Party::Evaluator, SEMI_HONEST_EVALUATOR);
}
