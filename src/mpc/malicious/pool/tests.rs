//! Tests of the content and the size of batches.

use std::thread;

use rand::rngs::ChaCha20Rng;

use super::*;
use crate::crypto::SessionId;
use crate::net::{MemoryTransport, memory_pair};
use crate::ot::dealt::deal;
use crate::ot::setup_both;
use crate::testing::session;
use crate::testing::tap::Tap;

const SESSION: SessionId = SessionId([9; 32]);

fn set_up(me: Party, transport: MemoryTransport) -> (Context, Channel, Pool) {
    let context = Context::of_test(SESSION, me);
    let mut rng = ChaCha20Rng::from_seed([me as u8; 32]);
    let mut channel = Channel::new(transport, session::PATIENT);
    let delta = Delta::random(me == Party::Garbler, &mut rng);
    let ots = setup_both(&mut channel, &SESSION, me, delta, &mut rng).unwrap();
    let pool = Pool::new(ots, &mut rng);
    (context, channel, pool)
}

fn demand(ands: usize, [garbler, evaluator]: [usize; 2], outputs: usize) -> Demand {
    Demand {
        ands,
        inputs: ByParty { garbler, evaluator },
        proofs: ByParty::default(),
        outputs,
    }
}

/// Runs `act` for both parties, each with its own pool.
fn both<R: Send + 'static>(act: fn(Context, Channel, Pool) -> R) -> [R; 2] {
    let (one, other) = memory_pair();
    let side = move |me, transport| {
        let (context, channel, pool) = set_up(me, transport);
        act(context, channel, pool)
    };
    let evaluator = thread::spawn(move || side(Party::Evaluator, other));
    [side(Party::Garbler, one), evaluator.join().unwrap()]
}

/// Fills the pool up to a demand.
fn reserve(pool: &mut Pool, context: &Context, channel: &mut Channel, demand: Demand) {
    loop {
        let missing = pool.missing(&demand);
        if missing == Demand::default() {
            return;
        }
        let batch = Pool::next_batch(&missing);
        pool.fill(context, channel, &batch).unwrap();
    }
}

/// The value of a shared bit. Panics if a MAC does not match.
fn value([a, b]: [&Share; 2], [delta_a, delta_b]: [&Delta; 2]) -> bool {
    let fits = |holder: &Share, other: &Share, delta: &Delta| {
        let expected = delta.mac(other.key, holder.bit);
        assert_eq!(holder.mac.0.to_bytes(), expected.0.to_bytes());
    };
    fits(a, b, delta_b);
    fits(b, a, delta_a);
    (a.bit ^ b.bit).reveal()
}

#[test]
fn pool_does_not_grow_from_hand_to_hand() {
    let largest = both(|context, mut channel, mut pool| {
        let mut largest = 0;
        for hand in 0..60 {
            let outputs = if hand % 2 == 0 { 7 } else { 300 };
            reserve(
                &mut pool,
                &context,
                &mut channel,
                demand(3, [2, 0], outputs),
            );
            drop((pool.take_triples(3), pool.take_bits(3 + outputs)));
            drop(pool.take_inputs(Party::Garbler, 2));
            largest = largest.max(pool.bits.len() + pool.triples.len());
        }
        largest
    });
    assert!(
        largest
            .iter()
            .all(|largest| *largest < MIN_BITS + 300 + 128)
    );
}

#[test]
fn amounts_above_the_limit_are_a_usage_error() {
    for most in [MAX_AT_ONCE + 1, usize::MAX] {
        for demand in [
            demand(most, [0, 0], 0),
            demand(1, [most, 0], 0),
            demand(1, [1, most], 0),
            demand(1, [1, 1], most),
        ] {
            assert!(matches!(check(&demand), Err(Error::Usage(_))));
        }
    }
    assert!(check(&demand(MAX_AT_ONCE, [MAX_AT_ONCE; 2], MAX_AT_ONCE)).is_ok());
}

