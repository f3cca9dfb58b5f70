//! All-but-one OT: for each of [`TREES`] punctured trees, one party holds the seeds of all
//! [`LEAVES`] leaves, and the other party holds the seeds of all leaves except one.
//!
//! They are GGM trees (Goldreich, Goldwasser and Micali), with the consistency check of
//! SoftSpokenOT (Roy, CRYPTO 2022, section 6, the malicious variant of the punctured PRF). Every
//! leaf also expands to a check value of 256 bits. The *planter*, the party with all leaves, sends
//! the sum (XOR) of each tree's check values, and one hash of all check values of all trees. The
//! hash commits the planter to one set of leaves, including the leaves that the other party cannot
//! compute itself.
//!
//! The path of tree `i` ends at the leaf whose number is the value of the `K` bits `i * K ..` of
//! [`Delta`], the global key of the other party. Level `l` of the tree decides bit `K - 1 - l` of
//! that number. The party that holds Delta keeps its nodes in *relative* order: its node number `y`
//! is node number `y ^ path` of the tree. So the unknown node has number 0 in every tree, and no
//! memory access depends on Delta.

use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use super::{Check, Delta, Direction, Error, Result, Tag, base, expect_length};
use crate::crypto::{Block, Generator, SecretBit, SecretVec, Step};
use crate::net::{self, Message};

/// The number of levels of a tree: the `k` of SoftSpokenOT. An OT costs `128 / K` bits on the wire
/// and `128 * 2^K / K` bits of AES in counter mode.
pub(super) const K: usize = 4;
/// The number of leaves of a tree.
pub(super) const LEAVES: usize = 1 << K;
/// The number of trees.
pub(super) const TREES: usize = base::COUNT / K;

/// The size of a leaf's check value in bytes: twice the security parameter, against collisions.
const CHECK_BYTES: usize = 32;

/// The planter's message: everything that the other party needs in addition to the base OTs.
#[derive(Serialize, Deserialize)]
pub struct TreeSums {
    /// For each tree and each level except the first, the sum of the left children and the sum of
    /// the right children, each masked with its base-OT pad.
    sums: Vec<[[u8; 16]; 2]>,
    /// For each tree the sum of the check values of its leaves.
    checks: Vec<[u8; CHECK_BYTES]>,
    /// The hash of all check values.
    digest: [u8; 32],
}

impl Message for TreeSums {
    const TAG: net::Tag = Tag::TreeSums.tag();
    const MAX_BYTES: usize = 8 + TREES * (K - 1) * 32 + 8 + TREES * CHECK_BYTES + 32;
}

/// The bit of Delta that decides level `level` of tree `tree`.
fn path_bit(delta: &Delta, tree: usize, level: usize) -> SecretBit {
    delta.block().bit(tree * K + K - 1 - level)
}

/// The base-OT choices of the party that holds Delta: at every level it chooses the pad of the side
/// that is not on the path.
pub(super) fn base_choices(delta: &Delta) -> SecretVec<SecretBit> {
    (0..TREES * K)
        .map(|i| !path_bit(delta, i / K, i % K))
        .collect()
}

/// Returns the two children of a node.
fn children(node: Block) -> [Block; 2] {
    let mut pair = [Block::ZERO; 2];
    Generator::new(node).fill(&mut pair);
    pair
}

/// Returns the generator and the check value of a leaf.
fn expand_leaf(leaf: Block) -> (Generator, [u8; CHECK_BYTES]) {
    let mut blocks = Zeroizing::new([Block::ZERO; 3]);
    Generator::new(leaf).fill(&mut *blocks);
    let mut check = [0; CHECK_BYTES];
    check.copy_from_slice(bytemuck::cast_slice(&blocks[1..]));
    (Generator::new(blocks[0]), check)
}

fn xor_into(sum: &mut [u8; CHECK_BYTES], other: &[u8; CHECK_BYTES]) {
    sum.iter_mut().zip(other).for_each(|(s, o)| *s ^= o);
}

fn hash_checks(direction: Direction, checks: &[[u8; CHECK_BYTES]]) -> [u8; 32] {
    direction
        .oracle_once(Step::TreeCheck)
        .absorb(checks.as_flattened())
        .digest()
}

