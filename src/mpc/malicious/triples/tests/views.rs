//! Tests that a party cannot compute a bit of the other party's shares of the finished triples from
//! its view of a batch of triples. No such bit is an affine combination over F2, the same for all
//! triples of a batch, of the bits that the party has: its shares of the leaky triples in the
//! bucket, the bits sent and received for them, and its shares of the finished triple.
//!
//! This still holds if the party is also given the other party's shares of `x` of all leaky triples
//! in a bucket except one; this is the purpose of buckets. A leak is found if the party is given
//! the shares of `x` of all of them, or the share of `y` of the first one.

use super::context;
use crate::crypto::SecretBit;
use crate::mpc::malicious::pool::open;
use crate::mpc::malicious::tests::views::bits_of_share;
use crate::mpc::malicious::triples::*;
use crate::mpc::packed_bits::unpack;
use crate::ot::Key;
use crate::testing::affine::{Samples, Span};
use crate::testing::session::{PATIENT, both, in_memory, system_rng};
use crate::testing::tap::{Frame, Tap};
use crate::testing::view::bits_of_block;

/// The number of finished triples: more than the number of bits that a party has for each triple.
const COUNT: usize = 6_100;

/// Both parties' shares of random shared bits, like those from correlated OTs.
pub(super) fn deal(count: usize, deltas: &[Delta; 2]) -> [Vec<Share>; 2] {
    let rng = &mut system_rng();
    let mut shares = [(); 2].map(|()| vec![Share::default(); count]);
    let [of_a, of_b] = &mut shares;
    for (a, b) in of_a.iter_mut().zip(of_b) {
        (a.bit, a.key) = (SecretBit::random(rng), Key(Block::random(rng)));
        (b.bit, b.key) = (SecretBit::random(rng), Key(Block::random(rng)));
        a.mac = deltas[1].mac(b.key, a.bit);
        b.mac = deltas[0].mac(a.key, b.bit);
    }
    shares
}

/// All bytes that a party has sent (or received) with a tag.
fn payload(frames: &[Frame], sent: bool, tag: Tag) -> Vec<u8> {
    (frames.iter())
        .filter(|frame| frame.sent == sent && frame.tag == tag.byte())
        .flat_map(|frame| frame.payload.clone())
        .collect()
}

fn blocks(bytes: &[u8]) -> Vec<Block> {
    let (blocks, rest) = bytes.as_chunks::<16>();
    assert!(rest.is_empty());
    blocks.iter().copied().map(Block::from).collect()
}

/// A party's view of each bucket of a batch, and its bits that the other party must not know.
struct Batch {
    held: Samples,
    /// This party's bits of the finished triple: `x`, `y`, `z`.
    finished: Vec<[bool; 3]>,
    /// This party's bits of `x` of all leaky triples in each bucket.
    xs: Vec<Vec<bool>>,
    /// This party's bit of `y` of the first leaky triple in each bucket.
    ys: Vec<bool>,
}