#[test]
fn every_mac_matches_its_key_and_every_triple_is_a_product() {
    /// A party's Delta, and the triples and bits that it took from two batches.
    type Taken = (Delta, Vec<Triple>, Vec<Share>);
    let [(delta_a, triples_a, bits_a), (delta_b, triples_b, bits_b)]: [Taken; 2] =
        both(|context, mut channel, mut pool| {
            reserve(&mut pool, &context, &mut channel, demand(40, [3, 5], 60));
            let mut triples = pool.take_triples(30).to_vec();
            let mut bits = pool.take_bits(90).to_vec();
            reserve(&mut pool, &context, &mut channel, demand(25, [3, 0], 2975));
            triples.extend_from_slice(&pool.take_triples(25));
            bits.extend_from_slice(&pool.take_bits(3000));
            (pool.delta().clone(), triples, bits)
        });
    assert!(delta_a.block().lsb().reveal() && !delta_b.block().lsb().reveal());
    let value = |a: &Share, b: &Share| value([a, b], [&delta_a, &delta_b]);
    assert_eq!((triples_a.len(), bits_a.len()), (55, 3090));
    let mut ones = [0; 2];
    for (a, b) in triples_a.iter().zip(&triples_b) {
        let (x, y) = (value(&a.x, &b.x), value(&a.y, &b.y));
        assert_eq!(value(&a.z, &b.z), x & y);
        ones[0] += usize::from(x);
        ones[1] += usize::from(y);
    }
    assert!(ones.iter().all(|ones| (5..50).contains(ones)), "random");
    let ones = bits_a.iter().zip(&bits_b).filter(|(a, b)| value(a, b));
    assert!((1_200..1_900).contains(&ones.count()), "random");
}

/// A demand whose triples, random bits and evaluator's inputs exceed one batch.
fn large() -> Demand {
    demand(MAX_BATCH + 5, [3, MAX_BATCH + 2], 7)
}

#[test]
fn secrets_taken_across_batches_are_valid() {
    type Taken = (Delta, SecretVec<Triple>, SecretVec<Share>, SecretVec<Share>);
    let [
        (delta_a, triples_a, bits_a, inputs_a),
        (delta_b, triples_b, bits_b, inputs_b),
    ]: [Taken; 2] = both(|context, mut channel, mut pool| {
        reserve(&mut pool, &context, &mut channel, large());
        let triples = pool.take_triples(MAX_BATCH + 5);
        let bits = pool.take_bits(MAX_BATCH + 5 + 7);
        let inputs = pool.take_inputs(Party::Evaluator, MAX_BATCH + 2);
        assert!(pool.batches == 2 && pool.take_inputs(Party::Garbler, 3).len() == 3);
        (pool.delta().clone(), triples, bits, inputs)
    });
    let value = |a: &Share, b: &Share| value([a, b], [&delta_a, &delta_b]);
    for (a, b) in triples_a.iter().zip(triples_b.iter()) {
        assert_eq!(value(&a.z, &b.z), value(&a.x, &b.x) & value(&a.y, &b.y));
    }
    let ones = (bits_a.iter().zip(bits_b.iter())).filter(|(a, b)| value(a, b));
    assert!((MAX_BATCH * 4 / 10..MAX_BATCH * 6 / 10).contains(&ones.count()));
    for (a, b) in inputs_a.iter().zip(inputs_b.iter()) {
        assert_eq!(value(a, b), b.bit.reveal());
    }
}

#[test]
fn plans_state_the_amounts_and_no_batch_exceeds_the_maximum() {
    let plans = session::both(session::in_memory(), |me, end| {
        let context = Context::of_test(SESSION, me);
        let mut pool = Pool::new(deal(&SESSION, me, [5; 32]), &mut session::system_rng());
        let tap = Tap::new(end);
        let record = tap.record();
        let mut channel = Channel::new(tap, session::PATIENT);
        let mut missing = large();
        missing.outputs += missing.ands;
        let first = Pool::next_batch(&missing);
        assert_eq!(first, demand(MAX_BATCH, [3, MAX_BATCH], MAX_BATCH));
        let second = demand(5, [0, 2], 12);
        reserve(&mut pool, &context, &mut channel, large());
        let plans = [(0, first), (1, second)].map(|(number, amounts)| {
            let plan = Plan::of_batch(&context.session, number, &amounts, context.statistical);
            context.send_plan(&mut channel, &plan).unwrap();
            plan
        });
        channel.flush().unwrap();
        // Each party stays until it has received the other party's plans.
        for plan in &plans {
            context.expect_plan(&mut channel, plan).unwrap();
        }
        let frames = record.take_sent().into_iter();
        let plans = frames.filter(|frame| frame.tag == Tag::Plan.byte());
        plans.map(|frame| frame.payload).collect::<Vec<_>>()
    });
    for plans in plans {
        assert_eq!(plans.len(), 4);
        assert_eq!(plans[..2], plans[2..]);
    }
}

#[test]
fn largest_batch_has_buckets_of_4_at_40_and_50_bits_of_5_at_56_and_never_of_3() {
    let size = |statistical| {
        let Amount { finished, leaky } = Amount::for_at_least(MAX_BATCH, statistical);
        leaky / finished
    };
    assert_eq!([40, 50, 56, 80].map(size), [4, 4, 5, 6]);
    assert!((40..=80).all(|statistical| size(statistical) >= 4));
}
