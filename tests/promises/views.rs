//! What a party holds gives it no bit that it must not know: no affine combination over F2 of all
//! bits that it sent, received, entered and learned, over many runs with one Delta, is a bit of
//! the other party's inputs, an unopened output, or a sum of such.
//!
//! That is of the semi-honest engine. The malicious one has a unit test that does the same, with
//! the shares, which cannot be seen from here.
//!
//! Each test is also run on a mutant that holds a little more, which must be found out.

use std::convert::Infallible;

use dealerless::circuit::{Builder, Circuit, Output, Ownership, Party};
use dealerless::crypto::{Block, SecretBit, SecretVec, SessionId, TweakableHash};
use dealerless::mpc::{
    ActiveLabel, Audience, Input, Opening, Run, SemiHonest, TwoParty, ZeroLabel, evaluate, garble,
};
use dealerless::net::{Channel, Deadlines};
use dealerless::ot;
use dealerless::ot::{CotBits, CotReceiver, CotSender, Delta, Key};
use dealerless::testing::circuits::bits;
use dealerless::testing::session::{both, in_memory, system_rng};
use dealerless::testing::tap::Tap;
use dealerless::testing::view::{View, bits_of_block, sessions_with_taps};
use rand::rngs::ChaCha20Rng;
use rand::{RngExt, SeedableRng};

type Session = SemiHonest;

/// Two inputs each, `a` of the garbler and `b` of the evaluator, and three outputs:
/// `p = a0 b0` is opened to the garbler, `q = a1 b1` to the evaluator, and
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

/// The views of garbler and evaluator. The parties also open the output that honest ones leave
/// sealed, if `r_to` says to whom.
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
fn a_session_shows_neither_party_the_others_inputs_or_a_sealed_output() {
    for view in views_of_a_session(None) {
        assert_eq!(view.leak(), None);
    }
}

#[test]
fn a_session_that_opens_the_sealed_output_is_found_out_in_the_view_of_who_learns_it() {
    // Of two input bits and two outputs that are secret, r is the last.
    let [garbler, evaluator] = views_of_a_session(Some(Party::Garbler));
    assert_eq!((garbler.leak(), evaluator.leak()), (Some(3), None));
    let [garbler, evaluator] = views_of_a_session(Some(Party::Evaluator));
    assert_eq!((garbler.leak(), evaluator.leak()), (None, Some(3)));
}

/// What an evaluator holds beyond its due.
#[derive(Clone, Copy)]
enum Excess {
    Nothing,
    /// The colour bit of the sealed output's label for 0.
    Colour,
    /// The label for 0 of the garbler's first input.
    Label,
}

/// The view of an evaluator with its labels of all wires, those between the gates too.
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
fn the_labels_of_all_wires_show_the_evaluator_only_what_is_opened_to_it() {
    assert_eq!(view_of_an_evaluator(Excess::Nothing).leak(), None);
}

#[test]
fn an_evaluator_that_gets_a_colour_or_a_second_label_is_found_out() {
    assert_eq!(view_of_an_evaluator(Excess::Colour).leak(), Some(3));
    assert_eq!(view_of_an_evaluator(Excess::Label).leak(), Some(0));
}

/// The view of a garbler that receives one input of the evaluator for each correlated OT: its key,
/// its part of the correction matrix, the masked input; and `pad_too`, the mask.
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
        let mut channel = Channel::new(tap, Deadlines::default());
        let rng = &mut system_rng();
        match party {
            Party::Garbler => {
                let delta = Delta::random(true, rng);
                let mut cots = CotSender::setup(&mut channel, &session, party, delta, rng).unwrap();
                let mut keys = SecretVec::<Key>::zeros(128 * BLOCKS);
                cots.extend(&mut channel, &mut keys).unwrap();
                let correction = (record.take().into_iter())
                    .find(|frame| frame.tag == ot::Tag::CotCorrection.byte())
                    .expect("one frame holds this small a matrix");
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
    // A row of the matrix has one more block, which the check uses up.
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
fn the_oblivious_transfers_do_not_show_the_garbler_an_input() {
    assert_eq!(view_of_a_garbler(false).leak(), None);
}

#[test]
fn a_garbler_that_gets_the_masks_of_the_inputs_is_found_out() {
    assert_eq!(view_of_a_garbler(true).leak(), Some(0));
}
