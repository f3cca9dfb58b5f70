//! Tests of the inputs of the equality check, the commitment and the coin.

mod numbers;
mod views;

use super::*;
use crate::crypto::SessionId;
use crate::mpc::malicious::share::Share;
use crate::ot::{Key, Mac};
use crate::testing::line::End;
use crate::testing::session::{PATIENT, both, in_memory, system_rng};
use crate::testing::tap::Tap;

fn context(me: Party) -> Context {
    Context::of_test(SessionId([7; 32]), me)
}

fn assert_all_differ(digests: &[Digest]) {
    for (i, digest) in digests.iter().enumerate() {
        assert!(!digests[..i].contains(digest), "{i}");
    }
}

#[test]
fn commitment_depends_on_digest_coin_nonce_and_batch() {
    let commitment = |batch, digest, coin, nonce| {
        let opening = TripleOpening {
            digest: [digest; 32],
            coin: [coin; 16],
            nonce: [nonce; 32],
        };
        let commitments =
            [Party::Garbler, Party::Evaluator].map(|me| opening.commitment(&context(me), batch));
        assert_eq!(
            commitments[0], commitments[1],
            "both parties compute the same commitment"
        );
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
fn equality_digest_covers_every_triple_and_depends_on_the_batch() {
    const COUNT: usize = 30;
    let rng = &mut system_rng();
    let delta = Delta::random(true, rng);
    let shares: Vec<Share> = (0..3 * COUNT)
        .map(|_| Share {
            bit: false.into(),
            mac: Mac(Block::random(rng)),
            key: Key(Block::random(rng)),
        })
        .collect();
    let shares = RandomShares::dealt(&shares);
    let me = context(Party::Garbler);
    // The triples are the same in each call, except that at most one of them is corrected.
    let digest = |batch, corrected: Option<usize>| {
        let mut triples = Leaky::default();
        triples.tables(&shares, COUNT, &me.hash, &delta, 0);
        triples.receive(&shares);
        let flips = (0..COUNT).map(|i| Some(i) == corrected).collect();
        triples.correct(flips, &delta);
        equality_digest(&me, batch, &triples)
    };
    let mut digests = vec![digest(0, None), digest(1, None)];
    digests.extend((0..COUNT).map(|i| digest(0, Some(i))));
    assert_all_differ(&digests);
}

#[test]
fn all_assignments_of_four_triples_to_two_buckets_are_equally_likely() {
    const COINS: u128 = 24_000;
    let amount = Amount {
        finished: 2,
        leaky: 4,
    };
    let mut counts = std::collections::HashMap::new();
    for coin in 0..COINS {
        let mut numbers = Vec::new();
        bucket_numbers(&mut numbers, amount, Block::from(coin.to_le_bytes()));
        *counts.entry(numbers).or_insert(0) += 1;
    }
    assert_eq!(counts.len(), 6);
    // Each assignment is expected 4000 times, with a standard deviation of 58. The coins are fixed.
    assert!(counts.values().all(|count| (3_750..4_250).contains(count)));
}

#[test]
fn number_of_leaky_triples_depends_on_the_statistical_security() {
    assert_eq!(Amount::for_at_least(0, 50).leaky, 0);
    assert_eq!(Amount::for_at_least(1, 50).leaky, 50);
    assert_eq!(Amount::for_at_least(1_500, 50).leaky, 6 * 1_500);
    assert_eq!(Amount::for_at_least(1_807, 50).leaky, 5 * 1_807);
    assert_eq!(Amount::for_at_least(1_807, 56).leaky, 6 * 1_807);
}

/// Sends all messages of a batch up to the opening, for a party that does not know its triples. All
/// values are zeros.
fn send_zeros(me: Party, channel: &mut Channel, leaky: usize) -> Result<(), Fault> {
    let mut tables = vec![0; 16 * leaky];
    channel.send_bytes(Tag::LeakyTables, &tables)?;
    channel.recv_bytes(Tag::LeakyTables, &mut tables)?;
    send_bits(channel, Tag::LeakyBits, vec![false; leaky])?;
    recv_bits(channel, Tag::LeakyBits, leaky)?;
    let opening = TripleOpening {
        digest: [0; 32],
        coin: [0; 16],
        nonce: [0; 32],
    };
    match me {
        Party::Evaluator => {
            channel.recv_message::<TripleCommitment>()?;
            channel.send_message(&TripleDigest {
                digest: opening.digest,
                coin: opening.coin,
            })?;
            channel.recv_message::<TripleOpening>()?;
        }
        Party::Garbler => {
            channel.send_message(&TripleCommitment(opening.commitment(&context(me), 0)))?;
            channel.recv_message::<TripleDigest>()?;
            channel.send_message(&opening)?;
        }
    }
    channel.flush()?;
    Ok(())
}

#[test]
fn party_with_a_different_digest_is_rejected_and_receives_nothing_more() {
    let amount = Amount::for_at_least(1, 50);
    for honest in [Party::Garbler, Party::Evaluator] {
        both(in_memory(), |me, end| {
            let tap = Tap::new(end);
            let record = tap.record();
            let mut channel = Channel::new(Box::new(tap) as End, PATIENT);
            if me != honest {
                // This may fail, because the honest party aborts.
                let _ = send_zeros(me, &mut channel, amount.leaky);
                return;
            }
            let rng = &mut system_rng();
            let delta = Delta::random(me == Party::Garbler, rng);
            let shares: Vec<Share> = (0..3 * amount.leaky)
                .map(|_| Share {
                    bit: false.into(),
                    mac: Mac(Block::random(rng)),
                    key: Key(Block::random(rng)),
                })
                .collect();
            let shares = RandomShares::dealt(&shares);
            let rng = &mut system_rng();
            let context = context(me);
            let step = (0, amount);
            let mut buckets = Buckets::default();
            let outcome = buckets.fill(&context, &mut channel, &delta, step, &shares, rng);
            assert!(matches!(outcome, Err(Fault::Check(Check::TripleEquality))));
            channel.abort();
            let last = match me {
                Party::Garbler => Tag::TripleCommitment,
                Party::Evaluator => Tag::TripleDigest,
            };
            let tags: Vec<u8> = (record.take_sent().iter()).map(|frame| frame.tag).collect();
            let expected = [Tag::LeakyTables, Tag::LeakyBits, last].map(Tag::byte);
            assert_eq!(tags, [&expected[..], &[net::Tag::ABORT.byte()]].concat());
        });
    }
}