/// Creates the trees from the planter's base-OT pads. Returns the generators of all leaves, tree
/// after tree, and the message to the other party.
pub(super) fn plant(direction: Direction, pads: &[[Block; 2]]) -> (Vec<Generator>, TreeSums) {
    let mut generators = Vec::with_capacity(TREES * LEAVES);
    let mut sums = Vec::with_capacity(TREES * (K - 1));
    let mut check_sums = vec![[0; CHECK_BYTES]; TREES];
    let mut checks = Zeroizing::new(Vec::with_capacity(TREES * LEAVES));
    for (pads, check_sum) in pads.chunks(K).zip(&mut check_sums) {
        let mut nodes = Zeroizing::new(pads[0].to_vec());
        for pads in &pads[1..] {
            let next = Zeroizing::new(nodes.iter().map(|n| children(*n)).collect::<Vec<_>>());
            let mut sum = *pads;
            for pair in next.iter() {
                sum[0] ^= pair[0];
                sum[1] ^= pair[1];
            }
            sums.push(sum.map(Block::to_bytes));
            nodes = Zeroizing::new(next.as_flattened().to_vec());
        }
        for leaf in nodes.iter() {
            let (generator, check) = expand_leaf(*leaf);
            xor_into(check_sum, &check);
            generators.push(generator);
            checks.push(check);
        }
    }
    let message = TreeSums {
        sums,
        checks: check_sums,
        digest: hash_checks(direction, &checks),
    };
    (generators, message)
}

/// Reconstructs all leaves of each tree except the leaf on the path. Returns their generators in
/// relative order: `LEAVES - 1` for each tree, starting with relative number 1.
///
/// # Errors
/// [`Malformed::ListLength`](net::Malformed::ListLength) if a list in the message has the wrong
/// length; [`Check::Trees`] if the check fails.
pub(super) fn puncture(
    direction: Direction,
    delta: &Delta,
    pads: &[Block],
    message: &TreeSums,
) -> Result<Vec<Generator>> {
    expect_length("tree sums", message.sums.len(), TREES * (K - 1))?;
    expect_length("tree checks", message.checks.len(), TREES)?;
    let mut generators = Vec::with_capacity(TREES * (LEAVES - 1));
    let mut checks = Zeroizing::new(Vec::with_capacity(TREES * LEAVES));
    for tree in 0..TREES {
        let pads = &pads[tree * K..][..K];
        let mut nodes = Zeroizing::new(vec![Block::ZERO, pads[0]]);
        for (level, pad) in pads.iter().enumerate().skip(1) {
            let path = Block::mask(path_bit(delta, tree, level));
            let [left, right] = message.sums[tree * (K - 1) + level - 1].map(Block::from);
            // If the path turns right, the left side is off the path.
            let mut sibling = right ^ ((left ^ right) & path) ^ *pad;
            let mut next = Zeroizing::new(Vec::with_capacity(2 * nodes.len()));
            next.extend([Block::ZERO; 2]);
            for node in &nodes[1..] {
                let [left, right] = children(*node);
                let swap = (left ^ right) & path;
                sibling ^= right ^ swap;
                next.extend([left ^ swap, right ^ swap]);
            }
            next[1] = sibling;
            nodes = next;
        }
        let mut tree_checks = Zeroizing::new([[0; CHECK_BYTES]; LEAVES]);
        let mut missing = message.checks[tree];
        for (leaf, slot) in nodes[1..].iter().zip(&mut tree_checks[1..]) {
            let (generator, check) = expand_leaf(*leaf);
            xor_into(&mut missing, &check);
            *slot = check;
            generators.push(generator);
        }
        tree_checks[0] = missing;
        to_absolute_order(&mut tree_checks, delta, tree);
        checks.extend_from_slice(&*tree_checks);
    }
    let digest = hash_checks(direction, &checks);
    if bool::from(digest.ct_eq(&message.digest)) {
        Ok(generators)
    } else {
        generators.clear();
        Err(Error::Check(Check::Trees))
    }
}

