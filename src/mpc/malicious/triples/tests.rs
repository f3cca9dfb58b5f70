//! What the equality check, the commitment and the coin are made of.

use super::*;
use crate::common::session::system_rng;
use crate::crypto::{SessionId, TweakableHash};
use crate::mpc::malicious::share::Share;

fn context(me: Party) -> Context {
    let session = SessionId([7; 32]);
    Context {
        session,
        me,
        hash: TweakableHash::new(&session),
    }
}

fn assert_all_differ(digests: &[Digest]) {
    for (i, digest) in digests.iter().enumerate() {
        assert!(!digests[..i].contains(digest), "{i}");
    }
}

#[test]
fn a_commitment_binds_digest_and_coin_hides_by_the_nonce_and_belongs_to_its_batch() {
    let commitment = |batch, digest, coin, nonce| {
        let opening = TripleOpening {
            digest: [digest; 32],
            coin: [coin; 16],
            nonce: [nonce; 32],
        };
        let commitments =
            [Party::Garbler, Party::Evaluator].map(|me| opening.commitment(&context(me), batch));
        assert_eq!(commitments[0], commitments[1], "both parties compute it");
        commitments[0]
    };
    assert_all_differ(&[
        commitment(0, 0, 0, 0),
        commitment(1, 0, 0, 0),
        commitment(0, 1, 0, 0),
        commitment(0, 0, 1, 0),
        commitment(0, 0, 0, 1),
    ]);
}

#[test]
fn the_digest_of_what_must_be_equal_covers_every_triple_and_belongs_to_its_batch() {
    const COUNT: usize = 30;
    let rng = &mut system_rng();
    let delta = Delta::random(true, rng);
    let shares: Vec<Share> = (0..3 * COUNT)
        .map(|_| Share {
            bit: false,
            mac: Block::random(rng),
            key: Block::random(rng),
        })
        .collect();
    let shares = RandomShares::dealt(&shares);
    let me = context(Party::Garbler);
    // The same triples every time, of which one is corrected.
    let digest = |batch, corrected: Option<usize>| {
        let (mut triples, tables) = Leaky::tables(&shares, COUNT, &me.hash, &delta, 0);
        triples.receive(&tables);
        let flips = (0..COUNT).map(|i| Some(i) == corrected).collect();
        triples.correct(flips, &delta);
        equality_digest(&me, batch, &triples)
    };
    let mut digests = vec![digest(0, None), digest(1, None)];
    digests.extend((0..COUNT).map(|i| digest(0, Some(i))));
    assert_all_differ(&digests);
}

#[test]
fn every_order_of_four_is_as_likely_as_any_other() {
    const COINS: u128 = 24_000;
    let mut counts = std::collections::HashMap::new();
    for coin in 0..COINS {
        let order = permutation(4, Block::from(coin.to_le_bytes()));
        *counts.entry(order).or_insert(0) += 1;
    }
    assert_eq!(counts.len(), 24);
    // 1000 each, with a standard deviation of 31; the coins are the same every time.
    assert!(counts.values().all(|count| (850..1150).contains(count)));
}
