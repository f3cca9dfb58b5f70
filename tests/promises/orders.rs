//! What a party must not say before it has heard something.
//!
//! One party is honest; the other one follows the protocol up to a message that it keeps back, and
//! then is gone. What the honest party has sent by then must not hold what it may only say after it.
//! The order is what the proofs rest on: a party that says a thing too early can be used, though no
//! message that it sends is wrong.

use dealerless::circuit::{Builder, Circuit, Party};
use dealerless::mpc::{Error, Input, Malicious, Result, Run, SemiHonest, Tag as Mpc};
use dealerless::net;
use dealerless::net::{Channel, Deadlines};
use dealerless::ot::Tag as Ot;
use dealerless::testing::kind::Kind;
use dealerless::testing::line::End;
use dealerless::testing::session::{Engine, both, in_memory, reveal, system_rng};
use dealerless::testing::tap::{Fate, Frame, FrameIndex, Tap};

/// Digests of MACs, in the order in which a party sends them: of the pool, of the gates' bits, of
/// the check of all gates, of an opening.
const POOL: FrameIndex = (Kind::Mpc(Mpc::MacDigest), 0);
const GATES: FrameIndex = (Kind::Mpc(Mpc::MacDigest), 1);
const CHECK: FrameIndex = (Kind::Mpc(Mpc::MacDigest), 2);

/// The plan of the opening, after those of the batch and of the run.
const OPENING: FrameIndex = (Kind::Mpc(Mpc::Plan), 2);

const HELLO: FrameIndex = (Kind::Hello, 0);

/// The first message of a kind.
const fn ot(tag: Ot) -> FrameIndex {
    (Kind::Ot(tag), 0)
}

const fn mpc(tag: Mpc) -> FrameIndex {
    (Kind::Mpc(tag), 0)
}