/// Moves the value at `y` to `y ^ path`, without a memory access that depends on the path.
fn to_absolute_order(checks: &mut [[u8; CHECK_BYTES]; LEAVES], delta: &Delta, tree: usize) {
    for bit in 0..K {
        let [mask, ..] = Block::mask(delta.block().bit(tree * K + bit)).to_bytes();
        for low in (0..LEAVES).filter(|x| x >> bit & 1 == 0) {
            let high = low | 1 << bit;
            let (lower, upper) = checks.split_at_mut(high);
            for (a, b) in lower[low].iter_mut().zip(&mut upper[0]) {
                let exchange = (*a ^ *b) & mask;
                *a ^= exchange;
                *b ^= exchange;
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::circuit::Party;
    use crate::crypto::SessionId;
    use rand::SeedableRng;
    use rand::rngs::ChaCha20Rng;

    const DIRECTION: Direction = Direction {
        session: SessionId([6; 32]),
        sender: Party::Garbler,
    };

    /// Ideal base OT: both pads of each instance, and the pads that the holder of Delta receives.
    pub(in crate::ot) fn ideal_base_ot(
        delta: &Delta,
        rng: &mut ChaCha20Rng,
    ) -> (Vec<[Block; 2]>, Vec<Block>) {
        let pads: Vec<[Block; 2]> = (0..base::COUNT)
            .map(|_| [Block::random(rng), Block::random(rng)])
            .collect();
        let chosen = pads
            .iter()
            .zip(base_choices(delta).iter())
            .map(|(pair, choice)| pair[usize::from(choice.reveal())])
            .collect();
        (pads, chosen)
    }

    fn setting() -> (Delta, Vec<[Block; 2]>, Vec<Block>) {
        let mut rng = ChaCha20Rng::from_seed([12; 32]);
        let delta = Delta::random(true, &mut rng);
        let (pads, chosen) = ideal_base_ot(&delta, &mut rng);
        (delta, pads, chosen)
    }

    #[test]
    fn all_leaves_off_the_path_agree() {
        let (delta, pads, chosen) = setting();
        let (mut all, message) = plant(DIRECTION, &pads);
        let mut known = puncture(DIRECTION, &delta, &chosen, &message).unwrap();
        for tree in 0..TREES {
            let path: usize = (0..K)
                .map(|bit| usize::from(delta.block().bit(tree * K + bit).reveal()) << bit)
                .sum();
            for y in 1..LEAVES {
                let ours = known[tree * (LEAVES - 1) + y - 1].block();
                let theirs = all[tree * LEAVES + (y ^ path)].block();
                assert_eq!(ours.to_bytes(), theirs.to_bytes());
            }
        }
    }

    #[test]
    fn tampering_planter_is_caught_or_has_no_effect() {
        let (delta, pads, chosen) = setting();
        let (_, honest) = plant(DIRECTION, &pads);
        let clone = || TreeSums {
            sums: honest.sums.clone(),
            checks: honest.checks.clone(),
            digest: honest.digest,
        };
        let accepts = |m: &TreeSums| puncture(DIRECTION, &delta, &chosen, m).is_ok();
        assert!(accepts(&clone()));
        for entry in 0..TREES * (K - 1) {
            let (tree, level) = (entry / (K - 1), entry % (K - 1) + 1);
            for side in 0..2 {
                let mut message = clone();
                message.sums[entry][side][3] ^= 4;
                // A wrong sum is detected exactly if the holder of Delta uses that side. So a
                // planter can guess a bit of Delta (selective failure).
                let taken = usize::from(!path_bit(&delta, tree, level).reveal());
                assert_eq!(accepts(&message), side != taken);
            }
        }
        for tree in 0..TREES {
            let mut message = clone();
            message.checks[tree][0] ^= 1;
            assert!(!accepts(&message));
        }
        let mut message = clone();
        message.digest[31] ^= 1;
        assert!(!accepts(&message));
        let mut message = clone();
        message.sums.pop();
        assert!(!accepts(&message));
        let mut message = clone();
        message.checks.push([0; CHECK_BYTES]);
        assert!(!accepts(&message));
        let others = [
            Direction::of(&SessionId([7; 32]), Party::Garbler),
            Direction::of(&DIRECTION.session, Party::Evaluator),
        ];
        for other in others {
            assert!(puncture(other, &delta, &chosen, &honest).is_err());
        }
    }
}
