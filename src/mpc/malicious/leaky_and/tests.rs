//! Tests that no tweak is used twice: the hashes for a triple depend on its batch and its index.

use super::*;
use crate::crypto::SessionId;
use crate::ot::{Key, Mac};
use crate::testing::session::system_rng;

#[test]
fn tables_of_equal_shares_differ_between_indices_and_batches() {
    const COUNT: usize = PART + 50;
    let rng = &mut system_rng();
    let delta = Delta::random(true, rng);
    let hash = TweakableHash::new(&SessionId([4; 32]));
    let share = Share {
        bit: true.into(),
        mac: Mac(Block::random(rng)),
        key: Key(Block::random(rng)),
    };
    let shares = RandomShares::dealt(&vec![share; 3 * COUNT]);
    let mut seen = std::collections::HashSet::new();
    for batch in 0..3 {
        let mut leaky = Leaky::default();
        let tables = leaky.tables(&shares, COUNT, &hash, &delta, batch).to_vec();
        for block in tables.iter().chain(leaky.expected()) {
            assert!(seen.insert(block.to_bytes()));
        }
    }
}
