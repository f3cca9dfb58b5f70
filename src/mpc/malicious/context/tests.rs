//! Tests that a digest of MACs is valid for one message only.

use super::*;
use crate::crypto::Block;
use crate::ot::{Key, Mac};
use crate::testing::session::system_rng;

fn context(session: u8, me: Party) -> Context {
    Context::of_test(SessionId([session; 32]), me)
}

/// Shares with MACs of zeros.
fn shares(delta: &Delta) -> Vec<Share> {
    (0..5)
        .map(|i| Share {
            bit: SecretBit::lowest_of(i),
            mac: Mac(Block::from([i; 16])),
            key: Key(Block::from([i; 16]) ^ delta.select(i % 2 == 1)),
        })
        .collect()
}

#[test]
fn digest_of_macs_depends_on_session_sender_step_number_and_every_mac() {
    let delta = Delta::random(true, &mut system_rng());
    let shares = shares(&delta);
    let digest = |session, sender, step, shares: &[Share]| {
        let context = context(session, sender);
        let MacDigest(digest) = context.macs(context.oracle(step, sender), shares.iter().copied());
        digest
    };
    let (garbler, evaluator) = (Party::Garbler, Party::Evaluator);
    let step = (Step::GateMacs, 3);
    let digests = [
        digest(1, garbler, step, &shares),
        digest(2, garbler, step, &shares),
        digest(1, evaluator, step, &shares),
        digest(1, garbler, (Step::CheckMacs, 3), &shares),
        digest(1, garbler, (Step::OutputMacs, 3), &shares),
        digest(1, garbler, (Step::PoolMacs, 3), &shares),
        digest(1, garbler, (Step::GateMacs, 4), &shares),
        digest(1, garbler, step, &shares[1..]),
        digest(1, garbler, step, &shares[..4]),
        digest(1, garbler, step, &[&shares[..], &shares[..1]].concat()),
    ];
    for (i, digest) in digests.iter().enumerate() {
        assert!(!digests[..i].contains(digest), "{i}");
    }
    // The receiver expects this digest only for the bits that the MACs authenticate.
    for (sender, receiver) in [(garbler, evaluator), (evaluator, garbler)] {
        let of = |bits: [bool; 5]| {
            let receiver = context(1, receiver);
            let shares = shares.iter().copied();
            let oracle = receiver.oracle(step, sender);
            let MacDigest(expected) =
                receiver.expected_macs(oracle, &delta, shares, bits.into_iter());
            expected
        };
        let bits = [false, true, false, true, false];
        assert_eq!(of(bits), digest(1, sender, step, &shares));
        for wrong in 0..bits.len() {
            let mut bits = bits;
            bits[wrong] = !bits[wrong];
            assert_ne!(of(bits), digest(1, sender, step, &shares));
        }
    }
}
