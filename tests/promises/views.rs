//! The view of a party reveals no secret bit. Over many runs with one Delta, no affine combination
//! over F2 of all bits that a party sent, received, entered and learned equals a bit of its peer's
//! inputs, a bit of an unopened output, or a sum of such bits.
//!
//! These tests are for the semi-honest engine. The malicious engine has a unit test for the same
//! property that includes the shares, which are not accessible here.
//!
//! Each test also runs with a mutant whose view has an additional bit, which the test must detect.

use std::convert::Infallible;

use dealerless::circuit::{Builder, Circuit, Output, Ownership, Party};
use dealerless::crypto::{Block, SecretBit, SecretVec, SessionId, TweakableHash};
use dealerless::mpc::{
    ActiveLabel, Audience, Input, Opening, Run, SemiHonest, TwoParty, ZeroLabel, evaluate, garble,
};
use dealerless::net::Channel;
use dealerless::ot;
use dealerless::ot::{CotBits, CotReceiver, CotSender, Delta, Key};
use dealerless::testing::circuits::bits;
use dealerless::testing::session::{PATIENT, both, in_memory, system_rng};
use dealerless::testing::tap::Tap;
use dealerless::testing::view::{View, bits_of_block, sessions_with_taps};
use rand::rngs::ChaCha20Rng;
use rand::{RngExt, SeedableRng};

type Session = SemiHonest;

/// A circuit with two inputs of each party, `a` of the garbler and `b` of the evaluator, and three
/// outputs: `p = a0 b0` is opened to the garbler, `q = a1 b1` to the evaluator, and
/// `r = (a0 ^ b1)(p ^ b0)` to nobody.
fn circuit() -> Circuit {
    let mut builder = Builder::new(&[2, 2]);
    let (a, b) = (builder.input(0), builder.input(1));
    let p = builder.and(a[0], b[0]);
    let q = builder.and(a[1], b[1]);
    let (left, right) = (builder.xor(a[0], b[1]), builder.xor(p, b[0]));
    let r = builder.and(left, right);
    let circuit = builder.build(vec![vec![p], vec![q], vec![r]]);
    assert_eq!(circuit.ands(), 3);
    circuit
}

/// Returns the views of the garbler and the evaluator. If `r_to` is a party, `r` is opened to this
/// party, although honest parties leave it sealed.
fn views_of_a_session(r_to: Option<Party>) -> [View; 2] {
    const RUNS: usize = 2100;
    let circuit = circuit();
    let seed: u64 = system_rng().random();
    sessions_with_taps(|session: &mut Session, wire| {
        wire.payloads();
        let mut coins = ChaCha20Rng::seed_from_u64(seed);
        let mut view = View::default();
        for _ in 0..RUNS {
            let values = [bits(&mut coins, 2), bits(&mut coins, 2)];
            let outputs = circuit.evaluate(&values).unwrap();
            let (mine, theirs, sealed) = match session.role() {
                Party::Garbler => (&values[0], &values[1], &outputs[1]),
                Party::Evaluator => (&values[1], &values[0], &outputs[0]),
            };
            let run = Run::new(&circuit, &Input::ONE_EACH, mine);
            let shared = session.run(run).unwrap();
            let learners = [Some(Party::Garbler), Some(Party::Evaluator), r_to];
            let openings: Vec<_> = (learners.iter().zip(shared.iter()))
                .filter_map(|(learner, bits)| {
                    let to = Audience::Only((*learner)?);
                    Some(Opening { to, bits })
                })
                .collect();
            let opened = session.open(&openings).unwrap();

            let learned = opened.iter().flatten().flatten();
            let held = mine.iter().chain(learned).copied();
            view.held.add_run(held.chain(wire.bits()));
            let secret = [theirs, sealed, &outputs[2]];
            view.secret.add_run(secret.into_iter().flatten().copied());
        }
        view
    })
}

#[test]
fn session_reveals_no_inputs_of_the_peer_and_no_sealed_outputs() {
    for view in views_of_a_session(None) {
        assert_eq!(view.leak(), None);
    }
}

#[test]
fn opened_sealed_output_is_detected_in_the_view_of_its_learner() {
    // The secrets are two input bits and two outputs; r is the last.
    let [garbler, evaluator] = views_of_a_session(Some(Party::Garbler));
    assert_eq!((garbler.leak(), evaluator.leak()), (Some(3), None));
    let [garbler, evaluator] = views_of_a_session(Some(Party::Evaluator));
    assert_eq!((garbler.leak(), evaluator.leak()), (None, Some(3)));
}

/// The additional information of a mutant evaluator.
#[derive(Clone, Copy)]
enum Excess {
    Nothing,
    /// The colour bit of the label for 0 of the sealed output.
    Colour,
    /// The label for 0 of the garbler's first input.
    Label,
}

