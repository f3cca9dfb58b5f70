//! Correlated OTs whose GGM trees (see `all_but_one`) come from a trusted dealer.
//!
//! For tests and benches only: anyone who knows the seed knows the [`Delta`] of both parties. A
//! real setup with base OTs costs a thousand times as much as a small run. This is too much for a
//! test that opens one session for each bit of a message.

use rand::SeedableRng;
use rand::rngs::StdRng;

use super::all_but_one::{K, LEAVES, TREES};
use super::{CotReceiver, CotSender, Delta, Direction, correlated};
use crate::circuit::Party;
use crate::crypto::{Block, Generator, SessionId};

/// Returns the sender and the receiver of party `me`, for correlated OTs in both directions. The
/// peer must pass the same `session` and `seed`.
pub fn deal(session: &SessionId, me: Party, seed: [u8; 32]) -> (CotSender, CotReceiver) {
    let rng = &mut StdRng::from_seed(seed);
    let deltas = [Party::Garbler, Party::Evaluator]
        .map(|holder| Delta::random(holder == Party::Garbler, rng));
    let trees = [(); 2].map(|()| {
        let leaves = (0..TREES * LEAVES).map(|_| Block::random(rng));
        leaves.collect::<Vec<Block>>()
    });
    let delta = deltas[me as usize].clone();
    // In each tree, the sender knows all leaves except leaf `path`. They are ordered by index XOR
    // `path`.
    let known = (0..TREES).flat_map(|tree| {
        let path: usize = (0..K)
            .map(|bit| usize::from(delta.block().bit(tree * K + bit).reveal()) << bit)
            .sum();
        (1..LEAVES).map(move |leaf| tree * LEAVES + (leaf ^ path))
    });
    let known = known.map(|leaf| Generator::new(trees[me as usize][leaf]));
    let known: Vec<Generator> = known.collect();
    let all = trees[me.other() as usize].iter();
    let all = all.map(|leaf| Generator::new(*leaf)).collect();
    let [mine, theirs] = [me, me.other()].map(|sender| Direction::of(session, sender));
    (
        CotSender(correlated::Sender::new(mine, delta, known)),
        CotReceiver(correlated::Receiver::new(theirs, all)),
    )
}