/// Before a party has heard the first, it does not say the others.
type Rule = (FrameIndex, &'static [FrameIndex]);

/// For both parties alike.
const SETUP: &[Rule] = &[
    (HELLO, &[ot(Ot::BaseOtPoints)]),
    (ot(Ot::BaseOtPoints), &[ot(Ot::BaseOtPads)]),
    (ot(Ot::BaseOtPads), &[ot(Ot::BaseOtAnswer)]),
    // The pads are not used before it is known that the other party knows its own.
    (ot(Ot::BaseOtAnswer), &[ot(Ot::TreeSums)]),
    // Nothing that is made of Delta leaves before both checks of the OTs.
    (ot(Ot::TreeSums), &[mpc(Mpc::LeakyTables)]),
    (ot(Ot::CotCheck), &[mpc(Mpc::LeakyTables)]),
];

/// Before it has heard of the evaluator.
const MALICIOUS_GARBLER: &[Rule] = &[
    (mpc(Mpc::LeakyTables), &[mpc(Mpc::LeakyBits)]),
    (mpc(Mpc::LeakyBits), &[mpc(Mpc::TripleCommitment)]),
    // It reveals its digest and its share of the coin, and opens differences, to an evaluator that
    // has sent its own, and an equal digest.
    (
        mpc(Mpc::TripleDigest),
        &[mpc(Mpc::TripleOpening), mpc(Mpc::PoolBits)],
    ),
    // Nothing of the pool is used before its last check.
    (POOL, &[mpc(Mpc::GateBits)]),
    (GATES, &[mpc(Mpc::MaskedValues), mpc(Mpc::Tables)]),
    (
        mpc(Mpc::MaskedValues),
        &[mpc(Mpc::MaskedValues), mpc(Mpc::Tables)],
    ),
    // Nothing made from its own shares leaves before the proof has passed.
    (
        mpc(Mpc::ProductProof),
        &[
            mpc(Mpc::MaskedValues),
            mpc(Mpc::ProductProof),
            mpc(Mpc::Tables),
        ],
    ),
    // An evaluator that gets this digest before its values are verified reads a wire.
    (mpc(Mpc::GateValues), &[CHECK, OPENING]),
    (CHECK, &[CHECK, OPENING, mpc(Mpc::OutputBits)]),
];

/// Before it has heard of the garbler.
const MALICIOUS_EVALUATOR: &[Rule] = &[
    (mpc(Mpc::LeakyTables), &[mpc(Mpc::LeakyBits)]),
    // A garbler that knows the evaluator's share before it commits to its own chooses the coin.
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

/// The garbler has Delta, and is the receiver of the base OTs.
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

const SEMI_HONEST_EVALUATOR: &[Rule] = &[
    (ot(Ot::BaseOtPoints), &[ot(Ot::BaseOtPads)]),
    (ot(Ot::BaseOtAnswer), &[ot(Ot::TreeSums)]),
    (mpc(Mpc::Tables), &[(Kind::Mpc(Mpc::Plan), 1)]),
];

/// One AND of each pair of bits, and one of two bits of each party, opened to both.
fn circuit() -> Circuit {
    let mut builder = Builder::new(&[3, 3]);
    let (a, b) = (builder.input(0), builder.input(1));
    let products = (a.iter().zip(&b)).map(|(&a, &b)| builder.and(a, b));
    let mut products: Vec<_> = products.collect();
    products.extend([&a, &b].map(|x| builder.and(x[0], x[1])));
    builder.build(vec![products])
}

fn play<E: Engine>(party: Party, end: End) -> Result<()> {
    let channel = Channel::new(end, Deadlines::default());
    let mut session = E::begin(channel, party, &mut system_rng())?;
    let circuit = circuit();
    let words = session.run(Run::new(&circuit, &Input::ONE_EACH, &[true, false, true]))?;
    reveal(&mut session, &words[0]).map(drop)
}

/// The places of the frames that go one way.
fn said(frames: &[Frame], sent: bool) -> Vec<FrameIndex> {
    let frames = frames.iter().filter(|frame| frame.sent == sent);
    frames.map(Frame::place).collect()
}

/// What `honest` has sent and received, and how it ended, if the other party is gone before it says
/// this.
fn without<E: Engine>(honest: Party, kept_back: Option<FrameIndex>) -> (Vec<Frame>, Result<()>) {
    let fates = move |frame: Frame| match kept_back == Some(frame.place()) {
        true => Fate::Cut(Vec::new()),
        false => Fate::Sent(frame.to_bytes()),
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

fn keeps<E: Engine>(honest: Party, rules: &[Rule]) {
    let (frames, outcome) = without::<E>(honest, None);
    outcome.expect("an honest session");
    let (says, hears) = (said(&frames, true), said(&frames, false));
    for (heard, then) in rules {
        assert!(hears.contains(heard), "the {honest} never hears {heard:?}");
        let (frames, outcome) = without::<E>(honest, Some(*heard));
        assert!(
            matches!(outcome, Err(Error::Channel(net::Error::Lost { .. }))),
            "the {honest}, without {heard:?}: {outcome:?}"
        );
        let early = said(&frames, true);
        for said in *then {
            assert!(says.contains(said), "the {honest} never says {said:?}");
            assert!(
                !early.contains(said),
                "the {honest} says {said:?} before it hears {heard:?}"
            );
        }
    }
}

#[test]
fn a_malicious_garbler_says_nothing_too_early() {
    keeps::<Malicious>(Party::Garbler, &[SETUP, MALICIOUS_GARBLER].concat());
}

#[test]
fn a_malicious_evaluator_says_nothing_too_early() {
    keeps::<Malicious>(Party::Evaluator, &[SETUP, MALICIOUS_EVALUATOR].concat());
}

#[test]
fn a_semi_honest_garbler_says_nothing_too_early() {
    keeps::<SemiHonest>(Party::Garbler, SEMI_HONEST_GARBLER);
}

#[test]
fn a_semi_honest_evaluator_says_nothing_too_early() {
    keeps::<SemiHonest>(Party::Evaluator, SEMI_HONEST_EVALUATOR);
}
