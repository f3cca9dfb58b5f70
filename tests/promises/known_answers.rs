//! Tests with known answers that the bytes on the wire are unchanged. All randomness comes from
//! fixed seeds.
//!
//! The answers for the hash and for the half gates come from a second implementation, in Python.
//! The other answers were recorded from this implementation. If an answer changes, the protocol has
//! changed, so [`VERSION`](dealerless::net::VERSION) must change as well.

use std::convert::Infallible;

use dealerless::circuit::{Builder, Output, Ownership, Party};
use dealerless::crypto::{Block, TweakDomain, TweakableHash};
use dealerless::deck::{Card, SealedDeck};
use dealerless::mpc::{ActiveLabel, Audience, Malicious, SemiHonest, ZeroLabel, evaluate, garble};
use dealerless::net::Channel;
use dealerless::ot::Delta;
use dealerless::shuffle::{Algorithm, ShuffleCircuit, Spec};
use dealerless::testing::line::End;
use dealerless::testing::session::{Engine, PATIENT, both, in_memory};
use dealerless::testing::tap::{Frame, Tap};
use rand::SeedableRng;
use rand::rngs::ChaCha20Rng;

/// The key of FIPS 197, appendix C.1.
const KEY: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

fn hex(block: Block) -> String {
    let bytes = block.to_bytes();
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn tweakable_hash_is_unchanged() {
    let hash = TweakableHash::with_key(KEY);
    let x = Block::from([
        0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee,
        0xff,
    ]);
    let answers = [
        hash.hash(x, Block::ZERO),
        hash.hash(x, TweakDomain::Garbling.tweak(0, 0)),
        hash.hash(x, TweakDomain::Garbling.tweak(5, 1 << 40)),
        hash.hash(x, TweakDomain::Opening.tweak((1 << 56) - 1, u64::MAX)),
    ];
    assert_eq!(
        answers.map(hex),
        [
            "26a76cab351a47318eb59331d2ae8a30",
            "a7a9d5c9f6134b17598c33d4ce669ec4",
            "52d3ec372c022b95f194b5e701c322c6",
            "9c0e575e4aa5406479c489a9ee4a6df6",
        ]
    );
}

#[test]
fn half_gates_are_unchanged() {
    let mut builder = Builder::new(&[1, 2]);
    let (a, b) = (builder.input(0), builder.input(1));
    let first = builder.and(a[0], b[0]);
    let sum = builder.xor(first, b[1]);
    let second = builder.and(sum, a[0]);
    let second = builder.not(second);
    let circuit = builder.build(vec![vec![first, second]]);

    let delta = Delta::random(true, &mut ChaCha20Rng::from_seed([1; 32]));
    assert_eq!(hex(delta.block()), "033f37203a2476c42566a61cc55c3ca8");
    let hash = TweakableHash::with_key(KEY);
    let joint = Ownership::of(&circuit, [None, None]);
    let mut zeros = vec![ZeroLabel::default(); circuit.wires()];
    for (i, zero) in zeros[..3].iter_mut().enumerate() {
        zero.0 = Block::from([0x5a + i as u8; 16]);
    }
    let mut tables = Vec::new();
    garble(&circuit, &joint, &mut zeros, &delta, &hash, 7, |fresh| {
        tables.extend_from_slice(&fresh);
        Ok::<(), Infallible>(())
    })
    .unwrap();
    let outputs = [0, 1].map(|bit| match circuit.outputs()[0][bit] {
        Output::Wire(wire) => wire.index(),
        Output::Const(_) => panic!("the outputs depend on the inputs"),
    });
    assert_eq!(
        outputs.map(|wire| hex(zeros[wire].0)),
        [
            "91ea480d5b4a969a63df4a1283fe06da",
            "080145c293d292252e61c01548bbbce2",
        ]
    );
    assert_eq!(
        tables.iter().copied().map(hex).collect::<Vec<_>>(),
        [
            "474b5f6df1d4b074f1f31915e152cc6f",
            "189ae3e02e3f47366a136e05d07d7f6b",
            "b905a7c4a3b6668ac1bad1f6a67fea45",
            "5983ce738066b3cecd4b97a785aa3a7d",
        ]
    );

    // For a = 1 and b = (1, 0), both ANDs are 1, and the second is negated in the output.
    let mut labels = vec![ActiveLabel::default(); circuit.wires()];
    for (i, value) in [true, true, false].into_iter().enumerate() {
        labels[i] = zeros[i].active(value, &delta);
    }
    let mut unread = tables.iter();
    evaluate(&circuit, &joint, &mut labels, &hash, 7, || {
        let mut next = || *unread.next().expect("two blocks an AND");
        Ok::<_, Infallible>([next(), next()])
    })
    .unwrap();
    for (wire, value) in [(outputs[0], true), (outputs[1], false)] {
        let expected = zeros[wire].active(value, &delta);
        assert_eq!(hex(labels[wire].0), hex(expected.0));
    }
}

/// A line for each frame: its tag, its length, and the first 64 bits of the BLAKE3 digest of its
/// payload.
fn summary(sent: &[Frame]) -> String {
    (sent.iter())
        .map(|frame| {
            let digest = blake3::hash(&frame.payload).to_hex();
            let (kind, length) = (frame.kind(), frame.payload.len());
            format!("{kind}, {length}: {}\n", &digest[..16])
        })
        .collect()
}

type Cards = [Option<u64>; 3];

/// For each party, the cards of two shuffles that it sees, and a summary of the frames that it
/// sends. The second shuffle must not repeat the tweaks, pads and labels of the first shuffle. From
/// the first plan on, the frames also depend on the circuit of the shuffle.
fn two_shuffles<E: Engine>(shuffle: &ShuffleCircuit) -> [([Cards; 2], String); 2] {
    both(in_memory(), |party, end| {
        let tap = Tap::new(end);
        let record = tap.record();
        let channel = Channel::new(Box::new(tap) as End, PATIENT);
        let mut rng = ChaCha20Rng::from_seed([party as u8; 32]);
        let mut session = E::begin(channel, party, &mut rng).unwrap();
        let cards = [(); 2].map(|()| {
            let mut deck = SealedDeck::shuffle(&mut session, shuffle, &mut rng).unwrap();
            let openings = [
                (0, Audience::Only(Party::Garbler)),
                (1, Audience::Only(Party::Evaluator)),
                (2, Audience::Both),
            ];
            deck.open(&mut session, &openings).unwrap();
            [0, 1, 2].map(|position| deck.seen(position).map(|Card(number)| number))
        });
        (cards, summary(&record.take_sent()))
    })
}

fn spec() -> Spec {
    Spec::new(10, 4, Algorithm::FisherYates).unwrap()
}

#[test]
fn semi_honest_session_with_two_shuffles_is_unchanged() {
    let shuffle = ShuffleCircuit::build(spec());
    let [garbler, evaluator] = two_shuffles::<SemiHonest>(&shuffle);
    let seen = [[Some(8), None, Some(1)], [Some(5), None, Some(8)]];
    assert_eq!(garbler.0, seen);
    let seen = [[None, Some(7), Some(1)], [None, Some(9), Some(8)]];
    assert_eq!(evaluator.0, seen);
    let sent = include_str!("known_answers/semi_honest_garbler.txt");
    assert_eq!(garbler.1, sent);
    let sent = include_str!("known_answers/semi_honest_evaluator.txt");
    assert_eq!(evaluator.1, sent);
}

#[test]
fn malicious_session_with_two_shuffles_is_unchanged() {
    let shuffle = ShuffleCircuit::build_checked(spec());
    let [garbler, evaluator] = two_shuffles::<Malicious>(&shuffle);
    let seen = [[Some(8), None, Some(6)], [Some(1), None, Some(0)]];
    assert_eq!(garbler.0, seen);
    let seen = [[None, Some(7), Some(6)], [None, Some(2), Some(0)]];
    assert_eq!(evaluator.0, seen);
    let sent = include_str!("known_answers/malicious_garbler.txt");
    assert_eq!(garbler.1, sent);
    let sent = include_str!("known_answers/malicious_evaluator.txt");
    assert_eq!(evaluator.1, sent);
}