/// Returns the view of an evaluator with its labels of all wires, including the inner ones.
fn view_of_an_evaluator(excess: Excess) -> View {
    const RUNS: u64 = 2200;
    let circuit = circuit();
    let [p, q, r] = [0, 1, 2].map(|value| match circuit.outputs()[value][0] {
        Output::Wire(wire) => wire.index(),
        Output::Const(_) => panic!("the outputs depend on the inputs"),
    });
    let mut rng = system_rng();
    let delta = Delta::random(true, &mut rng);
    let hash = TweakableHash::with_key([3; 16]);
    let joint = Ownership::of(&circuit, [None; 2]);
    let mut view = View::default();
    for run in 0..RUNS {
        let mut zeros: Vec<ZeroLabel> = (0..circuit.wires())
            .map(|_| ZeroLabel(Block::random(&mut rng)))
            .collect();
        let mut tables = Vec::new();
        garble(&circuit, &joint, &mut zeros, &delta, &hash, run, |fresh| {
            tables.extend_from_slice(&fresh);
            Ok::<(), Infallible>(())
        })
        .unwrap();

        let inputs = bits(&mut rng, 4);
        let mut labels = vec![ActiveLabel::default(); circuit.wires()];
        for ((label, zero), value) in labels.iter_mut().zip(&zeros).zip(&inputs) {
            *label = zero.active(*value, &delta);
        }
        let mut unread = tables.iter();
        evaluate(&circuit, &joint, &mut labels, &hash, run, || {
            let mut next = || *unread.next().expect("two blocks an AND");
            Ok::<_, Infallible>([next(), next()])
        })
        .unwrap();

        let colour = |wire: usize| zeros[wire].0.lsb().reveal();
        let value = |wire: usize| labels[wire].0.lsb().reveal() ^ colour(wire);
        let outputs = circuit
            .evaluate(&[inputs[..2].to_vec(), inputs[2..].to_vec()])
            .unwrap();
        assert_eq!([p, q, r].map(value).as_slice(), outputs.concat());

        let mut held = vec![inputs[2], inputs[3], value(q)];
        let labels = labels.iter().map(|label| label.0);
        let blocks = tables.iter().copied().chain(labels);
        held.extend(blocks.flat_map(bits_of_block));
        match excess {
            Excess::Nothing => {}
            Excess::Colour => held.push(colour(r)),
            Excess::Label => held.extend(bits_of_block(zeros[0].0)),
        }
        view.held.add_run(held);
        view.secret
            .add_run([inputs[0], inputs[1], value(p), value(r)]);
    }
    view
}

#[test]
fn labels_of_all_wires_reveal_only_opened_values_to_the_evaluator() {
    assert_eq!(view_of_an_evaluator(Excess::Nothing).leak(), None);
}

#[test]
fn additional_colour_or_label_of_the_evaluator_is_detected() {
    assert_eq!(view_of_an_evaluator(Excess::Colour).leak(), Some(3));
    assert_eq!(view_of_an_evaluator(Excess::Label).leak(), Some(0));
}

/// Returns the view of a garbler that receives one masked input of the evaluator for each
/// correlated OT. The view has the key, the column of the correction matrix, the masked input and,
/// with `pad_too`, the mask.
fn view_of_a_garbler(pad_too: bool) -> View {
    const BLOCKS: usize = 24;
    let session = SessionId([9; 32]);
    enum Held {
        Keys(Vec<Block>, Vec<u8>),
        Choices(Vec<bool>),
    }
    let [garbler, evaluator] = both(in_memory(), |party, end| {
        let tap = Tap::new(end);
        let record = tap.record();
        let mut channel = Channel::new(tap, PATIENT);
        let rng = &mut system_rng();
        match party {
            Party::Garbler => {
                let delta = Delta::random(true, rng);
                let mut cots = CotSender::setup(&mut channel, &session, party, delta, rng).unwrap();
                let mut keys = SecretVec::<Key>::zeros(128 * BLOCKS);
                cots.extend(&mut channel, &mut keys).unwrap();
                let correction = (record.take().into_iter())
                    .find(|frame| frame.tag == ot::Tag::CotCorrection.byte())
                    .expect("the correction matrix fits one frame");
                let keys = keys.iter().map(|key| key.0).collect();
                Held::Keys(keys, correction.payload)
            }
            Party::Evaluator => {
                let mut cots = CotReceiver::setup(&mut channel, &session, party, rng).unwrap();
                let mut made = CotBits::default();
                made.reuse(128 * BLOCKS);
                cots.extend(&mut channel, &mut made).unwrap();
                let choices = made.choices.iter().copied().map(SecretBit::reveal);
                Held::Choices(choices.collect())
            }
        }
    });
    let (Held::Keys(keys, correction), Held::Choices(choices)) = (garbler, evaluator) else {
        unreachable!("the garbler holds the keys")
    };
    // A row of the matrix has an additional block, which the check consumes.
    let rows: Vec<&[u8]> = correction.chunks(16 * (BLOCKS + 1)).collect();
    let mut view = View::default();
    for (j, (&key, &pad)) in keys.iter().zip(&choices).enumerate() {
        let input = system_rng().random();
        let mut held = vec![input ^ pad];
        held.extend(bits_of_block(key));
        held.extend(rows.iter().map(|row| row[j / 8] >> (j % 8) & 1 == 1));
        held.extend(pad_too.then_some(pad));
        view.held.add_run(held);
        view.secret.add_run([input]);
    }
    view
}

#[test]
fn oblivious_transfers_reveal_no_input_to_the_garbler() {
    assert_eq!(view_of_a_garbler(false).leak(), None);
}

#[test]
fn garbler_with_the_masks_of_the_inputs_is_detected() {
    assert_eq!(view_of_a_garbler(true).leak(), Some(0));
}
