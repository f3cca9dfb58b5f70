//! Tests of the messages that depend on a counter of a session.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::circuits::bits;
use super::kind::Kind;
use super::line::End;
use super::session::{Engine, PATIENT, both, in_memory, reveal, system_rng};
use super::tap::{Frame, FrameIndex, Tap};
use crate::circuit::{Builder, Circuit, Party};
use crate::mpc::{Input, Run, Tag};
use crate::net::Channel;

/// The number of bits that each party enters: enough that two messages of random bits differ.
const WIDTH: usize = 64;

fn ands() -> Circuit {
    let mut builder = Builder::new(&[WIDTH, WIDTH]);
    let (a, b) = (builder.input(0), builder.input(1));
    let products = a.iter().zip(&b).map(|(&a, &b)| builder.and(a, b)).collect();
    builder.build(vec![products])
}

/// Returns the frames that each party sends in a session with the given randomness. `count` changes
/// a counter of the session before the run.
fn sent<E: Engine>(seed: u64, count: &(impl Fn(&mut E) + Sync)) -> [Vec<Frame>; 2] {
    let mut coins = StdRng::seed_from_u64(seed);
    let entered = Party::BOTH.map(|_| bits(&mut coins, WIDTH));
    both(in_memory(), |party, end| {
        let tap = Tap::new(end);
        let record = tap.record();
        let channel = Channel::new(Box::new(tap) as End, PATIENT);
        let mut rng = StdRng::seed_from_u64(seed + 1 + party as u64);
        let mut session = E::begin(channel, party, &mut rng).unwrap();
        count(&mut session);
        let circuit = ands();
        let run = Run::new(&circuit, &Input::ONE_EACH, &entered[party as usize]);
        let words = session.run(run).unwrap();
        reveal(&mut session, &words[0]).unwrap();
        record.take_sent()
    })
}

/// Asserts that exactly the given messages of a session change if `count` changes a counter of the
/// session. `changing` lists the messages of the garbler and of the evaluator, each with its index
/// among the messages of its kind.
pub fn assert_that_these_change<E: Engine>(
    count: impl Fn(&mut E) + Sync,
    changing: [&[(Tag, usize)]; 2],
) {
    let seed = system_rng().random::<u32>().into();
    let one = sent::<E>(seed, &|_| {});
    let other = sent::<E>(seed, &count);
    for ((one, other), changing) in one.iter().zip(&other).zip(changing) {
        let mut found: Vec<FrameIndex> = (one.iter().zip(other))
            .filter(|(one, other)| {
                assert_eq!(one.place(), other.place());
                one.payload != other.payload
            })
            .map(|(frame, _)| frame.place())
            .collect();
        let mut changing: Vec<FrameIndex> = (changing.iter())
            .map(|&(tag, nth)| (Kind::Mpc(tag), nth))
            .collect();
        for places in [&mut found, &mut changing] {
            places.sort_by_key(|(kind, nth)| (kind.byte(), *nth));
        }
        assert_eq!(found, changing);
    }
}
