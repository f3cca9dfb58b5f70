//! Tests that the messages of a batch of triples depend on its number.

use super::views::deal;
use super::*;
use crate::net::memory_pair;

const BATCH: u64 = 7;

#[test]
fn tables_digest_and_commitment_depend_on_the_batch_number() {
    let amount = Amount::for_at_least(1, context(Party::Garbler).statistical);
    let deltas = [true, false].map(|lsb| Delta::random(lsb, &mut system_rng()));
    let shares = deal(3 * amount.leaky, &deltas);
    let (one, other) = memory_pair();
    both([Box::new(one), Box::new(other)], |me, end| {
        let tap = Tap::new(end);
        let record = tap.record();
        let mut channel = Channel::new(tap, PATIENT);
        let (context, delta) = (context(me), &deltas[me as usize]);
        let shares = RandomShares::dealt(&shares[me as usize]);
        let rng = &mut system_rng();
        let mut buckets = Buckets::default();
        let step = (BATCH, amount);
        (buckets.fill(&context, &mut channel, delta, step, &shares, rng)).unwrap();

        let record = record.take();
        let payload = |sent, tag: Tag| {
            let mut frames = record.iter().filter(|frame| frame.sent == sent);
            let found = frames.find(|frame| frame.tag == tag.byte());
            &found.expect("a message of each batch").payload[..]
        };
        let tables = |batch| -> Vec<u8> {
            let mut leaky = Leaky::default();
            let tables = leaky.tables(&shares, amount.leaky, &context.hash, delta, batch);
            bytemuck::cast_slice(tables).to_vec()
        };
        assert_eq!(payload(true, Tag::LeakyTables), tables(BATCH));
        assert_ne!(tables(BATCH), tables(0));

        let garbler = me == Party::Garbler;
        let opened = payload(garbler, Tag::TripleOpening);
        let opening = TripleOpening {
            digest: opened[..32].try_into().unwrap(),
            coin: opened[32..48].try_into().unwrap(),
            nonce: opened[48..].try_into().unwrap(),
        };
        let commitment = opening.commitment(&context, BATCH);
        assert_eq!(payload(garbler, Tag::TripleCommitment), commitment);
        let digest = equality_digest(&context, BATCH, &buckets.triples);
        assert_eq!(opening.digest, digest);
    });
}