fn batch() -> [Batch; 2] {
    let amount = Amount::for_at_least(COUNT, 50);
    let leaky = amount.leaky;
    let deltas = [true, false].map(|lsb| Delta::random(lsb, &mut system_rng()));
    let shares = deal(3 * leaky, &deltas);
    both(in_memory(), |me, end| {
        let (delta, shares) = (&deltas[me as usize], &shares[me as usize]);
        let tap = Tap::new(end);
        let record = tap.record();
        let mut channel = Channel::new(tap, PATIENT);
        let context = context(me);
        let rng = &mut system_rng();
        let random = RandomShares::dealt(shares);
        let channel = &mut channel;
        let mut buckets = Buckets::default();
        let step = (0, amount);
        (buckets.fill(&context, channel, delta, step, &random, rng)).unwrap();
        let theirs = open(&context, channel, delta, 0, &buckets).unwrap();
        let finished = buckets.combine(&random, &theirs, me, delta);

        let record = record.take();
        let directions = [true, false];
        let payload = |sent, tag| payload(&record, sent, tag);
        // `TripleDigest` contains the evaluator's share of the coin, `TripleOpening` the garbler's
        // share. In both messages the share follows a digest.
        let coin = [Tag::TripleDigest, Tag::TripleOpening]
            .map(|tag| directions.map(|sent| payload(sent, tag)).concat())
            .map(|message| blocks(&message)[2])
            .into_iter()
            .fold(Block::ZERO, |sum, share| sum ^ share);
        let tables = directions.map(|sent| blocks(&payload(sent, Tag::LeakyTables)));
        let opened =
            |tag, count| directions.map(|sent| unpack(&payload(sent, tag), count).unwrap());
        let low = opened(Tag::LeakyBits, leaky);
        let differences = opened(Tag::PoolBits, leaky - COUNT);

        let mut batch = Batch {
            held: Samples::default(),
            finished: (finished.iter())
                .map(|triple| [triple.x.bit, triple.y.bit, triple.z.bit].map(SecretBit::reveal))
                .collect(),
            xs: Vec::new(),
            ys: Vec::new(),
        };
        for (i, bucket) in members(amount, coin).iter().enumerate() {
            let Triple { x, y, z } = finished[i];
            let mut held: Vec<bool> = [x, y, z].into_iter().flat_map(bits_of_share).collect();
            for &(number, difference) in bucket {
                let xyz = [0, 1, 2].map(|part| shares[part * leaky + number]);
                held.extend(xyz.into_iter().flat_map(bits_of_share));
                for direction in 0..2 {
                    held.extend(bits_of_block(tables[direction][number]));
                    held.push(low[direction][number]);
                    held.extend(difference.map(|difference| differences[direction][difference]));
                }
            }
            let bucket = || bucket.iter().map(|&(number, _)| number);
            batch.held.add_run(held);
            batch
                .xs
                .push(bucket().map(|n| shares[n].bit.reveal()).collect());
            batch
                .ys
                .extend(bucket().take(1).map(|n| shares[leaky + n].bit.reveal()));
        }
        batch
    })
}

/// The numbers of the leaky triples in each bucket, and, for each leaky triple except the first of
/// its bucket, the number of its opened difference.
fn members(amount: Amount, coin: Block) -> Vec<Vec<(usize, Option<usize>)>> {
    let mut numbers = Vec::new();
    bucket_numbers(&mut numbers, amount, coin);
    let mut members = vec![Vec::new(); amount.finished];
    let mut differences = 0..;
    for (number, &bucket) in numbers.iter().enumerate() {
        let bucket: &mut Vec<_> = &mut members[bucket as usize];
        let difference = match bucket[..] {
            [] => None,
            _ => differences.next(),
        };
        bucket.push((number, difference));
    }
    members
}

fn table<R: AsRef<[bool]>>(runs: impl IntoIterator<Item = R>) -> Samples {
    let mut table = Samples::default();
    for run in runs {
        table.add_run(run.as_ref().iter().copied());
    }
    table
}

#[test]
fn batch_of_triples_reveals_no_shares_of_the_other_party() {
    let [garbler, evaluator] = batch();
    for (a, b) in garbler.finished.iter().zip(&evaluator.finished) {
        let [x, y, z] = std::array::from_fn(|i| a[i] ^ b[i]);
        assert_eq!(z, x & y);
    }
    for (me, other) in [(&garbler, &evaluator), (&evaluator, &garbler)] {
        let secrets = table(&other.finished);
        let span = Span::of(&me.held);
        assert_eq!(span.leak(&secrets), None);

        let with = |more: Samples| span.clone().with(&more).leak(&secrets);
        assert_eq!(with(table(other.xs.iter().map(|xs| &xs[1..]))), None);
        assert_eq!(with(table(&other.xs)), Some(0));
        assert_eq!(with(table(other.ys.iter().map(|&y| [y]))), Some(1));
    }
}
